"""k-member microaggregation: the centres of greedy k-member clusters.

Byun, Kamra, Bertino & Li (2007), Efficient k-anonymization using clustering techniques; the crisp counterpart of the
fuzzy data modification of Ahmed & Rauf (2016).
"""

from typing import Annotated

import numpy as np

from sdclab.base.describe import Given
from sdclab.clustering.blocks import Block, ClusterSize
from sdclab.clustering.classes import anonymity
from sdclab.clustering.k_member import Normalised, cluster_loss, k_member, loss
from sdclab.clustering.mixed import Categories, Mixed
from sdclab.clustering.taxonomy import Taxonomies
from sdclab.methods import Release
from sdclab.microdata.attribute import TYPES, Attributes
from sdclab.numerics.arrays import Matrix

RELEASES = "centres of greedy k-member clusters"
KEEPS = "means of numbers; every class has at least k records"
TAKES = TYPES
GRID = {"k": [3, 5, 10, 20, 50]}


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    k: ClusterSize = 3,
    taxonomies: Taxonomies = {},
    categories: Categories = "middle",
    block: Block = None,
    columns: Annotated[Attributes | None, Given()] = None,
) -> Release:
    """Replace every record by the centre of its cluster of at least k: means, median or most frequent categories.

    Deterministic.
    """
    records = Normalised.of(dependent, taxonomies, columns)
    clusters = k_member(records, k, block)
    values = Mixed.of(dependent.shape[1], columns, taxonomies, categories).at_centres(dependent, clusters)
    losses = cluster_loss(records, lambda part: loss(part, clusters))
    return Release(values, {**losses, **anonymity(values, k)}, k)
