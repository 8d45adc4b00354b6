"""Readings as data: axes, their product, and the cells and measures that it needs."""

import copy

import pytest
from conftest import PROJECT, SCHEMAS
from tiny import MULTIVERSE, STUDY

from sdclab.base.errors import SdclabError
from sdclab.experiment.cell import REFUSED, Cell, releases, run_all
from sdclab.experiment.limits import UNLIMITED, Limits
from sdclab.experiment.multiverse import parse_multiverse
from sdclab.experiment.options import MeasuresByKind
from sdclab.experiment.scenario import Scenario
from sdclab.experiment.study import load
from sdclab.experiment.table import parse_tables
from sdclab.microdata import manifest
from sdclab.microdata.dataset import Dataset
from sdclab.output.plots import PLOTS

TABLES = parse_tables("tiny", STUDY["tables"], {}, "tiny.yaml")
SUBJECT = {
    "dependents": {"sets": "method.fcrm.dependents", "options": ["separate", "joint"]},
    "place": {"sets": "scenario", "options": {"here": {}, "there": {"S": "T"}}},
    "twice": {"sets": "times", "options": {"once": 1, "twice": 2}},
    "average": {"sets": "number", "options": {"mean": "", "median": "_median"}},
    "window": {"sets": "measure.interval.window", "options": ["sd", "rank"]},
}

ONE = {"options": [1], "default": 1, "open": ""}


def parsed(limits=UNLIMITED, **changes):
    return parse_multiverse("tiny", "m", {**copy.deepcopy(MULTIVERSE), **changes}, TABLES, ["pil", "dbrl"], limits)


def axes(*names, **more):
    found = {name: {**SUBJECT[name], "open": "not said"} for name in names}
    return {name: {"default": next(iter(each["options"])), **each} for name, each in found.items()} | more


def test_a_quantity_has_the_axes_that_can_change_it():
    made = parsed(axes=axes("dependents", "window", "average", "twice"))
    assert [axis.name for axis in made.axes_of("pil")] == ["dependents", "twice"]
    assert [axis.name for axis in made.axes_of("dr")] == ["dependents", "window", "twice"]
    assert len(made.readings("dr")) == 8
    spoken = parsed(axes=axes("average"), quantities={"pil": {"pil{average}": 1}})
    assert [axis.name for axis in spoken.axes_of("pil")] == ["average"]


def test_an_axis_may_be_for_some_quantities_only():
    given = axes("dependents")
    made = parsed(axes={"dependents": {**given["dependents"], "only": ["dr"]}})
    assert (len(made.readings("pil")), len(made.readings("dr"))) == (1, 2)


def test_what_is_excluded_is_left_out():
    made = parsed(axes=axes("dependents", "window"), exclude=[{"dependents": "joint", "window": ["rank"]}])
    assert len(made.readings("dr")) == 3
    assert len(made.readings("pil")) == 2  # pil knows no window, and has lost nothing


def test_the_default_reading_is_the_cell_that_the_study_has_already():
    made = parsed(axes=axes("dependents", "place"))
    base = Cell("tiny", "S", "fcrm", {"c": 3}, 5)
    assert made.cell(base, {"dependents": "separate", "place": "here"}).name == base.name
    other = made.cell(base, {"dependents": "joint", "place": "there"})
    assert (other.name, other.replicates) == ("T/fcrm/c=3,dependents=joint", 1)
    unmoved = Cell("tiny", "S", "mdav", {"k": 3})
    assert {cell.name for cell in made.cells([base, unmoved])} == {
        *("S/fcrm/c=3", "S/fcrm/c=3,dependents=joint", "T/fcrm/c=3", "T/fcrm/c=3,dependents=joint"),
        *("S/mdav/k=3", "T/mdav/k=3"),
    }


def test_a_measure_is_told_every_option_under_a_name_of_its_own():
    made = parsed(axes=axes("window", "average"), quantities={"dr": {"interval{average}": 2}})
    measured = made.measured(MeasuresByKind({}, {}))
    assert measured.always["interval@window=rank"] == {"window": "rank"}
    assert measured.always["pil"] == {}
    assert made.column("interval{average}", {"window": "rank", "average": "mean"}) == "interval@window=rank"


def test_a_factor_multiplies():
    made = parsed(axes=axes("twice"))
    assert [made.times(reading) for reading in made.readings("pil")] == [1, 2]


