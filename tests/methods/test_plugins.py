"""Methods and measures of other packages: what they return is looked at, and their errors tell no values."""

import sys
import traceback
from collections.abc import Callable
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from conftest import PROJECT

from sdclab import measures, methods
from sdclab.base.errors import SdclabError, reason, trail
from sdclab.base.registry import Registry
from sdclab.experiment import cell as cells
from sdclab.experiment.cell import Cell
from sdclab.experiment.integrity import Task
from sdclab.experiment.scenario import Scenario
from sdclab.measures import MEASURES
from sdclab.methods import METHODS, Release
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.dataset import Dataset

RECORDS = np.random.default_rng(3).normal(5000, 100, (30, 2))
SECRET = "4711.0815"
"""Stands for a value of a record in an error of somebody else's code."""


@pytest.fixture
def add(monkeypatch) -> Callable[[Registry, Callable], None]:
    """Register a function as `fake`."""

    def register(registry: Registry, function: Callable) -> None:
        module = ModuleType("fake")
        setattr(module, registry.function, function)
        monkeypatch.setitem(sys.modules, "fake", module)
        points = {registry.package: {"fake": "fake"}}
        monkeypatch.setattr("sdclab.base.registry._entry_points", lambda group: points.get(group, {}))

    return register


def release(columns: tuple[str, ...] = ()) -> Release:
    attributes = Attributes(tuple(map(Attribute, columns))) if columns else None
    return methods.release("fake", RECORDS, RECORDS[:, :0], np.random.default_rng(0), {}, attributes)


def hole(value: float) -> np.ndarray:
    return np.where(np.arange(60).reshape(30, 2) == 31, value, RECORDS)


class TestWhatAMethodReturns:
    @pytest.mark.parametrize(
        ("returned", "message"),
        [
            (None, "returned a NoneType, but must return an array of numbers of shape (30, 2)."),
            (RECORDS.tolist(), "returned a list, but"),
            (pd.DataFrame(RECORDS), "returned a DataFrame, but"),
            (np.ma.masked_array(RECORDS, mask=True), "returned a MaskedArray, but"),
            (RECORDS[:-1], "returned an array of shape (29, 2), but must return an array of numbers of shape (30, 2)."),
            (RECORDS.T, "returned an array of shape (2, 30), but"),
            (RECORDS[:, :1], "returned an array of shape (30, 1), but"),
            (RECORDS[:, 0], "returned an array of shape (30,), but"),
            (RECORDS[None], "returned an array of shape (1, 30, 2), but"),
            (RECORDS.astype(complex), "returned an array of type complex128, but"),
            (RECORDS.astype(object), "returned an array of type object, but"),
            (RECORDS.astype(str), "returned an array of type <U32, but"),
            (RECORDS > 0, "returned an array of type bool, but"),
            (hole(np.nan), "dependent attribute 2 of the protected file is not finite."),
            (hole(-np.inf), "dependent attribute 2 of the protected file is not finite."),
            (Release(RECORDS.tolist()), "returned a list, but"),
            (Release(RECORDS, [1.0]), "what it tells as facts is a list but must be a mapping of names to numbers."),
            (Release(RECORDS, {"found": SECRET}), "what it tells as facts has a str for found but must have a"),
            (Release(RECORDS, {"found": RECORDS}), "what it tells as facts has a ndarray for found but must have a"),
            (Release(RECORDS, {"found": True}), "what it tells as facts has a bool for found but must have a"),
            (Release(RECORDS, {"found": 1j}), "what it tells as facts has a complex for found but must have a"),
            (Release(RECORDS, {7: 1.0}), "what it tells as facts has a name that is not made of letters"),
            (Release(RECORDS, {SECRET: 1.0}), "what it tells as facts has a name that is not made of letters"),
        ],
    )  # fmt: skip
    def test_is_refused_in_one_sentence(self, add, returned, message):
        add(METHODS, lambda dependent, independent, rng: returned)
        with pytest.raises(SdclabError) as caught:
            release()
        assert str(caught.value).startswith(f"method fake: {message}")
        assert SECRET not in str(caught.value)

    def test_a_column_is_named_if_it_has_a_name(self, add):
        add(METHODS, lambda dependent, independent, rng: hole(np.inf))
        with pytest.raises(SdclabError, match="method fake: column tax of the protected file is not finite"):
            release(("income", "tax"))

    @pytest.mark.parametrize("kind", [float, np.float32, int, np.uint16])
    def test_numbers_of_any_kind_will_do(self, add, kind):
        add(METHODS, lambda dependent, independent, rng: Release(dependent.astype(kind), {"a": kind(3), "b": np.nan}))
        made = release()
        assert made.values.dtype == float
        np.testing.assert_array_equal(made.values, RECORDS.astype(kind))
        assert made.facts["a"] == 3

    def test_a_method_that_writes_into_its_arguments_leaves_the_originals_alone(self, add):
        def protect(dependent, independent, rng):
            dependent[:] = 0
            return dependent

        add(METHODS, protect)
        before = RECORDS.copy()
        assert not release().values.any()
        np.testing.assert_array_equal(RECORDS, before)

    @pytest.mark.parametrize("name", ["seed", "fingerprint", "dataset_kind", "processor"])
    def test_a_fact_cannot_pass_for_provenance(self, add, name):
        add(METHODS, lambda dependent, independent, rng: Release(dependent, {name: 1.0}))
        dataset = Dataset("mine", "own", "mine.csv", ("a", "b"), RECORDS)
        with pytest.raises(SdclabError, match=f"calls a number {name}, but every row has such a column"):
            cells.run(Cell("s", "S", "fake"), Scenario("S", "mine", ("a", "b")), dataset, {})


