"""Invariant PRAM, the post-randomisation method: categories change at random, expected frequencies do not.

Kooiman, Willenborg & Gouweleeuw (1997), PRAM: a method for disclosure limitation of microdata; Gouweleeuw, Kooiman,
Willenborg & de Wolf (1998), Post randomisation for statistical disclosure control: theory and implementation.
"""

from typing import Annotated

import numpy as np

from sdclab.base.describe import Doc, Given
from sdclab.base.errors import SdclabError
from sdclab.methods import Release
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Matrix, Vector

RELEASES = "categories, changed at random"
KEEPS = "expected frequencies"
TAKES = ("nominal", "ordinal")
GRID = {"p": [0.95, 0.9, 0.8, 0.7, 0.5, 0.2]}


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    p: Annotated[
        float,
        Doc(
            "the probability that a category is left alone, from 0 to 1; otherwise it is drawn from the file's "
            "frequencies, or is one that is near if they have an order"
        ),
    ] = 0.8,
    columns: Annotated[Attributes | None, Given()] = None,
) -> Release:
    """Change every value by the transition probabilities of its attribute, whose frequencies are kept in expectation.

    `kept` is the share (per cent) of values that are the original ones, by being left alone or by being drawn again.
    """
    if not 0 <= p <= 1:
        raise SdclabError(f"p is {p} but must lie between 0 and 1.")
    if columns is None:
        raise SdclabError("takes nominal and ordinal attributes, but columns without types are numbers.")
    values = np.empty_like(dependent)
    for j, attribute in enumerate(columns.dependent):
        found, which, counts = np.unique(dependent[:, j], return_inverse=True, return_counts=True)
        matrix = transitions(counts / len(dependent), p, attribute.type == "ordinal")
        values[:, j] = found[_drawn(matrix, which, rng)]
    return Release(values, {"kept": 100 * float(np.mean(values == dependent))})


def transitions(frequencies: Vector, p: float, ordinal: bool = False) -> Matrix:
    """Probabilities to go from each category to each, R, with t R = t for the frequencies t (none of which is 0).

    Two-stage PRAM: a first step P, then back by Bayes' theorem, Q_lk = t_k P_kl / (t P)_l, so that t P Q = t. A step
    leaves a category alone with probability sqrt(p), and is otherwise a draw from t: then R = p I + (1 - p) 1 t. That
    draw is ours, and so is this: ordered categories go to a neighbour instead, one at the end to its only one, so that
    R reaches two categories far.
    """
    alone = np.sqrt(p)
    size = len(frequencies)
    elsewhere = _neighbours(size) if ordinal and size > 1 else np.tile(frequencies, (size, 1))
    first = alone * np.eye(size) + (1 - alone) * elsewhere
    back = (frequencies[:, None] * first / (frequencies @ first)).T
    return np.asarray(first @ back)


def _neighbours(size: int) -> Matrix:
    beside = np.eye(size, k=1) + np.eye(size, k=-1)
    return np.asarray(beside / beside.sum(axis=1, keepdims=True))


def _drawn(matrix: Matrix, which: Indices, rng: np.random.Generator) -> Indices:
    """A category for every record, by the row of the one that it has."""
    limits = matrix.cumsum(axis=1)
    limits[:, -1] = 1.0  # but for rounding it is
    drawn = np.empty_like(which)
    chance = rng.random(len(which))
    for k, row in enumerate(limits):
        here = which == k
        drawn[here] = np.searchsorted(row, chance[here], side="right")
    return drawn
