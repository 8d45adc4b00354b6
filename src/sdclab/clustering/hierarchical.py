"""Model-based hierarchical clustering: where the EM of a Gaussian mixture starts.

Fraley (1998), Algorithms for model-based Gaussian hierarchical clustering; used by Oganian & Domingo-Ferrer (2017),
section 5, through R's mclust. The two clusters whose union costs least classification likelihood are merged, again and
again; a cluster of n_k records with scatter W_k counts n_k log(|W_k / n_k| + (tr W_k + a) / n_k), a = tr W / (n p), and
without the determinant while n_k <= p.

Scatters are kept as triangular factors, W = R'R, and determinants as logarithms, so that neither many attributes nor
units of money overflow. What only rounding could decide has a rule instead: ties, and whether a scatter is singular.
"""

from typing import Literal

import numpy as np

from sdclab.numerics.arrays import Indices, Matrix, Vector

Reading = Literal["mclust", "textbook"]

TIE = 1e-13
"""Costs are equal if they differ by less than this share of the terms that they are differences of."""

SINGULAR = 1e-12
"""A diagonal element of a triangular factor below this share of its column's length is rounding."""

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
    """The clusters left, each under the number of one of its records; a merge empties the other number."""

    def __init__(self, records: Matrix, reading: Reading):
        n, p = records.shape
        self.reading = reading
        self.offset = max(float(records.var(axis=0).sum()) / p, EPSILON)
        self.first = np.arange(n)  # record of every cluster
        self.place = np.arange(n)  # by which ties are decided
        self.left = np.arange(n)
        self.size = np.ones(n)
        self.centre = records.T.copy()
        self.factor = np.zeros((p, p, n))
        self.row = np.zeros((p, n))  # the first of the factor
        self.trace = np.zeros(n)
        self.term = np.full(n, np.log(self.offset))
        self.cost = np.full((n, n), np.inf)  # of merging row with column
        for i in range(1, n):
            self.cost[i, :i] = self.cost[:i, i] = self._costs(i, np.arange(i))
        self.partner = self.cost.argmin(axis=1)
        self.least = self.cost[np.arange(n), self.partner]

    def merges(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        before = -1
        while len(self.left) > 1:
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
        any_of = int(self.least.argmin())
        terms = abs(self.term[any_of]) + abs(self.term[self.partner[any_of]])
        limit = self.least[any_of] + TIE * (1 + terms)
        dropped = self._last(self.least <= limit)
        return self._last(self.cost[dropped] <= limit), dropped

    def _last(self, among: Indices) -> int:
        clusters = np.flatnonzero(among)
        return int(clusters[self.place[clusters].argmax()])

    def _set_aside(self, cluster: int) -> None:
        """Leave of the factor only its first row r, repeated: R[a, b] = r[b] for a <= b and a < n_k - 1, from 0."""
        p = len(self.factor)
        rows = np.arange(p) < self.size[cluster] - 1
        self.factor[:, :, cluster] = np.triu(np.outer(rows, self.row[:, cluster]))

    def _merge(self, kept: int, dropped: int, before: int) -> None:
        size, apart, trace = (union[..., 0] for union in self._unions(kept, np.array([dropped])))
        factor = np.linalg.qr(np.vstack([self.factor[:, :, kept], self.factor[:, :, dropped], apart]), mode="r")
        self.row[:, kept] = self._first_row(kept, dropped, before, factor[0], apart)
        self.factor[:, :, kept] = factor
        self.centre[:, kept] += (self.centre[:, dropped] - self.centre[:, kept]) * (self.size[dropped] / size)
        self.size[kept], self.trace[kept] = size, trace
        self.term[kept] += self.cost[kept, dropped] + self.term[dropped]
        self.place[self.place == len(self.left) - 1] = self.place[dropped]  # the last place moves to the one left
        self.left = self.left[self.left != dropped]
        self.cost[dropped], self.cost[:, dropped], self.least[dropped] = np.inf, np.inf, np.inf
        self._reprice(kept, dropped)

    def _first_row(self, kept: int, dropped: int, before: int, row: Vector, apart: Vector) -> Vector:
        """Rotations leave the first row of the R routine's factor as it came while the first attribute is constant."""
        came = [c for c in (before, dropped, kept) if c in (kept, dropped) and self.size[c] > 1]
        if row[0] != 0:
            return row
        return self.row[:, came[0]] if came else apart

    def _reprice(self, kept: int, dropped: int) -> None:
        """The costs of merging the new cluster with every other, and whom that makes each one's best partner."""
        others = self.left[self.left != kept]
        cost = self._costs(kept, others)
        self.cost[kept, others] = self.cost[others, kept] = cost
        nearer = cost < self.least[others]
        self.partner[others[nearer]], self.least[others[nearer]] = kept, cost[nearer]
        stale = np.append(others[~nearer & np.isin(self.partner[others], (kept, dropped))], kept)
        self.partner[stale] = self.cost[stale].argmin(axis=1)
        self.least[stale] = self.cost[stale, self.partner[stale]]

    def _costs(self, kept: int, others: Indices) -> Vector:
        """Of merging one cluster with each of the others."""
        size, apart, trace = self._unions(kept, others)
        large = size > len(apart)
        logs = np.log((trace + self.offset) / size)
        if large.any():
            factor = self._factors(kept, others[large], apart[:, large])
            logs[large] = np.logaddexp(logs[large], self._log_determinants(factor, size[large]))
        return size * logs - self.term[others] - self.term[kept]

    def _unions(self, kept: int, others: Indices) -> tuple[Vector, Matrix, Vector]:
        """Size, what the distance of the centres adds to the factor, and trace of the union with each of the others."""
        size = self.size[kept] + self.size[others]
        apart = self.centre[:, others] - self.centre[:, [kept]]
        apart *= np.sqrt(self.size[kept] * self.size[others] / size)
        return size, apart, self.trace[kept] + self.trace[others] + (apart**2).sum(axis=0)

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

    def _log_determinants(self, factor: Matrix, size: Vector) -> Vector:
        """Of W / n_k; rounding on the diagonal counts as one unit of it in the reading `mclust`, as 0 in `textbook`."""
        diagonal = np.abs(np.diagonal(factor).T)
        length = np.sqrt(np.einsum("abi,abi->bi", factor, factor))
        unit = EPSILON if self.reading == "mclust" else 0.0
        with np.errstate(divide="ignore"):
            logs = np.log(np.where(diagonal > SINGULAR * length, diagonal, unit * length))
        return 2 * logs.sum(axis=0) - len(factor) * np.log(size)


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
