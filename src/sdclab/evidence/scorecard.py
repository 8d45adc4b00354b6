"""The scorecard: every published number beside ours, with a verdict."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from sdclab.base.errors import SdclabError
from sdclab.evidence.published import meant
from sdclab.evidence.side_by_side import is_answered, reading_of
from sdclab.experiment.grid import Cell
from sdclab.numerics.digits import cuts_to, prints_as, unit
from sdclab.numerics.ties import at_most, settled

VERDICTS = ("exact", "close", "trend", "differs", "not reproducible", "not judged")
"""The last is for data that is not the original: nothing published can be judged on it."""

NOT_RUN = "not run"
"""The verdict of a thinned run on a number whose cell it left out; a whole run has none of it."""

Spec = Mapping[str, Any]
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
    verdict: str
    tolerance: str
    reading: str
    dataset_kind: str
    note: str


COLUMNS = tuple(Judged.__dataclass_fields__)


def shown(counts: Mapping[str, int]) -> list[str]:
    """The verdicts to tell of."""
    return [*VERDICTS, *([NOT_RUN] if counts.get(NOT_RUN) else [])]


def judge(
    study: str,
    table: str,
    rows: Sequence[TableRow],
    spec: Spec,
    rules: Sequence[Spec],
    notes: Sequence[Spec],
    left_out: Sequence[Cell] = (),
) -> list[Judged]:
    """Verdicts on all published numbers of a table; `rows` are those of the side-by-side table.

    `left_out`: cells of the study that a thinned run does without.
    """
    lines = []
    waiting = {id(row) for row in rows if not row["cell"] and is_answered(row, left_out, spec)}
    for quantity in spec["quantities"]:
        printed = [row for row in rows if row[f"{quantity}_published"]]
        for row in printed:
            rule = _rule(table, quantity, row, rules)
            group = [other for other in printed if other[quantity] and meant(other, rule.get("rows", {}))]
            verdict, tolerance = _verdict(row, quantity, rule, group)
            if id(row) in waiting:
                verdict, tolerance = NOT_RUN, "none"
            lines.append(
                Judged(
                    study=study,
                    table=table,
                    cell=label(row, spec),
                    quantity=quantity,
                    published=row[f"{quantity}_published"],
                    reproduced=_number(row[quantity]),
                    verdict=verdict,
                    tolerance=tolerance,
                    reading=_reading(row, spec),
                    dataset_kind=row["dataset_kind"],
                    note=_note(table, quantity, row, notes, verdict),
                )
            )
    return lines


def label(row: TableRow, spec: Spec) -> str:
    """The name of a number's cell; in a table with panels, or without a cell, the table's keys as well."""
    keys = " ".join(f"{key}={row[key]}" for key in spec["keys"] if row[key] != "")
    if not row["cell"]:
        return keys
    return f"{row['cell']} ({keys})" if "panels" in spec else row["cell"]


def _rule(table: str, quantity: str, row: TableRow, rules: Sequence[Spec]) -> Spec:
    for rule in rules:
        if table in rule["tables"] and quantity in rule["quantities"] and meant(row, rule.get("rows", {})):
            return rule
    raise SdclabError(f"table {table}: no judgement in the study's config covers {quantity} of {row['cell']}.")


def _verdict(row: TableRow, quantity: str, rule: Spec, group: Sequence[TableRow]) -> tuple[str, str]:
    """The verdict and the bound it was measured by."""
    published, ours = _printed(row, quantity, rule), _number(row[quantity])
    bound, holds = _bound(row, quantity, rule, group)
    if ours != ours:
        return "not reproducible", bound
    if rule["rule"] == "not_reproducible":
        return "not reproducible", bound
    if rule["rule"] == "spread" and not row[f"{quantity}_sd"]:
        return "not judged", "no spread: one replicate"
    if row["dataset_kind"] not in rule.get("kinds", ["original"]):
        return "not judged", bound
    if (cuts_to if rule.get("digits") == "truncated" else prints_as)(ours, published):
        return "exact", bound
    return (("trend" if rule["rule"] == "trend" else "close") if holds else "differs"), bound


def _bound(row: TableRow, quantity: str, rule: Spec, group: Sequence[TableRow]) -> tuple[str, bool]:
    printed = _printed(row, quantity, rule)
    distance, size = abs(_number(row[quantity]) - float(printed)), abs(float(printed))
    if rule["rule"] == "tolerance" and rule.get("relative"):
        return f"within {100 * rule['tolerance']:g} %", bool(at_most(distance, rule["tolerance"] * size, size))
    if rule["rule"] == "tolerance":
        return f"within {rule['tolerance']:g}", bool(at_most(distance, rule["tolerance"], size))
    if rule["rule"] == "spread":
        allowed = rule["sds"] * _number(row[f"{quantity}_sd"]) + float(unit(printed))
        return f"within {rule['sds']:g} SD and the last printed place", bool(at_most(distance, allowed, size))
    if rule["rule"] == "trend":
        published = [float(other[f"{quantity}_published"]) for other in group]
        ours = [_number(other[quantity]) for other in group]
        tau, pairs = rank_agreement(published, ours, rule["resolution"])
        text = f"rank agreement {tau:.2f} over {pairs} pairs, at least {rule['at_least']:g}"
        return text, pairs > 0 and tau >= rule["at_least"]
    return "none", False


def rank_agreement(published: Sequence[float], ours: Sequence[float], resolution: float) -> tuple[float, int]:
    """Kendall's tau over the pairs whose published values differ by more than a resolution, and their number."""
    signs = [
        (1 if (a > b) == (x > y) and x != y else -1)
        for (a, x), (b, y) in combinations(zip(published, settled(ours), strict=True), 2)
        if not at_most(abs(a - b), resolution, max(abs(a), abs(b)))
    ]
    return (sum(signs) / len(signs) if signs else float("nan")), len(signs)


