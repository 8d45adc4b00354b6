"""Propensity score utility against k, ours and published."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sdclab.experiment.scenario import Split
from sdclab.measures.propensity import NUMBERS
from sdclab.output.style import INK, Title, kinds, line_with_band

MODELS = ("literal", "cubic", "powers")


def draw(tables: Mapping[str, pd.DataFrame], split: Split | None, *, title: Title) -> Figure:
    """One panel a covariate model, one line a method; published points, the same in every panel, are hollow.

    The first table has our values by k, the others the published ones: by k, or with k among their parameters.
    """
    ours, *printed = tables.values()
    ours = ours.assign(parameters=ours["parameters"].fillna("")).sort_values("k")
    points = pd.concat([_published(table) for table in printed]).drop_duplicates()
    figure = Figure(figsize=(8.4, 4.2))
    panels = figure.subplots(1, len(MODELS), sharey=True)
    for axes, model in zip(panels, MODELS, strict=True):
        for i, ((method, parameters), rows) in enumerate(ours.groupby(["method", "parameters"])):
            line_with_band(axes, rows, "k", f"propensity_{model}", _label(str(method), str(parameters)), i)
        for marker, method in zip("PD", sorted(set(points["method"])), strict=False):
            rows = points[points["method"] == method]
            axes.plot(rows["k"], rows["value"], marker, mfc="white", mec=INK, ms=6, label=f"published, {method}")
        _frame(axes, f"model {model}")
    panels[0].set_ylabel(NUMBERS["propensity_*"].sentence)
    figure.suptitle(f"{title}\n{kinds(ours)}", fontsize=9, x=0.02, ha="left")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _published(table: pd.DataFrame) -> pd.DataFrame:
    """Method, k and published value of the rows on Thyroid that have all three."""
    rows = table[(table["dataset"] == "thyroid") & table["propensity_2n_up_published"].notna()]
    k = rows["k"] if "k" in rows else rows["parameters"].str.extract(r"^k=(\d+)$")[0]
    found = pd.DataFrame({"method": rows["method"], "k": k.astype(float), "value": rows["propensity_2n_up_published"]})
    return found[found["method"].isin(["hybrid", "hybrid_micro"])].dropna()


def _label(method: str, parameters: str) -> str:
    return f"{method}, no cluster below k" if "enforce=True" in parameters else method


def _frame(axes: Axes, name: str) -> None:
    axes.set(xscale="log", yscale="log", xlabel="k (records in a cluster, at least)")
    axes.set_xticks([20, 60, 120, 200, 400], ["20", "60", "120", "200", "400"], fontsize=7)
    axes.minorticks_off()
    axes.set_title(name, fontsize=8)
