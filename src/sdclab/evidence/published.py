"""Published tables: the numbers as they were printed, digits included."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from sdclab.base import documents
from sdclab.base.errors import SdclabError, unknown
from sdclab.base.files import read

Row = Mapping[str, str]


@dataclass(frozen=True)
class Published:
    """One published table; cells stay text, because the printed digits matter."""

    stem: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def numbers(self, column: str, rows: Mapping[str, Sequence[Any]] = {}) -> list[float]:
        """A column as numbers, of all rows or of those that are meant."""
        if column not in self.columns:
            raise unknown("column", column, self.columns, self.stem)
        return [float(row[column]) for row in self.rows if meant(row, rows) and row[column]]


NOTHING = Published("", (), ())
"""For a table of our own that nobody published."""


def load(path: Path | str, schema: Path | str) -> Published:
    """Read and check a published table."""
    stem = Path(path).stem
    try:
        reader = csv.DictReader(io.StringIO(read(path, documents.LIMIT_BYTES).decode()), strict=True)
        rows, columns = list(reader), list(reader.fieldnames or [])
    except (UnicodeDecodeError, csv.Error):
        raise SdclabError(f"{path}: is not a CSV file in UTF-8 that can be read.") from None
    documents.validate({"stem": stem, "columns": columns, "rows": rows}, schema, str(path))
    return Published(stem, tuple(columns), tuple(rows))


def meant(row: Mapping[str, Any], rows: Mapping[str, Sequence[Any]]) -> bool:
    """Whether a row is among those named by column -> values."""
    return all(_is_among(row.get(column, ""), values) for column, values in rows.items())


def _is_among(cell: Any, values: Sequence[Any]) -> bool:
    return any(same(cell, value) for value in values)


def same(cell: Any, value: Any) -> bool:
    """Whether a printed cell means a value: `2` and `2.0` are the same number."""
    try:
        return isclose(float(cell), float(value), rel_tol=1e-9, abs_tol=1e-12)
    except (TypeError, ValueError):
        return str(cell) == str(value)
