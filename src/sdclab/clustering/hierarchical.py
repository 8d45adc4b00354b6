"""Model-based hierarchical clustering: where the EM of a Gaussian mixture starts.

Fraley (1998), Algorithms for model-based Gaussian hierarchical clustering; used by Oganian & Domingo-Ferrer (2017),
section 5, through R's mclust. The two clusters whose union costs least classification likelihood are merged, again and
again; a cluster of n_k records with scatter W_k counts n_k log(|W_k / n_k| + (tr W_k + a) / n_k), a = tr W / (n p), and
without the determinant while n_k <= p.

Scatters are kept as triangular factors, W = R'R, and determinants as logarithms, so that neither many attributes nor
units of money overflow; where a union is far from singular its determinant comes from W itself, which is quicker.
What only rounding could decide has a rule instead: ties, and whether a scatter is singular.
"""

from typing import Literal

import numpy as np

from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector

Reading = Literal["mclust", "textbook"]

TIE = 1e-13
"""Costs are equal if they differ by less than this share of the terms that they are differences of."""

SINGULAR = 1e-12
"""A diagonal element of a triangular factor below this share of its column's length is rounding."""

PLAIN = 1e-3
"""A pivot above this share of its diagonal element is good enough by elimination: it has lost three digits."""

EPSILON = float(np.finfo(float).eps)


def labels(tree: Indices, clusters: int) -> Indices:
    """Cluster numbers 0, 1, ... in the order of each cluster's first record, once all but so many merges are done."""
    n = len(tree) + 1
    member = np.arange(n)
    for kept, dropped in tree[: n - clusters]:
        member[member == dropped] = kept
    return np.unique(member, return_inverse=True)[1]


def tree(records: Matrix, reading: Reading) -> Indices:
    """All n - 1 merges in order: the first record of the cluster that stays, and of that which joins it.

    `textbook` is the criterion as Fraley defines it. `mclust` follows the numbers of the R routine, which differ in
    three ways, as its source says and merges confirm: a cluster that is set aside for another keeps only the first
    row of its triangular factor, repeated; its term is the one its last merge was chosen by, even if its scatter was
    then lost; and a singular scatter has a determinant made of rounding, so that such a union costs more.
    """
    return np.array(_Clusters(records, reading).merges())


