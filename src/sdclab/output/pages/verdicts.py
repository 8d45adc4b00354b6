"""Verdicts for the eye: a symbol, a name and a colour, any one of which suffices."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import nan

from sdclab.evidence.power import is_weak, words
from sdclab.evidence.scorecard import HOLDS, MEANINGS, NOT_RUN, shown
from sdclab.output.pages.markup import Html, joined, tag
from sdclab.output.pages.run import Row

SYMBOLS = {
    "exact": "=",
    "close": "≈",
    "trend": "↗",
    "differs": "≠",
    "not reproducible": "∅",
    "not judged": "–",
    NOT_RUN: "…",
}


def style_of(verdict: str) -> str:
    """The class of a verdict in the style sheet."""
    return f"verdict {verdict.replace(' ', '-')}"


def badge(verdict: str, why: str = "", wrong: float = nan) -> Html:
    """A verdict's symbol; its name, how weak it is and its reason for the mouse and for screen readers."""
    text = ": ".join(filter(None, [words(verdict, wrong), why]))
    return tag("span", SYMBOLS[verdict], class_=style_of(verdict), title=text, role="img")


def symbol(verdict: str) -> Html:
    """A verdict's symbol beside its name, which says it to screen readers."""
    return tag("span", SYMBOLS[verdict], class_=style_of(verdict), aria_hidden="true")


def wrong_of(row: Row) -> float:
    """The share of wrong answers that would hold, too, of a line of the scorecard; NaN where it does not say."""
    return float(row["wrong"] or nan)


def weak(rows: Iterable[Row]) -> int:
    """How many numbers hold that most wrong answers would meet, too."""
    return sum(row["verdict"] in HOLDS and is_weak(wrong_of(row)) for row in rows)


def counts(rows: Iterable[Row]) -> Counter[str]:
    return Counter(row["verdict"] for row in rows)


def tally(rows: Sequence[Row]) -> Html:
    """The verdicts that occur, each with its symbol and number."""
    here = counts(rows)
    told = [tag("li", badge(verdict), f" {here[verdict]} {verdict}") for verdict in shown(here) if here[verdict]]
    told += [tag("li", f"{number} of these weak")] if (number := weak(rows)) else []
    return tag("ul", *told, class_="tally")


def bars(rows: Sequence[Row]) -> Html:
    """One bar a verdict, as long as its share, with its meaning."""
    here = counts(rows)
    return tag("ol", *(_bar(verdict, here[verdict]) for verdict in shown(here)), class_="bars")


def widths(rows: Sequence[Row]) -> str:
    """How long the bars are, for the style sheet: the page's policy allows no style elsewhere."""
    here = counts(rows)
    most = max(here.values(), default=1)
    places = {verdict: ".".join(style_of(verdict).split()) for verdict in shown(here)}
    return "".join(f".bars .track .{p} {{ width: {100 * here[v] / most:.1f}%; }}\n" for v, p in places.items())


def _bar(verdict: str, count: int) -> Html:
    filled = tag("span", class_=style_of(verdict))
    name = tag("span", joined([badge(verdict), " ", verdict]), class_="name")
    about = tag("span", MEANINGS[verdict], class_="meaning")
    return tag("li", name, tag("span", count, class_="count"), tag("span", filled, class_="track"), about)
