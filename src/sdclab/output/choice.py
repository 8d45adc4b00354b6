"""What `sdclab map` leaves in a folder, for the owner of the file: a map, a ranking and a page."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from sdclab.base import files
from sdclab.experiment.choice import CARRIED, Choice, Row, best, may_be_made
from sdclab.microdata.manifest import UserFile
from sdclab.output import style
from sdclab.output.pages import choice as pages
from sdclab.output.plots import choices


def deliver(folder: Path, file: UserFile, made: Choice, notes: Sequence[str] = ()) -> Path:
    """Write it all into `folder/owner`, and say where the page is; its commands write to `folder/protected`."""
    owner = folder / "owner"
    title = f"Methods for {files.shown(file.file.name)}"
    commands = {
        row["method"]: pages.command(file, row, made.roles, folder / "protected")
        for row in best(made.ranked)
        if may_be_made(row)
    }
    columns = [name for name in made.ranked[0] if name not in CARRIED]
    svg = _draw(made.lines, title, owner)
    files.write(owner / "ranking.csv", files.csv_text(columns, made.ranked))
    files.write(owner / "ranking.md", pages.markdown(made.ranked, title))
    files.write(owner / "index.html", pages.page(title, made, notes, commands, svg))
    return owner / "index.html"


def _draw(lines: Sequence[Row], title: str, folder: Path) -> str:
    """The map as files, and the text of the SVG."""
    figure = choices.draw({"map": pd.DataFrame(lines)}, None, title=style.plain(title))
    for ending in ("svg", "png"):
        style.save(figure, folder / f"map.{ending}")
    return files.read(folder / "map.svg").decode()
