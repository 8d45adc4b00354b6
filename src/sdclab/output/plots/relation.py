"""How the cluster-specific losses d1 and d2 relate to generic measures."""

from collections.abc import Mapping, Sequence
from math import isfinite
from textwrap import fill
from typing import Annotated, Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sdclab.base.describe import Doc
from sdclab.evidence.correlation import rank_correlation
from sdclab.experiment.scenario import Split
from sdclab.measures import clusters, number
from sdclab.output.style import COLOURS, MARKERS, Rows, Title, chosen, kinds

SPECIFIC = ("d1", "d2")


def draw(
    tables: Mapping[str, pd.DataFrame],
    split: Split | None,
    *,
    title: Title,
    generic: Annotated[Sequence[str], Doc("the numbers of generic measures, a column of panels each")] = ("pil", "dr"),
    rows: Rows = {},
) -> Figure:
    """d1 and d2 against generic numbers, one marker a method, Spearman's correlation over all cells above each panel.

    Beside more than two of them, numbers without an upper bound have logarithmic axes behind a linear start.
    """
    (table,) = tables.values()
    table = chosen(table, rows)
    wide = len(generic) > 2
    figure = Figure(figsize=(2.6 * len(generic) + 1.6 * (not wide), 6.2))
    panels = figure.subplots(2, len(generic), sharex="col", sharey="row", squeeze=False)
    for row, specific in zip(panels, SPECIFIC, strict=True):
        for axes, name in zip(row, generic, strict=True):
            _panel(axes, table, name, specific)
            if wide:
                axes.set_yscale("symlog")
                axes.set_ylim(bottom=-0.1)
                axes.set_xscale("linear" if isfinite(number(name).high) else "symlog")
        row[0].set_ylabel(clusters.NUMBERS[specific].axis)
    for axes, name in zip(panels[-1], generic, strict=True):
        axes.set_xlabel(fill(number(name).axis, 30), fontsize=8)
    figure.suptitle(f"{title}\n{kinds(table)}", fontsize=9, x=0.02, ha="left")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=2 * len(generic))
    return figure


def _panel(axes: Axes, table: pd.DataFrame, generic: str, specific: str) -> None:
    for i, (method, cells) in enumerate(table.groupby("method", sort=False)):
        style: dict[str, Any] = {
            "marker": MARKERS[i % len(MARKERS)],
            "color": COLOURS[i % len(COLOURS)],
            "ls": "none",
            "ms": 4,
        }
        axes.errorbar(cells[generic], cells[specific], cells[f"{specific}_sd"], label=method, lw=0.6, **style)
    rho = rank_correlation(table[generic], table[specific])
    axes.set_title(f"Spearman {rho:+.2f} over {len(table)} cells", fontsize=8)
