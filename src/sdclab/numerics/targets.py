"""Quantile functions that show nobody: what a column's values are replaced by, rank by rank.

A value that at least k records share is an atom and stays. The others go by rank into groups of at least k, and a group
into a smooth shape with its mean and variance; the two ends, where single records stand out, into random draws. All
shapes are generalised Pareto distributions: uniform at shape -1, exponential at 0, heavier above (Pickands 1975).
"""

from dataclasses import dataclass

import numpy as np

from sdclab.numerics.arrays import Mask, Vector

HEAVIEST = 0.45
"""The largest shape; from 1/2 on there is no variance."""

END = 0.02
"""The share of the records in either end group, if that is more than k."""

SHAPES = np.linspace(-1.0, 0.3, 131)
"""From 1/3 on there is no skewness."""
SKEWNESS = 2 * (1 + SHAPES) * np.sqrt(1 - 2 * SHAPES) / (1 - 3 * SHAPES)
"""Of the generalised Pareto distribution of each shape: rises from 0."""


@dataclass(frozen=True)
class Target:
    """Values in ascending order, and which of them are atoms."""

    values: Vector
    atoms: Mask


def target(values: Vector, k: int, rng: np.random.Generator) -> Target:
    """The quantile function of a column; its mean and variance are the column's."""
    ascending = np.sort(values)
    atoms = _atoms(ascending, k)
    made = ascending.copy()
    rest = ascending[~atoms]
    if len(rest):
        made[~atoms] = _smoothed(rest, k, max(k, int(np.ceil(END * len(values)))), rng)
    order = made.argsort(kind="stable")
    return Target(made[order], atoms[order])


def _atoms(ascending: Vector, k: int) -> Mask:
    """Which values are shared by k; if fewer than k others are left, the smallest atom is dissolved among them."""
    _, which, copies = np.unique(ascending, return_inverse=True, return_counts=True)
    kept = copies >= k
    while kept.any() and 0 < copies[~kept].sum() < k:
        kept[np.flatnonzero(kept)[copies[kept].argmin()]] = False
    return np.asarray(kept[which])


def _smoothed(ascending: Vector, k: int, end: int, rng: np.random.Generator) -> Vector:
    """Values without atoms, group by group: random ends, smooth shapes between them."""
    n = len(ascending)
    if n < 2 * k:
        return shaped(ascending)
    end = min(end, max(k, (n - k) // 2), n // 2)
    low, middle, high = ascending[:end], ascending[end : n - end], ascending[n - end :]
    made = [-drawn(-low[::-1], -ascending[end], rng)[::-1]]
    if len(middle):
        groups = np.array_split(middle, max(1, len(middle) // k))
        made += [shaped(group) for group in groups]
    return np.concatenate([*made, drawn(high, ascending[n - end - 1], rng)])


def shaped(group: Vector) -> Vector:
    """A smooth shape with the mean and the variance of a group, and about its skewness, in ascending order."""
    deviations = group - group.mean()
    spread = float(np.sqrt(np.mean(deviations**2)))
    skewness = float(np.mean(deviations**3)) / spread**3 if spread > 0 else 0.0
    points = _pareto((np.arange(len(group)) + 0.5) / len(group), float(np.interp(abs(skewness), SKEWNESS, SHAPES)))
    return _scaled(points if skewness >= 0 else -points[::-1], group)


def drawn(group: Vector, edge: float, rng: np.random.Generator) -> Vector:
    """Random draws in ascending order with the mean and the variance of an upper end, by its spread over the edge."""
    over = group - edge
    mean, variance = over.mean(), over.var()
    shape = (1 - mean**2 / variance) / 2 if variance > 0 else -1.0
    points = _pareto(rng.random(len(group)), float(np.clip(shape, -1.0, HEAVIEST)))
    return _scaled(np.sort(points), group)


def _pareto(levels: Vector, shape: float) -> Vector:
    """Quantiles of the generalised Pareto distribution."""
    logs = -np.log1p(-levels)
    return logs if abs(shape) < 1e-9 else np.expm1(shape * logs) / shape


def _scaled(points: Vector, group: Vector) -> Vector:
    """Points with the mean and the variance of a group."""
    spread = points.std()
    scale = group.std() / spread if spread > 0 else 0.0
    made = group.mean() + scale * (points - points.mean())
    return np.asarray(made)
