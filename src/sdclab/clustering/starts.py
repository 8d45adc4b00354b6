"""Where the EM of a Gaussian mixture starts: labels for some or all records."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy.cluster.vq import ClusterError, kmeans2

from sdclab.arrays import Indices, Matrix
from sdclab.clustering import hierarchical
from sdclab.clustering.covariances import CollapsedError
from sdclab.linalg import standardised
from sdclab.memo import remembered
from sdclab.seeds import stream

Start = Literal["mclust", "textbook", "kmeans++"]

MOST = 2000
"""Hierarchical clustering compares all pairs; of larger files it sees this many records, evenly spaced."""


def starting_labels(records: Matrix, start: Start, sizes: Sequence[int]) -> tuple[Indices, dict[int, Indices]]:
    """The records used, and for every number of clusters their labels 0, 1, ..."""
    if start == "kmeans++":
        return np.arange(len(records)), {size: _k_means(records, size) for size in sizes}
    used = np.unique(np.linspace(0, len(records) - 1, min(MOST, len(records))).round().astype(np.intp))
    tree = _tree(records[used], start)
    return used, {size: hierarchical.labels(tree, size) for size in sizes}


_tree = remembered(hierarchical.tree)
"""Shared by the cells of a job that differ in k alone."""


def _k_means(records: Matrix, size: int) -> Indices:
    """k-means on standardised records from centres drawn by k-means++ with a fixed seed: a start is no replicate."""
    try:
        _, labels = kmeans2(standardised(records), size, minit="++", missing="raise", rng=stream(0))
    except ClusterError:
        raise CollapsedError(f"k-means++ leaves one of {size} clusters empty; fewer clusters are needed.") from None
    return labels.astype(np.intp)
