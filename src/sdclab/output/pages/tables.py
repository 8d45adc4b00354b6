"""Published tables with ours beside them, and every verdict in its place."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from sdclab import measures
from sdclab.evidence.correlation import rank_correlations
from sdclab.evidence.scorecard import label
from sdclab.experiment.study import Sensitivity
from sdclab.experiment.table import Table
from sdclab.output.pages.markup import Html, joined, number, table, tag
from sdclab.output.pages.run import Row, Run
from sdclab.output.pages.verdicts import badge, style_of, tally, wrong_of

SHORT = 12
"""Longer tables start folded."""

WHOSE = ("published", "ours")
Verdicts = Mapping[tuple[str, str], Row]
"""Lines of the scorecard by cell and quantity."""


def place(spec: Table) -> str:
    """The id of a table on the page."""
    return f"table-{spec.study}-{spec.name}"


def side_by_side(spec: Table, run: Run) -> Html:
    """A table of a study, folded if it is long, and below it how each of its numbers was judged."""
    rows = run.tables[spec.study, spec.name]
    judged = [line for line in run.scorecard if (line["study"], line["table"]) == (spec.study, spec.name)]
    verdicts = {(line["cell"], line["quantity"]): line for line in judged}
    keys = [key for key in (*spec.keys, "parameters") if any(row.get(key) for row in rows)]
    printed = spec.published is not None
    head: list[object] = [*keys]
    for quantity in spec.quantities:
        head += [heading(quantity, whose) for whose in WHOSE] if printed else [heading(quantity)]
    head += [heading(quantity) for quantity in spec.beside]
    body = [_row(row, spec, keys, verdicts) for row in rows]
    kinds = ", ".join(sorted({row["dataset_kind"] for row in rows} - {""}))
    note = "" if not printed else " Ours: mean ± standard deviation over the replicates."
    about = tag("p", f"Data: {kinds or 'none'}.{note} ", _file(f"tables/{spec.study}/{spec.name}.csv"), class_="about")
    asked = tag("p", spec.question, class_="question") if spec.question else ""
    parts = [asked, about, _correlations(spec, rows), tally(judged), table(head, body, spec.title), _judgements(judged)]
    return folded(spec.title, len(rows), joined(parts), id=place(spec))


def _correlations(spec: Table, rows: Sequence[Row]) -> Html:
    """Rank correlations over the rows, if the table has any."""
    head, body = correlations(spec, rows)
    if not head:
        return Html()
    title = "Spearman's correlations over the rows"
    lines = table(list(map(heading, head)), [list(map(number, line)) for line in body], title)
    return joined([tag("p", f"{title}:", class_="about"), lines])


def correlations(spec: Table, rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """The head and the lines of a table of rank correlations; nothing if the table has none."""
    if spec.correlations is None:
        return [], []
    numbers = (*spec.correlations.of, *spec.correlations.among)
    frame = pd.DataFrame(rows).assign(**{name: pd.to_numeric([row[name] for row in rows]) for name in numbers})
    found = rank_correlations(frame, spec)
    return list(map(str, found)), [list(map(_correlation, line)) for line in found.itertuples(index=False)]


def _correlation(value: object) -> str:
    return f"{value:+.2f}" if isinstance(value, float) else str(value)


def heading(quantity: str, whose: str = "") -> Html:
    """The head of a column of numbers; what they measure is told when it is pointed at."""
    told = measures.number(quantity).sentence
    return number(f"{quantity} {whose}".rstrip(), "th", title=told if told != quantity else None)


def explained(quantities: Iterable[str]) -> str:
    """What columns of numbers mean, for the text beside their table."""
    return " ".join(f"{quantity}: {measures.number(quantity).sentence}." for quantity in quantities)


def folded(title: str, rows: int, content: Html, open_: bool = False, of: str = "rows", **attributes: object) -> Html:
    """Content under its title, open if it is short or asked to be; `of` says what is counted."""
    count = tag("span", f"{rows} {of}", class_="rows")
    summary = tag("summary", tag("h3", title), count)
    return tag("details", summary, content, **({"open": ""} if open_ or rows <= SHORT else {}), **attributes)


def _file(path: str) -> Html:
    return tag("code", path)


def _row(row: Row, spec: Table, keys: Sequence[str], verdicts: Verdicts) -> list[object]:
    cells: list[object] = [row[key] for key in keys]
    for quantity in spec.quantities:
        line = verdicts.get((label(row, spec), quantity))
        cells += [] if spec.published is None else [number(row[f"{quantity}_published"])]
        cells.append(_ours(row, quantity, line))
    return cells + [_ours(row, quantity, None) for quantity in spec.beside]


def _ours(row: Row, quantity: str, line: Row | None) -> Html:
    value = with_sd(row.get(quantity, ""), row.get(f"{quantity}_sd", ""))
    if line is None:
        return number(value)
    why = "; ".join(filter(None, [line["tolerance"], line["note"]]))
    shown = badge(line["verdict"], why, wrong_of(line))
    return number(joined([value, " ", shown]), class_=style_of(line["verdict"]))


def with_sd(mean: str, spread: str) -> str:
    """A mean with its standard deviation, if it has one."""
    if not mean:
        return ""
    return f"{rounded(mean)} ± {float(spread):.2g}" if spread and float(spread) > 0 else rounded(mean)


def rounded(text: str) -> str:
    """A number in five figures; anything else as it is."""
    try:
        return f"{float(text):.5g}"
    except ValueError:
        return text


def _judgements(judged: Sequence[Row]) -> Html:
    """The bounds, readings and notes behind the verdicts, once for all numbers that share them."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for line in judged:
        groups.setdefault((line["quantity"], line["tolerance"], line["reading"], line["note"]), []).append(line)
    others = any(line["held_out_verdict"] for line in judged)
    if not groups:
        return Html()
    head = ["quantity", "verdicts", "wrong answers that would hold", "bound", "reading", "note"]
    head[2:2] = ["by readings chosen without the number"] if others else []
    rows = [
        [
            key[0],
            tally(lines),
            *([_held_out(lines)] if others else []),
            wrong_range(lines),
            *(tag("td", text, class_="text") for text in key[1:]),
        ]
        for key, lines in groups.items()
    ]
    return tag(
        "details", tag("summary", "How these numbers were judged"), table(head, rows, "Judgements"), class_="why"
    )


