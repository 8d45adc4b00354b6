"""Fuzzy c-means with tolerance: every record may move by up to kappa towards where it clusters best.

Torra, Endo & Miyamoto (2009), section 2, equation 2 and algorithm 2; Hasegawa, Endo, Hamasuna & Miyamoto (2007).
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.clustering.fcm import (
    CACHED,
    SAME,
    Partition,
    Room,
    apart,
    centre_of,
    check_clusters,
    check_fuzziness,
    fcm,
    fuzzy_power,
    weighed_or_shared,
    weighted_means,
)
from sdclab.clustering.watch import Watch
from sdclab.numerics.arrays import Indices, Matrix, Stack, Vector

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
    data = _Data(np.ascontiguousarray((records - origin).T), bounds, reading, m, rng)
    step = max(1, CACHED // (starts.shape[1] * len(records)))
    found: list[Partition] = []
    for first in range(0, len(starts), step):
        found += _batch(data, starts[first : first + step] - origin, epsilon, max_iterations)
    return [Partition(p.memberships, p.centres + origin, p.objective, p.iterations, p.last_change) for p in found]


def _batch(data: "_Data", centres: Stack, epsilon: float, max_iterations: int) -> list[Partition]:
    done: dict[int, Partition] = {}
    running, watch = np.arange(len(centres)), Watch(len(centres))
    moved = data.unmoved(len(centres))
    weights = data.weights(moved, centres, watch)
    for iteration in range(1, max_iterations + 1):
        before, seen = (moved, centres), watch.value.copy()
        moved, centres = data.updated(centres, weights)
        weights = data.weights(moved, centres, watch)
        going = np.ones(len(running), dtype=bool)
        quiet = watch.quiet(seen, epsilon) if iteration < max_iterations else np.arange(len(running))
        for i, change in zip(quiet, data.largest_change(watch, quiet, before, (moved, centres)), strict=True):
            if change < epsilon or iteration == max_iterations:
                done[int(running[i])] = data.partition(moved[i], centres[i], iteration, float(change))
                going[i] = False
        if not going.any():
            break
        if not going.all():
            running, watch = running[going], watch.only(going)
            moved, centres, weights = moved[going], centres[going], weights[going]
    return [done[i] for i in range(len(done))]


@dataclass(frozen=True)
class _Data:
    """What is clustered, a record a column. Each run has moved records of its own, augmented: run × row × record."""

    records: Matrix
    bounds: Vector
    reading: Reading
    m: float
    rng: np.random.Generator
    room: Room = field(default_factory=Room)

    def unmoved(self, runs: int) -> Stack:
        """The records as they are, for each run."""
        return self._augmented(np.repeat(self.records[None], runs, axis=0))

    def weights(self, moved: Stack, centres: Stack, watch: Watch) -> Stack:
        """Memberships to the power m of records that were moved."""
        shares, total, weights = self._weighed(moved, centres, self.room)
        watch.see(shares, total, slice(0, None))
        return weights

    def updated(self, centres: Stack, weights: Stack) -> tuple[Stack, Stack]:
        """Records moved anew, and the centres that follow."""
        moved = self._moved(centres, weights)
        seen = self.records if self.reading == "literal" else moved[:, :-2]
        return moved, weighted_means(weights @ seen.swapaxes(-1, -2), weights.sum(axis=2), centres)

    def largest_change(
        self, watch: Watch, runs: Indices, before: tuple[Stack, Stack], now: tuple[Stack, Stack]
    ) -> Vector:
        """The largest change of a membership between two iterations, for some of the runs."""
        if not len(runs):
            return np.zeros(0)
        then, new = (self._memberships(moved[runs], centres[runs]) for moved, centres in (before, now))
        return watch.largest_change(runs, [(slice(0, None), then, new)])

    def partition(self, moved: Matrix, centres: Matrix, iteration: int, change: float) -> Partition:
        """Where a run ended."""
        u = self._memberships(moved[None], centres[None])
        distances, _ = apart(moved[None], centres[None], Room())
        objective = float(np.sum(fuzzy_power(u, self.m) * distances))
        return Partition(u[0], centres.copy(), objective, iteration, change)

    def _memberships(self, moved: Stack, centres: Stack) -> Stack:
        shares, total, _ = self._weighed(moved, centres, Room())  # the weights are still in the other one
        return shares / total

    def _weighed(self, moved: Stack, centres: Stack, room: Room) -> tuple[Stack, Stack, Stack]:
        distances, least = apart(moved, centres, room)
        zero = SAME * np.einsum("ij,ij->j", self.records, self.records)
        return weighed_or_shared(distances, least, self.m, zero, self.rng, room)

    def _moved(self, centres: Stack, weights: Stack) -> Stack:
        """Step 3: the records, moved."""
        if self.reading == "as_published":
            pull = self.records - centres.mean(axis=1)[:, :, None]
            length = np.sqrt(np.einsum("pij,pij->pj", pull, pull))
            share = self.bounds / np.where(length > 0, length, 1.0)
        else:
            total = weights.sum(axis=1)
            pull = self.records * total[:, None] - centres.transpose(0, 2, 1) @ weights
            length = np.sqrt(np.einsum("pij,pij->pj", pull, pull))
            share = -np.minimum(self.bounds / np.where(length > 0, length, 1.0), 1 / total)
        pull *= share[:, None]
        pull += self.records
        return self._augmented(pull)

    def _augmented(self, moved: Stack) -> Stack:
        """With ones and squared lengths below, as `augment` has them behind."""
        squares = np.einsum("pij,pij->pj", moved, moved)[:, None]
        return np.concatenate([moved, np.ones_like(squares), squares], axis=1)
