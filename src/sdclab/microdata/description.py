"""What the program sees in a table, column by column, for its owner; no value of a record is in it."""

import shlex
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdclab.base.errors import listed
from sdclab.base.names import written
from sdclab.base.progress import doing, each_of
from sdclab.microdata.attribute import Attribute
from sdclab.microdata.declaration import Declared, types_of
from sdclab.microdata.inference import SHARED, attributes
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.roles import unfit
from sdclab.numerics.arrays import Matrix, Vector
from sdclab.numerics.digits import number_text

SEEN = 2_000
"""Records in which identities are looked for; all others must then obey them, too."""

MAX_TIED = 25
"""Of more columns that depend on each other, all sets of four are too many to try."""

MANY = 300
"""Of more columns not all pairs are compared, but those that a cheaper look finds alike."""

HASHES, CROWD = 32, 20
"""The cheaper look: least hashes of a column's cells, and the most columns that may share one and be compared."""

ROUNDING = 1e-9
"""By which share of its largest number an identity may fail: sums of decimals are rounded."""


@dataclass(frozen=True)
class Column:
    """A column: its attribute, or why it has none; how many records lack it; how many share a category."""

    name: str
    attribute: Attribute | None
    unfit: str
    gaps: int
    counts: Mapping[str, int]
    """of the categories that many records have (`_safe`)"""
    suspect: bool
    """whether its numbers differ in all records and rise, as those of an identifier do"""

    def domain(self) -> str:
        """Type and domain in words."""
        if self.attribute is None:
            return self.unfit
        return _numbers_in_words(self.attribute) if self.attribute.is_number else self._categories_in_words()

    def _categories_in_words(self) -> str:
        if self.attribute is None:
            return ""
        categories = self.attribute.leaves
        shown = [f"{label} {self.counts[label]}" for label in categories if label in self.counts]
        rarer = len(categories) - len(shown)
        some = [listed(shown)] if shown else []
        some += [f"{rarer} rare and not shown"] if rarer else []
        return f"{self.attribute.type}, {len(categories)} categories: {'; '.join(some)}"


@dataclass(frozen=True)
class Description:
    """A table, its columns, and what holds between them."""

    file: str
    records: int
    columns: tuple[Column, ...]
    identities: tuple[str, ...]
    equalities: tuple[str, ...]

    def command(self, file: str) -> str:
        """What to go on with: the columns that cannot be protected are left out, identities are kept."""
        left_out = [each.name for each in self.columns if each.attribute is None]
        words = ["sdclab", "map", file]
        words += ["--drop-columns", written(left_out)] if left_out else []
        words += [word for rule in self.identities for word in ("--rule", rule)]
        return shlex.join(words)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """All of it as text."""
        yield f"{self.file}: {self.records} records, {len(self.columns)} columns"
        width = max(len(each.name) for each in self.columns)
        for each in self.columns:
            notes = [each.domain()]
            notes += [f"missing in {each.gaps}"] if each.gaps else []
            notes += ["may be an identifier: it rises from record to record"] if each.suspect else []
            yield f"  {each.name:<{width}}  {'; '.join(notes)}"
        for each_identity in self.identities:
            yield f"in every record: {each_identity}"
        yield from self.equalities


def describe(table: Microdata, declared: Mapping[str, Declared] | None = None) -> Description:
    """What is seen in a table. Declared types are believed, and what they do not fit is refused."""
    said = declared or {}
    table.check(list(said))
    columns = tuple(_column(table, name, said) for name in each_of(table.columns, "columns"))
    numeric = [each.name for each in columns if each.attribute and each.attribute.is_number]
    values = np.column_stack([np.empty((len(table.frame), 0)), *(table.numbers(name) for name in numeric)])
    complete = values[np.isfinite(values).all(axis=1)]
    with doing("what holds between columns"):
        return Description(
            table.file,
            len(table.frame),
            columns,
            tuple(_sentence(numeric, signs) for signs in identities(complete)),
            (
                *equalities(complete, numeric),
                *one_to_one(table, [each.attribute for each in columns if each.attribute]),
            ),
        )


