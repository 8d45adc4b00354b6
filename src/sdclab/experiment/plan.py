"""All that a run does: from the checked config to tasks and the files between them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdclab.base import documents
from sdclab.base.errors import SdclabError, listed, unknown
from sdclab.base.files import check_writable
from sdclab.base.registry import Registry
from sdclab.experiment import config
from sdclab.experiment.cell import Cell, code_of
from sdclab.experiment.config import Config
from sdclab.experiment.grid import Batch, batches
from sdclab.experiment.integrity import Task
from sdclab.experiment.multiverse import Multiverse
from sdclab.experiment.provenance import code_fingerprint
from sdclab.experiment.scenario import AnyScenario
from sdclab.experiment.study import Figure, Sensitivity, Study, find, with_datasets
from sdclab.experiment.study import load as load_study
from sdclab.experiment.table import Table
from sdclab.measures import MEASURES
from sdclab.methods import METHODS
from sdclab.microdata import manifest, retrieve
from sdclab.microdata.manifest import Entry

if TYPE_CHECKING:  # they need pandas, and most jobs do without
    from sdclab.experiment.partitioned import Order
    from sdclab.microdata.partitions import Partition, Partitions

# all paths start at the project's folder, where the workflow runs
SCHEMAS = Path("workflow/schemas")
PUBLISHED = Path("resources/published")
PUBLISHED_SCHEMA = SCHEMAS / "published.schema.yaml"
REPLICAS = Path("resources/replicas")
ASSETS = Path("src/sdclab/output/pages/assets")
TEMPLATE = Path("src/sdclab/output/article/article.typ")
CITATION = Path("CITATION.cff")
CITATION_SCHEMA = SCHEMAS / "citation.schema.yaml"
OF_THE_MANIFEST, OF_A_FILE = "sdclab.microdata.retrieve", "sdclab.experiment.data"
"""What makes a dataset."""
WORKFLOW = Path("Snakefile")
CODE = (
    WORKFLOW,
    *map(Path, ("workflow", "scripts", "config", "src", "environment.yml", "requirements.lock", "pyproject.toml")),
    *map(Path, ("Makefile", "README.md", "LICENSE", "CITATION.cff", "codecheck.yml")),
    *(Path("resources", name) for name in ("datasets.yaml", "expected.csv", "published", "replicas")),
)
"""What a run is made by, as far as it is there."""
PAGES = ("sdclab.output.pages.report", "sdclab.output.pages.explorer")
"""They also show what every measure declares, and ask for it by name."""
ARTICLE = ("sdclab.output.article.article", "sdclab.output.article.typesetting")
"""So does the article."""
MULTIVERSE = "multiverse"
"""The folder of all that the search for readings makes, and its jobs' names begin so."""
FOUND = ("summary.csv", "readings.csv", "axes.csv", "numbers.csv", "multiverse.md")
"""What is found out about a multiverse."""
TOLD = ("summary", "readings", "axes")
"""What the report tells of it."""
RELEASES = "releases"
"""The folder of releases in partitions, and their jobs' names begin so."""
OWNER, PROTECTED = "owner", "protected"
"""What is for the owner of the records, and what is for release."""
MANY = 8
"""Times as many cells of a multiverse are in a job as of a grid: they have few replicates."""


def load(given: Mapping[str, Any], plots: Registry) -> "Plan":
    """The plan of a run that was given these settings; whatever could not run is refused before anything does.

    `plots` are the kinds of figures, which are made in a room above this one.
    """
    settings = config.load(given, SCHEMAS / "config.schema.yaml", REPLICAS)
    check_writable(settings.results)
    datasets = manifest.load("resources/datasets.yaml", SCHEMAS / "datasets.schema.yaml")
    studies = {}
    for name in settings.studies:
        path = find(name, Path("config/studies"))
        study = load_study(path, SCHEMAS / "study.schema.yaml", datasets, plots, settings.limits)
        datasets = with_datasets(datasets, study.datasets, str(path))
        studies[name] = study
    releases = {name: _release(name, settings.results) for name in settings.releases}
    if settings.tables is not None:
        studies = _with_only(settings.tables, studies)
    claims = documents.load("config/audit.yaml", SCHEMAS / "audit.schema.yaml")["claims"]
    answered = {table for study in studies.values() for table in study.published}
    claims = [claim for claim in claims if claim["table"] in answered]  # of the papers that run, no others
    return Plan(settings, datasets, studies, releases, claims, plots)


