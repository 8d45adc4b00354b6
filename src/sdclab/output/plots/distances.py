"""Every way to make the releases by how far it is from print in two quantities: one that explains both is at 0, 0."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from sdclab.base.describe import Doc
from sdclab.experiment.scenario import Split
from sdclab.output.style import COLOURS, FAINT, INK, MARKERS, Title, kinds


def draw(
    tables: Mapping[str, pd.DataFrame],
    split: Split | None,
    *,
    title: Title,
    x: Annotated[str, Doc("a published quantity")],
    y: Annotated[str, Doc("another")],
) -> Figure:
    """A mark for every combination of the axes that matter to both; of the others the nearest option counts."""
    readings, axes_table, found = tables.values()
    shared = [
        axis
        for axis in dict.fromkeys(axes_table["axis"])
        if {x, y} <= set(axes_table[axes_table["axis"] == axis]["quantity"])
    ]
    points = _points(readings, shared, x, y)
    figure = Figure(figsize=(5.6, 4.6))
    axes = figure.subplots()
    apart = _deciding(axes_table, shared)
    for i, (option, here) in enumerate(points.groupby(apart, sort=False) if apart else [("", points)]):
        name = f"{apart.replace('_', ' ')}: {option!s}" if apart else "a reading"
        look: dict[str, Any] = {"color": COLOURS[(i + 1) % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)]}
        axes.plot(here[x], here[y], ls="none", ms=4, mfc="none", label=name, **look)
    default = points[points["default"] == "yes"]
    axes.plot(default[x], default[y], "*", color=INK, ms=9, ls="none", label="the default")
    axes.axhline(0, color=FAINT, lw=0.8)
    axes.axvline(0, color=FAINT, lw=0.8)
    axes.set(xlabel=f"distance to print, {x}", ylabel=f"distance to print, {y}")
    axes.legend(fontsize=7)
    figure.suptitle(f"{title}\n{len(points)} combinations; {kinds(found)}", fontsize=9, x=0.02, ha="left")
    return figure


def _points(readings: pd.DataFrame, shared: list[str], x: str, y: str) -> pd.DataFrame:
    """The least distance of each quantity over the axes that matter to it alone."""
    known = readings[np.isfinite(readings["distance"])]
    sides = []
    for quantity in (x, y):
        here = known[known["quantity"] == quantity].assign(**{axis: known[axis].astype(str) for axis in shared})
        least = here.groupby(shared, sort=False)["distance"].min() if shared else pd.Series([here["distance"].min()])
        sides.append(least.rename(quantity))
    points = pd.concat(sides, axis=1).dropna().reset_index()
    usual = readings[readings["default"] == "yes"].iloc[0]
    same = [all(str(row[axis]) == str(usual[axis]) for axis in shared) for _, row in points.iterrows()]
    return points.assign(default=np.where(same, "yes", ""))


def _deciding(axes_table: pd.DataFrame, shared: list[str]) -> str:
    """The shared axis that decides most of the two quantities together."""
    here = axes_table[axes_table["axis"].isin(shared)].drop_duplicates(["quantity", "axis"])
    if here.empty:
        return ""
    return str(here.groupby("axis", sort=False)["decides"].sum().idxmax())