def describe_frame(data: pd.DataFrame, types: Mapping[str, Any] | None = None) -> Description:
    """What the program sees in a DataFrame, column by column; printed, it shows no value of a record."""
    return describe(Microdata.of_frame(data), types_of(types or {}, "types"))


def _column(table: Microdata, name: str, declared: Mapping[str, Declared]) -> Column:
    problem = "names the rows" if name == table.row_names else unfit(table, name)
    if problem and name not in declared:
        known = not table.untyped(name)
        return Column(name, None, problem, int(table.gaps([name]).sum()) if known else 0, {}, False)
    (found,) = attributes(table, [name], {name: declared[name]} if name in declared else {})
    counts = {} if found.is_number else _safe(table.levels(name).counts())
    rises = found.type == "count" and _rises(table.numbers(name))
    return Column(name, found, "", int(table.gaps([name]).sum()), counts, rises)


def _safe(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts of at least `SHARED`; and if the others add up to less, which a subtraction tells, without the least."""
    shown = {label: times for label, times in counts.items() if times >= SHARED}
    hidden = sum(counts.values()) - sum(shown.values())
    if shown and 0 < hidden < SHARED:
        del shown[min(shown, key=lambda label: shown[label])]
    return shown


def _rises(values: Vector) -> bool:
    return len(values) >= SHARED and bool(np.all(np.diff(values) > 0))


def _numbers_in_words(attribute: Attribute) -> str:
    words: list[str] = [attribute.type]
    if isfinite(attribute.low):
        words.append(f"at least {number_text(attribute.low)}")
    if isfinite(attribute.high):
        words.append(f"at most {number_text(attribute.high)}")
    if attribute.type == "continuous":
        words.append("any decimals" if attribute.decimals is None else f"decimals: {attribute.decimals}")
    if attribute.masses:
        words.append(f"many records have {' or '.join(map(number_text, attribute.masses))}")
    return ", ".join(words)


def identities(values: Matrix) -> list[dict[int, int]]:
    """Columns of which one is the sum or the difference of one to three others in every record, by their signs.

    A set of columns is looked at if its matrix lacks rank; the vector that it sends to zero must have ±1 throughout.
    """
    if len(values) <= values.shape[1]:
        return []
    seen = values[:: max(1, len(values) // SEEN)]
    tied = _tied(seen)
    found: list[dict[int, int]] = []
    for size in (2, 3, 4) if len(tied) <= MAX_TIED else (2,):
        for columns in combinations(tied, size):
            if any(set(known) <= set(columns) for known in found):
                continue
            signs = _signs(seen[:, columns])
            if signs is not None and _hold(values[:, columns], signs):
                found.append(dict(zip(columns, signs.astype(int).tolist(), strict=True)))
    return found


def _tied(values: Matrix) -> list[int]:
    """The columns that depend linearly on others."""
    scale = np.abs(values).max(axis=0, initial=0)
    scaled = values / np.where(scale > 0, scale, 1)
    _, sizes, directions = np.linalg.svd(scaled, full_matrices=False)
    null = directions[sizes <= ROUNDING * sizes.max(initial=0)]
    return [j for j in range(values.shape[1]) if np.any(np.abs(null[:, j]) > ROUNDING)]


def _signs(values: Matrix) -> Vector | None:
    """By which signs the columns add up to zero, if they do; the first is 1."""
    weights = np.linalg.lstsq(values[:, 1:], values[:, 0])[0]
    signs = np.round(weights)
    if np.any(np.abs(signs) != 1) or not np.allclose(weights, signs):
        return None
    return np.append(1.0, -signs)


def _hold(values: Matrix, signs: Vector) -> bool:
    return bool(np.all(np.abs(values @ signs) <= ROUNDING * np.abs(values).max(axis=1)))


def _sentence(names: Sequence[str], signs: Mapping[int, int]) -> str:
    """One column on the left: the only one of its sign, or the first."""
    alone = [j for j, sign in signs.items() if list(signs.values()).count(sign) == 1]
    left = (alone or list(signs))[0]
    right = sorted(((-signs[left] * sign, names[j]) for j, sign in signs.items() if j != left), key=lambda it: -it[0])
    text = "".join(f" {'+' if sign > 0 else '-'} {name}" for sign, name in right)
    return f"{names[left]} = {text.removeprefix(' + ').strip()}"


def equalities(values: Matrix, names: Sequence[str]) -> Iterator[str]:
    """Pairs of columns that agree in most records, not counting those in which both are 0, but not in all."""
    seen = values[:: max(1, len(values) // SEEN)]
    for i, j in combinations(range(len(names)), 2) if len(names) <= MANY else _alike(seen):
        if _agreement(seen[:, i], seen[:, j]) > 0.4:
            share = _agreement(values[:, i], values[:, j])
            if 0.5 < share < 1:
                yield f"in {100 * share:.0f} % of the records in which they are not both 0: {names[i]} = {names[j]}"


def one_to_one(table: Microdata, known: Sequence[Attribute]) -> Iterator[str]:
    """Pairs of columns, not both numbers, that tell each other: a category and its code. In few records all might."""
    values = [_values(table, each) for each in known]
    few = [i for i, column in enumerate(values) if len(np.unique(column)) * SHARED <= len(column)]
    for i, j in combinations(few, 2) if len(few) <= MANY else _split_alike(values, few):
        both = np.column_stack([values[i], values[j]])
        if not (known[i].is_number and known[j].is_number) and _tell_each_other(both[np.isfinite(both).all(axis=1)]):
            yield f"in every record each tells the other: {known[i].name} and {known[j].name}"


def _alike(values: Matrix) -> list[tuple[int, int]]:
    """Pairs of columns that have a least hash in common, of the pairs of record and value that are not 0.

    Two sets have each least hash in common with the chance of what they share of their union (Broder 1997). Columns
    that agree in a half of the records share a third, so one such pair in 400,000 is missed. What many columns share
    says nothing of two.
    """
    found: set[tuple[int, int]] = set()
    _, codes = np.unique(values, return_inverse=True)
    cells = codes.reshape(values.shape).astype(np.uint64) * np.uint64(len(values))
    cells += np.arange(len(values), dtype=np.uint64)[:, None]
    for i in range(HASHES):
        hashes = _hashed(cells + np.uint64(i * values.size))
        hashes[values == 0] = np.iinfo(np.uint64).max
        found |= _pairs_of_equals(hashes.min(axis=0, initial=np.iinfo(np.uint64).max).tolist())
    return sorted(found)


def _hashed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers scattered over 64 bits (the finaliser of SplitMix64, Steele, Lea & Flood 2014)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return x ^ (x >> np.uint64(31))


def _split_alike(values: Sequence[Vector], among: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of columns whose values, gaps among them, split the records in the same way."""
    codes = (pd.factorize(values[i], use_na_sentinel=False)[0] for i in among)
    splits = [sha256(each.tobytes()).digest() for each in codes]
    return sorted((among[i], among[j]) for i, j in _pairs_of_equals(splits))


def _pairs_of_equals(marks: Sequence[Hashable]) -> set[tuple[int, int]]:
    """The places of equal marks, two by two, but not of one that a crowd has."""
    places: dict[Hashable, list[int]] = {}
    for place, mark in enumerate(marks):
        places.setdefault(mark, []).append(place)
    return {pair for equal in places.values() if len(equal) <= CROWD for pair in combinations(equal, 2)}


def _values(table: Microdata, attribute: Attribute) -> Vector:
    name = attribute.name
    return table.numbers(name) if attribute.is_number else table.encoded([name], [attribute])[:, 0]


def _tell_each_other(values: Matrix) -> bool:
    """Whether two columns are one to one, and not constant; a part of the records says no soon enough."""
    for records in (values[:: max(1, len(values) // SEEN)], values):
        pairs = len(np.unique(records, axis=0))
        if pairs < 2 or any(len(np.unique(column)) != pairs for column in records.T):
            return False
    return True


def _agreement(one: Vector, other: Vector) -> float:
    counted = (one != 0) | (other != 0)
    equal = np.count_nonzero(counted & (one == other))
    return equal / np.count_nonzero(counted) if equal >= SHARED else 0.0
