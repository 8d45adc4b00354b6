"""Parquet in partitions, each of which fits the memory although the whole need not.

A file's row groups, or the files of a folder. Of a folder whose folders are named `column=value`, as Hive names them,
the files below one such folder are one partition, and the column is one more of their records.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from urllib.parse import unquote

import pandas as pd

from sdclab.base.errors import SdclabError
from sdclab.microdata import parquet
from sdclab.microdata.endings import PARQUET, is_parquet
from sdclab.microdata.microdata import Microdata

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What stands for a missing value in the name of a folder."""

TEXT, WHOLE = "string", "int64"
"""The types of columns that are in the names of folders."""

NUMBERS = ("int", "uint", "float", "double", "halffloat", "decimal")
"""How the types of numbers begin."""


@dataclass(frozen=True)
class Partition:
    """Some of the records, and where they are."""

    name: str
    """its place below the source; random numbers hang on it"""
    files: tuple[str, ...]
    group: int | None
    """the row group of its file; None: all"""
    rows: int
    stamp: tuple[str, ...]
    """size and time of the files, by which a changed one is seen: hashing them would take longer than the release"""
    keys: Mapping[str, str | None]
    """the columns in the names of its folders"""


@dataclass(frozen=True)
class Source:
    """A file or a folder, and the columns that all its partitions have in common."""

    path: str
    columns: Mapping[str, str]
    """name -> type"""

    @property
    def name(self) -> str:
        return Path(self.path).name

    def is_number(self, column: str) -> bool:
        return self.columns[column].startswith(NUMBERS)

    def read(self, partition: Partition) -> Microdata:
        """The records of a partition, columns in the same order in all of them."""
        frames = [parquet.read_group(Path(file), partition.group) for file in partition.files]
        return self._table(partition, pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0])

    def first_record(self, partition: Partition) -> Microdata:
        return self._table(partition, parquet.read_first(Path(partition.files[0])))

    def _table(self, partition: Partition, frame: pd.DataFrame) -> Microdata:
        keys = {
            key: pd.Series([_cell(value, self.columns[key])] * len(frame), dtype=f"{self.columns[key]}[pyarrow]")
            for key, value in partition.keys.items()
        }
        words = frozenset(name for name, kind in self.columns.items() if kind.endswith(TEXT))
        return Microdata(f"{self.name}, {partition.name}", frame.assign(**keys)[list(self.columns)], words=words)


Partitions = tuple[Partition, ...]


def find(path: Path) -> tuple[Source, Partitions]:
    """The partitions of a file or a folder that hold records; only what stands at the end of every file is read."""
    if path.is_file() and not is_parquet(path):
        raise SdclabError(f"{path}: must be a Parquet file, or a folder of them.")
    files = [path] if path.is_file() else sorted(_files(path))
    if not files:
        raise SdclabError(f"{path}: there is no such Parquet file, and no folder with files .parquet or .pq in it.")
    source, found = _row_groups(path) if path.is_file() else _of_files(path, files)
    if not found:
        raise SdclabError(f"{path}: holds no records.")
    return source, found


def _row_groups(file: Path) -> tuple[Source, Partitions]:
    about, stamp = parquet.footer(file), (_stamp(file),)
    found = (Partition(f"row group {i}", (str(file),), i, rows, stamp, {}) for i, rows in enumerate(about.rows) if rows)
    return Source(str(file), about.columns), tuple(found)


def _files(folder: Path) -> Iterator[Path]:
    """The Parquet files below a folder; what begins with a dot or an underscore is other programs' own."""
    for file in folder.rglob("*"):
        parts = file.relative_to(folder).parts
        if file.suffix.lower() in PARQUET and file.is_file() and not any(part[0] in "._" for part in parts):
            yield file


def _of_files(folder: Path, files: Sequence[Path]) -> tuple[Source, Partitions]:
    columns = dict(parquet.footer(files[0]).columns)
    named = _keys(files[0].relative_to(folder), columns)
    found = []
    for place, group in groupby(files, lambda file: _place(file.relative_to(folder))):
        members, rows = list(group), 0
        for file in members:
            about = parquet.footer(file)
            _check_alike(file, about.columns, files[0], columns)
            rows += sum(about.rows)
        keys = _keys(members[0].relative_to(folder), columns)
        if keys.keys() != named.keys():
            raise SdclabError(f"{members[0]}: its folders name other columns than those of {files[0]}.")
        if rows:
            stamps = tuple(map(_stamp, members))
            found.append(Partition(place, tuple(map(str, members)), None, rows, stamps, keys))
    for key in named:
        columns[key] = WHOLE if all(_is_whole(each.keys[key]) for each in found) else TEXT
    return Source(str(folder), columns), tuple(found)


def _place(file: Path) -> str:
    """The partition of a file: the folder if Hive named it, else the file alone."""
    return str(file.parent) if "=" in file.parent.name else str(file)


def _keys(file: Path, columns: Mapping[str, str]) -> dict[str, str | None]:
    """The columns that are in the names of folders and not in the file."""
    pairs = [part.split("=", 1) for part in file.parts[:-1] if "=" in part]
    return {
        unquote(key): None if value == NO_VALUE else unquote(value)
        for key, value in pairs
        if unquote(key) not in columns
    }


def _check_alike(file: Path, columns: Mapping[str, str], first: Path, expected: Mapping[str, str]) -> None:
    """Refuse partitions with other columns, or the same of another type."""
    for name in expected.keys() ^ columns.keys():
        with_it, without = (first, file) if name in expected else (file, first)
        raise SdclabError(f"{without}: has no column {name}, but {with_it} has; all partitions must have the same.")
    for name, kind in columns.items():
        if kind != expected[name]:
            raise SdclabError(f"{file}: column {name} is of type {kind}, but in {first} of type {expected[name]}.")


def _stamp(file: Path) -> str:
    about = os.stat(file)
    return f"{about.st_size} bytes, {about.st_mtime_ns} ns"


def _is_whole(text: str | None) -> bool:
    return text is None or (text.lstrip("-").isdecimal() and str(int(text)) == text)


def _cell(value: str | None, kind: str) -> str | int | None:
    return value if value is None or kind == TEXT else int(value)
