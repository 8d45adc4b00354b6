# What the rules share: the checked config, the plan that follows from it, and what a run says at its start and end.
import os
import re
import sys
import time
from pathlib import Path

from sdclab.base import documents
from sdclab.experiment import integrity, plan, study as studies
from sdclab.microdata import manifest, retrieve
from sdclab.base.errors import SdclabError
from sdclab.base.files import check_writable, read_rows
from sdclab.experiment.provenance import mixed

BEGUN = time.time()
CONFIG = "config/config.yaml"
SCHEMAS = Path("workflow/schemas")
REPLICAS = Path("resources/replicas")


def checked_config():
    """The config, the datasets, where they may lie, and the studies: all checked before any job is planned."""
    for path in workflow.configfiles:  # Snakemake has read it already, but takes the last of two keys without a word
        documents.parse(path)
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


def doubtful(tasks):
    """The results that must be made anew: not as they were made, which is said, or made from something else."""
    altered = integrity.altered(tasks)
    if altered:
        print(f"sdclab: {integrity.sentence(altered)}", file=sys.stderr)
    return {*altered, *integrity.outdated(tasks)}


try:
    PLAN = plan.Plan(config, *checked_config())
    ANEW = doubtful(PLAN.tasks.values()) if workflow.is_main_process else set()  # and not in every job of a cluster
except SdclabError as error:
    sys.exit(f"sdclab: {error}")

RESULTS = PLAN.results


wildcard_constraints:
    dataset="[a-z0-9_]+",
    study="[a-z0-9_]+",
    scenario="[A-Za-z0-9_]+",
    method="[a-z0-9_]+",
    batch="[^/]+",
    table="[a-z0-9_]+",
    figure="[a-z0-9_]+",
    sensitivity="[a-z0-9_]+",


def inputs_of(name):
    """The files that a rule's job reads, by name. It is asked as jobs are planned, before it is known which must run."""

    def inputs(wildcards):
        workflow.dag.forcefiles.update(ANEW)
        return PLAN.tasks[name.format(**wildcards)].inputs

    return inputs


def task_of(name):
    """All that a rule's job works with. Snakemake takes no notice when an object like this changes."""
    return lambda wildcards: PLAN.tasks[name.format(**wildcards)]


def told_of(name):
    """A fingerprint of the same, by which Snakemake sees that a result was made from something else."""
    return lambda wildcards: PLAN.tasks[name.format(**wildcards)].told


def named(figures):
    """A pattern for these names and no others."""
    return "|".join(figures) or "(?!)"


def heading(study):
    """A study's title for Snakemake's report, which puts it into a script: no `<` there may begin a tag."""
    return study.title.replace("<", "<\u200b")


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
    rows = [row for file in dict.fromkeys(PLAN.cell_files.values()) for row in read_rows(file)]
    return "\n".join([path.read_text() + time_spent(), *mixed(rows), f"Report: {RESULTS}/report/index.html"])
