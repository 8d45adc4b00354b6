"""A risk-utility map to explore: any number against any other, methods to choose among, the front of the best drawn.

A page that shows one gives `asset("chart.js")` to `document(..., script=...)`. Without JavaScript the drawing stays as
it was made here: the first group of points on the given axes.
"""

import json
from collections.abc import Mapping, Sequence
from math import isfinite, nan
from typing import NamedTuple, NotRequired, TypedDict

from sdclab import measures
from sdclab.base.describe import Number
from sdclab.base.errors import unknown
from sdclab.experiment.ranking import unbeaten
from sdclab.numerics.ties import at_most, equated
from sdclab.output.pages.marks import in_line, mark
from sdclab.output.pages.markup import Html, tag
from sdclab.output.pages.plane import BOX, Range, Scale, extent, frame

DIGITS, OF_SPREADS = 6, 3
"""Of every number on the page, and of standard deviations."""

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


class Axis(NamedTuple):
    """A number, and what it and its standard deviation are at every point."""

    number: Number
    values: Column
    spreads: Column

    @property
    def sign(self) -> int:
        """By which less becomes better; 0 if neither less nor more is."""
        return {"less": 1, "more": -1, None: 0}[self.number.better]

    def bar(self, i: int, shown: Range) -> Range:
        """One standard deviation to both sides, cut off where the number or the map ends."""
        value, spread = self.values[i] or 0.0, self.spreads[i] or 0.0
        low, high = max(self.number.low, shown[0]), min(self.number.high, shown[1])
        return max(value - spread, low), min(value + spread, high)


def chart(points: Sequence[Point], numbers: Sequence[str], x: str, y: str, grouped_by: str = "scenario") -> Html:
    """The map of points with these numbers, `x` against `y` until the reader chooses others.

    What a number is called, means and which way it is better is what its measure declares (`sdclab.measures.number`).
    """
    for name in (x, y):
        if name not in numbers:
            raise unknown("number", name, numbers, "chart")
    if not points:
        return tag("p", "There is no point to show.")
    axes = {name: _axis(points, name) for name in numbers}
    methods = list(dict.fromkeys(point["method"] for point in points))
    groups = list(dict.fromkeys(map(_group, points)))
    captions = [f"{grouped_by} {group}" if group else "" for group in groups]
    choices = [_choice("x", x, axes, "loss"), _choice("y", y, axes, "risk")]
    if len(groups) > 1:
        choices.append(tag("label", f"{grouped_by} ", tag("select", *map(_option, groups), class_="group")))
    drawn = _drawing(points, axes[x], axes[y], methods)
    told = {
        "numbers": [_described(name, axis.number) for name, axis in axes.items()],
        "methods": methods,
        "groups": captions,
        "points": [  # without names, which would be most of it; the script gives them
            [
                methods.index(point["method"]),
                groups.index(_group(point)),
                point["parameters"],
                point["marks"],
                [_short(axis.values[i]) for axis in axes.values()],
                [_short(axis.spreads[i] or 0.0, OF_SPREADS) for axis in axes.values()],
            ]
            for i, point in enumerate(points)
        ],
    }
    return tag(
        "figure",
        tag("div", *choices, class_="choices", hidden=""),
        tag("div", tag("div", drawn, class_="plot"), _numbers(), class_="beside"),
        _legend(methods),
        tag("p", captions[0], class_="shown", role="status"),
        *(
            tag("p", f"{key}: {_sentence(axes[name].number)}", class_=f"about {key}")
            for key, name in (("x", x), ("y", y))
        ),
        tag("figcaption", READING),
        tag("script", _json(told), type="application/json"),
        class_="chart",
    )


def _group(point: Point) -> str:
    return point.get("group", "")


def _numbers() -> Html:
    """Where the numbers of a point will stand; it takes the focus, to be scrolled by keyboard."""
    about = {"role": "region", "aria_live": "polite", "aria_label": "Numbers of a point"}
    return tag("div", tag("p", HINT), class_="numbers", tabindex=0, hidden="", **about)


