"""All that a run does: from the checked config to tasks and the files between them."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sdclab.experiment.cell import code_of
from sdclab.experiment.grid import Batch, batches, expand
from sdclab.experiment.integrity import Task
from sdclab.experiment.provenance import code_fingerprint
from sdclab.experiment.scenario import AnyScenario
from sdclab.experiment.study import Study
from sdclab.measures import MEASURES
from sdclab.methods import METHODS
from sdclab.microdata import retrieve
from sdclab.microdata.manifest import Entry
from sdclab.output.plots import PLOTS, draws_records

Spec = Mapping[str, Any]

PAGES = ("sdclab.output.pages.report", "sdclab.output.pages.explorer")
"""They also show what every measure declares, and ask for it by name."""


@dataclass(frozen=True)
class Plan:
    """The config and all it names, checked, and what follows from them.

    Paths of published tables, schemas and assets start at the project's folder, where the workflow runs.
    """

    config: Mapping[str, Any]
    places: retrieve.Places
    datasets: Mapping[str, Entry]
    studies: Mapping[str, Study]
    claims: Sequence[Spec]

    published = "resources/published"
    published_schema = "workflow/schemas/published.schema.yaml"
    assets = "src/sdclab/output/pages/assets"

    @cached_property
    def results(self) -> str:
        return os.path.normpath(self.config["results"])

    @cached_property
    def tables(self) -> dict[str, Study]:
        return {name: study for study in self.studies.values() for name in study.tables}

    @cached_property
    def figures(self) -> dict[str, Study]:
        return {name: study for study in self.studies.values() for name in study.figures}

    @cached_property
    def sensitivities(self) -> dict[str, Study]:
        return {name: study for study in self.studies.values() for name in study.sensitivities}

    @cached_property
    def batches(self) -> list[Batch]:
        most = self.config["cells_per_job"]
        return [batch for study in self.studies.values() for batch in batches(study.cells, most)]

    @cached_property
    def cell_files(self) -> dict[tuple[str, str], str]:
        """The file that holds a cell, by the names of its study and its own."""
        return {
            (cell.study, cell.name): self._made("cells", batch.path, "csv")[0]
            for batch in self.batches
            for cell in batch.cells
        }

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """Every job of the run by its name."""
        return {task.name: task for task in self._tasks()}

    @property
    def files(self) -> list[str]:
        """All that a run delivers."""
        return [file for task in self.tasks.values() for file in task.files]

    def shows_records(self, figure: str) -> bool:
        """Whether a figure shows single records of data that somebody owns; data of our own making have no owner."""
        study = self.figures[figure]
        spec = study.figures[figure]
        if not draws_records(spec["plot"]):
            return False
        entry = self.datasets[study.scenarios[spec["scenario"]].dataset]
        return entry.generator is None or bool(entry.files)

    def _tasks(self) -> Iterator[Task]:
        yield from map(self._dataset, self._used_datasets())
        yield from map(self._batch, self.batches)
        yield from map(self._table, self.tables)
        yield from map(self._sensitivity, self.sensitivities)
        yield from map(self._figure, self.figures)
        yield self._audit()
        yield self._scorecard()
        yield self._report()

    def _dataset(self, name: str) -> Task:
        entry = self.datasets[name]
        limits = {key: self.config[key] for key in ("download", "most_records")}
        code = code_fingerprint(["sdclab.microdata.retrieve"])
        return Task(
            self.results,
            f"data/{name}",
            self._made("data", name, "csv", "json"),
            {"source": self._source(entry)},
            {"entry": entry, "places": self.places, "code": code, **limits},
            aside=("places",),  # a folder's name changes nothing; its file, which is an input, does
        )

    def _source(self, entry: Entry) -> tuple[str, ...]:
        """The file that a dataset will be made from, if it is at hand: the original, else the replica."""
        original = retrieve.find(entry, self.places)
        if original is not None:
            return (str(original),)
        return (str(self.places.replicas / entry.replica.file),) if entry.replica else ()

    def _batch(self, batch: Batch) -> Task:
        first = batch.cells[0]
        study = self.studies[first.study]
        scenario = study.scenarios[first.scenario]
        measured = self._bounded(study.measures_of(first.scenario))
        table, about = self._made("data", scenario.dataset, "csv", "json")
        return Task(
            self.results,
            f"cells/{batch.path}",
            self._made("cells", batch.path, "csv"),
            {"table": (table,), "about": (about,)},
            {
                "cells": batch.cells,
                "scenario": scenario,
                "measured": measured,
                "code": code_of(first.method, {**measured["any"], **measured["original"]}),
            },
        )

    def _table(self, name: str) -> Task:
        study = self.tables[name]
        spec, cells = study.tables[name], study.cells_of(name)
        published = spec.get("published", name)
        return Task(
            self.results,
            f"tables/{name}",
            self._made("tables", name, "csv", "md"),
            {
                "cells": tuple(dict.fromkeys(self.cell_files[cell.study, cell.name] for cell in cells)),
                "published": (f"{self.published}/{published}.csv",) if published else (),
                "schema": (self.published_schema,),
            },
            {"spec": spec, "cells": cells, "code": code_fingerprint(["sdclab.evidence.side_by_side"])},
        )

    def _sensitivity(self, name: str) -> Task:
        study = self.sensitivities[name]
        spec = study.sensitivities[name]
        scenario = study.scenarios[spec["scenario"]]
        most = self.config["most_values"], self.config["most_replicates"]
        cells = expand(study.name, [spec["scenario"]], spec["cells"], spec["replicates"], *most)
        modules = [MEASURES.module(spec["measure"]), *(METHODS.module(cell.method) for cell in cells)]
        return Task(
            self.results,
            f"sensitivity/{name}",
            self._made("sensitivity", name, "csv", "md"),
            {
                "dataset": self._made("data", scenario.dataset, "csv", "json"),
                "table": self._made("tables", spec["table"], "csv"),
            },
            {
                "spec": spec,
                "cells": cells,
                "scenario": scenario,
                "code": code_fingerprint(["sdclab.evidence.sensitivity", *modules]),
            },
        )

    def _figure(self, name: str) -> Task:
        study = self.figures[name]
        spec = self._bounded(study.figures[name])
        scenario: AnyScenario | None = study.scenarios.get(spec.get("scenario"))
        return Task(
            self.results,
            f"figures/{name}",
            self._made("figures", name, "svg", "png"),
            {
                "tables": tuple(f"{self.results}/tables/{table}.csv" for table in spec.get("tables", ())),
                "dataset": self._made("data", scenario.dataset, "csv", "json") if scenario else (),
            },
            {"spec": spec, "scenario": scenario, "code": code_fingerprint([PLOTS.module(spec["plot"])])},
        )

    def _audit(self) -> Task:
        published = tuple(sorted(map(str, Path(self.published).glob("*.csv"))))
        return Task(
            self.results,
            "audit",
            (f"{self.results}/audit.csv",),
            {"published": published, "schema": (self.published_schema,)},
            {"claims": self.claims, "code": code_fingerprint(["sdclab.evidence.audit"])},
        )

    def _scorecard(self) -> Task:
        specs = {name: study.tables[name] for name, study in self.tables.items()}
        judged = [name for name, spec in specs.items() if spec.get("judged", True) and spec.get("published", True)]
        return Task(
            self.results,
            "scorecard",
            (f"{self.results}/scorecard.csv", f"{self.results}/summary.txt"),
            {
                "tables": tuple(f"{self.results}/tables/{name}.csv" for name in judged),
                "audit": (f"{self.results}/audit.csv",),
                "datasets": self._facts(),
            },
            {
                "studies": list(self.studies.values()),
                "results": self.results,  # the summary names it
                "code": code_fingerprint(["sdclab.evidence.scorecard"]),
            },
        )

    def _report(self) -> Task:
        """All that the report tells of, and the cells for the versions they were computed with."""
        return Task(
            self.results,
            "report",
            (f"{self.results}/report/index.html", f"{self.results}/report/explorer.html"),
            {
                "scorecard": (f"{self.results}/scorecard.csv",),
                "audit": (f"{self.results}/audit.csv",),
                "tables": tuple(f"{self.results}/tables/{name}.csv" for name in self.tables),
                "sensitivities": tuple(f"{self.results}/sensitivity/{name}.csv" for name in self.sensitivities),
                "figures": tuple(
                    f"{self.results}/figures/{name}.svg" for name in self.figures if not self.shows_records(name)
                ),
                "datasets": self._facts(),
                "cells": tuple(dict.fromkeys(self.cell_files.values())),
                "assets": tuple(sorted(map(str, Path(self.assets).glob("*")))),
            },
            {
                "studies": list(self.studies.values()),
                "benchmarks": f"{self.results}/benchmarks",
                "code": code_fingerprint([*PAGES, *map(MEASURES.module, MEASURES)]),
            },
        )

    def _made(self, folder: str, name: str, *endings: str) -> tuple[str, ...]:
        return tuple(f"{self.results}/{folder}/{name}.{ending}" for ending in endings)

    def _used_datasets(self) -> list[str]:
        return sorted({scenario.dataset for study in self.studies.values() for scenario in study.scenarios.values()})

    def _facts(self) -> tuple[str, ...]:
        """The facts about every dataset that a study uses."""
        return tuple(f"{self.results}/data/{name}.json" for name in self._used_datasets())

    def _bounded(self, options: Any) -> Any:
        """Options with every `runs` in them at most what the config allows."""
        most = self.config["most_runs"]
        if not isinstance(options, dict) or most is None:
            return options
        runs = {"runs": min(options["runs"], most)} if "runs" in options else {}
        return {**{key: self._bounded(value) for key, value in options.items()}, **runs}
