"""One look for all figures, and files that are the same bytes every time."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import matplotlib
import pandas as pd

matplotlib.use("Agg")

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sdclab.base.describe import Doc
from sdclab.base.files import replacing
from sdclab.experiment.selection import Selection

matplotlib.rcParams.update(
    {
        "axes.spines.right": False,
        "axes.spines.top": False,
        "figure.constrained_layout.use": True,
        "figure.dpi": 150,
        "font.sans-serif": ["DejaVu Sans", "Verdana"],  # few, since every word of a drawing names them
        "font.size": 9,
        "legend.frameon": False,
        "svg.fonttype": "none",
        "svg.hashsalt": "sdclab",
    }
)

INK, FAINT = "#1a1a1a", "#b0b0b0"
COLOURS = ("#1a1a1a", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#6a3d9a", "#8c564b")
"""Told apart by the colour-blind; markers and line styles tell them apart in grey."""
STYLES = ("-", "--", "-.", ":")
MARKERS = "osD^vP*X<>hp"

Title = Annotated[str, Doc("what stands above the figure")]
Rows = Annotated[Mapping[str, Sequence[Any]], Doc("the rows to draw: columns, each with the values that it may have")]


def plain(text: str) -> str:
    """A title as it was written: matplotlib takes what stands between two dollar signs for mathematics."""
    return text.replace("$", r"\$")


def chosen(table: pd.DataFrame, rows: Mapping[str, Sequence[Any]]) -> pd.DataFrame:
    """The rows of a table that are to be drawn; what a row does not have is empty."""
    asked = table.reindex(columns=list(rows)).astype(object).fillna("").to_dict("records")
    return table[[Selection(rows).includes({str(key): value for key, value in row.items()}) for row in asked]]


def kinds(*tables: pd.DataFrame) -> str:
    """The kinds of data behind tables, for a title."""
    return "data: " + ", ".join(sorted({kind for table in tables for kind in table["dataset_kind"].dropna()}))


def line_with_band(axes: Axes, table: pd.DataFrame, x: str, quantity: str, label: str, i: int) -> None:
    """A mean over x with a band of one standard deviation, cut off at 0, in the look of the i-th line of a figure."""
    ours = table[table[quantity].notna()]
    mean, spread = ours[quantity], ours[f"{quantity}_sd"].fillna(0)
    colour = COLOURS[i % len(COLOURS)]
    axes.fill_between(ours[x], (mean - spread).clip(lower=0), mean + spread, color=colour, alpha=0.2, lw=0)
    style, marker = STYLES[i % len(STYLES)], MARKERS[i % len(MARKERS)]
    axes.plot(ours[x], mean, color=colour, lw=1, ls=style, marker=marker, ms=3.5, label=label)


def save(figure: Figure, path: Path | str) -> None:
    """Write as SVG or PNG by the path's ending, without the date that would make two runs differ."""
    kind = Path(path).suffix.lstrip(".")
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with replacing(path) as temporary:
        figure.savefig(temporary, format=kind, metadata=metadata)
