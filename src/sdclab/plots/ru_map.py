"""The risk-utility map: PIL against DR, ours and the published points."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sdclab.arrays import Indices
from sdclab.plots.style import FAINT, INK

MARKERS = "osD^vP*X<>hp"
COPIES = 50
"""From this share of verbatim records on (per cent), a point's label warns of it."""


def ru_map(table: pd.DataFrame, title: str) -> Figure:
    """A side-by-side table with pil and dr as a scatter plot.

    Filled: ours (mean, bars of one SD). Hollow: published, tied to ours by a thin line. Diagonals join equal scores.
    """
    figure = Figure(figsize=(6.4, 5.0))
    axes = figure.add_subplot()
    table = table.assign(
        pil_published=pd.to_numeric(table["pil_published"]), dr_published=pd.to_numeric(table["dr_published"])
    )
    _frame(axes, table)
    methods = list(dict.fromkeys(table["method"]))
    for method, rows in table.groupby("method"):
        _points(axes, rows, MARKERS[methods.index(method) % len(MARKERS)])
    _labels(axes, table[table["pil"].notna()])
    kinds = ", ".join(sorted(set(table["dataset_kind"].dropna())))
    axes.set_title(f"{title}\ndata: {kinds}", fontsize=9, loc="left")
    axes.plot([], [], "o", color=INK, label="reproduced (mean ± SD)")
    axes.plot([], [], "o", mfc="white", mec=INK, label="published")
    axes.plot([], [], color=FAINT, lw=0.8, ls="--", label="equal score")
    figure.legend(loc="outside lower center", ncols=3)
    return figure


def _frame(axes: Axes, table: pd.DataFrame) -> None:
    width = 1.12 * max(table["pil"].max(), table["pil_published"].max(), 1.0)
    height = 1.12 * max(table["dr"].max(), table["dr_published"].max(), 1.0)
    axes.set(xlim=(-0.03 * width, width), ylim=(-0.03 * height, height))
    axes.set_xlabel("information loss PIL (0–100; less is more useful)")
    axes.set_ylabel("disclosure risk DR (0–100; less is safer)")
    for score in range(10, 100, 10):
        axes.plot([0, 2 * score], [2 * score, 0], color=FAINT, lw=0.8, ls="--", zorder=0)
        if 2 * score < 0.9 * width:
            axes.annotate(
                f"score {score}",
                (2 * score, 0),
                (2, 2),
                textcoords="offset points",
                color="#707070",
                fontsize=7,
            )


def _points(axes: Axes, rows: pd.DataFrame, marker: str) -> None:
    columns = ["pil", "dr", "pil_sd", "dr_sd", "pil_published", "dr_published"]
    for pil, dr, pil_sd, dr_sd, x, y in rows[columns].to_numpy(dtype=float):
        axes.plot([pil, x], [dr, y], color=INK, lw=0.5, zorder=1)
        axes.plot([x], [y], marker, mfc="white", mec=INK, ms=6, zorder=3)
        axes.errorbar(pil, dr, dr_sd, pil_sd, fmt=marker, color=INK, ms=6, elinewidth=0.8, zorder=2)


def _labels(axes: Axes, table: pd.DataFrame) -> None:
    """One label for points that lie on each other, turned inwards at the right edge."""
    right, top = axes.get_xlim()[1], axes.get_ylim()[1]
    places = table[["pil", "dr"]].to_numpy(dtype=float)
    for members in _together(places / (right, top)):
        x, y = places[members].mean(axis=0)
        text = "\n".join(_label(row) for _, row in table.iloc[members].iterrows())
        inwards = x > 0.7 * right
        axes.annotate(
            text,
            (x, y),
            (-8 if inwards else 8, 5),
            textcoords="offset points",
            ha="right" if inwards else "left",
            fontsize=8,
        )


def _together(places: np.ndarray) -> list[Indices]:
    """Groups of points closer than a marker's width, each to the first of its group."""
    groups: list[Indices] = []
    free = np.ones(len(places), dtype=bool)
    while free.any():
        first = places[free.argmax()]
        near = free & (np.hypot(*(places - first).T) < 0.015)
        groups.append(np.flatnonzero(near))
        free &= ~near
    return groups


def _label(row: "pd.Series[Any]") -> str:
    words = [str(row["method"]), str(row["parameters"]) if pd.notna(row["parameters"]) else ""]
    if float(row.get("copy", 0)) >= COPIES:
        words.append(f"(copies {row['copy']:.0f} % of the records)")
    return " ".join(filter(None, words))
