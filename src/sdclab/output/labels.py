"""Labels beside their points that cover neither other points nor curves nor each other, as far as there is room."""

from collections.abc import Iterable, Sequence
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from sdclab.numerics.arrays import Mask, Matrix, Vector


class Label(NamedTuple):
    """A text and its point."""

    text: str
    x: float
    y: float
    colour: str = "black"


SIZE = 7
"""Of the type, in points."""

DIRECTIONS = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
"""Where a label may stand beside its point; of equally good places the first is taken."""

GAPS = {4: 0.0, 16: 3.0, 28: 5.0, 44: 7.0}
"""How far from its point, in points, and what that costs; a place on a curve that is covered costs 1."""

LED = 10
"""From this gap on a line leads from a point to its label."""

POINT, TEXT, EDGE = 5.0, 20.0, 100.0
"""What it costs to cover a point or another label, or to reach over an edge."""

STEP = 3
"""Pixels between the places of a curve that a label may not cover."""

MARKER = 3
"""Half the size of a marker, in points."""


def place(figure: Figure, axes: Axes, labels: Sequence[Label]) -> None:
    """Write the labels. All that they must not cover has been drawn, and the limits of the axes are final."""
    figure.draw_without_rendering()  # settles the layout, and with it where points are on the page
    unit = figure.dpi / 72
    room = _extents(axes) + np.array([1, 1, -1, -1]) * MARKER * unit
    drawn, weights = _drawn(axes)
    boxes = [_extents(text) for text in axes.texts]
    for text, x, y, colour in labels:
        label = axes.annotate(text, (x, y), (0, 0), textcoords="offset points", fontsize=SIZE, color=colour)
        extents = _extents(label)
        point, extent = axes.transData.transform((x, y)), extents[2:] - extents[:2]
        best = np.inf
        for gap, direction in product(GAPS, DIRECTIONS):
            corner = _corner(direction, gap * unit, extent)
            tried = np.concatenate([point + corner, point + corner + extent])
            cost = GAPS[gap] + weights[_inside(drawn, tried, MARKER * unit)].sum() + _clashes(tried, boxes, room)
            if cost < best:
                best, box, offset, led = cost, tried, corner / unit, gap >= LED
        boxes.append(box)
        label.set_position((float(offset[0]), float(offset[1])))
        if led:
            _lead(axes, label, np.clip(0, offset, offset + extent / unit))


def _extents(artist: Artist) -> Vector:
    """Left, lower, right and upper edge in pixels."""
    return np.array(artist.get_window_extent().extents)


def _corner(direction: tuple[int, int], gap: float, extent: Vector) -> Vector:
    """The lower left corner of a text of some extent, relative to its point."""
    towards = np.array(direction, dtype=float)
    return towards * gap + (towards - 1) / 2 * extent


def _inside(places: Matrix, box: Vector, margin: float) -> Mask:
    return np.logical_and.reduce((places >= box[:2] - margin) & (places <= box[2:] + margin), axis=1)


def _clashes(box: Vector, boxes: Iterable[Vector], room: Vector) -> float:
    """What it costs that a label covers others, or reaches over an edge."""
    covered = sum(bool((box[:2] < other[2:]).all() and (box[2:] > other[:2]).all()) for other in boxes)
    outside = (box[:2] < room[:2]).any() or (box[2:] > room[2:]).any()
    return TEXT * covered + EDGE * bool(outside)


def _drawn(axes: Axes) -> tuple[Matrix, Vector]:
    """Where points and curves are, in pixels, and what it costs to cover each place."""
    places, costs = [np.empty((0, 2))], [np.empty(0)]
    for line in axes.lines:
        if line.get_zorder() <= 0:  # a mere guide
            continue
        points = axes.transData.transform(np.asarray(line.get_xydata(), dtype=float).reshape(-1, 2))
        points = points[np.isfinite(points).all(axis=1)]
        steps = [_steps(a, b) for a, b in pairwise(points)] if line.get_linestyle() != "None" else []
        marked = POINT if line.get_marker() != "None" else 0.0
        places += [points, *steps]
        costs += [np.full(len(points), marked), *(np.ones(len(each)) for each in steps)]
    for scattered in axes.collections:
        if isinstance(scattered, PathCollection):
            places.append(axes.transData.transform(np.asarray(scattered.get_offsets(), dtype=float)))
            costs.append(np.full(len(places[-1]), POINT))
    return np.concatenate(places), np.concatenate(costs)


def _steps(a: Vector, b: Vector) -> Matrix:
    count = int(np.hypot(*(b - a)) / STEP) + 1
    return a + np.linspace(0, 1, count)[:, None] * (b - a)


def _lead(axes: Axes, label: Annotation, end: Vector) -> None:
    """A thin line from the edge of a label, given relative to its point, to the point."""
    look = {"arrowstyle": "-", "lw": 0.4, "shrinkA": 0, "shrinkB": MARKER}
    axes.annotate("", label.xy, tuple(end), textcoords="offset points", arrowprops=look)
