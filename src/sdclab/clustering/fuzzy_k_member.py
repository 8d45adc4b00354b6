"""Fuzzy k-member clustering: clusters that share records.

Honda, Kawano, Notsu & Ichihashi (2012), A fuzzy variant of k-member clustering for collaborative filtering with data
anonymization; Ahmed & Rauf (2016), section 3 and equations 1 to 3, on the reading of "shared support": every record
has a membership of 1 to give away. A core object gives its cluster all that it has left, and its k - 1 nearest of
*all* records, those with nothing left included, give f(d) of theirs; the cluster is as wide as all k together.

Two more readings. `own`: steps 2.1 and 3 take records from S and remove them, so the nearest are those of the records
that have something left; fewer than k that remain join, as in crisp k-member clustering, the cluster whose loss they
raise least. `counted`: step 3 holds |G_t| against k, so |G_c| of equation 5 counts the k members as well; the clusters
are the shared ones.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.spatial import cKDTree

from sdclab.base.errors import SdclabError
from sdclab.base.progress import each_of
from sdclab.clustering.blocks import clustering_blocks
from sdclab.clustering.k_member import SLACK, Normalised, check_k, widths
from sdclab.clustering.mixed import NUMBERS, Mixed
from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.ties import at_most, largest_of, smallest, smallest_of

Membership = Literal["exponential", "bell", "triangular"]

ReadingName = Literal["shared", "own", "counted"]

LEAST = 0.01
"""A record left with no more than this gives it away with the rest, and will not be a core any more."""


@dataclass(frozen=True)
class Function:
    """A membership function of the distance from the core; `reach` is its sigma or alpha."""

    name: Membership
    reach: float

    @classmethod
    def of(cls, name: Membership, sigma: float, alpha: float) -> "Function":
        return cls(name, alpha if name == "triangular" else sigma)

    def __post_init__(self) -> None:
        if not self.reach > 0:
            parameter = "alpha" if self.name == "triangular" else "sigma"
            raise SdclabError(f"{parameter} is {self.reach} but must be positive.")

    def __call__(self, distance: Vector) -> Vector:
        """The factor before u_r in equation 1 (bell), 2 (exponential) or 3 (triangular)."""
        if self.name == "triangular":
            return np.maximum(1 - distance / self.reach, 0)
        return np.exp(-(distance**2 if self.name == "bell" else distance) / self.reach)


@dataclass(frozen=True)
class FuzzyClusters:
    """Who belongs to which cluster how much; a record's memberships add up to one."""

    members: Indices
    """cluster × k, the core first; if others joined one of the clusters, cores are named again to fill the rest"""
    memberships: Matrix
    """cluster × k"""
    counted: bool = False
    """whether members count in the loss, not what they gave"""

    @property
    def masses(self) -> Vector:
        """|G_c|, the sum of a cluster's memberships."""
        return np.asarray(self.memberships.sum(axis=1))

    def loss(self, records: Normalised) -> float:
        """The information loss (equation 5) with the sums of memberships, or the counts of members, as sizes."""
        sizes = np.full(len(self.members), float(self.members.shape[1])) if self.counted else self.masses
        return float(sizes @ widths(records, list(self.members)))

    @property
    def _clusters(self) -> Indices:
        """The cluster of every membership, in the order of `members.ravel()`."""
        return np.repeat(np.arange(len(self.members)), self.members.shape[1])

    def centres(self, records: Matrix, mixed: Mixed = NUMBERS) -> Matrix:
        """Means, of categories medians or modes, weighted by membership."""
        sums = [np.einsum("ci,ci->c", self.memberships, attribute[self.members]) for attribute in records.T]
        centres = np.column_stack(sums) / self.masses[:, None]
        for j in mixed.categories:
            codes = records[self.members.ravel(), j]
            centres[:, j] = mixed.middles(j, codes, self._clusters, self.memberships.ravel())
        return centres

    def largest(self) -> Indices:
        """For every record the cluster it belongs to most, the first of equals."""
        who, how_much = self.members.ravel(), self.memberships.ravel()
        most = np.zeros(int(who.max()) + 1)
        np.maximum.at(most, who, how_much)
        equals = at_most(most[who], how_much)
        _, first = np.unique(who[equals], return_index=True)
        return self._clusters[equals][first]

    def weighted(self, centres: Matrix, mixed: Mixed = NUMBERS) -> Matrix:
        """For every record the mean of the centres, of categories the median or mode, weighted by its memberships."""
        who, n = self.members.ravel(), int(self.members.max()) + 1
        shares = [(self.memberships * centre[:, None]).ravel() for centre in centres.T]
        values: Matrix = np.column_stack([np.bincount(who, share, minlength=n) for share in shares]).astype(float)
        gave = self.memberships.ravel() > 0
        for j in mixed.categories:
            codes = centres[self._clusters, j]
            values[:, j] = mixed.middles(j, codes[gave], who[gave], self.memberships.ravel()[gave])
        return values


