"""Fuzzy c-means, many restarts at once.

Bezdek (1981); Cano & Torra (2009), section II.B; Torra, Endo & Miyamoto (2009), section 2. Distances and centres of
all restarts come from one matrix product each.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.distance import cdist

from sdclab.base.errors import SdclabError
from sdclab.base.progress import each_of
from sdclab.clustering.watch import Watch
from sdclab.numerics.arrays import Indices, Mask, Matrix, Stack, Vector
from sdclab.numerics.ties import NOISE

# a stack of memberships, distances or weights is problem × cluster × record

CACHED = 65_536
"""Memberships that the processor's cache holds: more restarts go in several batches, more records in parts."""

FEW = 2048
"""Up to so many records are looked at in one go."""

CANCELLED = 1e-6
"""A squared distance below this share of the record's squared length is taken again from differences."""

SAME = 1e-24
"""A squared distance below this share of the record's squared length is rounding: the record is the centre."""


class Room:
    """Memory for stacks that every pass fills anew: to get it from the system each time takes as long as the sums."""

    def __init__(self) -> None:
        self.taken: dict[str, Stack] = {}

    def of(self, name: str, shape: tuple[int, ...]) -> Stack:
        """Room of this shape, with whatever was left there under this name."""
        taken = self.taken.get(name)
        if taken is None or taken.shape != shape:
            self.taken[name] = taken = np.empty(shape)
        return taken


@dataclass(frozen=True)
class Partition:
    """Where a run of fuzzy c-means ended: memberships are cluster × record."""

    memberships: Matrix
    centres: Matrix
    objective: float
    iterations: int
    last_change: float


def random_records(records: Matrix, c: int, rng: np.random.Generator) -> Matrix:
    """c different records as the centres to start from."""
    check_clusters(c, len(records))
    return records[rng.choice(len(records), c, replace=False)]


def check_clusters(c: int, n: int) -> None:
    if not 1 <= c <= n:
        raise SdclabError(f"c is {c} but must lie between 1 and the number of records, {n}.")


def check_fuzziness(m: float) -> None:
    if m <= 1:
        raise SdclabError(f"m is {m:g} but must be greater than 1.")


