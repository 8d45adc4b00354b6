# What the rules share: the checked config, the studies it names, and the functions that list files.
import os
import re
import sys
import time
from pathlib import Path

from sdclab import documents, grids, studies
from sdclab.cells import code_of
from sdclab.data import manifest, retrieve
from sdclab.errors import SdclabError
from sdclab.files import check_writable
from sdclab.measures import MEASURES
from sdclab.methods import METHODS
from sdclab.plots import DRAWS_RECORDS, PLOTS
from sdclab.provenance import code_fingerprint

BEGUN = time.time()
CONFIG = "config/config.yaml"
SCHEMAS = Path("workflow/schemas")
PUBLISHED = "resources/published"
REPLICAS = Path("resources/replicas")


def checked_config():
    """The config, the datasets, where they may lie, and the studies: all checked before any job is planned."""
    # read here and not by `configfile:`, so that a slip in it is named with its line
    for key, value in documents.parse(CONFIG).items():
        config.setdefault(key, value)
    if config["download"] in ("true", "false"):  # --config download=false arrives as text
        config["download"] = config["download"] == "true"
    documents.validate(config, SCHEMAS / "config.schema.yaml", "config")
    check_writable(config["results"])
    user = config["data_dir"] or os.environ.get("SDCLAB_DATA")
    cache = config["cache_dir"] or retrieve.default_cache()
    places = retrieve.Places(Path(user) if user else None, Path(cache), REPLICAS)
    datasets = manifest.load("resources/datasets.yaml", SCHEMAS / "datasets.schema.yaml")
    loaded = [
        studies.load(
            studies.find(name, Path("config/studies")),
            SCHEMAS / "study.schema.yaml",
            datasets,
            config["most_replicates"],
            config["most_values"],
        )
        for name in config["studies"]
    ]
    for study in loaded:
        datasets = studies.united(datasets, study.datasets, f"study {study.name}")
    claims = documents.load("config/audit.yaml", SCHEMAS / "audit.schema.yaml")["claims"]
    answered = {table for study in loaded for table in study.published}
    claims = [claim for claim in claims if claim["table"] in answered]  # of the papers that run, no others
    return places, datasets, {study.name: study for study in loaded}, claims


try:
    PLACES, DATASETS, STUDIES, CLAIMS = checked_config()
except SdclabError as error:
    sys.exit(f"sdclab: {error}")

RESULTS = config["results"]
BATCHES = {
    batch.path: batch for study in STUDIES.values() for batch in grids.batches(study.cells, config["cells_per_job"])
}
PATHS = {
    (cell.study, cell.name): f"{RESULTS}/cells/{path}.csv" for path, batch in BATCHES.items() for cell in batch.cells
}
TABLES = {table: study for study in STUDIES.values() for table in study.tables}
FIGURES = {figure: study for study in STUDIES.values() for figure in study.figures}
SENSITIVITIES = {name: study for study in STUDIES.values() for name in study.sensitivities}


wildcard_constraints:
    dataset="[a-z0-9_]+",
    study="[a-z0-9_]+",
    scenario="[A-Za-z0-9_]+",
    method="[a-z0-9_-]+",
    batch="[^/]+",
    table="[a-z0-9_]+",
    figure="[a-z0-9_]+",
    sensitivity="[a-z0-9_]+",


def cells_of_batch(wildcards):
    """The cells that a result file holds."""
    return BATCHES["{study}/{scenario}/{method}/{batch}".format(**wildcards)].cells


def scenario_of(wildcards):
    return STUDIES[wildcards.study].scenarios[wildcards.scenario]


def bounded(options):
    """Options with every `runs` in them at most what the config allows."""
    if not isinstance(options, dict) or config["most_runs"] is None:
        return options
    most = {"runs": min(options["runs"], config["most_runs"])} if "runs" in options else {}
    return {**{key: bounded(value) for key, value in options.items()}, **most}


def measured_of(wildcards):
    return bounded(STUDIES[wildcards.study].measures_of(wildcards.scenario))


def code_of_batch(wildcards):
    """A fingerprint of the code behind a batch: when it changes, the batch is computed anew."""
    return code_of(wildcards.method, {**measured_of(wildcards)["any"], **measured_of(wildcards)["original"]})


def dataset_paths(name):
    """The prepared table of a dataset and the facts about it."""
    return [f"{RESULTS}/data/{name}.csv", f"{RESULTS}/data/{name}.json"]


def dataset_of_batch(wildcards):
    table, about = dataset_paths(scenario_of(wildcards).dataset)
    return {"table": table, "about": about}


def local_source(wildcards):
    """The file a dataset will be made from, if it is at hand: the original, else the replica."""
    entry = DATASETS[wildcards.dataset]
    original = retrieve.find(entry, PLACES)
    if original is not None:
        return str(original)
    return str(REPLICAS / entry.replica.file) if entry.replica else []


def entry_of(wildcards):
    return DATASETS[wildcards.dataset]


def table_spec(wildcards):
    return TABLES[wildcards.table].tables[wildcards.table]


def table_study(wildcards):
    return TABLES[wildcards.table].title


def table_published(wildcards):
    published = table_spec(wildcards).get("published", wildcards.table)
    return f"{PUBLISHED}/{published}.csv" if published else []


def table_cells(wildcards):
    return TABLES[wildcards.table].cells_of(wildcards.table)


def table_cell_paths(wildcards):
    return list(dict.fromkeys(PATHS[cell.study, cell.name] for cell in table_cells(wildcards)))


