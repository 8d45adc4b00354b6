"""Greedy k-member clustering and its information loss.

Byun, Kamra, Bertino & Li (2007), Efficient k-anonymization using clustering techniques; Ahmed & Rauf (2016), section 3.

The width of a set of records is the sum, over the attributes, of its range as a share of the file's range, or of the
height at which its categories meet as a share of the taxonomy's. The information loss of a cluster is its size times
its width (equation 5); of two records the width is their L1 distance. Ordered categories count by their ranks, which
are their codes, as numbers do.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from sdclab.base.errors import SdclabError
from sdclab.base.progress import each_of
from sdclab.clustering.blocks import clustering_blocks
from sdclab.clustering.taxonomy import Taxonomy, split
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.ties import at_most, largest_of, smallest_of

SLACK = 0.1
"""The share of records that may be gone before those that remain are copied together."""


def check_k(k: int, n: int) -> None:
    if not 2 <= k <= n:
        raise SdclabError(f"k is {k} but must lie between 2 and the number of records, {n}.")


def ranges(records: Matrix) -> Vector:
    """The range of every attribute; none may be constant, since losses are shares of it."""
    sizes = np.ptp(records, axis=0)
    if (sizes == 0).any():
        raise SdclabError(f"attribute {int(np.argmin(sizes)) + 1} is constant; only one that varies can be normalised.")
    return sizes


@dataclass(frozen=True)
class Normalised:
    """Records in units in which all attributes count alike."""

    points: Matrix
    """Numeric attributes and ranks, divided by their ranges."""
    categories: Sequence[tuple[Taxonomy, Indices]] = ()
    """Taxonomy and leaves of every categorical attribute."""

    @classmethod
    def of(
        cls,
        records: Matrix,
        taxonomies: Mapping[Any, Any] = {},
        columns: Attributes | None = None,
        before: Matrix | None = None,
    ) -> "Normalised":
        """Some records in units of their ranges, or of those that they had before."""
        numeric, categories = split(records, taxonomies, columns)
        measured = numeric if before is None else split(before, taxonomies, columns)[0]
        return cls(numeric / ranges(measured), categories)

    def __len__(self) -> int:
        return len(self.points)

    def only(self, chosen: Any) -> "Normalised":
        return Normalised(self.points[chosen], [(taxonomy, leaves[chosen]) for taxonomy, leaves in self.categories])

    def parts(self) -> dict[str, "Normalised"]:
        """What the two terms of equation 5 look at: numbers and ranks, and categories."""
        return {"numbers": Normalised(self.points), "categories": Normalised(self.points[:, :0], self.categories)}

    def positions(self) -> Matrix:
        """Numbers that say who is near whom: a category counts by its place in the taxonomy."""
        places = [leaves / len(taxonomy.codes) for taxonomy, leaves in self.categories]
        return np.column_stack([self.points, *places])

    def distances(self, one: "Normalised") -> Vector:
        """How far these records are in L1 from one record, by itself."""
        far = cdist(one.points, self.points, "cityblock")[0]
        for (taxonomy, leaves), (_, leaf) in zip(self.categories, one.categories, strict=True):
            far += taxonomy.heights_with_each(np.arange(len(taxonomy.codes)) == leaf)[leaves]
        return np.asarray(far)

    def widths_with(self, members: "Normalised") -> Vector:
        """The width of a set of members together with each of these records.

        Numbers by one L1 kernel: joined by x, an interval from a to b is (|x - a| + |x - b| + b - a) / 2 wide.
        """
        low, high = members.points.min(axis=0), members.points.max(axis=0)
        total = cdist(np.stack([low, high]), self.points, "cityblock").sum(axis=0)
        widths = (total + (high - low).sum()) / 2
        for (taxonomy, leaves), (_, seen) in zip(self.categories, members.categories, strict=True):
            present = np.isin(np.arange(len(taxonomy.codes)), seen)
            widths += taxonomy.heights_with_each(present)[leaves]
        return np.asarray(widths)


def widths(records: Normalised, clusters: Sequence[Indices]) -> Vector:
    """The width of every cluster."""
    sizes = [len(members) for members in clusters]
    flat, starts = np.concatenate(clusters), np.cumsum([0, *sizes[:-1]])
    total = np.zeros(len(clusters))
    for attribute in records.points.T:
        values = attribute[flat]
        total += np.maximum.reduceat(values, starts) - np.minimum.reduceat(values, starts)
    for taxonomy, leaves in records.categories:
        present = np.zeros((len(clusters), len(taxonomy.codes)), dtype=bool)
        present[np.repeat(np.arange(len(clusters)), sizes), leaves[flat]] = True
        total += taxonomy.heights(present)
    return total


def _losses(records: Normalised, clusters: Sequence[Indices]) -> Vector:
    return np.array([len(members) for members in clusters]) * widths(records, clusters)


def loss(records: Normalised, clusters: Sequence[Indices]) -> float:
    """The information loss of crisp clusters (equation 5)."""
    return float(_losses(records, clusters).sum())


def cluster_loss(records: Normalised, loss: Callable[[Normalised], float]) -> dict[str, float]:
    """What methods tell of the loss of their clusters: with its two terms, if there are categories."""
    parts = records.parts() if records.categories else {}
    return {"cluster_loss": loss(records), **{f"cluster_loss_{name}": loss(part) for name, part in parts.items()}}


def k_member(records: Normalised, k: int, block: int | None = None) -> list[Indices]:
    """Clusters of at least k records, each grown by the record that adds least information loss.

    The first seed is the record farthest from the file's first, each later one the farthest from the record that joined
    last; fewer than k that remain join, one by one, the cluster whose loss they raise least. Ties go by position.
    """
    check_k(k, len(records))
    parts = clustering_blocks(records.positions(), k, block)
    return [part[members] for part in each_of(parts, "blocks") for members in _k_member(records.only(part), k)]


def _k_member(records: Normalised, k: int) -> list[Indices]:
    n = len(records)
    rest, free, taken = np.arange(n), records, np.zeros(n)
    last, found = 0, []
    for _ in range(n // k):
        if np.count_nonzero(taken) > SLACK * len(taken):
            keep = taken == 0
            rest, free, taken = rest[keep], free.only(keep), taken[keep]
        seed = int(largest_of(free.widths_with(records.only([last])) - taken))
        members = _grown(free, seed, k, taken)
        found.append(rest[members])
        last = int(rest[members[-1]])
    return joined(records, found, rest[taken == 0])


def _grown(free: Normalised, seed: int, k: int, taken: Vector) -> list[int]:
    """A cluster round a seed in the order of joining. `taken` is infinite for the records that are gone."""
    members = [seed]
    taken[seed] = np.inf
    cost = free.widths_with(free.only(members))
    while len(members) < k:
        chosen = int(smallest_of(cost + taken))
        members.append(chosen)
        taken[chosen] = np.inf
        if len(members) < k and not at_most(cost[chosen], cost[seed]):  # else the cluster is no wider than it was
            cost = free.widths_with(free.only(members))
    return members


def joined(records: Normalised, clusters: Sequence[Indices], others: Indices) -> list[Indices]:
    """Clusters with every other record, one by one, in the cluster whose information loss it raises least."""
    grown = list(clusters)
    for other in others:
        with_other = [np.append(members, other) for members in grown]
        losses = _losses(records, with_other)
        cheapest = int(smallest_of(losses - _losses(records, grown), losses.max()))
        grown[cheapest] = with_other[cheapest]
    return grown
