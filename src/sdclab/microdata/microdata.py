"""A table: the columns of a file or of a DataFrame as they came, and the numbers and categories in them.

Messages name the row, counted from 1 after the header, and the column, never a value: it may be confidential.
"""

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from sdclab.base.errors import SdclabError, listed, unknown
from sdclab.microdata.attribute import Attribute
from sdclab.microdata.dataset import Dataset, Missing, number
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector
from sdclab.numerics.digits import number_text

MISSING = ("", "?", "NA")
"""Beside NaN, what counts as a missing value."""

COMMA = re.compile(r"[+-]?\d+(\.\d{3})*,\d+")
"""What looks like a number with a decimal comma."""

POINT = re.compile(r"[+-]?\d*\.(\d+)")
"""A number with decimals."""

ENOUGH = 1_000
"""Records that show how a column is written."""

LONGEST_NAME = 1_000
"""Characters of a column's name."""

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""In a column's name these would tear a message apart, or command the terminal."""

Say = Callable[[str], None]
"""Takes a line for the owner of the file."""


@dataclass(frozen=True)
class Levels:
    """The distinct values of a column, without those that stand for a missing one."""

    places: Indices = field(repr=False)
    """of every record's value among them; -1 where it is missing"""
    labels: tuple[str, ...]
    cells: tuple[Any, ...] = field(repr=False)
    """how each stands in the file, first"""

    def counts(self) -> dict[str, int]:
        """How many records have each."""
        times = np.bincount(self.places[self.places >= 0], minlength=len(self.labels))
        return dict(zip(self.labels, times.tolist(), strict=True))


