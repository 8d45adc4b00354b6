"""Interval disclosure: how often an original value lies close to the released one.

Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for microdata; Cano (2009),
section 2.4.2.
"""

from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc, Number
from sdclab.numerics.arrays import Matrix, Vector
from sdclab.numerics.ties import at_most, slack

PERCENTS = np.arange(1, 11)
"""Half the width of the interval, in per cent of an SD or of the number of records."""

NUMBERS = {
    "interval": Number("values inside the interval", "risk", 0, 100, "%", "less"),
    "interval_chance": Number("values inside the interval if the rows were shuffled", low=0, high=100, unit="%"),
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    window: Annotated[
        Literal["sd", "rank"],
        Doc("how near a released value must be: p % of the original's SD, or p % of n ranks among the originals"),
    ] = "sd",
) -> dict[str, float]:
    """The share of values inside the interval, averaged over p = 1..10, and what of it is chance.

    Chance is the same share where the release stands in random row order: the mean over all orders, which is that over
    all pairs of an original and a released value, counted. A constant is disclosed where it is released as it is: its
    interval has no width.
    """
    size = np.abs(original).max(axis=0, initial=0.0)
    before, after, whole, scale = original, protected, original.std(axis=0), size
    if window == "rank":
        before, after = (_ranks_among(original, each, size) for each in (original, protected))
        whole, scale = np.full(len(size), float(len(original))), np.ones_like(size)
    distance = np.abs(before - after)
    shares = [100 * float(np.mean(at_most(distance, percent / 100 * whole, scale))) for percent in PERCENTS]
    before, after = np.sort(before, axis=0), np.sort(after, axis=0)
    chances = [_chance(before, after, percent / 100 * whole, scale) for percent in PERCENTS]
    return {"interval": float(np.mean(shares)), "interval_chance": float(np.mean(chances))}


def excess(interval: float, chance: float) -> float:
    """What of interval disclosure chance does not explain, as a share of what it leaves to be explained."""
    return max(0.0, 100 * (interval - chance) / (100 - chance)) if chance < 100 else 0.0


def _chance(before: Matrix, after: Matrix, limit: Vector, scale: Vector) -> float:
    """The share of all pairs of an original and a released value of an attribute that lie within its limit.

    Both are in ascending order: sought one after the other, values are found several times as fast.
    """
    reach = limit + slack(limit, scale)
    inside = 0
    for own, column, width in zip(before.T, after.T, reach, strict=True):
        upto, below = np.searchsorted(column, own + width, "right"), np.searchsorted(column, own - width, "left")
        inside += int((upto - below).sum())
    return 100 * inside / (before.size * len(after))


def _ranks_among(original: Matrix, values: Matrix, size: Vector) -> Matrix:
    """Where values stand, or would stand, among the originals (mid-rank for ties)."""
    ranks = np.empty_like(values)
    low, high = values - slack(values, size), values + slack(values, size)
    for j, column in enumerate(np.sort(original, axis=0).T):
        below = np.searchsorted(column, low[:, j], side="left")
        upto = np.searchsorted(column, high[:, j], side="right")
        ranks[:, j] = (below + upto + 1) / 2
    return ranks
