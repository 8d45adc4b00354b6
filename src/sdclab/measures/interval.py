"""Interval disclosure: how often an original value lies close to the released one.

Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for microdata; Cano (2009),
section 2.4.2.
"""

from typing import Literal

import numpy as np

from sdclab.arrays import Matrix

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
    most p % of n away from the original's own.
    """
    if window == "sd":
        distance = np.abs(original - protected) / original.std(axis=0)
    else:
        moved = _ranks_among(original, protected) - _ranks_among(original, original)
        distance = np.abs(moved) / len(original)
    shares = [100 * float(np.mean(distance <= percent / 100)) for percent in PERCENTS]
    return {"interval": float(np.mean(shares))}


def _ranks_among(original: Matrix, values: Matrix) -> Matrix:
    """Where values stand, or would stand, among the originals (mid-rank for ties)."""
    ranks = np.empty_like(values)
    for j, column in enumerate(np.sort(original, axis=0).T):
        below = np.searchsorted(column, values[:, j], side="left")
        upto = np.searchsorted(column, values[:, j], side="right")
        ranks[:, j] = (below + upto + 1) / 2
    return ranks
