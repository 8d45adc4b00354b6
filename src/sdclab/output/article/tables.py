"""Tables for print: a short one row by row, a long one by what its numbers have in common."""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import nan
from statistics import median

from sdclab.evidence.scorecard import label, shown
from sdclab.experiment.study import Study
from sdclab.experiment.table import Table
from sdclab.numerics.ties import equated
from sdclab.output.article.blocks import (
    LEFT,
    RIGHT,
    Block,
    Cell,
    Column,
    Grid,
    Over,
    Text,
    code,
    plain,
    strong,
    symbol,
    text,
)
from sdclab.output.pages.run import Row, Run
from sdclab.output.pages.tables import correlations, with_sd, wrong_range
from sdclab.output.pages.verdicts import SYMBOLS, counts, weak
from sdclab.output.series import is_number

NO_BREAK = "\N{NO-BREAK SPACE}"

MOST_ROWS = 24
"""A table with more published rows than these is told by what its numbers have in common."""

MOST_QUANTITIES = 4
"""One with more columns of numbers than these has a line for each number."""

A_NAME = 24
"""Letters of a title that can stand for a table."""

LARGE = 1000
"""From here on a number is told without decimals."""


def judged(run: Run, study: str, table: str) -> list[Row]:
    """The lines of the scorecard about a table."""
    return [line for line in run.scorecard if (line["study"], line["table"]) == (study, table)]


def tallied(lines: Iterable[Row]) -> str:
    """Verdicts by their symbols, with how many there are of each."""
    here = counts(lines)
    return "  ".join(f"{SYMBOLS[verdict]} {here[verdict]}" for verdict in shown(here) if here[verdict])


def called(spec: Table) -> str:
    """What a table is called in a line: its title up to the colon, if that is short, or its name."""
    head, colon, _ = spec.title.partition(":")
    return head if colon and len(head) <= A_NAME else spec.name


def named(verdicts: Mapping[str, int]) -> str:
    """The same in words."""
    return ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in shown(verdicts) if verdicts[verdict])


def published(spec: Table, run: Run) -> list[Block]:
    """A published table with ours beside it."""
    rows = [row for row in run.tables[spec.study, spec.name] if any(_printed(row, each) for each in spec.quantities)]
    lines = {(line["cell"], line["quantity"]): line for line in judged(run, spec.study, spec.name)}
    caption = text(strong(f"{spec.title}."), f" {named(counts(lines.values()))}. ", f"Data: {_kinds(rows)}.")
    if len(rows) > MOST_ROWS:
        return [Grid(caption, *_in_common(spec, rows, list(lines.values())))]
    if len(spec.quantities) > MOST_QUANTITIES:
        return [Grid(caption, *_number_by_number(spec, rows, lines))]
    return [_row_by_row(caption, spec, rows, lines)]


def _printed(row: Row, quantity: str) -> str:
    return row[f"{quantity}_published"]


def _kinds(rows: Iterable[Row]) -> str:
    return ", ".join(sorted({row["dataset_kind"] for row in rows} - {""})) or "none"


def _ours(row: Row, quantity: str) -> str:
    return _on_one_line(with_sd(row.get(quantity, ""), row.get(f"{quantity}_sd", "")))


def _on_one_line(number: str) -> str:
    """A number that is not broken, with no zero before an exponent."""
    return re.sub(r"e([+-])0", r"e\1", number).replace(" ", NO_BREAK)


Lines = Mapping[tuple[str, str], Row]


def _verdict(row: Row, spec: Table, quantity: str, lines: Lines) -> Cell:
    line = lines.get((label(row, spec), quantity))
    return symbol(line["verdict"]) if line else Cell("")


def _keys(spec: Table, rows: Sequence[Row]) -> list[str]:
    return [key for key in spec.keys if any(row.get(key) for row in rows)]


def _row_by_row(caption: Text, spec: Table, rows: Sequence[Row], lines: Lines) -> Grid:
    keys = _keys(spec, rows)
    columns = [Column(key, LEFT) for key in keys]
    for _ in spec.quantities:
        columns += [Column("published"), Column("ours"), Column("", LEFT, close=True)]
    body = []
    for row in rows:
        cells = plain(*(row[key] for key in keys))
        for quantity in spec.quantities:
            cells += [*plain(_printed(row, quantity), _ours(row, quantity)), _verdict(row, spec, quantity, lines)]
        body.append(cells)
    over = [
        Over("", len(keys)),
        *(Over(quantity, len(("published", "ours", "verdict"))) for quantity in spec.quantities),
    ]
    return Grid(caption, columns, body, over)


