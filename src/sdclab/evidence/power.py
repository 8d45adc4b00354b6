"""How weak a verdict is: the share of wrong answers that the same rule would let pass.

A wrong answer to a number is what we have for another row of its column, a neighbour's or another method's; to an
order, our column shuffled.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from math import factorial, nan

from sdclab.evidence.agreement import rank_agreement
from sdclab.numerics.seeds import seed_of, stream

SHUFFLES = 1000
"""So many random ones, unless there are fewer in all."""

WEAK = 0.5
"""From this share of wrong answers on a verdict says little: its power is below one half."""


def share(passes: Iterable[bool]) -> float:
    """The share of wrong answers that pass; NaN if there are none to try."""
    tried = list(passes)
    return sum(tried) / len(tried) if tried else nan


def is_weak(wrong: float) -> bool:
    return wrong >= WEAK


def words(verdict: str, wrong: float) -> str:
    """A verdict with how weak it is."""
    return verdict if wrong != wrong else f"{verdict}, and {100 * wrong:.0f} % of wrong answers would be"


def shuffles_that_pass(published: Sequence[float], ours: Sequence[float], resolution: float, at_least: float) -> float:
    """The share of orders of our column, other than its own, that agree with the published one as well."""
    agreed = (rank_agreement(published, order, resolution) for order in _shuffled(ours))
    return share(pairs > 0 and tau >= at_least for tau, pairs in agreed)


def _shuffled(values: Sequence[float]) -> Iterator[Sequence[float]]:
    """All other orders, or many random ones, always the same."""
    if factorial(len(values)) <= SHUFFLES:
        yield from (order for order in permutations(values) if order != tuple(values))
        return
    rng = stream(seed_of("shuffles", len(values)))
    for _ in range(SHUFFLES):
        yield rng.permutation(values).tolist()
