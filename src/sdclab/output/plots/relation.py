"""How the cluster-specific losses d1 and d2 relate to the generic measures PIL and DR."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from sdclab.experiment.scenario import Split
from sdclab.measures import clusters, score
from sdclab.output.style import COLOURS, MARKERS, Title, kinds


def draw(tables: Mapping[str, pd.DataFrame], split: Split | None, *, title: Title) -> Figure:
    """d1 and d2 against PIL and DR, one marker a method, Spearman's correlation over all cells above each panel."""
    (table,) = tables.values()
    figure = Figure(figsize=(6.8, 6.2))
    panels = figure.subplots(2, 2, sharex="col", sharey="row")
    for row, distance in zip(panels, ("d1", "d2"), strict=True):
        for axes, generic in zip(row, ("pil", "dr"), strict=True):
            for i, (method, cells) in enumerate(table.groupby("method", sort=False)):
                style = {"marker": MARKERS[i % len(MARKERS)], "color": COLOURS[i % len(COLOURS)], "ls": "none", "ms": 4}
                axes.errorbar(cells[generic], cells[distance], cells[f"{distance}_sd"], label=method, lw=0.6, **style)
            rho = table[generic].corr(table[distance], method="spearman")
            axes.set_title(f"Spearman {rho:+.2f} over {len(table)} cells", fontsize=8)
            if distance == "d2":
                axes.set_xlabel(score.NUMBERS[generic].axis)
        row[0].set_ylabel(clusters.NUMBERS[distance].axis)
    figure.suptitle(f"{title}\n{kinds(table)}", fontsize=9, x=0.02, ha="left")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure
