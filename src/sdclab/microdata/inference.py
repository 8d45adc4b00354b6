"""The type and the domain of every column, by what it holds, unless its owner says otherwise.

Text that repeats itself, flags and pandas' categories are nominal, ordered categories ordinal; whole numbers are
counts, unless only two of them occur, or they are written with zeros before them: then they are codes, and nominal.
All other numbers are continuous, with as many decimals as the file has.

Bounds are natural ones. The data's own extremes would give a record away, so one of them is a bound only if at least
`SHARED` records have it. Else the low bound is 0 where no number is negative; the high one is 1 where all others lie
between 0 and 1, and 100 where they lie between 0 and 100 and come near 100, as percentages do.
"""

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np
import pandas as pd

from sdclab.base.errors import SdclabError, shortened
from sdclab.base.progress import each_of
from sdclab.microdata.attribute import Attribute, Type
from sdclab.microdata.dataset import is_number
from sdclab.microdata.declaration import Declared
from sdclab.microdata.microdata import Microdata
from sdclab.numerics.arrays import Vector
from sdclab.numerics.digits import decimals

SHARED = 10
"""What so many records have in common gives none of them away."""

MAX_NARROW = 5
"""Of 32 bits, a number with more decimals is no decimal one, but the result of a computation."""

NEAR_100 = 95
"""Percentages come so near to 100, or are taken for numbers without a high bound."""

FEW = 10
"""With no more distinct values a number is no continuous one with masses, but a short list of values."""

MASS, SPIKE = 0.05, 3
"""A mass is the value of such a share of the records, and so many times as common as the values next to it."""


def attributes(
    table: Microdata, columns: Sequence[str], declared: Mapping[str, Declared] | None = None
) -> tuple[Attribute, ...]:
    """What some columns hold: by the table, and as its owner declared it."""
    said = declared or {}
    table.check([*columns, *said])
    return tuple(_attribute(table, column, said.get(column, Declared())) for column in each_of(columns, "columns"))


def free_text(table: Microdata, column: str) -> str:
    """Why the text of a column is not that of categories, which come back again and again; nothing if it may be."""
    counts = table.levels(column).counts()
    present = sum(counts.values())
    if 2 * len(counts) <= present or present < 2:
        return ""
    if 2 * sum(map(is_number, counts)) > len(counts):
        return "holds text among its numbers"
    return "holds text that names the records" if len(counts) == present else "holds text of all kinds"


def numbers_records(table: Microdata, column: str) -> bool:
    """Whether a column holds running numbers."""
    values = table.numbers(column)
    present = np.sort(values[~np.isnan(values)])
    return len(present) >= SHARED and bool(np.all(np.diff(present) == 1))


def is_categories(table: Microdata, column: str) -> bool:
    """Whether a column is one of categories, unless it was declared to be something else."""
    return table.is_categorical(column) or table.is_text(column) or _are_codes(table, column)


def _are_codes(table: Microdata, column: str) -> bool:
    """Whether whole numbers are no counts: two of them, or some written as 01, that come back again and again."""
    values = table.numbers(column)
    present = values[~np.isnan(values)]
    if not are_whole(present):
        return False
    distinct = len(np.unique(present))
    return 2 * distinct <= len(present) and (distinct == 2 or (distinct > 2 and table.is_coded(column)))


def _attribute(table: Microdata, column: str, said: Declared) -> Attribute:
    problem = table.untyped(column)
    if problem:
        raise SdclabError(
            f"{table.file}: column {column} {problem}; make numbers or categories of it, or leave it out."
        )
    if said.is_categories or (not said.is_number and is_categories(table, column)):
        return _categories(table, column, said)
    return _numbers(table, column, said)


def _categories(table: Microdata, column: str, said: Declared) -> Attribute:
    """The categories in the order declared or given by pandas, else sorted: text as text, numbers as numbers."""
    given = table.frame[column].dtype
    ordered = isinstance(given, pd.CategoricalDtype) and bool(given.ordered)
    type: Type = said.type or ("ordinal" if ordered else "nominal")
    levels = table.levels(column)
    categories = said.categories or _sorted(table, column, levels.labels, type)
    unheard = set(levels.labels) - set(categories)
    if unheard:
        outside = sum(levels.counts()[label] for label in unheard)
        raise SdclabError(f"{table.file}: {outside} values of column {column} are not among its categories.")
    tree = said.taxonomy
    released = categories + (tree.inner if tree else ())
    found = Attribute(column, type, categories=released, gaps=bool(table.gaps([column]).any()), taxonomy=tree)
    _check_categories(table, found, len(levels.labels))
    return found


