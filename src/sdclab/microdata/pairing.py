"""An original and its release, column by column and record by record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sdclab.base.errors import SdclabError, shortened
from sdclab.microdata import inference
from sdclab.microdata.attribute import Attribute
from sdclab.microdata.dataset import Dataset, Missing
from sdclab.microdata.declaration import Declared
from sdclab.microdata.microdata import Microdata, Say, without_gaps
from sdclab.microdata.roles import Roles, unfit


@dataclass(frozen=True)
class Pair:
    """The columns that two tables share, as numbers, their roles, and why other columns are left out."""

    original: Dataset
    released: Dataset
    roles: Roles
    left_out: Mapping[str, str] = field(default_factory=dict)


def pair(
    original: Microdata,
    released: Microdata,
    dependent: Sequence[str] = (),
    independent: Sequence[str] = (),
    missing: Missing = "refuse",
    say: Say = lambda line: None,
    types: Mapping[str, Declared] | None = None,
) -> Pair:
    """Two tables to be compared; `say` hears of rows that are dropped.

    If dependents are named, nothing is compared but them and the independents. If they are not, they are all other
    columns that can be compared; and if no independents are named either, those are what the release did not change.
    """
    columns, left_out = _shared(original, released, dependent, independent)
    original, released = _paired(original, released, columns, missing, say)
    said = {name: about for name, about in (types or {}).items() if name in columns}
    attributes = inference.attributes(original, columns, said)
    before, after = (_dataset(table, columns, attributes) for table in (original, released))
    return Pair(before, after, _roles(before, after, dependent, independent), left_out)


def _dataset(table: Microdata, columns: Sequence[str], attributes: tuple[Attribute, ...]) -> Dataset:
    values = table.encoded(columns, attributes)
    for row, j in np.argwhere(np.isnan(values))[:1]:
        raise SdclabError(
            f"{table.file}: row {table.frame.index[row] + 1}, column {columns[j]} is missing; incomplete rows are "
            "dropped only if asked for, by --missing drop on the command line."
        )
    return Dataset(table.file, "own", table.file, tuple(columns), values, attributes)


def _shared(
    original: Microdata, released: Microdata, dependent: Sequence[str], independent: Sequence[str]
) -> tuple[list[str], dict[str, str]]:
    """The columns to compare, in the original's order, and why others are left out."""
    named = {*dependent, *independent}
    for name in (*dependent, *independent):
        for table in (original, released):
            if name not in table:
                raise SdclabError(f"{table.file}: there is no column {shortened(name)}; both files must have it.")
    if dependent:
        return [name for name in original.columns if name in named], {}
    others = [name for name in dict.fromkeys(original.columns + released.columns) if name not in named]
    left_out = {name: why for name in others if (why := _unfit(name, original, released))}
    if len(left_out) == len(others):
        raise SdclabError(f"{original.file} and {released.file} share no column of numbers that could be compared.")
    return [name for name in original.columns if name not in left_out], left_out


def _unfit(name: str, original: Microdata, released: Microdata) -> str:
    """Why a column is not compared; nothing if it is."""
    for table in (original, released):
        if name not in table:
            return f"is not in {table.file}"
        if name == table.row_names:
            return "names the rows"
    if original.is_text(name) != released.is_text(name):
        table = original if original.is_text(name) else released
        return f"holds text in {table.file}, first in row {table.first_text(name)}"
    return unfit(original, name)


def _paired(
    original: Microdata, released: Microdata, columns: Sequence[str], missing: Missing, say: Say
) -> tuple[Microdata, Microdata]:
    """The two tables record by record, without those that are incomplete in either, if that was asked for.

    A release made by `protect --missing drop` lacks the incomplete records already: it is as long as the original
    without them, and has no gap.
    """
    n, m = len(original.frame), len(released.frame)
    if missing == "drop" and n != m and not released.gaps(columns).any():
        original = without_gaps(original, columns, missing, say)
    if len(original.frame) != m:
        raise SdclabError(f"{original.file} has {n} records and {released.file} {m}; they must agree.")
    if missing != "drop" or n != m:
        return original, released
    gaps = original.gaps(columns) | released.gaps(columns)
    if gaps.all():
        raise SdclabError(f"{original.file} and {released.file}: no record is complete in both.")
    if gaps.any():
        say(f"{gaps.sum()} of {n} rows dropped, a value is missing in {original.file} or {released.file}")
    return original.rows(~gaps), released.rows(~gaps)


def _roles(before: Dataset, after: Dataset, dependent: Sequence[str], independent: Sequence[str]) -> Roles:
    """The roles asked for; if none were, what is the same in both files is independent, unless everything is."""
    if not (dependent or independent):
        same = (before.values == after.values).all(axis=0)
        independent = [] if same.all() else [before.columns[i] for i in same.nonzero()[0]]
    asked = set(independent)
    rest = (name for name in before.columns if name not in asked)
    return Roles(tuple(dependent or rest), tuple(name for name in before.columns if name in asked))
