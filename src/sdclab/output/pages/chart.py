"""A risk-utility map to explore: any number against any other, methods to choose among, the front of the best drawn.

A page that shows one gives `asset("chart.js")` to `document(..., script=...)`. Without JavaScript the drawing stays as
it was made here: the first group of points on the given axes.
"""

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import NotRequired, TypedDict

from sdclab import measures
from sdclab.base.describe import Number
from sdclab.base.errors import unknown
from sdclab.numerics.ties import equated
from sdclab.output.pages.marks import in_line, mark
from sdclab.output.pages.markup import Html, tag
from sdclab.output.pages.plane import BOX, Place, Scale, extent, frame

DIGITS = 6
"""Of every number on the page."""

KINDS = {"loss": "Losses", "risk": "Risks", "loss and risk": "Loss and risk", "fact": "Others"}
"""What numbers measure, as headings of a choice."""

READING = (
    "The line joins what no other unmarked point beats in both numbers. Hollow marks are marked as no choice. "
    "Bars are one standard deviation over the replicates."
)
HINT = "Point at a mark, tap it, or reach it by Tab and the arrow keys, and all its numbers stand here."


class Point(TypedDict):
    """What a method with some parameters loses and gives away; nothing of it is a value of a record."""

    method: str
    parameters: str
    """as a label; nothing if there are none"""
    marks: str
    """what makes it no choice, as `copies` or `a control`; nothing if it is one"""
    values: Mapping[str, float]
    """by number; `pil_sd` is the standard deviation of `pil`; what is not known is NaN or left out"""
    group: NotRequired[str]
    """points of different groups are not compared, and the reader chooses one: the scenario"""


Column = Sequence[float | None]


def chart(points: Sequence[Point], numbers: Sequence[str], x: str, y: str, grouped_by: str = "scenario") -> Html:
    """The map of points with these numbers, `x` against `y` until the reader chooses others.

    What a number is called, means and which way it is better is what its measure declares (`sdclab.measures.number`).
    """
    for name in (x, y):
        if name not in numbers:
            raise unknown("number", name, numbers, "chart")
    told = {name: measures.number(name) for name in numbers}
    columns = {name: _column(points, name) for name in numbers}
    spreads = {name: _column(points, f"{name}_sd") for name in numbers}
    methods = list(dict.fromkeys(point["method"] for point in points))
    groups = list(dict.fromkeys(point.get("group", "") for point in points))
    data = {
        "numbers": [_described(name, number) for name, number in told.items()],
        "methods": methods,
        "groups": groups,
        "points": [
            {
                "method": methods.index(point["method"]),
                "group": groups.index(point.get("group", "")),
                "parameters": point["parameters"],
                "marks": point["marks"],
                "values": [columns[name][i] for name in numbers],
                "spreads": [spreads[name][i] for name in numbers],
            }
            for i, point in enumerate(points)
        ],
    }
    first = [i for i, point in enumerate(points) if point.get("group", "") == groups[0]]
    drawn = _drawing(points, first, methods, (columns[x], columns[y]), (told[x], told[y]))
    group = tag("label", f"{grouped_by} ", tag("select", *map(_option, groups), class_="group"))
    choices = [_choice("x", x, told, "loss"), _choice("y", y, told, "risk"), *([group] if len(groups) > 1 else [])]
    shown = f"{grouped_by} {groups[0]}" if len(groups) > 1 else ""
    return tag(
        "figure",
        tag("div", *choices, class_="choices", hidden=""),
        tag("div", tag("div", drawn, class_="plot"), _numbers(), class_="beside"),
        _legend(methods),
        tag("p", shown, class_="shown", role="status"),
        *(tag("p", f"{axis}: {_sentence(told[name])}", class_=f"about {axis}") for axis, name in (("x", x), ("y", y))),
        tag("figcaption", READING),
        tag("script", _json(data), type="application/json"),
        class_="chart",
    )


def _numbers() -> Html:
    """Where the numbers of a point will stand; it takes the focus, to be scrolled by keyboard."""
    about = {"role": "region", "aria_live": "polite", "aria_label": "Numbers of a point"}
    return tag("div", tag("p", HINT), class_="numbers", tabindex=0, hidden="", **about)


