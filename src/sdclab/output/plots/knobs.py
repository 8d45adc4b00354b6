"""What the parameters of a method do, each changed alone: a curve a parameter on the risk-utility map."""

from collections.abc import Mapping
from typing import Annotated, Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sdclab.base.describe import Doc
from sdclab.experiment.scenario import Split
from sdclab.output.labels import Label, place
from sdclab.output.plots.ru_map import frame
from sdclab.output.style import COLOURS, INK, MARKERS, STYLES, Rows, Title, chosen, kinds


def draw(
    tables: Mapping[str, pd.DataFrame],
    split: Split | None,
    *,
    title: Title,
    method: Annotated[str, Doc("whose parameters they are")],
    defaults: Annotated[dict[str, float], Doc("the parameters, columns of the table, with their defaults")],
    x: Annotated[str, Doc("the loss")] = "pil",
    y: Annotated[str, Doc("the risk")] = "dr",
    rows: Rows = {},
) -> Figure:
    """A table in which at most one parameter of a method differs from its default in a row; others are points."""
    (table,) = tables.values()
    table = chosen(table, rows)
    figure = Figure(figsize=(7.0, 5.0))
    axes = figure.add_subplot()
    frame(axes, table[x].max(), table[y].max(), x, y)
    own = table[table["method"] == method]
    labels: list[Label] = []
    for i, (name, default) in enumerate(defaults.items()):
        labels += _curve(axes, _alone(own, name, defaults).sort_values(name), name, default, x, y, i)
    for i, (_, row) in enumerate(table[table["method"] != method].iterrows()):
        axes.errorbar(row[x], row[y], row[f"{y}_sd"], row[f"{x}_sd"], fmt=MARKERS[-1 - i], color=INK, ms=7)
        labels.append(Label(str(row["method"]), row[x], row[y]))
    axes.set_title(f"{title}\n{kinds(table)}", fontsize=9, loc="left")
    figure.legend(loc="outside lower center", ncols=2)
    place(figure, axes, labels)
    return figure


def _alone(own: pd.DataFrame, name: str, defaults: Mapping[str, float]) -> pd.DataFrame:
    """The rows in which all parameters but one have their defaults, said or unsaid."""
    filled = own.fillna(dict(defaults))
    others = [other for other in defaults if other != name]
    alone = filled[(filled[others] == [defaults[other] for other in others]).all(axis=1)]
    return alone.drop_duplicates(name)


def _curve(axes: Axes, rows: pd.DataFrame, name: str, default: float, x: str, y: str, i: int) -> list[Label]:
    """A parameter's curve, and labels at its ends where they are not the default."""
    colour = COLOURS[i + 1]
    style: dict[str, Any] = {"color": colour, "ls": STYLES[i % len(STYLES)], "marker": MARKERS[i], "ms": 5, "lw": 1}
    spreads = rows[f"{y}_sd"], rows[f"{x}_sd"]
    axes.errorbar(rows[x], rows[y], *spreads, elinewidth=0.6, label=f"{name} ({default:g} by default)", **style)
    ends = rows.iloc[[0, -1]]
    return [
        Label(f"{name}={row[name]:g}", row[x], row[y], colour) for _, row in ends.iterrows() if row[name] != default
    ]
