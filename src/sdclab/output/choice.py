"""What `sdclab map` leaves in a folder, for the owner of the file: a map, a ranking and a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from sdclab.base import files
from sdclab.base.errors import unknown
from sdclab.experiment.choice import Choice, choose
from sdclab.experiment.file import prepare
from sdclab.experiment.ranking import CARRIED, aim_of, best, may_be_made, verdict
from sdclab.methods import METHODS
from sdclab.microdata.dataset import Missing
from sdclab.microdata.declaration import Declaration, types_of
from sdclab.microdata.manifest import UserFile
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.roles import Roles
from sdclab.output import style
from sdclab.output.pages import choice as pages
from sdclab.output.plots import choices


def deliver(folder: Path, file: UserFile, made: Choice, notes: Sequence[str] = (), said: Sequence[str] = ()) -> Path:
    """Write it all into `folder/owner`, and say where the page is; its commands write to `folder/protected`.

    `said`: options about types and rules, which they repeat.
    """
    owner = folder / "owner"
    title = f"Methods for {files.shown(file.file.name)}"
    commands = {
        row["method"]: pages.command(file, row, made.roles, folder / "protected", said)
        for row in best(made.ranked)
        if may_be_made(row)
    }
    columns = [name for name in made.ranked[0] if name not in CARRIED]
    figure = _figure(made, title)
    for ending in ("svg", "png"):
        style.save(figure, owner / f"map.{ending}")
    files.write(owner / "ranking.csv", files.csv_text(columns, made.ranked))
    files.write(owner / "ranking.md", pages.markdown(made, title))
    files.write(owner / "index.html", pages.page(title, made, notes, commands))
    return owner / "index.html"


def _figure(made: Choice, title: str) -> Figure:
    table = {"map": pd.DataFrame(made.lines)}
    return choices.draw(table, None, title=style.plain(title), x=made.aim.loss, y=made.aim.risk)


@dataclass(frozen=True)
class Map:
    """Every method tried on a DataFrame: `ranking` has a line a point, the best first."""

    made: Choice
    title: str

    @property
    def ranking(self) -> pd.DataFrame:
        return pd.DataFrame(self.made.ranked).drop(columns=list(CARRIED))

    @property
    def figure(self) -> Figure:
        """The risk-utility map."""
        return _figure(self.made, self.title)

    @property
    def page(self) -> str:
        """All of it as a page that needs nothing else; it shows no value of a record."""
        return pages.page(self.title, self.made)

    @property
    def verdict(self) -> str:
        """What to release and why, and what not."""
        return " ".join(verdict(self.made.ranked, self.made.aim))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What columns that are released as they are give away, and what can be read off the first of the ranking."""
        return self.made.warnings

    @property
    def refusals(self) -> list[str]:
        """Why methods, or some parameters of them, could not run."""
        return self.made.explored.refusals()

    def best(self, method: str) -> dict[str, Any]:
        """The parameters of a method's best point: `sdclab.protect(frame, method, **choice.best(method))`."""
        for row in best(self.made.ranked):
            if row["method"] == METHODS.spelled(method):
                return dict(row["cell"].parameters)
        raise unknown("method", method, {row["method"] for row in self.made.ranked}, "this map")


def map_frame(
    data: pd.DataFrame,
    *,
    dependent: Sequence[str] = (),
    independent: Sequence[str] = (),
    pass_through: Sequence[str] = (),
    drop: Sequence[str] = (),
    methods: Sequence[str] = (),
    replicates: int = 1,
    types: Mapping[str, Any] | None = None,
    rules: Sequence[str] = (),
    missing: Missing = "keep",
    key: Sequence[str] = (),
    target: Sequence[str] = (),
    x: str = "",
    y: str = "",
    limits: Sequence[str] = (),
    title: str = "Methods for the DataFrame",
) -> Map:
    """Try every method that can run on a DataFrame, or the ones named, and rank what they lose and give away.

    The least loss `x` (by default `tables`) within the `limits` (by default `membership <= 60`) comes first; `y` is the
    risk on the map. `key` names what an intruder may know, `target` what an intruder wants to know.
    """
    aim = aim_of(x, y, limits)
    names = tuple(map(METHODS.spelled, methods))
    for name in names:
        METHODS.module(name)
    table = Microdata.of_frame(data)
    roles = Roles.of(table, dependent, independent, pass_through, drop, key, target)
    said = Declaration(types_of(types or {}, "types"), tuple(rules))
    return Map(choose(prepare(table, roles, said, missing), names, replicates, aim=aim), title)
