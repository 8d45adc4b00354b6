"""The search for a reading, on planted cells: it is found, held out, and known from luck."""

import numpy as np
import pytest
from test_scorecard import TOLERANCE, study_with

from sdclab.evidence.multiverse import (
    axis_lines,
    by_table,
    explored,
    markdown,
    number_lines,
    reading_lines,
    sentence,
    summary,
)
from sdclab.evidence.published import Published
from sdclab.evidence.scorecard import judge
from sdclab.experiment.cell import REFUSED, Cell
from sdclab.experiment.limits import UNLIMITED
from sdclab.experiment.multiverse import parse_multiverse
from sdclab.experiment.table import parse_tables

STEPS = range(2, 16)
SPEC = {"title": "T", "scenario": "S", "keys": ["method", "c"], "quantities": ["pil"], "published": "x_2009_table1"}
TABLE = parse_tables("s", {"t": SPEC}, {}, "s.yaml")["t"]
AXES = {
    "start": {"sets": "method.fcrm.start", "options": ["x", "y", "both"], "default": "x", "open": "", "after": ["x"]},
    "scale": {"sets": "method.fcrm.scale", "options": ["raw", "z", "minmax"], "default": "raw", "open": ""},
    "twice": {"sets": "times", "options": {"once": 1, "twice": 2}, "default": "once", "open": ""},
}
GIVEN = {"title": "T", "table": "t", "replicates": 2, "at_most": 50, "quantities": {"pil": {"pil": 1}}, "axes": AXES}
PLANTED = {"start": "y", "scale": "z", "twice": "twice"}


def multiverse(**changes):
    return parse_multiverse("s", "m", {**GIVEN, **changes}, {"t": TABLE}, ["pil"], UNLIMITED)


def world(rng, right=True, **changes):
    """Cells that are noise, two replicates each, and print that follows one reading of them, or nothing."""
    verse = multiverse(**changes)
    bases = [Cell("s", "S", "fcrm", {"c": c}, 2) for c in STEPS]
    rows, values = [], {}
    for cell in verse.cells(bases):
        values[cell.name] = rng.uniform(10, 40)
        rows += [{"cell": cell.name, "pil": repr(values[cell.name] + d), "dataset_kind": "original"} for d in (-1, 1)]
    printed = [2 * values[verse.cell(base, PLANTED).name] + rng.normal(0, 0.2) for base in bases]
    if not right:
        printed = rng.uniform(10, 80, len(bases)).tolist()
    published = tuple(
        {"method": "fcrm", "c": str(c), "pil": f"{value:.2f}"} for c, value in zip(STEPS, printed, strict=True)
    )
    return explored(verse, bases, Published("x_2009_table1", ("method", "c", "pil"), published), rows)[0]


class TestAPlantedReading:
    @pytest.fixture
    def found(self, rng):
        return world(rng)

    def test_is_the_nearest_of_all(self, found):
        line = summary(found)
        assert line["best"] == "start=y, scale=z, twice=twice"
        assert (line["readings"], line["computed"], line["rows"]) == (18, 18, 14)
        assert line["best_distance"] < 0.5 < line["default_distance"]
        nearest = reading_lines(found)[0]
        assert {name: nearest[name] for name in PLANTED} == PLANTED

    def test_is_chosen_by_either_half_and_holds_on_the_other(self, found):
        line = summary(found)
        assert line["chosen_on_first_half"] == line["chosen_on_second_half"] == line["best"]
        assert line["distance_held_out"] < 0.5

    def test_is_no_luck(self, found):
        line = summary(found)
        assert line["p_value"] == pytest.approx(1 / (1 + line["permutations"]))
        assert line["permutations"] >= 200
        assert line["luck"] > 5

    def test_earns_a_verdict_by_a_reading_that_was_chosen_without_the_number(self, found):
        """The default reading differs everywhere; half of the rows tell the other half."""
        lines = [{key: str(value) for key, value in line.items()} for line in number_lines(found)]
        held_out = by_table([found.multiverse], [lines])["s", "t"]
        rows = [
            {
                "cell": place.base.name,
                **place.row,
                "pil_published": place.row["pil"],
                "pil": "0.0",
                "pil_sd": "0.1",
                "replicates": "2",
                "dataset_kind": "original",
            }
            for place in found.places
        ]
        study = study_with([{**TOLERANCE, "tolerance": 1}])
        judged = judge(study, TABLE, rows, held_out)
        assert {line.verdict for line in judged} == {"differs"}
        assert {line.held_out_verdict for line in judged} <= {"close", "exact"}
        assert {line.readings for line in judged} == {18}

    def test_is_told_in_words(self, found):
        text = markdown([found], "All of it")
        assert "18 readings of 14 published numbers" in text
        assert sentence({key: str(value) for key, value in summary(found).items()}) in text


