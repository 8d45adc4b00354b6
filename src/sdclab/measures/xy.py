"""xy: what becomes of the relations between the dependents and the independents.

PIL looks at the dependents alone, so a mere permutation of their rows loses nothing by it. This measure applies PIL's
covariance part (Mateo-Sanz, Domingo-Ferrer & Sebé 2005) to the pairs of one dependent and one independent.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from sdclab.base.describe import Given, Number
from sdclab.measures.pil import covariance_losses
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics.arrays import Indices, Matrix, Vector, matched
from sdclab.numerics.linalg import standardised

NUMBERS = {
    "xy": Number("loss of the relations with independents", "loss", 0, 100, better="less"),
    "xy_lost": Number("relations with independents that are gone", "loss", 0, 100, "%", "less"),
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """The mean loss of the covariances of each dependent with each independent.

    Categories, of both, enter as an indicator of each of them, so that none is singled out; the losses of an
    attribute's indicators are averaged first, so that every pair of attributes counts alike. An attribute of two
    categories counts as one of 0 and 1. NaN without independents.

    That loss is in standard errors, and so grows with the number of records. `xy_lost` does not: it is the squared
    change of all correlations of a dependent with an independent, over the sum of their squares, both less what chance
    gives in so many records; 100 where nothing is left of the relations, 0 where there are none: their squares add up
    to less than twice what chance gives.
    """
    if independent.shape[1] == 0:
        return {"xy": np.nan, "xy_lost": np.nan}
    columns = columns or Attributes.of_numbers(original, independent)
    before, after, of_dependent = _widened(columns.dependent, original, protected)
    beside, _, of_independent = _widened(columns.independent, independent, independent)
    pairs = np.add.outer(of_dependent * independent.shape[1], of_independent).ravel()
    losses = covariance_losses(before, beside, after, beside).ravel()
    # where every attribute is a number, each pair is divided by 1
    mean = 100 * float(np.mean(np.bincount(pairs, losses) / np.bincount(pairs)))
    return {"xy": mean, "xy_lost": 100 * _lost(before, after, beside)}


def _lost(before: Matrix, after: Matrix, beside: Matrix) -> float:
    """The share of the correlations that is gone; by chance alone a correlation's square is 1/n on average."""
    x = standardised(beside)
    then, now = (x.T @ standardised(each) / len(x) for each in (before, after))
    by_chance = then.size / len(x)
    there = float((then**2).sum()) - by_chance
    gone = float(((now - then) ** 2).sum()) - by_chance
    return float(np.clip(gone / there, 0, 1)) if there > by_chance else 0.0


def _widened(attributes: Sequence[Attribute], before: Matrix, after: Matrix) -> tuple[Matrix, Matrix, Indices]:
    """Both files with categories as indicators, and to which attribute each column belongs."""
    if all(each.is_number for each in attributes):
        return before, after, np.arange(len(attributes))
    parts = [_indicators(*each) for each in zip(attributes, before.T, after.T, strict=True)]
    widths = [part.shape[1] for part, _ in parts]
    first, second = (np.hstack(each) for each in zip(*parts, strict=True))
    return first, second, np.repeat(np.arange(len(parts)), widths)


def _indicators(attribute: Attribute, before: Vector, after: Vector) -> tuple[Matrix, Matrix]:
    """A number by itself; an indicator of every category that either file has."""
    if attribute.is_number:
        return before[:, None], after[:, None]
    first, second = matched(before, after)
    each = np.eye(1 + max(int(first.max()), int(second.max())))
    return each[first], each[second]
