"""The audit: what the papers claim about their own tables, checked on the printed numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from inspect import signature
from typing import Any

import numpy as np

from sdclab.base.errors import SdclabError, unknown
from sdclab.evidence.published import Published
from sdclab.experiment.selection import Selection, same
from sdclab.numerics.digits import prints_as, unit
from sdclab.numerics.ties import mean_ranks

Tables = Mapping[str, Published]
Outcome = tuple[bool, str]
ALL = Selection()


@dataclass(frozen=True)
class Finding:
    """One claim and whether the printed numbers bear it out."""

    table: str
    claim: str
    holds: bool
    detail: str


COLUMNS = tuple(Finding.__dataclass_fields__)


def audit(tables: Tables, claims: Sequence[Mapping[str, Any]]) -> list[Finding]:
    """Check every claim; `check` names a function of this module, the other keys are its arguments."""
    findings = []
    for claim in claims:
        options = {
            key: Selection(value) if key in ("rows", "named") else value
            for key, value in claim.items()
            if key not in ("table", "claim", "check")
        }
        if claim["table"] not in tables:
            raise unknown("published table", claim["table"], tables, "audit")
        place = f"audit: {claim['claim']}: check {claim['check']}"
        check = CHECKS[claim["check"]]
        try:
            signature(check).bind(tables, claim["table"], **options)
        except TypeError as error:
            raise SdclabError(f"{place}: {error}.") from None
        try:
            holds, detail = check(tables, claim["table"], **options)
        except (LookupError, StopIteration, ValueError):
            raise SdclabError(f"{place}: names a table, column, row or value that is not there.") from None
        findings.append(Finding(claim["table"], claim["claim"], holds, detail))
    return findings


def rows_of(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [{**asdict(finding), "holds": "yes" if finding.holds else "no"} for finding in findings]


def failures(rows: Sequence[Mapping[str, str]]) -> int | None:
    """How many claims do not hold, by the lines of an audit; None if none was checked."""
    return sum(row["holds"] == "no" for row in rows) if rows else None


def mean_of(tables: Tables, table: str, *, quantity: str, parts: Sequence[str]) -> Outcome:
    """A printed quantity is the mean of other printed ones, to the precision that their digits allow."""
    wrong = []
    for row in tables[table].rows:
        mean = sum(float(row[part]) for part in parts) / len(parts)
        slack = sum(float(unit(row[part])) for part in parts) / len(parts) / 2 + float(unit(row[quantity])) / 2
        if abs(mean - float(row[quantity])) > slack * (1 + 1e-9):
            wrong.append(f"{_label(row)} prints {row[quantity]}, the mean is {mean:.6g}")
    return not wrong, "; ".join(wrong) or f"all {len(tables[table].rows)} rows agree"


def smallest(tables: Tables, table: str, *, quantity: str, named: Selection, rows: Selection = ALL) -> Outcome:
    """The row that the text names has the smallest value."""
    candidates = [row for row in tables[table].rows if rows.includes(row)]
    least = min(candidates, key=lambda row: float(row[quantity]))
    chosen = next(row for row in candidates if named.includes(row))
    detail = f"smallest {quantity} is {least[quantity]} at {_label(least)}"
    if least is not chosen:
        detail += f"; the text names {_label(chosen)} with {chosen[quantity]}"
    return least is chosen, detail


def moves(tables: Tables, table: str, *, quantity: str, by: str, direction: str, rows: Selection = ALL) -> Outcome:
    """A quantity rises or falls with another: the sign of their rank correlation."""
    published = tables[table]
    ranks = [mean_ranks(np.array(published.numbers(name, rows))) for name in (by, quantity)]
    rho = float(np.asarray(np.corrcoef(ranks))[0, 1])
    return (rho > 0) == (direction == "rises"), f"Spearman's rho of {quantity} and {by} is {rho:+.3f}"


def exceeds(tables: Tables, table: str, *, quantity: str, bound: float, rows: Selection = ALL) -> Outcome:
    """Some printed value exceeds a bound."""
    most = max(tables[table].numbers(quantity, rows))
    return most > bound, f"the largest {quantity} is {most:g}, the bound {bound:g}"


def within(tables: Tables, table: str, *, quantity: str, bound: float, rows: Selection = ALL) -> Outcome:
    """No printed value exceeds a bound."""
    beyond, detail = exceeds(tables, table, quantity=quantity, bound=bound, rows=rows)
    return not beyond, detail


def sums_to(tables: Tables, table: str, *, parts: Sequence[str], total: float, rows: Selection = ALL) -> Outcome:
    """Printed parts add up to a total that the text states."""
    found = sum(sum(tables[table].numbers(part, rows)) for part in parts)
    return same(found, total), f"{len(parts)} parts add up to {found:g}, the text says {total:g}"


def equal(tables: Tables, table: str, *, other: str, by: str, quantity: str) -> Outcome:
    """Two printings of one table agree."""
    wrong = []
    for row in tables[other].rows:
        mate = next(mine for mine in tables[table].rows if same(mine[by], row[by]))
        if not same(mate[quantity], row[quantity]):
            wrong.append(f"{by} = {row[by]}: {mate[quantity]} and {row[quantity]}")
    total = len(tables[other].rows)
    return not wrong, f"{len(wrong)} of {total} values differ" + (": " if wrong else "") + "; ".join(wrong)


def independent(tables: Tables, table: str, *, quantity: str, by: str, first: str, second: str) -> Outcome:
    """The values at two levels of a factor are separate measurements, not multiples of each other by one constant."""
    rows = tables[table].rows
    others = [key for key in rows[0] if key not in (by, quantity)]
    pairs = [
        (float(row[quantity]), mate[quantity])
        for row in rows
        for mate in rows
        if row[by] == first and mate[by] == second and all(row[key] == mate[key] for key in others)
    ]
    ratio = float(pairs[0][1]) / pairs[0][0]
    constant = all(prints_as(value * ratio, mate) for value, mate in pairs[1:])
    return (
        not constant,
        f"{second} = {ratio:.5f} × {first} in {'all' if constant else 'not all'} {len(pairs)} rows",
    )


def _label(row: Mapping[str, str]) -> str:
    names = ("method", "c", "n_independent", "k", "membership")
    return " ".join(f"{name} {row[name]}" if name != "method" else row[name] for name in names if row.get(name))


CHECKS: dict[str, Callable[..., Outcome]] = {
    check.__name__: check for check in (equal, exceeds, independent, mean_of, moves, smallest, sums_to, within)
}
