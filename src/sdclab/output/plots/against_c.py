"""PIL and DR against the number of clusters c, ours and published."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import pandas as pd
from matplotlib.figure import Figure

from sdclab.base.describe import Doc
from sdclab.experiment.scenario import Split
from sdclab.measures.score import NUMBERS
from sdclab.output.style import INK, Title, kinds, line_with_band

WIDE = 10
"""When the largest c is this many times the smallest, the axis is logarithmic."""


def draw(
    tables: Mapping[str, pd.DataFrame],
    split: Split | None,
    *,
    title: Title,
    labels: Annotated[Sequence[str], Doc("what to call the tables, one after the other")] = ("reproduced",),
) -> Figure:
    """One panel a measure; a line for each table with a band of one SD, and the published points once."""
    figure = Figure(figsize=(6.4, 6.0))
    upper, lower = figure.subplots(2, 1, sharex=True)
    chosen = [table[table["method"] == "fcrm"].sort_values("c") for table in tables.values()]
    for axes, quantity in ((upper, "pil"), (lower, "dr")):
        for i, (table, label) in enumerate(zip(chosen, labels, strict=True)):
            line_with_band(axes, table, "c", quantity, label, i)
        printed = chosen[0][chosen[0][f"{quantity}_published"].notna()]
        axes.plot(printed["c"], printed[f"{quantity}_published"], "o", mfc="white", mec=INK, ms=5, label="published")
        axes.set_ylabel(NUMBERS[quantity].axis)
        axes.set_ylim(bottom=0)
    lower.set_xlabel("number of clusters c")
    c = chosen[0]["c"]
    if c.max() >= WIDE * c.min():
        lower.set_xscale("log")
        ticks = [tick for tick in (2, 5, 10, 20, 40, 80) if c.min() <= tick <= c.max()]
        lower.set_xticks(ticks, map(str, ticks))
        lower.minorticks_off()
    upper.set_title(f"{title}\n{kinds(*chosen)}", fontsize=9, loc="left")
    figure.legend(*upper.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
