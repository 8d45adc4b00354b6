"""Where runs of fuzzy c-means end: the objectives of many restarts, by the way they start."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from sdclab.base.describe import Doc
from sdclab.clustering.search import Search
from sdclab.experiment.scenario import Split
from sdclab.numerics.linalg import standardised
from sdclab.numerics.seeds import seed_of, stream
from sdclab.output.style import COLOURS, Title

SAME = 1e-4
"""Objectives that agree to this share are one optimum."""


def draw(
    tables: Mapping[str, pd.DataFrame],
    split: Split | None,
    *,
    title: Title,
    c: Annotated[int, Doc("the number of clusters")] = 10,
    runs: Annotated[int, Doc("restarts of each kind")] = 200,
    columns: Annotated[int, Doc("how many of the scenario's dependents are clustered")],
) -> Figure:
    """Two histograms on one axis, random and spread records, with the share of runs that reach the best optimum."""
    assert split is not None
    records = standardised(split[0][:, :columns])
    search = Search(records, c, stream(seed_of("restarts", columns, c)))
    found = {"random records": search.random(runs), "spread records": search.spread(runs)}
    objectives = {label: np.array([p.objective for p in partitions]) for label, partitions in found.items()}
    together = np.concatenate(list(objectives.values()))
    best = together.min()
    edges = np.linspace(best, max(np.quantile(together, 0.99), 1.001 * best), 41)
    figure = Figure(figsize=(6.4, 4.6))
    panels = figure.subplots(2, 1, sharex=True)
    for i, (axes, (label, values)) in enumerate(zip(panels, objectives.items(), strict=True)):
        hits = float(np.mean(values <= best * (1 + SAME)))
        axes.hist(values, edges, color=COLOURS[i], alpha=0.7)
        missed = (1 - hits) ** 20
        axes.set_title(
            f"{label}: {100 * hits:.1f} % reach {best:.3f}; best of 20 misses it with p = {missed:.2g}", fontsize=8
        )
        axes.set_ylabel(f"runs of {runs}")
    panels[-1].set_xlabel("objective at the end of a run")
    figure.suptitle(title, fontsize=9, x=0.02, ha="left")
    return figure
