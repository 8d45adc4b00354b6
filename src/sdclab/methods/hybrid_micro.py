"""HybridMicro: local synthesis inside the clusters of a microaggregation.

Domingo-Ferrer & González-Nicolás (2010), Hybrid microdata using microaggregation; Oganian & Domingo-Ferrer (2017),
sections 4 and 5.
"""

from typing import Annotated

import numpy as np

from sdclab.base.describe import Given
from sdclab.base.progress import each_of
from sdclab.clustering.blocks import Block, ClusterSize
from sdclab.clustering.mixed import Mixed
from sdclab.clustering.taxonomy import Taxonomies
from sdclab.methods import mdav
from sdclab.microdata.attribute import TYPES, Attributes
from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.linalg import centred_basis, same_gram

RELEASES = "normal records with each MDAV cluster's mean and covariances; categories change hands inside a cluster"
KEEPS = "means, covariances and frequencies of categories, in every cluster and of the file"
TAKES = TYPES
GRID = {"k": [5, 10, 20, 50, 100, 200]}


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    k: ClusterSize = 20,
    taxonomies: Taxonomies = {},
    block: Block = None,
    columns: Annotated[Attributes | None, Given()] = None,
) -> Matrix:
    """Cluster by MDAV with at least k records each, then draw the numbers of each cluster as a normal sample.

    The categories of a cluster change hands in it, each attribute by itself: every cluster keeps its frequencies
    exactly, and inside it a category tells nothing of the numbers and the other categories.
    """
    mixed = Mixed.of(dependent.shape[1], columns, taxonomies)
    clusters = mdav.clusters(dependent, k, block, mixed)
    protected = dependent.copy()
    numbers = np.delete(np.arange(dependent.shape[1]), mixed.categories)
    if len(numbers):
        protected[:, numbers] = synthesise(dependent[:, numbers], clusters, rng)
    for j in mixed.categories:
        for members in clusters:
            protected[members, j] = rng.permutation(dependent[members, j])
    return protected


def synthesise(
    records: Matrix, clusters: list[Indices], rng: np.random.Generator, degrees: Vector | None = None
) -> Matrix:
    """Normal records with each cluster's exact sample mean and covariance, hence with those of the whole file (eq. 7).

    An exact linear relation between attributes survives, because it holds inside every cluster. With `degrees` of
    freedom, one a cluster, the records are multivariate t ones: exact moments are an affine map of a sample away, and
    an affine map of a t is a t with the same degrees.
    """
    protected = np.empty_like(records)
    for label, members in enumerate(each_of(clusters, "synthesis")):
        mean = records[members].mean(axis=0)
        ones = centred_basis(np.empty((len(members), 0)))
        lengths = None if degrees is None else _t_lengths(degrees[label], len(members), rng)
        protected[members] = mean + same_gram(records[members] - mean, ones, rng, lengths=lengths)
    return protected


def _t_lengths(degrees: float, n: int, rng: np.random.Generator) -> Vector:
    """What normal records are multiplied by to be multivariate t ones."""
    return np.asarray(np.sqrt(degrees / rng.chisquare(degrees, n)))
