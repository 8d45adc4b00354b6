"""Fuzzy k-member clustering: clusters that share records.

Honda, Kawano, Notsu & Ichihashi (2012), A fuzzy variant of k-member clustering for collaborative filtering with data
anonymization; Ahmed & Rauf (2016), section 3 and equations 1 to 3, on the reading of "shared support": every record
has a membership of 1 to give away. A core object gives its cluster all that it has left, and its k - 1 nearest of
*all* records, those with nothing left included, give f(d) of theirs; the cluster is as wide as all k together.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from sdclab.base.errors import SdclabError
from sdclab.clustering.blocks import clustering_blocks
from sdclab.clustering.k_member import SLACK, Normalised, check_k, widths
from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.ties import at_most, largest_of, smallest

Membership = Literal["exponential", "bell", "triangular"]

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
    """cluster × k, the core first"""
    memberships: Matrix
    """cluster × k"""

    @property
    def masses(self) -> Vector:
        """|G_c|, the sum of a cluster's memberships."""
        return np.asarray(self.memberships.sum(axis=1))

    def loss(self, records: Normalised) -> float:
        """The information loss (equation 5) with the sums of memberships as sizes."""
        return float(self.masses @ widths(records, list(self.members)))

    def centres(self, records: Matrix) -> Matrix:
        """Means weighted by membership."""
        sums = [np.einsum("ci,ci->c", self.memberships, attribute[self.members]) for attribute in records.T]
        return np.column_stack(sums) / self.masses[:, None]

    def largest(self) -> Indices:
        """For every record the cluster it belongs to most, the first of equals."""
        clusters = np.repeat(np.arange(len(self.members)), self.members.shape[1])
        who, how_much = self.members.ravel(), self.memberships.ravel()
        most = np.zeros(int(who.max()) + 1)
        np.maximum.at(most, who, how_much)
        equals = at_most(most[who], how_much)
        _, first = np.unique(who[equals], return_index=True)
        return clusters[equals][first]

    def weighted(self, centres: Matrix) -> Matrix:
        """For every record the mean of the centres, weighted by its memberships."""
        who, n = self.members.ravel(), int(self.members.max()) + 1
        shares = [(self.memberships * centre[:, None]).ravel() for centre in centres.T]
        return np.column_stack([np.bincount(who, share, minlength=n) for share in shares])


def fuzzy_k_member(points: Matrix, k: int, function: Function, block: int | None = None) -> FuzzyClusters:
    """Clusters until no record has anything left; the next core is chosen as in crisp k-member clustering."""
    check_k(k, len(points))
    parts = clustering_blocks(points, k, block)
    found = [_fuzzy_k_member(points[part], k, function) for part in parts]
    members = [part[clusters.members] for part, clusters in zip(parts, found, strict=True)]
    return FuzzyClusters(np.concatenate(members), np.concatenate([clusters.memberships for clusters in found]))


def _fuzzy_k_member(points: Matrix, k: int, function: Function) -> FuzzyClusters:
    n = len(points)
    neighbours, distances = nearest(points, k - 1)
    factors = function(distances)
    left, last, remaining = np.ones(n), 0, n
    rest, free, gone, place = np.arange(n), points, np.zeros(n), np.arange(n)
    members: list[list[int]] = []
    memberships: list[list[float]] = []
    while remaining:
        if remaining < (1 - SLACK) * len(rest):
            keep = gone == 0
            rest, free, gone = rest[keep], free[keep], gone[keep]
            place[rest] = np.arange(len(rest))
        core = int(rest[largest_of(cdist(points[[last]], free, "cityblock")[0] - gone)])
        near = neighbours[core]
        had = left[near]
        given = factors[core] * had
        given = np.where(at_most(had - given, LEAST), had, given)
        members.append([core, *near])
        memberships.append([left[core], *given])
        left[core], left[near] = 0.0, had - given
        emptied = np.append(near[(had > 0) & (given == had)], core)
        gone[place[emptied]] = np.inf
        remaining, last = remaining - len(emptied), int(near[-1])
    return FuzzyClusters(np.array(members), np.array(memberships))


def nearest(points: Matrix, count: int) -> tuple[Indices, Matrix]:
    """The nearest others of every record in L1 and their distances, ties by position; the last is the farthest.

    A tree finds them, but breaks ties as it likes: where the next one beyond is no farther, all records are looked at.
    """
    n = len(points)
    distances, who = map(np.asarray, cKDTree(points).query(points, k=min(count + 2, n), p=1))
    # the record itself is the first of its row, or has been crowded out by copies of it: then it is a tie as well
    clear = who[:, 0] == np.arange(n)
    if count + 2 <= n:
        clear &= ~at_most(distances[:, -1], distances[:, -2])
    neighbours, reaches = who[:, 1 : count + 1], distances[:, 1 : count + 1]
    order = np.lexsort((neighbours, at_most(reaches[:, -1:], reaches)), axis=1)
    neighbours, reaches = (np.take_along_axis(each, order, axis=1) for each in (neighbours, reaches))
    for i in np.flatnonzero(~clear):
        from_i = cdist(points[[i]], points, "cityblock")[0]
        from_i[i] = np.inf
        chosen = smallest(from_i, count)
        neighbours[i], reaches[i] = chosen, from_i[chosen]
    return neighbours, reaches
