"""PIL, DR and score over the number of clusters c and of independent attributes n: figure 7 of Cano (2009)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from sdclab.experiment.scenario import Split
from sdclab.measures.score import NUMBERS
from sdclab.output.style import INK, Title, kinds


def draw(tables: Mapping[str, pd.DataFrame], split: Split | None, *, title: Title) -> Figure:
    """Three surfaces side by side on one scale; published points, where there are any, as dots."""
    (table,) = tables.values()
    figure = Figure(figsize=(10.5, 4.0))
    for i, quantity in enumerate(("pil", "dr", "score")):
        axes = figure.add_subplot(1, 3, i + 1, projection="3d")
        grid = table[table[quantity].notna()].pivot(index="n_independent", columns="c", values=quantity)
        c, n = np.meshgrid(grid.columns.to_numpy(dtype=float), grid.index.to_numpy(dtype=float))
        if min(grid.shape) > 1:
            axes.plot_surface(c, n, grid.to_numpy(), cmap="cividis", edgecolor="white", lw=0.3, alpha=0.9)
        else:  # a thinned grid may have but one c or n, and no surface
            axes.plot(c.ravel(), n.ravel(), grid.to_numpy().ravel(), marker="s", ms=4)
        printed = table[table[f"{quantity}_published"].notna() & table[quantity].notna()]
        axes.scatter(printed["c"], printed["n_independent"], printed[f"{quantity}_published"], color=INK, s=6)
        axes.set(xlabel="clusters c", ylabel="independents n", zlim=(0, 100), title=NUMBERS[quantity].axis)
        axes.title.set_fontsize(9)
        axes.view_init(elev=25, azim=45)
    figure.suptitle(f"{title}; dots: published\n{kinds(table)}", fontsize=9, x=0.02, ha="left")
    return figure