Parts = tuple[Sequence[Column], Sequence[Sequence[Cell]]]
"""Columns and rows."""


def _number_by_number(spec: Table, rows: Sequence[Row], lines: Lines) -> Parts:
    keys = _keys(spec, rows)
    columns = [*(Column(key, LEFT) for key in keys), Column("number", LEFT), Column("published"), Column("ours")]
    body = [
        [
            *plain(*(row[key] for key in keys), quantity, _printed(row, quantity), _ours(row, quantity)),
            _verdict(row, spec, quantity, lines),
        ]
        for row in rows
        for quantity in spec.quantities
        if _printed(row, quantity)
    ]
    return [*columns, Column("", LEFT, close=True)], body


def _in_common(spec: Table, rows: Sequence[Row], lines: Sequence[Row]) -> Parts:
    """Of every quantity its verdicts, how far off ours is on the whole, and where it is the farthest off."""
    head = (Column("number", LEFT), Column("rows"), Column("verdicts", LEFT), Column("median miss"))
    most = (Column("largest miss at", LEFT, wide=1), Column("published"), Column("ours"), Column("", LEFT, close=True))
    body = []
    for quantity in spec.quantities:
        here = [line for line in lines if line["quantity"] == quantity]
        known = [line for line in here if _miss(line) == _miss(line)]
        if not here:
            continue
        misses = [_miss(line) for line in known]
        cells = [*plain(quantity, str(len(here)), tallied(here), f"{median(misses):.3g}" if misses else "")]
        if not known:
            body.append([*cells, *plain("", "", "", "")])
            continue
        far = known[_largest(misses)]
        ours = _on_one_line(with_sd(far["reproduced"], far["sd"]))
        body.append([*cells, *plain(far["cell"], far["published"], ours), symbol(far["verdict"])])
    return [*head, *most], body


def _largest(values: Sequence[float]) -> int:
    """The first of the largest; what is equal up to rounding is equal."""
    even = equated(values).tolist()
    return even.index(max(even))


def _miss(line: Row) -> float:
    """The distance of ours to print."""
    return abs(float(line["reproduced"]) - float(line["published"])) if line["reproduced"] else nan


