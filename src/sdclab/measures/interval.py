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

NUMBERS = {"interval": Number("values inside the interval", "risk", 0, 100, "%", "less")}


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
    """The share of values inside the interval, averaged over p = 1..10.

    A constant is disclosed where it is released as it is: its interval has no width.
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
