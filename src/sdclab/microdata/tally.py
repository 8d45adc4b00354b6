"""What a column holds, told part by part: tallies of parts of a file add up, so no part infers a type of its own.

The same types and natural bounds that `inference` sees in one piece. Point masses are the exception: which values so
many records share is not known before all are counted, so they are those that the owner declares.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.microdata.attribute import Attribute, Type
from sdclab.microdata.declaration import Declared
from sdclab.microdata.inference import are_whole, column_decimals, in_order, natural_bounds
from sdclab.microdata.microdata import Microdata
from sdclab.numerics.digits import number_text

MANY = 10_000
"""A column with more categories is text of all kinds."""

CODES = 2
"""Whole numbers with so many distinct values are codes."""


@dataclass(frozen=True)
class Tally:
    """Of some records. What is only known of numbers is empty for categories, and the other way round."""

    present: int
    gaps: int
    labels: Mapping[str, int] | None = None
    """how many records have each category; None: they are numbers"""
    least: tuple[float, int] = (inf, 0)
    """the smallest number, and how many records have it"""
    most: tuple[float, int] = (-inf, 0)
    distinct: tuple[float, ...] = ()
    """the first of the distinct numbers, just enough to know whether they are codes"""
    broken: int = 0
    """how many numbers are not whole"""
    decimals: int | None = 0
    """the most that one has; None: too many"""
    beyond: int = field(default=0)
    """how many lie beyond the bounds that are declared, or are none of the categories that are"""

    @classmethod
    def of(cls, table: Microdata, column: str, of_words: bool, said: Declared) -> "Tally":
        if said.is_categories or (of_words and not said.is_number):
            return cls._of_categories(table, column, said)
        return cls._of_numbers(table, column, said)

    @classmethod
    def _of_categories(cls, table: Microdata, column: str, said: Declared) -> "Tally":
        counts = table.levels(column).counts()
        if len(counts) > MANY:
            raise SdclabError(f"{table.file}: column {column} has more than {MANY} categories; leave it out.")
        present = sum(counts.values())
        known = said.categories or counts
        beyond = sum(times for label, times in counts.items() if label not in known)
        return cls(present, len(table.frame) - present, counts, beyond=beyond)

    @classmethod
    def _of_numbers(cls, table: Microdata, column: str, said: Declared) -> "Tally":
        values = table.numbers(column)
        present = values[~np.isnan(values)]
        if np.isinf(present).any():
            raise SdclabError(f"{table.file}: column {column} holds an infinite number.")
        if not len(present):
            return cls(0, len(values))
        ends = [(float(end), int(np.count_nonzero(present == end))) for end in (present.min(), present.max())]
        low, high = (none if end is None else end for end, none in ((said.low, -inf), (said.high, inf)))
        return cls(
            len(present),
            len(values) - len(present),
            least=ends[0],
            most=ends[1],
            distinct=tuple(np.unique(present)[: CODES + 1].tolist()),
            broken=0 if are_whole(present) else int(np.count_nonzero(present != np.round(present))),
            decimals=column_decimals(table, column, "continuous"),
            beyond=int(np.count_nonzero((present < low) | (present > high))),
        )

    def __add__(self, other: "Tally") -> "Tally":
        """Of the records of both."""
        few = None in (self.decimals, other.decimals)
        return Tally(
            self.present + other.present,
            self.gaps + other.gaps,
            None if self.labels is None else dict(Counter(self.labels) + Counter(other.labels or {})),
            _extreme(self.least, other.least, min),
            _extreme(self.most, other.most, max),
            tuple(sorted({*self.distinct, *other.distinct})[: CODES + 1]),
            self.broken + other.broken,
            None if few else max(self.decimals or 0, other.decimals or 0),
            self.beyond + other.beyond,
        )

    def attribute(self, name: str, of_words: bool, said: Declared, file: str) -> Attribute:
        """What all records hold in a column, as its owner declared it and else by what is there."""
        where = f"{file}: column {name}"
        if not self.present:
            raise SdclabError(f"{where} is empty.")
        if self.labels is not None:
            return self._categories(name, tuple(self.labels), of_words, said, where)
        if self._are_codes and not said.is_number:
            labels = tuple(map(number_text, self.distinct))
            return self._categories(name, labels, False, said, where)
        return self._numbers(name, said, where)

    @property
    def _are_codes(self) -> bool:
        return not self.broken and len(self.distinct) == CODES <= self.present / 2

    def _categories(self, name: str, labels: tuple[str, ...], of_words: bool, said: Declared, where: str) -> Attribute:
        if self.beyond:
            raise SdclabError(f"{where}: {self.beyond} values are not among its categories.")
        type: Type = said.type or "nominal"
        categories = said.categories or in_order(labels, of_words, type, where)
        if len(labels) < 2 or len(labels) > MANY:
            problem = "fewer than two" if len(labels) < 2 else f"more than {MANY}"
            raise SdclabError(
                f"{where} is {type}, but has {problem} categories; leave it out, or declare another type."
            )
        tree = said.taxonomy
        every = categories + (tree.inner if tree else ())
        return Attribute(name, type, categories=every, gaps=self.gaps > 0, taxonomy=tree)

    def _numbers(self, name: str, said: Declared, where: str) -> Attribute:
        type: Type = said.type or ("continuous" if self.broken else "count")
        if type == "count" and self.broken:
            raise SdclabError(f"{where} is a count, but {self.broken} of its values are not whole.")
        if self.beyond:
            raise SdclabError(f"{where}: {self.beyond} values lie beyond its bounds.")
        if self.least[0] == self.most[0]:
            raise SdclabError(f"{where} is constant.")
        low, high = natural_bounds(self.least, self.most, not self.broken)
        return Attribute(
            name,
            type,
            low if said.low is None else said.low,
            high if said.high is None else said.high,
            None if type == "count" else self.decimals if said.decimals is None else said.decimals,
            masses=said.masses or (),
            gaps=self.gaps > 0,
        )

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_json(cls, about: Mapping[str, Any]) -> "Tally":
        lists = {key: tuple(about[key]) for key in ("least", "most", "distinct")}
        return cls(**{**about, **lists})


def _extreme(one: tuple[float, int], other: tuple[float, int], which: Any) -> tuple[float, int]:
    """The extreme of two, and how many records have it."""
    end = which(one[0], other[0])
    return end, sum(times for value, times in (one, other) if value == end)
