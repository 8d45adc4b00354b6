"""All readings of a published quantity, the nearest first, and below them what each of them says.

Simonsohn, Simmons & Nelson (2020), Specification curve analysis.
"""

from collections.abc import Hashable, Mapping
from typing import Annotated, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sdclab.base.describe import Doc
from sdclab.experiment.scenario import Split
from sdclab.numerics.arrays import Indices, Mask, Vector
from sdclab.output.style import COLOURS, FAINT, INK, Title, kinds

MOST = 120
"""Readings that are drawn; of more, evenly spaced ones."""


def draw(
    tables: Mapping[str, pd.DataFrame],
    split: Split | None,
    *,
    title: Title,
    quantity: Annotated[str, Doc("the published quantity")],
) -> Figure:
    """Distances above, for every option below a row of bars where readings have it; print is at distance 0."""
    readings, axes_table, found = (table[table["quantity"] == quantity] for table in tables.values())
    readings = readings[np.isfinite(readings["distance"])].reset_index(drop=True)
    if readings.empty:
        return _nothing(title)
    options = axes_table.drop_duplicates(["axis", "option"])
    height = 2.6 + 0.17 * len(options)
    figure = Figure(figsize=(7.2, height))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[1.9, 0.17 * len(options)])
    shown = _evenly(len(readings))
    _curve(above, readings, shown, float(found["luck"].iloc[0]))
    above.set(ylabel="distance to print" + (" (logarithms)" if found["scale"].iloc[0] == "log" else ""))
    _marks(below, readings, shown, options)
    about = f"{len(readings)} readings" + (f", {len(shown)} of them drawn" if len(shown) < len(readings) else "")
    figure.suptitle(f"{title}\n{about}; {kinds(found)}", fontsize=9, x=0.02, ha="left")
    return figure


def _nothing(title: str) -> Figure:
    figure = Figure(figsize=(7.2, 1.2))
    figure.suptitle(f"{title}\nno reading could be computed", fontsize=9, x=0.02, ha="left")
    return figure


def _evenly(count: int) -> Indices:
    return np.unique(np.linspace(0, count - 1, min(count, MOST)).round().astype(np.intp))


def _curve(axes: Axes, readings: pd.DataFrame, shown: Indices, luck: float) -> None:
    drawn = readings.iloc[shown]
    axes.plot(drawn["rank"], drawn["distance"], color=INK, lw=1, marker=".", ms=3, label="a reading")
    default = readings[readings["default"] == "yes"]
    axes.plot(default["rank"], default["distance"], "D", color=COLOURS[2], ms=6, label="the default")
    axes.axhline(0, color=COLOURS[1], lw=1, label="as published")
    axes.axhline(luck, color=FAINT, lw=1, ls="--", label="the nearest, to shuffled print")
    high = float(np.quantile(readings["distance"], 0.9))
    low = float(readings["distance"].min())
    if high > 20 * max(low, 1e-9):
        near = max(low, 0.1)
        axes.set_yscale("symlog", linthresh=near)
        axes.set_ylim(bottom=-near / 2)  # no distance is negative
    axes.legend(fontsize=7, ncols=2, loc="best")


def _marks(axes: Axes, readings: pd.DataFrame, shown: Indices, options: pd.DataFrame) -> None:
    drawn, labels, before = readings.iloc[shown], [], ""
    for at, option in enumerate(options.astype({"axis": str, "option": str}).to_dict("records")):
        has = (drawn[option["axis"]].astype(str) == option["option"]).to_numpy()
        x = _stretches(has, drawn["rank"].to_numpy(dtype=float))
        colour = COLOURS[2] if option["default"] == "yes" else INK
        axes.plot(x, np.full(len(x), at), color=colour, lw=5, solid_capstyle="butt")
        labels.append(_label(option, option["axis"] != before))
        if option["axis"] != before:
            axes.axhline(at - 0.5, color=FAINT, lw=0.4)
        before = option["axis"]
    axes.set_yticks(range(len(labels)), labels, fontsize=6.5)
    axes.set(ylim=(len(labels) - 0.4, -0.6), xlabel="readings, the nearest first")
    axes.tick_params(length=0)


def _stretches(has: Mask, ranks: Vector) -> Vector:
    """Where neighbours that have an option begin and end, each pair followed by a gap: one line that stays short."""
    between = (ranks[1:] + ranks[:-1]) / 2
    edges = np.concatenate([ranks[:1] - 0.5, between, ranks[-1:] + 0.5])
    changes = np.flatnonzero(np.diff(np.concatenate([[False], has, [False]])))
    ends = edges[changes].reshape(-1, 2)
    return np.column_stack([ends, np.full(len(ends), np.nan)]).ravel()


def _label(option: Mapping[Hashable, Any], is_first: bool) -> str:
    """An option, with what its axis decides beside the first of them; an asterisk if it came after seeing print."""
    share = f" ({100 * option['decides']:.0f} %)" if is_first else ""
    late = "*" if option["after"] == "yes" else ""
    return f"{option['axis'].replace('_', ' ')}{share}: {option['option']}{late}"
