"""A study: one paper's scenarios, grid, tables, figures, judgements; parsed once and checked before anything runs."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sdclab import methods
from sdclab.base import documents
from sdclab.base.errors import SdclabError, unknown
from sdclab.base.registry import Registry
from sdclab.experiment.cell import Cell
from sdclab.experiment.grid import GridEntry, check_names, expand, values_of
from sdclab.experiment.judgement import Judgement, Note, Scope, parse_judgement, parse_note
from sdclab.experiment.limits import UNLIMITED, Limits
from sdclab.experiment.multiverse import Multiverse, check_multiverse, parse_multiverse
from sdclab.experiment.options import MeasuresByKind, Options, changed
from sdclab.experiment.scenario import AnyScenario, Rotation, Scenario
from sdclab.experiment.table import Table, parse_tables
from sdclab.measures import MEASURES
from sdclab.methods import METHODS
from sdclab.microdata.declaration import Declared, types_of
from sdclab.microdata.manifest import Entry, entry, file_entry
from sdclab.microdata.rules import Rule, Rules, check_together, parse

IN_THE_TABLES = "as in the tables"


@dataclass(frozen=True)
class Figure:
    """A plot of some tables, or of a scenario's data."""

    study: str
    name: str
    title: str
    plot: str
    tables: tuple[str, ...]
    scenario: str | None
    options: Options


@dataclass(frozen=True)
class Sensitivity:
    """How far a quantity of a measure depends on the measure's options, each changed alone, over some cells."""

    study: str
    name: str
    title: str
    scenario: str
    table: str
    """the table that holds the published values"""
    cells: tuple[Cell, ...]
    measure: str
    quantity: str
    base: Options
    """the options that the tables were made with"""
    options: Options
    """option -> values, nested as the measure nests them"""

    @property
    def variants(self) -> dict[str, Options]:
        """What the tables were made with, then every single option value: label -> all options of the measure."""
        others = {
            f"{'.'.join(path)} = {value}": changed(self.base, path, value) for path, value in _leaves(self.options)
        }
        return {IN_THE_TABLES: self.base, **others}


