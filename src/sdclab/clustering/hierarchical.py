"""Model-based hierarchical clustering: where the EM of a Gaussian mixture starts.

Fraley (1998), Algorithms for model-based Gaussian hierarchical clustering; used by Oganian & Domingo-Ferrer (2017),
section 5, through R's mclust. The two clusters whose union costs least classification likelihood are merged, again and
again; a cluster of n_k records with scatter W_k counts n_k log(|W_k / n_k| + (tr W_k + a) / n_k), a = tr W / (n p), and
without the determinant while n_k <= p.

Scatters are kept as triangular factors, W = R'R, and determinants as logarithms, so that neither many attributes nor
units of money overflow; where a union is far from singular its determinant comes from W itself, which is quicker.
Without its determinant a union costs less: this bound stands for the cost until it is the least of all, which few are.
What only rounding could decide has a rule instead: ties, and whether a scatter is singular.
"""

from functools import cache
from math import sqrt
from typing import Literal

import numpy as np
from scipy.linalg.lapack import dgeqrf
from scipy.spatial.distance import cdist

from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector

Reading = Literal["mclust", "textbook"]

TIE = 1e-13
"""Costs are equal if they differ by less than this share of the terms that they are differences of."""

SINGULAR = 1e-12
"""A diagonal element of a triangular factor below this share of its column's length is rounding."""

PLAIN = 1e-3
"""A pivot above this share of its diagonal element is good enough by elimination: it has lost three digits."""

EPSILON = float(np.finfo(float).eps)

LOST = -1
"""A partner that is no more: the least cost with it is a bound for that with others."""


def labels(tree: Indices, clusters: int) -> Indices:
    """Cluster numbers 0, 1, ... in the order of each cluster's first record, once all but so many merges are done."""
    n = len(tree) + 1
    kept, dropped = tree[: n - clusters].T
    member = np.arange(n)
    member[dropped] = kept  # whoever joins is never joined again, so this ends with the first record of each cluster
    while (member[member] != member).any():
        member = member[member]
    return np.unique(member, return_inverse=True)[1]


