"""A study that publishes nothing to compare with, but has points to rank."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sdclab import measures
from sdclab.experiment.ranking import PLAIN, known_of, remark
from sdclab.experiment.ranking import ranking as rank
from sdclab.experiment.study import Study
from sdclab.numerics.ties import ascending
from sdclab.output.pages.markup import Html, joined, number, table, tag
from sdclab.output.pages.run import Row, Run
from sdclab.output.pages.tables import explained, folded, heading, with_sd

NUMBERS = ("tables", "membership", "score", "pil", "dr", "copy")
Line = tuple[object, str, str, Sequence[str], str]
"""Rank, method, parameters, numbers and a remark."""

READING = (
    f"Points are ranked by {PLAIN.loss} within {PLAIN.words()}. A marked point copies records, breaks relations, is "
    "told from the original at a glance, leaves a dependent as it is, or is a control: it is no choice."
)


def publishes_nothing(study: Study) -> bool:
    return not study.published


def ranked(study: Study, scenario: str, run: Run) -> list[tuple[Row, str]]:
    """The points of a scenario that have a score, the best first, each with what speaks against it."""
    here = {cell.name for cell in study.cells if cell.scenario == scenario}
    found = [row for name in study.tables for row in run.tables[study.name, name] if row.get("score")]
    rows = list({row["cell"]: row for row in found if row["cell"] in here}.values())
    if not all(row.get(name) for row in rows for name in PLAIN.quantities):
        return [(rows[i], _against(rows[i])) for i in ascending([float(row["score"]) for row in rows])]
    lines = [
        {"method": row["method"], "remark": _against(row), **known_of(row), **_aimed(row), "row": row} for row in rows
    ]
    return [(line["row"], line["remark"] or _violated(line)) for line in rank(lines)]


def _aimed(row: Row) -> dict[str, float]:
    return {name: float(row[name]) for name in PLAIN.quantities}


def _violated(line: Mapping[str, Any]) -> str:
    return "; ".join(f"violates {limit.text}" for limit in PLAIN.violated(line))


def _against(row: Row) -> str:
    """As on the page of `sdclab map`; what a table does not hold is taken to be none."""
    return remark(row["method"], known_of(row))


def lead(studies: Sequence[Study], run: Run) -> Html:
    """What a page of such studies is about: how much was tried, on what, and what does best."""
    data = tag("ul", *(tag("li", _about(fact)) for fact in run.datasets))
    best = (_best(study, scenario, run) for study in studies for scenario in study.scenarios)
    return joined([tag("p", f"{explained(NUMBERS)} {READING}"), data, *best])


def _about(fact: Mapping[str, object]) -> str:
    return f"{fact['name']}: {fact['rows']} records. Made from: {fact['source']}."


def _best(study: Study, scenario: str, run: Run) -> Html:
    points = ranked(study, scenario, run)
    choices = sum(not against for _, against in points)
    methods = {row["method"] for row, _ in points}
    title = study.title if len(study.scenarios) == 1 else f"{study.title}, {scenario}"
    words = f"{title}: {len(points)} points of {len(methods)} methods, {choices} of them with nothing against it."
    for row, against in points[:1]:
        words += f" First is {_name(row)}: {_told(row)}{f'; but it {against}' if against else ''}."
    return tag("p", words, class_="lead")


def _name(row: Row) -> str:
    return " ".join(filter(None, [row["method"], row["parameters"]]))


def _told(row: Row) -> str:
    shown = [key for key in (*PLAIN.quantities, "score") if row.get(key)]
    return ", ".join(f"{measures.number(key).label} {float(row[key]):.1f}" for key in shown)


def ranking(study: Study, run: Run) -> Html:
    """The points of every scenario, since those of two do not compare, and the methods that are not applicable."""
    return joined([*(_ranking(study, scenario, run) for scenario in study.scenarios), _not_applicable(study, run)])


def _ranking(study: Study, scenario: str, run: Run) -> Html:
    points = ranked(study, scenario, run)
    if not points:
        return Html()
    shown = [key for key in NUMBERS if any(row.get(key) for row, _ in points)]
    lines = [
        (
            rank,
            row["method"],
            row["parameters"],
            [with_sd(row.get(key, ""), row.get(f"{key}_sd", "")) for key in shown],
            said,
        )
        for rank, (row, said) in enumerate(points, start=1)
    ]
    only = len(study.scenarios) == 1
    title, place = ("Ranking", study.name) if only else (f"Ranking, {scenario}", f"{study.name}-{scenario}")
    return folded(title, len(points), ranking_table(shown, lines), open_=only, id=f"ranking-{place}")


def _not_applicable(study: Study, run: Run) -> Html:
    lines = run.refusals.get(study.name, ())
    return joined([tag("p", "Not applicable:"), tag("ul", *(tag("li", line) for line in lines))]) if lines else Html()


def ranking_table(quantities: Sequence[str], lines: Iterable[Line]) -> Html:
    """Points from the best to the worst."""
    numbers = [heading(quantity) for quantity in quantities]
    head = [number("rank", "th"), "method", "parameters", *numbers, tag("th", "remark", class_="text")]
    body = [
        [number(rank), method, parameters, *map(number, values), tag("td", said, class_="text")]
        for rank, method, parameters, values, said in lines
    ]
    return table(head, body, "Ranking")
