"""R data files that are damaged or made to do harm: each is read or refused in a sentence, within bounds."""

import bz2
import gzip
import lzma
import os
import random
import struct

import numpy as np
import pytest
from conftest import PROJECT

from sdclab.base.errors import SdclabError
from sdclab.microdata import packed, prepare, rda

FIXTURES = sorted((PROJECT / "tests" / "fixtures").glob("*.rda"))
MUTANTS = int(os.environ.get("SDCLAB_MUTANTS", 1000))
COMPRESSIONS = (gzip.compress, bz2.compress, lzma.compress, bytes)


def mutated(content: bytes, rng: random.Random) -> bytes:
    """One to four bits flipped, bytes replaced, inserted, removed or repeated, lengths overwritten, ends cut off."""
    changed = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(changed) + 1)
        kind = rng.randrange(7)
        if kind == 0 and at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and at < len(changed):
            changed[at] = rng.choice([0, 1, 2, 9, 10, 13, 14, 16, 19, 127, 128, 238, 254, 255, rng.randrange(256)])
        elif kind == 2:
            changed[at:at] = rng.randbytes(rng.randint(1, 8))
        elif kind == 3:
            del changed[at : at + rng.randint(1, 8)]
        elif kind == 4:
            length = rng.choice([-1, -2, 0, 1, 255, 2**16, 2**31 - 1, -(2**31), rng.randint(-(2**31), 2**31 - 1)])
            changed[at // 4 * 4 + 3 : at // 4 * 4 + 7] = struct.pack(">i", length)  # the header is three bytes off
        elif kind == 5:
            changed[at:at] = changed[max(0, at - rng.randint(1, 40)) : at]
        elif rng.random() < 0.2:
            del changed[at:]
    return bytes(changed)


def mutants(count: int, seed: int = 13):
    """Of every fixture in turn, its own bytes or, compressed anew, the stream inside them."""
    rng = random.Random(seed)
    originals = [path.read_bytes() for path in FIXTURES]
    streams = [packed.unpacked(original) for original in originals]
    for i in range(count):
        which = i % len(FIXTURES)
        if rng.random() < 0.3:
            yield mutated(originals[which], rng)
        else:
            yield rng.choice(COMPRESSIONS)(mutated(streams[which], rng))


def test_every_mutated_file_is_read_or_refused_in_a_sentence():
    """More of them: SDCLAB_MUTANTS=20000 pytest tests/test_rda.py."""
    said = [outcome(content) for content in mutants(MUTANTS)]
    assert all(line.startswith("x.rda: ") and "\n" not in line for line in said if line)
    assert 0 < said.count("") < MUTANTS  # some damage does not matter, but not all


def outcome(content: bytes) -> str:
    """Why a file is refused; nothing if it is read."""
    try:
        prepare.census(content, "x.rda", ("AGI",))
    except SdclabError as error:
        return str(error)
    return ""


def item(kind: int, *content: bytes, flags: int = 0) -> bytes:
    return struct.pack(">i", kind | flags) + b"".join(content)


def number(*values: int) -> bytes:
    return struct.pack(f">{len(values)}i", *values)


def text(value: str) -> bytes:
    return item(rda.CHARACTER, number(len(value)), value.encode())


def symbol(name: str) -> bytes:
    return item(rda.SYMBOL, text(name))


def file(content: bytes) -> bytes:
    """An .rda file with one object called x."""
    named = item(rda.PAIRLIST, symbol("x"), content, item(rda.NILVALUE), flags=0x400)
    return b"RDX2\nX\n" + number(2, 0x30500, 0x20300) + named


def sequence(length: float) -> bytes:
    described = item(rda.PAIRLIST, symbol("compact_intseq"), item(rda.NILVALUE))
    state = item(rda.REAL, number(3), struct.pack(">3d", length, 1, 1))
    return item(rda.ALTREP, described, state, item(rda.NILVALUE))


class TestMaliciousFiles:
    def refused(self, content: bytes) -> str:
        with pytest.raises(SdclabError) as refused:
            rda.data_frames(content, "x.rda")
        return str(refused.value)

    def test_the_builder_builds_files_that_can_be_read(self):
        column = item(rda.REAL, number(2), struct.pack(">2d", 1.5, -2))
        names = item(rda.STRINGS, number(2), text("a"), text("b"))
        frame = item(rda.STRINGS, number(1), text("data.frame"))
        attributes = item(
            rda.PAIRLIST, symbol("names"), names,
            item(rda.PAIRLIST, symbol("class"), frame, item(rda.NILVALUE), flags=0x400), flags=0x400,
        )  # fmt: skip
        found = rda.data_frames(file(item(rda.LIST, number(2), column, sequence(2), attributes, flags=0x200)), "x.rda")
        np.testing.assert_array_equal(found["x"]["a"], [1.5, -2])
        np.testing.assert_array_equal(found["x"]["b"], [1, 2])

    def test_nesting_is_bounded(self):
        nested = b"".join(item(rda.LIST, number(1)) for _ in range(100_000))
        assert "nested more than 50 deep" in self.refused(file(nested))
        assert "nested more than 50 deep" in self.refused(file(item(rda.SYMBOL) * 100_000))

    @pytest.mark.parametrize("kind", [rda.INTEGER, rda.REAL, rda.STRINGS, rda.LIST, rda.CHARACTER])
    @pytest.mark.parametrize("length", [-2, 2**31 - 1])
    def test_a_length_is_not_believed(self, kind, length):
        said = self.refused(file(item(kind, number(length))))
        assert ("a list of" if kind in (rda.STRINGS, rda.LIST) else "ends too early") in said

    @pytest.mark.parametrize("length", [1e300, float("nan"), float("inf"), 2**31 - 1])
    def test_a_compact_sequence_is_bounded(self, length):
        assert "compact vector" in self.refused(file(sequence(length)))

    def test_many_compact_sequences_are_bounded_together(self):
        many = item(rda.LIST, number(1000), *[sequence(1e6)] * 1000)
        assert "compact vectors of more than 10000000 numbers" in self.refused(file(many))

    @pytest.mark.parametrize("reference", [0, -1, 7])
    def test_a_reference_to_nothing_is_refused(self, reference):
        assert "refers to a symbol" in self.refused(file(item(rda.REFERENCE, number(reference))))

    @pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
    def test_a_bomb_is_not_inflated(self, compress, monkeypatch):
        monkeypatch.setattr(packed.unpacked, "__defaults__", (10_000,))
        content = compress(bytes(10_001))
        assert "unpacks to more than 10000 bytes" in self.refused(content)
        assert packed.unpacked(compress(bytes(10_000))) == bytes(10_000)

    @pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
    def test_what_is_cut_short_or_followed_by_something_is_refused(self, compress):
        content = compress(file(item(rda.NILVALUE)))
        assert rda.data_frames(content, "x.rda") == {}
        assert "ends too early" in self.refused(content[:-1])
        assert "something follows" in self.refused(content + b"x")

    def test_a_column_of_text_is_named(self):
        content = FIXTURES[1].read_bytes()
        with pytest.raises(SdclabError, match=r"x\.rda: column name does not hold numbers"):
            prepare.census(content, "x.rda", ("AGI", "name"))
