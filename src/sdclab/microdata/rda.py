"""A reader for R's binary data files, as far as a data frame of numbers needs it.

The format is R's XDR serialisation, versions 2 and 3 (R Internals, section 1.8). A small reader here saves
a dependency with several of its own for the sake of one file. It trusts nothing that a file says of itself: lengths,
references, types and depth are checked before they are used.
"""

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.microdata.packed import unpacked

NILVALUE, ALTREP, REFERENCE = 254, 238, 255
SYMBOL, PAIRLIST, CHARACTER, LOGICAL, INTEGER, REAL, STRINGS, LIST = 1, 2, 9, 10, 13, 14, 16, 19
NA_INTEGER = -(2**31)

MAX_DEPTH = 50
"""A data frame needs five."""
MAX_ITEMS = 1_000_000
"""Vectors, names and texts; the numbers of a vector count for nothing, since each has its bytes in the file."""
MAX_NUMBERS = 10_000_000
"""Of sequences that are stored as first, step and length."""


class Frame(dict[str, Any]):
    """A data frame: column -> numbers, or a list where it holds anything else; all of one length."""


def data_frames(content: bytes, file: str) -> dict[str, Frame]:
    """The data frames of an .rda file by name."""
    try:
        objects = _Reader(unpacked(content)).objects()
    except UnicodeDecodeError:
        raise SdclabError(f"{file}: is not an R data file that can be read (a text in it is not UTF-8).") from None
    except (struct.error, ValueError) as error:
        raise SdclabError(f"{file}: is not an R data file that can be read ({error}).") from None
    return {name: value for name, value in objects.items() if isinstance(value, Frame)}


class _Reader:
    """Walks the serialised objects once, front to back."""

    def __init__(self, content: bytes) -> None:
        if content[:5] not in (b"RDX2\n", b"RDX3\n") or content[5:7] != b"X\n":
            raise ValueError("no RDX2 or RDX3 header")
        self.content = content
        self.at = 7
        self.symbols: list[str] = []
        self.depth = self.items = self.numbers = 0

    def objects(self) -> dict[str, Any]:
        version, _, _ = self._integers(3)
        if version == 3:
            self._bytes(self._integers(1)[0])  # the native encoding's name
        return _pairs(self._item())

    def _bytes(self, length: int) -> bytes:
        if not 0 <= length <= len(self.content) - self.at:
            raise ValueError("it ends too early")
        self.at += length
        return self.content[self.at - length : self.at]

    def _integers(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f">{count}i", self._bytes(4 * count))

    def _item(self) -> Any:
        self.items += 1
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ValueError(f"it is nested more than {MAX_DEPTH} deep")
        if self.items > MAX_ITEMS:
            raise ValueError(f"it holds more than {MAX_ITEMS} items")
        item = self._unchecked()
        self.depth -= 1
        return item

    def _unchecked(self) -> Any:
        flags = self._integers(1)[0]
        kind, has_attributes, has_tag = flags & 0xFF, bool(flags & 0x200), bool(flags & 0x400)
        if kind == NILVALUE:
            return None
        if kind == REFERENCE:
            return self._reference(flags >> 8)
        if kind == SYMBOL:
            self.symbols.append(_text(self._item()))
            return self.symbols[-1]
        if kind == PAIRLIST:
            return self._pairlist(has_attributes, has_tag)
        if kind == CHARACTER:
            return self._character()
        if kind == ALTREP:
            return self._sequence()
        value = self._vector(kind)
        return _framed(value, _pairs(self._item())) if has_attributes else value

    def _reference(self, number: int) -> str:
        number = number or self._integers(1)[0]
        if not 1 <= number <= len(self.symbols):
            raise ValueError("it refers to a symbol that it does not hold")
        return self.symbols[number - 1]

    def _pairlist(self, has_attributes: bool, has_tag: bool) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        while True:
            if has_attributes:
                self._item()
            tag = _text(self._item()) if has_tag else f"item {len(pairs)}"
            pairs[tag] = self._item()
            flags = self._integers(1)[0]
            if flags & 0xFF != PAIRLIST:
                return pairs
            has_attributes, has_tag = bool(flags & 0x200), bool(flags & 0x400)

    def _character(self) -> str | None:
        length = self._integers(1)[0]
        return None if length == -1 else self._bytes(length).decode()

    def _vector(self, kind: int) -> Any:
        length = self._integers(1)[0]
        if kind in (INTEGER, LOGICAL):
            values = np.frombuffer(self._bytes(4 * length), ">i4").astype(float)
            return np.where(values == NA_INTEGER, np.nan, values)
        if kind == REAL:
            return np.frombuffer(self._bytes(8 * length), ">f8").astype(float)
        if kind not in (STRINGS, LIST):
            raise ValueError(f"an object of R type {kind} is not supported")
        if not 0 <= length <= MAX_ITEMS:
            raise ValueError(f"a list of {length} items")
        return [self._item() for _ in range(length)]

    def _sequence(self) -> Any:
        """R >= 3.5 stores 1:n compactly as length, first and step."""
        described, state, _ = _pairs(self._item()), self._item(), self._item()
        if not any(isinstance(value, str) and value == "compact_intseq" for value in described.values()):
            raise ValueError("a compact vector of an unsupported class")
        if not (isinstance(state, np.ndarray) and len(state) == 3 and np.all(np.abs(state) < 2**31)):
            raise ValueError("a compact vector without length, first and step")
        length, first, step = state
        self.numbers += max(0, int(length))
        if self.numbers > MAX_NUMBERS:
            raise ValueError(f"compact vectors of more than {MAX_NUMBERS} numbers")
        return first + step * np.arange(int(length))


def _text(item: Any) -> str:
    if not isinstance(item, str):
        raise ValueError("a name in it is not a text")
    return item


def _pairs(item: Any) -> dict[str, Any]:
    if not isinstance(item, dict) or isinstance(item, Frame):
        raise ValueError("a list of pairs is missing in it")
    return item


def _framed(value: Any, attributes: Mapping[str, Any]) -> Any:
    """A list of columns with names and class is a data frame; other attributes do not matter here."""
    classes = attributes.get("class")
    if not (isinstance(value, list) and isinstance(classes, list) and "data.frame" in classes):
        return value
    names, lengths = attributes.get("names"), {len(part) for part in value if isinstance(part, np.ndarray | list)}
    if not (isinstance(names, list) and len(names) == len(value) == len(set(map(_text, names))) and len(lengths) == 1):
        raise ValueError("a data frame whose names or columns do not fit together")
    return Frame(zip(names, value, strict=True))