def published_files():
    return sorted(map(str, Path(PUBLISHED).glob("*.csv")))


def used_datasets():
    """Facts about every dataset that a study uses."""
    names = {scenario.dataset for study in STUDIES.values() for scenario in study.scenarios.values()}
    return [f"{RESULTS}/data/{name}.json" for name in sorted(names)]


def figure_spec(wildcards):
    return bounded(FIGURES[wildcards.figure].figures[wildcards.figure])


def figure_study(wildcards):
    return FIGURES[wildcards.figure].title


def figure_scenario(wildcards):
    return FIGURES[wildcards.figure].scenarios.get(figure_spec(wildcards).get("scenario"))


def figure_inputs(wildcards):
    """The tables a figure draws, and the data of its scenario if it names one."""
    inputs = {"tables": [f"{RESULTS}/tables/{table}.csv" for table in figure_spec(wildcards).get("tables", [])]}
    scenario = figure_scenario(wildcards)
    return {**inputs, "dataset": dataset_paths(scenario.dataset)} if scenario else inputs


def draws_records(figure):
    """Whether a figure shows single records of data that somebody owns; a dataset of our own making has no owner."""
    spec = FIGURES[figure].figures[figure]
    if spec["plot"] not in DRAWS_RECORDS:
        return False
    entry = DATASETS[FIGURES[figure].scenarios[spec["scenario"]].dataset]
    return entry.generator is None or bool(entry.files)


def named(figures):
    """A pattern for these names and no others."""
    return "|".join(figures) or "(?!)"


def shown_figures():
    """The figures that may stand on a page."""
    return [figure for figure in FIGURES if not draws_records(figure)]


def code_of_figure(wildcards):
    return code_fingerprint([PLOTS.module(figure_spec(wildcards)["plot"])])


def sensitivity_spec(wildcards):
    return SENSITIVITIES[wildcards.sensitivity].sensitivities[wildcards.sensitivity]


def sensitivity_study(wildcards):
    return SENSITIVITIES[wildcards.sensitivity].title


def sensitivity_scenario(wildcards):
    return SENSITIVITIES[wildcards.sensitivity].scenarios[sensitivity_spec(wildcards)["scenario"]]


def sensitivity_dataset(wildcards):
    return dataset_paths(sensitivity_scenario(wildcards).dataset)


def sensitivity_table(wildcards):
    return f"{RESULTS}/tables/{sensitivity_spec(wildcards)['table']}.csv"


def sensitivity_cells(wildcards):
    """The cells of a sensitivity table, expanded like a grid."""
    spec = sensitivity_spec(wildcards)
    name = SENSITIVITIES[wildcards.sensitivity].name
    most = config["most_values"], config["most_replicates"]
    return grids.expand(name, [spec["scenario"]], spec["cells"], spec["replicates"], *most)


def code_of_sensitivity(wildcards):
    modules = [METHODS.module(cell.method) for cell in sensitivity_cells(wildcards)]
    return code_fingerprint(["sdclab.sensitivity", MEASURES.module(sensitivity_spec(wildcards)["measure"]), *modules])


def is_judged(spec):
    return spec.get("judged", True) and spec.get("published", True)


def judged_tables():
    """The tables whose published numbers the scorecard judges."""
    judged = [table for table, study in TABLES.items() if is_judged(study.tables[table])]
    return [f"{RESULTS}/tables/{table}.csv" for table in judged]


def report_inputs(wildcards):
    """All that the report tells of, and the cells for the versions they were computed with."""
    return {
        "scorecard": f"{RESULTS}/scorecard.csv",
        "audit": f"{RESULTS}/audit.csv",
        "tables": [f"{RESULTS}/tables/{table}.csv" for table in TABLES],
        "sensitivities": [f"{RESULTS}/sensitivity/{name}.csv" for name in SENSITIVITIES],
        "figures": [f"{RESULTS}/figures/{figure}.svg" for figure in shown_figures()],
        "datasets": used_datasets(),
        "cells": list(dict.fromkeys(PATHS.values())),
    }


def targets():
    """All that a run delivers."""
    cells = list(dict.fromkeys(PATHS.values()))
    tables = [f"{RESULTS}/tables/{table}.{kind}" for table in TABLES for kind in ("csv", "md")]
    figures = [f"{RESULTS}/figures/{figure}.{kind}" for figure in FIGURES for kind in ("svg", "png")]
    sensitivities = [f"{RESULTS}/sensitivity/{name}.csv" for name in SENSITIVITIES]
    ends = ["scorecard.csv", "summary.txt", "report/index.html", "report/explorer.html"]
    return cells + tables + figures + sensitivities + [f"{RESULTS}/{end}" for end in ends]


def time_spent():
    """How long this run took, and how much of its cores' time the jobs' own code had: the rest is starting and waiting."""
    logs = [path.read_text() for path in Path(RESULTS, "logs").rglob("*.log") if path.stat().st_mtime >= BEGUN]
    work = sum(float(seconds) for log in logs for seconds in re.findall(r"^worked for ([0-9.]+) s$", log, re.M))
    wall = time.time() - BEGUN
    share = f", {work / (wall * workflow.cores):.0%} of {workflow.cores} cores" if workflow.local_exec else ""
    return f"Time: {wall:.0f} s; the jobs' own code had {work:.0f} s of CPU{share}."


def last_words():
    path = Path(RESULTS, "summary.txt")
    return f"{path.read_text()}{time_spent()}\nReport: {RESULTS}/report/index.html" if path.exists() else ""
