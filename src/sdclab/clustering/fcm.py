"""Fuzzy c-means, many restarts at once.

Bezdek (1981); Cano & Torra (2009), section II.B; Torra, Endo & Miyamoto (2009), section 2. Distances and centres of
all restarts come from one matrix product each.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from sdclab.base.errors import SdclabError
from sdclab.numerics.arrays import Matrix, Vector

Stack = NDArray[np.float64]
"""Memberships, distances or weights: problem × cluster × record."""

BATCH = 4_000_000
"""Memberships that are updated together; more restarts go in several batches."""

FEW, CACHED = 2048, 131_072
"""Up to so many records are looked at in one go, more in parts of so many memberships."""

CANCELLED = 1e-6
"""A squared distance below this share of the record's squared length is taken again from differences."""

SAME = 1e-24
"""A squared distance below this share of the record's squared length is rounding: the record is the centre."""


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
    step = max(1, BATCH // (starts.shape[1] * len(records)))
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
    augmented = augment(records)
    parts = parts_of(len(records), centres.shape[0] * centres.shape[1])
    u = [np.zeros((*centres.shape[:2], len(records[part]))) for part in parts]
    done: dict[int, Partition] = {}
    running = np.arange(len(centres))
    sums, totals, _ = _pass(records, augmented, parts, centres, u, m, rng)
    for iteration in range(1, max_iterations + 1):
        centres = weighted_means(sums, totals, centres)
        sums, totals, change = _pass(records, augmented, parts, centres, u, m, rng)
        stop = (change < epsilon) | (iteration == max_iterations)
        for i in np.flatnonzero(stop):
            ended = np.concatenate([part[i] for part in u], axis=1)
            distances = squared_distances(augmented, centres[i : i + 1])[0]
            objective = float(np.sum(fuzzy_power(ended, m) * distances))
            done[int(running[i])] = Partition(ended, centres[i].copy(), objective, iteration, float(change[i]))
        if stop.all():
            break
        if stop.any():
            running, centres, sums, totals, *u = (each[~stop] for each in (running, centres, sums, totals, *u))
    return [done[i] for i in range(len(done))]


def parts_of(n: int, clusters: int) -> list[slice]:
    """The records in parts that the processor's cache can hold, or memory would be read many times a pass."""
    size = n if n <= FEW else max(64, CACHED // clusters)
    return [slice(first, first + size) for first in range(0, n, size)]


def _pass(
    records: Matrix,
    augmented: Matrix,
    parts: Sequence[slice],
    centres: Stack,
    u: list[Stack],
    m: float,
    rng: np.random.Generator,
) -> tuple[Stack, Matrix, Vector]:
    """New memberships, part by part, into u; the weighted sums and total weights that follow; the largest change."""
    sums, totals, change = np.zeros(centres.shape), np.zeros(centres.shape[:2]), np.zeros(len(centres))
    for i, part in enumerate(parts):
        seen = augmented[part]
        updated = memberships_or_share(squared_distances(seen, centres), m, SAME * seen[:, -1], rng)
        np.maximum(change, largest_change(updated, u[i]), out=change)
        u[i], weights = updated, fuzzy_power(updated, m)
        sums += (weights.reshape(-1, updated.shape[2]) @ records[part]).reshape(sums.shape)
        totals += weights.sum(axis=2)
    return sums, totals, change


def augment(records: Matrix) -> Matrix:
    """Records with a one and their squared length behind: what a squared distance needs of them."""
    return np.column_stack([records, np.ones(len(records)), np.einsum("ij,ij->i", records, records)])


def squared_distances(augmented: Matrix, centres: Stack) -> Stack:
    """Squared Euclidean distances of every record to every centre, by a single product: -2 v'x + v'v + x'x.

    Its error is a rounding of x'x + v'v. That can matter only where v'v is about x'x and the distance far below it:
    if a record is so near to any centre, all its distances are taken from differences instead.
    """
    flat = centres.reshape(-1, centres.shape[2])
    left = np.column_stack([-2 * flat, np.einsum("ij,ij->i", flat, flat), np.ones(len(flat))])
    distances: Stack = (left @ augmented.T).reshape(len(centres), -1, len(augmented))
    near = distances.min(axis=1) <= CANCELLED * augmented[:, -1]
    for i in np.flatnonzero(near.any(axis=1)):
        distances[i][:, near[i]] = cdist(centres[i], augmented[near[i], :-2], "sqeuclidean")
    return distances


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


def memberships(errors: Stack, m: float, least: Stack | None = None) -> Stack:
    """u_i = 1 / sum_j (e_i / e_j)^(1/(m-1)) for positive errors (squared distances) over the clusters.

    Taken relative to the smallest error of a record (`least`, if known), so that nothing overflows.
    """
    u = (errors.min(axis=1, keepdims=True) if least is None else least) / errors
    if m == 1.5:
        np.multiply(u, u, out=u)
    else:
        np.power(u, 1 / (m - 1), out=u)
    u /= u.sum(axis=1, keepdims=True)
    return u


def largest_change(updated: Stack, u: Stack) -> Vector:
    """The largest change of a membership, for each problem."""
    difference = updated - u
    np.abs(difference, out=difference)
    return difference.max(axis=(1, 2))


def memberships_or_share(distances: Stack, m: float, zero: Vector, rng: np.random.Generator) -> Stack:
    """Memberships, where a record that is a centre belongs to it alone, or is shared at random among several.

    `zero`: up to which squared distance each record is a centre.
    """
    least = distances.min(axis=1, keepdims=True)
    problems, records = np.nonzero(least[:, 0] <= zero)
    positive = np.maximum(distances, np.finfo(float).tiny) if len(problems) else distances
    u = memberships(positive, m, np.maximum(least, np.finfo(float).tiny))
    for problem, record in zip(problems.tolist(), records.tolist(), strict=True):
        same = distances[problem, :, record] <= zero[record]
        shares = rng.random(int(same.sum())) if same.sum() > 1 else np.ones(1)
        u[problem, :, record] = 0
        u[problem, same, record] = shares / shares.sum()
    return u


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
