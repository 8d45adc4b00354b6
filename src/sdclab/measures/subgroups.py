"""subgroups: PIL inside groups of records, as users who analyse a part of a file meet it.

A release may keep the statistics of a whole file and lose those of its parts. The loss is that of Mateo-Sanz,
Domingo-Ferrer & Sebé (2005); groups are quartiles or categories of the independents, which are the same in both files.
"""

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from sdclab.base.describe import Given, Number
from sdclab.measures import pil
from sdclab.measures.tables import cut
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics.arrays import Mask, Matrix, Vector
from sdclab.numerics.linalg import standardised

QUARTILES = np.arange(5) / 4
"""Least value, quartiles, largest value."""

LEAST = 20
"""Records of a category, at least, for it to be a group: fewer hardly have a standard error."""

NUMBERS = {
    "subgroups": Number("mean PIL inside groups", "loss", 0, 100, better="less"),
    "subgroups_worst": Number("largest PIL inside a group", "loss", 0, 100, better="less"),
    "subgroups_number": Number("groups that are compared", low=0),
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """PIL of the dependents that are numbers inside every group.

    Groups are the quartiles of an independent that is a number, a value that is several of them being a group of its
    own, and the categories, if they have LEAST records, of one that is none. `subgroups` is the mean over the groups of
    an independent, averaged over the independents. A dependent that is constant inside a group is left out there. NaN
    where no group is left.
    """
    columns = columns or Attributes.of_numbers(original, independent)
    numbers = columns.numbers()
    before, after = original[:, numbers], protected[:, numbers]
    split = zip(columns.independent, independent.T, strict=True)
    losses = [_losses(before, after, list(_groups(*each))) for each in split]
    found = [each for each in losses if each]
    every = [loss for each in found for loss in each]
    return {
        "subgroups": float(np.mean([np.mean(each) for each in found])) if found else np.nan,
        "subgroups_worst": max(every, default=np.nan),
        "subgroups_number": float(len(every)),
    }


def _groups(attribute: Attribute, values: Vector) -> Iterator[Mask]:
    cells = cut(values, values, QUARTILES) if attribute.is_number else values
    for cell, size in zip(*np.unique(cells, return_counts=True), strict=True):
        if attribute.is_number or size >= LEAST:
            yield np.asarray(cells == cell)


def _losses(before: Matrix, after: Matrix, groups: list[Mask]) -> list[float]:
    """PIL of every group in which something varies; the whole file is no group."""
    losses = (_loss(before[group], after[group]) for group in groups if not group.all())
    return [loss for loss in losses if loss is not None]


def _loss(before: Matrix, after: Matrix) -> float | None:
    varies = standardised(before).any(axis=0)
    return pil.measure(before[:, varies], after[:, varies], before[:, :0])["pil"] if varies.any() else None
