"""All that was tried on one dataset, in whatever study, on one map."""

from collections.abc import Sequence
from statistics import fmean, stdev

from sdclab import measures
from sdclab.experiment.ranking import remark, spaced
from sdclab.output.pages.chart import Point, chart
from sdclab.output.pages.markup import Html, joined, number, table, tag
from sdclab.output.pages.run import Row, Run
from sdclab.output.pages.tables import folded, heading, with_sd
from sdclab.output.series import is_number

SHARED = "census"
"""The dataset that several studies protect."""

PLACE, TITLE = f"all-{SHARED}", f"All methods on {SHARED.capitalize()}"
"""Of its section on a page."""

AXES = ("pil", "dr")
"""A cell without both is on no map."""

LISTED = (*AXES, "score", "copy", "xy_lost")
"""What stands in the table, too; other numbers are in the tables of the studies."""

ABOUT = (
    "Every cell of every study on this dataset of which PIL and DR are known. Scenarios protect different columns, so "
    "that their numbers do not compare: choose one. Marked is a control, what copies records, leaves dependents as "
    "they are or breaks the relations with the independents, as far as its study measures that."
)


def overview(run: Run) -> Html:
    """The map and the table of the shared dataset, in the order of the studies; nothing if none protects it."""
    order = [(cell.study, cell.name) for study in run.studies for cell in study.cells]
    place = {cell: i for i, cell in enumerate(order)}
    rows = [row for row in run.cells if row["dataset"] == SHARED]
    points = points_of(sorted(rows, key=lambda row: place[row["study"], row["cell"]]))
    if not points:
        return Html()
    known = list(dict.fromkeys(name for point in points for name in point["values"]))
    shown = [name for name in known if measures.number(name).measures != "fact"]
    listed = [name for name in LISTED if name in known]
    head = ["scenario", "method", "parameters", *map(heading, listed), "marked"]
    lines = [
        [point["group"], point["method"], point["parameters"], *(_number(point, name) for name in listed), _said(point)]
        for point in points
    ]
    every = folded("All points of the map", len(lines), table(head, lines, "All points"), id=f"points-{SHARED}")
    return joined([tag("p", ABOUT), chart(points, shown, *AXES), every])


def points_of(rows: Sequence[Row]) -> list[Point]:
    """A point for every cell with both axes: means and standard deviations over its replicates."""
    cells: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if all(is_number(row.get(axis, "")) for axis in AXES):
            cells.setdefault((row["study"], row["cell"]), []).append(row)
    return [_point(replicates) for replicates in cells.values()]


def _point(rows: Sequence[Row]) -> Point:
    first, values = rows[0], _values(rows)
    return {
        "method": first["method"],
        "parameters": spaced(first["parameters"]),
        "marks": remark(first["method"], values),
        "values": values,
        "group": f"{first['scenario']} ({first['study']})",
    }


def _values(rows: Sequence[Row]) -> dict[str, float]:
    """Every number that a measure declares and all replicates have."""
    names = [name for name in rows[0] if measures.number(name).label != name]
    known = [name for name in names if all(is_number(row[name]) for row in rows)]
    columns = {name: [float(row[name]) for row in rows] for name in known}
    spreads = {f"{name}_sd": stdev(column) for name, column in columns.items() if len(column) > 1}
    return {name: fmean(column) for name, column in columns.items()} | spreads


def _number(point: Point, name: str) -> Html:
    values = point["values"]
    mean, spread = (str(values.get(key, "")) for key in (name, f"{name}_sd"))
    return number(with_sd(mean, spread))


def _said(point: Point) -> Html:
    return tag("td", point["marks"], class_="text")