def judgements(study: Study, run: Run) -> list[Block]:
    """How the numbers of a study were judged, and how weak that is."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for line in run.scorecard:
        if line["study"] == study.name:
            groups.setdefault((line["table"], line["tolerance"]), []).append(line)
    columns = [Column("table", LEFT), Column("numbers", LEFT, wide=2), Column("verdicts", LEFT), Column("weak")]
    columns += [Column("wrong that hold"), Column("bound", LEFT, wide=3)]
    body = [
        plain(
            called(study.tables[table]),
            ", ".join(dict.fromkeys(line["quantity"] for line in lines)),
            tallied(lines),
            str(weak(lines) or ""),
            wrong_range(lines),
            bound,
        )
        for (table, bound), lines in groups.items()
    ]
    about = " Beside the verdicts how many are weak, and what share of wrong answers would hold as well."
    return [Grid(text(strong("How these numbers were judged."), about), columns, body)] if body else []


def readings_in_full(study: Study, run: Run) -> list[Block]:
    """How far every variant of a published table is from print, beside the table itself, on the rows that it has."""
    variants = [each for each in study.tables.values() if each.published is not None and not each.judged]
    lines: dict[tuple[str, int], list[tuple[str, str, str]]] = {}
    for variant in variants:
        for reading, rows, *told in _variant(variant, study, run):
            lines.setdefault((reading, rows), []).append((told[0], told[1], told[2]))
    if not lines:
        return []
    caption = text(
        strong("Other readings, computed in full."),
        " Root mean square distance to the published numbers, over the rows that both answer from original data.",
    )
    columns = [Column("reading", LEFT, wide=1), Column("rows"), Column("numbers", LEFT), Column("this reading", LEFT)]
    body = [
        plain(reading, str(rows), *(", ".join(column) for column in zip(*told, strict=True)))
        for (reading, rows), told in lines.items()
    ]
    return [Grid(caption, [*columns, Column("as judged", LEFT)], body)]


def _variant(variant: Table, study: Study, run: Run) -> Iterable[tuple[str, int, str, str, str]]:
    """Title and number of rows, and of each quantity its name, its distance, and that of the table itself."""
    others = (each for each in study.tables.values() if each.judged and each.published == variant.published)
    original = next(others, None)
    if original is None:
        return
    keys = [key for key in original.keys if key in variant.keys]
    for quantity in variant.quantities:
        for part, ours in _answers(variant, keys, quantity, run).items():
            both = _answers(original, keys, quantity, run).get((), {})
            shared = [key for key in ours if key in both]
            if shared:
                name = f"{variant.title}{', ' if part else ''}{', '.join(part)}"
                far = [f"{_distance(found[key] for key in shared):.3g}" for found in (ours, both)]
                yield name, len(shared), quantity, far[0], far[1]


Answers = dict[tuple[str, ...], tuple[float, float]]
"""By the values of some keys: what is printed, and ours."""


def _answers(spec: Table, keys: Sequence[str], quantity: str, run: Run) -> dict[tuple[str, ...], Answers]:
    """The answers of a table, apart by the keys that are not among these."""
    others = [key for key in spec.keys if key not in keys]
    found: dict[tuple[str, ...], Answers] = {}
    for row in run.tables[spec.study, spec.name]:
        if row["dataset_kind"] == "original" and row.get(f"{quantity}_published") and row.get(quantity):
            place = tuple(row[key] for key in keys)
            apart = tuple(row[key] for key in others)
            found.setdefault(apart, {})[place] = (float(_printed(row, quantity)), float(row[quantity]))
    return found


def _distance(pairs: Iterable[tuple[float, float]]) -> float:
    squares = [(ours - printed) ** 2 for printed, ours in pairs]
    return float((sum(squares) / len(squares)) ** 0.5)


def open_question(spec: Table, run: Run) -> list[Block]:
    """A table of our own that answers a question: method by method, from the least to the largest of its numbers."""
    rows = run.tables[spec.study, spec.name]
    if spec.correlations is not None:
        return [_correlations(spec, rows)]
    keys = [*spec.parts, *(key for key in ("method",) if key in spec.keys and key not in spec.parts)]
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    quantities = [each for each in spec.quantities if any(is_number(row.get(each)) for row in rows)]
    body = [
        plain(*group, str(len(here)), *(_range(here, quantity) for quantity in quantities))
        for group, here in groups.items()
    ]
    columns = [*(Column(key, LEFT) for key in keys), Column("rows"), *map(Column, quantities)]
    return [Grid(_asked(spec, rows, "Ranges over the rows of a method."), columns, body)]


def _asked(spec: Table, rows: Sequence[Row], how: str) -> Text:
    """The question of a table, as its caption."""
    file = code(f"tables/{spec.study}/{spec.name}.csv")
    return text(strong(f"{spec.title}."), f" {spec.question} {how} Data: {_kinds(rows)}; ", file)


def _range(rows: Sequence[Row], quantity: str) -> str:
    """One value with its spread, or the least and the largest of several."""
    known = [float(row[quantity]) for row in rows if is_number(row.get(quantity))]
    if not known:
        return ""
    least, most = _short(min(known)), _short(max(known))
    if len(rows) == 1:
        spread = rows[0].get(f"{quantity}_sd", "")
        return f"{most}{NO_BREAK}±{NO_BREAK}{float(spread):.2g}" if is_number(spread) and float(spread) > 0 else most
    if least == most:
        return most
    return f"{least}{NO_BREAK}to{NO_BREAK}{most}" if min(known) < 0 else f"{least}–{most}"


def _short(value: float) -> str:
    """Three figures, and all of a whole number."""
    return f"{value:.0f}" if abs(value) >= LARGE else _on_one_line(f"{value:.3g}")


def _correlations(spec: Table, rows: Sequence[Row]) -> Grid:
    head, body = correlations(spec, rows)
    told = (*spec.parts, "number")
    columns = [Column(name, LEFT if name in told else RIGHT) for name in head]
    caption = _asked(spec, rows, "Spearman’s correlations over the rows.")
    return Grid(caption, columns, [plain(*line) for line in body])
