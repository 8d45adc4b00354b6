"""A user's own file: read with every column as it came, given roles by name, and written again.

CSV (separated by comma, semicolon or tab; UTF-8, with or without a byte order mark) or Parquet, by the file's ending.
Messages name the row, counted from 1 after the header, and the column, never a value: it may be confidential.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from sdclab.arrays import Matrix, Vector
from sdclab.errors import SdclabError, unknown
from sdclab.files import read as read_bytes
from sdclab.files import replacing

SEPARATORS = ",;\t"
MISSING = ("", "?", "NA")
"""Beside NaN, what counts as a missing value."""

COMMA = re.compile(r"[+-]?\d+(\.\d{3})*,\d+")
"""What looks like a number with a decimal comma."""

COUNTED = 10
"""Fewer records are not taken for numbered ones, whatever their values."""

LISTED = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(?:,|$)')
"""One name of a list: in quotes, where two of them are one, or bare."""

Missing = Literal["refuse", "drop"]


def names_of(text: str) -> tuple[str, ...]:
    """The names of a list as the command line has it, `"income, EUR",tax`: quoted as in CSV where one needs it."""
    names, end = [], 0
    while end < len(text):
        found = LISTED.match(text, end)
        if found is None:
            raise SdclabError(
                f"the list of names {text} cannot be read; a name with a comma or a quote stands in double quotes, and a "
                'quote in it is written twice: "income, EUR",tax.'
            )
        quoted, bare = found.groups()
        names.append(bare.strip() if quoted is None else quoted.replace('""', '"'))
        end = found.end()
    return tuple(name for name in names if name)


def written(names: Sequence[str]) -> str:
    """A list of names that `names_of` reads again."""
    return ",".join(map(_quoted, names))


def _quoted(name: str) -> str:
    """A name in quotes if it needs them; one that begins with a dash would be taken for an option."""
    if name == name.strip() and not name.startswith("-") and not set(name) & set(',"'):
        return name
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True)
class Table:
    """A file's columns: text if it was CSV, typed if it was Parquet. The frame's index is the row in the file."""

    file: str
    frame: pd.DataFrame = field(repr=False)
    separator: str = ","
    _known: dict[str, tuple[Vector, int | None]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        for i, column in enumerate(self.columns):
            if not column.strip():
                raise SdclabError(f"{self.file}: column {i + 1} has no name.")
            if column in self.columns[:i]:
                raise SdclabError(f"{self.file}: two columns are called {column}.")
        if self.frame.empty:
            raise SdclabError(f"{self.file}: holds no records.")

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(map(str, self.frame.columns))

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

    def _check(self, columns: Sequence[str]) -> None:
        for column in columns:
            if column not in self.columns:
                raise unknown("column", column, self.columns, self.file)

    def matrix(self, columns: Sequence[str]) -> Matrix:
        """Some columns as finite numbers."""
        self._check(columns)
        values = np.column_stack([np.empty((len(self.frame), 0)), *(self.numbers(column) for column in columns)])
        for row, j in np.argwhere(~np.isfinite(values))[:1]:
            missing = "is missing; incomplete rows are dropped only if asked for (missing: drop)"
            problem = missing if np.isnan(values[row, j]) else "is infinite"
            raise SdclabError(f"{self.file}: row {self.frame.index[row] + 1}, column {columns[j]} {problem}.")
        return values

    def complete(self, columns: Sequence[str]) -> "Table":
        """The rows without a missing value in any of some columns."""
        self._check(columns)
        gaps = np.zeros(len(self.frame), dtype=bool)
        for column in columns:
            gaps |= np.isnan(self.numbers(column))
        if gaps.all():
            raise SdclabError(f"{self.file}: every row has a missing value in the columns {', '.join(columns)}.")
        return replace(self, frame=self.frame[~gaps])

    def released(self, columns: Sequence[str], values: Matrix, dropped: Sequence[str]) -> "Table":
        """The file with new values in some columns, without those dropped, all others as they came.

        A column of whole numbers stays one in format if the new values are whole, too; nothing is rounded.
        """
        frame = self.frame.drop(columns=list(dropped))
        for column, new in zip(columns, values.T, strict=True):
            whole = _are_whole(self.numbers(column)) and _are_whole(new)
            frame[column] = new.astype(np.int64) if whole else new
        return replace(self, frame=frame)

    def write(self, path: Path) -> None:
        """Write as CSV or Parquet, by the path's ending."""
        with replacing(path) as temporary:
            if _is_parquet(path):
                _pyarrow(str(path))
                self.frame.to_parquet(temporary, index=False)
            else:
                self.frame.to_csv(
                    temporary, sep=self.separator, index=False, lineterminator="\n", quoting=self._quoting()
                )

    def _quoting(self) -> Literal[0, 2]:
        """Quote what needs it; all text if a carriage return is in it, which Python before 3.13 would not quote."""
        text = self.frame.select_dtypes(exclude="number")
        returns = any("\r" in cell for column in text for cell in text[column] if isinstance(cell, str))
        return csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL


