"""Equal up to rounding: the one place that says so, that neither rounding nor the processor decides among equals.

The last bit of a sum depends on the order in which a processor adds, so a gap that is a limit on paper lies on either
side of it. Wherever a comparison decides (a threshold, the nearest, the best), numbers count as equal if they differ
by at most RELATIVE of themselves, or by at most NOISE of the `scale` of the data that they were computed from: 1 for
what is measured in standard deviations or ranges. Of equals the first counts.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector

RELATIVE = 1e-9
"""Numbers that differ by less than this share of themselves are equal."""

NOISE = 1e-12
"""So are those that differ by less than this share of the largest number behind them: that much is lost in sums."""


def slack(values: Any, scale: Any = 1.0) -> Any:
    """How far other numbers may lie from these and still be equal to them."""
    return RELATIVE * np.abs(values) + NOISE * scale


def at_most(values: Any, limit: Any, scale: Any = 1.0) -> Any:
    """Which values do not exceed a limit; one that is equal to it up to rounding does not."""
    return values <= limit + slack(limit, scale)


def difference(a: Any, b: Any) -> Any:
    """a - b, which cannot be negative on paper; 0 where no more than rounding of a is left."""
    left = a - b
    return np.where(left > NOISE * a, left, 0.0)


def smallest_of(values: Sequence[float] | Vector | Matrix, scale: Any = 1.0, axis: int = -1) -> Any:
    """Where the first of the smallest values stands, along an axis."""
    values = np.asarray(values)
    return np.argmax(at_most(values, values.min(axis=axis, keepdims=True), scale), axis=axis)


def largest_of(values: Sequence[float] | Vector | Matrix, scale: Any = 1.0, axis: int = -1) -> Any:
    """Where the first of the largest values stands, along an axis."""
    return smallest_of(-np.asarray(values), scale, axis)


def mean_ranks(values: Vector) -> Vector:
    """The place of every value among all, from 1; those that are the same number share the mean of theirs.

    `scipy.stats.rankdata` tells the same, but every job would wait half a second for its package.
    """
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[which])


def smallest(values: Vector, count: int, scale: float = 1.0) -> Indices:
    """Where the smallest values stand, ties by position: numpy's argpartition would break them as it likes.

    They come by position, but those as large as the largest of them behind the others.
    """
    if count == 0:
        return np.empty(0, dtype=np.intp)
    bound = np.partition(values, count - 1)[count - 1]
    last = np.abs(values - bound) <= slack(bound, scale)
    below = np.flatnonzero((values < bound) & ~last)
    return np.concatenate([below, np.flatnonzero(last)[: count - len(below)]])


def ascending(values: Sequence[float] | Vector) -> Indices:
    """The places of the values from the smallest to the largest, equals by position."""
    return equated(values).argsort(kind="stable")


def equated(values: Sequence[float] | Vector, scale: float | None = None) -> Vector:
    """The values, those that are equal up to rounding replaced by the smallest of them.

    `scale` is the largest of the values if none is given.
    """
    values = np.asarray(values, dtype=float)
    scale = float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) if scale is None else scale
    order = values.argsort(kind="stable")
    ascending = values[order]
    with np.errstate(invalid="ignore"):  # of two infinite values; they are the same anyway
        new: Mask = ~at_most(ascending, np.roll(ascending, 1), scale)
    new[:1] = True
    made = np.empty_like(values)
    made[order] = ascending[new][new.cumsum() - 1]
    return made
