"""How far numbers of a table order its rows alike."""

from math import nan
from typing import Any

import pandas as pd

from sdclab.experiment.table import Table
from sdclab.numerics.ties import equated

FEWEST = 3
"""Rows that make an order worth comparing."""


def rank_correlation(a: "pd.Series[Any]", b: "pd.Series[Any]") -> float:
    """Spearman's correlation over the rows that have both; what is equal up to rounding shares a rank."""
    both = pd.DataFrame({"a": a, "b": b}).dropna()
    if len(both) < FEWEST:
        return nan
    ranked = both.apply(lambda column: pd.Series(equated(column.to_numpy(dtype=float))).rank())
    return float(ranked["a"].corr(ranked["b"])) if (ranked.nunique() > 1).all() else nan


def rank_correlations(rows: pd.DataFrame, table: Table) -> pd.DataFrame:
    """A line for each part of the table and each of the numbers `of`: its correlation with every other."""
    asked = table.correlations
    if asked is None:
        return pd.DataFrame()
    lines = []
    parts = rows.groupby(list(table.parts), sort=False) if table.parts else [((), rows)]
    for part, here in parts:
        for name in asked.of:
            found = {other: rank_correlation(here[name], here[other]) for other in asked.among}
            lines.append({**dict(zip(table.parts, part, strict=True)), "number": name, "rows": len(here), **found})
    return pd.DataFrame(lines)
