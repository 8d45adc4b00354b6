"""Published tables: the numbers as they were printed, digits included."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sdclab.base import documents
from sdclab.base.errors import SdclabError, unknown
from sdclab.base.files import read
from sdclab.experiment.selection import Selection

Row = Mapping[str, str]


@dataclass(frozen=True)
class Published:
    """One published table; cells stay text, because the printed digits matter."""

    stem: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def numbers(self, column: str, rows: Selection | None = None) -> list[float]:
        """A column as numbers, of all rows or of those that are meant."""
        if column not in self.columns:
            raise unknown("column", column, self.columns, self.stem)
        return [float(row[column]) for row in self.rows if (rows is None or rows.includes(row)) and row[column]]


NOTHING = Published("", (), ())
"""For a table of our own that nobody published."""


def load(path: Path | str, schema: Path | str) -> Published:
    """Read and check a published table."""
    stem = Path(path).stem
    try:
        reader = csv.DictReader(io.StringIO(read(path, documents.MAX_BYTES).decode()), strict=True)
        rows, columns = list(reader), list(reader.fieldnames or [])
    except (UnicodeDecodeError, csv.Error):
        raise SdclabError(f"{path}: is not a CSV file in UTF-8 that can be read.") from None
    documents.validate({"stem": stem, "columns": columns, "rows": rows}, schema, str(path))
    return Published(stem, tuple(columns), tuple(rows))