class _Clusters:
    """The clusters left, each at a place; when two merge the last one moves to the place that is left.

    Everything about them is stacked along the last axis, so that what concerns all of them needs no copy.
    """

    def __init__(self, records: Matrix, reading: Reading):
        n, p = records.shape
        self.reading = reading
        self.offset = max(float(records.var(axis=0).sum()) / p, EPSILON)
        self.left = n
        self.first = np.arange(n)  # record of every cluster
        self.size = np.ones(n)
        self.centre = records.T.copy()
        self.factor = np.zeros((p, p, n))
        self.row = np.zeros((p, n))  # the first of the factor
        self.upper = np.triu_indices(p)
        self.scatter = np.zeros((len(self.upper[0]), n))  # R'R on and above its diagonal, row by row
        self.trace = np.zeros(n)
        self.term = np.full(n, np.log(self.offset))
        self.cost = np.full((n, n), np.inf)  # of merging row with column
        for i in range(1, n):
            self.cost[i, :i] = self.cost[:i, i] = self._costs(i, i)
        self.partner = self.cost.argmin(axis=1)
        self.least = self.cost[np.arange(n), self.partner]

    def merges(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        before = -1
        while self.left > 1:
            kept, dropped = self._cheapest()
            if self.reading == "mclust" and before not in (-1, kept, dropped):
                self._set_aside(before)
            pair = sorted((int(self.first[kept]), int(self.first[dropped])))
            self._merge(kept, dropped, before)
            found.append((pair[0], pair[1]))
            self.first[kept], before = pair[0], kept
        return found

    def _cheapest(self) -> tuple[int, int]:
        """The pair that costs least; of ties the one whose later place is last, and then its earlier place."""
        least = self.least[: self.left]
        any_of = int(least.argmin())
        terms = abs(self.term[any_of]) + abs(self.term[self.partner[any_of]])
        limit = least[any_of] + TIE * (1 + terms)
        dropped = int(np.flatnonzero(least <= limit)[-1])
        return int(np.flatnonzero(self.cost[dropped, : self.left] <= limit)[-1]), dropped

    def _set_aside(self, cluster: int) -> None:
        """Leave of the factor only its first row r, repeated: R[a, b] = r[b] for a <= b and a < n_k - 1, from 0."""
        p = len(self.factor)
        rows = np.arange(p) < self.size[cluster] - 1
        self._keep(cluster, np.triu(np.outer(rows, self.row[:, cluster])))

    def _keep(self, cluster: int, factor: Matrix) -> None:
        self.factor[:, :, cluster] = factor
        self.scatter[:, cluster] = (factor.T @ factor)[self.upper]

    def _merge(self, kept: int, dropped: int, before: int) -> None:
        size, apart, trace = (union[..., 0] for union in self._unions(kept, slice(dropped, dropped + 1)))
        rows = np.vstack([self.factor[:, :, kept], self.factor[:, :, dropped], apart])
        factor = np.asarray(np.linalg.qr(rows, mode="r"), dtype=float)
        self.row[:, kept] = self._first_row(kept, dropped, before, factor[0], apart)
        self._keep(kept, factor)
        self.centre[:, kept] += (self.centre[:, dropped] - self.centre[:, kept]) * (self.size[dropped] / size)
        self.size[kept], self.trace[kept] = size, trace
        self.term[kept] += self.cost[kept, dropped] + self.term[dropped]
        self._drop(kept, dropped)
        self._reprice(kept)

    def _first_row(self, kept: int, dropped: int, before: int, row: Vector, apart: Vector) -> Vector:
        """Rotations leave the first row of the R routine's factor as it came while the first attribute is constant."""
        came = [c for c in (before, dropped, kept) if c in (kept, dropped) and self.size[c] > 1]
        if row[0] != 0:
            return row
        return self.row[:, came[0]] if came else apart

    def _drop(self, kept: int, dropped: int) -> None:
        """Move the last cluster to the place of one that is no more; whoever had that as its partner has the union."""
        self.left = last = self.left - 1
        self.partner[self.partner == dropped] = kept
        self.partner[self.partner == last] = dropped
        for each in (self.first, self.size, self.centre, self.factor, self.row, self.scatter, self.trace, self.term):
            each[..., dropped] = each[..., last]
        self.partner[dropped], self.least[dropped] = self.partner[last], self.least[last]
        self.cost[dropped, :last] = self.cost[:last, dropped] = self.cost[last, :last]
        self.cost[dropped, dropped] = np.inf

    def _reprice(self, kept: int) -> None:
        """The costs of merging the new cluster with every other, and whom that makes each one's best partner."""
        cost = self._costs(kept, self.left)
        cost[kept] = np.inf
        self.cost[kept, : self.left] = self.cost[: self.left, kept] = cost
        partner, least = self.partner[: self.left], self.least[: self.left]
        nearer = cost < least
        stale = ~nearer & (partner == kept)
        stale[kept] = True
        partner[nearer], least[nearer] = kept, cost[nearer]
        partner[stale] = self.cost[stale.nonzero()[0], : self.left].argmin(axis=1)
        least[stale] = self.cost[stale.nonzero()[0], partner[stale]]

    def _costs(self, kept: int, upto: int) -> Vector:
        """Of merging one cluster with each at the first places, itself perhaps among them."""
        size, apart, trace = self._unions(kept, slice(upto))
        large = size > len(apart)
        logs = np.log((trace + self.offset) / size)
        if large.all():
            logs = np.logaddexp(logs, self._log_determinants(kept, slice(upto), apart))
        elif large.any():
            found = self._log_determinants(kept, np.flatnonzero(large), apart[:, large])
            logs[large] = np.logaddexp(logs[large], found)
        return size * logs - self.term[:upto] - self.term[kept]

    def _unions(self, kept: int, others: slice) -> tuple[Vector, Matrix, Vector]:
        """Size, what the distance of the centres adds to the factor, and trace of the union with each of the others."""
        size = self.size[kept] + self.size[others]
        apart = self.centre[:, others] - self.centre[:, kept, None]
        apart *= np.sqrt(self.size[kept] * self.size[others] / size)
        return size, apart, self.trace[kept] + self.trace[others] + (apart**2).sum(axis=0)

    def _log_determinants(self, kept: int, others: Indices | slice, apart: Matrix) -> Vector:
        """Of W / n_k of the unions: by elimination, or from factors where that would lose digits."""
        logs, plain = self._by_elimination(kept, others, apart)
        if not plain.all():
            places = np.arange(self.left)[others][~plain]
            logs[~plain] = self._by_factors(self._factors(kept, places, apart[:, ~plain]))
        return logs - len(apart) * np.log(self.size[kept] + self.size[others])

    def _by_elimination(self, kept: int, others: Indices | slice, apart: Matrix) -> tuple[Vector, Mask]:
        """The log-determinants of W, and which of them are good enough."""
        a, b = self.upper
        w = apart[a] * apart[b]
        w += self.scatter[:, others]
        w += self.scatter[:, kept, None]
        begin = np.flatnonzero(a == b)  # the diagonal
        least = PLAIN * w[begin]
        with np.errstate(divide="ignore", invalid="ignore"):
            for i, first in enumerate(begin[:-1]):
                row = w[first + 1 : begin[i + 1]]
                share = row / w[first]
                for j, target in enumerate(begin[i + 1 :]):
                    w[target : target + len(row) - j] -= share[j] * row[j:]
            pivots = w[begin]
            return np.asarray(np.log(pivots).sum(axis=0)), np.asarray((pivots > least).all(axis=0))

    def _factors(self, kept: int, others: Indices, apart: Matrix) -> Matrix:
        """The triangular factors of one cluster's union with each of the others, stacked along the last axis."""
        factor = np.repeat(self.factor[:, :, [kept]], len(others), axis=2)
        several = self.size[others] > 1
        if several.any():
            union = factor[:, :, several]
            for first, row in enumerate(self.factor[:, :, others[several]]):
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
        with np.errstate(divide="ignore"):
            logs = np.log(np.where(diagonal > SINGULAR * length, diagonal, unit * length))
        return np.asarray(2 * logs.sum(axis=0))


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
