"""The ending of a file's name says how it is read and written."""

from pathlib import Path

from sdclab.base.errors import SdclabError
from sdclab.microdata import parquet

TEXT = (".csv", ".tsv", ".txt")
PARQUET = (".parquet", ".pq")


def is_parquet(path: Path) -> bool:
    return path.suffix.lower() in PARQUET


def check_ending(path: Path) -> None:
    """Refuse a file of which it is not known how to read or write it."""
    if is_parquet(path):
        parquet.pyarrow(path)
    elif path.suffix.lower() not in TEXT:
        raise SdclabError(f"{path}: the ending must be .csv, .tsv, .txt, .parquet or .pq.")