def fuzzy_k_member(
    records: Normalised, k: int, function: Function, block: int | None = None, reading: ReadingName = "shared"
) -> FuzzyClusters:
    """Clusters until no record has anything left; the next core is chosen as in crisp k-member clustering."""
    check_k(k, len(records))
    parts = clustering_blocks(records.positions(), k, block)
    found = [_fuzzy_k_member(records.only(part), k, function, reading == "own") for part in each_of(parts, "blocks")]
    wide = max(clusters.members.shape[1] for clusters in found)
    found = [_filled(clusters, wide) for clusters in found]
    members = [part[clusters.members] for part, clusters in zip(parts, found, strict=True)]
    memberships = [clusters.memberships for clusters in found]
    return FuzzyClusters(np.concatenate(members), np.concatenate(memberships), reading == "counted")


def _filled(clusters: FuzzyClusters, wide: int) -> FuzzyClusters:
    """The same clusters in so many columns: a core that is named again, and gives nothing, changes nothing."""
    more = wide - clusters.members.shape[1]
    cores = np.repeat(clusters.members[:, :1], more, axis=1)
    return FuzzyClusters(np.hstack([clusters.members, cores]), np.pad(clusters.memberships, ((0, 0), (0, more))))


class _Left:
    """What every record has left, and who has anything; those who have nothing are put aside now and then."""

    def __init__(self, records: Normalised) -> None:
        n = len(records)
        self.records, self.free, self.count = records, records, n
        self.memberships = np.ones(n)
        self.rest, self.gone, self.place = np.arange(n), np.zeros(n), np.arange(n)

    def farthest(self, last: int) -> int:
        """Of those who have anything the farthest from a record."""
        if self.count < (1 - SLACK) * len(self.rest):
            keep = self.gone == 0
            self.rest, self.free, self.gone = self.rest[keep], self.free.only(keep), self.gone[keep]
            self.place[self.rest] = np.arange(len(self.rest))
        return int(self.rest[largest_of(self.free.distances(self.records.only([last])) - self.gone)])

    def nearest(self, core: int, count: int) -> tuple[Indices, Vector]:
        """Of those who have anything the nearest to a core, and their distances; the last is the farthest."""
        far = self.free.distances(self.records.only([core])) + self.gone
        far[self.place[core]] = np.inf
        chosen = smallest(far, count)
        return self.rest[chosen], far[chosen]

    def give(self, core: int, near: Indices, factors: Vector) -> list[float]:
        """What a core and its nearest give to a cluster: all, and their factors of what they have."""
        had = self.memberships[near]
        given = factors * had
        given = np.where(at_most(had - given, LEAST), had, given)
        all_given = [self.memberships[core], *given]
        self.memberships[core], self.memberships[near] = 0.0, had - given
        emptied = np.append(near[(had > 0) & (given == had)], core)
        self.gone[self.place[emptied]] = np.inf
        self.count -= len(emptied)
        return all_given


