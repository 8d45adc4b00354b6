"""A study: one paper's scenarios, grid, tables and judgements, read from its file and checked before anything runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdclab.base import documents
from sdclab.base.errors import SdclabError, unknown
from sdclab.evidence.side_by_side import panels_of, stands_in
from sdclab.experiment.grid import Cell, expand
from sdclab.experiment.scenario import AnyScenario, Rotation, Scenario
from sdclab.measures import MEASURES
from sdclab.methods import METHODS
from sdclab.microdata.manifest import Entry, entry, file_entry
from sdclab.output.plots import PLOTS


@dataclass(frozen=True)
class Study:
    """One paper: its cells, tables and published numbers."""

    name: str
    title: str
    datasets: Mapping[str, Entry]
    scenarios: Mapping[str, AnyScenario]
    measures: Mapping[str, Mapping[str, Any]]
    own_measures: Mapping[str, Mapping[str, Any]]
    cells: Sequence[Cell]
    left_out: Sequence[Cell]
    """cells of the grid that a thinned run does without"""
    tables: Mapping[str, Mapping[str, Any]]
    figures: Mapping[str, Mapping[str, Any]]
    sensitivities: Mapping[str, Mapping[str, Any]]
    judgements: Sequence[Mapping[str, Any]]
    notes: Sequence[Mapping[str, Any]]

    @property
    def published(self) -> frozenset[str]:
        """The published tables that this study answers; a study of one's own file has none."""
        named = {spec.get("published", name) for name, spec in self.tables.items()}
        return frozenset(named - {None})

    def cells_of(self, table: str) -> list[Cell]:
        """The cells that stand in a table."""
        panels = panels_of(self.tables[table])
        return [cell for cell in self.cells if any(stands_in(cell, panel) for panel in panels)]

    def measures_of(self, scenario: str) -> dict[str, Mapping[str, Mapping[str, Any]]]:
        """The measures of a scenario, its own or the study's, for any data and for the original (`original`)."""
        own = self.own_measures.get(scenario, {})
        always = own.get("measures", self.measures)
        return {"any": always, "original": own.get("measures_on_original", always)}


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
    own_datasets = {
        name: file_entry(name, values, f"{where}: datasets.{name}") for name, values in text.get("datasets", {}).items()
    }
    datasets = united(datasets, own_datasets, where)
    scenarios = {name: _scenario(name, roles, datasets, where) for name, roles in text["scenarios"].items()}
    keys = ("measures", "measures_on_original")
    own = {name: {k: roles[k] for k in keys if k in roles} for name, roles in text["scenarios"].items()}
    for measured in (text["measures"], *(part for parts in own.values() for part in parts.values())):
        for name, options in measured.items():
            MEASURES.checked(name, options, where)
    grid = text["study"], list(scenarios), text["grid"], text["replicates"]
    cells = expand(*grid, most_values, most_replicates)
    chosen = {cell.name for cell in cells}
    study = Study(
        name=text["study"],
        title=text["title"],
        datasets=own_datasets,
        scenarios=scenarios,
        measures=text["measures"],
        own_measures=own,
        cells=cells,
        left_out=[cell for cell in expand(*grid) if cell.name not in chosen],
        tables=text.get("tables", {}),
        figures=text.get("figures", {}),
        sensitivities={
            name: {"replicates": text["replicates"], **spec} for name, spec in text.get("sensitivities", {}).items()
        },
        judgements=text.get("judgements", ()),
        notes=text.get("notes", ()),
    )
    _check_cells(study, where)
    _check_references(study, where)
    return study


def united(datasets: Mapping[str, Entry], own: Mapping[str, Entry], where: str) -> dict[str, Entry]:
    """All datasets together; a study's own may not be called like another."""
    for name in own:
        if name in datasets:
            raise SdclabError(f"{where}: datasets.{name}: another dataset has this name already.")
    return {**datasets, **own}


def _check_cells(study: Study, where: str) -> None:
    for cell in study.cells:
        if cell.scenario not in study.scenarios:
            raise unknown("scenario", cell.scenario, study.scenarios, f"{where}: grid")
        takes = study.scenarios[cell.scenario].takes
        for key in takes:
            if key not in cell.parameters:
                place = f"{where}: grid: method {cell.method}"
                raise SdclabError(f"{place}: scenario {cell.scenario} needs the parameter {key}.")
        own = {key: value for key, value in cell.parameters.items() if key not in takes}
        METHODS.checked(cell.method, own, f"{where}: grid")


def _check_references(study: Study, where: str) -> None:
    """Every scenario, table and plot that another part of the study names must exist."""
    parts = {"tables": study.tables, "figures": study.figures, "sensitivities": study.sensitivities}
    for part, specs in parts.items():
        for name, spec in specs.items():
            _check_scenarios(study, spec, f"{where}: {part}.{name}", needed=part == "tables")
    for name, figure in study.figures.items():
        PLOTS.module(figure["plot"], f"{where}: figures.{name}")  # its options are checked when it is drawn
    named = {
        "figures": [table for spec in study.figures.values() for table in spec.get("tables", ())],
        "judgements": [table for rule in study.judgements for table in rule["tables"]],
        "notes": [table for note in study.notes for table in note["tables"]],
        "sensitivities": [spec["table"] for spec in study.sensitivities.values()],
    }
    for part, tables in named.items():
        for table in tables:
            if table not in study.tables:
                raise unknown("table", table, study.tables, f"{where}: {part}")


def _check_scenarios(study: Study, spec: Mapping[str, Any], where: str, needed: bool) -> None:
    for panel in panels_of(spec):
        scenario = panel.get("scenario")
        if scenario is None and needed:
            raise SdclabError(f"{where}: the key 'scenario' is missing.")
        if scenario is not None and scenario not in study.scenarios:
            raise unknown("scenario", scenario, study.scenarios, where)


def _scenario(name: str, roles: Mapping[str, Any], datasets: Mapping[str, Entry], where: str) -> AnyScenario:
    place = f"{where}: scenarios.{name}"
    columns = entry(datasets, roles["dataset"], place).columns
    scenario: AnyScenario
    if "rotate" in roles:
        scenario = Rotation(name, roles["dataset"], tuple(roles["rotate"]))
    else:
        independent = tuple(roles.get("independent", ()))
        scenario = Scenario(name, roles["dataset"], tuple(roles["dependent"]), independent)
        scenario.check_roles(place)
    for column in scenario.columns:
        if column not in columns:
            raise unknown("column", column, columns, place)
    return scenario
