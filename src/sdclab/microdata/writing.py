"""Writing a table: CSV or Parquet, by the file's ending."""

import csv
from pathlib import Path
from typing import Literal

import pandas as pd

from sdclab.base import files
from sdclab.microdata import parquet
from sdclab.microdata.endings import is_parquet
from sdclab.microdata.microdata import Microdata


def write(table: Microdata, path: Path) -> None:
    """Write as CSV or Parquet, by the path's ending; of the original's metadata nothing is kept."""
    with files.replacing(path) as temporary:
        if is_parquet(path):
            parquet.write(table.frame, path, temporary)
        else:
            frame = _with_decimals(table)
            frame.to_csv(temporary, sep=table.separator, index=False, lineterminator="\n", quoting=_quoting(frame))


def _with_decimals(table: Microdata) -> pd.DataFrame:
    """Numbers as text where a column has its decimals; nothing is cut off a number that has more."""
    return table.frame.assign(
        **{
            column: [_fixed(value, decimals) for value in table.frame[column].tolist()]
            for column, decimals in table.decimals.items()
        }
    )


def _fixed(value: float, decimals: int) -> str:
    if value is None or value != value:
        return ""
    text = f"{value:.{decimals}f}"
    return text if float(text) == value else repr(value)


def _quoting(frame: pd.DataFrame) -> Literal[0, 2]:
    """Quote what needs it; all text if a carriage return is in it, which Python before 3.13 would not quote."""
    text = frame.select_dtypes(exclude="number")
    returns = any("\r" in cell for column in text for cell in text[column] if isinstance(cell, str))
    return csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