def _held_out(lines: Sequence[Row]) -> Html:
    """The verdicts on what readings say that were chosen on the other half of the rows, and out of how many."""
    told = [{**line, "verdict": line["held_out_verdict"], "wrong": ""} for line in lines if line["held_out_verdict"]]
    if not told:
        return Html()
    return joined([tally(told), tag("p", f"out of {told[0]['readings']} readings")])


def wrong_range(lines: Iterable[Row]) -> str:
    """From the least to the largest share of wrong answers that would hold, too."""
    known = [100 * share for share in map(wrong_of, lines) if share == share]
    if not known:
        return ""
    low, high = (f"{end:.0f}" for end in (min(known), max(known)))
    return f"{low} %" if low == high else f"{low} to {high} %"


def plain(spec: Sensitivity, run: Run) -> Html:
    """A table without published numbers beside ours: a sensitivity table."""
    rows = run.sensitivities[spec.study, spec.name]
    keys = [key for key in rows[0] if key != "ranking"]
    head = [heading(key) for key in keys]
    body = [[number(rounded(row[key])) for key in keys] for row in rows]
    about = tag(
        "p",
        "One row an option value, changed alone. ",
        _file(f"sensitivity/{spec.study}/{spec.name}.csv"),
        class_="about",
    )
    name = f"sensitivity-{spec.study}-{spec.name}"
    return folded(spec.title, len(rows), joined([about, table(head, body, spec.title)]), id=name)


def findings(rows: Iterable[Row]) -> Html:
    """The audit, what does not hold first."""
    ordered = sorted(rows, key=lambda row: row["holds"] == "yes")
    body = [
        [
            _holds(row["holds"]),
            tag("td", row["claim"], class_="text"),
            row["table"],
            tag("td", row["detail"], class_="text"),
        ]
        for row in ordered
    ]
    return table(["holds", "claim", "table", "what the printed numbers say"], body, "Audit")


def _holds(answer: str) -> Html:
    return tag("td", "✓ yes" if answer == "yes" else "✗ no", class_=f"holds {answer}")
