"""MDAV microaggregation: maximum distance to average vector.

Domingo-Ferrer & Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through microaggregation; used by
Oganian & Domingo-Ferrer (2017), section 5.
"""

import numpy as np

from sdclab.arrays import Indices, Matrix, Vector
from sdclab.clustering.remaining import Remaining
from sdclab.errors import SdclabError
from sdclab.linalg import standardised

GRID = {"k": [3, 5, 10, 20, 50, 100]}


def protect(dependent: Matrix, independent: Matrix, rng: np.random.Generator, *, k: int = 3) -> Matrix:
    """Replace every record by the mean of its cluster of at least k records."""
    protected = np.empty_like(dependent)
    for members in clusters(dependent, k):
        protected[members] = dependent[members].mean(axis=0)
    return protected


def clusters(records: Matrix, k: int) -> list[Indices]:
    """The clusters of MDAV on standardised records (population SD), each of k to 2k - 1 of them."""
    n = len(records)
    if not 1 <= k <= n:
        raise SdclabError(f"k is {k} but must lie between 1 and the number of records, {n}.")
    remaining = Remaining(standardised(records))
    found: list[Indices] = []

    def take(centre: Vector) -> None:
        found.append(remaining.nearest(centre, k))
        remaining.take(found[-1])

    while len(remaining) >= 2 * k:
        first = remaining.points[remaining.farthest(remaining.mean())]
        second = remaining.points[remaining.farthest(first)]
        take(first)
        if len(remaining) >= 2 * k:  # that is, at least 3k stood before the first of the pair was taken
            take(second)
    return [*found, remaining.all()] if len(remaining) else found
