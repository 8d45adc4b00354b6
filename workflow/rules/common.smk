# What the rules share: the plan that follows from the config, and how a rule asks it.
import sys
import time

from snakemake.logging import logger

from sdclab.base import documents
from sdclab.base.errors import SdclabError
from sdclab.cli import progress
from sdclab.evidence import fit
from sdclab.experiment import integrity, plan
from sdclab.output.plots import PLOTS
from sdclab.output.summary import closing

BEGUN = time.time()


def checked_plan():
    for path in workflow.configfiles:  # Snakemake has read it already, but takes the last of two keys without a word
        documents.parse(path)
    found = plan.load(config, PLOTS)
    fit.check(found.studies.values(), plan.PUBLISHED, plan.PUBLISHED_SCHEMA)
    return found


def doubtful(tasks):
    """The results that must be made anew: not as they were made, which is said, or made from something else."""
    altered = integrity.altered(tasks)
    if altered:
        print(f"sdclab: {integrity.sentence(altered)}", file=sys.stderr)
    return {*altered, *integrity.outdated(tasks)}


try:
    PLAN = checked_plan()
    ANEW = doubtful(PLAN.tasks.values()) if workflow.is_main_process else set()  # and not in every job of a cluster
except SdclabError as error:
    sys.exit(f"sdclab: {error}")

RESULTS = PLAN.results

if workflow.is_main_process:
    progress.follow(logger)


wildcard_constraints:
    dataset="[a-z0-9_]+",
    study="[a-z0-9_]+",
    scenario="[A-Za-z0-9_]+",
    method="[a-z0-9_]+",
    batch="[^/]+",
    table="[a-z0-9_]+",
    sensitivity="[a-z0-9_]+",
    multiverse="[a-z0-9_]+",
    curve="[a-z0-9_]+",
    release="[a-z0-9_]+",
    part="[0-9]+",


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


def memory_for(name):
    """What a partition's job asks a cluster for, in MB; twice as much when it is tried again."""
    return lambda wildcards, attempt: attempt * PLAN.tasks[name.format(**wildcards)].given["memory"]


def figures(showing_records):
    """A pattern for the figures that show records, or for those that do not: study/figure."""
    chosen = [f"{each.study}/{each.name}" for each in PLAN.figures if PLAN.shows_records(each) == showing_records]
    return "|".join(chosen) or "(?!)"


def heading(study):
    """A study's title for Snakemake's report, which puts it into a script: no `<` there may begin a tag."""
    return PLAN.studies[study].title.replace("<", "<\u200b")


def last_lines():
    cores = workflow.cores if workflow.local_exec else None
    return closing(RESULTS, dict.fromkeys(PLAN.cell_files.values()), BEGUN, cores)