def kept(table: Table, columns: Sequence[str], missing: Missing, say: Callable[[str], None]) -> Table:
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
    if "_" in text:  # Python reads 1_000 as a number
        raise ValueError
    return float(text)


def _are_whole(values: Vector) -> bool:
    return bool(np.all((values == np.round(values)) & (np.abs(values) < 2**53)))


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() in (".parquet", ".pq")


def check_ending(path: Path) -> None:
    """Refuse a file of which it is not known how to read or write it."""
    if not (_is_parquet(path) or path.suffix.lower() in (".csv", ".tsv", ".txt")):
        raise SdclabError(f"{path}: the ending must be .csv, .tsv, .txt, .parquet or .pq.")


def _pyarrow(path: str) -> Any:
    try:
        return import_module("pyarrow.parquet")
    except ImportError:
        raise SdclabError(
            f"{path}: Parquet needs the package pyarrow, which is not installed; pip install 'sdclab[parquet]'."
        ) from None


def read(path: Path) -> Table:
    """A file as a table."""
    check_ending(path)
    content = read_bytes(path)
    if _is_parquet(path):
        parquet = _pyarrow(str(path))
        try:
            stored = parquet.read_table(io.BytesIO(content))
        except (OSError, ValueError):  # what pyarrow raises is one of these
            raise SdclabError(f"{path.name}: is not a Parquet file that can be read.") from None
        return Table(path.name, stored.to_pandas(types_mapper=pd.ArrowDtype, ignore_metadata=True))
    return _from_csv(content, path.name)


def _from_csv(content: bytes, file: str) -> Table:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SdclabError(f"{file}: is not UTF-8 text.") from None
    separator = max(SEPARATORS, key=lambda mark: len(next(_records(text, mark, file), [])))
    rows = _records(text, separator, file)
    header = [name.strip() for name in next(rows, [])]
    for i, name in enumerate(header):
        if _is_number(name):  # a record in place of the header would be shown as names
            raise SdclabError(f"{file}: the first line must name the columns, but field {i + 1} is a number.")
    records = [row or [""] for row in rows if row or len(header) == 1]  # in a single column, an empty line is a gap
    for i, row in enumerate(records):
        if len(row) != len(header):
            raise SdclabError(f"{file}: row {i + 1} has {len(row)} fields, but there are {len(header)} columns.")
    return Table(file, pd.DataFrame(records, columns=header, dtype=object), separator)


def _records(text: str, separator: str, file: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    except csv.Error as error:
        raise SdclabError(f"{file}: is not a CSV file that can be read ({error}).") from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Roles:
    """What becomes of every column of a file."""

    dependent: tuple[str, ...]
    """protected"""
    independent: tuple[str, ...]
    """released as they are; they may inform the model"""
    pass_through: tuple[str, ...]
    """released as they are, whatever they hold"""
    dropped: tuple[str, ...]
    """not released"""

    @property
    def used(self) -> tuple[str, ...]:
        return self.dependent + self.independent

    @classmethod
    def of(
        cls,
        table: Table,
        dependent: Sequence[str] = (),
        independent: Sequence[str] = (),
        pass_through: Sequence[str] = (),
        dropped: Sequence[str] = (),
    ) -> "Roles":
        """The roles asked for. Without dependents, these are all other columns, if they can be.

        No column is released unless it was protected or named: one without a role is refused, and so is by default one
        that holds text, numbers the records or never changes.
        """
        named = [*dependent, *independent, *pass_through, *dropped]
        for column in named:
            if column not in table.columns:
                raise unknown("column", column, table.columns, table.file)
            if named.count(column) > 1:
                raise SdclabError(f"{table.file}: column {column} is named more than once.")
        others = [column for column in table.columns if column not in named]
        problems = {column: "has no role" if dependent else unfit(table, column) for column in others}
        refused = [f"{column} {problem}" for column, problem in problems.items() if problem]
        if refused:
            raise SdclabError(
                f"{table.file}: {', '.join(refused)}; name such columns in --pass-through to release them as they are, "
                "in --drop-columns to leave them out, or give them a role with --dependent or --independent."
            )
        if not (dependent or others):
            raise SdclabError(f"{table.file}: no column is left to protect.")
        return cls(tuple(dependent or others), tuple(independent), tuple(pass_through), tuple(dropped))


def unfit(table: Table, column: str) -> str:
    """Why a column should not be protected unless it was asked for; nothing if it may be."""
    if table.is_text(column):
        return "holds text"
    values = table.numbers(column)
    present = np.sort(values[~np.isnan(values)])
    if len(present) == 0:
        return "is empty"
    if len(present) > 1 and present[0] == present[-1]:
        return "is constant"
    if len(present) >= COUNTED and np.all(np.diff(present) == 1):
        return "numbers the records"
    return ""
