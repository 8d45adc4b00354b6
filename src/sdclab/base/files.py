"""Reading and writing whole files: nothing half-written is ever left under its final name."""

import csv
import fcntl
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sdclab.base.errors import SdclabError

MAX_BYTES = 4 << 30
"""A larger file is not read: its table would not fit the memory of most machines several times over."""


def write(path: Path | str, content: str | bytes) -> None:
    """Write to a temporary name in the same folder, then move."""
    with replacing(path) as temporary:
        temporary.write_bytes(shown(content).encode() if isinstance(content, str) else content)


def shown(text: str) -> str:
    """A text in which the name of a file may stand: what is not UTF-8 in it, escaped."""
    return text.encode(errors="backslashreplace").decode()


@contextmanager
def replacing(path: Path | str) -> Iterator[Path]:
    """A temporary path that takes the final name when the block ends well, and vanishes otherwise.

    A process that is killed cannot clean up: what it left is removed when the same file is written again.
    """
    path = Path(path)
    check_target(path)
    made = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path)
        handle, temporary = _begun(path)
    except OSError as error:
        raise SdclabError(f"{path.parent}: cannot write here ({why(error)}).") from None
    try:
        yield temporary
        os.chmod(temporary, 0o666 & ~_umask())
        temporary.replace(path)
    except BaseException as error:
        _undo(temporary, made)
        if isinstance(error, OSError):
            raise SdclabError(f"{path}: cannot be written ({why(error)}).") from None
        raise
    finally:
        os.close(handle)


def _undo(temporary: Path, folders: Sequence[Path]) -> None:
    """Remove a half-written file and the folders that were made for it, unless something else is in them."""
    with suppress(OSError):
        temporary.unlink(missing_ok=True)  # pyarrow has removed it already
        for folder in folders:
            folder.rmdir()


def _begun(path: Path) -> tuple[int, Path]:
    """A new temporary file for a path, locked as long as its writer lives."""
    while True:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=_prefix(path))
        with suppress(OSError):  # a file system without locks; then nothing is swept there
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle, Path(name)
        os.close(handle)  # swept before it was locked


def _sweep(path: Path) -> None:
    """Remove what killed writers of a path left; that of a living one, on any machine, is locked."""
    for left in path.parent.glob(f"{_prefix(path)}*"):
        with suppress(OSError), open(left, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink()


def _prefix(path: Path) -> str:
    """How all temporary names of a path begin; short, because the path's own name may be as long as names can be."""
    return f".sdclab-{sha256(os.fsencode(path.name))[:16]}-"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def why(error: OSError | ValueError) -> str:
    """The system's word for what went wrong, without the paths in it."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return "no file can have this name"  # a null byte, or a character that the file system's encoding lacks


def check_target(path: Path) -> None:
    """Refuse to write a file where something is that no file should replace."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError) as error:
        raise SdclabError(f"{path}: cannot be written ({why(error)}).") from None
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"
        raise SdclabError(f"{path}: is {what}, which a file cannot replace; choose another name.")


def check_writable(folder: Path | str) -> None:
    """Refuse a folder in which nothing could be written, before anything is computed for it."""
    place = str(folder)
    try:
        existing = Path(folder).absolute()
        while not os.path.lexists(existing):
            existing = existing.parent
        place = str(existing)
        tempfile.TemporaryFile(dir=existing).close()
        is_root = os.path.realpath(folder) == os.path.realpath(existing.anchor)
    except (OSError, ValueError):
        raise SdclabError(f"{folder}: cannot write here ({place} is not a folder that can be written to).") from None
    if is_root:
        raise SdclabError(f"{folder}: is the root of the file system; name a folder.")


def same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, by whatever links."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def read(path: Path | str, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a file, or one sentence about why there are none."""
    path = Path(path)
    try:
        found = path.stat()
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
            raise SdclabError(f"{path}: cannot be read (it is a pipe or a device, which may never end).")
        check_size(path, found.st_size, limit)
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise SdclabError(f"{path}: cannot be read ({why(error)}).") from None


def check_size(file: Path | str, size: int, limit: int = MAX_BYTES) -> None:
    """Refuse what would be too long in memory, before or after unpacking."""
    if size > limit:
        raise SdclabError(f"{file}: has {size} bytes, but at most {limit} are read.")


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