def tree(records: Matrix, reading: Reading) -> Indices:
    """All n - 1 merges in order: the first record of the cluster that stays, and of that which joins it.

    `textbook` is the criterion as Fraley defines it. `mclust` follows the numbers of the R routine, which differ in
    three ways, as its source says and merges confirm: a cluster that is set aside for another keeps only the first
    row of its triangular factor, repeated; its term is the one its last merge was chosen by, even if its scatter was
    then lost; and a singular scatter has a determinant made of rounding, so that such a union costs more.
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # what a singular scatter has for a determinant
        return np.array(_Clusters(records, reading).merges())


class _Clusters:
    """The clusters left, each at a place; when two merge the last one moves to the place that is left.

    Everything about them is stacked along the last axis, so that what concerns all of them needs no copy. Costs of
    pairs have rows and columns of their own, called slots, that never move. A union often grows on, record by record:
    what it would cost with each of the others is put into the matrix only once another pair merges first.
    """

    def __init__(self, records: Matrix, reading: Reading):
        n, p = records.shape
        self.reading = reading
        self.offset = max(float(records.var(axis=0).sum()) / p, EPSILON)
        self.left = n
        self.first = np.arange(n)  # record of every cluster
        self.born = np.zeros(n, dtype=np.intp)  # after how many merges
        self.all = np.zeros((3 + 2 * p + 4 * p * p, n))
        self.size, self.trace, self.term = self.all[:3]
        self.centre, self.row = self.all[3 : 3 + p], self.all[3 + p : 3 + 2 * p]  # row: the first of the factor
        # when a cluster is made, and once it was set aside
        self.new, self.old = (_Scatters(each, p) for each in np.split(self.all[3 + 2 * p :], 2))
        self.size[:], self.term[:], self.centre[:] = 1.0, np.log(self.offset), records.T
        self.slot, self.place = np.arange(n), np.arange(n)  # of every place, and of every slot
        self.cost = self._of_records(records)
        self.known = np.full((n, n), p > 1)  # which of them are more than a bound
        np.fill_diagonal(self.known, True)
        self.partner = self.cost.argmin(axis=1)  # the slot of each one's best, or LOST
        self.least = self.cost[self.slot, self.partner]  # of a cluster whose partner is lost no more than a bound
        self.newest, self.growing = -1, False  # the place of the last union, and whether it is not in the matrix yet
        self.unions = np.empty(0), np.empty(0)  # of it with each
        self.price, self.sure = np.empty(0), np.empty(0, dtype=bool)  # what they cost, and which of that is known

    def _of_records(self, records: Matrix) -> Matrix:
        """The costs of merging two records each, in the room that their distances take."""
        cost = np.asarray(cdist(records, records, "sqeuclidean"))
        cost *= 0.25
        cost += self.offset / 2
        np.log(cost, out=cost)
        cost -= self.term[0]
        cost *= 2.0
        np.fill_diagonal(cost, np.inf)
        return cost

    def merges(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        while self.left > 1:
            kept, dropped = self._cheapest()
            pair = sorted((int(self.first[kept]), int(self.first[dropped])))
            self._merge(kept, dropped)
            found.append((pair[0], pair[1]))
            self.first[kept] = pair[0]
        return found

    def _cheapest(self) -> tuple[int, int]:
        """The pair that costs least; of ties the one whose later place is last, and then its earlier place."""
        if self.growing:
            other = self._next_to_join()
            if other is not None:
                return min(self.newest, other), max(self.newest, other)
            self._settle()
        return self._cheapest_settled()

    def _next_to_join(self) -> int | None:
        """Who joins the last union, unless another pair may cost as little."""
        elsewhere = self.least[: self.left].min()
        while True:
            any_of = int(self.price.argmin())
            if not self.sure[any_of] and self.price[any_of] <= elsewhere:
                self._ask(self.price <= min(self.price[self.sure].min(), elsewhere))
                continue
            limit = self._limit(self.price[any_of], self.newest, any_of)
            if elsewhere <= limit and len(self._within(limit)):
                return None
            tied = (self.price <= limit).nonzero()[0]
            if self.sure[tied].all():
                return int(tied[-1])
            self._ask(self.price <= limit)

    def _ask(self, wanted: Mask) -> None:
        """What the last union costs with others, where only a bound is known."""
        others = (wanted & ~self.sure).nonzero()[0]
        if len(others):
            size, spread = self.unions
            self.price[others] = self._costs(np.array([self.newest]), others, size[others], spread[others])
            self.sure[others] = True

    def _settle(self) -> None:
        """Set the last union aside, and put its costs into the matrix: it becomes the partner of some."""
        self.growing, place = False, self.newest
        least = self.least[: self.left]
        self._ask(self.price < least)
        own, slots = self.slot[place], self.slot[: self.left]
        for matrix, found in ((self.cost, self.price), (self.known, self.sure)):
            matrix[own][slots] = matrix[:, own][slots] = found
        nearer = self.price < least
        self.partner[: self.left][nearer], least[nearer] = own, self.price[nearer]
        best = self.price.argmin()
        self.partner[place], self.least[place] = slots[best], self.price[best]
        factor = self.new.factor[:, :, place]
        aside = self.reading == "mclust"
        self.old.keep(place, _set_aside(self.row[:, place], self.size[place]) if aside else factor)

    def _cheapest_settled(self) -> tuple[int, int]:
        """The same of the pairs in the matrix."""
        while True:
            least, partner, slots = (each[: self.left] for each in (self.least, self.partner, self.slot))
            any_of = int(least.argmin())
            if partner[any_of] == LOST:
                self._find_partners(np.array([any_of]))
                continue
            limit = self._limit(least[any_of], any_of, self.place[partner[any_of]])
            tied = self._within(limit)
            sure = self.known[slots[tied], partner[tied]]
            if sure.all():
                dropped = int(tied[-1])
                equal = (self.cost[slots[dropped], slots] <= limit).nonzero()[0]
                if self.known[slots[dropped], slots[equal]].all():
                    return int(equal[-1]), dropped
                self._learn(dropped, limit)
            else:
                unsure = int(tied[sure.argmin()])
                self._learn(max(unsure, int(self.place[partner[unsure]]), key=self.born.__getitem__), limit)

    def _limit(self, cost: float, *pair: int) -> float:
        """Up to where costs are equal to one."""
        return float(cost + TIE * (1 + sum(abs(self.term[each]) for each in pair)))

    def _within(self, limit: float) -> Indices:
        """The places in the matrix whose least cost is within a limit."""
        while True:
            within = (self.least[: self.left] <= limit).nonzero()[0]
            lost = within[self.partner[within] == LOST]
            if not len(lost):
                return within
            self._find_partners(lost)

    def _learn(self, place: int, limit: float) -> None:
        """The costs of merging a cluster with all that may be the least of all, at least up to a limit."""
        least, partner, slots = (each[: self.left] for each in (self.least, self.partner, self.slot))
        known = self.known[slots, partner] & (partner != LOST)
        limit = max(limit, float(least[known].min(initial=np.inf)))
        own = slots[place]
        others = ((self.cost[own, slots] <= limit) & ~self.known[own, slots]).nonzero()[0]
        turned = self.born[others] > self.born[place]
        later, earlier = np.where(turned, others, place), np.where(turned, place, others)
        cost = self._costs(later, earlier, *self._unions(later, earlier))
        theirs = slots[others]
        self.cost[own, theirs] = self.cost[theirs, own] = cost
        self.known[own, theirs] = self.known[theirs, own] = True
        self._find_partners(np.append(others[partner[others] == own], place))

    def _find_partners(self, places: Indices) -> None:
        slots = self.slot[: self.left]
        cost = self.cost[slots[places]].take(slots, axis=1)
        if self.growing:
            cost[:, self.newest] = np.inf
        best = cost.argmin(axis=1)
        self.partner[places], self.least[places] = slots[best], cost[np.arange(len(places)), best]

    def _merge(self, kept: int, dropped: int) -> None:
        (a, b), (first, second) = self.size[[kept, dropped]].tolist(), self.centre[:, [kept, dropped]].T
        size = a + b
        apart = (second - first) * sqrt(a * b / size)
        cost = self.price[kept + dropped - self.newest] if self.growing else self.cost[*self.slot[[kept, dropped]]]
        factors = [(self.new if each == self.newest else self.old).factor[:, :, each] for each in (kept, dropped)]
        factor = _triangular(np.concatenate([*factors, apart[None]]))
        self.row[:, kept] = self._first_row(kept, dropped, factor[0], apart)
        self.new.keep(kept, factor)
        self.centre[:, kept] = first + (second - first) * (b / size)
        self.size[kept] = size
        self.trace[kept] += self.trace[dropped] + apart @ apart
        self.term[kept] += cost + self.term[dropped]
        self.born[kept] = len(self.first) - self.left + 1
        partner = self.partner[: self.left]
        partner[(partner == self.slot[kept]) | (partner == self.slot[dropped])] = LOST
        self.least[kept] = np.inf
        self._drop(dropped)
        self._grow(kept)

    def _first_row(self, kept: int, dropped: int, row: Vector, apart: Vector) -> Vector:
        """Rotations leave the first row of the R routine's factor as it came while the first attribute is constant."""
        if row[0] != 0:
            return row
        came = [c for c in (self.newest, dropped, kept) if c in (kept, dropped) and self.size[c] > 1]
        return self.row[:, came[0]] if came else apart

    def _drop(self, place: int) -> None:
        """Move the last cluster to the place of one that is no more."""
        self.left = last = self.left - 1
        for each in (self.all, self.first, self.born, self.slot, self.partner, self.least):
            each[..., place] = each[..., last]
        self.place[self.slot[place]] = place

    def _grow(self, place: int) -> None:
        """What merging the new cluster with any other costs at least."""
        self.unions = size, spread = self._unions(np.array([place]), slice(self.left))
        self.price = size * spread
        self.price -= self.term[: self.left]
        self.price -= self.term[place]
        self.sure = size <= len(self.centre)
        self.price[place], self.sure[place] = np.inf, True
        self.newest, self.growing = place, True

    def _costs(self, later: Indices, earlier: Indices, size: Vector, spread: Vector) -> Vector:
        """Of merging pairs of clusters whose union is large, by what they were when the later one was made."""
        logs = np.logaddexp(spread, self._log_determinants(later, earlier, size))
        return np.asarray(size * logs - self.term[earlier] - self.term[later])

    def _unions(self, later: Indices, earlier: Indices | slice) -> tuple[Vector, Vector]:
        """Size and log((tr W + a) / n_k) of the unions of pairs of clusters: what they count without determinants."""
        a, b = self.size[later], self.size[earlier]
        size = a + b
        apart = self.centre[:, earlier] - self.centre[:, later]
        spread = np.einsum("ab,ab->b", apart, apart)
        spread *= a * b / size
        spread += self.trace[earlier]
        spread += self.trace[later] + self.offset
        spread /= size
        return size, np.log(spread, out=spread)

    def _log_determinants(self, later: Indices, earlier: Indices, size: Vector) -> Vector:
        """Of W / n_k of the unions: by elimination, or from factors where that would lose digits."""
        apart = self.centre[:, earlier] - self.centre[:, later]
        apart *= np.sqrt(self.size[later] * self.size[earlier] / size)
        logs, plain = self._by_elimination(later, earlier, apart)
        if not plain.all():
            lost = ~plain
            later = np.broadcast_to(later, earlier.shape)
            logs[lost] = self._by_factors(self._factors(later[lost], earlier[lost], apart[:, lost]))
        return logs - len(apart) * np.log(size)

    def _by_elimination(self, later: Indices, earlier: Indices, apart: Matrix) -> tuple[Vector, Mask]:
        """The log-determinants of W, and which of them are good enough."""
        w = apart[:, None] * apart
        w += self.old.scatter[:, :, earlier]
        w += self.new.scatter[:, :, later]
        least = PLAIN * w.diagonal()
        for i in range(len(w) - 1):
            row = w[i, i + 1 :]
            w[i + 1 :, i + 1 :] -= (row / w[i, i])[:, None] * row
        pivots = w.diagonal()
        return np.asarray(np.log(pivots).sum(axis=1)), np.asarray((pivots > least).all(axis=1))

    def _factors(self, later: Indices, earlier: Indices, apart: Matrix) -> Matrix:
        """The triangular factors of the unions of pairs of clusters, stacked along the last axis."""
        factor = self.new.factor[:, :, later]
        several = self.size[earlier] > 1
        if several.any():
            union = factor[:, :, several]
            for first, row in enumerate(self.old.factor[:, :, earlier[several]]):
                if row.any():
                    _rotate(union, row, first)
            factor[:, :, several] = union
        _rotate(factor, apart.copy(), 0)
        return factor

    def _by_factors(self, factor: Matrix) -> Vector:
        """The same; rounding on the diagonal counts as one unit of it in the reading `mclust`, as 0 in `textbook`."""
        diagonal = np.abs(np.diagonal(factor).T)
        length = np.sqrt(np.einsum("abi,abi->bi", factor, factor))
        unit = EPSILON if self.reading == "mclust" else 0.0
        logs = np.log(np.where(diagonal > SINGULAR * length, diagonal, unit * length))
        return np.asarray(2 * logs.sum(axis=0))


