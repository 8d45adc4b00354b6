"""HybridMicro: local synthesis inside the clusters of a microaggregation.

Domingo-Ferrer & González-Nicolás (2010), Hybrid microdata using microaggregation; Oganian & Domingo-Ferrer (2017),
sections 4 and 5.
"""

import numpy as np

from sdclab.clustering.blocks import Block, ClusterSize
from sdclab.methods import mdav
from sdclab.numerics.arrays import Indices, Matrix
from sdclab.numerics.linalg import centred_basis, same_gram

GRID = {"k": [5, 10, 20, 50, 100, 200]}


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    k: ClusterSize = 20,
    block: Block = None,
) -> Matrix:
    """Cluster by MDAV with at least k records each, then draw each cluster as a normal sample."""
    return synthesise(dependent, mdav.clusters(dependent, k, block), rng)


def synthesise(records: Matrix, clusters: list[Indices], rng: np.random.Generator) -> Matrix:
    """Normal records with each cluster's exact sample mean and covariance, hence with those of the whole file (eq. 7).

    An exact linear relation between attributes survives, because it holds inside every cluster.
    """
    protected = np.empty_like(records)
    for members in clusters:
        mean = records[members].mean(axis=0)
        ones = centred_basis(np.empty((len(members), 0)))
        protected[members] = mean + same_gram(records[members] - mean, ones, rng)
    return protected
