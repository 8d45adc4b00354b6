"""k-member microaggregation: the centres of greedy k-member clusters.

Byun, Kamra, Bertino & Li (2007), Efficient k-anonymization using clustering techniques; the crisp counterpart of the
fuzzy data modification of Ahmed & Rauf (2016).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sdclab.clustering.classes import anonymity, at_means
from sdclab.clustering.k_member import Normalised, k_member, loss
from sdclab.methods import Release
from sdclab.numerics.arrays import Matrix

GRID = {"k": [3, 5, 10, 20, 50]}


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    k: int = 3,
    taxonomies: Mapping[str, Any] = {},
    block: int | None = None,
) -> Release:
    """Replace every record by the centre of its cluster of at least k: means, or the most frequent category.

    `taxonomies` says which dependents are categorical: position, from 1 -> tree over its codes. `block`: clusters
    are looked for inside blocks of at most so many neighbouring records. Deterministic.
    """
    records = Normalised.of(dependent, taxonomies)
    clusters = k_member(records, k, block)
    values = at_means(dependent, clusters)
    for place in (int(key) - 1 for key in taxonomies):
        for members in clusters:
            values[members, place] = _most_frequent(dependent[members, place])
    return Release(values, {"cluster_loss": loss(records, clusters), **anonymity(values, k)})


def _most_frequent(codes: Matrix) -> float:
    """The most frequent category, the least code of equals."""
    found, counts = np.unique(codes, return_counts=True)
    return float(found[counts.argmax()])
