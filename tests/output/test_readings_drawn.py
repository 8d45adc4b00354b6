"""Figures of a multiverse: what is drawn is what the tables say."""

import numpy as np
import pandas as pd
import pytest

from sdclab.output.plots import PLOTS
from sdclab.output.plots.specification_curve import MOST

OPTIONS = {"dependents": ("separate", "joint"), "scale": ("raw", "z")}


def tables(count=4):
    """Readings of two quantities; pil is near where dependents are separate, dr where they are joint."""
    combined = [(dependents, scale) for dependents in OPTIONS["dependents"] for scale in OPTIONS["scale"]]
    lines = []
    for quantity, near in (("pil", "separate"), ("dr", "joint")):
        readings = [
            {"dependents": a, "scale": b, "extra": i, "distance": (1.0 if a == near else 30.0) + i / 10 + (b == "z")}
            for i in range(count // 4)
            for a, b in combined
        ]
        readings.sort(key=lambda line: line["distance"])
        lines += [
            {
                "quantity": quantity,
                "rank": rank,
                **line,
                "default": "yes"
                if (line["dependents"], line["scale"], line["extra"]) == ("separate", "raw", 0)
                else "",
            }
            for rank, line in enumerate(readings, 1)
        ]
    axes = [
        {
            "quantity": quantity,
            "axis": axis,
            "decides": 0.9 if axis == "dependents" else 0.1,
            "option": option,
            "default": "yes" if option in ("separate", "raw") else "",
            "after": "yes" if option == "z" else "",
        }
        for quantity in ("pil", "dr")
        for axis, options in OPTIONS.items()
        for option in options
    ]
    summary = [
        {"quantity": quantity, "luck": 12.5, "scale": "linear", "dataset_kind": "replica"} for quantity in ("pil", "dr")
    ]
    return {"m/readings": pd.DataFrame(lines), "m/axes": pd.DataFrame(axes), "m/summary": pd.DataFrame(summary)}


def line(axes, label):
    return next(each for each in axes.get_lines() if each.get_label() == label)


def test_the_curve_rises_from_the_nearest_and_marks_the_default_and_print():
    figure = PLOTS.get("specification_curve")(tables(), None, title="T", quantity="dr")
    assert "data: replica" in figure.get_suptitle()
    above, below = figure.axes
    assert line(above, "a reading").get_ydata().tolist() == pytest.approx([1, 2, 30, 31])
    assert line(above, "the default").get_xydata().tolist() == [[3, 30]]
    assert set(line(above, "as published").get_ydata()) == {0}
    assert set(line(above, "the nearest, to shuffled print").get_ydata()) == {12.5}
    labels = [text.get_text() for text in below.get_yticklabels()]
    assert labels == ["dependents (90 %): separate", "dependents: joint", "scale (10 %): raw", "scale: z*"]
    bars = [each.get_xdata() for each in below.get_lines() if len(each.get_xdata()) > 2]
    assert [x[np.isfinite(x)].tolist() for x in bars] == [
        [2.5, 4.5],
        [0.5, 2.5],
        [0.5, 1.5, 2.5, 3.5],
        [1.5, 2.5, 3.5, 4.5],
    ]


def test_of_many_readings_evenly_spaced_ones_are_drawn_the_nearest_and_the_farthest_among_them():
    figure = PLOTS.get("specification_curve")(tables(800), None, title="T", quantity="pil")
    drawn = line(figure.axes[0], "a reading").get_xdata()
    assert len(drawn) == MOST
    assert (drawn[0], drawn[-1]) == (1, 800)
    assert f"800 readings, {MOST} of them drawn" in figure.get_suptitle()


def test_where_nothing_could_be_computed_the_figure_says_so():
    given = tables()
    given["m/readings"]["distance"] = np.inf
    figure = PLOTS.get("specification_curve")(given, None, title="T", quantity="pil")
    assert "no reading could be computed" in figure.get_suptitle()


def test_a_reading_that_explains_neither_is_far_from_the_origin_in_both():
    figure = PLOTS.get("distances")(tables(), None, title="T", x="pil", y="dr")
    assert "data: replica" in figure.get_suptitle()
    (axes,) = figure.axes
    for option, places in (("separate", [[1, 30], [2, 31]]), ("joint", [[30, 1], [31, 2]])):
        np.testing.assert_allclose(sorted(line(axes, f"dependents: {option}").get_xydata().tolist()), places)
    assert line(axes, "the default").get_xydata().tolist() == [[1, 30]]
