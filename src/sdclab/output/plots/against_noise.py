"""Objective, d1 and d2 of fuzzy clusters against the noise, ours and published."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import pandas as pd
from matplotlib.figure import Figure

from sdclab.base.describe import Doc
from sdclab.experiment.scenario import Split
from sdclab.measures import clusters
from sdclab.output.style import INK, Rows, Title, chosen, kinds, line_with_band

SHOWN = {"objective": "objective_protected", "d1": "d1", "d2": "d2"}
"""Columns of the table, and the numbers of the measure `clusters` that they hold."""


def draw(
    tables: Mapping[str, pd.DataFrame],
    split: Split | None,
    *,
    title: Title,
    labels: Annotated[Sequence[str], Doc("what to call the tables, one after the other")],
    rows: Rows = {},
) -> Figure:
    """One panel a quantity; a line for each table with a band of one SD, and the published points once."""
    figure = Figure(figsize=(6.4, 7.0))
    panels = figure.subplots(3, 1, sharex=True)
    shown = [chosen(table, rows).sort_values("noise_label") for table in tables.values()]
    for axes, (quantity, number) in zip(panels, SHOWN.items(), strict=True):
        for i, (table, label) in enumerate(zip(shown, labels, strict=True)):
            line_with_band(axes, table, "noise_label", quantity, label, i)
        printed = pd.to_numeric(shown[0][f"{quantity}_published"])
        axes.plot(shown[0]["noise_label"], printed, "o", mfc="white", mec=INK, ms=5, label="published")
        axes.set_ylabel(clusters.NUMBERS[number].axis)
    panels[-1].set_xlabel("noise: 10 × its standard deviation, in units of the variable's")
    panels[0].set_title(f"{title}\n{kinds(*shown)}", fontsize=9, loc="left")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
