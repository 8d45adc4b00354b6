"""Model-based hierarchical clustering: where the EM of a Gaussian mixture starts.

Fraley (1998), Algorithms for model-based Gaussian hierarchical clustering; used by Oganian & Domingo-Ferrer (2017),
section 5, through R's mclust. The two clusters whose union costs least classification likelihood are merged, again and
again; a cluster of n_k records with scatter W_k counts n_k log(|W_k / n_k| + (tr W_k + a) / n_k), a = tr W / (n p), and
without the determinant while n_k <= p.
"""

from typing import Literal

import numpy as np

from sdclab.arrays import Indices, Matrix, Vector

Reading = Literal["mclust", "textbook"]


def labels(tree: Indices, clusters: int) -> Indices:
    """Cluster numbers 0, 1, ... in the order of each cluster's first record, once all but so many merges are done."""
    n = len(tree) + 1
    member = np.arange(n)
    for kept, dropped in tree[: n - clusters]:
        member[member == dropped] = kept
    return np.unique(member, return_inverse=True)[1]


def tree(records: Matrix, reading: Reading) -> Indices:
    """All n - 1 merges in order: the number of the cluster that stays, and of that which joins it.

    `textbook` is the criterion as Fraley defines it. `mclust` follows the numbers of the R routine, which differ in two
    ways, both found by comparing merges (all 1946 on Thyroid are the same): a cluster that is set aside for another
    keeps only the first row of the triangular factor of its scatter, repeated; and its term is the one its last merge
    was chosen by, even if its scatter was then lost.
    """
    return np.array(_Clusters(records, reading).merges())


class _Clusters:
    """The clusters left, each under the number of its first record; a merge empties the other number."""

    def __init__(self, records: Matrix, reading: Reading):
        n, p = records.shape
        self.reading = reading
        self.offset = float(records.var(axis=0).sum()) / p
        self.centre = records.T.copy()
        self.size = np.ones(n)
        self.scatter = np.zeros((p, p, n))
        self.term = np.full(n, np.log(self.offset))
        self.cost = np.full((n, n), np.inf)  # of merging row with an earlier column
        for i in range(1, n):
            squares = ((records[:i] - records[i]) ** 2).sum(axis=1)
            self.cost[i, :i] = 2 * np.log((squares / 2 + self.offset) / 2) - 2 * self.term[0]
        self.trace = np.zeros(n)
        self.partner = self.cost.argmin(axis=1)
        self.least = self.cost[np.arange(n), self.partner]
        self.left = np.arange(n)

    def merges(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for _ in range(len(self.size) - 1):
            dropped = int(self.least.argmin())
            kept = int(self.partner[dropped])
            if self.reading == "mclust" and found and found[-1][0] not in (kept, dropped):
                self._set_aside(found[-1][0])
            self._merge(kept, dropped)
            found.append((kept, dropped))
        return found

    def _set_aside(self, cluster: int) -> None:
        """Leave of the triangular factor only its first row, repeated: W[a, b] = r[a] r[b] min(a, b, n_k - 1, p)."""
        scatter = self.scatter[:, :, cluster]
        varies = np.flatnonzero(np.diag(scatter) > 0)
        if len(varies):
            row = scatter[varies[0]] / np.sqrt(scatter[varies[0], varies[0]])
            rank = np.minimum(np.arange(1, len(row) + 1), self.size[cluster] - 1)
            self.scatter[:, :, cluster] = np.outer(row, row) * np.minimum.outer(rank, rank)

    def _merge(self, kept: int, dropped: int) -> None:
        size, centre, scatter, trace = (union[..., 0] for union in self._unions(kept, np.array([dropped])))
        if self.reading == "mclust":
            term = self.least[dropped] + self.term[kept] + self.term[dropped]
        else:
            term = self._terms(size[None], scatter[..., None], trace[None])[0]
        self.size[kept], self.centre[:, kept], self.term[kept] = size, centre, term
        self.scatter[:, :, kept], self.trace[kept] = scatter, trace
        self.left = self.left[self.left != dropped]
        self.cost[dropped], self.cost[:, dropped], self.least[dropped] = np.inf, np.inf, np.inf
        self._reprice(kept, dropped)

    def _reprice(self, kept: int, dropped: int) -> None:
        """The costs of merging the new cluster with every other, and whom that makes each one's best partner."""
        others = self.left[self.left != kept]
        size, _, scatter, trace = self._unions(kept, others)
        cost = self._terms(size, scatter, trace) - self.term[others] - self.term[kept]
        before = others < kept
        later = others[~before]
        self.cost[kept, others[before]] = cost[before]
        self.cost[later, kept] = cost[~before]
        nearer = later[cost[~before] < self.least[later]]
        self.partner[nearer], self.least[nearer] = kept, self.cost[nearer, kept]
        stale = self.left[np.isin(self.partner[self.left], (kept, dropped)) | (self.left == kept)]
        self.partner[stale] = self.cost[stale].argmin(axis=1)
        self.least[stale] = self.cost[stale, self.partner[stale]]

    def _unions(self, kept: int, others: Indices) -> tuple[Vector, Matrix, Matrix, Vector]:
        """Size, centre, scatter and its trace of the union of one cluster with each of the others."""
        size = self.size[kept] + self.size[others]
        apart = self.centre[:, others] - self.centre[:, [kept]]
        centre = self.centre[:, [kept]] + apart * (self.size[others] / size)
        apart = apart * np.sqrt(self.size[kept] * self.size[others] / size)
        scatter = self.scatter[:, :, [kept]] + self.scatter[:, :, others] + apart[:, None] * apart
        trace = self.trace[kept] + self.trace[others] + (apart**2).sum(axis=0)
        return size, centre, scatter, trace

    def _terms(self, size: Vector, scatter: Matrix, trace: Vector) -> Vector:
        inside = (trace + self.offset) / size
        large = size > len(scatter)
        inside[large] += _determinants(scatter[:, :, large] / size[large])
        return size * np.log(inside)


def _determinants(matrices: Matrix) -> Vector:
    """Determinants of positive semidefinite matrices, stacked along the last axis, all eliminated at once."""
    left = matrices.copy()
    product = np.ones(left.shape[-1])
    while len(left):
        pivot = np.maximum(left[0, 0], 0.0)
        product *= pivot
        share = left[1:, 0] / np.where(pivot > 0, pivot, np.inf)
        left = left[1:, 1:] - share[:, None] * left[0, 1:]
    return product