@dataclass(frozen=True)
class Microdata:
    """A file's columns: text if it was CSV, typed if it was Parquet or a DataFrame.

    The frame's index is the row in the file.
    """

    file: str
    frame: pd.DataFrame = field(repr=False)
    separator: str = ","
    row_names: str | None = None
    """The first column, if the file gave it no name: not released unless it was asked for."""
    source: pd.DataFrame | None = field(repr=False, default=None)
    """The DataFrame that it came from, for its index and its names; None if it was a file."""
    decimals: Mapping[str, int] = field(default_factory=dict)
    """With how many the numbers of some columns are written as CSV; others with as many as it takes."""
    words: frozenset[str] = frozenset()
    """Columns that are text even if each of it could be a number; others tell by what they hold."""
    _known: dict[str, tuple[Vector, int | None]] = field(init=False, repr=False, default_factory=dict)
    _levels: dict[str, Levels] = field(init=False, repr=False, default_factory=dict)

    @classmethod
    def of_frame(cls, frame: pd.DataFrame, name: str = "the DataFrame") -> "Microdata":
        """A DataFrame's columns; `as_frame` gives index and names back."""
        for axis, what in ((frame.columns, "columns"), (frame.index, "index")):
            if isinstance(axis, pd.MultiIndex):
                raise SdclabError(f"{name}: a MultiIndex is not taken as its {what}; make it plain, as by reset_index.")
        plain = frame.set_axis([str(column) for column in frame.columns], axis=1)
        return cls(name, plain.reset_index(drop=True), source=frame)

    def as_frame(self) -> pd.DataFrame:
        """A DataFrame, with index and names of the one that it came from."""
        if self.source is None:
            return self.frame
        names = {str(name): name for name in self.source.columns}
        columns = pd.Index([names[column] for column in self.columns], name=self.source.columns.name)
        return self.frame.set_axis(columns, axis=1).set_axis(self.source.index[self.frame.index], axis=0)

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
        if column in self.words:
            return True
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

    def is_categorical(self, column: str) -> bool:
        """Whether a column has the type of pandas' categories."""
        return isinstance(self.frame[column].dtype, pd.CategoricalDtype)

    def is_coded(self, column: str) -> bool:
        """Whether numbers are written with zeros before them, as the codes of regions or occupations are."""
        cells = self.frame[column]
        return _is_words(cells) and any(
            cell[:1] == "0" and cell[1:2].isdigit() for cell in listed_cells(cells.dropna())
        )

    def written_decimals(self, column: str) -> int:
        """With how many decimals all numbers of a column are written, trailing zeros too; 0 if they differ in that."""
        first = self.frame[column].iloc[:ENOUGH].dropna()
        if not _is_words(first):
            return 0
        found = [POINT.fullmatch(cell.strip()) for cell in first if cell.strip() not in MISSING]
        lengths = {len(each[1]) if each else 0 for each in found}
        return lengths.pop() if len(lengths) == 1 else 0

    def untyped(self, column: str) -> str:
        """Why a column is neither of numbers nor of categories; nothing if it is of one of them."""
        if self.is_nested(column):
            return "holds lists or structures"
        return _untyped(self.frame[column])

    def levels(self, column: str) -> Levels:
        """The distinct values of a column, each under its label: text as it is but for spaces around it."""
        if column not in self._levels:
            self._levels[column] = self._found_levels(column)
        return self._levels[column]

    def _found_levels(self, column: str) -> Levels:
        numeric = not (self.is_categorical(column) or self.is_text(column) or self.is_coded(column))
        seen, found = pd.factorize(self.frame[column])
        labels: dict[str, int] = {}
        cells: list[Any] = []
        place = np.full(len(found) + 1, -1, dtype=np.intp)  # one more, for -1
        for i, cell in enumerate(found):
            label = _label(cell, numeric)
            if label is not None:
                place[i] = labels.setdefault(label, len(labels))
                if len(labels) > len(cells):
                    cells.append(cell)
        return Levels(place[seen], tuple(labels), tuple(cells))

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

    def _finite(self, values: Matrix, columns: Sequence[str]) -> Matrix:
        for row, j in np.argwhere(~np.isfinite(values))[:1]:
            missing = "is missing; incomplete rows are dropped only if asked for, by --missing drop"
            problem = missing if np.isnan(values[row, j]) else "is infinite"
            raise SdclabError(f"{self.file}: row {self.frame.index[row] + 1}, column {columns[j]} {problem}.")
        return values

    def gaps(self, columns: Sequence[str]) -> Mask:
        """In which rows a value of some columns is missing."""
        found = np.zeros(len(self.frame), dtype=bool)
        for column in columns:
            values, wrong = self._parsed(column)
            found |= np.isnan(values) if wrong is None else self.levels(column).places < 0
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

    def dataset(self, columns: Sequence[str], attributes: Sequence[Attribute]) -> Dataset:
        """Some columns as a dataset of the kind `own`, categories by their codes."""
        values = self._finite(self.encoded(columns, attributes), columns)
        return Dataset(self.file, "own", self.file, tuple(columns), values)

    def encoded(self, columns: Sequence[str], attributes: Sequence[Attribute]) -> Matrix:
        """Some columns as an array: numbers as they are, categories by their codes, NaN where one is missing."""
        self.check(columns)
        arrays = [self._codes(column, each) for column, each in zip(columns, attributes, strict=True)]
        values = np.column_stack([np.empty((len(self.frame), 0)), *arrays])
        for row, j in np.argwhere(np.isinf(values))[:1]:
            raise SdclabError(f"{self.file}: row {self.frame.index[row] + 1}, column {columns[j]} is infinite.")
        return values

    def _codes(self, column: str, attribute: Attribute) -> Vector:
        if attribute.is_number:
            return self.numbers(column)
        levels = self.levels(column)
        codes = {label: float(code) for code, label in enumerate(attribute.categories)}
        found = np.array([*(codes.get(label, -1) for label in levels.labels), np.nan])[levels.places]
        outside = np.count_nonzero(found == -1)
        if outside:
            raise SdclabError(f"{self.file}: {outside} values of column {column} are not among its categories.")
        return found

    def released(
        self,
        columns: Sequence[str],
        values: Matrix,
        dropped: Sequence[str],
        attributes: Sequence[Attribute] | None = None,
    ) -> "Microdata":
        """The file with new values in some columns, without those dropped, all others as they came.

        With attributes, codes become the categories that they stand for, and a column keeps its type and its decimals.
        A column of whole numbers stays one in format if the new values are whole, too; nothing is rounded.
        """
        about: Sequence[Attribute | None] = attributes or [None] * len(columns)
        new = {
            column: self._renewed(column, values[:, j], each)
            for j, (column, each) in enumerate(zip(columns, about, strict=True))
        }
        gone = set(dropped)
        frame = {column: new.get(column, self.frame[column]) for column in self.columns if column not in gone}
        decimals = {
            each.name: each.decimals
            for each in attributes or ()
            if each.is_number and each.decimals and each.decimals == self.written_decimals(each.name)
        }
        return replace(self, frame=pd.DataFrame(frame, index=self.frame.index), decimals=decimals)

    def _renewed(self, column: str, new: Vector, attribute: Attribute | None) -> Any:
        if attribute is None:
            return new.astype(np.int64) if _are_whole(self.numbers(column)) and _are_whole(new) else new
        if attribute.is_number:
            return self._numbers_again(column, new)
        return self._categories_again(column, new, attribute)

    def _numbers_again(self, column: str, new: Vector) -> Any:
        """Numbers in the column's own type, if it can hold them; whole ones of a text as such."""
        values = pd.Series(new, index=self.frame.index)
        whole = _are_whole(new[~np.isnan(new)]) and _are_whole(self._present(column))
        if not pd.api.types.is_numeric_dtype(self.frame[column].dtype):
            return values.astype("Int64" if np.isnan(new).any() else np.int64) if whole else values
        same = _cast_to(values, self.frame[column].dtype, whole)
        return values if same is None else same

    def _present(self, column: str) -> Vector:
        values = self.numbers(column)
        return values[~np.isnan(values)]

    def _categories_again(self, column: str, codes: Vector, attribute: Attribute) -> Any:
        """Categories as they stand in the file, and a gap as it stood there, if there was one.

        What they are generalised to is text, and makes one of a column that is of another type.
        """
        cells, levels = self.frame[column], self.levels(column)
        leaves = attribute.leaves
        as_text = bool((codes >= len(leaves)).any()) and not _is_words(cells)
        known = dict(zip(levels.labels, levels.cells, strict=True))
        labels = list(leaves if as_text else (known.get(label, _cell(cells, label)) for label in leaves))
        labels += attribute.categories[len(leaves) :]
        gaps = np.isnan(codes)
        made = np.array([*labels, None], dtype=object)[np.where(gaps, -1, codes).astype(np.intp)]
        if _is_words(cells):
            there = cells.to_numpy(dtype=object)
            made[gaps] = np.where(levels.places[gaps] < 0, there[gaps], "")
        return pd.Series(made, index=cells.index, dtype=object if as_text else cells.dtype)


