"""Replicas: synthetic copies of the originals that may be shipped, made by this project's own local synthesis.

The numbers are synthesised in clusters as `hybrid_micro` does (Oganian & Domingo-Ferrer 2017, sections
4-5), so means, covariances and exact linear relations are kept. Clusters are looked for inside strata of records that
share a pattern, so that what holds exactly in many records, though not in all, is kept as well. The
categories are shuffled one by one inside the same clusters, which keeps every cluster's counts and, as in the paper's
section 6, supposes them independent given the cluster.
"""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, count

import numpy as np

from sdclab import measures
from sdclab.measures.copy import crowding
from sdclab.methods import hybrid, mdav
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.manifest import Entry, Replica
from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.linalg import RELATIVE_RANK, orthonormalised
from sdclab.numerics.seeds import seed_of, stream

COMMON = 0.5
"""What so large a share of the records has alike is a pattern: two attributes are equal, or one has a certain value."""


@dataclass(frozen=True)
class MadeReplica:
    """A replica with what is to be said about it."""

    dataset: Dataset
    k: int
    sizes: tuple[int, ...]
    quality: Mapping[str, float]

    @property
    def gzipped(self) -> bytes:
        return gzip.compress(self.dataset.text.encode(), compresslevel=9, mtime=0)


def make(entry: Entry, original: Dataset, replica: Replica) -> MadeReplica:
    """The replica of an original: drawn anew while a record of the original stands in it."""
    numbers = entry.numbers
    records = original.select(numbers, entry.name)
    found = clusters(records, replica)
    for attempt in count():
        rng = stream(seed_of("replica", entry.name, replica.k, attempt))
        dataset = original.with_values("replica", replica.file, _drawn(entry, original, found, rng))
        drawn = dataset.select(numbers, entry.name)
        if not set(map(tuple, records)) & set(map(tuple, drawn)):
            break
    return MadeReplica(dataset, replica.k, tuple(map(len, found)), _quality(records, drawn))


def clusters(records: Matrix, replica: Replica) -> list[Indices]:
    """MDAV's clusters of at least k records inside each stratum."""
    return [
        np.sort(part[members])
        for part in STRATA[replica.strata](records, replica.k)
        for members in mdav.clusters(records[part], replica.k)
    ]


def by_pattern(records: Matrix, k: int) -> list[Indices]:
    """Records with the same pattern. A stratum of fewer than k joins the next larger one."""
    patterns = np.column_stack([np.zeros(len(records)), *_common(records)])
    which = np.unique(patterns, axis=0, return_inverse=True)[1].ravel()
    strata = sorted((np.flatnonzero(which == one) for one in range(which.max() + 1)), key=len)
    while len(strata) > 1 and len(strata[0]) < k:
        strata = sorted([np.sort(np.concatenate(strata[:2])), *strata[2:]], key=len)
    return strata


def _common(records: Matrix) -> list[Vector]:
    """For everything that many records have alike: who has it."""
    who = [a == b for a, b in combinations(records.T, 2)]
    who += [column == value for column in records.T for value in np.unique(column)]
    return [each for each in who if each.mean() >= COMMON]


def by_mixture(records: Matrix, k: int) -> list[Indices]:
    """The clusters of the mixture that `hybrid` chooses; one of fewer than k records is dissolved."""
    _, labels = hybrid.clustered(records, k, enforce=True)
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


STRATA = {"pattern": by_pattern, "mixture": by_mixture}


def _drawn(entry: Entry, original: Dataset, found: Sequence[Indices], rng: np.random.Generator) -> Matrix:
    values = original.values.copy()
    place = {column: i for i, column in enumerate(original.columns)}
    where = [place[column] for column in entry.numbers]
    values[:, where] = rounded(synthesise(values[:, where], found, rng), values[:, where])
    for total, parts in (entry.relations or {}).items():
        values[:, place[total]] = values[:, [place[part] for part in parts]].sum(axis=1)
    for column in entry.categories:
        for members in found:
            values[members, place[column]] = rng.permutation(values[members, place[column]])
    return values


def synthesise(records: Matrix, clusters: Sequence[Indices], rng: np.random.Generator) -> Matrix:
    """Normal records with each cluster's exact mean and covariances, as `hybrid_micro` draws them (eq. 7).

    Here a last bit decides nothing, so that any processor draws the same: every record has draws of its own, and
    the factor of a cluster's scatter is triangular, while singular vectors have signs that depend on the processor.
    """
    draws = rng.standard_normal(records.shape)
    values = np.empty_like(records)
    for members in clusters:
        mean = records[members].mean(axis=0)
        factor = triangular(records[members] - mean)
        noise = draws[members, : len(factor)]
        values[members] = mean + orthonormalised(noise - noise.mean(axis=0)) @ factor
    return values


def triangular(deviations: Matrix) -> Matrix:
    """F with F'F = D'D by Gram-Schmidt, a row for each attribute that is not linear in those before it."""
    left, rows = deviations.copy(), []
    size = np.linalg.norm(deviations, axis=0)
    for j in range(deviations.shape[1]):
        pivot = np.linalg.norm(left[:, j])
        if pivot > RELATIVE_RANK * size[j]:
            direction = left[:, j] / pivot
            rows.append(np.where(np.arange(len(size)) < j, 0.0, direction @ left))
            left -= np.outer(direction, rows[-1])
    return np.array(rows).reshape(-1, len(size))


def rounded(values: Matrix, original: Matrix) -> Matrix:
    """Every attribute with as many decimals as the original has: whole numbers stay whole numbers."""
    return np.column_stack([np.round(v, decimals(o)) for v, o in zip(values.T, original.T, strict=True)])


def decimals(column: Vector) -> int:
    """The fewest decimals that give all values back."""
    return next(d for d in count() if (np.round(column, d) == column).all())


def _quality(original: Matrix, protected: Matrix) -> dict[str, float]:
    nothing = np.empty((len(original), 0))
    beyond = (protected < original.min(axis=0)) | (protected > original.max(axis=0))
    return {
        **measures.measure("score", original, protected, nothing),
        **measures.measure("copy", original, protected, nothing),
        "crowding": crowding(original),
        "beyond": 100 * float(beyond.mean()),
    }