def front(places: Sequence[Place]) -> list[int]:
    """Which places no other beats, from left to right: no worse in both numbers and better in one; less is better."""
    found: list[int] = []
    for i in sorted(range(len(places)), key=lambda i: places[i]):
        if not found or places[i][1] < places[found[-1]][1] or places[i] == places[found[-1]]:
            found.append(i)
    return found


def _column(points: Sequence[Point], name: str) -> Column:
    """A number of every point as it stands on the page; equal up to rounding is equal."""
    values = [point["values"].get(name) for point in points]
    known = [i for i, value in enumerate(values) if value is not None and isfinite(value)]
    made: list[float | None] = [None] * len(points)
    for i, value in zip(known, equated([values[i] or 0.0 for i in known]), strict=True):
        made[i] = float(f"{value:.{DIGITS}g}")
    return made


def _described(name: str, number: Number) -> dict[str, object]:
    ends = [end if isfinite(end) else None for end in (number.low, number.high)]
    return {
        "name": name,
        "label": number.label,
        "sentence": _sentence(number),
        "better": number.better,
        "ends": ends,
    }


def _sentence(number: Number) -> str:
    return f"{number.sentence}."


def _json(data: object) -> Html:
    """For a script element, which ends at the first `</script`, wherever that stands."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Html(text.replace("<", "\\u003c"))


def _option(text: str, value: str | None = None, chosen: bool = False) -> Html:
    return tag("option", text, value=text if value is None else value, selected="" if chosen else None)


def _choice(axis: str, chosen: str, told: Mapping[str, Number], first: str) -> Html:
    """All numbers for an axis, those of its kind first."""
    parts = []
    for kind in sorted(KINDS, key=lambda kind: kind != first):
        names = [name for name, number in told.items() if number.measures == kind]
        options = [_option(told[name].label, name, name == chosen) for name in names]
        parts += [tag("optgroup", *options, label=KINDS[kind])] if options else []
    return tag("label", f"{axis} ", tag("select", *parts, class_=axis))


def _legend(methods: Sequence[str]) -> Html:
    """Every method with its mark, and a box to tick that the script shows."""
    entries = [tag("li", tag("label", _box(method), in_line(mark(i)), " ", method)) for i, method in enumerate(methods)]
    entries.append(tag("li", tag("button", "none", type="button", hidden="")))
    return tag("ul", *entries, class_="legend", aria_label="Methods")


def _box(method: str) -> Html:
    return tag("input", type="checkbox", checked="", hidden="", value=method)


def _drawing(
    points: Sequence[Point],
    first: Sequence[int],
    methods: Sequence[str],
    columns: tuple[Column, Column],
    told: tuple[Number, Number],
) -> Html:
    """The map as it is before anybody chooses anything."""
    values = [(i, (x, y)) for i in first if (x := columns[0][i]) is not None and (y := columns[1][i]) is not None]
    scale = Scale(extent(x for _, (x, _) in values), extent(y for _, (_, y) in values))
    parts = [frame(scale, told[0].label, told[1].label)]
    if told[0].better and told[1].better:
        free = [place for i, place in values if not points[i]["marks"]]
        signs = [-1 if number.better == "more" else 1 for number in told]
        best = [free[i] for i in front([(signs[0] * x, signs[1] * y) for x, y in free])]
        line = " ".join(f"{scale.x(x)},{scale.y(y)}" for x, y in best)
        parts.append(tag("polyline", points=line, class_="front"))
    for i, (x, y) in values:
        method, hollow = methods.index(points[i]["method"]), bool(points[i]["marks"])
        about = ", ".join(f"{number.label} {value:g}" for number, value in zip(told, (x, y), strict=True))
        title = tag("title", "; ".join(filter(None, [_name(points[i]), about, points[i]["marks"]])))
        where = f"translate({scale.x(x)} {scale.y(y)})"
        parts.append(tag("g", title, mark(method, hollow), class_="dot", transform=where))
    label = f"{told[1].label} against {told[0].label}"
    return tag("svg", *parts, viewBox=BOX, class_="map", role="group", aria_label=label)


def _name(point: Point) -> str:
    return " ".join(filter(None, [point["method"], point["parameters"]]))