def without_gaps(table: Microdata, columns: Sequence[str], missing: Missing, say: Say) -> Microdata:
    """The table, without its incomplete rows if that was asked for; `say` hears how many they were."""
    if missing != "drop":
        return table
    complete = table.complete(columns)
    gone = len(table.frame) - len(complete.frame)
    if gone:
        say(f"{table.file}: {gone} of {len(table.frame)} rows dropped, a value is missing in them")
    return complete


def _parsed(cells: "pd.Series[Any]") -> tuple[Vector, int | None]:
    """The numbers, NaN where missing, and the first place that is neither a number nor missing."""
    if pd.api.types.is_numeric_dtype(cells.dtype) and not pd.api.types.is_bool_dtype(cells.dtype):
        if pd.api.types.is_complex_dtype(cells.dtype):
            return np.full(len(cells), np.nan), 0
        return cells.to_numpy(dtype=np.float64, na_value=np.nan), None
    values = _cast(cells)
    if values is not None:
        return values, None
    there = listed_cells(cells)
    values = _plainly_parsed(there)
    if values is not None:
        return values, None
    values = np.empty(len(there))
    for i, cell in enumerate(there):
        try:
            values[i] = _number(cell)
        except ValueError:
            return values, i
    return values, None


def listed_cells(cells: "pd.Series[Any]") -> list[Any]:
    """The cells of a column; pandas itself would take Arrow's one by one."""
    return cells.to_numpy(dtype=object).tolist()