class _Scatters:
    """The scatters of clusters, as triangular factors and as R'R."""

    def __init__(self, rows: Matrix, p: int):
        self.factor, self.scatter = rows.reshape(2, p, p, -1)

    def keep(self, cluster: int, factor: Matrix) -> None:
        self.factor[:, :, cluster] = factor
        self.scatter[:, :, cluster] = factor.T @ factor


def _triangular(rows: Matrix) -> Matrix:
    """The factor R of X'X = R'R."""
    return np.asarray(dgeqrf(rows)[0][: rows.shape[1]] * _upper_triangle(rows.shape[1]))


def _set_aside(row: Vector, size: float) -> Matrix:
    """A factor of which only its first row r is left, repeated: R[a, b] = r[b] for a <= b and a < n_k - 1, from 0."""
    kept = _upper_triangle(len(row)) & (np.arange(len(row)) < size - 1)[:, None]
    return np.where(kept, row, 0.0)


@cache
def _upper_triangle(p: int) -> Mask:
    return np.triu(np.ones((p, p), dtype=bool))


def _rotate(factor: Matrix, row: Matrix, first: int) -> None:
    """Givens rotations of a row, 0 before its element `first`, into triangular factors, stacked along the last axis."""
    for a in range(first, len(factor)):
        length = np.sqrt(factor[a, a] ** 2 + row[a] ** 2)
        cosine, sine, unturned = factor[a, a].copy(), row[a], length == 0
        factor[a, a] = length
        if unturned.any():
            cosine[unturned] = length[unturned] = 1.0
        cosine /= length
        sine = sine / length
        if a + 1 < len(factor):
            above, below = factor[a, a + 1 :], row[a + 1 :]
            turned = sine * above
            above *= cosine
            above += sine * below
            below *= cosine
            below -= turned
