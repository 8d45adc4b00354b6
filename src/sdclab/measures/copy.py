"""copy: how many original records stand in the release, nearly as they were, anywhere.

Record linkage asks whether a released record is found *at the right place*; a permutation of the records defeats it
and still publishes every one of them. This measure asks only whether a record was published.
"""

import numpy as np
from scipy.spatial import cKDTree

from sdclab.arrays import Matrix
from sdclab.memo import remembered

PERCENTS = np.arange(1, 11)
"""Nearness in per cent of each attribute's standard deviation, as in interval disclosure."""

EXPLAINED = 90
"""Where so many originals (per cent) have another as near, nearness proves nothing."""


def measure(original: Matrix, protected: Matrix, independent: Matrix) -> dict[str, float]:
    """The share (0 to 100) of originals with a released record within p % of an SD on *all* dependents.

    `copy` is the mean over p = 1..10, `copy_1` and `copy_10` its ends; `crowding` says how much of it means nothing.
    """
    shares = _shares(original, protected, nearest=1)
    ends = {"copy_1": shares[0], "copy_10": shares[-1]}
    return {"copy": float(np.mean(shares)), **ends, "crowding": crowding(original)}


def copies(copied: float, crowded: float) -> bool:
    """Whether a release is to be marked as copying: more than half of what crowding leaves to be explained is copied.

    A release drawn afresh from the same distribution has a `copy` near the `crowding`, by chance above or below it.
    """
    return crowded <= EXPLAINED and copied > (100 + crowded) / 2


@remembered
def crowding(original: Matrix) -> float:
    """The same share among the originals themselves: those with *another* original as near.

    Where records lie so close, a release that is close to one of them need not be a copy of it.
    """
    return float(np.mean(_shares(original, original, nearest=2)))


def _shares(original: Matrix, released: Matrix, nearest: int) -> list[float]:
    """For every p the share of originals whose nearest (or second nearest) released record is within p % of an SD."""
    spread = original.std(axis=0)
    tree = cKDTree(released / spread)
    reach = PERCENTS[-1] / 100
    # in the order of the tree, since a record is mostly near its own release: twice as fast on long files
    distance, _ = tree.query(
        (original / spread)[tree.indices], k=[nearest], p=np.inf, distance_upper_bound=reach * (1 + 1e-9)
    )
    return [100 * float(np.mean(distance <= percent / 100)) for percent in PERCENTS]
