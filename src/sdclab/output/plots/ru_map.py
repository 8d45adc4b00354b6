"""The risk-utility map: PIL against DR, ours and the published points."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Annotated, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sdclab.base.describe import Doc
from sdclab.experiment.scenario import Split
from sdclab.measures import number
from sdclab.measures.copy import copies
from sdclab.numerics.arrays import Indices
from sdclab.output.labels import Label, place
from sdclab.output.series import is_curve, is_number, keys_apart
from sdclab.output.style import COLOURS, FAINT, INK, MARKERS, Rows, Title, chosen, kinds


def draw(
    tables: Mapping[str, pd.DataFrame],
    split: Split | None,
    *,
    title: Title,
    by: Annotated[str, Doc("the parameter along which curves run")] = "c",
    rows: Rows = {},
) -> Figure:
    """A side-by-side table, or some of its rows, with pil and dr as a scatter plot.

    Filled: ours (mean, bars of one SD). Hollow: published, tied to ours by a thin line. Diagonals join equal scores.
    """
    (table,) = tables.values()
    table = table.fillna({"parameters": ""})
    table = chosen(table, rows)
    figure = Figure(figsize=(6.4, 5.0))
    axes = figure.add_subplot()
    table = table.assign(
        pil_published=pd.to_numeric(table["pil_published"]), dr_published=pd.to_numeric(table["dr_published"])
    )
    frame(axes, *(max(table[name].max(), table[f"{name}_published"].max()) for name in ("pil", "dr")))
    methods = list(dict.fromkeys(table["method"]))
    single = table["pil"].notna()
    labels: list[Label] = []
    keys = [key for key in _apart(table, by) if key not in ("method", "parameters")]
    colours = cycle(COLOURS if keys else (INK,))
    for _, series in table.groupby(_apart(table, by), sort=False, dropna=False):
        marker = MARKERS[methods.index(series["method"].iloc[0]) % len(MARKERS)]
        if is_curve(series.get(by, ())):
            single[series.index] = False
            _curve(axes, series, marker, by, next(colours))
            labels += _curve_labels(series, by, keys)
        else:
            _points(axes, series, marker)
    axes.set_title(f"{title}\n{kinds(table)}", fontsize=9, loc="left")
    axes.plot([], [], "o", color=INK, label="reproduced (mean ± SD)")
    if table["pil_published"].notna().any():
        axes.plot([], [], "o", mfc="white", mec=INK, label="published")
    axes.plot([], [], color=FAINT, lw=0.8, ls="--", label="equal score")
    figure.legend(loc="outside lower center", ncols=3)
    place(figure, axes, _labels(table[single], axes, keys) + labels)
    return figure


def _apart(table: pd.DataFrame, by: str) -> list[str]:
    """What tells curves apart: method, parameters, and those keys of the table in which rows of a method differ."""
    keys = keys_apart(map(str, table.columns), by)
    differ = [key for key in keys if (table.groupby("method")[key].nunique(dropna=False) > 1).any()]
    return ["method", "parameters", *differ]


def frame(axes: Axes, largest_x: float, largest_y: float, x: str = "pil", y: str = "dr") -> None:
    """Axes that hold the largest values; of PIL and DR with a diagonal for every tenth score."""
    width, height = 1.12 * max(largest_x, 1.0), 1.12 * max(largest_y, 1.0)
    axes.set(xlim=(-0.03 * width, width), ylim=(-0.03 * height, height))
    axes.set_xlabel(number(x).sentence)
    axes.set_ylabel(number(y).sentence)
    for score in range(10, 100, 10) if (x, y) == ("pil", "dr") else ():
        axes.plot([0, 2 * score], [2 * score, 0], color=FAINT, lw=0.8, ls="--", zorder=0)
        if 2 * score < 0.9 * width:
            place, offset = (2 * score, 0), (2, 2)
            axes.annotate(f"score {score}", place, offset, textcoords="offset points", color="#707070", fontsize=7)


def _points(axes: Axes, rows: pd.DataFrame, marker: str) -> None:
    columns = ["pil", "dr", "pil_sd", "dr_sd", "pil_published", "dr_published"]
    for pil, dr, pil_sd, dr_sd, x, y in rows[columns].to_numpy(dtype=float):
        axes.plot([pil, x], [dr, y], color=INK, lw=0.5, zorder=1)
        axes.plot([x], [y], marker, mfc="white", mec=INK, ms=6, zorder=3)
        axes.errorbar(pil, dr, dr_sd, pil_sd, fmt=marker, color=INK, ms=6, elinewidth=0.8, zorder=2)


def _curve(axes: Axes, rows: pd.DataFrame, marker: str, by: str, colour: str) -> None:
    """Ours and the published points of a method along a parameter, each as a curve."""
    rows = rows.sort_values(by)
    printed = rows[rows["pil_published"].notna()]
    axes.errorbar(
        rows["pil"],
        rows["dr"],
        rows["dr_sd"],
        rows["pil_sd"],
        color=colour,
        lw=0.8,
        marker=marker,
        ms=4,
        elinewidth=0.6,
    )
    axes.plot(printed["pil_published"], printed["dr_published"], color=INK, lw=0.6, ls=":", zorder=1)
    axes.plot(printed["pil_published"], printed["dr_published"], marker, mfc="white", mec=INK, ms=4.5, zorder=3)


def _curve_labels(rows: pd.DataFrame, by: str, keys: Sequence[str]) -> list[Label]:
    """A few values of the parameter along both curves; of several curves of a method what each has, at its end."""
    if keys:
        row = rows.sort_values(by).iloc[-1]
        return [Label(f"{_label(row, keys)} {by}={row[by]:g}", row["pil"], row["dr"])]
    rows = rows.sort_values(by)
    labels = []
    for x, y in (("pil", "dr"), ("pil_published", "dr_published")):
        there = rows[rows[x].notna()]
        places = {0, len(there) // 2, len(there) - 1} | ({len(there) // 4} if len(there) > 10 else set())
        for _, row in there.iloc[sorted(places if len(there) else ())].iterrows():
            labels.append(Label(f"{row['method']} {by}={row[by]:g}", row[x], row[y]))
    return labels


def _labels(table: pd.DataFrame, axes: Axes, keys: Sequence[str]) -> list[Label]:
    """One label for points that lie on each other."""
    table = table.sort_values("pil", kind="stable")
    places = table[["pil", "dr"]].to_numpy(dtype=float)
    groups = _together(places / (axes.get_xlim()[1], axes.get_ylim()[1]))
    texts = ["\n".join(_label(row, keys) for _, row in table.iloc[members].iterrows()) for members in groups]
    return [Label(text, *places[members].mean(axis=0)) for text, members in zip(texts, groups, strict=True)]


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


def _label(row: "pd.Series[Any]", keys: Sequence[str]) -> str:
    known = (row[key] for key in keys if row[key] == row[key] and row[key] != "")
    words = [str(row["method"]), *(f"{value:g}" if is_number(value) else str(value) for value in known)]
    words.append(str(row["parameters"]))
    if copies(dict(row)):
        words.append(f"(copies\n{row['copy']:.0f} % of the records)")
    return " ".join(filter(None, words))
