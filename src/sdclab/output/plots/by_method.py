"""A table with a few methods as dots: ours under one or several readings, and the published numbers."""

from collections.abc import Mapping
from typing import Annotated, Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sdclab.base.describe import Doc
from sdclab.experiment.scenario import Split
from sdclab.output.style import COLOURS, INK, MARKERS, Rows, Title, chosen, kinds


def draw(
    tables: Mapping[str, pd.DataFrame],
    split: Split | None,
    *,
    title: Title,
    quantities: Annotated[dict[str, str], Doc("a panel each: column and the label of its axis")],
    rows: Rows = {},
    by: Annotated[str, Doc("the column in which readings differ")] = "",
    also: Annotated[
        dict[str, dict[str, str]], Doc("for a quantity, readings that are columns of their own: name and column")
    ] = {},
) -> Figure:
    """One panel a quantity, one line a method that the paper has a number of."""
    (table,) = tables.values()
    table = chosen(table, rows)
    table = table[table[f"{next(iter(quantities))}_published"].notna()]
    methods = list(dict.fromkeys(table["method"]))
    figure = Figure(figsize=(3.6 * len(quantities) + 1.6, 0.5 * len(methods) + 1.6))
    panels = figure.subplots(1, len(quantities), sharey=True, squeeze=False)[0]
    for axes, (quantity, label) in zip(panels, quantities.items(), strict=True):
        for i, (name, frame, column) in enumerate(_readings(table, quantity, by, also.get(quantity, {}))):
            _dots(axes, frame, column, methods, name, i)
        first = table.drop_duplicates("method")
        at = first["method"].map(methods.index)
        axes.plot(first[f"{quantity}_published"], at, "o", mfc="white", mec=INK, ms=7, label="published", zorder=1)
        axes.set(xscale="symlog" if (table[quantity] <= 0).any() else "log", xlabel=label)
        axes.set_yticks(range(len(methods)), methods)
        axes.grid(axis="y", lw=0.3)
    panels[0].invert_yaxis()
    figure.suptitle(f"{title}\n{kinds(table)}", fontsize=9, x=0.02, ha="left")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2 * len(quantities))
    return figure


def _readings(
    table: pd.DataFrame, quantity: str, by: str, also: Mapping[str, str]
) -> list[tuple[str, pd.DataFrame, str]]:
    """Name, rows and column of every reading."""
    if by:
        return [(f"{by} {name}", frame, quantity) for name, frame in table.groupby(by, sort=False)]
    return [
        ("mean" if also else "reproduced", table, quantity),
        *((name, table, column) for name, column in also.items()),
    ]


def _dots(axes: Axes, frame: pd.DataFrame, column: str, methods: list[str], name: str, i: int) -> None:
    at = frame["method"].map(methods.index) + 0.12 * i - 0.12
    style: dict[str, Any] = {"marker": MARKERS[i + 1], "color": COLOURS[i], "ls": "none", "ms": 4, "elinewidth": 0.8}
    axes.errorbar(frame[column], at, xerr=frame[f"{column}_sd"], label=name, **style)
