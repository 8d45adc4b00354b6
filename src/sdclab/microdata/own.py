"""A user's own file: read with every column as it came, given roles by name, and written again.

CSV (RFC 4180, to the letter, but separated by comma, semicolon or tab and with any line ends; UTF-8, with or without a
byte order mark) or Parquet, by the file's ending. Messages name the row, counted from 1 after the header, and the
column, never a value: it may be confidential. Nor is a first line shown as names that may be a record.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from itertools import count
from operator import eq
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdclab.base import files
from sdclab.base.errors import SdclabError, listed, shortened, unknown
from sdclab.microdata.dataset import number
from sdclab.numerics.arrays import Mask, Matrix, Vector

SEPARATORS = ",;\t"
MISSING = ("", "?", "NA")
"""Beside NaN, what counts as a missing value."""

COMMA = re.compile(r"[+-]?\d+(\.\d{3})*,\d+")
"""What looks like a number with a decimal comma."""

BREAK = re.compile("\r\n|\r|\n")

LINE_BREAK = (
    "holds a line break, or a quote is missing or too many; if the file is right, allow it by --line-breaks on the "
    "command line or line_breaks: true in a study"
)

MOST_NAME = 1_000
"""Characters of a column's name."""

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""In a column's name these would tear a message apart, or command the terminal."""

ROW_NAMES = "row_names"
"""What the first column is called if it has no name, as R and pandas write it."""

LETTER, DIGIT = re.compile(r"[^\W\d_]"), re.compile(r"\d")

DATED = re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}[-/. ]+[^\W\d]{3,9}[-/. ]+\d{2,4}")
"""Dates with a letter in them, or with the time."""

ENOUGH = 1_000
"""Records that show whether a column is one of numbers."""

COUNTED = 10
"""Fewer records are not taken for numbered ones, whatever their values."""

LISTED = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(?:,|$)')
"""One name of a list: in quotes, where two of them are one, or bare."""

Missing = Literal["refuse", "drop"]

Say = Callable[[str], None]
"""Takes a line for the owner of the file."""


