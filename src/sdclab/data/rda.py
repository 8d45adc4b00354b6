"""A reader for R's binary data files, as far as a data frame of numbers needs it.

The format is R's XDR serialisation, versions 2 and 3 (R Internals, section 1.8). A small reader here saves
a dependency with several of its own for the sake of one file.
"""

import bz2
import gzip
import lzma
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from sdclab.errors import SdclabError

NILVALUE, ALTREP, REFERENCE = 254, 238, 255
SYMBOL, PAIRLIST, CHARACTER, LOGICAL, INTEGER, REAL, STRINGS, LIST = 1, 2, 9, 10, 13, 14, 16, 19
NA_INTEGER = -(2**31)


def data_frames(content: bytes, file: str) -> dict[str, dict[str, np.ndarray[Any, Any]]]:
    """The data frames of an .rda file: name -> column -> numbers."""
    try:
        objects = _Reader(_decompressed(content)).objects()
    except (
        struct.error,
        IndexError,
        UnicodeDecodeError,
        OSError,
        EOFError,
        lzma.LZMAError,
        zlib.error,
        ValueError,
    ) as error:
        raise SdclabError(f"{file}: is not an R data file that can be read ({error}).") from None
    return {name: value for name, value in objects.items() if isinstance(value, dict)}


def _decompressed(content: bytes) -> bytes:
    if content.startswith(b"\x1f\x8b"):
        return gzip.decompress(content)
    if content.startswith(b"BZh"):
        return bz2.decompress(content)
    if content.startswith(b"\xfd7zXZ"):
        return lzma.decompress(content)
    return content


class _Reader:
    """Walks the serialised objects once, front to back."""

    def __init__(self, content: bytes) -> None:
        if content[:5] not in (b"RDX2\n", b"RDX3\n") or content[5:7] != b"X\n":
            raise ValueError("no RDX2 or RDX3 header")
        self.content = content
        self.at = 7
        self.symbols: list[object] = []

    def objects(self) -> dict[str, Any]:
        version, _, _ = self._integers(3)
        if version == 3:
            length = self._integers(1)[0]
            self.at += length  # the native encoding's name
        found = self._item()
        return found if isinstance(found, dict) else {}

    def _integers(self, count: int) -> tuple[int, ...]:
        values = struct.unpack_from(f">{count}i", self.content, self.at)
        self.at += 4 * count
        return values

    def _item(self) -> Any:
        flags = self._integers(1)[0]
        kind, has_attributes, has_tag = flags & 0xFF, bool(flags & 0x200), bool(flags & 0x400)
        if kind == NILVALUE:
            return None
        if kind == REFERENCE:
            return self.symbols[((flags >> 8) or self._integers(1)[0]) - 1]
        if kind == SYMBOL:
            self.symbols.append(self._item())
            return self.symbols[-1]
        if kind == PAIRLIST:
            return self._pairlist(has_attributes, has_tag)
        if kind == CHARACTER:
            return self._character()
        if kind == ALTREP:
            return self._altrep()
        value = self._vector(kind)
        return _framed(value, self._item()) if has_attributes else value

    def _pairlist(self, has_attributes: bool, has_tag: bool) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        while True:
            if has_attributes:
                self._item()
            tag = self._item() if has_tag else f"item {len(pairs)}"
            pairs[tag] = self._item()
            flags = self._integers(1)[0]
            if flags & 0xFF != PAIRLIST:
                return pairs
            has_attributes, has_tag = bool(flags & 0x200), bool(flags & 0x400)

    def _character(self) -> str | None:
        length = self._integers(1)[0]
        if length == -1:
            return None
        self.at += length
        return self.content[self.at - length : self.at].decode()

    def _vector(self, kind: int) -> Any:
        length = self._integers(1)[0]
        if kind in (INTEGER, LOGICAL):
            values = np.frombuffer(self.content, ">i4", length, self.at).astype(float)
            self.at += 4 * length
            return np.where(values == NA_INTEGER, np.nan, values)
        if kind == REAL:
            self.at += 8 * length
            return np.frombuffer(self.content, ">f8", length, self.at - 8 * length).astype(float)
        if kind in (STRINGS, LIST):
            return [self._item() for _ in range(length)]
        raise ValueError(f"an object of R type {kind} is not supported")

    def _altrep(self) -> Any:
        """R >= 3.5 stores 1:n compactly as length, first and step."""
        described, state, _ = self._item(), self._item(), self._item()
        if "compact_intseq" not in described.values():
            raise ValueError("a compact vector of an unsupported class")
        length, first, step = state
        return first + step * np.arange(length)


def _framed(value: Any, attributes: Mapping[str, Any]) -> Any:
    """A list with names is a data frame's columns; other attributes do not matter here."""
    if isinstance(value, list) and "names" in attributes:
        return dict(zip(attributes["names"], value, strict=True))
    return value
