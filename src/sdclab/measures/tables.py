"""tables: how far the one- and two-way tables of the release are from those of the original.

The distance of two tables is their total variation: the share of records that would have to change their cell, half
the sum of |p - p'| over the cells. For attributes of all types: categories are cells, numbers are cut at the deciles of
the original.
"""

from collections.abc import Iterator
from itertools import combinations, product
from typing import Annotated

import numpy as np

from sdclab.base.describe import Given, Number
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics.arrays import Indices, Matrix, Vector, matched
from sdclab.numerics.ties import equated, slack

LEVELS = np.arange(11) / 10
"""Least value, deciles, largest value."""

NUMBERS = {
    "tables": Number("distance of one- and two-way tables", "loss", 0, 100, "%", "less"),
    "tables_one": Number("distance of one-way tables", "loss", 0, 100, "%", "less"),
    "tables_two": Number("distance of two-way tables", "loss", 0, 100, "%", "less"),
}

Cells = tuple[Indices, Indices]
"""The cell of every original record and of every released one."""


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """The mean total variation distance (0 to 100) over all tables, and over those of one and of two attributes.

    A table counts if a dependent is in it: every dependent by itself, every two of them, and every dependent with every
    independent, since how a released attribute goes with those that were not touched is what is lost first. Tables of
    independents alone cannot change. Without pairs `tables_two` is NaN, and `tables` is `tables_one`.
    """
    columns = columns or Attributes.of_numbers(original, independent)
    dependents = list(_cells(columns.dependent, original, protected))
    beside = list(_cells(columns.independent, independent, independent))
    one = [_distance(*cells) for cells in dependents]
    pairs = [*combinations(dependents, 2), *product(dependents, beside)]
    two = [_distance(*_crossed(first, second)) for first, second in pairs]
    return {
        "tables": float(np.mean(one + two)),
        "tables_one": float(np.mean(one)),
        "tables_two": float(np.mean(two)) if two else np.nan,
    }


def _cells(attributes: tuple[Attribute, ...], before: Matrix, after: Matrix) -> Iterator[Cells]:
    for each, first, second in zip(attributes, before.T, after.T, strict=True):
        yield (cut(first, first), cut(second, first)) if each.is_number else matched(first, second)


def cut(values: Vector, original: Vector, levels: Vector = LEVELS) -> Indices:
    """Which part of the original's range each number lies in; one on a border, up to rounding, is in the upper part.

    A number that is several of the deciles, as a spike at zero is, is a part of its own: it must not hide among its
    neighbours. So are the numbers below the least original and those above the largest.
    """
    size = float(np.abs(original).max())
    borders, times = np.unique(equated(np.quantile(original, levels), size), return_counts=True)
    alone = times > 1
    last = np.arange(len(borders)) == len(borders) - 1
    from_below, beyond = borders[~last | alone], borders[last | alone]
    room = slack(values, size)
    return np.searchsorted(from_below, values + room, "right") + np.searchsorted(beyond, values - room, "left")


def _crossed(first: Cells, second: Cells) -> Cells:
    width = 1 + max(int(cells.max()) for cells in second)
    before, after = (a * width + b for a, b in zip(first, second, strict=True))
    return before, after


def _distance(before: Indices, after: Indices) -> float:
    """The total variation distance of two tables, in per cent; counts are whole, so no rounding adds up."""
    cells = 1 + max(int(before.max()), int(after.max()))
    if cells > 2 * len(before):  # most are empty: number those that are not
        before, after = matched(before, after)
        cells = 2 * len(before)
    more = np.bincount(before, minlength=cells) - np.bincount(after, minlength=cells)
    return 50 * float(np.abs(more).sum()) / len(before)
