"""Reading a file as a table: CSV or Parquet, by the file's ending.

CSV is RFC 4180, to the letter, but separated by comma, semicolon or tab and with any line ends; UTF-8, with or without
a byte order mark. A first line that may be a record is not shown as names. Fields stay the text that they are.
"""

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import pandas as pd

from sdclab.base import files
from sdclab.base.errors import SdclabError
from sdclab.base.progress import doing
from sdclab.microdata import parquet
from sdclab.microdata.arrow import owned
from sdclab.microdata.endings import check_ending, is_parquet
from sdclab.microdata.microdata import ENOUGH, MISSING, Microdata, Say, listed_cells

SEPARATORS = ",;\t"

BREAK = re.compile("\r\n|\r|\n")

LINE_BREAK = (
    "holds a line break, or a quote is missing or too many; if the file is right, allow it by --line-breaks on the "
    "command line or line_breaks: true in a study"
)

ROW_NAMES = "row_names"
"""What the first column is called if it has no name, as R and pandas write it."""

BLOCK, LINES, FIELD = 1 << 20, 100, 20
"""Bytes that pyarrow parses at a time: so many, or of many columns so many lines with so many characters a field."""

LETTER, DIGIT = re.compile(r"[^\W\d_]"), re.compile(r"\d")

DATED = re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}[-/. ]+[^\W\d]{3,9}[-/. ]+\d{2,4}")
"""Dates with a letter in them, or with the time."""


def read(path: Path, line_breaks: bool = False, header: bool = False, say: Say = lambda line: None) -> Microdata:
    """A file as a table; `say` hears what its owner should know.

    `line_breaks`: in a CSV, a quoted field may hold them; a quote too many or too few does the same, with whole records
    in one field, so they are refused by default. `header`: the first line names the columns, although it looks like a
    record.
    """
    check_ending(path)
    with doing(f"reading {path.name}"):
        content = files.read(path)
        if is_parquet(path):
            return _table(path.name, parquet.read(content, path), ",", say)
        frame, separator = _from_csv(content, path.name, line_breaks, header, say)
        return _table(path.name, frame, separator, say)


def _table(file: str, frame: pd.DataFrame, separator: str, say: Say) -> Microdata:
    """A table whose first column gets a name if it has none: R and pandas write row names so."""
    names = list(map(str, frame.columns))
    if not names or names[0].strip():
        return Microdata(file, frame, separator)
    taken = set(names)
    name = next(name for i in count() if (name := f"{ROW_NAMES}{i or ''}") not in taken)
    say(f"{file}: the first column has no name; it is called {name}, and left out unless it is given a role")
    return Microdata(file, frame.set_axis([name, *names[1:]], axis=1), separator, name)


def _from_csv(content: bytes, file: str, line_breaks: bool, header: bool, say: Say) -> tuple[pd.DataFrame, str]:
    """The fields as text, and what separates them."""
    text = _text(content, file)
    parts = text.split('"')  # outside of quotes and inside by turns; "" in a field: an empty part
    outside = "x".join(parts[::2])
    if "\n" in outside and re.search("\r(?!\n)", outside):
        raise SdclabError(f"{file}: some lines end with a carriage return alone, others do not.")
    separator = max(SEPARATORS, key=BREAK.split(outside, maxsplit=1)[0].count)
    for place, problem in _misquoted(parts, separator, line_breaks):
        raise SdclabError(f"{file}: {_place(parts[:place], separator)} {problem}.")
    del parts, outside  # each as long as the file
    lines = _Lines(text)
    rows = _records(lines, separator, file)
    first = next(rows, [])
    columns = None
    if len(first) > 1 and not re.search("\r(?!\n)", text):
        begin = len(BOM_UTF8) * content.startswith(BOM_UTF8) + len(text[: lines.at].encode())
        columns = _parsed(content, begin, len(first), separator, line_breaks)
    if columns is None:
        columns = _columns(rows, len(first), file)
    frame = pd.DataFrame(columns)
    if len(frame) and not header:
        _check_header(first, frame, file)
    if line_breaks:
        _tell_breaks(frame, file, say)
    return frame.set_axis([BREAK.sub(" ", name.strip()) for name in first], axis=1), separator


