"""The risk-utility map of a user's file: every method with its parameters."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd
from matplotlib.figure import Figure

from sdclab.base.describe import Doc
from sdclab.experiment.scenario import Split
from sdclab.measures.copy import copies
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
) -> Figure:
    """A table with method, parameters, loss, dr, copy, crowding and dataset_kind; a method's line follows its order.

    A hollow point copies too many of the records.
    """
    (table,) = tables.values()
    figure = Figure(figsize=(7.4, 5.6))
    axes = figure.add_subplot()
    frame(axes, table[x].max(), table["dr"].max(), x)
    labels: list[Label] = []
    for i, (method, points) in enumerate(table.groupby("method", sort=False)):
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        fill = ["white" if copies(dict(row)) else colour for _, row in points.iterrows()]
        if is_curve(range(len(points))):  # along the method's grid, in its order
            axes.plot(points[x], points["dr"], STYLES[i % len(STYLES)], color=colour, lw=0.8, zorder=1)
        axes.scatter(points[x], points["dr"], 28, fill, marker=marker, edgecolors=colour, linewidths=1, zorder=2)
        axes.plot([], [], marker, color=colour, ms=5, label=str(method))
        ends = points.iloc[[0, -1] if len(points) > 1 else []]
        named = zip(ends["parameters"], ends[x], ends["dr"], strict=True)
        labels += [Label(parameters, loss, risk, colour) for parameters, loss, risk in named]
    axes.plot([], [], "o", mfc="white", mec=INK, ms=5, label="hollow: copies records")
    axes.plot([], [], color=FAINT, lw=0.8, ls="--", label="equal score")
    axes.set_title(f"{title}\n{kinds(table)}", fontsize=9, loc="left")
    figure.legend(loc="outside right upper")
    place(figure, axes, labels)
    return figure
