"""MDAV microaggregation: maximum distance to average vector.

Domingo-Ferrer & Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through microaggregation; used by
Oganian & Domingo-Ferrer (2017), section 5.
"""

import numpy as np

from sdclab.arrays import Indices, Matrix, Vector
from sdclab.errors import SdclabError
from sdclab.linalg import standardised
from sdclab.ties import smallest

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
    rest = np.arange(n)
    # one attribute a row: distances then run over contiguous memory
    points = np.ascontiguousarray(standardised(records).T)
    found: list[Indices] = []
    while len(rest) >= 2 * k:
        from_centre = _distances(points, points.mean(axis=1))
        from_first = _distances(points, points[:, from_centre.argmax()])
        second = points[:, from_first.argmax()]
        chosen = smallest(from_first, k)
        found.append(rest[chosen])
        rest, points = _without(chosen, rest, points)
        if len(rest) >= 2 * k:  # that is, at least 3k stood before the first of the pair was taken
            chosen = smallest(_distances(points, second), k)
            found.append(rest[chosen])
            rest, points = _without(chosen, rest, points)
    if len(rest):
        found.append(rest)
    return found


def _distances(points: Matrix, centre: Vector) -> Vector:
    """Squared Euclidean distances, in place of n² of them only ever n."""
    difference = points - centre[:, None]
    return np.einsum("ij,ij->j", difference, difference)


def _without(chosen: Indices, rest: Indices, points: Matrix) -> tuple[Indices, Matrix]:
    keep = np.ones(len(rest), dtype=bool)
    keep[chosen] = False
    return rest[keep], points[:, keep]
