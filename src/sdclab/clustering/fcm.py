"""Fuzzy c-means, many restarts at once.

Bezdek (1981); Cano & Torra (2009), section II.B; Torra, Endo & Miyamoto (2009), section 2. Distances and centres of
all restarts come from one matrix product each.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdclab.arrays import Matrix, Vector
from sdclab.errors import SdclabError

Stack = NDArray[np.float64]
"""Memberships, distances or weights: problem × cluster × record."""

BATCH = 4_000_000
"""Memberships that are updated together; more restarts go in several batches."""

SAME = 1e-14
"""A squared distance below this share of the largest squared record is no distance: the record is the centre."""


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
    most_iterations: int = 300,
) -> list[Partition]:
    """Run fuzzy c-means from each start (restart × cluster × attribute) until no membership changes by epsilon."""
    check_fuzziness(m)
    check_clusters(starts.shape[1], len(records))
    origin = records.mean(axis=0)  # distances by a product of matrices lose less when the data are centred
    step = max(1, BATCH // (starts.shape[1] * len(records)))
    found: list[Partition] = []
    for first in range(0, len(starts), step):
        found += _batch(records - origin, starts[first : first + step] - origin, rng, m, epsilon, most_iterations)
    return [Partition(p.memberships, p.centres + origin, p.objective, p.iterations, p.last_change) for p in found]


def _batch(
    records: Matrix, centres: Stack, rng: np.random.Generator, m: float, epsilon: float, most_iterations: int
) -> list[Partition]:
    augmented = augment(records)
    zero = SAME * augmented[:, -1].max()
    done: dict[int, Partition] = {}
    running = np.arange(len(centres))
    distances = squared_distances(augmented, centres)
    u = memberships_or_share(distances, m, zero, rng)
    weights = fuzzy_power(u, m)
    for iteration in range(1, most_iterations + 1):
        centres = weighted_means(records, weights, centres)
        distances = squared_distances(augmented, centres)
        updated = memberships_or_share(distances, m, zero, rng)
        change = largest_change(updated, u)
        u, weights = updated, fuzzy_power(updated, m)
        stop = (change < epsilon) | (iteration == most_iterations)
        for i in np.flatnonzero(stop):
            objective = float(np.sum(weights[i] * distances[i]))
            done[int(running[i])] = Partition(u[i].copy(), centres[i].copy(), objective, iteration, float(change[i]))
        if stop.all():
            break
        if stop.any():
            running, u, weights, centres = running[~stop], u[~stop], weights[~stop], centres[~stop]
    return [done[i] for i in range(len(done))]


def augment(records: Matrix) -> Matrix:
    """Records with a one and their squared length behind: what a squared distance needs of them."""
    return np.column_stack([records, np.ones(len(records)), np.einsum("ij,ij->i", records, records)])


def squared_distances(augmented: Matrix, centres: Stack) -> Stack:
    """Squared Euclidean distances of every record to every centre, by a single product: -2 v'x + v'v + x'x."""
    flat = centres.reshape(-1, centres.shape[2])
    left = np.column_stack([-2 * flat, np.einsum("ij,ij->i", flat, flat), np.ones(len(flat))])
    products = left @ augmented.T
    np.maximum(products, 0, out=products)
    return products.reshape(len(centres), -1, len(augmented))


def weighted_means(records: Matrix, weights: Stack, before: Stack) -> Stack:
    """The centres; a cluster that lost all weight keeps the one it had."""
    total = weights.sum(axis=2)
    sums = (weights.reshape(-1, len(records)) @ records).reshape(before.shape)
    alive = total[:, :, None] > 0
    return np.where(alive, sums / np.where(alive, total[:, :, None], 1.0), before)


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


def memberships_or_share(distances: Stack, m: float, zero: float, rng: np.random.Generator) -> Stack:
    """Memberships, where a record that is a centre belongs to it alone, or is shared at random among several."""
    least = distances.min(axis=1, keepdims=True)
    problems, records = np.nonzero(least[:, 0] <= zero)
    positive = np.maximum(distances, np.finfo(float).tiny) if len(problems) else distances
    u = memberships(positive, m, np.maximum(least, np.finfo(float).tiny))
    for problem, record in zip(problems.tolist(), records.tolist(), strict=True):
        same = distances[problem, :, record] <= zero
        shares = rng.random(int(same.sum())) if same.sum() > 1 else np.ones(1)
        u[problem, :, record] = 0
        u[problem, same, record] = shares / shares.sum()
    return u