class TestWhatAMeasureReturns:
    @pytest.mark.parametrize(
        ("returned", "message"),
        [
            (None, "what it returned is a NoneType but must be a mapping of names to numbers."),
            (3.0, "what it returned is a float but must be a mapping of names to numbers."),
            ({"loss": SECRET}, "what it returned has a str for loss but must have a number."),
            ({"loss": RECORDS[0]}, "what it returned has a ndarray for loss but must have a number."),
            ({SECRET: 1.0}, "what it returned has a name that is not made of letters, digits and underscores."),
        ],
    )
    def test_is_refused_in_one_sentence(self, add, returned, message):
        add(MEASURES, lambda original, protected, independent: returned)
        with pytest.raises(SdclabError) as caught:
            measures.measure("fake", RECORDS, RECORDS, RECORDS[:, :0])
        assert str(caught.value) == f"measure fake: {message}"

    def test_it_cannot_change_what_others_measure(self, add):
        def measure(original, protected, independent):
            original[:] = protected[:] = 0
            return {}

        add(MEASURES, measure)
        before = RECORDS.copy()
        measures.measure("fake", RECORDS, RECORDS, RECORDS[:, :0])
        np.testing.assert_array_equal(RECORDS, before)

    def test_numbers_of_any_kind_will_do(self, add):
        returned = {"a": 1, "b": np.float32(2), "c": np.int64(3), "d": float("nan")}
        add(MEASURES, lambda original, protected, independent: returned)
        assert measures.measure("fake", RECORDS, RECORDS, RECORDS[:, :0]) == returned


def fails(error: BaseException) -> Callable:
    def protect(dependent, independent, rng):
        raise error

    return protect


class TestWhatAnErrorSays:
    @pytest.mark.parametrize("error", [ValueError(SECRET), KeyError(SECRET), SystemExit(SECRET), MemoryError(SECRET)])
    def test_is_its_kind_alone(self, add, error):
        add(METHODS, fails(error))
        with pytest.raises(SdclabError) as caught:
            release()
        assert str(caught.value) == f"method fake: stopped with {type(error).__name__}."
        assert caught.value.__cause__ is error  # for whoever debugs it

    def test_its_trail_tells_lines_of_code_and_no_words(self, add):
        add(METHODS, fails(ValueError(SECRET)))
        with pytest.raises(SdclabError) as caught:
            release()
        told = trail(caught.value)
        line = traceback.extract_tb(caught.value.__cause__.__traceback__)[-1].lineno
        assert told[-2:] == [f"{__file__}:{line} in protect", "ValueError"]
        assert SECRET not in " ".join(told)

    def test_a_foreseen_error_needs_no_trail(self):
        error = SdclabError("two")
        error.__cause__ = SdclabError("one")
        assert (reason(error), trail(error)) == ("two", [])

    @pytest.mark.parametrize(
        "error", [ValueError(SECRET), SdclabError("column tax is bad.")], ids=["unforeseen", "foreseen"]
    )
    def test_a_job_ends_with_one_line_and_no_record(self, tmp_path, monkeypatch, capfd, error):
        monkeypatch.syspath_prepend(str(PROJECT / "scripts"))
        from job import job

        task = Task(str(tmp_path), "data/x", (), {}, {})
        with (
            pytest.raises(SystemExit) as caught,
            job(SimpleNamespace(log=[str(tmp_path / "log")], params=SimpleNamespace(task=task))),
        ):
            raise error
        out, err = capfd.readouterr()
        log = (tmp_path / "log").read_text()
        assert (caught.value.code, out, err) == (1, "", f"sdclab: {reason(error)}\n")
        assert log.startswith(reason(error))
        assert (f"{__file__}:" in log) == isinstance(error, ValueError)
        assert SECRET not in log
        assert not task.record.exists()