def _release(name: str, results: str) -> "tuple[Order, Partitions]":
    """A release in partitions; a folder for release that holds anything else is refused, lest that gets out with it."""
    from sdclab.experiment.partitioned import find, load

    order, partitions = load(find(name, Path("config/releases")), SCHEMAS / "release.schema.yaml")
    folder = Path(results, RELEASES, name, PROTECTED)
    others = {path.name for path in folder.glob("[!.]*")} - {_part(i) for i in range(len(partitions))}
    if others:
        raise SdclabError(
            f"{folder}: holds {listed(sorted(others))}, which this release does not make; remove it, lest it is "
            "released with the rest."
        )
    return order, partitions


def _part(i: int) -> str:
    return f"part-{i:05}.parquet"


def _code() -> Iterator[Path]:
    """The files of the project that a run is made by; none of those that others may have put beside them."""
    for part in CODE:
        files = [part] if part.is_file() else part.rglob("*")
        yield from (file for file in files if file.is_file() and not (file.is_symlink() or _is_generated(file)))


def _is_generated(file: Path) -> bool:
    """Whether something made it or keeps it for itself, as Python its bytecode."""
    return any(part.startswith((".", "__pycache__")) or part.endswith(".egg-info") for part in file.parts)


def _with_only(names: Sequence[str], studies: Mapping[str, Study]) -> dict[str, Study]:
    """The studies that have some of these tables, with no others."""
    known = [f"{study.name}/{table}" for study in studies.values() for table in study.tables]
    for name in names:
        if name not in known:
            raise unknown("table", name, known, "config: tables")
    chosen = {
        study: [table for each, table in (name.split("/") for name in names) if each == study] for study in studies
    }
    return {name: studies[name].only(tables) for name, tables in chosen.items() if tables}


def _typing(scenario: AnyScenario | None) -> str:
    """The fingerprint of the code that gives columns their types, if a scenario has some."""
    return code_fingerprint(["sdclab.microdata.typed"]) if scenario and scenario.types is not None else ""


