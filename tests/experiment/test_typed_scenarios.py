"""Scenarios with types: releases fit their domains, and methods that do not take the types are refused or left out."""

import copy
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from conftest import SCHEMAS
from samples import mixed

from sdclab.base.errors import SdclabError
from sdclab.experiment.cell import REFUSED, Cell, refusals, releases, run_all
from sdclab.experiment.data import read
from sdclab.experiment.file import prepare
from sdclab.experiment.scenario import Rotation
from sdclab.experiment.study import load
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.roles import Roles
from sdclab.output.plots import PLOTS

THYROID = {"dataset": "thyroid", "dependent": ["age", "TSH", "sick"], "independent": ["sex", "FTI"]}
STUDY = {
    "study": "s",
    "title": "S",
    "scenarios": {"raw": THYROID, "typed": {**THYROID, "typed": True}},
    "measures": {"pil": {}},
    "replicates": 1,
    "grid": [{"method": "mdav", "parameters": {"k": 5}}],
}


@pytest.fixture
def study(here, entries):
    """The study with one entry more, or another value; loaded."""

    def study(path=(), value=None, **more):
        given = {**copy.deepcopy(STUDY), **more}
        *parts, last = path or ("title",)
        target = given
        for part in parts:
            target = target[part]
        target[last] = value if path else "S"
        Path("s.yaml").write_text(yaml.safe_dump(given))
        return load(Path("s.yaml"), SCHEMAS / "study.schema.yaml", entries, PLOTS)

    return study


def as_read(scenario, dataset):
    dataset.write(Path("d.csv"), Path("d.json"))
    return read(scenario, Path("d.csv"), Path("d.json"))


def test_a_scenario_of_the_manifest_is_raw_unless_it_says_otherwise(study, dataset):
    raw, typed = (study().scenarios[name] for name in ("raw", "typed"))
    assert raw.types is None
    assert raw.attributes(as_read(raw, dataset("thyroid"))) is None
    known = typed.attributes(as_read(typed, dataset("thyroid")))
    assert [each.type for each in known.dependent] == ["count", "continuous", "nominal"]
    assert [each.type for each in known.independent] == ["nominal", "continuous"]
    assert known.dependent[2].categories == ("0", "1")


@pytest.mark.parametrize(("method", "parameters"), [("mdav", {"k": 5}), ("synthetic", {}), ("hybrid_micro", {"k": 20})])
def test_typed_releases_fit_their_domains_and_raw_ones_do_not(study, dataset, method, parameters):
    scenarios, cell = study().scenarios, Cell("s", "any", method, parameters)
    part = dataset("thyroid").head(600)
    known = part.with_values("stand-in", "test", np.maximum(part.values, 0))  # a replica has negative values

    def released(name):
        data = as_read(scenarios[name], known)
        splits = list(scenarios[name].splits(data, {}))
        ((_, made),) = releases(cell, scenarios[name], splits, 7, scenarios[name].attributes(data))
        return made.values

    age, tsh, sick = released("typed").T
    assert np.array_equal(age, np.round(age))
    assert np.array_equal(tsh, np.round(tsh, 3))  # TSH has at most three decimals
    assert min(age.min(), tsh.min()) >= 0
    assert set(sick) <= {0, 1}
    assert not np.array_equal(released("raw")[:, 0], np.round(released("raw")[:, 0]))


def test_its_own_types_go_before_those_of_the_manifest(study, dataset):
    found = study(("scenarios", "raw", "types"), {"age": {"low": -999}, "sick": "ordinal"}).scenarios["raw"]
    age, tsh, sick = found.attributes(as_read(found, dataset("thyroid"))).dependent
    assert (age.low, tsh.type, sick.type) == (-999, "continuous", "ordinal")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("scenarios", "typed", "types"), {"ag": "count"}, "scenarios.typed.types: unknown column 'ag': did you"),
        (("scenarios", "typed", "types"), {"age": "whole"}, "scenarios.typed.types: age: unknown type 'whole'"),
        (("scenarios", "typed", "types"), {"age": 3}, "scenarios.typed.types.age is 3 but must be of type"),
        (("scenarios", "typed", "typed"), "yes", "scenarios.typed.typed is 'yes' but must be of type boolean"),
        (
            ("scenarios", "raw"),
            {**THYROID, "typed": False, "types": {"age": "count"}},
            "scenarios.raw: typed is false, but it has types",
        ),
        (
            ("scenarios", "raw"),
            {"dataset": "thyroid", "rotate": ["age", "TSH"], "typed": True},
            "scenarios.raw: rotates numbers as they are, so it cannot be typed",
        ),
        (
            ("grid",),
            [{"method": "noise", "parameters": {"p": 0.1}, "scenarios": ["typed"]}],
            "s.yaml: grid: method noise: takes continuous and count attributes, but sick is nominal",
        ),
        (
            ("grid",),
            [{"method": "pram", "parameters": {"p": 0.9}, "scenarios": ["typed"]}],
            "s.yaml: grid: method pram: takes nominal and ordinal attributes, but age is count",
        ),
    ],
)  # fmt: skip
def test_a_slip_is_named_before_anything_runs(study, path, value, message):
    with pytest.raises(SdclabError, match=re.escape(message)):
        study(path, value)


