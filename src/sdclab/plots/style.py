"""One look for all figures, and files that are the same bytes every time."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib.figure import Figure

from sdclab.files import replacing

matplotlib.rcParams.update(
    {
        "axes.spines.right": False,
        "axes.spines.top": False,
        "figure.constrained_layout.use": True,
        "figure.dpi": 150,
        "font.size": 9,
        "legend.frameon": False,
        "svg.fonttype": "none",
        "svg.hashsalt": "sdclab",
    }
)

INK, FAINT = "#1a1a1a", "#b0b0b0"


def save(figure: Figure, path: Path | str) -> None:
    """Write as SVG or PNG by the path's ending, without the date that would make two runs differ."""
    kind = Path(path).suffix.lstrip(".")
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with replacing(path) as temporary:
        figure.savefig(temporary, format=kind, metadata=metadata)
