"""Whether published numbers still come out as they did: a scorecard against a committed expectation.

Every number is a mean over replicates, with seeds that follow from names. If neither code nor config changed it is the
same number; other seeds or another processor move it within its spread, and what moves it farther is for somebody to
look at. So a number has moved if it differs by more than

    max(3 sqrt(SE² + SE'²), 1e-6 max(1, |a|, |b|))

where SE = SD / sqrt(replicates) is the standard error of each mean. The second bound is the six digits that
docs/running.md promises across processors, and all that a number without a spread is granted. What is not reproducible
is chaotic, or an artefact of rounding: of that only the verdict is compared.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from math import hypot, isnan, nan, sqrt
from pathlib import Path

from sdclab.base.errors import SdclabError
from sdclab.base.files import csv_text, read
from sdclab.evidence.scorecard import HOLDS, MEANINGS, NOT_RUN

STANDARD_ERRORS = 3
DIGITS = 1e-6
ORDER = (*HOLDS, "differs", "not reproducible")
"""The verdicts on a number that is judged, from the best to the worst."""
KEPT = 9
"""Significant digits of an expectation: more than are compared, and not the last bits, which are the processor's."""


Name = tuple[str, str, str, str]
"""Of a number: its study, table, cell and quantity."""


@dataclass(frozen=True)
class Number:
    """One of ours, beside a published one."""

    study: str
    table: str
    cell: str
    quantity: str
    reproduced: float
    sd: float
    replicates: int
    verdict: str

    @property
    def name(self) -> Name:
        return self.study, self.table, self.cell, self.quantity

    @property
    def standard_error(self) -> float:
        """Of the mean; a number without a spread has none."""
        return self.sd / sqrt(self.replicates) if self.sd == self.sd and self.replicates else 0.0

    def __str__(self) -> str:
        return ", ".join(self.name)


COLUMNS = tuple(Number.__dataclass_fields__)


@dataclass(frozen=True)
class Scorecard:
    """What a run found, as far as it can be compared."""

    judged: Mapping[Name, Number]
    """on the originals, on what else a study judges, or answered by no cell"""
    unjudged: frozenset[Name]
    """made from something else"""
    on_originals: bool
    """whether any number was made from them"""


@dataclass(frozen=True)
class Comparison:
    """What has become of the expected numbers, a sentence each."""

    held: int
    moved: Sequence[str]
    worse: Sequence[str]
    better: Sequence[str]
    absent: Sequence[str]
    """a sentence a table"""
    unjudged: int
    """those that were not made from the originals"""
    new: int
    """those that nothing is expected of"""


def compare(expected: Iterable[Number], found: Scorecard) -> Comparison:
    """The numbers of a scorecard with those that are expected."""
    wanted = {each.name: each for each in expected}
    pairs = [(old, found.judged[name]) for name, old in wanted.items() if name in found.judged]
    moved = [_moved(old, new) for old, new in pairs if has_moved(old, new)]
    worse = [_changed(old, new, "worse") for old, new in pairs if _rank(new) > _rank(old)]
    better = [_changed(old, new, "better") for old, new in pairs if _rank(new) < _rank(old)]
    touched = sum(has_moved(old, new) or _rank(new) != _rank(old) for old, new in pairs)
    known = {*found.judged, *found.unjudged}
    absent = Counter((old.study, old.table) for name, old in wanted.items() if name not in known)
    return Comparison(
        held=len(pairs) - touched,
        moved=moved,
        worse=worse,
        better=better,
        absent=[f"{', '.join(table)}: {count} expected numbers were not run." for table, count in absent.items()],
        unjudged=sum(name in found.unjudged for name in wanted),
        new=sum(name not in wanted for name in found.judged),
    )


def allowed(old: Number, new: Number) -> float:
    """How far two means may lie apart."""
    by_spread = STANDARD_ERRORS * hypot(old.standard_error, new.standard_error)
    return max(by_spread, DIGITS * max(1.0, abs(old.reproduced), abs(new.reproduced)))


