"""Interval disclosure: how often an original value lies close to the released one.

Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for microdata; Cano (2009),
section 2.4.2.
"""

from typing import Literal

import numpy as np

from sdclab.numerics.arrays import Matrix, Vector
from sdclab.numerics.ties import at_most, slack

PERCENTS = np.arange(1, 11)
"""Half the width of the interval, in per cent of an SD or of the number of records."""


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    window: Literal["sd", "rank"] = "sd",
) -> dict[str, float]:
    """The share (0 to 100) of values inside the interval, averaged over widths of 1 to 10 %.

    `sd`: |x - x'| is at most p % of the original's SD. `rank`: the released value's rank among the originals is at
    most p % of n away from the original's own. A constant is disclosed where it is released as it is: its interval has
    no width.
    """
    size = np.abs(original).max(axis=0, initial=0.0)
    if window == "sd":
        distance, whole, scale = np.abs(original - protected), original.std(axis=0), size
    else:
        moved = _ranks_among(original, protected, size) - _ranks_among(original, original, size)
        distance, whole, scale = np.abs(moved), np.full(len(size), len(original)), np.ones_like(size)
    shares = [100 * float(np.mean(at_most(distance, percent / 100 * whole, scale))) for percent in PERCENTS]
    return {"interval": float(np.mean(shares))}


def _ranks_among(original: Matrix, values: Matrix, size: Vector) -> Matrix:
    """Where values stand, or would stand, among the originals (mid-rank for ties)."""
    ranks = np.empty_like(values)
    low, high = values - slack(values, size), values + slack(values, size)
    for j, column in enumerate(np.sort(original, axis=0).T):
        below = np.searchsorted(column, low[:, j], side="left")
        upto = np.searchsorted(column, high[:, j], side="right")
        ranks[:, j] = (below + upto + 1) / 2
    return ranks
