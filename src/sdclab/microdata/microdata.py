"""A table: the columns of a file as they came, and the numbers in them.

Messages name the row, counted from 1 after the header, and the column, never a value: it may be confidential.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdclab.base.errors import SdclabError, listed, unknown
from sdclab.microdata.dataset import Dataset, Missing, number
from sdclab.numerics.arrays import Mask, Matrix, Vector

MISSING = ("", "?", "NA")
"""Beside NaN, what counts as a missing value."""

COMMA = re.compile(r"[+-]?\d+(\.\d{3})*,\d+")
"""What looks like a number with a decimal comma."""

LONGEST_NAME = 1_000
"""Characters of a column's name."""

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""In a column's name these would tear a message apart, or command the terminal."""

Say = Callable[[str], None]
"""Takes a line for the owner of the file."""


@dataclass(frozen=True)
class Microdata:
    """A file's columns: text if it was CSV, typed if it was Parquet. The frame's index is the row in the file."""

    file: str
    frame: pd.DataFrame = field(repr=False)
    separator: str = ","
    row_names: str | None = None
    """The first column, if the file gave it no name: not released unless it was asked for."""
    _known: dict[str, tuple[Vector, int | None]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        first: dict[str, int] = {}
        for i, column in enumerate(self.columns, start=1):
            if not column.strip():
                raise SdclabError(f"{self.file}: column {i} has no name.")
            if len(column) > LONGEST_NAME or CONTROL.search(column):
                raise SdclabError(
                    f"{self.file}: the name of column {i} is longer than {LONGEST_NAME} characters or holds a control "
                    "character."
                )
            if first.setdefault(column, i) != i:
                raise SdclabError(f"{self.file}: columns {first[column]} and {i} have the same name.")
        if self.frame.empty:
            raise SdclabError(f"{self.file}: holds no records.")

    @cached_property
    def columns(self) -> tuple[str, ...]:
        return tuple(map(str, self.frame.columns))

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.columns)

    def __contains__(self, column: str) -> bool:
        return column in self._names

    def check(self, columns: Sequence[str]) -> None:
        """Refuse a name that no column has."""
        for column in columns:
            if column not in self:
                raise unknown("column", column, self.columns, self.file)

    def numbers(self, column: str) -> Vector:
        """A column as numbers, NaN where one is missing."""
        values, wrong = self._parsed(column)
        if wrong is not None:
            raise self._not_a_number(column, wrong)
        return values

    def is_text(self, column: str) -> bool:
        """Whether a column holds anything but numbers; numbers with a decimal comma are refused, not guessed."""
        wrong = self._parsed(column)[1]
        if wrong is not None and COMMA.fullmatch(str(self.frame[column].iloc[wrong]).strip()):
            raise self._not_a_number(column, wrong)
        return wrong is not None

    def first_text(self, column: str) -> int | None:
        """The first row of a column that is no number."""
        wrong = self._parsed(column)[1]
        return None if wrong is None else int(self.frame.index[wrong]) + 1

    def is_nested(self, column: str) -> bool:
        """Whether a column of a Parquet file holds lists or structures: what lies in them cannot be seen through."""
        kind = self.frame[column].dtype
        return isinstance(kind, pd.ArrowDtype) and kind.pyarrow_dtype.num_fields > 0

    def _parsed(self, column: str) -> tuple[Vector, int | None]:
        """See `_parsed`; text is read once."""
        if column not in self._known:
            self._known[column] = _parsed(self.frame[column])
        return self._known[column]

    def _not_a_number(self, column: str, place: int) -> SdclabError:
        where = f"{self.file}: row {self.frame.index[place] + 1}, column {column}"
        if COMMA.fullmatch(str(self.frame[column].iloc[place]).strip()):
            return SdclabError(f"{where} has a comma in a number; write decimals with a point, they are not guessed.")
        return SdclabError(f"{where} is not a number.")

    def matrix(self, columns: Sequence[str]) -> Matrix:
        """Some columns as finite numbers."""
        self.check(columns)
        values = np.column_stack([np.empty((len(self.frame), 0)), *(self.numbers(column) for column in columns)])
        for row, j in np.argwhere(~np.isfinite(values))[:1]:
            missing = (
                "is missing; incomplete rows are dropped only if asked for, by --missing drop on the command line or "
                "missing: drop in a study"
            )
            problem = missing if np.isnan(values[row, j]) else "is infinite"
            raise SdclabError(f"{self.file}: row {self.frame.index[row] + 1}, column {columns[j]} {problem}.")
        return values

    def gaps(self, columns: Sequence[str]) -> Mask:
        """In which rows a value of some columns is missing."""
        found = np.zeros(len(self.frame), dtype=bool)
        for column in columns:
            found |= np.isnan(self.numbers(column))
        return found

    def complete(self, columns: Sequence[str]) -> "Microdata":
        """The rows without a missing value in any of some columns."""
        self.check(columns)
        gaps = self.gaps(columns)
        if gaps.all():
            raise SdclabError(f"{self.file}: every row has a missing value in the columns {listed(columns)}.")
        return self.rows(~gaps)

    def rows(self, chosen: Mask) -> "Microdata":
        return replace(self, frame=self.frame[chosen])

    def dataset(self, columns: Sequence[str]) -> Dataset:
        """Some columns as a dataset of the kind `own`."""
        return Dataset(self.file, "own", self.file, tuple(columns), self.matrix(columns))

    def released(self, columns: Sequence[str], values: Matrix, dropped: Sequence[str]) -> "Microdata":
        """The file with new values in some columns, without those dropped, all others as they came.

        A column of whole numbers stays one in format if the new values are whole, too; nothing is rounded.
        """
        new = dict(zip(columns, values.T, strict=True))
        gone = set(dropped)
        frame = {
            column: self._renewed(column, new[column]) if column in new else self.frame[column]
            for column in self.columns
            if column not in gone
        }
        return replace(self, frame=pd.DataFrame(frame, index=self.frame.index))

    def _renewed(self, column: str, new: Vector) -> "Vector | NDArray[np.int64]":
        return new.astype(np.int64) if _are_whole(self.numbers(column)) and _are_whole(new) else new


def without_gaps(table: Microdata, columns: Sequence[str], missing: Missing, say: Say) -> Microdata:
    """The table, without its incomplete rows if that was asked for; `say` hears how many they were."""
    if missing == "refuse":
        return table
    complete = table.complete(columns)
    gone = len(table.frame) - len(complete.frame)
    if gone:
        say(f"{table.file}: {gone} of {len(table.frame)} rows dropped, a value is missing in them")
    return complete


def _parsed(cells: "pd.Series[Any]") -> tuple[Vector, int | None]:
    """The numbers, NaN where missing, and the first place that is neither a number nor missing."""
    if pd.api.types.is_numeric_dtype(cells.dtype) and not pd.api.types.is_bool_dtype(cells.dtype):
        return cells.to_numpy(dtype=np.float64, na_value=np.nan), None
    values = np.empty(len(cells))
    for i, cell in enumerate(cells):
        try:
            values[i] = _number(cell)
        except ValueError:
            return values, i
    return values, None


def _number(cell: Any) -> float:
    if not isinstance(cell, str):
        if pd.isna(cell):
            return np.nan
        raise ValueError
    text = cell.strip()
    if text in MISSING:
        return np.nan
    return number(text)


def _are_whole(values: Vector) -> bool:
    return bool(np.all((values == np.round(values)) & (np.abs(values) < 2**53)))