def _printed(row: TableRow, quantity: str, rule: Spec) -> str:
    """The number as printed. Behind a number that was cut to a whole one, a `.0` is no digit."""
    text = row[f"{quantity}_published"]
    return text.removesuffix(".0") if rule.get("digits") == "truncated" else text


def _number(text: str) -> float:
    return float(text) if text else float("nan")


def _reading(row: TableRow, spec: Spec) -> str:
    reading = reading_of(row["method"], spec) if "method" in row else {}
    if not reading:
        return "default"
    chosen = ",".join(f"{key}={value}" for key, value in reading["parameters"].items())
    return f"{chosen}: {reading['because']}"


def _note(table: str, quantity: str, row: TableRow, notes: Sequence[Spec], verdict: str) -> str:
    if verdict == NOT_RUN:
        return "its cell is not in the thinned grid of this run"
    if not row["cell"]:
        return "; ".join([*_notes(table, quantity, row, notes), "no cell of this study answers it"])
    if verdict == "not judged":
        kind = row["dataset_kind"]
        return "one replicate has no spread" if kind == "original" else f"made from a {kind}, so nothing is judged"
    said = _notes(table, quantity, row, notes)
    if row[f"{quantity}_sd"]:
        said.append(f"SD {float(row[f'{quantity}_sd']):.3g} over {row['replicates']} replicates")
    return "; ".join(said)


def _notes(table: str, quantity: str, row: TableRow, notes: Sequence[Spec]) -> list[str]:
    here = [note for note in notes if table in note["tables"] and quantity in note.get("quantities", [quantity])]
    return [note["note"] for note in here if meant(row, note.get("rows", {}))]


def rows_of(lines: Sequence[Judged]) -> list[dict[str, Any]]:
    return [asdict(line) for line in lines]


def summary(lines: Sequence[Judged], findings: int | None, kinds: Mapping[str, str], results: str) -> str:
    """What a run has to say at its end; `findings`: how many claims of the papers fail, None if none was checked."""
    counts = Counter(line.verdict for line in lines)
    text = [f"Scorecard: {len(lines)} published numbers ({results}/scorecard.csv)"]
    text += ["  " + "  ".join(f"{verdict}: {counts[verdict]}" for verdict in shown(counts))]
    if not lines:
        text = [f"No published number is compared; what each method loses and gives away: {results}/tables"]
    if counts[NOT_RUN]:
        text.append(f"  Thinned run: the cells of {counts[NOT_RUN]} numbers were left out; none is for quoting.")
    width = max((len(line.table) for line in lines), default=0)
    for table in sorted({line.table for line in lines}):
        here = Counter(line.verdict for line in lines if line.table == table)
        told = ", ".join(f"{here[verdict]} {verdict}" for verdict in shown(here) if here[verdict])
        text.append(f"  {table:<{width}}  {told}")
    if findings is not None:
        text.append(f"Audit: {findings} claims of the papers do not hold for their own tables ({results}/audit.csv)")
    text.append("Data: " + ", ".join(f"{name} ({kind})" for name, kind in sorted(kinds.items())))
    return "\n".join(text) + "\n"
