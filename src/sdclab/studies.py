"""A study: one paper's scenarios, grid, tables and judgements, read from its file and checked before anything runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdclab import documents
from sdclab.data.manifest import Entry, entry
from sdclab.errors import SdclabError, unknown
from sdclab.grids import Cell, expand
from sdclab.measures import MEASURES
from sdclab.methods import METHODS
from sdclab.scenarios import Scenario


@dataclass(frozen=True)
class Study:
    """One paper: its cells, tables and published numbers."""

    name: str
    title: str
    scenarios: Mapping[str, Scenario]
    measures: Mapping[str, Mapping[str, Any]]
    cells: Sequence[Cell]
    tables: Mapping[str, Mapping[str, Any]]
    judgements: Sequence[Mapping[str, Any]]
    notes: Sequence[Mapping[str, Any]]

    def cells_of(self, table: str) -> list[Cell]:
        """The cells that stand in a table: those of its scenario."""
        scenario = self.tables[table]["scenario"]
        return [cell for cell in self.cells if cell.scenario == scenario]


def find(name: str, folder: Path) -> Path:
    """The file of a study by its name."""
    path = folder / f"{name}.yaml"
    if not path.is_file():
        raise unknown("study", name, (file.stem for file in folder.glob("*.yaml")), "config: studies")
    return path


def load(
    path: Path,
    schema: Path,
    datasets: Mapping[str, Entry],
    most_replicates: int | None = None,
    most_values: int | None = None,
) -> Study:
    """Read a study and refuse what could not run: unknown datasets, columns, methods, measures or parameters."""
    text = documents.load(path, schema)
    where = str(path)
    if text["study"] != path.stem:
        raise SdclabError(f"{where}: study is '{text['study']}' but must be the file's name, '{path.stem}'.")
    scenarios = {name: _scenario(name, roles, datasets, where) for name, roles in text["scenarios"].items()}
    for name, options in text["measures"].items():
        MEASURES.checked(name, options, where)
    replicates = min(text["replicates"], most_replicates or text["replicates"])
    cells = expand(text["study"], list(scenarios), text["grid"], replicates, most_values)
    for cell in cells:
        if cell.scenario not in scenarios:
            raise unknown("scenario", cell.scenario, scenarios, f"{where}: grid")
        METHODS.checked(cell.method, cell.parameters, f"{where}: grid")
    for name, table in text.get("tables", {}).items():
        if table["scenario"] not in scenarios:
            raise unknown("scenario", table["scenario"], scenarios, f"{where}: tables.{name}")
    for key in ("judgements", "notes"):
        for item in text.get(key, ()):
            if item["table"] not in text.get("tables", {}):
                raise unknown("table", item["table"], text.get("tables", {}), f"{where}: {key}")
    return Study(
        name=text["study"],
        title=text["title"],
        scenarios=scenarios,
        measures=text["measures"],
        cells=cells,
        tables=text.get("tables", {}),
        judgements=text.get("judgements", ()),
        notes=text.get("notes", ()),
    )


def _scenario(name: str, roles: Mapping[str, Any], datasets: Mapping[str, Entry], where: str) -> Scenario:
    place = f"{where}: scenarios.{name}"
    columns = entry(datasets, roles["dataset"], place).columns
    dependent, independent = tuple(roles["dependent"]), tuple(roles.get("independent", ()))
    for column in dependent + independent:
        if column not in columns:
            raise unknown("column", column, columns, place)
    return Scenario(name, roles["dataset"], dependent, independent)
