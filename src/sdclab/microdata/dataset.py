"""A dataset: named columns of numbers with a kind and a fingerprint."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from math import inf, isfinite
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sdclab.base.errors import SdclabError, unknown
from sdclab.base.files import csv_text, read, sha256, write
from sdclab.microdata.attribute import Attribute
from sdclab.microdata.tree import Node
from sdclab.numerics.arrays import Matrix
from sdclab.numerics.digits import number_text

Kind = Literal["original", "replica", "stand-in", "own"]

Missing = Literal["refuse", "drop", "keep"]
"""What becomes of a row with a gap, a missing value."""

Labels = Mapping[str, Sequence[str]]
"""The categories of columns of text, in the order of their codes."""

PATTERN = "pattern of gaps"
"""The column that tells which values of a record were missing, if gaps are kept: one more independent."""


@dataclass(frozen=True)
class Dataset:
    """Prepared microdata: records in rows, columns named, every cell a finite number."""

    name: str
    kind: Kind
    source: str
    columns: tuple[str, ...]
    values: Matrix = field(repr=False)
    attributes: tuple[Attribute, ...] = field(repr=False, default=())
    """what the columns hold, categories by their codes; nothing: numbers, to be released as a method makes them"""
    recoded_from: str = field(repr=False, default="")
    """the fingerprint of the table that these values were before some of them became codes"""

    @classmethod
    def read(cls, table: Path, about: Path) -> "Dataset":
        """A prepared dataset from the two files that the workflow keeps of it, if they are as they were written."""
        facts, content = read_facts(about), read(table)
        if sha256(content) != facts["fingerprint"]:
            raise SdclabError(f"{table}: this is not the table that {about.name} tells of; delete both and run again.")
        header, *rows = csv.reader(io.StringIO(content.decode()))
        values = numbers(rows, header, header, table.name)
        attributes = tuple(map(attribute_of, facts.get("attributes", ())))
        return cls(facts["name"], facts["kind"], facts["source"], tuple(header), values, attributes)

    def write(self, table: Path, about: Path, **more: str) -> None:
        """The two files: the canonical CSV, and the facts about it with a checksum of their own."""
        facts = {
            "name": self.name,
            "kind": self.kind,
            "source": self.source,
            "rows": len(self.values),
            "columns": list(self.columns),
            "fingerprint": self.fingerprint,
            **({"attributes": list(map(about_attribute, self.attributes))} if self.attributes else {}),
            **more,
        }
        write(table, self.text)
        write(about, json.dumps({**facts, "checksum": _checksum(facts)}, indent=2) + "\n")

    @property
    def text(self) -> str:
        """The canonical CSV: whole numbers without a point, others in the fewest digits that give them back."""
        records = (",".join(map(number_text, record)) + "\n" for record in self.values.tolist())
        return csv_text(self.columns, []) + "".join(records)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the canonical CSV, so it depends on the numbers and not on a file's trimmings."""
        return self.recoded_from or sha256(self.text.encode())

    def select(self, columns: Sequence[str], where: str) -> Matrix:
        """The values of some columns, in the order asked for."""
        places = {column: i for i, column in enumerate(self.columns)}
        for column in columns:
            if column not in places:
                raise unknown("column", column, self.columns, where)
        return self.values[:, [places[column] for column in columns]]

    def head(self, limit: int | None) -> "Dataset":
        """At most so many records, the first ones; what is cut short is a stand-in, on which nothing is judged."""
        if limit is None or len(self.values) <= limit:
            return self
        return self.with_values("stand-in", f"the first {limit} records of {self.source}", self.values[:limit])

    def with_values(self, kind: Kind, source: str, values: Matrix) -> "Dataset":
        return replace(self, kind=kind, source=source, values=values, recoded_from="")


def read_facts(about: Path | str) -> dict[str, Any]:
    """What is known about a prepared dataset, if it is as it was written."""
    try:
        facts = dict(json.loads(read(about)))
        is_whole = facts.pop("checksum") == _checksum(facts)
    except (ValueError, TypeError, KeyError):
        is_whole = False
    if not is_whole:
        raise SdclabError(f"{about}: these are not the facts that were written; delete the file and run again.")
    return facts


def about_attribute(attribute: Attribute) -> dict[str, Any]:
    """An attribute as JSON, which knows no infinity."""
    bounds = {side: bound if isfinite(bound := getattr(attribute, side)) else None for side in ("low", "high")}
    return {**asdict(attribute), **bounds}


def attribute_of(about: Mapping[str, Any]) -> Attribute:
    """An attribute from JSON."""
    lists = {key: tuple(about[key]) for key in ("categories", "masses")}
    low, high = (none if about[side] is None else about[side] for side, none in (("low", -inf), ("high", inf)))
    taxonomy = Node.of(about["taxonomy"]) if about.get("taxonomy") else None
    return Attribute(**{**about, **lists, "low": low, "high": high, "taxonomy": taxonomy})


def _checksum(facts: Mapping[str, Any]) -> str:
    return sha256(json.dumps(facts, sort_keys=True).encode())


def number(text: str) -> float:
    """As files write one; Python would read 1_000 as well."""
    if "_" in text:
        raise ValueError
    return float(text)


def is_number(text: str) -> bool:
    """Whether a text is a finite number."""
    try:
        return isfinite(number(text))
    except ValueError:
        return False


def numbers(
    rows: Sequence[Sequence[str]],
    columns: Sequence[str],
    header: Sequence[str],
    file: str,
    names: Sequence[int] | None = None,
    labels: Labels = {},
) -> Matrix:
    """The chosen columns of text rows as numbers; `names` are the rows' numbers in the file, if not 1, 2, 3...

    Columns with labels hold categories, which become their places among them: codes 0, 1, 2...

    An error names row and column, never the value: it may be confidential.
    """
    places = {column: i for i, column in enumerate(header)}
    where = [places[column] for column in columns]
    codes = [{each: code for code, each in enumerate(labels.get(column, ()))} for column in columns]
    values = np.empty((len(rows), len(columns)))
    for i, row in enumerate(rows):
        name = names[i] if names else i + 1
        if len(row) != len(header):
            raise SdclabError(f"{file}: row {name} has {len(row)} fields, but there are {len(header)} columns.")
        for j, position in enumerate(where):
            cell = row[position].strip()
            try:
                values[i, j] = codes[j][cell] if codes[j] else number(cell)
            except (ValueError, KeyError):
                none = "is none of its categories" if codes[j] else "is not a number"
                problem = "is missing" if cell in ("", "?", "NA") else none
                raise SdclabError(f"{file}: row {name}, column {columns[j]} {problem}.") from None
            if not np.isfinite(values[i, j]):
                raise SdclabError(f"{file}: row {name}, column {columns[j]} is NaN or infinite.")
    return values
