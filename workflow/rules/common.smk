# What the rules share: the checked config, the studies it names, and the functions that list files.
import os
import re
import sys
import time
from pathlib import Path
from types import SimpleNamespace

from sdclab import documents, grids, integrity, studies
from sdclab.cells import code_of
from sdclab.data import manifest, retrieve
from sdclab.errors import SdclabError
from sdclab.files import check_writable, read_rows
from sdclab.integrity import Task
from sdclab.measures import MEASURES
from sdclab.methods import METHODS
from sdclab.plots import DRAWS_RECORDS, PLOTS
from sdclab.provenance import code_fingerprint, mixed

BEGUN = time.time()
CONFIG = "config/config.yaml"
SCHEMAS = Path("workflow/schemas")
PUBLISHED = "resources/published"
PUBLISHED_SCHEMA = str(SCHEMAS / "published.schema.yaml")
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
    return places, datasets, {study.name: study for study in loaded}, claims


try:
    PLACES, DATASETS, STUDIES, CLAIMS = checked_config()
except SdclabError as error:
    sys.exit(f"sdclab: {error}")

RESULTS = os.path.normpath(config["results"])
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


def bounded(options):
    """Options with every `runs` in them at most what the config allows."""
    if not isinstance(options, dict) or config["most_runs"] is None:
        return options
    most = {"runs": min(options["runs"], config["most_runs"])} if "runs" in options else {}
    return {**{key: bounded(value) for key, value in options.items()}, **most}


def dataset_paths(name):
    """The prepared table of a dataset and the facts about it."""
    return [f"{RESULTS}/data/{name}.csv", f"{RESULTS}/data/{name}.json"]


def dataset_of_batch(wildcards):
    table, about = dataset_paths(STUDIES[wildcards.study].scenarios[wildcards.scenario].dataset)
    return {"table": table, "about": about}


def local_source(wildcards):
    """The file a dataset will be made from, if it is at hand: the original, else the replica."""
    entry = DATASETS[wildcards.dataset]
    original = retrieve.find(entry, PLACES)
    if original is not None:
        return str(original)
    return str(REPLICAS / entry.replica.file) if entry.replica else []


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
    """Every dataset that a study uses."""
    return sorted({scenario.dataset for study in STUDIES.values() for scenario in study.scenarios.values()})


def used_facts():
    return [dataset_paths(name)[1] for name in used_datasets()]


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


def report_assets():
    return sorted(map(str, Path("src/sdclab/report/assets").glob("*")))


def report_inputs(wildcards):
    """All that the report tells of, and the cells for the versions they were computed with."""
    return {
        "scorecard": f"{RESULTS}/scorecard.csv",
        "audit": f"{RESULTS}/audit.csv",
        "tables": [f"{RESULTS}/tables/{table}.csv" for table in TABLES],
        "sensitivities": [f"{RESULTS}/sensitivity/{name}.csv" for name in SENSITIVITIES],
        "figures": [f"{RESULTS}/figures/{figure}.svg" for figure in shown_figures()],
        "datasets": used_facts(),
        "cells": list(dict.fromkeys(PATHS.values())),
    }


def made(folder, name, *endings):
    return tuple(f"{RESULTS}/{folder}/{name}.{ending}" for ending in endings)


def task(name, files, reads=(), aside=(), **given):
    return Task(RESULTS, name, tuple(files), given, tuple(reads), aside)


def task_of_dataset(name):
    source = local_source(SimpleNamespace(dataset=name))
    limits = {key: config[key] for key in ("download", "most_records")}
    # a folder's name changes nothing; its file, which is read, does
    given = {"entry": DATASETS[name], "places": PLACES, "code": code_fingerprint(["sdclab.data.retrieve"])}
    return task(f"data/{name}", dataset_paths(name), [source] if source else [], ("places",), **given, **limits)


def task_of_batch(path, batch):
    study, scenario, method = path.split("/")[:3]
    measured = bounded(STUDIES[study].measures_of(scenario))
    return task(
        f"cells/{path}",
        made("cells", path, "csv"),
        cells=batch.cells,
        scenario=STUDIES[study].scenarios[scenario],
        measured=measured,
        code=code_of(method, {**measured["any"], **measured["original"]}),
    )