def _cast(cells: "pd.Series[Any]") -> Vector | None:
    """All cells at once by Arrow, if they are its texts of finite numbers: it rounds as Python does, and what else it
    takes for a number is not finite.
    """
    if not isinstance(cells.dtype, pd.ArrowDtype) or not pd.api.types.is_string_dtype(cells.dtype):
        return None
    try:
        values = np.asarray(cells.astype("double[pyarrow]").to_numpy(na_value=np.nan), dtype=np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def _plainly_parsed(cells: Sequence[Any]) -> Vector | None:
    """All cells at once, if every one is the text of a number."""
    if set(map(type, cells)) != {str} or "_" in "".join(cells):
        return None
    try:
        return np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except ValueError:
        return None


def _number(cell: Any) -> float:
    if isinstance(cell, str):
        text = cell.strip()
        return np.nan if text in MISSING else number(text)
    if pd.isna(cell):
        return np.nan
    if isinstance(cell, Real | Decimal) and not isinstance(cell, bool | np.bool):
        return float(cell)
    raise ValueError


def _label(cell: Any, numeric: bool) -> str | None:
    """What a value is called as a category; nothing if it stands for a missing one."""
    if not isinstance(cell, str):
        return number_text(float(cell)) if numeric else str(cell)
    text = cell.strip()
    if text in MISSING or text.lower() == "nan":
        return None
    return number_text(number(text)) if numeric else text


def _cast_to(values: "pd.Series[float]", kind: Any, whole: bool) -> "pd.Series[Any] | None":
    """Numbers of another type; nothing if they do not fit. Broken ones may lose digits, whole ones nothing."""
    if not whole and pd.api.types.is_integer_dtype(kind):
        return None
    try:
        made: pd.Series[Any] = (values.astype("Int64") if whole else values).astype(kind)
        again = made.to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError, OverflowError):
        return None
    return None if whole and not np.array_equal(again, values, equal_nan=True) else made


def _cell(cells: "pd.Series[Any]", label: str) -> Any:
    """A category that no record has, as it would stand in a column."""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        return next((each for each in cells.dtype.categories if str(each).strip() == label), None)
    if pd.api.types.is_bool_dtype(cells.dtype):
        return label == "True"
    return float(label) if pd.api.types.is_numeric_dtype(cells.dtype) else label


def _is_words(cells: "pd.Series[Any]") -> bool:
    """Whether a column is of text by its type."""
    if pd.api.types.is_object_dtype(cells.dtype):
        return set(map(type, cells.dropna())) == {str}
    return pd.api.types.is_string_dtype(cells.dtype)


def _untyped(cells: "pd.Series[Any]") -> str:
    kind = str(cells.dtype)
    if kind.startswith(("datetime", "timedelta", "period", "timestamp", "date", "time", "duration")):
        return "holds time stamps"
    if kind.startswith("complex"):
        return "holds complex numbers"
    if not pd.api.types.is_object_dtype(cells.dtype):
        return ""
    types = set(map(type, cells.dropna()))
    if types and all(issubclass(each, datetime.date | datetime.time | datetime.timedelta) for each in types):
        return "holds time stamps"
    if any(issubclass(each, complex) for each in types):
        return "holds complex numbers"
    kinds = {_kind(each) for each in types}
    return "" if len(kinds) <= 1 and "other" not in kinds else "holds values of mixed types"


def _kind(of: type) -> str:
    if issubclass(of, bool | np.bool):
        return "flag"
    if issubclass(of, str):
        return "text"
    return "number" if issubclass(of, Real | Decimal) else "other"


def _are_whole(values: Vector) -> bool:
    return bool(np.all((values == np.round(values)) & (np.abs(values) < 2**53)))