def _fuzzy_k_member(records: Normalised, k: int, function: Function, own: bool) -> FuzzyClusters:
    left, last = _Left(records), 0
    nearest_to = _among_left(left, k, function) if own else _among_all(records, k, function)
    members: list[list[int]] = []
    memberships: list[list[float]] = []
    while left.count >= (k if own else 1):
        core = left.farthest(last)
        near, factors = nearest_to(core)
        members.append([core, *near])
        memberships.append(left.give(core, near, factors))
        last = int(near[-1])
    return _joined(records, FuzzyClusters(np.array(members), np.array(memberships)), left)


Nearest = Callable[[int], tuple[Indices, Vector]]
"""The k - 1 nearest to a core, and the factors of what they have that they give it."""


def _among_all(records: Normalised, k: int, function: Function) -> Nearest:
    neighbours, distances = nearest(records, k - 1)
    factors = function(distances)
    return lambda core: (neighbours[core], factors[core])


def _among_left(left: _Left, k: int, function: Function) -> Nearest:
    def found(core: int) -> tuple[Indices, Vector]:
        near, distances = left.nearest(core, k - 1)
        return near, function(distances)

    return found


def _joined(records: Normalised, clusters: FuzzyClusters, left: _Left) -> FuzzyClusters:
    """With all that others have left, one by one, in the cluster whose information loss it raises least."""
    for other in left.rest[left.gone == 0]:
        given = left.memberships[other]
        with_other = np.insert(clusters.members, clusters.members.shape[1], other, axis=1)
        losses = (clusters.masses + given) * widths(records, list(with_other))
        before = clusters.masses * widths(records, list(clusters.members))
        clusters = _with_joined(clusters, int(smallest_of(losses - before, losses.max())), other, given)
    return clusters


def _with_joined(clusters: FuzzyClusters, cluster: int, other: int, given: float) -> FuzzyClusters:
    """Clusters of which one gets more of a record, be it a member already or not."""
    if other not in clusters.members[cluster]:
        clusters = _filled(clusters, clusters.members.shape[1] + 1)
        clusters.members[cluster, -1] = other
    clusters.memberships[cluster, clusters.members[cluster] == other] += given
    return clusters


def nearest(records: Normalised, count: int) -> tuple[Indices, Matrix]:
    """The nearest others of every record in L1 and their distances, ties by position; the last is the farthest.

    A tree finds them, but breaks ties as it likes: where the next one beyond is no farther, all records are looked at.
    So they are for every record if there are categories, of which a tree knows nothing.
    """
    n = len(records)
    if records.categories:
        neighbours, reaches = np.empty((n, count), dtype=np.intp), np.empty((n, count))
        unclear = np.arange(n)
    else:
        neighbours, reaches, unclear = _by_tree(records.points, count)
    for i in unclear:
        from_i = records.distances(records.only([i]))
        from_i[i] = np.inf
        neighbours[i] = smallest(from_i, count)
        reaches[i] = from_i[neighbours[i]]
    return neighbours, reaches


def _by_tree(points: Matrix, count: int) -> tuple[Indices, Matrix, Indices]:
    """The nearest others that a tree finds, their distances, and the records of which others may be as near."""
    n = len(points)
    distances, who = map(np.asarray, cKDTree(points).query(points, k=min(count + 2, n), p=1))
    # the record itself is the first of its row, or has been crowded out by copies of it: then it is a tie as well
    clear = who[:, 0] == np.arange(n)
    if count + 2 <= n:
        clear &= ~at_most(distances[:, -1], distances[:, -2])
    neighbours, reaches = who[:, 1 : count + 1], distances[:, 1 : count + 1]
    order = np.lexsort((neighbours, at_most(reaches[:, -1:], reaches)), axis=1)
    neighbours, reaches = (np.take_along_axis(each, order, axis=1) for each in (neighbours, reaches))
    return neighbours, reaches, np.flatnonzero(~clear)
