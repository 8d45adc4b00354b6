"""How lucky the best of many readings is: chosen on some rows and judged on others, and against shuffled print.

Steegen, Tuerlinckx, Gelman & Vanpaemel (2016), Increasing transparency through a multiverse analysis; Simonsohn,
Simmons & Nelson (2020), Specification curve analysis, for the search repeated where there is nothing to find.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.ties import at_most, smallest_of

PERMUTATIONS = 999

BLOCK = 5_000_000
"""Distances held in memory at a time."""


def distances(ours: Matrix, published: Vector) -> Vector:
    """The root mean square error of every reading (reading × row) over the rows; what has no number is no reading."""
    return np.sqrt(np.mean((ours - published) ** 2, axis=1))


def best(ours: Matrix, published: Vector) -> int:
    """The reading nearest to print; among equals the first. One that lacks a number is never it."""
    found = distances(ours, published)
    return int(smallest_of(np.where(np.isfinite(found), found, np.finfo(float).max)))


def halves(groups: Sequence[object]) -> tuple[Indices, Indices]:
    """Every other row, in each group of rows by itself: the rows of one method over its parameter."""
    places: dict[object, int] = {}
    side = []
    for group in groups:
        side.append(places.get(group, 0) % 2)
        places[group] = places.get(group, 0) + 1
    return np.flatnonzero(np.array(side) == 0), np.flatnonzero(np.array(side) == 1)


@dataclass(frozen=True)
class CrossValidated:
    """A reading chosen on each half of the rows, and what it says of the other half."""

    chosen: tuple[int, int]
    """on the first half, on the second"""
    by: Indices
    """for every row the reading that was chosen without it"""
    inside: float
    """the error on the rows that a reading was chosen on"""
    outside: float
    """the error on the others"""


def cross_validated(ours: Matrix, published: Vector, groups: Sequence[object]) -> CrossValidated:
    """Choose on one half and predict the other, both ways."""
    first, second = halves(groups)
    chosen = tuple(best(ours[:, rows], published[rows]) if len(rows) else 0 for rows in (first, second))
    by = np.empty(len(published), dtype=np.intp)
    by[second], by[first] = chosen
    seen = by.copy()
    seen[first], seen[second] = chosen
    rows = np.arange(len(published))
    inside, outside = (float(distances(ours[which, rows][None], published)[0]) for which in (seen, by))
    return CrossValidated((chosen[0], chosen[1]), by, inside, outside)


def shuffled_bests(
    ours: Matrix,
    published: Vector,
    rng: np.random.Generator,
    groups: Sequence[object] | None = None,
    permutations: int = PERMUTATIONS,
) -> Vector:
    """How near the same search comes to published rows that were shuffled, inside their groups if given.

    No reading can be right there, so what it finds is luck.
    """
    usable = ours[np.isfinite(ours).all(axis=1)]
    if not len(usable):
        return np.full(permutations, np.inf)
    squares = (usable**2).sum(axis=1)
    orders = np.array([_shuffled(published, rng, groups) for _ in range(permutations)])
    found = []
    for block in np.array_split(orders, 1 + len(usable) * permutations // BLOCK):
        # |a - b|² = |a|² - 2 ab + |b|² finds the nearest; how near it is, is computed without the cancellation
        nearest = (squares[:, None] - 2 * usable @ block.T).argmin(axis=0)
        found.append(np.sqrt(np.mean((usable[nearest] - block) ** 2, axis=1)))
    return np.concatenate(found)


def p_value(
    ours: Matrix,
    published: Vector,
    rng: np.random.Generator,
    groups: Sequence[object] | None = None,
    permutations: int = PERMUTATIONS,
) -> float:
    """How often the same search comes as near to shuffled print as to print itself."""
    least = distances(ours, published)[best(ours, published)]
    return p_value_of(least, shuffled_bests(ours, published, rng, groups, permutations))


def p_value_of(least: float, by_luck: Vector) -> float:
    """The print itself counts as one of the orders, which makes the test exact (Phipson & Smyth 2010)."""
    return (1 + int(at_most(by_luck, least).sum())) / (1 + len(by_luck))


def _shuffled(values: Vector, rng: np.random.Generator, groups: Sequence[object] | None) -> Vector:
    if groups is None:
        return rng.permutation(values)
    made = values.copy()
    for group in dict.fromkeys(groups):
        rows = np.array([i for i, each in enumerate(groups) if each == group])
        made[rows] = rng.permutation(values[rows])
    return made


def effect(labels: Sequence[object], found: Vector) -> float:
    """What an axis decides: the share of the variance of all readings' distances that its options explain (eta²)."""
    known = np.isfinite(found)
    values, names = found[known], np.array([str(label) for label in labels])[known]
    total = float(((values - values.mean()) ** 2).sum()) if len(values) else 0.0
    if total <= 0:
        return 0.0
    between = sum(
        (names == name).sum() * (values[names == name].mean() - values.mean()) ** 2 for name in dict.fromkeys(names)
    )
    return float(between / total)
