"""How lucky the best of many readings is: chosen on some rows and judged on others, and against shuffled print.

Steegen, Tuerlinckx, Gelman & Vanpaemel (2016), Increasing transparency through a multiverse analysis; Simonsohn,
Simmons & Nelson (2020), Specification curve analysis, for the search repeated where there is nothing to find.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.ties import at_most, smallest_of

PERMUTATIONS = 999


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
    ours: Vector
    """of every row, by the reading that was chosen without it"""
    inside: float
    """the error on the rows that a reading was chosen on"""
    outside: float
    """the error on the others"""


def cross_validated(ours: Matrix, published: Vector, groups: Sequence[object]) -> CrossValidated:
    """Choose on one half and predict the other, both ways."""
    first, second = halves(groups)
    chosen = tuple(best(ours[:, rows], published[rows]) if len(rows) else 0 for rows in (first, second))
    predicted = np.empty(len(published))
    predicted[second], predicted[first] = ours[chosen[0], second], ours[chosen[1], first]
    seen = np.concatenate([ours[chosen[0], first], ours[chosen[1], second]])
    known = np.concatenate([published[first], published[second]])
    return CrossValidated(
        (chosen[0], chosen[1]), predicted, float(_error(seen - known)), float(_error(predicted - published))
    )


def _error(differences: Vector) -> float:
    return float(np.sqrt(np.mean(differences**2)))


def p_value(
    ours: Matrix,
    published: Vector,
    rng: np.random.Generator,
    groups: Sequence[object] | None = None,
    permutations: int = PERMUTATIONS,
) -> float:
    """How often the same search comes as near to published rows that were shuffled, inside their groups if given.

    No reading can be right there, so what it finds is luck. The print itself counts as one of the orders, which makes
    the test exact (Phipson & Smyth 2010).
    """
    least = distances(ours, published)[best(ours, published)]
    near = 1
    for _ in range(permutations):
        shuffled = _shuffled(published, rng, groups)
        near += bool(at_most(distances(ours, shuffled)[best(ours, shuffled)], least))
    return near / (permutations + 1)


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


def least_by_option(labels: Sequence[object], found: Vector) -> Mapping[object, float]:
    """The nearest that readings with each option come."""
    every = np.where(np.isfinite(found), found, np.inf)
    return {
        label: float(min(every[i] for i, each in enumerate(labels) if each == label)) for label in dict.fromkeys(labels)
    }
