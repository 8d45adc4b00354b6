"""The scorecard: every published number beside ours, with a verdict."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import nan
from typing import Any

from sdclab.base.errors import SdclabError
from sdclab.evidence.agreement import rank_agreement
from sdclab.evidence.answers import is_answered
from sdclab.evidence.power import is_weak, share, shuffles_that_pass
from sdclab.experiment.judgement import Judgement, NotReproducible, Spread, Tolerance, Trend
from sdclab.experiment.study import Study
from sdclab.experiment.table import Table
from sdclab.numerics.digits import cuts_to, prints_as, unit
from sdclab.numerics.ties import at_most

NOT_RUN = "not run"
"""The verdict of a thinned run on a number whose cell it left out; a whole run has none of it."""

MEANINGS = {
    "exact": "equal in the printed digits",
    "close": "inside a tolerance fixed beforehand",
    "trend": "the order holds",
    "differs": "none of these",
    "not reproducible": "what is printed does not determine it, or no cell of the run answers it",
    "not judged": "not made from the original data, or from one replicate only",
    NOT_RUN: "its cell is not in the thinned grid of this run",
}
"""Every verdict."""

HOLDS = ("exact", "close", "trend")
"""Those that ours earns."""

TableRow = Mapping[str, str]
"""A line of a side-by-side table as its CSV has it: text, empty where nothing is known."""


@dataclass(frozen=True)
class Judged:
    """One line of the scorecard."""

    study: str
    table: str
    cell: str
    quantity: str
    published: str
    reproduced: float
    sd: float
    replicates: int
    verdict: str
    wrong: float
    """the share of wrong answers that would earn one as good; NaN where none could be judged"""
    readings: int
    """how many were tried; 1 where no multiverse was gone through"""
    held_out: float
    """the answer of the reading that was chosen without this half of the rows; NaN where none was"""
    held_out_verdict: str
    """what that answer earns"""
    tolerance: str
    reading: str
    dataset_kind: str
    note: str

    @property
    def weak(self) -> bool:
        """Whether it holds, but most wrong answers would, too."""
        return self.verdict in HOLDS and is_weak(self.wrong)


COLUMNS = tuple(Judged.__dataclass_fields__)


def held_out_words(pairs: Iterable[tuple[str, str]]) -> str:
    """How many numbers hold as they are read, and by readings chosen without them; nothing if none was chosen so.

    `pairs` are the two verdicts on each number; what cannot be judged both ways does not count.
    """
    judged = [pair for pair in pairs if all(each in (*HOLDS, "differs") for each in pair)]
    if not judged:
        return ""
    as_read, held_out = (sum(each in HOLDS for each in side) for side in zip(*judged, strict=True))
    return (
        f"Of {len(judged)} numbers that several readings were tried on, {as_read} hold as they are read and {held_out} "
        "by a reading that was chosen on the other half of the rows."
    )


OUTCOMES = ("met", "partly", "not", "not judged")
"""What may be said of a whole table at one look."""


def outcome(verdicts: Iterable[str]) -> str:
    """Whether all, some or none of the numbers of a table hold; those that could not be judged here do not count."""
    judged = [verdict in HOLDS for verdict in verdicts if verdict not in ("not judged", NOT_RUN)]
    if not judged:
        return "not judged"
    return "met" if all(judged) else "partly" if any(judged) else "not"


def shown(counts: Mapping[str, int]) -> list[str]:
    """The verdicts to tell of."""
    return [verdict for verdict in MEANINGS if verdict != NOT_RUN or counts.get(NOT_RUN)]


HeldOut = Mapping[tuple[str, str], TableRow]
"""Lines about published numbers of a table under readings that were chosen without them, by cell and quantity."""


def judge(study: Study, table: Table, rows: Sequence[TableRow], held_out: HeldOut = {}) -> list[Judged]:
    """Verdicts on all published numbers of a table; `rows` are those of the side-by-side table."""
    waiting = {id(row) for row in rows if not row["cell"] and is_answered(row, study.left_out, table)}
    lines = []
    for quantity in table.quantities:
        printed = [row for row in rows if row[f"{quantity}_published"]]
        column = _Column(quantity, printed)
        others = {id(row): _held_out(row, table, quantity, held_out) for row in printed}
        other_column = _Column(quantity, [other for other in others.values() if other])
        for row in printed:
            judgement = _judgement(study, table, quantity, row)
            verdict, tolerance = _verdict(row, quantity, judgement, column.group(judgement))
            if id(row) in waiting:
                verdict, tolerance = NOT_RUN, "none"
            other = others[id(row)]
            lines.append(
                Judged(
                    study=study.name,
                    table=table.name,
                    cell=label(row, table),
                    quantity=quantity,
                    published=row[f"{quantity}_published"],
                    reproduced=_number(row[quantity]),
                    sd=_number(row[f"{quantity}_sd"]),
                    replicates=int(row["replicates"]),
                    verdict=verdict,
                    wrong=column.wrong(row, judgement) if verdict in (*HOLDS, "differs") else nan,
                    readings=int(other["readings"]) if other else 1,
                    held_out=_number(other[quantity]) if other else nan,
                    held_out_verdict=_verdict(other, quantity, judgement, other_column.group(judgement))[0]
                    if other
                    else "",
                    tolerance=tolerance,
                    reading=_reading(study, table, quantity, row),
                    dataset_kind=row["dataset_kind"],
                    note=_note(study, table, quantity, row, verdict),
                )
            )
    return lines


def _held_out(row: TableRow, table: Table, quantity: str, held_out: HeldOut) -> TableRow | None:
    """The row with what a reading says that was chosen without it."""
    found = held_out.get((label(row, table), quantity))
    if found is None:
        return None
    values = {quantity: found["held_out"], f"{quantity}_sd": found["held_out_sd"]}
    return {**row, **values, "readings": found["readings"]}


def _reading(study: Study, table: Table, quantity: str, row: TableRow) -> str:
    """How a number was read, and what of that was settled by looking at the numbers that it is judged by."""
    reading, multiverse = table.reading_of(row), study.multiverse_of(table.name, quantity)
    axes = multiverse.axes_of(quantity) if multiverse else ()
    seen = [f"{axis.name} {axis.default}" for axis in axes if axis.chosen_after]
    said = [str(reading)] if reading else []
    said += [f"chosen on the rows it is judged on: {', '.join(seen)}"] if seen else []
    return "; ".join(said) or "default"


class _Column:
    """The published numbers of one quantity with ours."""

    def __init__(self, quantity: str, rows: Sequence[TableRow]) -> None:
        self.quantity = quantity
        self.answered = [row for row in rows if row[quantity]]
        self._shuffled: dict[int, float] = {}

    def group(self, judgement: Judgement) -> list[TableRow]:
        """The rows that are judged together."""
        return [row for row in self.answered if judgement.scope.rows.includes(row)]

    def wrong(self, row: TableRow, judgement: Judgement) -> float:
        """The share of wrong answers to a row that would hold: ours of every row that prints something else."""
        if isinstance(judgement.rule, Trend):
            return self._wrong_orders(judgement, judgement.rule)
        published = f"{self.quantity}_published"
        wrong = [{**other, published: row[published]} for other in self.answered if other[published] != row[published]]
        return share(_verdict(each, self.quantity, judgement, ())[0] in HOLDS for each in wrong)

    def _wrong_orders(self, judgement: Judgement, rule: Trend) -> float:
        """Of an order, the same for all rows that are judged together."""
        if id(judgement) not in self._shuffled:
            columns = _columns(self.group(judgement), self.quantity)
            self._shuffled[id(judgement)] = shuffles_that_pass(*columns, rule.resolution, rule.at_least)
        return self._shuffled[id(judgement)]


def label(row: TableRow, table: Table) -> str:
    """The name of a number's cell; in a table with panels, or without a cell, the table's keys as well."""
    keys = " ".join(f"{key}={row[key]}" for key in table.keys if row[key] != "")
    if not row["cell"]:
        return keys
    return f"{row['cell']} ({keys})" if len(table.panels) > 1 else row["cell"]


def _judgement(study: Study, table: Table, quantity: str, row: TableRow) -> Judgement:
    found = study.judgement_of(table.name, quantity, row)
    if found is None:
        place = f"study {study.name}: tables.{table.name}"
        raise SdclabError(f"{place}: no judgement covers {quantity} of {label(row, table)}.")
    return found


def _verdict(row: TableRow, quantity: str, judgement: Judgement, group: Sequence[TableRow]) -> tuple[str, str]:
    """The verdict and the bound it was measured by."""
    published, ours = _printed(row, quantity, judgement), _number(row[quantity])
    bound, holds = _bound(row, quantity, judgement, group)
    if ours != ours or isinstance(judgement.rule, NotReproducible):
        return "not reproducible", bound
    if isinstance(judgement.rule, Spread) and not row[f"{quantity}_sd"]:
        return "not judged", "no spread: one replicate"
    if row["dataset_kind"] not in judgement.kinds:
        return "not judged", bound
    if (cuts_to if judgement.truncated else prints_as)(ours, published):
        return "exact", bound
    return (("trend" if isinstance(judgement.rule, Trend) else "close") if holds else "differs"), bound


def _bound(row: TableRow, quantity: str, judgement: Judgement, group: Sequence[TableRow]) -> tuple[str, bool]:
    """The bound in words, and whether ours is inside it."""
    printed = _printed(row, quantity, judgement)
    distance, size = abs(_number(row[quantity]) - float(printed)), abs(float(printed))
    match judgement.rule:
        case Tolerance(tolerance, relative=True):
            return f"within {100 * tolerance:g} %", bool(at_most(distance, tolerance * size, size))
        case Tolerance(tolerance):
            return f"within {tolerance:g}", bool(at_most(distance, tolerance, size))
        case Spread(sds):
            allowed = sds * _number(row[f"{quantity}_sd"]) + float(unit(printed))
            return f"within {sds:g} SD and the last printed place", bool(at_most(distance, allowed, size))
        case Trend(resolution, at_least):
            tau, pairs = rank_agreement(*_columns(group, quantity), resolution)
            text = f"rank agreement {tau:.2f} over {pairs} pairs, at least {at_least:g}"
            return text, pairs > 0 and tau >= at_least
    return "none", False


def _columns(rows: Sequence[TableRow], quantity: str) -> tuple[list[float], list[float]]:
    """What is published, and ours."""
    return [float(row[f"{quantity}_published"]) for row in rows], [_number(row[quantity]) for row in rows]


def _printed(row: TableRow, quantity: str, judgement: Judgement) -> str:
    """The number as printed. Behind a number that was cut to a whole one, a `.0` is no digit."""
    text = row[f"{quantity}_published"]
    return text.removesuffix(".0") if judgement.truncated else text


def _number(text: str) -> float:
    return float(text) if text else float("nan")


def _note(study: Study, table: Table, quantity: str, row: TableRow, verdict: str) -> str:
    if verdict == NOT_RUN:
        return MEANINGS[NOT_RUN]
    notes = [note.note for note in study.notes if note.scope.covers(table.name, quantity, row)]
    if not row["cell"]:
        return "; ".join([*notes, "no cell of this study answers it"])
    if verdict == "not judged":
        kind = row["dataset_kind"]
        return "one replicate has no spread" if kind == "original" else f"made from a {kind}, so nothing is judged"
    return "; ".join(notes)


def rows_of(lines: Iterable[Judged]) -> list[dict[str, Any]]:
    return [asdict(line) for line in lines]
