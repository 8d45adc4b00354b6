"""Risk-utility maps: one rule for copies, one for curves."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import PROJECT
from matplotlib.collections import PathCollection

from sdclab.experiment import choice
from sdclab.experiment.cell import Cell
from sdclab.experiment.ranking import remark
from sdclab.measures.copy import copies
from sdclab.output.pages import choice as pages
from sdclab.output.pages import maps, ranking
from sdclab.output.plots import choices, ru_map
from sdclab.output.series import is_curve


def hollow(figure):
    """Which points of a figure are hollow."""
    (points,) = (part for part in figure.axes[0].collections if isinstance(part, PathCollection))
    return [tuple(colour[:3]) == (1, 1, 1) for colour in points.get_facecolors()]


def is_joined(figure, n):
    """Whether a line, no mere guide, runs through n points of a figure."""
    lines = [line for line in figure.axes[0].lines if line.get_zorder() > 0 and line.get_linestyle() != "None"]
    return n > 1 and any(np.isfinite(line.get_xydata()).sum() == 2 * n for line in lines)


def table_of(n, **more):
    """A side-by-side table of n releases of a method, from the safest to the most useful."""
    rows = range(1, n + 1)
    return pd.DataFrame(
        {"method": "mdav", "parameters": "", "c": [float(i) for i in rows], "pil": [10.0 * i for i in rows],
         "dr": [90.0 - 10 * i for i in rows], "pil_sd": 0.0, "dr_sd": 0.0, "pil_published": np.nan,
         "dr_published": np.nan, "dataset_kind": "own", **more}
    )  # fmt: skip


def as_rows(table):
    """As a page reads it from a file: all text, nothing where nothing is."""
    return table.astype(object).where(table.notna(), "").astype(str).to_dict("records")


def test_both_figures_take_the_rule():
    """The map's figure is the own study's: the table brings the crowding along."""
    table = pd.DataFrame(
        {"method": "mdav", "parameters": ["k=3", "k=5"], "pil": [1.0, 2.0], "dr": [2.0, 1.0], "copy": [60.0, 60.0],
         "crowding": [0.0, 40.0], "dataset_kind": "own"}
    )  # fmt: skip
    assert hollow(choices.draw({"t": table}, None, title="")) == [True, False]
    study = yaml.safe_load((PROJECT / "config/studies/own.yaml").read_text())
    assert study["measures"] == choice.MEASURED
    assert {"copy", "crowding", "intact"} <= set(study["tables"]["releases"]["beside"])


@pytest.mark.parametrize("crowding", [0.0, 40.0, 90.0, 90.5])
@pytest.mark.parametrize("above", [-1.0, 0.0, 1.0])
def test_whoever_marks_copies_marks_the_same(crowding, above):
    """At the limit itself nothing is marked, be it in a figure, a ranking or a report; the page names that limit."""
    copied = (100 + crowding) / 2 + above
    marked = above > 0 and crowding <= 90
    numbers = {"copy": copied, "crowding": crowding, "intact": 0.0}
    texts = {key: str(value) for key, value in numbers.items()}  # as a file has them
    assert copies(numbers) is marked
    assert copies(texts) is marked
    assert bool(remark("mdav", numbers)) is marked
    assert bool(ranking._against({"method": "mdav", **texts})) is marked
    table = table_of(1, copy=copied, crowding=crowding)
    labels = [text.get_text() for text in ru_map.draw({"t": table}, None, title="").axes[0].texts]
    assert any("copies" in label for label in labels) is marked
    assert hollow(choices.draw({"t": table}, None, title="")) == [marked]
    said = pages.about_copies(crowding)
    assert ("no release is marked" in said) is (crowding > 90)
    assert (f"if more than {(100 + crowding) / 2:.0f} %" in said) is (crowding <= 90)


def test_what_a_table_does_not_hold_marks_nothing():
    assert not copies({})
    assert not copies({"copy": float("nan"), "crowding": 0.0})
    assert not copies({"copy": 99.0, "crowding": float("nan")})
    assert copies({"copy": "51", "crowding": ""})


@pytest.mark.parametrize(("n", "joined"), [(1, False), (2, False), (3, True), (4, True), (6, True)])
def test_all_maps_join_the_same_points(n, joined):
    """Of the plots one waited for six values, the page for three, and the map of a file joined any two."""
    table = table_of(n)
    assert is_joined(ru_map.draw({"t": table}, None, title=""), n) is joined
    assert ("<polyline" in maps.ru_map(as_rows(table), {}, "")) is joined
    named = table.assign(parameters=[f"c={c:g}" for c in table["c"]], copy=0.0)
    assert is_joined(choices.draw({"t": named}, None, title=""), n) is joined


def test_a_curve_needs_different_numbers():
    assert is_curve(["1", "2.5", 3])
    assert not is_curve(["1", "1.0", 1, "2"])
    assert not is_curve(["planes", "haar", "both", float("nan"), ""])
    for values in ([1, 1, 1, 2], ["planes", "haar", "both", ""]):
        table = table_of(4).assign(c=values)
        assert "<polyline" not in maps.ru_map(as_rows(table), {}, "")
        assert not is_joined(ru_map.draw({"t": table}, None, title=""), 4)


class TestRankingByScenario:
    """Points of two scenarios protect different columns: they are ranked apart, and a cell of two tables once."""

    CELLS = tuple(Cell("own", scenario, "mdav", {"k": k}) for scenario in ("S", "T") for k in (3, 5))

    def ranked(self, scenario):
        rows = [
            {"cell": cell.name, "method": "mdav", "parameters": str(cell), "score": str(score)}
            for cell, score in zip(self.CELLS, (2.0, 1.0, 4.0, 3.0), strict=True)
        ]
        study = SimpleNamespace(name="own", cells=self.CELLS, tables=("first", "second"))
        run = SimpleNamespace(tables={("own", "first"): rows, ("own", "second"): rows[1:]})
        return [float(row["score"]) for row, _ in ranking.ranked(study, scenario, run)]

    def test_each_has_its_own_points(self):
        assert self.ranked("S") == [1, 2]
        assert self.ranked("T") == [3, 4]