def test_what_few_rows_leave_blank_is_told_as_not_defined(rng):
    line = summary(world(rng)) | {"distance_held_out": "", "p_value": ""}  # as a table of it has them
    assert sentence(line).endswith("and (not defined) on the other half.")
    assert "in (not defined) % of" in sentence(line)


def test_where_there_is_nothing_to_find_the_choice_does_not_hold(rng):
    line = summary(world(rng, right=False))
    assert line["p_value"] > 0.01
    assert line["distance_held_out"] > 10  # print lies between 10 and 80


def test_an_axis_that_matters_decides_and_one_that_does_not_does_not(rng):
    """Print is twice what any cell says, whatever the start."""
    verse = multiverse()
    bases = [Cell("s", "S", "fcrm", {"c": c}) for c in STEPS]
    rows = [
        {"cell": cell.name, "dataset_kind": "original", "pil": str(cell.parameters["c"] + rng.normal(0, 0.1))}
        for cell in verse.cells(bases)
    ]
    printed = tuple({"method": "fcrm", "c": str(c), "pil": str(2 * c)} for c in STEPS)
    (found,) = explored(verse, bases, Published("x_2009_table1", ("method", "c", "pil"), printed), rows)
    decides = {line["axis"]: line["decides"] for line in axis_lines(found)}
    assert decides["twice"] > 0.99
    assert decides["start"] < 0.01
    best = {line["option"]: line["least"] for line in axis_lines(found) if line["axis"] == "twice"}
    assert best["twice"] < 0.5 < best["once"]


def test_what_cannot_be_computed_is_never_the_nearest(rng):
    """A cell that was refused, a column that is not there: the reading is counted, and not computed."""
    verse = multiverse(axes={"scale": AXES["scale"]})
    bases = [Cell("s", "S", "fcrm", {"c": c}) for c in STEPS]
    rows = [
        {"cell": cell.name, "dataset_kind": "original", "pil": str(cell.parameters["c"]), REFUSED: ""}
        for cell in verse.cells(bases)
    ]
    broken = verse.cell(bases[3], {"scale": "raw"}).name
    rows = [{**row, "pil": "", REFUSED: "singular"} if row["cell"] == broken else row for row in rows]
    printed = tuple({"method": "fcrm", "c": str(c), "pil": str(c)} for c in STEPS)
    (found,) = explored(verse, bases, Published("x_2009_table1", ("method", "c", "pil"), printed), rows)
    assert not np.isfinite(found.distances[0])
    line = summary(found)
    assert (line["computed"], line["best"]) == (2, "scale=z")


def test_distances_may_be_those_of_logarithms(rng):
    """Twice as much is as far as half as much."""
    verse = multiverse(
        axes={"twice": {**AXES["twice"], "options": {"half": 0.5, "twice": 2}, "default": "half"}}, logarithmic=["pil"]
    )
    bases = [Cell("s", "S", "fcrm", {"c": c}) for c in STEPS]
    rows = [
        {"cell": cell.name, "dataset_kind": "original", "pil": str(cell.parameters["c"])} for cell in verse.cells(bases)
    ]
    printed = tuple({"method": "fcrm", "c": str(c), "pil": str(c)} for c in STEPS)
    (found,) = explored(verse, bases, Published("x_2009_table1", ("method", "c", "pil"), printed), rows)
    assert found.distances.tolist() == pytest.approx([np.log(2)] * 2)


def test_rows_that_differ_in_the_last_key_alone_belong_together(rng):
    assert set(world(rng).groups) == {("fcrm",)}
