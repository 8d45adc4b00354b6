"""Labels on a map: beside their points, on nothing else."""

import numpy as np
import pandas as pd
import pytest

from sdclab.methods import METHODS
from sdclab.output.labels import Label, place
from sdclab.output.plots import choices
from sdclab.output.style import Figure  # the look of all figures, and with it the layout


def drawn(points, labels, line=False):
    figure = Figure(figsize=(6, 5))
    axes = figure.add_subplot()
    axes.plot(*np.transpose(points), "o-" if line else "o")
    axes.set(xlim=(0, 10), ylim=(0, 10))
    place(figure, axes, labels)
    figure.draw_without_rendering()
    boxes = [np.array(text.get_window_extent().extents) for text in axes.texts if text.get_text()]
    return axes, boxes


def covers(box, points):
    return ((points >= box[:2]) & (points <= box[2:])).all(axis=1).any()


@pytest.mark.parametrize("seed", range(5))
def test_cover_no_point_no_other_label_and_no_edge(seed):
    points = np.random.default_rng(seed).uniform(0.2, 9.8, (15, 2))
    axes, boxes = drawn(points, [Label(f"method k={i}", *point) for i, point in enumerate(points)])
    assert len(boxes) == len(points)
    pixels, room = axes.transData.transform(points), axes.get_window_extent().extents
    for i, box in enumerate(boxes):
        assert not covers(box, pixels)
        assert (box[:2] >= room[:2]).all()
        assert (box[2:] <= room[2:]).all()
        assert all((box[:2] >= other[2:]).any() or (box[2:] <= other[:2]).any() for other in boxes[:i])


def test_stand_to_the_upper_right_where_there_is_room():
    axes, (box,) = drawn([(5, 5)], [Label("here", 5, 5)])
    x, y = axes.transData.transform((5, 5))
    assert x < box[0] < x + 20
    assert y < box[1] < y + 20


def test_keep_clear_of_a_curve():
    line = [(1, 1), (5, 5), (9, 9)]
    axes, (box,) = drawn(line, [Label("in the middle", 5, 5)], line=True)
    along = axes.transData.transform(np.linspace((1, 1), (9, 9), 1000))
    assert not covers(box, along)


def test_are_led_to_where_they_must_stand_apart():
    crowd = [(5 + 0.25 * i, 5 + 0.25 * j) for i in range(-3, 4) for j in range(-3, 4)]
    axes, _ = drawn(crowd, [Label("in the crowd", 5, 5)])
    assert [text.get_text() for text in axes.texts] == ["in the crowd", ""]
    assert axes.texts[1].arrow_patch is not None


def test_every_line_of_a_map_is_labelled_at_its_ends_also_where_colours_are_used_twice():
    rows = [(name, f"k={i}{j}", 10.0 * j + i, 5.0 * i) for i, name in enumerate([*METHODS][:12]) for j in range(1, 4)]
    table = pd.DataFrame(rows, columns=["method", "parameters", "pil", "dr"]).assign(copy=0.0, dataset_kind="own")
    axes = choices.draw({"map": table}, None, title="A map").axes[0]
    written = {text.get_text() for text in axes.texts}
    assert {f"k={i}{j}" for i in range(12) for j in (1, 3)} <= written
    assert not any(f"k={i}2" in written for i in range(12))
