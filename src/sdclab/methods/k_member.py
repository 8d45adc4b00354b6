"""k-member microaggregation: the centres of greedy k-member clusters.

Byun, Kamra, Bertino & Li (2007), Efficient k-anonymization using clustering techniques; the crisp counterpart of the
fuzzy data modification of Ahmed & Rauf (2016).
"""

import numpy as np

from sdclab.clustering.blocks import Block, ClusterSize
from sdclab.clustering.classes import anonymity, at_means
from sdclab.clustering.k_member import Normalised, k_member, loss
from sdclab.clustering.taxonomy import Taxonomies
from sdclab.methods import Release
from sdclab.numerics.arrays import Matrix

GRID = {"k": [3, 5, 10, 20, 50]}


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    k: ClusterSize = 3,
    taxonomies: Taxonomies = {},
    block: Block = None,
) -> Release:
    """Replace every record by the centre of its cluster of at least k: means, or the most frequent category.

    Deterministic.
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
