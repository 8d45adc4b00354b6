"""A gate for releases: limits on what measures tell, and whether a release keeps them.

    limits:
      - membership <= 55
      - rep_u <= 1
    key: [age, region]
    target: [income]

stands in a file of the owner's; the command line has `--limit "rep_u <= 1"`. What cannot be measured does not pass.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import pandas as pd

from sdclab.base import documents
from sdclab.base.describe import Number, described
from sdclab.base.errors import SdclabError, listed, shortened, unknown
from sdclab.experiment.comparison import Comparison, compare, paired
from sdclab.measures import declarations, number
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.pairing import Pair
from sdclab.numerics.ties import at_most

Relation = Literal["<=", ">="]

LIMIT = re.compile(r"\s*([A-Za-z_][\w-]*)\s*(<=|>=)\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*", re.ASCII)

PARTS = ("limits", "key", "target")


@dataclass(frozen=True)
class Limit:
    """What a number must not exceed, or not fall below."""

    text: str
    quantity: str
    relation: Relation
    bound: float

    @staticmethod
    def parse(text: str, where: str = "") -> "Limit":
        """A limit as it is written, `membership <= 55`; one that no release could keep is refused."""
        place = f"{where}: " if where else ""
        named = f"{place}limit '{shortened(text)}'"
        found = LIMIT.fullmatch(text)
        if found is None or not isfinite(float(found[3])):
            raise SdclabError(f"{named}: must be a quantity, <= or >=, and a number, as in membership <= 55.")
        limit = Limit(" ".join(text.split()), found[1].replace("-", "_"), cast(Relation, found[2]), float(found[3]))
        check_quantity(limit.quantity, named)
        about = limit.number
        if not limit.holds(about.low if limit.relation == "<=" else about.high):
            raise SdclabError(f"{named}: cannot be met, since {limit.quantity} {_range(about)}.")
        return limit

    @property
    def number(self) -> Number:
        """What the quantity is."""
        return number(self.quantity)

    def holds(self, value: float) -> bool:
        """Whether a value keeps the limit, rounding aside; one that is not defined does not."""
        span = self._span
        scale = span if isfinite(span) else 1.0
        sides = (value, self.bound) if self.relation == "<=" else (-value, -self.bound)
        return bool(at_most(*sides, scale))

    def excess(self, value: float) -> float:
        """By how much a value violates the limit, 0 if it does not and infinite if it is not defined.

        In units of the quantity's range, so that limits can be compared; where that has no end, as a share of the value
        or of the bound, whichever is larger.
        """
        if self.holds(value):
            return 0.0
        if not isfinite(value):
            return inf
        span = self._span
        return abs(value - self.bound) / (span if isfinite(span) else max(abs(value), abs(self.bound)))

    @property
    def _span(self) -> float:
        return self.number.high - self.number.low


def _range(about: Number) -> str:
    """Where a number lies, in words."""
    if isfinite(about.low) and isfinite(about.high):
        return f"lies between {about.low:g} and {about.high:g}"
    return f"is at least {about.low:g}" if isfinite(about.low) else f"is at most {about.high:g}"


def check_quantity(quantity: str, where: str) -> None:
    """Refuse what no measure tells."""
    if not tellers(quantity):
        raise unknown("quantity", quantity, {each for _, told in declarations() for each in told}, where)


def tellers(quantity: str) -> dict[str, frozenset[str]]:
    """The measures that tell a quantity, each with the names of all that it tells."""
    return {name: frozenset(told) for name, told in declarations() if described(quantity, told)}


def measures_of(quantities: Iterable[str]) -> tuple[str, ...]:
    """The measures that tell some quantities: of several the one that tells least, as `pil` and not `score`,
    unless what it tells is among what another one tells that is needed anyway.
    """
    chosen: dict[str, frozenset[str]] = {}
    for quantity in quantities:
        found = tellers(quantity)
        least = min(found, key=lambda name: len(found[name]))
        chosen[least] = found[least]
    return tuple(name for name, told in chosen.items() if not any(told < other for other in chosen.values()))


class Judged(NamedTuple):
    """A limit, the value that was found, NaN if there is none, and whether it will do."""

    limit: Limit
    value: float
    passed: bool


def judged(limits: Iterable[Limit], numbers: Mapping[str, float]) -> list[Judged]:
    """Every limit beside its number."""
    values = ((limit, float(numbers.get(limit.quantity, nan))) for limit in limits)
    return [Judged(limit, value, limit.holds(value)) for limit, value in values]


@dataclass(frozen=True)
class Gate:
    """What a release must keep, and what an intruder is taken to know and to want to know."""

    limits: tuple[Limit, ...] = ()
    key: tuple[str, ...] = ()
    target: tuple[str, ...] = ()


def read_gate(path: Path) -> Gate:
    """What a file says about a release."""
    said = documents.parse(path)
    for part in said:
        if part not in PARTS:
            raise unknown("key", part, PARTS, str(path))
    texts = {part: _texts(said.get(part, []), f"{path}: {part}") for part in PARTS}
    return Gate(tuple(Limit.parse(text, str(path)) for text in texts["limits"]), texts["key"], texts["target"])


def _texts(given: Any, where: str) -> tuple[str, ...]:
    if not (isinstance(given, list) and all(isinstance(each, str) for each in given)):
        raise SdclabError(f"{where} must be a list of texts.")
    return tuple(given)


@dataclass(frozen=True)
class Check:
    """A limit or a rule, what was found, NaN if nothing was, whether it will do, and why there is no value."""

    text: str
    value: float
    passed: bool
    reason: str = ""


def check(
    both: Pair,
    limits: Sequence[Limit],
    others: Dataset | None = None,
    rules: Sequence[str] = (),
) -> list[Check]:
    """Every limit, and every rule, which a release must not break more often than the original.

    The value of a rule is the number of released records that break it. All records of a file count, however long it
    is: what is let through must not hang on a draw.
    """
    if not limits:
        raise SdclabError("there is no limit to check; one is written as membership <= 55.")
    found = compare(both, measures_of(limit.quantity for limit in limits), others, rules, partly=True)
    numbers = {name: value for told in found.numbers.values() for name, value in told.items()}
    checks = [
        Check(limit.text, value, passed, _why(limit, found) if isnan(value) else "")
        for limit, value, passed in judged(dict.fromkeys(limits), numbers)
    ]
    return [*checks, *_rules(both, found)]


def _why(limit: Limit, found: Comparison) -> str:
    """Why there is no value for a limit."""
    for name in tellers(limit.quantity):
        if name in found.reasons:
            return found.reasons[name]
        if name in found.numbers and limit.quantity not in found.numbers[name]:
            return f"measure {name}: tells no {limit.quantity}, but {listed(found.numbers[name])}."
    return "not defined for these files."


def _rules(both: Pair, found: Comparison) -> Iterable[Check]:
    """Shares are compared, since the files may differ in length."""
    n, m = len(both.original.values), len(both.released.values)
    for text, (before, after) in found.broken.items():
        passed = after * n <= before * m
        yield Check(
            text,
            after,
            passed,
            "" if passed else f"{after} of {m} released records break it, {before} of {n} originals do.",
        )


def check_release(
    original: pd.DataFrame,
    released: pd.DataFrame,
    limits: Sequence[str],
    *,
    rules: Sequence[str] = (),
    **roles: Any,
) -> pd.DataFrame:
    """Whether a release keeps limits (`"membership <= 55"`) and rules: limit, value, passed.

    Roles, `types`, `missing`, `key`, `target` and `control` are as for `measure`; what cannot be measured fails.
    """
    asked = [Limit.parse(text) for text in limits]
    both, others = paired(original, released, **roles)
    checks = check(both, asked, others=others, rules=rules)
    return pd.DataFrame([{"limit": each.text, "value": each.value, "passed": each.passed} for each in checks])
