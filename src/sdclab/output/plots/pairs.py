"""Clusters on all pairs of attributes, the original beside what the method hybrid releases."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sdclab.base.describe import Doc
from sdclab.base.errors import SdclabError
from sdclab.experiment.scenario import Split
from sdclab.methods.hybrid import clustered, protect
from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.seeds import stream
from sdclab.output.style import COLOURS, MARKERS, Title

DRAWS_RECORDS = True


def draw(
    tables: Mapping[str, pd.DataFrame],
    split: Split | None,
    *,
    title: Title,
    columns: Annotated[list[str], Doc("what to call the scenario's dependents, one after the other")],
    logarithmic: Annotated[list[str], Doc("those of the columns whose axes are logarithmic")] = [],
    k: Annotated[int, Doc("of the method hybrid")] = 60,
) -> Figure:
    """Below the diagonal the original, above it a release with the same k; a record keeps its cluster's mark.

    The axes span the middle 99 % of the originals, so that a few extremes do not hide the rest.
    """
    if split is None:
        raise SdclabError("plot pairs: the figure's config names no scenario.")
    dependent, independent = split
    labels = clustered(dependent, k)[1]
    released = protect(dependent, independent, stream(0), k=k).values
    figure = Figure(figsize=(8.0, 8.4))
    count = len(columns)
    panels = figure.subplots(count, count)
    for row, column in np.ndindex(count, count):
        axes = panels[row, column]
        if row == column:
            _name(axes, columns[row])
            continue
        _scatter(axes, dependent if row > column else released, labels, column, row)
        flags = (columns[column] in logarithmic, columns[row] in logarithmic)
        _frame(axes, dependent[:, column], dependent[:, row], *flags)
        axes.label_outer()
    panels[0, 1].tick_params(labelleft=True)  # the corners have names in place of ticks
    panels[count - 2, count - 1].tick_params(labelbottom=True)
    sizes = np.bincount(labels)
    for i, size in enumerate(sizes):
        marker, colour = MARKERS[i % len(MARKERS)], COLOURS[i % len(COLOURS)]
        panels[0, 0].plot([], [], marker, color=colour, ms=4, label=f"cluster {i + 1}: {size} records")
    figure.suptitle(title, fontsize=9, x=0.02, ha="left")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _scatter(axes: Axes, records: Matrix, labels: Indices, x: int, y: int) -> None:
    for i in np.argsort(-np.bincount(labels), kind="stable"):  # small clusters last, on top
        here = records[labels == i]
        marker, colour = MARKERS[i % len(MARKERS)], COLOURS[i % len(COLOURS)]
        axes.plot(here[:, x], here[:, y], marker, color=colour, ms=2, mew=0, alpha=0.6, rasterized=True)


def _frame(axes: Axes, x: Vector, y: Vector, x_log: bool, y_log: bool) -> None:
    axes.set(xscale="log" if x_log else "linear", yscale="log" if y_log else "linear")
    axes.set(xlim=_limits(x, x_log), ylim=_limits(y, y_log))
    axes.tick_params(labelsize=6)
    axes.minorticks_off()


def _limits(values: Vector, logarithmic: bool) -> tuple[float, float]:
    low, high = np.quantile(values, [0.005, 0.995])
    margin = 0.1 * (high - low)
    return (max(low, 0.01), 2 * high) if logarithmic else (low - margin, high + margin)


def _name(axes: Axes, name: str) -> None:
    axes.text(0.5, 0.5, name, ha="center", va="center", transform=axes.transAxes, fontsize=11)
    axes.set_axis_off()
