"""Where the EM of a Gaussian mixture starts: labels for some or all records."""

from collections.abc import Callable
from functools import cache, partial
from typing import Literal

import numpy as np
from scipy.cluster.vq import ClusterError, kmeans2

from sdclab.clustering import hierarchical
from sdclab.clustering.covariances import CollapsedError
from sdclab.numerics.arrays import Indices, Matrix
from sdclab.numerics.linalg import standardised
from sdclab.numerics.memo import remembered
from sdclab.numerics.seeds import stream

Start = Literal["mclust", "textbook", "kmeans++"]

SAMPLE = 2000
"""Hierarchical clustering compares all pairs; of larger files it sees this many records, evenly spaced."""


def starting_labels(records: Matrix, start: Start) -> tuple[Indices, Callable[[int], Indices]]:
    """The records used, and their labels 0, 1, ... for a number of clusters."""
    if start == "kmeans++":
        return np.arange(len(records)), cache(partial(_k_means, records))
    used = np.unique(np.linspace(0, len(records) - 1, min(SAMPLE, len(records))).round().astype(np.intp))
    tree = _tree(records[used], start)
    return used, partial(hierarchical.labels, tree)


_tree = remembered(hierarchical.tree)
"""Shared by the cells of a job that differ in k alone."""


def _k_means(records: Matrix, clusters: int) -> Indices:
    """k-means on standardised records from centres drawn by k-means++ with a fixed seed: a start is no replicate."""
    points = standardised(records)
    distinct = len(np.unique(points, axis=0))
    if distinct < clusters:
        raise CollapsedError(f"{distinct} distinct records cannot be {clusters} clusters; fewer clusters are needed.")
    try:
        _, labels = kmeans2(points, clusters, minit="++", missing="raise", rng=stream(0))
    except ClusterError:
        raise CollapsedError(f"k-means++ leaves one of {clusters} clusters empty; fewer clusters are needed.") from None
    return labels.astype(np.intp)
