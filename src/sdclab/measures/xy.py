"""xy: what becomes of the relations between the dependents and the independents.

PIL looks at the dependents alone, so a mere permutation of their rows loses nothing by it. This measure applies PIL's
covariance part (Mateo-Sanz, Domingo-Ferrer & Sebé 2005) to the pairs of one dependent and one independent.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated

import numpy as np

from sdclab.base.describe import Given, Number
from sdclab.measures.pil import covariance_losses
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics.arrays import Indices, Matrix, Vector, matched

BLOCK = 10_000_000
"""Numbers in a matrix of pairs of columns, at most, unless one column has as many pairs."""

NUMBERS = {"xy": Number("loss of the relations with independents", "loss", 0, 100, better="less")}


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
    """
    if independent.shape[1] == 0:
        return {"xy": np.nan}
    columns = columns or Attributes.of_numbers(original, independent)
    before, after, of_dependent = _widened(columns.dependent, original, protected)
    beside, _, of_independent = _widened(columns.independent, independent, independent)
    pairs = np.add.outer(of_dependent * independent.shape[1], of_independent).ravel()
    losses = np.concatenate([_losses(*each, beside) for each in _blocks(before, after, beside)])
    # where every attribute is a number, each pair is divided by 1
    return {"xy": 100 * float(np.mean(np.bincount(pairs, losses) / np.bincount(pairs)))}


def _blocks(before: Matrix, after: Matrix, beside: Matrix) -> Iterator[tuple[Matrix, Matrix]]:
    """Columns of both files, as many as fit in memory with every independent."""
    step = max(1, BLOCK // max(beside.size, 1))
    for start in range(0, before.shape[1], step):
        yield before[:, start : start + step], after[:, start : start + step]


def _losses(before: Matrix, after: Matrix, beside: Matrix) -> Vector:
    """Of every covariance of a column with one of the independents, column by column."""
    p, q = before.shape[1], beside.shape[1]
    tiled = np.tile(beside, p)
    return covariance_losses(np.repeat(before, q, axis=1), tiled, np.repeat(after, q, axis=1), tiled)


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