class _Lines:
    """The lines of a text with their ends, one by one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        """where the next begins"""

    def __iter__(self) -> Iterator[str]:
        while self.at < len(self.text):
            end = BREAK.search(self.text, self.at)
            begin, self.at = self.at, end.end() if end else len(self.text)
            yield self.text[begin : self.at]


def _parsed(
    content: bytes, begin: int, width: int, separator: str, line_breaks: bool
) -> "dict[int, pd.Series[Any]] | None":
    """The fields after the first line, column by column, by pyarrow if it is installed: it reads millions of them in a
    second. What it refuses, or might take otherwise than Python's reader, is left to that, which knows why and where.
    """
    if find_spec("pyarrow") is None:
        return None
    arrow, reader, compute = (import_module(name) for name in ("pyarrow", "pyarrow.csv", "pyarrow.compute"))
    names = list(map(str, range(width)))
    try:
        found = reader.read_csv(
            owned(content, begin),
            reader.ReadOptions(column_names=names, block_size=max(BLOCK, LINES * FIELD * width)),
            reader.ParseOptions(delimiter=separator, newlines_in_values=line_breaks),
            reader.ConvertOptions(column_types=dict.fromkeys(names, arrow.string())),
        )
    except arrow.ArrowException:
        return None
    longest = (compute.max(compute.binary_length(column)).as_py() or 0 for column in found.columns)
    if max(longest) > csv.field_size_limit():
        return None
    return {i: pd.Series(pd.arrays.ArrowExtensionArray(column)) for i, column in enumerate(found.columns)}


def _columns(rows: Iterator[list[str]], width: int, file: str) -> "dict[int, pd.Series[Any]]":
    """The fields after the first line, column by column; every line must have as many as the first."""
    records = [row or [""] for row in rows if row or width == 1]  # in a single column, an empty line is a gap
    for i, row in enumerate(records):
        if len(row) != width:
            raise SdclabError(f"{file}: row {i + 1} has {len(row)} fields, but there are {width} columns.")
    columns = zip(*records, strict=True) if records else [()] * width
    return {i: pd.Series(column, dtype=object) for i, column in enumerate(columns)}


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


def _records(lines: _Lines, separator: str, file: str) -> Iterator[list[str]]:
    reader = csv.reader(lines, delimiter=separator, strict=True)
    try:
        yield from reader
    except csv.Error:  # the quotes were checked before
        raise SdclabError(
            f"{file}: line {reader.line_num} has a field of more than {csv.field_size_limit()} characters."
        ) from None


def _tell_breaks(frame: pd.DataFrame, file: str, say: Say) -> None:
    """How many line breaks there are in fields: if more than expected, a quote is wrong."""
    lines = [len(BREAK.split(cell)) for i in frame for cell in listed_cells(frame[i]) if BREAK.search(cell)]
    if lines:
        say(f"{file}: {len(lines)} fields hold line breaks, the longest {max(lines)} lines")


def _check_header(names: Sequence[str], frame: pd.DataFrame, file: str) -> None:
    """Refuse a first line that may be a record: it would be shown as names."""
    problem = _like_a_record(names, frame)
    if problem:
        raise SdclabError(
            f"{file}: the first line must name the columns, but {problem}; if it does name them, say so by --header on "
            "the command line or header: true in a study."
        )


def _like_a_record(names: Sequence[str], frame: pd.DataFrame) -> str:
    """Why the first line may be a record: a name looks like a value, or is one in its own column; or no column of
    numbers tells the word above it from the rest. Its fields are counted, not shown.
    """
    for i, name in enumerate(names):
        if _is_value(name.strip()):
            return f"field {i + 1} of it looks like a value"
    for i, name in enumerate(names):
        if name and (frame[i] == name).any():
            return f"field {i + 1} of it is a value in its column, too"
    if not any(_are_values(frame[i][:ENOUGH].tolist()) for i in frame):
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
