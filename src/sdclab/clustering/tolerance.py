"""Fuzzy c-means with tolerance: every record may move by up to kappa towards where it clusters best.

Torra, Endo & Miyamoto (2009), section 2, equation 2 and algorithm 2; Hasegawa, Endo, Hamasuna & Miyamoto (2007).
"""

from typing import Literal

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.clustering.fcm import (
    SAME,
    Partition,
    Stack,
    augment,
    centre_of,
    check_clusters,
    check_fuzziness,
    fcm,
    fuzzy_power,
    largest_change,
    memberships_or_share,
    squared_distances,
    weighted_means,
)
from sdclab.numerics.arrays import Matrix, Vector

Reading = Literal["corrected", "literal", "as_published"]


def fcm_with_tolerance(
    records: Matrix,
    starts: Stack,
    rng: np.random.Generator,
    *,
    kappa: float | Vector,
    reading: Reading = "corrected",
    m: float = 1.5,
    epsilon: float = 1e-5,
    max_iterations: int = 300,
) -> list[Partition]:
    """Run from each start (restart × cluster × attribute); kappa is one bound for all records or one for each.

    `corrected`: centres are means of the moved records, so that each step minimises equation 2. `literal`: algorithm 2
    as printed, with centres of the unmoved ones; its objective may rise. `as_published`: the reading that gives the
    objectives of Table 1, with the weights of step 3 missing and its sign flipped: records move by kappa *away* from
    the mean of the centres.
    """
    bounds = np.broadcast_to(np.asarray(kappa, dtype=float), (len(records),))
    if (bounds < 0).any():
        raise SdclabError(f"kappa is {bounds.min():g} but must not be negative.")
    check_fuzziness(m)
    check_clusters(starts.shape[1], len(records))
    if not bounds.any():
        return fcm(records, starts, rng, m=m, epsilon=epsilon, max_iterations=max_iterations)
    origin = centre_of(records)
    # one restart at a time: each has moved records of its own
    found = [
        _run(records - origin, start - origin, rng, bounds, reading, m, epsilon, max_iterations) for start in starts
    ]
    return [Partition(p.memberships, p.centres + origin, p.objective, p.iterations, p.last_change) for p in found]


def _run(
    records: Matrix,
    centres: Matrix,
    rng: np.random.Generator,
    bounds: Vector,
    reading: Reading,
    m: float,
    epsilon: float,
    max_iterations: int,
) -> Partition:
    seen = augment(records)
    zero = SAME * seen[:, -1]
    distances = squared_distances(seen, centres[None])
    u = memberships_or_share(distances, m, zero, rng)
    iteration, change = 0, np.inf
    while change >= epsilon and iteration < max_iterations:
        iteration += 1
        weights = fuzzy_power(u, m)[0]
        moved = records + _moves(records, centres, weights, bounds, reading)
        sums = weights @ (records if reading == "literal" else moved)
        centres = weighted_means(sums[None], weights.sum(axis=1)[None], centres[None])[0]
        distances = squared_distances(augment(moved), centres[None])
        updated = memberships_or_share(distances, m, zero, rng)
        change = float(largest_change(updated, u)[0])
        u = updated
    objective = float(np.sum(fuzzy_power(u, m) * distances))
    return Partition(u[0], centres, objective, iteration, change)


def _moves(records: Matrix, centres: Matrix, weights: Matrix, bounds: Vector, reading: Reading) -> Matrix:
    """Step 3: how each record moves."""
    if reading == "as_published":
        away = records - centres.mean(axis=0)
        length = np.linalg.norm(away, axis=1, keepdims=True)
        return bounds[:, None] * away / np.where(length > 0, length, 1.0)
    total = weights.sum(axis=0)
    pull = records * total[:, None] - weights.T @ centres
    length = np.linalg.norm(pull, axis=1)
    alpha = np.minimum(bounds / np.where(length > 0, length, 1.0), 1 / total)
    return -alpha[:, None] * pull