def task_of_table(name):
    wildcards = SimpleNamespace(table=name)
    published = table_published(wildcards)
    return task(
        f"tables/{name}",
        made("tables", name, "csv", "md"),
        reads=[PUBLISHED_SCHEMA, *([published] if published else [])],
        spec=table_spec(wildcards),
        cells=table_cells(wildcards),
        code=code_fingerprint(["sdclab.tables.side_by_side"]),
    )


def task_of_sensitivity(name):
    wildcards = SimpleNamespace(sensitivity=name)
    return task(
        f"sensitivity/{name}",
        made("sensitivity", name, "csv", "md"),
        spec=sensitivity_spec(wildcards),
        cells=sensitivity_cells(wildcards),
        scenario=sensitivity_scenario(wildcards),
        code=code_of_sensitivity(wildcards),
    )


def task_of_figure(name):
    wildcards = SimpleNamespace(figure=name)
    return task(
        f"figures/{name}",
        made("figures", name, "svg", "png"),
        spec=figure_spec(wildcards),
        scenario=figure_scenario(wildcards),
        code=code_of_figure(wildcards),
    )


def tasks():
    """All that a run does, in its order."""
    yield from map(task_of_dataset, used_datasets())
    yield from (task_of_batch(path, batch) for path, batch in BATCHES.items())
    yield from map(task_of_table, TABLES)
    yield from map(task_of_sensitivity, SENSITIVITIES)
    yield from map(task_of_figure, FIGURES)
    code = {"code": code_fingerprint(["sdclab.audit"])}
    read = [*published_files(), PUBLISHED_SCHEMA]
    yield task("audit", [f"{RESULTS}/audit.csv"], read, claims=CLAIMS, **code)
    code = {"code": code_fingerprint(["sdclab.scorecard"])}
    verdicts = [f"{RESULTS}/scorecard.csv", f"{RESULTS}/summary.txt"]
    yield task("scorecard", verdicts, studies=list(STUDIES.values()), results=RESULTS, **code)
    code = {"code": code_fingerprint(["sdclab.report.page", "sdclab.report.explorer"])}
    pages = made("report", "index", "html") + made("report", "explorer", "html")
    folders = {"benchmarks": f"{RESULTS}/benchmarks"}
    yield task("report", pages, report_assets(), studies=list(STUDIES.values()), **folders, **code)


TASKS = {each.name: each for each in tasks()}


def task_of(name):
    """What a rule's job is given. Snakemake takes no notice when an object like this changes."""
    return lambda wildcards: TASKS[name.format(**wildcards)]


def told_of(name):
    """The same as a text, by which Snakemake sees that a result was made from something else."""
    return lambda wildcards: TASKS[name.format(**wildcards)].told


def targets():
    """All that a run delivers."""
    return [file for each in TASKS.values() for file in each.files]


def make_anew():
    """Have Snakemake make anew what is not as it was made; and in a whole run, what was made from something else."""
    altered = integrity.altered(TASKS.values())
    if altered:
        print(f"sdclab: {integrity.sentence(altered)}", file=sys.stderr)
    asked = workflow.dag_settings.targets
    outdated = [] if asked else integrity.outdated(TASKS.values())
    workflow.dag_settings.forcerun = {*workflow.dag_settings.forcerun, *altered, *outdated}


def time_spent():
    """How long this run took, and how much of its cores' time the jobs' own code had: the rest is starting and waiting."""
    logs = [path.read_text() for path in Path(RESULTS, "logs").rglob("*.log") if path.stat().st_mtime >= BEGUN]
    work = sum(float(seconds) for log in logs for seconds in re.findall(r"^worked for ([0-9.]+) s$", log, re.M))
    wall = time.time() - BEGUN
    share = f", {work / (wall * workflow.cores):.0%} of {workflow.cores} cores" if workflow.local_exec else ""
    return f"Time: {wall:.0f} s; the jobs' own code had {work:.0f} s of CPU{share}."


def last_words():
    path = Path(RESULTS, "summary.txt")
    if not path.exists():
        return ""
    rows = [row for file in dict.fromkeys(PATHS.values()) for row in read_rows(file)]
    return "\n".join([path.read_text() + time_spent(), *mixed(rows), f"Report: {RESULTS}/report/index.html"])


# what a job of a cluster does was checked when the run was planned; nothing is planned when the rules are but looked at
if workflow.is_main_process and workflow.dag_settings is not None:
    try:
        make_anew()
    except SdclabError as error:
        sys.exit(f"sdclab: {error}")
