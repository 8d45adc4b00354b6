"""Parquet files, with the package pyarrow: read and written without what is not in their records."""

import io
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from sdclab.base import files
from sdclab.base.errors import SdclabError


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
    arrow, parquet = pyarrow(path)
    try:
        packed = parquet.ParquetFile(io.BytesIO(content))
        files.check_size(path.name, _unpacked(packed.metadata))
        stored = _plain(packed.read())
        stored.validate(full=True)
        frame: pd.DataFrame = stored.to_pandas(types_mapper=pd.ArrowDtype)
    except (OSError, ValueError, MemoryError, arrow.ArrowException):  # what pyarrow raises is one of these
        raise SdclabError(f"{path.name}: is not a Parquet file that can be read.") from None
    return frame


def write(frame: pd.DataFrame, path: Path, to: Path) -> None:
    """Write to a file; messages name the path that it gets in the end."""
    arrow, parquet = pyarrow(path)
    parquet.write_table(_plain(arrow.Table.from_pandas(frame, preserve_index=False)), to)


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
