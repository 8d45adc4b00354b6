"""The risk-utility map of a user's file: every method with its parameters."""

from collections.abc import Mapping
from typing import Annotated, Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sdclab.base.describe import Doc
from sdclab.experiment.ranking import Aim, front, known_of, remark
from sdclab.experiment.scenario import Split
from sdclab.output.labels import Label, place
from sdclab.output.plots.ru_map import frame
from sdclab.output.series import is_curve
from sdclab.output.style import COLOURS, FAINT, INK, MARKERS, STYLES, Title, kinds


def draw(
    tables: Mapping[str, pd.DataFrame],
    split: Split | None,
    *,
    title: Title,
    x: Annotated[str, Doc("the loss")] = "pil",
    y: Annotated[str, Doc("the risk")] = "dr",
) -> Figure:
    """A table with method, parameters, loss, risk, copy, crowding and dataset_kind; a method's line follows its order.

    A hollow point is no choice: it copies records, breaks relations, or is a control. Bars are one SD of the
    replicates, if there are some. The front joins the points of which no other has less loss and no more risk.
    """
    (table,) = tables.values()
    figure = Figure(figsize=(7.4, 5.6))
    axes = figure.add_subplot()
    frame(axes, table[x].max(), table[y].max(), x, y)
    _draw_front(axes, table, Aim(x, y, ()))
    labels: list[Label] = []
    for i, (method, points) in enumerate(table.groupby("method", sort=False)):
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        fill = ["white" if _against(dict(row)) else colour for _, row in points.iterrows()]
        if is_curve(range(len(points))):  # along the method's grid, in its order
            axes.plot(points[x], points[y], STYLES[i % len(STYLES)], color=colour, lw=0.8, zorder=1)
        axes.scatter(points[x], points[y], 28, fill, marker=marker, edgecolors=colour, linewidths=1, zorder=2)
        if points.get(f"{x}_sd", pd.Series(dtype=float)).notna().any():
            bars = points[f"{y}_sd"], points[f"{x}_sd"]
            axes.errorbar(points[x], points[y], *bars, fmt="none", ecolor=colour, elinewidth=0.6, zorder=1)
        axes.plot([], [], marker, color=colour, ms=5, label=str(method))
        ends = points.iloc[[0, -1] if len(points) > 1 else []]
        named = zip(ends["parameters"], ends[x], ends[y], strict=True)
        labels += [
            Label(parameters, loss, risk, colour) for parameters, loss, risk in named if loss == loss and risk == risk
        ]
    axes.plot([], [], "o", mfc="white", mec=INK, ms=5, label="hollow: no choice")
    if (x, y) == ("pil", "dr"):
        axes.plot([], [], color=FAINT, lw=0.8, ls="--", label="equal score")
    axes.set_title(f"{title}\n{kinds(table)}", fontsize=9, loc="left")
    figure.legend(loc="outside right upper")
    place(figure, axes, labels)
    return figure


def _against(row: Mapping[str, Any]) -> str:
    """What a map says against a point; a study's table says less."""
    if "remark" in row:
        return str(row["remark"])
    return remark(row["method"], known_of(row))


def _draw_front(axes: Axes, table: pd.DataFrame, aim: Aim) -> None:
    rows = [{**dict(row), "remark": _against(dict(row))} for _, row in table.iterrows()]
    best = front(rows, aim)
    if len(best) > 1:
        places = [[row[name] for row in best] for name in (aim.loss, aim.risk)]
        axes.plot(*places, color=FAINT, lw=4, alpha=0.6, zorder=0, label="front: none is better in both")
