"""Reading and writing whole files: nothing half-written is ever left under its final name."""

import csv
import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sdclab.errors import SdclabError


def write(path: Path | str, content: str | bytes) -> None:
    """Write to a temporary name in the same folder, then move."""
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path | str) -> Iterator[Path]:
    """A temporary path that takes the final name when the block ends well, and vanishes otherwise."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    except OSError as error:
        raise SdclabError(f"{path.parent}: cannot write here ({error.strerror}).") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        os.chmod(temporary, 0o666 & ~_umask())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_writable(folder: Path | str) -> None:
    """Refuse a folder in which nothing could be written, before anything is computed for it."""
    existing = Path(folder).absolute()
    while not existing.exists():
        existing = existing.parent
    if not (existing.is_dir() and os.access(existing, os.W_OK)):
        raise SdclabError(f"{folder}: cannot write here ({existing} is not a folder that can be written to).")


def read(path: Path | str) -> bytes:
    """The bytes of a file, or one sentence about why there are none."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise SdclabError(f"{path}: cannot be read ({error.strerror}).") from None


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def checksum(path: Path | str) -> str:
    """SHA-256 of a file of any length."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SdclabError(f"{path}: cannot be read ({error.strerror}).") from None


def csv_text(columns: Sequence[str], rows: Sequence[Mapping[str, object]]) -> str:
    """CSV with exact numbers: a float is printed so that reading gives the same one; a missing value is empty."""
    lines = [",".join(map(_field, columns))]
    lines += [",".join(_field(row.get(column)) for column in columns) for row in rows]
    return "\n".join(lines) + "\n"


def read_rows(path: Path | str) -> list[dict[str, str]]:
    """The lines of a CSV file as text, by column."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def _field(value: object) -> str:
    if value is None or value != value:  # NaN
        return ""
    text = str(value) if not isinstance(value, float) else repr(float(value))
    if any(mark in text for mark in ',"\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
