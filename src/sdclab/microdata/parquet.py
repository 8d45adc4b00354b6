"""Parquet files, with the package pyarrow: read and written without what is not in their records."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from sdclab.base import files
from sdclab.base.errors import SdclabError
from sdclab.microdata.arrow import owned

ROW_GROUP = 1_000_000
"""Records that are written together, so that a reader can take a long file in parts."""


def pyarrow(path: Path) -> tuple[Any, Any]:
    """The packages pyarrow and pyarrow.parquet."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise SdclabError(
            f"{path}: Parquet needs the package pyarrow, which is not installed; pip install 'sdclab[parquet]'."
        ) from None


def read(content: bytes, path: Path) -> pd.DataFrame:
    """The columns of a file, typed as they were stored."""
    with _understood(path) as parquet:
        packed = parquet.ParquetFile(owned(content))
        files.check_size(path.name, _unpacked(packed.metadata))
        return _frame(packed.read())


def read_group(path: Path, group: int | None = None) -> pd.DataFrame:
    """The same of one of a file's row groups, without reading the others; None: of all."""
    with _understood(path) as parquet, parquet.ParquetFile(path) as packed:
        groups = range(packed.metadata.num_row_groups) if group is None else [group]
        files.check_size(path.name, sum(packed.metadata.row_group(i).total_byte_size for i in groups))
        return _frame(packed.read_row_groups(list(groups)))


def read_first(path: Path) -> pd.DataFrame:
    """The first record alone."""
    with _understood(path) as parquet, parquet.ParquetFile(path) as packed:
        return _frame(import_module("pyarrow").Table.from_batches([next(packed.iter_batches(batch_size=1))]))


@dataclass(frozen=True)
class Footer:
    """What a file says of itself at its end: nothing before that has to be read."""

    columns: Mapping[str, str]
    """name -> type, that of the values where they are stored as codes"""
    rows: tuple[int, ...]
    """of every row group"""


def footer(path: Path) -> Footer:
    """What a file holds, before it is read."""
    with _understood(path) as parquet, parquet.ParquetFile(path) as packed:
        about = packed.metadata
        types = {each.name: str(each.type.value_type if _is_coded(each) else each.type) for each in packed.schema_arrow}
        return Footer(types, tuple(about.row_group(i).num_rows for i in range(about.num_row_groups)))


@contextmanager
def _understood(path: Path) -> Iterator[Any]:
    """pyarrow.parquet, whose complaints become one sentence."""
    arrow, parquet = pyarrow(path)
    try:
        yield parquet
    except (OSError, ValueError, MemoryError, arrow.ArrowException):  # what pyarrow raises is one of these
        raise SdclabError(f"{path.name}: is not a Parquet file that can be read.") from None


def _frame(stored: Any) -> pd.DataFrame:
    stored = _plain(stored)
    stored.validate(full=True)
    frame: pd.DataFrame = stored.to_pandas(types_mapper=pd.ArrowDtype)
    return frame


def write(frame: pd.DataFrame, path: Path, to: Path) -> None:
    """Write to a file; messages name the path that it gets in the end."""
    arrow, parquet = pyarrow(path)
    parquet.write_table(_plain(arrow.Table.from_pandas(frame, preserve_index=False)), to, row_group_size=ROW_GROUP)


def _unpacked(about: Any) -> int:
    """The least number of bytes that a Parquet file takes in memory; repeated values take hardly any in the file."""
    groups = (about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    return max(sum(groups), 8 * about.num_rows * about.num_columns)


def _plain(stored: Any) -> Any:
    """A Parquet table without metadata, and with values for codes: the list of codes also has those of rows gone."""
    for i, column in enumerate(stored.schema):
        if _is_coded(column):
            stored = stored.set_column(i, column.name, stored.column(i).cast(column.type.value_type))
    return stored.replace_schema_metadata(None)


def _is_coded(column: Any) -> bool:
    return str(column.type).startswith("dictionary<")
