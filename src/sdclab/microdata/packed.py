"""Compressed content, opened within bounds: a few bytes can stand for terabytes.

What cannot be opened is a ValueError that says why, for whoever knows the file's name to make a sentence of.
"""

import bz2
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

MAX_BYTES = 100_000_000
"""Of what comes out; the largest of the datasets has four million."""

FORMATS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_BYTES),
}


def unpacked(content: bytes, limit: int = MAX_BYTES) -> bytes:
    """What gzip, bzip2 or xz made of one file, told apart by their first bytes; anything else as it is."""
    stream = next((make() for mark, make in FORMATS.items() if content.startswith(mark)), None)
    if stream is None:
        return content
    try:
        found: bytes = stream.decompress(content, limit + 1)
    except (OSError, lzma.LZMAError, zlib.error):
        raise ValueError("its compressed content is damaged") from None
    if len(found) > limit:
        raise ValueError(f"it unpacks to more than {limit} bytes")
    if not stream.eof:
        raise ValueError("it ends too early")
    if stream.unused_data:
        raise ValueError("something follows its compressed content")
    return found


def member(archive: bytes, name: str, limit: int = MAX_BYTES) -> bytes:
    """One file of a zip archive. Its name is looked up and never used as a path."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            about = opened.getinfo(name)
            if about.flag_bits & 1:
                raise ValueError(f"{name} in it is encrypted")
            if about.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # read without bounds by zipfile
                raise ValueError(f"{name} in it is neither stored nor deflated")
            with opened.open(about) as file:
                found = file.read(limit + 1)
    except KeyError:
        raise ValueError(f"there is no {name} in it") from None
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, NotImplementedError, OverflowError):
        raise ValueError("it is no zip archive, or a damaged one") from None
    if len(found) > limit:
        raise ValueError(f"{name} in it unpacks to more than {limit} bytes")
    return found
