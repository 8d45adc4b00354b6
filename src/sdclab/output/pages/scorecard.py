"""Every published number on one table, which a reader can narrow by study, verdict and words."""

from collections.abc import Sequence

from sdclab.evidence.power import is_weak
from sdclab.evidence.scorecard import HOLDS, shown
from sdclab.output.pages.glance import Printed
from sdclab.output.pages.markup import Html, joined, number, table, tag
from sdclab.output.pages.run import Row, Run
from sdclab.output.pages.tables import folded, place, with_sd
from sdclab.output.pages.verdicts import counts, symbol, wrong_of

STUDY, VERDICT = 0, 6
"""The columns that a choice narrows."""

TITLE = "Every published number"
NONE = "No number is like that."


def scorecard(tables: Sequence[Printed], run: Run) -> Html:
    """The whole scorecard, folded; without JavaScript there is nothing to narrow it by, and all of it stands there."""
    head = ["study", "table", "cell", "quantity", number("published", "th"), number("ours", "th"), "verdict"]
    head.append(number("wrong answers that would hold", "th"))
    rows = [_row(line, each) for each in tables for line in each.lines]
    parts = [_choices(run), table(head, rows, TITLE), tag("p", NONE, class_="none", hidden="")]
    return tag("div", folded(TITLE, len(rows), joined(parts), of="numbers"), class_="narrowed")


def _row(line: Row, each: Printed) -> list[object]:
    name = tag("a", each.table.name, href=f"#{place(each.table)}")
    verdict = joined([symbol(line["verdict"]), " ", line["verdict"]])
    numbers = [number(line["published"]), number(with_sd(line["reproduced"], line["sd"]))]
    return [
        line["study"],
        name,
        tag("td", line["cell"], class_="text"),
        line["quantity"],
        *numbers,
        verdict,
        _weak(line),
    ]


def _weak(line: Row) -> Html:
    wrong = wrong_of(line)
    if wrong != wrong:
        return number("")
    return number(f"{'weak, ' if line['verdict'] in HOLDS and is_weak(wrong) else ''}{100 * wrong:.0f} %")


def _choices(run: Run) -> Html:
    """What the script shows and listens to."""
    here = counts(run.scorecard)
    studies = list(dict.fromkeys(line["study"] for line in run.scorecard))
    verdicts = [verdict for verdict in shown(here) if here[verdict]]
    return tag(
        "div",
        _choice("study", STUDY, studies),
        _choice("verdict", VERDICT, verdicts),
        tag("label", "words ", tag("input", type="search", placeholder="ipso_c pil weak", autocomplete="off")),
        tag("output", class_="rows", aria_live="polite"),
        class_="choices",
        hidden="",
    )


def _choice(name: str, column: int, values: Sequence[str]) -> Html:
    options = [tag("option", "all", value=""), *(tag("option", value, value=value) for value in values)]
    return tag("label", f"{name} ", tag("select", *options, data_column=column))