def test_raw_scenarios_take_every_method(study):
    grid = [{"method": "noise", "parameters": {"p": 0.1}, "scenarios": ["raw"]}]
    assert [cell.method for cell in study(("grid",), grid).cells] == ["noise"]


class TestOwnFiles:
    def own(self, study, **more):
        mixed().to_csv("in.csv", index=False)
        spec = {"dataset": "mine", "dependent": ["region", "wage"], "independent": ["children"], **more}
        grid = [{"method": "noise", "parameters": {"p": [0.1, 0.2]}}, {"method": "mdav", "parameters": {"k": 3}}]
        return study(datasets={"mine": {"file": "in.csv"}}, scenarios={"mine": spec}, grid=grid)

    def test_are_typed_and_may_not_be_otherwise(self, study):
        assert self.own(study).scenarios["mine"].types == {}
        with pytest.raises(SdclabError, match=r"scenarios.mine: typed is false, but a file of one's own is typed"):
            self.own(study, typed=False)

    def test_a_method_that_does_not_take_their_types_is_left_out_with_the_reason(self, study):
        found = self.own(study)
        scenario = found.scenarios["mine"]
        table = Microdata("in.csv", mixed())
        data = prepare(table, Roles(table.columns, ())).dataset
        rows = run_all(found.cells, scenario, data, {"pil": {}}, "code")
        assert [(row["cell"], "pil" in row) for row in rows] == [
            ("mine/noise/p=0.1", False),
            ("mine/noise/p=0.2", False),
            ("mine/mdav/k=3", True),
        ]
        why = "method noise: takes continuous and count attributes, but region is nominal."
        assert [row.get(REFUSED) for row in rows] == [why, why, None]
        assert refusals(rows) == [f"scenario mine: {why}"]
        shared = {"study", "dataset_kind", "fingerprint", "code", "versions", "processor"}
        assert {key: rows[0][key] for key in shared} == {key: rows[2][key] for key in shared}


def test_a_rotation_stays_raw(study):
    grid = [{"method": "mdav", "parameters": {"k": 5, "n_independent": 1}}]
    scenarios = {"R": {"dataset": "thyroid", "rotate": ["age", "TSH", "T3"]}}
    found = study(scenarios=scenarios, grid=grid).scenarios["R"]
    assert isinstance(found, Rotation)
    assert found.types is None


def test_a_cell_of_numbers_and_text_tells_both_terms_of_the_loss_and_counts_anonymity(study, dataset):
    """Adult with its taxonomies, from the manifest to the row of a cell."""
    scenario = {"dataset": "adult_mixed", "dependent": ["age", "hours-per-week", "workclass", "sex"], "typed": True}
    given = {"scenarios": {"mixed": scenario}, "grid": [{"method": "k_member", "parameters": {"k": 5}}]}
    mixed = study(**given).scenarios["mixed"]
    records = as_read(mixed, dataset("adult_mixed").head(400))
    cells = [
        Cell("s", "mixed", method, {"k": 5, "categories": "generalised", **more}, 1)
        for method, more in (("k_member", {}), ("fuzzy_hybrid", {"strict": True}))
    ]
    crisp, hybrid = run_all(cells, mixed, records, {"information_loss": {}}, "")
    for row in (crisp, hybrid):
        assert row["information_loss"] == pytest.approx(
            row["information_loss_numbers"] + row["information_loss_categories"]
        )
        assert row["information_loss_categories"] > 0
        assert row["below_k"] == row["below_k_released"] == 0
        assert row["smallest_class_released"] >= row["smallest_class"] >= 5
    assert crisp["information_loss_categories"] == pytest.approx(crisp["cluster_loss_categories"])