def names_of(text: str) -> tuple[str, ...]:
    """The names of a list as the command line has it, `"income, EUR",tax`: quoted as in CSV where one needs it."""
    names, end = [], 0
    while end < len(text):
        found = LISTED.match(text, end)
        if found is None:
            raise SdclabError(
                f"the list of names {shortened(text)} cannot be read; a name with a comma or a quote stands in "
                'double quotes, and a quote in it is written twice: "income, EUR",tax.'
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
    row_names: str | None = None
    """The first column, if the file gave it no name: not released unless it was asked for."""
    _known: dict[str, tuple[Vector, int | None]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        first: dict[str, int] = {}
        for i, column in enumerate(self.columns, start=1):
            if not column.strip():
                raise SdclabError(f"{self.file}: column {i} has no name.")
            if len(column) > MOST_NAME or CONTROL.search(column):
                raise SdclabError(
                    f"{self.file}: the name of column {i} is longer than {MOST_NAME} characters or holds a control "
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

    def complete(self, columns: Sequence[str]) -> "Table":
        """The rows without a missing value in any of some columns."""
        self.check(columns)
        gaps = self.gaps(columns)
        if gaps.all():
            raise SdclabError(f"{self.file}: every row has a missing value in the columns {listed(columns)}.")
        return self.rows(~gaps)

    def rows(self, kept: Mask) -> "Table":
        return replace(self, frame=self.frame[kept])

    def released(self, columns: Sequence[str], values: Matrix, dropped: Sequence[str]) -> "Table":
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

    def write(self, path: Path) -> None:
        """Write as CSV or Parquet, by the path's ending; of the original's metadata nothing is kept."""
        with files.replacing(path) as temporary:
            if _is_parquet(path):
                arrow, parquet = _pyarrow(path)
                parquet.write_table(_plain(arrow.Table.from_pandas(self.frame, preserve_index=False)), temporary)
            else:
                self.frame.to_csv(
                    temporary, sep=self.separator, index=False, lineterminator="\n", quoting=self._quoting()
                )

    def _quoting(self) -> Literal[0, 2]:
        """Quote what needs it; all text if a carriage return is in it, which Python before 3.13 would not quote."""
        text = self.frame.select_dtypes(exclude="number")
        returns = any("\r" in cell for column in text for cell in text[column] if isinstance(cell, str))
        return csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL


def kept(table: Table, columns: Sequence[str], missing: Missing, say: Say) -> Table:
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


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() in (".parquet", ".pq")


def check_ending(path: Path) -> None:
    """Refuse a file of which it is not known how to read or write it."""
    if _is_parquet(path):
        _pyarrow(path)
    elif path.suffix.lower() not in (".csv", ".tsv", ".txt"):
        raise SdclabError(f"{path}: the ending must be .csv, .tsv, .txt, .parquet or .pq.")


def _pyarrow(path: Path) -> tuple[Any, Any]:
    """The packages pyarrow and pyarrow.parquet."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise SdclabError(
            f"{path}: Parquet needs the package pyarrow, which is not installed; pip install 'sdclab[parquet]'."
        ) from None


def read(path: Path, line_breaks: bool = False, header: bool = False, say: Say = lambda line: None) -> Table:
    """A file as a table; `say` hears what its owner should know.

    `line_breaks`: in a CSV, a quoted field may hold them; a quote too many or too few does the same, with whole records
    in one field, so they are refused by default. `header`: the first line names the columns, although it looks like a
    record.
    """
    check_ending(path)
    content = files.read(path)
    if _is_parquet(path):
        return _table(path.name, _from_parquet(content, path), ",", say)
    frame, separator = _from_csv(content, path.name, line_breaks, header, say)
    return _table(path.name, frame, separator, say)


def _from_parquet(content: bytes, path: Path) -> pd.DataFrame:
    arrow, parquet = _pyarrow(path)
    try:
        packed = parquet.ParquetFile(io.BytesIO(content))
        files.check_size(path.name, _unpacked(packed.metadata))
        stored = _plain(packed.read())
        stored.validate(full=True)
        frame: pd.DataFrame = stored.to_pandas(types_mapper=pd.ArrowDtype)
    except (OSError, ValueError, MemoryError, arrow.ArrowException):  # what pyarrow raises is one of these
        raise SdclabError(f"{path.name}: is not a Parquet file that can be read.") from None
    return frame


def _unpacked(about: Any) -> int:
    """The least number of bytes that a Parquet file takes in memory; repeated values take hardly any in the file."""
    groups = (about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    return max(sum(groups), 8 * about.num_rows * about.num_columns)


def _plain(stored: Any) -> Any:
    """A Parquet table without metadata, and with values for codes: the list of codes also has those of rows gone."""
    for i, column in enumerate(stored.schema):
        if str(column.type).startswith("dictionary<"):
            stored = stored.set_column(i, column.name, stored.column(i).cast(column.type.value_type))
    return stored.replace_schema_metadata(None)


def _table(file: str, frame: pd.DataFrame, separator: str, say: Say) -> Table:
    """A table whose first column gets a name if it has none: R and pandas write row names so."""
    names = list(map(str, frame.columns))
    if not names or names[0].strip():
        return Table(file, frame, separator)
    taken = set(names)
    name = next(name for i in count() if (name := f"{ROW_NAMES}{i or ''}") not in taken)
    say(f"{file}: the first column has no name; it is called {name}, and left out unless it is given a role")
    return Table(file, frame.set_axis([name, *names[1:]], axis=1), separator, name)


def _from_csv(content: bytes, file: str, line_breaks: bool, header: bool, say: Say) -> tuple[pd.DataFrame, str]:
    """The fields as text, and what separates them."""
    parts = _text(content, file).split('"')  # outside of quotes and inside by turns; "" in a field: an empty part
    outside = "x".join(parts[::2])
    if "\n" in outside and re.search("\r(?!\n)", outside):
        raise SdclabError(f"{file}: some lines end with a carriage return alone, others do not.")
    separator = max(SEPARATORS, key=BREAK.split(outside, maxsplit=1)[0].count)
    for place, problem in _misquoted(parts, separator, line_breaks):
        raise SdclabError(f"{file}: {_place(parts[:place], separator)} {problem}.")
    rows = _records('"'.join(parts), separator, file)
    first = next(rows, [])
    records = [row or [""] for row in rows if row or len(first) == 1]  # in a single column, an empty line is a gap
    for i, row in enumerate(records):
        if len(row) != len(first):
            raise SdclabError(f"{file}: row {i + 1} has {len(row)} fields, but there are {len(first)} columns.")
    if records and not header:
        _check_header(first, records, file)
    if line_breaks:
        _tell_breaks(records, file, say)
    names = [BREAK.sub(" ", name.strip()) for name in first]
    return pd.DataFrame(records, columns=names, dtype=object), separator


def _text(content: bytes, file: str) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SdclabError(f"{file}: is not UTF-8 text, first in line {line}; save it as UTF-8.") from None
    if "\0" in text:
        raise SdclabError(f"{file}: line {text.count(chr(10), 0, text.index(chr(0))) + 1} holds a null character.")
    return text


def _misquoted(parts: Sequence[str], separator: str, line_breaks: bool) -> Iterator[tuple[int, str]]:
    """Before which part a field is not as RFC 4180 has it, and why: the next quote would end it, with all records
    between in it.

    Python's reader, if strict, sees a field that is never closed or goes on after its quotes, but takes a quote in the
    midst of a bare field for a letter.
    """
    ends = separator + "\r\n"
    last = len(parts) - 1
    for i, part in enumerate(parts):
        if i % 2 == 1:
            if i == last:
                yield i, "begins with a quote that is never closed"
            elif not line_breaks and BREAK.search(part):
                yield i, LINE_BREAK
        elif part and i > 0 and part[0] not in ends:
            yield i, "goes on after its closing quote; a quote in a quoted field is written twice"
        elif part and i < last and part[-1] not in ends:
            yield i + 1, "has a quote but is not in quotes; it must be, and the quote in it be written twice"


def _place(before: Sequence[str], separator: str) -> str:
    """Where a field begins, by what stands before it."""
    line = len(BREAK.findall('"'.join(before))) + 1
    this = BREAK.split("x".join(before[::2]))[-1]
    return f"line {line} (the header is line 1), field {this.count(separator) + 1}"


def _records(text: str, separator: str, file: str) -> Iterator[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        yield from reader
    except csv.Error:  # the quotes were checked before
        raise SdclabError(
            f"{file}: line {reader.line_num} has a field of more than {csv.field_size_limit()} characters."
        ) from None


def _tell_breaks(records: Sequence[Sequence[str]], file: str, say: Say) -> None:
    """How many line breaks there are in fields: if more than expected, a quote is wrong."""
    lines = [len(BREAK.split(cell)) for row in records for cell in row if BREAK.search(cell)]
    if lines:
        say(f"{file}: {len(lines)} fields hold line breaks, the longest {max(lines)} lines")


def _check_header(names: Sequence[str], records: Sequence[Sequence[str]], file: str) -> None:
    """Refuse a first line that may be a record: it would be shown as names."""
    problem = _like_a_record(names, records)
    if problem:
        raise SdclabError(
            f"{file}: the first line must name the columns, but {problem}; if it does name them, say so by --header on "
            "the command line or header: true in a study."
        )


def _like_a_record(names: Sequence[str], records: Sequence[Sequence[str]]) -> str:
    """Why the first line may be a record: a name looks like a value, or is one in its own column; or no column of
    numbers tells the word above it from the rest. Its fields are counted, not shown.
    """
    for i, name in enumerate(names):
        if _is_value(name.strip()):
            return f"field {i + 1} of it looks like a value"
    named = [name or None for name in names]
    for row in records:
        if any(map(eq, row, named)):
            return f"field {list(map(eq, row, named)).index(True) + 1} of it is a value in its column, too"
    seen = records[:ENOUGH]
    if not any(_are_values([row[i] for row in seen]) for i in range(len(names))):
        return "no column of numbers tells it from the records"
    return ""


def _are_values(cells: Sequence[str]) -> bool:
    """Whether most of what is there looks like numbers, be they written with a comma, or dates."""
    there = [cell for cell in map(str.strip, cells) if cell not in MISSING]
    return 2 * sum(map(_is_value, there)) > len(there)


def _is_value(text: str) -> bool:
    """Whether a text is hardly a name: a number, whatever its marks, a missing one, a date, an address."""
    if not text:
        return False
    bare = not LETTER.search(text) and DIGIT.search(text)
    return bool(bare or text in MISSING or _is_number(text) or "@" in text or DATED.fullmatch(text))


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
        that holds text, numbers the records or never changes. Row names are left out unless they are given a role.
        """
        named = [*dependent, *independent, *pass_through, *dropped]
        table.check(named)
        for column, times in Counter(named).items():
            if times > 1:
                raise SdclabError(f"{table.file}: column {column} is named more than once.")
        for column in pass_through:
            if table.is_nested(column):
                raise SdclabError(f"{table.file}: column {column} holds lists or structures; leave it out.")
        if table.row_names is not None and table.row_names not in named:
            dropped = [*dropped, table.row_names]
        taken = {*named, *dropped}
        others = [column for column in table.columns if column not in taken]
        problems = {column: "has no role" if dependent else unfit(table, column) for column in others}
        refused = [f"{shortened(column)} {problem}" for column, problem in problems.items() if problem]
        if refused:
            raise SdclabError(
                f"{table.file}: {listed(refused)}; name such columns in --pass-through to release them as they are, "
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
