"""A run at a glance: every published table met, partly or not, and the strongest findings in a sentence each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sdclab.evidence.scorecard import HOLDS, OUTCOMES, outcome, shown
from sdclab.experiment.ranking import known_of, remark
from sdclab.experiment.table import Table
from sdclab.output.pages.markup import Html, joined, tag
from sdclab.output.pages.run import Row, Run
from sdclab.output.pages.tables import place, rounded
from sdclab.output.pages.verdicts import counts, style_of, weak

LOOKS = dict(zip(OUTCOMES, ("●", "◐", "○", "–"), strict=True))
"""A symbol for every outcome, which needs no colour."""

FOUND = 0.05
"""Up to this p-value the nearest of many readings is called more than luck."""


class Printed(NamedTuple):
    """A published table and the lines of the scorecard about it."""

    table: Table
    lines: Sequence[Row]

    @property
    def holding(self) -> int:
        return sum(line["verdict"] in HOLDS for line in self.lines)

    @property
    def proved(self) -> int:
        """How many hold that most wrong answers would not."""
        return self.holding - weak(self.lines)

    @property
    def outcome(self) -> str:
        return outcome(line["verdict"] for line in self.lines)


def printed(run: Run) -> list[Printed]:
    """Every published table of which numbers are in the scorecard."""
    lines: dict[tuple[str, str], list[Row]] = {}
    for line in run.scorecard:
        lines.setdefault((line["study"], line["table"]), []).append(line)
    tables = (table for study in run.studies for table in study.tables.values())
    return [Printed(table, lines[key]) for table in tables if (key := (table.study, table.name)) in lines]


def glance(tables: Sequence[Printed]) -> Html:
    """A line a table: its outcome, its name, and how its verdicts divide."""
    key = "● met: every number judged here holds; ◐ partly; ○ not: none holds; – nothing could be judged here."
    return joined([tag("ul", *map(_look, tables), class_="glance"), tag("p", key, class_="about")])


def _look(each: Printed) -> Html:
    here, of = counts(each.lines), len(each.lines)
    symbol = tag("span", LOOKS[each.outcome], class_=f"look {each.outcome.replace(' ', '-')}", aria_hidden="true")
    name = tag("a", each.table.title, href=f"#{place(each.table)}")
    told = f"{each.outcome}: {each.holding} of {of} hold"
    parts = [tag("span", class_=style_of(verdict), title=f"{here[verdict]} {verdict}") for verdict in shown(here)]
    strip = tag("span", *parts, class_="strip", id=f"strip-{place(each.table)}", aria_hidden="true")
    return tag("li", symbol, name, strip, tag("span", told, class_="told"))


def strips(tables: Iterable[Printed]) -> str:
    """How long the parts of the strips are, for the style sheet: the page's policy allows no style elsewhere."""
    rules = []
    for each in tables:
        here = counts(each.lines)
        for verdict in shown(here):
            part = ".".join(style_of(verdict).split())
            rules.append(f"#strip-{place(each.table)} .{part} {{ flex-grow: {here[verdict]}; }}\n")
    return "".join(rules)


def strongest(tables: Sequence[Printed], run: Run) -> Html:
    """The findings that a reader should not miss, each found in the results and linked to where it stands."""
    found = [_best(tables), _worst(tables), _deceiving(run), _readings(run) or _weakest(tables), _audit(run)]
    told = [tag("li", each) for each in found if each]
    return tag("ol", *told, class_="strongest") if told else Html()


def _link(table: Table) -> Html:
    return tag("a", table.title, href=f"#{place(table)}")


def _best(tables: Sequence[Printed]) -> Html:
    """The table of which the largest share of numbers holds that few wrong answers would meet."""
    best = max(tables, key=lambda each: each.proved / len(each.lines), default=None)
    if not best or not best.proved:
        return Html()
    words = f": {best.proved} of its {len(best.lines)} numbers hold by verdicts that most wrong answers would not earn."
    return joined(["Confirmed most clearly is ", _link(best.table), words])


def _worst(tables: Sequence[Printed]) -> Html:
    """The table of which most numbers were judged and differ."""
    most, worst = max(((counts(each.lines)["differs"], each) for each in tables), key=_first, default=(0, None))
    if not worst or not most:
        return Html()
    return joined(["Most is contradicted in ", _link(worst.table), f": {most} of its {len(worst.lines)} differ."])


def _first(pair: tuple[float, object]) -> float:
    return pair[0]


def _deceiving(run: Run) -> Html:
    """Where the best score is that of a release that nobody should make: the table in which that copies most."""
    found = []
    for table in (table for study in run.studies for table in study.tables.values()):
        rows = [row for row in run.tables[table.study, table.name] if row.get("score") and row.get("copy")]
        best = min(rows, key=lambda row: float(row["score"]), default=None)
        if best and (why := remark(best["method"], known_of(best))):
            words = f", the least score, {rounded(best['score'])}, is that of {best['method']}: {why}."
            found.append((float(best["copy"]), joined(["Loss and risk alone deceive: in ", _link(table), words])))
    return max(found, key=_first, default=(0.0, Html()))[1]


def _readings(run: Run) -> Html:
    """Of how many columns the nearest of all readings is nearer to print than luck would bring it."""
    columns = [(line, name) for name, lines in run.summaries.items() for line in lines if line["p_value"]]
    if not columns:
        return Html()
    tried = sum(int(line["readings"]) for line, _ in columns)
    real = [line for line, _ in columns if float(line["p_value"]) <= FOUND]
    study, name = max(columns, key=lambda pair: float(pair[0]["p_value"]))[1]
    words = (
        f"Of {tried:,} readings of {len(columns)} published columns the nearest is nearer to print than luck would "
        f"bring it (p ≤ {FOUND}) in {len(real)}; least so in "
    )
    title = next(each.title for each in run.multiverses if (each.study, each.name) == (study, name))
    return joined([words, tag("a", title, href=f"#readings-{study}-{name}"), "."])


def _weakest(tables: Sequence[Printed]) -> Html:
    """Where most of what holds says little."""
    most, weakest = max(((weak(each.lines), each) for each in tables), key=_first, default=(0, None))
    if not weakest or not most:
        return Html()
    words = f": of the {weakest.holding} numbers that hold {most} would, too, with most wrong answers."
    return joined(["Least is proved by ", _link(weakest.table), words])


def _audit(run: Run) -> Html:
    """The first claim that a paper's own table does not bear out."""
    failed: list[Mapping[str, str]] = [row for row in run.audit if row["holds"] == "no"]
    if not failed:
        return Html()
    words = f" {len(failed)} of {len(run.audit)} claims about their own numbers, among them: {failed[0]['claim']}."
    return joined([tag("a", "The papers' tables", href="#audit"), " do not bear out", words])
