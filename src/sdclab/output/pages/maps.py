"""Risk-utility maps that answer to the mouse and the keyboard: PIL against DR, ours filled, published hollow."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from sdclab import measures
from sdclab.experiment.selection import Selection
from sdclab.output.pages.marks import in_line, mark
from sdclab.output.pages.markup import Html, joined, scrolling, tag
from sdclab.output.pages.plane import BOX, Place, Scale, frame
from sdclab.output.pages.run import Row
from sdclab.output.pages.tables import with_sd
from sdclab.output.series import is_curve, is_number, keys_apart

MEASURED = {name: measures.number(name) for name in ("pil", "dr", "copy")}
"""What a point tells."""


def ru_map(rows: Sequence[Row], options: Mapping[str, Any], title: str) -> Html:
    """The map of a side-by-side table, with the options of the plot `ru_map`, and its legend."""
    by, chosen = options.get("by", "c"), Selection(options.get("rows", {}))
    shown = [row for row in rows if chosen.includes(row) and (row["pil"] or row["pil_published"])]
    methods = list(dict.fromkeys(row["method"] for row in shown))
    scale = _scale(shown)
    parts = [frame(scale, MEASURED["pil"].label, MEASURED["dr"].label), *_scores(scale)]
    curves = _series(shown, by)
    parts += [_curve(series, column, scale) for series in curves for column in ("", "_published")]
    parts += [_tie(row, scale) for row in shown if not any(row in series for series in curves)]
    parts += [_points(row, methods.index(row["method"]), by, scale) for row in shown]
    label = f"{title}: {len(shown)} points; with the focus on one, the arrow keys go on to others."
    drawing = tag("svg", *parts, viewBox=BOX, class_="map", role="group", aria_label=label)
    return joined([scrolling(drawing, title), _legend(methods, any(row["pil_published"] for row in shown))])


def _scale(rows: Sequence[Row]) -> Scale:
    """Room for every point, and some more."""
    return Scale(*((0.0, 1.08 * max([1.0, *_values(rows, quantity)])) for quantity in ("pil", "dr")))


def _values(rows: Iterable[Row], quantity: str) -> list[float]:
    texts = [row[column] for row in rows for column in (quantity, f"{quantity}_published")]
    return [float(text) for text in texts if text]


def _scores(scale: Scale) -> list[Html]:
    """Lines of equal score, the mean of PIL and DR, as far as the map reaches."""
    lines = []
    for score in range(10, 100, 10):
        total = 2 * score
        left, right = max(0.0, total - scale.up[1]), min(float(total), scale.across[1])
        if left < right:
            ends = {
                "x1": scale.x(left),
                "y1": scale.y(total - left),
                "x2": scale.x(right),
                "y2": scale.y(total - right),
            }
            lines.append(tag("line", **ends, class_="score"))
    return lines


def _series(rows: Sequence[Row], by: str) -> list[list[Row]]:
    """The points of one method with the same other parameters, along the main one."""
    along = [row for row in rows if is_number(row.get(by, ""))]
    ordered = sorted(along, key=lambda row: (*_setting(row, by), float(row[by])))
    groups = [list(group) for _, group in groupby(ordered, key=lambda row: _setting(row, by))]
    return [group for group in groups if is_curve(row[by] for row in group)]


def _setting(row: Row, by: str) -> tuple[str, ...]:
    """All that a point is, but for the parameter along which curves run."""
    return (row["method"], row["parameters"], *(row[key] for key in keys_apart(row, by)))


def _curve(series: Sequence[Row], column: str, scale: Scale) -> Html:
    places = [place for row in series if (place := _place(row, column, scale))]
    points = " ".join(f"{x},{y}" for x, y in places)
    return tag("polyline", points=points, class_=f"curve{column.replace('_', ' ')}")


def _place(row: Row, column: str, scale: Scale) -> Place | None:
    pil, dr = row[f"pil{column}"], row[f"dr{column}"]
    return (scale.x(float(pil)), scale.y(float(dr))) if pil and dr else None


def _tie(row: Row, scale: Scale) -> Html:
    """A line from a published point to ours."""
    printed, ours = _place(row, "_published", scale), _place(row, "", scale)
    if not (printed and ours):
        return Html()
    return tag("line", x1=printed[0], y1=printed[1], x2=ours[0], y2=ours[1], class_="tie")


def _points(row: Row, i: int, by: str, scale: Scale) -> Html:
    """A published point and ours; each tells what it is."""
    printed, ours = _place(row, "_published", scale), _place(row, "", scale)
    parts = []
    if printed:
        parts.append(_point(printed, i, True, [_name(row, by), "published", *_told(row, "_published")]))
    if ours:
        parts.append(_point(ours, i, False, [_name(row, by), "ours", *_told(row, ""), f"data: {row['dataset_kind']}"]))
    return joined(parts)


def _name(row: Row, by: str) -> str:
    main = [f"{by}={row[by]}"] if row.get(by) else []
    keys = [f"{key}={row[key]}" for key in keys_apart(row, by) if row[key]]
    return " ".join([row["method"], *main, *keys, *filter(None, [row["parameters"]])])


def _told(row: Row, column: str) -> list[str]:
    """What was measured: as printed, or ours with its spread."""
    shown = {key: number for key, number in MEASURED.items() if row.get(f"{key}{column}")}
    values = {key: row[key + column] if column else with_sd(row[key], row[f"{key}_sd"]) for key in shown}
    return [f"{number.label} {values[key]} {number.unit}".rstrip() for key, number in shown.items()]


def _point(place: Place, i: int, hollow: bool, about: Sequence[str]) -> Html:
    """A point with a generous area around it for finger and mouse; the script makes one of them reachable by Tab."""
    area = tag("circle", r=9, class_="area")
    where = f"translate({place[0]} {place[1]})"
    return tag(
        "g", area, mark(i, hollow), class_="point", transform=where, tabindex=0, role="img", aria_label="; ".join(about)
    )


def _legend(methods: Sequence[str], published: bool) -> Html:
    entries = [_entry(mark(i), method) for i, method in enumerate(methods)]
    entries += [_entry(mark(0, True), "hollow: published")] if published else []
    entries.append(_entry(tag("line", x1=-7, x2=7, y1=5, y2=-5, class_="score"), "equal score (PIL + DR) / 2"))
    return tag("ul", *entries, class_="legend")


def _entry(drawing: Html, text: str) -> Html:
    return tag("li", in_line(drawing), " ", text)