def fcm(
    records: Matrix,
    starts: Stack,
    rng: np.random.Generator,
    *,
    m: float = 1.5,
    epsilon: float = 1e-5,
    max_iterations: int = 300,
) -> list[Partition]:
    """Run fuzzy c-means from each start (restart × cluster × attribute) until no membership changes by epsilon."""
    check_fuzziness(m)
    check_clusters(starts.shape[1], len(records))
    origin = centre_of(records)
    step = max(1, CACHED // (starts.shape[1] * len(records)))
    found: list[Partition] = []
    for first in range(0, len(starts), step):
        found += _batch(records - origin, starts[first : first + step] - origin, rng, m, epsilon, max_iterations)
    return [Partition(p.memberships, p.centres + origin, p.objective, p.iterations, p.last_change) for p in found]


def centre_of(records: Matrix) -> Vector:
    """Where to put the origin: the nearer to the records, the less is lost; unlike the mean no far one draws it off."""
    middle: Vector = np.median(records, axis=0)
    return middle


def _batch(
    records: Matrix, centres: Stack, rng: np.random.Generator, m: float, epsilon: float, max_iterations: int
) -> list[Partition]:
    data = _Data(augment(records), parts_of(len(records), centres.shape[0] * centres.shape[1]), m, rng)
    done: dict[int, Partition] = {}
    running, watch = np.arange(len(centres)), Watch(len(centres))
    sums = data.summed(centres, watch)
    for iteration in each_of(range(1, max_iterations + 1), "fuzzy c-means"):
        before, centres = centres, weighted_means(sums[:, :, :-1], sums[:, :, -1], centres)
        seen = watch.value.copy()
        sums = data.summed(centres, watch)
        going = np.ones(len(running), dtype=bool)
        still = _still(before, centres)
        ending = still | (iteration == max_iterations)
        quiet = np.union1d(watch.quiet(seen, epsilon), ending.nonzero()[0])
        for i, change in zip(quiet, data.largest_change(watch, quiet, before, centres), strict=True):
            if change < epsilon or ending[i]:
                done[int(running[i])] = data.partition(centres[i], iteration, float(change))
                going[i] = False
        if not going.any():
            break
        if not going.all():
            running, centres, sums, watch = running[going], centres[going], sums[going], watch.only(going)
    return [done[i] for i in range(len(done))]


def _still(before: Stack, now: Stack) -> Mask:
    """The runs whose centres have stopped: memberships then change by chance alone, of a record that is several."""
    moved, size = (np.abs(each).max(axis=2) for each in (now - before, now))
    return np.asarray((moved <= NOISE * size).all(axis=1))


def parts_of(n: int, clusters: int) -> list[slice]:
    """The records in parts that the processor's cache can hold, or memory would be read many times a pass."""
    size = n if n <= FEW else max(64, CACHED // clusters)
    return [slice(first, first + size) for first in range(0, n, size)]


@dataclass(frozen=True)
class _Data:
    """What is clustered, part by part: nothing as large as the memberships is kept."""

    augmented: Matrix
    parts: Sequence[slice]
    m: float
    rng: np.random.Generator
    room: Room = field(default_factory=Room)

    def summed(self, centres: Stack, watch: Watch) -> Stack:
        """The weighted sums of the records at these centres, total weights behind them."""
        sums: Stack = np.zeros((*centres.shape[:2], centres.shape[2] + 1))
        for part in self.parts:
            shares, total, weights = self._weighed(part, centres)
            watch.see(shares, total, part)
            sums += (weights.reshape(-1, weights.shape[2]) @ self.augmented[part, :-1]).reshape(sums.shape)
        return sums

    def largest_change(self, watch: Watch, runs: Indices, before: Stack, now: Stack) -> Vector:
        """The largest change of a membership between the centres of two iterations, for some of the runs."""
        if not len(runs):
            return np.zeros(0)
        pairs = ((part, self.memberships(part, before[runs]), self.memberships(part, now[runs])) for part in self.parts)
        return watch.largest_change(runs, pairs)

    def memberships(self, part: slice, centres: Stack) -> Stack:
        shares, total, _ = self._weighed(part, centres)
        return shares / total

    def partition(self, centres: Matrix, iteration: int, change: float) -> Partition:
        """Where a run ended."""
        ended = np.concatenate([self.memberships(part, centres[None])[0] for part in self.parts], axis=1)
        objective = _objective(self.augmented, self.parts, ended, centres, self.m)
        return Partition(ended, centres.copy(), objective, iteration, change)

    def _weighed(self, part: slice, centres: Stack) -> tuple[Stack, Stack, Stack]:
        seen = self.augmented[part]
        distances, least = apart(seen.T, centres, self.room)
        return weighed_or_shared(distances, least, self.m, SAME * seen[:, -1], self.rng, self.room)


def _objective(augmented: Matrix, parts: Sequence[slice], u: Matrix, centres: Matrix, m: float) -> float:
    """What fuzzy c-means minimises: all squared distances, each times a membership's power."""
    distances = (squared_distances(augmented[part], centres[None])[0] for part in parts)
    return float(sum(np.sum(fuzzy_power(u[:, part], m) * far) for part, far in zip(parts, distances, strict=True)))


def augment(records: Matrix) -> Matrix:
    """Records with a one and their squared length behind: what a squared distance needs of them."""
    return np.column_stack([records, np.ones(len(records)), np.einsum("ij,ij->i", records, records)])


def squared_distances(augmented: Matrix, centres: Stack) -> Stack:
    """Squared Euclidean distances of every record to every centre: problem × cluster × record."""
    return apart(augmented.T, centres, Room())[0]


def apart(columns: Matrix | Stack, centres: Stack, room: Room) -> tuple[Stack, Stack]:
    """Squared distances of augmented records, a column each, to every centre, and the smallest of each record.

    By a single product: -2 v'x + v'v + x'x. Its error is a rounding of x'x + v'v. That can matter only where v'v is
    about x'x and the distance far below it: if a record is so near to any centre, all its distances are taken from
    differences instead. Each problem may have records of its own.
    """
    squares = np.einsum("pij,pij->pi", centres, centres)[:, :, None]
    left = np.concatenate([-2 * centres, squares, np.ones_like(squares)], axis=2)
    distances = room.of("distances", (*centres.shape[:2], columns.shape[-1]))
    if columns.ndim == 2:
        np.matmul(left.reshape(-1, left.shape[2]), columns, out=distances.reshape(-1, columns.shape[1]))
    else:
        np.matmul(left, columns, out=distances)
    least = distances.min(axis=1, keepdims=True)
    near = least[:, 0] <= CANCELLED * columns[..., -1, :]
    for i in near.any(axis=1).nonzero()[0]:
        records = (columns if columns.ndim == 2 else columns[i])[:-2, near[i]].T
        distances[i][:, near[i]] = cdist(centres[i], records, "sqeuclidean")
        least[i] = distances[i].min(axis=0)
    return distances, least


def weighted_means(sums: Stack, totals: Matrix, before: Stack) -> Stack:
    """The centres; a cluster that lost all weight keeps the one it had."""
    alive = totals[:, :, None] > 0
    return np.where(alive, sums / np.where(alive, totals[:, :, None], 1.0), before)


def fuzzy_power(u: Stack | Matrix, m: float) -> Stack:
    """u^m; the papers' m = 1.5 is a product with a square root, much cheaper than a general power."""
    if m != 1.5:
        return u**m
    power = np.sqrt(u)
    power *= u
    return power


def memberships(errors: Stack, m: float) -> Stack:
    """u_i = 1 / sum_j (e_i / e_j)^(1/(m-1)) for positive errors (squared distances) over the clusters."""
    shares, total, _ = weighed(errors.copy(), errors.min(axis=1, keepdims=True), m, Room())
    return shares / total


def weighed(errors: Stack, least: Stack, m: float, room: Room) -> tuple[Stack, Stack, Stack]:
    """Memberships, as shares and their sum for every record, and their weights u^m, of positive errors.

    Shares are taken relative to the smallest error of a record, `least`, so that nothing overflows. The papers' m = 1.5
    takes products and one square root a record, much cheaper than general powers. `errors` is written to.
    """
    relative = np.divide(least, errors, out=errors)
    shares = room.of("shares", relative.shape)
    if m != 1.5:
        np.power(relative, 1 / (m - 1), out=shares)
        total = shares.sum(axis=1, keepdims=True)
        np.divide(shares, total, out=relative)
        return shares, total, np.power(relative, m, out=relative)
    np.multiply(relative, relative, out=shares)
    total = shares.sum(axis=1, keepdims=True)
    relative *= shares
    relative *= 1 / (total * np.sqrt(total))
    return shares, total, relative


def weighed_or_shared(
    distances: Stack, least: Stack, m: float, zero: Vector, rng: np.random.Generator, room: Room
) -> tuple[Stack, Stack, Stack]:
    """The same, where a record that is a centre belongs to it alone, or is shared at random among several.

    `zero`: up to which squared distance each record is a centre. `distances` is written to.
    """
    problems, records = np.nonzero(least[:, 0] <= zero)
    if not len(problems):
        return weighed(distances, least, m, room)
    at_centres = [distances[i, :, k] <= zero[k] for i, k in zip(problems, records, strict=True)]
    tiny = np.finfo(float).tiny
    shares, total, weights = weighed(np.maximum(distances, tiny, out=distances), np.maximum(least, tiny), m, room)
    for i, k, same in zip(problems.tolist(), records.tolist(), at_centres, strict=True):
        own = rng.random(int(same.sum())) if same.sum() > 1 else np.ones(1)
        shares[i, :, k], total[i, 0, k] = 0.0, 1.0
        shares[i, same, k] = own / own.sum()
        weights[i, :, k] = shares[i, :, k] ** m
    return shares, total, weights


def memberships_at(records: Matrix, centres: Matrix, m: float) -> Matrix:
    """Memberships (cluster × record) of any records at given centres: step 2 of fuzzy c-means, once.

    A record that is a centre belongs to it alone, or to several equal ones in equal parts: nothing is drawn here.
    """
    check_fuzziness(m)
    origin = centre_of(records)
    seen = augment(records - origin)
    distances = squared_distances(seen, (centres - origin)[None])
    same = distances[0] <= SAME * seen[:, -1]
    shares: Matrix = same / np.maximum(same.sum(axis=0), 1)
    return np.where(same.any(axis=0), shares, memberships(np.maximum(distances, np.finfo(float).tiny), m)[0])
