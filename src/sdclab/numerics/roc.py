"""How well scores tell two groups apart: the area under the ROC curve, and what is found at few false alarms."""

import numpy as np

from sdclab.numerics.arrays import Vector
from sdclab.numerics.ties import equated, mean_ranks


def split_scores(inside: Vector, outside: Vector) -> tuple[Vector, Vector]:
    """The same scores, those that are equal up to rounding made equal."""
    both = equated(np.concatenate([inside, outside]))
    return both[: len(inside)], both[len(inside) :]


def area(inside: Vector, outside: Vector) -> tuple[float, float]:
    """The share of pairs in which who is inside has the higher score, ties by half, and its standard error.

    The standard error is that of DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more
    correlated receiver operating characteristic curves.
    """
    m, n = len(inside), len(outside)
    ranks = mean_ranks(np.concatenate([inside, outside]))
    above = (ranks[:m] - mean_ranks(inside)) / n
    below = 1 - (ranks[m:] - mean_ranks(outside)) / m
    variance = sum(float(np.var(part, ddof=1)) / len(part) for part in (above, below) if len(part) > 1)
    return float(above.mean()), float(np.sqrt(variance))


def found_at(inside: Vector, outside: Vector, alarms: float) -> float:
    """The share inside with a score above all but a share `alarms` of those outside: TPR at this FPR, or less."""
    allowed = int(alarms * len(outside))
    limit = np.sort(outside)[::-1][min(allowed, len(outside) - 1)]
    return float(np.mean(inside > limit))
