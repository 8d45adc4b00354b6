"""The example of Cano & Torra (2009), figures 1 to 3: points by cluster, and the regression line of each."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sdclab.base.describe import Doc
from sdclab.experiment.scenario import Split
from sdclab.measures import measure
from sdclab.methods import fcrm
from sdclab.numerics.seeds import seed_of, stream
from sdclab.output.style import COLOURS, MARKERS, Title

DRAWS_RECORDS = True


def draw(
    tables: Mapping[str, pd.DataFrame],
    split: Split | None,
    *,
    title: Title,
    c: Annotated[Sequence[int], Doc("numbers of clusters, a panel each")] = (2, 3, 5),
) -> Figure:
    """One panel for each c, for a scenario with one dependent and one independent attribute."""
    assert split is not None
    figure = Figure(figsize=(3.2 * len(c), 3.4))
    panels = figure.subplots(1, len(c), sharey=True, squeeze=False)[0]
    for axes, clusters in zip(panels, c, strict=True):
        _panel(axes, *split, clusters)
    panels[0].set_ylabel("dependent attribute y")
    figure.suptitle(title, fontsize=9, x=0.02, ha="left")
    return figure


def _panel(axes: Axes, y: np.ndarray, x: np.ndarray, c: int) -> None:
    rng = stream(seed_of("regression_lines", c))
    basis = fcrm.design(x, True, "lstsq")
    start = fcrm.start_partition(y, x, rng, c=c)
    found = fcrm.fit(basis, y[None], start[None])
    labels = found.memberships[0].argmax(axis=0)
    for i in range(c):
        here = labels == i
        colour = COLOURS[i % len(COLOURS)]
        axes.plot(x[here, 0], y[here, 0], MARKERS[i % len(MARKERS)], color=colour, ms=3, mfc="none", mew=0.8)
        line = basis @ found.coefficients[0, i, :, 0]
        order = np.flatnonzero(here)[np.argsort(x[here, 0])]
        axes.plot(x[order, 0], line[order], color=colour, lw=1.4)
    scores = measure("score", y, fcrm.generate(basis, found)[0], x)
    axes.set_title(f"c = {c}: PIL {scores['pil']:.1f}, DR {scores['dr']:.1f}", fontsize=8)
    axes.set_xlabel("independent attribute x")