def _leaves(options: Options, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, choice in options.items():
        if isinstance(choice, Mapping):
            yield from _leaves(choice, (*path, name))
        else:
            yield from (((*path, name), value) for value in values_of(choice))


@dataclass(frozen=True)
class Study:
    """One paper, or one's own file: its cells, tables, figures and published numbers."""

    name: str
    title: str
    datasets: Mapping[str, Entry]
    """those that the study brings along"""
    scenarios: Mapping[str, AnyScenario]
    measured: Mapping[str, MeasuresByKind]
    """by scenario"""
    cells: tuple[Cell, ...]
    left_out: tuple[Cell, ...]
    """cells of the grid that a thinned run does without"""
    tables: Mapping[str, Table]
    figures: Mapping[str, Figure]
    sensitivities: Mapping[str, Sensitivity]
    multiverses: Mapping[str, Multiverse]
    judgements: tuple[Judgement, ...]
    notes: tuple[Note, ...]
    papers: tuple[str, ...] = ()
    """what it reproduces, by the names of references in CITATION.cff"""
    claim: str = ""
    """what they say that they show"""

    @property
    def published(self) -> frozenset[str]:
        """The published tables that this study answers; a study of one's own file has none."""
        return frozenset(table.published for table in self.tables.values() if table.published is not None)

    def cells_of(self, table: Table) -> tuple[Cell, ...]:
        """The cells that stand in a table."""
        return tuple(filter(table.holds, self.cells))

    def multiverse_of(self, table: str, quantity: str) -> Multiverse | None:
        """The multiverse of a published quantity, if one is declared."""
        every = self.multiverses.values()
        return next((each for each in every if each.table.name == table and quantity in each.quantities), None)

    def judgement_of(self, table: str, quantity: str, row: Mapping[str, Any]) -> Judgement | None:
        """The first judgement that covers a number."""
        return next((each for each in self.judgements if each.scope.covers(table, quantity, row)), None)

    def only(self, names: Collection[str]) -> "Study":
        """The study with some of its tables, and what belongs to them: their cells, figures and readings."""
        tables = {name: self.tables[name] for name in names}
        figures = {key: each for key, each in self.figures.items() if each.tables and {*each.tables} <= {*names}}
        return replace(
            self,
            cells=tuple(cell for cell in self.cells if any(table.holds(cell) for table in tables.values())),
            tables=tables,
            figures=figures,
            sensitivities={},
            multiverses={key: each for key, each in self.multiverses.items() if each.table.name in tables},
        )


def find(name: str, folder: Path) -> Path:
    """The file of a study by its name."""
    path = folder / f"{name}.yaml"
    if not path.is_file():
        raise unknown("study", name, (file.stem for file in folder.glob("*.yaml")), "config: studies")
    return path


def load(path: Path, schema: Path, datasets: Mapping[str, Entry], plots: Registry, limits: Limits = UNLIMITED) -> Study:
    """Read a study and refuse what could not run: unknown datasets, columns, methods, measures, plots or options."""
    given = documents.load(path, schema)
    where = str(path)
    if given["study"] != path.stem:
        raise SdclabError(f"{where}: study is '{given['study']}' but must be the file's name, '{path.stem}'.")
    study = _parsed(given, where, datasets, limits)
    for cell in (*study.cells, *(cell for each in study.sensitivities.values() for cell in each.cells)):
        _check_cell(cell, study, where)
    for measured in study.measured.values():
        _check_measures(measured, where)
    _check_references(study, where)
    _check_figures(study, plots, where)
    for multiverse in study.multiverses.values():
        _check_multiverse(multiverse, study, where)
    return study


def _parsed(given: Mapping[str, Any], where: str, datasets: Mapping[str, Entry], limits: Limits) -> Study:
    name, replicates = given["study"], given["replicates"]
    brought = {
        key: file_entry(key, values, f"{where}: datasets.{key}") for key, values in given.get("datasets", {}).items()
    }
    known = with_datasets(datasets, brought, where)
    scenarios = {key: _scenario(key, values, known, where) for key, values in given["scenarios"].items()}
    grid = [GridEntry.parse(each, scenarios, replicates, f"study {name}: grid") for each in given["grid"]]
    cells = expand(name, grid, limits)
    chosen = {cell.name for cell in cells}
    measured = {key: _measured(given, key, limits) for key in scenarios}
    names = dict.fromkeys(name for each in measured.values() for name in each.names if name in MEASURES)
    tables = parse_tables(name, given.get("tables", {}), given.get("table_defaults", {}), where)
    return Study(
        name=name,
        title=given["title"],
        datasets=brought,
        scenarios=scenarios,
        measured=measured,
        cells=tuple(cells),
        left_out=tuple(cell for cell in expand(name, grid) if cell.name not in chosen),
        tables=tables,
        figures={key: _figure(name, key, each, limits) for key, each in given.get("figures", {}).items()},
        sensitivities={
            key: _sensitivity(name, key, each, replicates, limits)
            for key, each in given.get("sensitivities", {}).items()
        },
        multiverses={
            key: parse_multiverse(name, key, each, tables, list(names), limits)
            for key, each in given.get("multiverses", {}).items()
        },
        judgements=tuple(map(parse_judgement, given.get("judgements", ()))),
        notes=tuple(map(parse_note, given.get("notes", ()))),
        papers=tuple(given.get("papers", ())),
        claim=given.get("claim", ""),
    )


def with_datasets(datasets: Mapping[str, Entry], more: Mapping[str, Entry], where: str) -> dict[str, Entry]:
    """All datasets together; what a study brings along may not be called like another."""
    for name in more:
        if name in datasets:
            raise SdclabError(f"{where}: datasets.{name}: another dataset has this name already.")
    return {**datasets, **more}


def _scenario(name: str, given: Mapping[str, Any], datasets: Mapping[str, Entry], where: str) -> AnyScenario:
    place = f"{where}: scenarios.{name}"
    source = entry(datasets, given["dataset"], place)
    scenario: AnyScenario
    if "rotate" in given:
        if given.get("typed") or "types" in given:
            raise SdclabError(f"{place}: rotates numbers as they are, so it cannot be typed.")
        for key in ("rules", "rounded"):
            if key in given:
                raise SdclabError(f"{place}: rotates the dependent, so it cannot have {key}.")
        scenario = Rotation(name, given["dataset"], tuple(given["rotate"]))
    else:
        roles = (tuple(given["dependent"]), tuple(given.get("independent", ())))
        scenario = Scenario(name, given["dataset"], *roles)
        scenario = replace(scenario, types=_types(given, source, scenario.columns, place))
        scenario.check_roles(place)
        kept = given.get("keep_rules", True)
        rules, rounded = _rules(given, scenario, kept, place), given.get("rounded", False)
        scenario = replace(scenario, rules=rules, keep_rules=kept, rounded=rounded)
    for column in scenario.columns:
        if source.columns and column not in source.columns:
            raise unknown("column", column, source.columns, place)
    return scenario


def _types(
    given: Mapping[str, Any], source: Entry, columns: Sequence[str], place: str
) -> Mapping[str, Declared] | None:
    """What is said of a scenario's columns, if it is typed: by itself, else by the manifest.

    A user's file is always typed, and its dataset knows already what is said of it elsewhere.
    """
    own = source.user_file is not None
    said = types_of(given.get("types", {}), f"{place}.types")
    for column in said:
        if column not in columns:
            raise unknown("column", column, columns, f"{place}.types")
    if not given.get("typed", own or bool(said)):
        if own or said:
            why = "a file of one's own is typed" if own else "it has types"
            raise SdclabError(f"{place}: typed is false, but {why}.")
        return None
    return said if own else {column: source.types[column] for column in columns if column in source.types} | said


def _rules(given: Mapping[str, Any], scenario: Scenario, kept: bool, place: str) -> tuple[Rule, ...]:
    """What must hold between numbers of a scenario; whether the original keeps it is seen when it is read."""
    types = scenario.types or {}
    numbers = [column for column in scenario.columns if not types.get(column, Declared()).is_categories]
    rules = tuple(parse(text, numbers, f"{place}.rules") for text in given.get("rules", ()))
    check_together(rules, scenario.columns)
    if kept and rules and not Rules(rules, scenario.dependent, scenario.independent).modelled:
        raise SdclabError(f"{place}.rules: give every dependent, so that none is left to protect.")
    return rules


def _measured(given: Mapping[str, Any], scenario: str, limits: Limits) -> MeasuresByKind:
    """A scenario's own measures, or the study's."""
    said = given["scenarios"][scenario]
    always = said.get("measures", given["measures"])
    return MeasuresByKind(limits.options(always), limits.options(said.get("measures_on_original", always)))


def _figure(study: str, name: str, given: Mapping[str, Any], limits: Limits) -> Figure:
    options = limits.options(given.get("options", {}))
    tables = tuple(given.get("tables", ()))
    return Figure(study, name, given["title"], given["plot"], tables, given.get("scenario"), options)


def _sensitivity(study: str, name: str, given: Mapping[str, Any], replicates: int, limits: Limits) -> Sensitivity:
    where = f"study {study}: sensitivities.{name}"
    count = given.get("replicates", replicates)
    grid = [GridEntry.parse(each, [given["scenario"]], count, where) for each in given["cells"]]
    return Sensitivity(
        study=study,
        name=name,
        title=given["title"],
        scenario=given["scenario"],
        table=given["table"],
        cells=tuple(expand(study, grid, limits)),
        measure=given["measure"],
        quantity=given["quantity"],
        base=given.get("base", {}),
        options=given["options"],
    )


def _check_cell(cell: Cell, study: Study, where: str) -> None:
    if cell.scenario not in study.scenarios:
        raise unknown("scenario", cell.scenario, study.scenarios, f"{where}: grid")
    takes = study.scenarios[cell.scenario].takes
    for key in takes:
        if key not in cell.parameters:
            place = f"{where}: grid: method {cell.method}"
            raise SdclabError(f"{place}: scenario {cell.scenario} needs the parameter {key}.")
    parameters = {key: value for key, value in cell.parameters.items() if key not in takes}
    METHODS.checked(cell.method, parameters, f"{where}: grid")
    scenario = study.scenarios[cell.scenario]
    if isinstance(scenario, Scenario) and scenario.dataset not in study.datasets:  # a file shows its types when read
        scenario.declared.check_taken(f"{where}: grid: method {cell.method}", methods.takes(cell.method))


def _check_multiverse(made: Multiverse, study: Study, where: str) -> None:
    place = f"{where}: multiverses.{made.name}"
    cells = made.cells(cell for _, cell in made.bases(study.cells))
    if not cells and not study.left_out:
        raise SdclabError(f"{place}: no cell of table {made.table.name} is read anew; `cells` must leave some.")
    check_names(f"{study.name}: multiverses.{made.name}", cells)
    for cell in cells:
        _check_cell(cell, study, place)
    for scenario in {cell.scenario for cell in cells}:
        check_multiverse(made, study.measured[scenario], place)


def _check_measures(measured: MeasuresByKind, where: str) -> None:
    for options in (measured.always, measured.on_original):
        for name, each in options.items():
            MEASURES.checked(name, each, where)


def _check_references(study: Study, where: str) -> None:
    """Every scenario and table that another part of the study names must exist, and every option of a measure."""
    for table in study.tables.values():
        place = f"{where}: tables.{table.name}"
        for panel in table.panels:
            _known("scenario", panel.scenario, study.scenarios, place)
        if not study.cells_of(table):
            thinned = "that limits.values has thinned " if study.left_out else ""
            raise SdclabError(f"{place}: no cell of the grid {thinned}belongs to it; it must have some.")
    for each in study.sensitivities.values():
        place = f"{where}: sensitivities.{each.name}"
        _known("scenario", each.scenario, study.scenarios, place)
        _known("table", each.table, study.tables, place)
        for options in each.variants.values():
            MEASURES.checked(each.measure, options, place)
    scopes: dict[str, list[Scope]] = {
        "judgements": [judgement.scope for judgement in study.judgements],
        "notes": [note.scope for note in study.notes],
    }
    for part, these in scopes.items():
        for scope in these:
            for name in scope.tables:
                _known("table", name, study.tables, f"{where}: {part}")


def _check_figures(study: Study, plots: Registry, where: str) -> None:
    for figure in study.figures.values():
        place = f"{where}: figures.{figure.name}"
        if figure.scenario is not None:
            _known("scenario", figure.scenario, study.scenarios, place)
        for table in figure.tables:
            _known("table", table, study.tables, place)
        plots.checked(figure.plot, {"title": figure.title, **figure.options}, place)


def _known(what: str, name: str, allowed: Mapping[str, object], where: str) -> None:
    if name not in allowed:
        raise unknown(what, name, allowed, where)