def _sorted(table: Microdata, column: str, labels: Sequence[str], type: Type) -> tuple[str, ...]:
    given = table.frame[column].dtype
    if isinstance(given, pd.CategoricalDtype) and given.ordered:
        present = set(labels)
        return tuple(label for each in given.categories if (label := str(each).strip()) in present)
    of_words = table.is_categorical(column) or table.is_text(column) or table.is_coded(column)
    return in_order(labels, of_words, type, f"{table.file}: column {column}")


def in_order(labels: Sequence[str], of_words: bool, type: Type, where: str) -> tuple[str, ...]:
    """Categories sorted: text as text, numbers as numbers; ordinal ones must have an order of their own."""
    if of_words:
        if type == "ordinal":
            raise SdclabError(f"{where} is ordinal, but has no order; list its categories in theirs.")
        return tuple(sorted(labels))
    if type == "ordinal" and np.any(np.diff(sorted(map(float, labels))) != 1):
        raise SdclabError(
            f"{where} is ordinal, but its numbers have gaps between them; list its categories in their order."
        )
    return tuple(sorted(labels, key=float))


def _check_categories(table: Microdata, found: Attribute, present: int) -> None:
    if present < 2:
        problem = "fewer than two categories"
    elif found.type == "nominal" and present == len(table.frame):
        problem = "as many categories as records"
    else:
        return
    raise SdclabError(
        f"{table.file}: column {shortened(found.name)} is {found.type}, but has {problem}; leave it out, or declare "
        "another type."
    )


def _numbers(table: Microdata, column: str, said: Declared) -> Attribute:
    values = table.numbers(column)
    present = values[np.isfinite(values)]
    whole = are_whole(present)
    type: Type = said.type or ("count" if whole else "continuous")
    if type == "count" and not whole:
        broken = np.count_nonzero(present != np.round(present))
        raise SdclabError(f"{table.file}: column {column} is a count, but {broken} of its values are not whole.")
    low, high = bounds(present)
    found = Attribute(
        column,
        type,
        low if said.low is None else said.low,
        high if said.high is None else said.high,
        said.decimals if type == "continuous" and said.decimals is not None else column_decimals(table, column, type),
        masses=masses(present) if said.masses is None else said.masses,
        gaps=bool(np.isnan(values).any()),
    )
    outside = np.count_nonzero((present < found.low) | (present > found.high))
    if outside:
        raise SdclabError(f"{table.file}: {outside} values of column {column} lie beyond its bounds.")
    return found


def bounds(present: Vector) -> tuple[float, float]:
    """Natural bounds of numbers; see above."""
    if not len(present):
        return -inf, inf
    least, most = float(present.min()), float(present.max())
    times = [int(np.count_nonzero(present == end)) for end in (least, most)]
    return natural_bounds((least, times[0]), (most, times[1]), are_whole(present))


def natural_bounds(lowest: tuple[float, int], highest: tuple[float, int], whole: bool) -> tuple[float, float]:
    """The bounds by either extreme with how many records have it, and by whether all numbers are whole."""
    (least, times_least), (most, times_most) = lowest, highest
    low = least if times_least >= SHARED else 0.0 if least >= 0 else -inf
    if times_most >= SHARED:
        return low, most
    if least < 0:
        return low, inf
    if most <= 1 and not whole:
        return low, 1.0
    return low, 100.0 if NEAR_100 < most <= 100 else inf


def masses(present: Vector) -> tuple[float, ...]:
    """Values that many records have in common although others have hardly two alike, as a spike at zero."""
    values, times = np.unique(present, return_counts=True)
    if len(values) <= FEW:
        return ()
    beside = np.maximum(np.append(times[1:], 0), np.append(0, times[:-1]))
    many = (times >= SHARED) & (times >= MASS * len(present)) & (times >= SPIKE * beside)
    return tuple(values[many].tolist())


def column_decimals(table: Microdata, column: str, type: Type) -> int | None:
    """The most that a number of the column has; None if that are too many, or it is of whole numbers."""
    if type == "count":
        return None
    values = table.numbers(column)
    present = values[np.isfinite(values)]
    is_narrow = str(table.frame[column].dtype).lower().startswith(("float32", "float["))
    found = decimals(present.astype(np.float32), MAX_NARROW) if is_narrow else decimals(present)
    return None if found is None else max(found, table.written_decimals(column))


def are_whole(present: Vector) -> bool:
    """Whether there are numbers, and none is broken."""
    return bool(len(present)) and bool(np.all(present == np.round(present)))
