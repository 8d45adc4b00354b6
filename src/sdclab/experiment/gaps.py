"""Gaps that are kept: filled before a method sees the file, and blanked again after it.

A gap is filled by predictive mean matching (Little 1988, Missing-data adjustments in large surveys): every incomplete
column is regressed on all others, and a record without a value gets that of the record whose prediction is nearest. So
what is filled in is a value of the column, whatever its type, and stands where the model would expect it; it reaches
nobody, since the same cells are blanked in the release.
"""

from collections import Counter

import numpy as np
from scipy.spatial import cKDTree

from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.dataset import PATTERN
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector
from sdclab.numerics.linalg import orthonormal_basis, with_intercept

ROUNDS = 3
"""Times that every incomplete column is predicted from the others as they are filled by then."""

DIGITS = 6
"""Of a prediction, in units of their range: the last ones are the processor's and choose nobody."""


def filled(values: Matrix, attributes: tuple[Attribute, ...]) -> Matrix:
    """The records without gaps; columns without a gap are as they were. Deterministic."""
    gaps = np.isnan(values)
    made = np.column_stack([_first_guess(column) for column in values.T])
    for _ in range(ROUNDS):
        for at in np.flatnonzero(gaps.any(axis=0)):
            regressors = _regressors(np.delete(made, at, axis=1), attributes[:at] + attributes[at + 1 :])
            made[:, at] = _matched(values[:, at], attributes[at], regressors)
    return made


def _first_guess(column: Vector) -> Vector:
    """The values that are there, in their order, again and again."""
    there = column[~np.isnan(column)]
    gaps = np.flatnonzero(np.isnan(column))
    guessed = column.copy()
    guessed[gaps] = there[np.arange(len(gaps)) % len(there)]
    return guessed


def _regressors(values: Matrix, attributes: tuple[Attribute, ...]) -> Matrix:
    return orthonormal_basis(with_intercept(Attributes((), attributes).with_indicators(values)))


def _matched(column: Vector, attribute: Attribute, regressors: Matrix) -> Vector:
    """Every gap filled with the value of the record with the nearest prediction."""
    gap = np.isnan(column)
    response = _response(column[~gap], attribute)
    slopes = np.linalg.lstsq(regressors[~gap], response, rcond=None)[0]
    predicted = regressors @ slopes
    predicted = np.round(predicted / max(float(np.ptp(predicted)), np.finfo(float).tiny), DIGITS)
    made = column.copy()
    made[gap] = column[~gap][_donors(predicted[~gap], predicted[gap])]
    return made


def _response(values: Vector, attribute: Attribute) -> Matrix:
    """A number as it is, an indicator of every category."""
    if attribute.is_number:
        return values[:, None]
    return (values[:, None] == np.arange(len(attribute.categories))).astype(float)


def _donors(known: Matrix, asked: Matrix) -> Indices:
    """The record with the nearest prediction for each; who share a prediction take turns."""
    distinct, which = np.unique(known, axis=0, return_inverse=True)
    order = which.ravel().argsort(kind="stable")
    starts = np.searchsorted(which.ravel()[order], np.arange(len(distinct) + 1))
    nearest = np.asarray(cKDTree(distinct).query(asked)[1], dtype=np.intp)
    turns: Counter[int] = Counter()
    chosen = np.empty(len(asked), dtype=np.intp)
    for i, at in enumerate(nearest.tolist()):
        chosen[i] = order[starts[at] + turns[at] % (starts[at + 1] - starts[at])]
        turns[at] += 1
    return chosen


def pattern(gaps: Mask) -> tuple[Vector, Attribute] | None:
    """Which columns are missing in a record, as an attribute of its own; None if that is the same in all."""
    if not gaps.any():
        return None
    patterns, which = np.unique(gaps, axis=0, return_inverse=True)
    if len(patterns) < 2:
        return None
    names = tuple("".join("x" if missing else "." for missing in each) for each in patterns)
    return which.ravel().astype(float), Attribute(PATTERN, "nominal", categories=names)
