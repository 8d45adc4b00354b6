"""How far two orders agree."""

from collections.abc import Sequence
from itertools import combinations

from sdclab.numerics.ties import at_most, equated


def rank_agreement(published: Sequence[float], ours: Sequence[float], resolution: float) -> tuple[float, int]:
    """Kendall's tau over the pairs whose published values differ by more than a resolution, and their number."""
    signs = [
        (1 if (a > b) == (x > y) and x != y else -1)
        for (a, x), (b, y) in combinations(zip(published, equated(ours), strict=True), 2)
        if not at_most(abs(a - b), resolution, max(abs(a), abs(b)))
    ]
    return (sum(signs) / len(signs) if signs else float("nan")), len(signs)