def has_moved(old: Number, new: Number) -> bool:
    """Whether a number that is compared by its value lies farther off than it may."""
    if "not reproducible" in (old.verdict, new.verdict):
        return False
    return not abs(new.reproduced - old.reproduced) <= allowed(old, new)


def _rank(number: Number) -> int:
    """Worse is more; what was judged and no longer is, is worst."""
    return ORDER.index(number.verdict) if number.verdict in ORDER else len(ORDER)


def _moved(old: Number, new: Number) -> str:
    distance = abs(new.reproduced - old.reproduced)
    return (
        f"{old}: moved from {old.reproduced:.6g} to {new.reproduced:.6g}, by {distance:.2g} where "
        f"{allowed(old, new):.2g} is its spread."
    )


def _changed(old: Number, new: Number, how: str) -> str:
    return f"{old}: the verdict is {how}, {new.verdict} for {old.verdict}."


def read_scorecard(path: Path) -> Scorecard:
    """The numbers of a scorecard. Those of a thinned run say nothing about published ones, so it is refused."""
    rows = _rows(path, (*COLUMNS, "dataset_kind"))
    if any(row["verdict"] == NOT_RUN for row in rows):
        raise SdclabError(
            f"{path}: is of a thinned run, whose numbers are not comparable; `make reproduce` makes whole ones."
        )
    numbers = [(_number(row, path), row["dataset_kind"]) for row in rows]
    judged = [number for number, kind in numbers if _is_judged(number, kind)]
    unjudged = frozenset(number.name for number, kind in numbers if not _is_judged(number, kind))
    return Scorecard(_by_name(judged, path), unjudged, any(kind == "original" for _, kind in numbers))


def _is_judged(number: Number, kind: str) -> bool:
    """Whether a number counts: one on an original does, and one on points of our own if its study judges it there."""
    return kind == "original" or (kind not in ("replica", "own") and number.verdict in ORDER)


def read_expected(path: Path) -> list[Number]:
    """A committed expectation."""
    numbers = [_number(row, path) for row in _rows(path, COLUMNS)]
    return list(_by_name(numbers, path).values())


def expectation(found: Scorecard, path: Path) -> str:
    """What to expect from now on, as CSV: every judged number of a scorecard."""
    if not found.on_originals:
        raise SdclabError(f"{path}: was not made from the originals, so that there is nothing to expect by it.")
    numbers = [number for number in found.judged.values() if number.verdict in ORDER]
    return csv_text(COLUMNS, [dict(zip(COLUMNS, _kept(number), strict=True)) for number in numbers])


def _kept(number: Number) -> list[object]:
    return [float(f"{value:.{KEPT}g}") if isinstance(value, float) else value for value in astuple(number)]


def _by_name(numbers: Iterable[Number], path: Path) -> dict[Name, Number]:
    found: dict[Name, Number] = {}
    for number in numbers:
        if number.name in found:
            raise SdclabError(f"{path}: has the number {number} twice.")
        found[number.name] = number
    return found


def _rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    try:
        reader = csv.DictReader(io.StringIO(read(path).decode()), strict=True)
        rows = list(reader)
    except (UnicodeDecodeError, csv.Error):
        raise SdclabError(f"{path}: is not a CSV file in UTF-8 that can be read.") from None
    for column in columns:
        if column not in (reader.fieldnames or ()):
            raise SdclabError(f"{path}: the column '{column}' is missing; a scorecard has {', '.join(columns)}.")
    return rows


def _number(row: Mapping[str, str], path: Path) -> Number:
    try:
        number = Number(
            study=row["study"],
            table=row["table"],
            cell=row["cell"],
            quantity=row["quantity"],
            reproduced=float(row["reproduced"] or nan),
            sd=float(row["sd"] or nan),
            replicates=int(row["replicates"]),
            verdict=row["verdict"],
        )
    except (TypeError, ValueError):
        raise SdclabError(f"{path}: a line has no numbers where there must be some.") from None
    if number.verdict not in MEANINGS or (isnan(number.reproduced) and number.verdict in (*HOLDS, "differs")):
        raise SdclabError(f"{path}: {number} has the verdict '{number.verdict}', which it cannot have.")
    return number
