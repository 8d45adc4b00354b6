"""A study's datasets: where one comes from, and what a scenario makes of it.

What needs pandas is imported where it is used: most jobs do without.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sdclab.base.errors import SdclabError, listed
from sdclab.experiment.scenario import AnyScenario
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.manifest import Entry, UserFile
from sdclab.microdata.retrieve import Places, retrieve, verify

if TYPE_CHECKING:
    from sdclab.microdata.microdata import Microdata, Say


def dataset_of(entry: Entry, places: Places, download: bool, say: "Say") -> Dataset:
    """The best dataset to be had; `say` hears what is to be known about it."""
    if entry.user_file is None:
        return retrieve(entry, places, download, say)
    return _of_file(entry, entry.user_file, say)


def read(scenario: AnyScenario, table: Path, about: Path) -> Dataset:
    """A prepared dataset as a scenario takes it: with types, if it says so."""
    dataset = Dataset.read(table, about)
    if scenario.types is None:
        return replace(dataset, attributes=())
    from sdclab.microdata.typed import typed

    return typed(dataset, scenario.columns, scenario.types)


def _of_file(entry: Entry, file: UserFile, say: "Say") -> Dataset:
    """The columns of a user's file, as `sdclab map` would take them, all of them dependent."""
    from sdclab.experiment.file import prepare
    from sdclab.microdata.declaration import Declaration
    from sdclab.microdata.reading import read
    from sdclab.microdata.roles import Roles

    table = read(file.file, file.line_breaks, file.header, say)
    columns = entry.columns or _usable(table, entry, say)
    dropped: list[str] = []
    prepared = prepare(table, Roles(columns, ()), Declaration(entry.types), file.missing, dropped.append)
    for line in dropped:
        say(line)
    source = "; ".join(dropped) or table.file  # pages say where a dataset comes from, so they tell what was dropped
    dataset = replace(prepared.dataset, name=entry.name, source=source)
    verify(dataset, entry.sha256)
    return dataset


def _usable(table: "Microdata", entry: Entry, say: "Say") -> tuple[str, ...]:
    """All columns that can be protected, or of which a type is declared; `say` hears of the others."""
    from sdclab.microdata.roles import unfit

    others = [name for name in table.columns if name not in entry.types]
    problems = {name: "names the rows" if name == table.row_names else unfit(table, name) for name in others}
    left_out = {name: problem for name, problem in problems.items() if problem}
    if left_out:
        say(f"{table.file}: left out: {listed([f'{name} {problem}' for name, problem in left_out.items()])}")
    if len(left_out) == len(table.columns):
        raise SdclabError(f"{table.file}: no column can be used.")
    return tuple(name for name in table.columns if name not in left_out)
