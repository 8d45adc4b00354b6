"""Replicas: synthetic copies of the originals that may be shipped, made by this project's own local synthesis.

The continuous attributes go through `hybrid_micro` (Oganian & Domingo-Ferrer 2017, sections 4-5), so means,
covariances and exact linear relations are kept; the dichotomous ones are shuffled one by one inside the same
clusters, which keeps every cluster's counts and, as in the paper's section 6, supposes them independent given the
cluster.
"""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sdclab import measures
from sdclab.arrays import Indices, Matrix
from sdclab.data.dataset import Dataset
from sdclab.data.manifest import Entry, Replica
from sdclab.methods import hybrid_micro, mdav
from sdclab.seeds import seed_of, stream

ROUNDING = 1e-3
"""Values are printed with so many decimals that rounding moves them by less than this share of an SD."""


@dataclass(frozen=True)
class Made:
    """A replica with what is to be said about it."""

    dataset: Dataset
    k: int
    sizes: tuple[int, ...]
    quality: Mapping[str, float]

    @property
    def gzipped(self) -> bytes:
        return gzip.compress(self.dataset.text.encode(), compresslevel=9, mtime=0)


def make(entry: Entry, original: Dataset, replica: Replica) -> Made:
    """The replica of an original; the same original and k give the same bytes."""
    continuous = entry.with_role("continuous")
    rng = stream(seed_of("replica", entry.name, replica.k))
    records = original.select(continuous, entry.name)
    clusters = mdav.clusters(records, replica.k)
    values = original.values.copy()
    where = [original.columns.index(column) for column in continuous]
    values[:, where] = rounded(hybrid_micro.synthesise(records, clusters, rng), records)
    for total, parts in (entry.relations or {}).items():
        values[:, original.columns.index(total)] = (
            original.with_values("replica", replica.file, values).select(parts, entry.name).sum(axis=1)
        )
    for column in entry.with_role("dichotomous"):
        _shuffle(values[:, original.columns.index(column)], clusters, rng)
    dataset = original.with_values("replica", replica.file, values)
    quality = _quality(records, dataset.select(continuous, entry.name))
    return Made(dataset, replica.k, tuple(map(len, clusters)), quality)


def rounded(values: Matrix, original: Matrix) -> Matrix:
    """Whole numbers where that does no harm, else as few decimals as possible."""
    decimals = np.ceil(-np.log10(ROUNDING * np.sqrt(12) * original.std(axis=0)))
    columns = [np.round(v, max(0, int(d))) for v, d in zip(values.T, decimals, strict=True)]
    return np.column_stack(columns)


def _shuffle(column: Matrix, clusters: Sequence[Indices], rng: np.random.Generator) -> None:
    for members in clusters:
        column[members] = rng.permutation(column[members])


def _quality(original: Matrix, protected: Matrix) -> dict[str, float]:
    nothing = np.empty((len(original), 0))
    return {
        **measures.measure("score", original, protected, nothing),
        **measures.measure("copy", original, protected, nothing),
    }
