# What the rules share: the plan that follows from the config, and how a rule asks it.
import sys
import time
from pathlib import Path

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
SHOWN_TABLES = {f"{RESULTS}/tables/{each.study}/{each.name}.csv": each for each in PLAN.tables}
SHOWN_FIGURES = {
    f"{RESULTS}/figures/{each.study}/{each.name}.svg": each for each in PLAN.figures if not PLAN.shows_records(each)
}

if workflow.is_main_process:
    progress.follow(logger)


wildcard_constraints:
    dataset="[a-z0-9_]+",
    study="[a-z0-9_]+",
    scenario="[A-Za-z0-9_]+",
    method="[a-z0-9_.]+",
    batch="[^/]+",
    sensitivity="[a-z0-9_]+",
    multiverse="[a-z0-9_]+",
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


def rule_name(name):
    """The name of the one rule of a job."""
    return "__".join(Path(name).parts)


def in_report(name, kind, shown):
    """The files that a job makes, those that are shown with what Snakemake's report tells of them."""
    return [flagged(file, kind, shown[file]) if file in shown else file for file in PLAN.tasks[name].files]


def flagged(file, kind, part):
    """A file for Snakemake's report, with the name and the title of what it holds."""
    labels = {kind: part.name, "title": no_tag(part.title)}
    about = dict(category=f"{kind.capitalize()}s", subcategory=heading(part.study), labels=labels)
    return report(file, caption=f"../report/{kind}.rst", **about)


def heading(study):
    return no_tag(PLAN.studies[study].title)


def no_tag(text):
    """A title for Snakemake's report, which puts it into a script: no `<` there may begin a tag."""
    return text.replace("<", "<\u200b")


def last_lines():
    cores = workflow.cores if workflow.local_exec else None
    return closing(RESULTS, dict.fromkeys(PLAN.cell_files.values()), BEGUN, cores)