def _axis(points: Sequence[Point], name: str) -> Axis:
    values, spreads = ([point["values"].get(key, nan) for point in points] for key in (name, f"{name}_sd"))
    scale = max((abs(value) for value in values if isfinite(value)), default=0.0)
    return Axis(measures.number(name), _column(values, scale), _column(spreads, scale))


def _column(values: Sequence[float], scale: float) -> Column:
    """Numbers as they stand on the page, None where there is none; equal up to rounding, also to 0, is equal."""
    made: list[float | None] = [None] * len(values)
    known = [i for i, value in enumerate(values) if isfinite(value)]
    for i, value in zip(known, equated([values[i] for i in known], scale), strict=True):
        made[i] = 0.0 if at_most(abs(value), 0.0, scale) else float(f"{value:.{DIGITS}g}")
    return made


def _short(value: float | None, digits: int = DIGITS) -> float | int | None:
    """A number with no more digits than these, which a whole one does not need a point for."""
    if value is None:
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() else rounded


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


def _choice(key: str, chosen: str, axes: Mapping[str, Axis], first: str) -> Html:
    """All numbers for an axis, those of its kind first."""
    parts = []
    for kind in sorted(KINDS, key=lambda kind: kind != first):
        found = {name: axis.number.label for name, axis in axes.items() if axis.number.measures == kind}
        options = [_option(label, name, name == chosen) for name, label in found.items()]
        parts += [tag("optgroup", *options, label=KINDS[kind])] if options else []
    return tag("label", f"{key} ", tag("select", *parts, class_=key))


def _legend(methods: Sequence[str]) -> Html:
    """Every method with its mark, and a box to tick that the script shows."""
    entries = [tag("li", tag("label", _box(method), in_line(mark(i)), " ", method)) for i, method in enumerate(methods)]
    entries.append(tag("li", tag("button", "hide all", type="button", hidden="")))
    return tag("ul", *entries, class_="legend", aria_label="Methods")


def _box(method: str) -> Html:
    return tag("input", type="checkbox", checked="", hidden="", value=method)


def _drawing(points: Sequence[Point], x: Axis, y: Axis, methods: Sequence[str]) -> Html:
    """The map as it is before anybody chooses anything: the first group."""
    chosen = [i for i, point in enumerate(points) if _group(point) == _group(points[0])]
    values = {i: (a, b) for i in chosen if (a := x.values[i]) is not None and (b := y.values[i]) is not None}
    scale = Scale(extent(a for a, _ in values.values()), extent(b for _, b in values.values()))
    places = {i: (scale.x(a), scale.y(b)) for i, (a, b) in values.items()}
    parts = [frame(scale, x.number.label, y.number.label)]
    for i, (left, top) in places.items():
        if x.spreads[i]:
            x1, x2 = map(scale.x, x.bar(i, scale.across))
            parts.append(tag("line", x1=x1, x2=x2, y1=top, y2=top, class_="bar"))
        if y.spreads[i]:
            y1, y2 = map(scale.y, y.bar(i, scale.up))
            parts.append(tag("line", x1=left, x2=left, y1=y1, y2=y2, class_="bar"))
    free = [i for i in values if not points[i]["marks"]] if x.sign and y.sign else []
    best = unbeaten([(x.sign * values[i][0], y.sign * values[i][1]) for i in free])
    line = " ".join("{},{}".format(*places[free[i]]) for i in best)
    parts.append(tag("polyline", points=line, class_="front"))
    for i, place in places.items():
        about = [f"{axis.number.label} {value:g}" for axis, value in zip((x, y), values[i], strict=True)]
        title = tag("title", "; ".join(filter(None, [_name(points[i]), *about, points[i]["marks"]])))
        shape = mark(methods.index(points[i]["method"]), bool(points[i]["marks"]))
        parts.append(tag("g", title, shape, class_="dot", transform="translate({} {})".format(*place)))
    label = f"{y.number.label} against {x.number.label}"
    return tag("svg", *parts, viewBox=BOX, class_="map", role="group", aria_label=label)


def _name(point: Point) -> str:
    return " ".join(filter(None, [point["method"], point["parameters"]]))