def test_a_thinned_run_keeps_the_default():
    options = {"sets": "method.fcrm.c", "options": [2, 3, 4, 5], "default": 3, "open": ""}
    made = parsed(Limits(values=2), axes={"c": options})
    assert list(made.axes[0].options) == ["2", "3", "5"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"axes": axes(a={**SUBJECT["dependents"], "default": "both", "open": ""})}, "unknown option 'both'"),
        (
            {"axes": axes(a={"sets": "metod.fcrm.c", "options": [1], "default": 1, "open": ""})},
            "unknown target 'metod'",
        ),
        ({"axes": axes(a={"sets": "method.fcrm", "options": [1], "default": 1, "open": ""})}, "must name a method"),
        (
            {"axes": axes(a={"sets": "method.fcrm.d", "options": [1], "default": 1, "open": ""})},
            "unknown parameter 'd'",
        ),
        ({"axes": axes(a={"sets": "measure.xy.d", "options": [1], "default": 1, "open": ""})}, "unknown measure 'xy'"),
        ({"axes": {"distance": axes("dependents")["dependents"]}}, "an axis may not be called distance"),
        ({"exclude": [{"kown": "all"}]}, "unknown axis 'kown'"),
        ({"exclude": [{"known": "last"}]}, "exclude: known: unknown option 'last'"),
        ({"exclude": [{"known": ["first", "all"]}]}, "dr has no reading left"),
        ({"exclude": [{"known": "first"}]}, "the default reading of dr is excluded"),
        ({"at_most": 3}, "dr has 4 readings, but at_most allows 3"),
        ({"quantities": {"pil": {"pil_{average}": 1}}}, "unknown axis 'average'"),
        ({"quantities": {"prl": {"prl": 1}}}, "unknown quantity 'prl'"),
        ({"table": "noise"}, "has no published numbers"),
        ({"table": "table2"}, "unknown table 'table2'"),
    ],
)
def test_a_slip_is_one_sentence(changes, said):
    with pytest.raises(SdclabError) as error:
        parsed(**changes)
    assert said in str(error.value)
    assert "study tiny: multiverses.m" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_product_too_large_to_go_through_is_not_gone_through():
    many = {f"a{i}": {"sets": "times", "options": list(range(1, 101)), "default": 1, "open": ""} for i in range(20)}
    with pytest.raises(SdclabError, match="combinations, but at most"):
        parsed(axes=many)


@pytest.mark.parametrize(
    "study", ["cano_torra_2009", "torra_endo_miyamoto_2009", "oganian_domingo_2017", "ahmed_rauf_2016"]
)
def test_the_shipped_multiverses_can_be_run(study):
    """Every cell and measure of every reading is checked as it is loaded."""
    entries = manifest.load(PROJECT / "resources/datasets.yaml", SCHEMAS / "datasets.schema.yaml")
    loaded = load(PROJECT / f"config/studies/{study}.yaml", SCHEMAS / "study.schema.yaml", entries, PLOTS)
    assert loaded.multiverses
    for multiverse in loaded.multiverses.values():
        for axis in multiverse.axes:
            assert len(axis.options) > 1
            assert axis.open


class TestCells:
    """What a multiverse runs, on sixty records."""

    @pytest.fixture
    def data(self, rng):
        values = rng.normal(100, 20, (60, 3)).round(1)
        return Dataset("mine", "original", "test", ("a", "b", "c"), values)

    def test_a_cell_that_cannot_be_is_a_row_that_says_why(self, data):
        scenario = Scenario("S", "mine", ("a", "b"), ("c",))
        cells = [Cell("tiny", "S", "mdav", {"k": k}) for k in (3, 1000)]
        rows = run_all(cells, scenario, data, {"pil": {}}, "", may_fail=True)
        assert [bool(row.get(REFUSED)) for row in rows] == [False, True]
        with pytest.raises(SdclabError, match="cell S/mdav/k=1000"):
            run_all(cells, scenario, data, {"pil": {}}, "")

    def test_a_number_that_does_not_exist_under_an_option_is_missing_alone(self, data):
        scenario = Scenario("S", "mine", ("a", "b"), ("c",))
        measured = {"prl@bins=5": {"bins": 5}, "prl@bins=1": {"bins": 1}}
        (row,) = run_all([Cell("tiny", "S", "mdav", {"k": 3})], scenario, data, measured, "")
        assert 0 <= row["prl@bins=5"] <= 100
        assert "prl@bins=1" not in row

    def test_a_rounded_scenario_has_the_decimals_of_the_file(self, data):
        cell = Cell("tiny", "S", "noise", {"p": 0.1})
        plain, rounded = (
            releases(cell, scenario, [scenario.split(data)], 1)[0][1].values
            for scenario in (Scenario("S", "mine", ("a", "b")), Scenario("S", "mine", ("a", "b"), rounded=True))
        )
        assert (rounded == plain.round(1)).all()
        assert (rounded != plain).any()
