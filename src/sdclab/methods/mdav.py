"""MDAV microaggregation: maximum distance to average vector.

Domingo-Ferrer & Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through microaggregation; used by
Oganian & Domingo-Ferrer (2017), section 5.
"""

from typing import Annotated

import numpy as np

from sdclab.base.describe import Given
from sdclab.base.errors import SdclabError
from sdclab.base.progress import doing, each_of
from sdclab.clustering.blocks import Block, ClusterSize, clustering_blocks
from sdclab.clustering.mixed import NUMBERS, Mixed
from sdclab.clustering.remaining import Remaining
from sdclab.clustering.taxonomy import Taxonomies
from sdclab.microdata.attribute import TYPES, Attributes
from sdclab.numerics.arrays import Indices, Matrix

RELEASES = "centres of MDAV clusters of k to 2k - 1 records"
KEEPS = "means of numbers; every class has at least k records"
TAKES = TYPES
GRID = {"k": [3, 5, 10, 20, 50, 100]}


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    k: ClusterSize = 3,
    taxonomies: Taxonomies = {},
    block: Block = None,
    columns: Annotated[Attributes | None, Given()] = None,
) -> Matrix:
    """Replace every record by the centre of its cluster of at least k: means, median or most frequent categories."""
    mixed = Mixed.of(dependent.shape[1], columns, taxonomies)
    return mixed.at_centres(dependent, clusters(dependent, k, block, mixed))


def clusters(records: Matrix, k: int, block: int | None = None, mixed: Mixed = NUMBERS) -> list[Indices]:
    """The clusters of MDAV on standardised records (population SD), each of k to 2k - 1 of them."""
    n = len(records)
    if not 1 <= k <= n:
        raise SdclabError(f"k is {k} but must lie between 1 and the number of records, {n}.")
    points = mixed.points(records)
    parts = each_of(clustering_blocks(points, k, block), "blocks")
    return [part[members] for part in parts for members in _clusters(points[part], k)]


def _clusters(points: Matrix, k: int) -> list[Indices]:
    remaining = Remaining(points)
    found: list[Indices] = []
    with doing("clusters", len(points)) as loop:
        while len(remaining) >= 2 * k:
            first = remaining.farthest(remaining.mean())
            second = remaining.farthest(remaining.points[first])
            found += remaining.take([first, second] if len(remaining) >= 3 * k else [first], k)
            loop.done = len(points) - len(remaining)
    return [*found, remaining.all()] if len(remaining) else found
