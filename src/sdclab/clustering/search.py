"""Looking for good optima of fuzzy c-means: many restarts, and what can be done beyond them.

Torra, Endo & Miyamoto (2009), section 4.1: random records as first centres, 20 runs, the best objective counts.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.clustering.fcm import Partition, check_clusters, random_records
from sdclab.clustering.tolerance import Reading, fcm_with_tolerance
from sdclab.numerics.arrays import Matrix, Stack
from sdclab.numerics.digits import cuts_to
from sdclab.numerics.ties import smallest_of

Protocol = Literal["paper", "best"]

RUNS = 20
MAX_RUNS = 2000
"""How long a search for a named local optimum goes on before it gives up."""


def spread_records(records: Matrix, c: int, rng: np.random.Generator) -> Matrix:
    """First centres as k-means++ chooses them, each likely far from those before it (Arthur & Vassilvitskii 2007)."""
    check_clusters(c, len(records))
    chosen = [int(rng.integers(len(records)))]
    nearest = ((records - records[chosen[0]]) ** 2).sum(axis=1)
    for _ in range(c - 1):
        total = nearest.sum()
        odds = nearest / total if total > 0 else np.full(len(records), 1 / len(records))
        chosen.append(int(rng.choice(len(records), p=odds)))
        nearest = np.minimum(nearest, ((records - records[chosen[-1]]) ** 2).sum(axis=1))
    return records[chosen]


class Search:
    """Runs of one kind of clustering on one file."""

    def __init__(
        self,
        records: Matrix,
        c: int,
        rng: np.random.Generator,
        *,
        kappa: float = 0.0,
        reading: Reading = "corrected",
        m: float = 1.5,
        epsilon: float = 1e-4,
        max_iterations: int = 1000,
    ) -> None:
        self.records, self.c, self.rng = records, c, rng
        self.options = {"m": m, "epsilon": epsilon, "max_iterations": max_iterations}
        self.kappa, self.reading = kappa, reading

    def run(self, starts: Stack) -> list[Partition]:
        return fcm_with_tolerance(
            self.records,
            starts,
            self.rng,
            kappa=self.kappa,
            reading=self.reading,
            **self.options,  # type: ignore[arg-type]
        )

    def random(self, runs: int) -> list[Partition]:
        """Runs from random records, as in the paper."""
        return self.run(np.stack([random_records(self.records, self.c, self.rng) for _ in range(runs)]))

    def spread(self, runs: int) -> list[Partition]:
        """Runs from spread records."""
        return self.run(np.stack([spread_records(self.records, self.c, self.rng) for _ in range(runs)]))

    def best(self, protocol: Protocol, runs: int = RUNS) -> Partition:
        """The best of `runs` random starts (`paper`), or of a stronger search (`best`)."""
        if protocol == "paper":
            return _best(self.random(runs))
        return self._improved(_best(self.spread(4 * runs)), runs)

    def _improved(self, best: Partition, runs: int) -> Partition:
        """Swap one centre at a time for a random record, as long as that helps now and then."""
        for _ in range(4):
            swapped = np.stack([self._swapped(best.centres) for _ in range(runs)])
            best = _best([best, *self.run(swapped)])
        return best

    def _swapped(self, centres: Matrix) -> Matrix:
        changed = centres.copy()
        changed[self.rng.integers(self.c)] = self.records[self.rng.integers(len(self.records))]
        return changed

    def printed(self, objective: str) -> Partition:
        """An optimum whose objective, truncated as the paper prints it, is the given one; found by search."""
        for partition in self._all():
            if cuts_to(partition.objective, objective):
                return partition
        raise SdclabError(f"no optimum with the objective {objective} was found in {MAX_RUNS} runs.")

    def _all(self) -> Iterator[Partition]:
        for _ in range(MAX_RUNS // RUNS):
            yield from self.random(RUNS)


def _best(partitions: Sequence[Partition]) -> Partition:
    return partitions[smallest_of([partition.objective for partition in partitions])]
