"""How a study judges published numbers: rules and bounds that were fixed beforehand, and notes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sdclab.experiment.selection import Selection


@dataclass(frozen=True)
class Tolerance:
    """Close is what is no farther from the published value than this, or than this share of it."""

    tolerance: float
    relative: bool = False


@dataclass(frozen=True)
class Spread:
    """Close is what lies within so many standard deviations of our replicates."""

    sds: float


@dataclass(frozen=True)
class Trend:
    """Only the order is judged: the least rank agreement of pairs whose published values differ by the resolution."""

    resolution: float
    at_least: float


@dataclass(frozen=True)
class NotReproducible:
    """What is printed does not determine the number."""


Rule = Tolerance | Spread | Trend | NotReproducible
RULES: dict[str, type[Rule]] = {
    "tolerance": Tolerance,
    "spread": Spread,
    "trend": Trend,
    "not_reproducible": NotReproducible,
}


@dataclass(frozen=True)
class Scope:
    """Numbers of a study: of these tables, quantities and rows; all tables or quantities if none is named."""

    tables: tuple[str, ...]
    quantities: tuple[str, ...]
    rows: Selection

    def covers(self, table: str, quantity: str, row: Mapping[str, Any]) -> bool:
        return (
            (not self.tables or table in self.tables)
            and (not self.quantities or quantity in self.quantities)
            and self.rows.includes(row)
        )


@dataclass(frozen=True)
class Judgement:
    """A rule for some numbers, and why it is this one."""

    scope: Scope
    rule: Rule
    because: str
    kinds: tuple[str, ...]
    """the kinds of data that it may be judged on"""
    truncated: bool
    """whether the paper cut its numbers off instead of rounding them"""


@dataclass(frozen=True)
class Note:
    """What is to be said about some numbers."""

    scope: Scope
    note: str


def parse_judgement(given: Mapping[str, Any]) -> Judgement:
    """From a config that fits its schema."""
    rule = RULES[given["rule"]]
    bounds = {key: given[key] for key in rule.__dataclass_fields__ if key in given}
    return Judgement(
        _scope(given),
        rule(**bounds),
        given["because"],
        tuple(given.get("kinds", ("original",))),
        given.get("digits") == "truncated",
    )


def parse_note(given: Mapping[str, Any]) -> Note:
    return Note(_scope(given), given["note"])


def _scope(given: Mapping[str, Any]) -> Scope:
    return Scope(
        tables=tuple(given.get("tables", ())),
        quantities=tuple(given.get("quantities", ())),
        rows=Selection.parse(given.get("rows", {})),
    )