@dataclass(frozen=True)
class Plan:
    """The config and all it names, checked, and what follows from them."""

    config: Config
    datasets: Mapping[str, Entry]
    studies: Mapping[str, Study]
    releases: "Mapping[str, tuple[Order, Partitions]]"
    claims: Sequence[Mapping[str, Any]]
    plots: Registry

    @property
    def results(self) -> str:
        return self.config.results

    @cached_property
    def tables(self) -> list[Table]:
        return [table for study in self.studies.values() for table in study.tables.values()]

    @cached_property
    def figures(self) -> list[Figure]:
        return [figure for study in self.studies.values() for figure in study.figures.values()]

    @cached_property
    def sensitivities(self) -> list[Sensitivity]:
        return [each for study in self.studies.values() for each in study.sensitivities.values()]

    @cached_property
    def batches(self) -> list[Batch]:
        limit, mixed = self.config.cells_per_job, self.config.mix_methods
        return [batch for study in self.studies.values() for batch in batches(study.cells, limit, mixed)]

    @cached_property
    def cell_files(self) -> dict[tuple[str, str], str]:
        """The file that holds a cell, by the names of its study and its own."""
        return {
            (cell.study, cell.name): self._path("cells", batch.path, "csv")
            for batch in self.batches
            for cell in batch.cells
        }

    @cached_property
    def multiverses(self) -> list[Multiverse]:
        """Those that the run goes through, or that an earlier one has gone through and nothing has changed since."""
        declared = (each for study in self.studies.values() for each in study.multiverses.values())
        every = [each for each in declared if self._cells_of(each)]  # a thinned run may have none of its cells
        return every if self.config.multiverse else [each for each in every if self._is_made(each)]

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """Every job of the run by its name."""
        return {task.name: task for task in self._tasks()}

    @property
    def files(self) -> list[str]:
        """All that a run delivers."""
        return [file for task in self.tasks.values() for file in task.files]

    def jobs_in(self, *folders: str) -> list[str]:
        """The names of the jobs for whole studies' tables or figures: those right in a folder, or below it."""
        return [name for name in self.tasks if name.startswith(tuple(f"{folder}/" for folder in folders))]

    def found(self, multiverse: Multiverse, what: str) -> str:
        """Where something that was found out about a multiverse is."""
        return f"{self.results}/{MULTIVERSE}/{multiverse.study}/{multiverse.name}/{what}"

    def curves(self, multiverse: Multiverse) -> list[Figure]:
        """The figures of a multiverse: a curve for each quantity, and a plane for the first two of them."""
        tables = tuple(f"{multiverse.name}/{what}" for what in ("readings", "axes", "summary"))

        def figure(name: str, title: str, plot: str, **options: str) -> Figure:
            name, title = f"{multiverse.name}_{name}", f"{multiverse.title}{title}"
            return Figure(multiverse.study, name, title, plot, tables, None, options)

        first, *others = multiverse.quantities
        curves = [figure(each, f", {each}", "specification_curve", quantity=each) for each in (first, *others)]
        planes = [figure("plane", ": both at once", "distances", x=first, y=each) for each in others[:1]]
        return [*curves, *planes]

    def shows_records(self, figure: Figure) -> bool:
        """Whether a figure shows single records of data that somebody owns; data of our own making have no owner."""
        if figure.scenario is None or not self.plots.declared(figure.plot, "DRAWS_RECORDS", False):
            return False
        entry = self.datasets[self.studies[figure.study].scenarios[figure.scenario].dataset]
        return entry.generator is None or bool(entry.files)

    def _tasks(self) -> Iterator[Task]:
        for order, partitions in self.releases.values():
            yield from self._of_release(order, partitions)
        if self.studies:
            results = list(self._results())
            yield from results
            yield self._crate(results)

    def _results(self) -> Iterator[Task]:
        """All jobs of the studies but the one that tells of them."""
        yield from map(self._dataset, self._used_datasets())
        yield from map(self._batch, self.batches)
        yield from (self._tabled(study) for study in self.studies.values() if study.tables)
        yield from map(self._sensitivity, self.sensitivities)
        yield from (self._drawn(study) for study in self.studies.values() if study.figures)
        for multiverse in self.multiverses:
            yield from self._of_multiverse(multiverse)
        yield self._audit()
        yield self._scorecard()
        yield self._report()
        if any(study.published for study in self.studies.values()):  # there is something to replicate
            yield self._article()

    def _dataset(self, name: str) -> Task:
        entry = self.datasets[name]
        return self._task(
            f"data/{name}",
            ("csv", "json"),
            {"source": self._source(entry)},
            {
                "entry": entry,
                "places": self.config.places,
                "download": self.config.download,
                "records": self.config.limits.records,
                "code": code_fingerprint([OF_A_FILE if entry.user_file else OF_THE_MANIFEST]),
            },
            aside=("places",),  # a folder's name changes nothing; its file, which is an input, does
        )

    def _source(self, entry: Entry) -> tuple[str, ...]:
        """The file that a dataset will be made from, if it is at hand: the original, else the replica."""
        original = retrieve.find(entry, self.config.places)
        if original is not None:
            return (str(original),)
        return (str(self.config.places.replicas / entry.replica.file),) if entry.replica else ()

    def _batch(self, batch: Batch, multiverse: Multiverse | None = None) -> Task:
        """Cells of the grid, or of a multiverse, which measures them its own way and goes on where one cannot be."""
        first = batch.cells[0]
        study = self.studies[first.study]
        scenario, measured = study.scenarios[first.scenario], study.measured[first.scenario]
        if multiverse:
            measured = multiverse.measured(measured)
        return self._task(
            f"{MULTIVERSE}/cells/{multiverse.name}/{batch.path}" if multiverse else f"cells/{batch.path}",
            ("csv",),
            {"dataset": self._dataset_files(scenario.dataset)},
            {
                "cells": batch.cells,
                "scenario": scenario,
                "measured": measured,
                "may_fail": multiverse is not None,
                "code": {method: code_of(method, measured.names) for method in batch.methods},
                "typed": _typing(scenario),
            },
        )

    def _of_release(self, order: "Order", partitions: "Partitions") -> Iterator[Task]:
        """Statistics a partition, what follows from all, a release a partition, and what became of the whole."""
        owner = f"{RELEASES}/{order.name}/{OWNER}"
        protected = f"{self.results}/{RELEASES}/{order.name}/{PROTECTED}"
        told, made = ([f"{owner}/{step}/{i:05}" for i in range(len(partitions))] for step in ("statistics", "released"))
        merged = self._json([f"{owner}/merged"])
        code = code_fingerprint(["sdclab.experiment.partitioned", METHODS.module(order.method)])
        given = {"order": order, "code": code}
        for name, partition in zip(told, partitions, strict=True):
            yield self._of_partition(name, (), {}, {**given, "partition": partition})
        yield self._task(f"{owner}/merged", ("json",), {"statistics": self._json(told)}, given)
        for i, (name, partition) in enumerate(zip(made, partitions, strict=True)):
            files = (f"{protected}/{_part(i)}",)
            yield self._of_partition(name, files, {"merged": merged}, {**given, "partition": partition})
        yield self._task(f"{owner}/summary", ("json",), {"released": self._json(made)}, given)

    def _of_partition(
        self, name: str, files: tuple[str, ...], inputs: Mapping[str, tuple[str, ...]], given: Mapping[str, Any]
    ) -> Task:
        partition: Partition = given["partition"]
        inputs = {"partition": partition.files, **inputs}
        given = {**given, "memory": given["order"].memory(partition)}
        files = (*files, *self._json([name]))
        return Task(self.results, name, files, inputs, given, aside=("memory",), stamped=("partition",))

    def _json(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(f"{self.results}/{name}.json" for name in names)

    def _of_multiverse(self, multiverse: Multiverse) -> Iterator[Task]:
        """Cells, what is found out by them, and figures."""
        own = [self._batch(batch, multiverse) for batch in self._own_batches(multiverse)]
        yield from own
        table, study = multiverse.table, self.studies[multiverse.study]
        shared = [self.cell_files[cell.study, cell.name] for cell in self._shared_cells(multiverse)]
        files = tuple(dict.fromkeys([*(file for task in own for file in task.files), *shared]))
        yield Task(
            self.results,
            f"{MULTIVERSE}/{multiverse.study}/{multiverse.name}",
            tuple(self.found(multiverse, what) for what in FOUND),
            {"cells": files, **self._published(table)},
            {
                "multiverse": multiverse,
                "cells": study.cells_of(table),
                "code": code_fingerprint(["sdclab.evidence.multiverse"]),
            },
        )
        yield self._of_figures(
            f"{MULTIVERSE}/figures/{study.name}/{multiverse.name}",
            self.curves(multiverse),
            study,
            f"{MULTIVERSE}/figures/{study.name}",
            f"{MULTIVERSE}/{study.name}",
        )

    def _cells_of(self, multiverse: Multiverse) -> list[Cell]:
        bases = (cell for _, cell in multiverse.bases(self.studies[multiverse.study].cells))
        return multiverse.cells(bases)

    def _shared_cells(self, multiverse: Multiverse) -> list[Cell]:
        """Those of the study's own cells that have all that the readings need."""
        if not multiverse.measures_as_the_study:
            return []
        return [cell for cell in self._cells_of(multiverse) if (cell.study, cell.name) in self.cell_files]

    def _own_batches(self, multiverse: Multiverse) -> list[Batch]:
        shared = {cell.name for cell in self._shared_cells(multiverse)}
        cells = [cell for cell in self._cells_of(multiverse) if cell.name not in shared]
        return batches(cells, MANY * self.config.cells_per_job, self.config.mix_methods)

    def _is_made(self, multiverse: Multiverse) -> bool:
        return all(task.is_as_made() for task in self._of_multiverse(multiverse))

    def _tabled(self, study: Study) -> Task:
        """All tables of a study: each takes less time than starting a job for it."""
        tables = list(study.tables.values())
        cells = {table.name: study.cells_of(table) for table in tables}
        paths = {
            name: tuple(dict.fromkeys(self.cell_files[study.name, cell.name] for cell in of))
            for name, of in cells.items()
        }
        return Task(
            self.results,
            f"tables/{study.name}",
            self._files(f"tables/{study.name}", tables, ("csv", "md")),
            {
                **{f"cells_{name}": files for name, files in paths.items()},
                **{f"published_{table.name}": self._published(table)["published"] for table in tables},
                "schema": (str(PUBLISHED_SCHEMA),),
            },
            {"tables": tables, "cells": cells, "code": code_fingerprint(["sdclab.evidence.side_by_side"])},
        )

    def _published(self, table: Table) -> dict[str, tuple[str, ...]]:
        """The published table, if there is one, and what it must look like."""
        found = (str(PUBLISHED / f"{table.published}.csv"),) if table.published else ()
        return {"published": found, "schema": (str(PUBLISHED_SCHEMA),)}

    def _sensitivity(self, each: Sensitivity) -> Task:
        study = self.studies[each.study]
        scenario, table = study.scenarios[each.scenario], study.tables[each.table]
        modules = [MEASURES.module(each.measure), *(METHODS.module(cell.method) for cell in each.cells)]
        return self._task(
            f"sensitivity/{each.study}/{each.name}",
            ("csv", "md"),
            {"dataset": self._dataset_files(scenario.dataset), **self._published(table)},
            {
                "sensitivity": each,
                "panels": table.panels,
                "scenario": scenario,
                "code": code_fingerprint(["sdclab.evidence.sensitivity", "sdclab.evidence.answers", *modules]),
                "typed": _typing(scenario),
            },
        )

    def _drawn(self, study: Study) -> Task:
        """All figures of a study: each takes hardly longer than loading what draws it."""
        name = study.name
        return self._of_figures(
            f"figures/{name}", list(study.figures.values()), study, f"figures/{name}", f"tables/{name}"
        )

    def _of_figures(self, name: str, figures: Sequence[Figure], study: Study, folder: str, tables: str) -> Task:
        """A job for figures, into a folder, made from tables in another."""
        scenarios = {figure.name: study.scenarios[figure.scenario] for figure in figures if figure.scenario}
        return Task(
            self.results,
            name,
            self._files(folder, figures, ("svg", "png")),
            {
                **{
                    f"tables_{figure.name}": tuple(self._path(tables, table, "csv") for table in figure.tables)
                    for figure in figures
                },
                **{f"dataset_{name}": self._dataset_files(each.dataset) for name, each in scenarios.items()},
            },
            {
                "figures": figures,
                "scenarios": scenarios,
                "code": {figure.plot: code_fingerprint([self.plots.module(figure.plot)]) for figure in figures},
                "typed": {name: _typing(scenario) for name, scenario in scenarios.items()},
            },
        )

    def _audit(self) -> Task:
        return Task(
            self.results,
            "audit",
            (f"{self.results}/audit.csv",),
            {
                "published": tuple(sorted(map(str, PUBLISHED.glob("*.csv")))),
                "schema": (str(PUBLISHED_SCHEMA),),
            },
            {"claims": self.claims, "code": code_fingerprint(["sdclab.evidence.audit"])},
        )

    def _scorecard(self) -> Task:
        judged = [table for table in self.tables if table.in_judgement]
        return Task(
            self.results,
            "scorecard",
            (f"{self.results}/scorecard.csv", f"{self.results}/summary.txt"),
            {
                "tables": tuple(self._path("tables", f"{table.study}/{table.name}", "csv") for table in judged),
                "audit": (f"{self.results}/audit.csv",),
                "datasets": self._facts(),
                "held_out": tuple(self.found(each, "numbers.csv") for each in self.multiverses),
            },
            {
                "tables": judged,
                "studies": self.studies,
                "multiverses": self.multiverses,
                "results": self.results,  # the summary names it
                "code": code_fingerprint(["sdclab.evidence.scorecard", "sdclab.output.summary"]),
            },
        )

    def _report(self) -> Task:
        inputs, given = self._left()
        return Task(
            self.results,
            "report",
            (f"{self.results}/report/index.html", f"{self.results}/report/explorer.html"),
            {**inputs, "assets": tuple(sorted(map(str, ASSETS.glob("*"))))},
            {
                **given,
                "benchmarks": f"{self.results}/benchmarks",
                "code": code_fingerprint([*PAGES, *map(MEASURES.module, MEASURES)]),
            },
        )

    def _crate(self, results: Sequence[Task]) -> Task:
        """What the others made, and the whole code, so that any change of it is this job's concern."""
        config = self.config
        return Task(
            self.results,
            "crate",
            tuple(f"{self.results}/{file}" for file in ("ro-crate-metadata.json", "code/Snakefile", "code/source.zip")),
            {
                "results": tuple(file for task in results for file in task.files),
                "scorecard": (f"{self.results}/scorecard.csv",),
                "datasets": self._facts(),
                "cells": tuple(dict.fromkeys(self.cell_files.values())),
                "sources": tuple(path for name in self._used_datasets() for path in self._source(self.datasets[name])),
                "code": tuple(sorted(map(str, _code()))),
            },
            {
                "titles": [study.title for study in self.studies.values()],
                "settings": {
                    "studies": config.studies,
                    "tables": config.tables,
                    "download": config.download,
                    "cells_per_job": config.cells_per_job,
                    "multiverse": bool(self.multiverses),  # it may have been asked for by an earlier run
                    "limits": asdict(config.limits),
                },
                "records": [str(task.record) for task in results],
                "benchmarks": [f"{self.results}/benchmarks/{task.name}.tsv" for task in results],
                "sources": {name: self._source(self.datasets[name]) for name in self._used_datasets()},
                "workflow": str(WORKFLOW),
                "code": code_fingerprint(["sdclab.output.crate"]),
            },
            aside=("sources",),  # as with a dataset: a folder's name changes nothing
        )

    def _article(self) -> Task:
        inputs, given = self._left()
        return Task(
            self.results,
            "article",
            (f"{self.results}/article.pdf",),
            {**inputs, "citation": (str(CITATION),), "schema": (str(CITATION_SCHEMA),), "assets": (str(TEMPLATE),)},
            {**given, "code": code_fingerprint([*ARTICLE, *map(MEASURES.module, MEASURES)])},
        )

    def _left(self) -> tuple[dict[str, tuple[str, ...]], dict[str, Any]]:
        """All that a run leaves to be told of, and the cells for the versions they were computed with: files, parts."""
        figures = [figure for figure in self.figures if not self.shows_records(figure)]
        curves = [curve for each in self.multiverses for curve in self.curves(each)]
        inputs = {
            "scorecard": (f"{self.results}/scorecard.csv",),
            "audit": (f"{self.results}/audit.csv",),
            "tables": tuple(self._path("tables", f"{each.study}/{each.name}", "csv") for each in self.tables),
            "sensitivities": tuple(
                self._path("sensitivity", f"{each.study}/{each.name}", "csv") for each in self.sensitivities
            ),
            "figures": tuple(self._path("figures", f"{each.study}/{each.name}", "svg") for each in figures),
            "datasets": self._facts(),
            "cells": tuple(dict.fromkeys(self.cell_files.values())),
            **{what: tuple(self.found(each, f"{what}.csv") for each in self.multiverses) for what in TOLD},
            "curves": tuple(f"{self.results}/{MULTIVERSE}/figures/{each.study}/{each.name}.svg" for each in curves),
        }
        given = {
            "studies": list(self.studies.values()),
            "tables": self.tables,
            "sensitivities": self.sensitivities,
            "figures": figures,
            "multiverses": self.multiverses,
            "curves": curves,
        }
        return inputs, given

    def _task(
        self,
        name: str,
        endings: Sequence[str],
        inputs: Mapping[str, tuple[str, ...]],
        given: Mapping[str, Any],
        aside: tuple[str, ...] = (),
    ) -> Task:
        """A task that makes the files of its own name."""
        files = tuple(f"{self.results}/{name}.{ending}" for ending in endings)
        return Task(self.results, name, files, inputs, given, aside)

    def _files(self, folder: str, parts: Sequence[Table | Figure], endings: Sequence[str]) -> tuple[str, ...]:
        """What is made of each part, part by part."""
        return tuple(self._path(folder, part.name, ending) for part in parts for ending in endings)

    def _path(self, folder: str, name: str, ending: str) -> str:
        return f"{self.results}/{folder}/{name}.{ending}"

    def _dataset_files(self, name: str) -> tuple[str, ...]:
        """A prepared table, and the facts about it."""
        return tuple(self._path("data", name, ending) for ending in ("csv", "json"))

    def _used_datasets(self) -> list[str]:
        """Those of the scenarios that something is made of: there may be scenarios for other readings alone."""
        parts: list[tuple[str, str | None]] = [
            *((cell.study, cell.scenario) for batch in self.batches for cell in batch.cells),
            *((figure.study, figure.scenario) for figure in self.figures),
            *((each.study, each.scenario) for each in self.sensitivities),
            *((cell.study, cell.scenario) for each in self.multiverses for cell in self._cells_of(each)),
        ]
        return sorted({self.studies[study].scenarios[name].dataset for study, name in parts if name is not None})

    def _facts(self) -> tuple[str, ...]:
        """The facts about every dataset that a study uses."""
        return tuple(self._path("data", name, "json") for name in self._used_datasets())
