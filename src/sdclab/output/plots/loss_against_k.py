"""Information loss against k: fuzzy data modification and its hybrid, ours and published."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sdclab.experiment.scenario import Split
from sdclab.measures.information_loss import NUMBERS
from sdclab.output.style import FAINT, INK, Title, kinds, line_with_band

HYBRID = {
    "information_loss": ("hybrid, original ranges", 1),
    "cluster_loss_remeasured": ("hybrid, re-measured ranges", 2),
}
"""Quantities of the hybrid: label and place among the looks of lines."""


def draw(tables: Mapping[str, pd.DataFrame], split: Split | None, *, title: Title) -> Figure:
    """One column a membership function: the losses, and below them the hybrid's as a share of FDM's, claimed < 1."""
    (table,) = tables.values()
    table = table.sort_values("k", kind="stable")
    functions = [name for name in table["membership"].unique() if isinstance(name, str)]
    figure = Figure(figsize=(9.6, 5.6))
    panels = figure.subplots(2, len(functions), sharex=True, sharey="row", squeeze=False, height_ratios=(3, 2))
    for (upper, lower), name in zip(panels.T, functions, strict=True):
        chosen = table[table["membership"] == name]
        line_with_band(upper, table[table["method"] == "k_member"], "k", "information_loss", "crisp k-member", 3)
        _function(upper, lower, *(chosen[chosen["method"] == method] for method in ("fdm", "hybrid")))
        upper.set_title(name, fontsize=9)
        lower.axhline(1, color=FAINT, lw=0.8)
        lower.set_xlabel("k")
    first, below = panels[:, 0]
    ticks = sorted(table["k"].unique())
    first.set(xscale="log", yscale="log", ylabel=NUMBERS["information_loss"].axis)
    below.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    below.minorticks_off()
    below.set_ylabel("hybrid / FDM")
    figure.suptitle(f"{title}\n{kinds(table)}", fontsize=9, x=0.02, ha="left")
    figure.legend(*first.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _function(upper: Axes, lower: Axes, fdm: pd.DataFrame, hybrid: pd.DataFrame) -> None:
    """The lines and published points of one membership function."""
    line_with_band(upper, fdm, "k", "information_loss", "FDM", 0)
    for quantity, (label, look) in HYBRID.items():
        line_with_band(upper, hybrid, "k", quantity, label, look)
        line_with_band(lower, _share(hybrid, fdm, quantity), "k", quantity, label, look)
    printed = [pd.to_numeric(rows.set_index("k")["information_loss_published"]).dropna() for rows in (fdm, hybrid)]
    for axes, values, marker, label in (
        (upper, printed[0], "o", "FDM, published"),
        (upper, printed[1], "s", "hybrid, published"),
        (lower, (printed[1] / printed[0]).dropna(), "s", "hybrid, published"),
    ):
        axes.plot(values.index, values, marker, mfc="white", mec=INK, ms=6, ls="none", label=label)


def _share(hybrid: pd.DataFrame, fdm: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """The hybrid's losses divided by FDM's at the same k."""
    whole = hybrid["k"].map(fdm.set_index("k")["information_loss"])
    names = [quantity, f"{quantity}_sd"]
    return hybrid.assign(**{name: hybrid[name] / whole for name in names})
