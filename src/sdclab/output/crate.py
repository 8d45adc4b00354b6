"""A run as a Workflow Run RO-Crate, which others' tools read: https://w3id.org/ro/wfrun/workflow/0.5

The profile builds on Process Run Crate 0.5, Workflow RO-Crate 1.0 and RO-Crate 1.1. The crate is the folder of the
results: every file with its SHA-256, what it was made from, by which code, versions and parameters, and when. That
`when` is the one thing in the results that a clock tells, so two runs that agree in all other bytes differ in it.
"""

import io
import json
import platform
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from rocrate.model import ContextEntity, SoftwareApplication
from rocrate.rocrate import ROCrate

from sdclab import __version__
from sdclab.base.files import checksum
from sdclab.evidence.scorecard import MEANINGS
from sdclab.evidence.verification import ACTION, COUNTED, SCORECARD, TRACES
from sdclab.experiment.provenance import PACKAGE, versions
from sdclab.output.pages.run import TOOLS, versions_of

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
"""Where `sha256` is defined."""

FORMATS = {
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "md": "text/markdown",
    "pdf": "application/pdf",
    "png": "image/png",
    "sha256": "text/plain",
    "svg": "image/svg+xml",
    "txt": "text/plain",
    "zip": "application/zip",
}
LICENCE = "https://spdx.org/licenses/BSD-3-Clause"
PYTHON = "https://www.python.org/"
OLDEST = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive, so that the same files give the same bytes."""


@dataclass(frozen=True)
class Result:
    """A file of the results."""

    name: str
    """relative to their folder"""
    sha256: str
    size: int

    @classmethod
    def read(cls, folder: Path, name: str) -> "Result":
        return cls(name, checksum(folder / name), (folder / name).stat().st_size)


@dataclass(frozen=True)
class Source:
    """What a dataset was made from."""

    facts: Mapping[str, Any]
    """those beside the prepared table"""
    sha256: str
    """of the file that was at hand; empty if none was"""


@dataclass(frozen=True)
class Made:
    """What a finished run tells of itself."""

    told: str
    """the fingerprint of all that it was told, and so its name"""
    titles: Sequence[str]
    """of the studies"""
    settings: Mapping[str, Any]
    results: Sequence[Result]
    records: Sequence[Result]
    """of the jobs"""
    workflow: Result
    archive: Result
    sources: Sequence[Source]
    scorecard: Sequence[Mapping[str, str]]
    cells: Sequence[Mapping[str, str]]
    """their rows, for the versions and processors that they were computed with"""
    jobs: Sequence[tuple[float, float]]
    """when a job ended, in seconds since 1970, and how many it took; none that nothing is known of"""
    ended: float
    """when the last result was written"""


def archive(files: Mapping[str, bytes]) -> bytes:
    """A zip of files by name: the same bytes for the same files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as into:
        for name, content in sorted(files.items()):
            about = zipfile.ZipInfo(name, OLDEST)
            about.external_attr = 0o644 << 16
            into.writestr(about, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def crate(made: Made) -> str:
    """The text of `ro-crate-metadata.json`."""
    found = ROCrate(version="1.1")
    found.metadata.extra_contexts.append(TERMS)
    _describe(found, made)
    parameters = [_parameter(found, *each) for each in sorted(_flat(made.settings).items())]
    workflow = _workflow(found, made, parameters)
    inputs = [_source(found, each) for each in made.sources]
    code = _file(found, made.archive, description="the code and the settings of the run")
    results = [_file(found, each, **_more(found, each, made)) for each in made.results]
    for each in made.records:
        _file(found, each, description="what a job was told, by a fingerprint, and the SHA-256 of what it made")
    action = _context(
        found,
        f"{ACTION}{made.told}",
        "CreateAction",
        name=f"Run of {PACKAGE} {__version__}",
        description="; ".join([f"snakemake with {made.workflow.name}", *versions_of(made.cells)]),
        instrument=workflow,
        object=[*inputs, *(value for _, value in parameters), code],
        result=results,
        **_duration(found, made),
        actionStatus="http://schema.org/CompletedActionStatus",
    )
    found.root_dataset["mentions"] = action
    for folder, description in TRACES.items():
        traces = found.add_dataset(dest_path=folder)
        traces["description"], traces["about"] = description, action
    return json.dumps(found.metadata.generate(), indent=2, ensure_ascii=False) + "\n"


def _duration(found: ROCrate, made: Made) -> dict[str, Any]:
    """From the start of the first job to the last result, pauses of a run that was resumed included."""
    if not made.jobs:
        return {"endTime": _time(made.ended)}
    spent = _value(found, "#job-seconds", "seconds of all jobs", round(sum(seconds for _, seconds in made.jobs), 1))
    begun = min(end - seconds for end, seconds in made.jobs)
    return {"startTime": _time(begun), "endTime": _time(made.ended), "additionalProperty": spent}


def _packages(cells: Sequence[Mapping[str, str]]) -> list[tuple[str, str]]:
    """Names and versions of what the cells, tables and figures were made with."""
    told = {*(row["versions"] for row in cells), versions(TOOLS), f"python {platform.python_version()}"}
    pairs = {pair for line in told for pair in zip(line.split()[::2], line.split()[1::2], strict=True)}
    return sorted(pair for pair in pairs if pair[0] != PACKAGE)


def _describe(found: ROCrate, made: Made) -> None:
    """What RO-Crate asks of the folder as a whole."""
    licence = _context(
        found,
        LICENCE,
        "CreativeWork",
        name="BSD 3-Clause",
        description="of the code and of what it made; a dataset has the licence of its source",
    )
    found.root_dataset["name"] = f"Results of {PACKAGE}: {'; '.join(made.titles)}"
    found.root_dataset["description"] = (
        "Every table, figure and verdict of a run, with what it was made from, by which code, versions and parameters. "
        "`sdclab verify` checks the folder against this file."
    )
    found.root_dataset["datePublished"] = _time(made.ended)
    found.root_dataset["license"] = licence
    found.root_dataset["conformsTo"] = [
        _context(found, url, "CreativeWork", name=name, version=url.rpartition("/")[2])
        for url, name in PROFILES.items()
    ]


def _workflow(found: ROCrate, made: Made, parameters: Sequence[tuple[ContextEntity, ContextEntity]]) -> Any:
    """The Snakefile, as what was executed."""
    workflow = found.add_workflow(
        dest_path=made.workflow.name, main=True, lang="snakemake", properties=_facts(made.workflow)
    )
    workflow["name"] = PACKAGE
    workflow["version"] = __version__
    workflow["license"] = found.root_dataset["license"]
    workflow["creator"] = _context(found, "#developers", "Organization", name="The sdclab developers")
    workflow["input"] = [formal for formal, _ in parameters]
    workflow["softwareRequirements"] = [_package(found, *each) for each in _packages(made.cells)]
    return workflow


def _parameter(found: ROCrate, name: str, value: Any) -> tuple[ContextEntity, ContextEntity]:
    """A setting: the workflow's slot, and what the run had there."""
    kind = {bool: "Boolean", int: "Integer"}.get(type(value), "Text")
    formal = _context(found, f"#parameter-{name}", "FormalParameter", name=name, additionalType=kind)
    given = _value(found, f"#setting-{name}", name, value, exampleOfWork=formal)
    formal["workExample"] = given
    return formal, given


def _source(found: ROCrate, source: Source) -> ContextEntity:
    """What a dataset was made from. It is not in the folder, so to the crate it is a work, not a file."""
    facts = source.facts
    more = {"sha256": source.sha256} if source.sha256 else {}
    return _context(
        found,
        f"#source-{facts['name']}",
        "CreativeWork",
        name=facts["source"],
        description=f"{facts['kind']} of {facts['title']}: {facts['obtain']}",
        license=facts["licence"],
        **more,
    )


def _more(found: ROCrate, result: Result, made: Made) -> dict[str, Any]:
    """What is to be said of some files in particular."""
    for source in made.sources:
        facts = source.facts
        if result.name == f"data/{facts['name']}.csv":
            kind = _value(found, f"#kind-{facts['name']}", "kind", facts["kind"])
            about = f"{facts['title']}, prepared; its SHA-256 is the fingerprint in every row made from it"
            basis = found.get(f"#source-{facts['name']}")
            return {"description": about, "additionalProperty": kind, "isBasedOn": basis, "license": facts["licence"]}
    if result.name == SCORECARD:
        counts = Counter(line["verdict"] for line in made.scorecard)
        return {
            "description": "every published number beside ours, with a verdict",
            "additionalProperty": [
                _value(found, f"{COUNTED}{verdict.replace(' ', '-')}", verdict, count, description=MEANINGS[verdict])
                for verdict, count in sorted(counts.items())
            ],
        }
    return {}


def _file(found: ROCrate, result: Result, **more: Any) -> Any:
    file = found.add_file(dest_path=result.name, properties=_facts(result))
    for key, value in more.items():
        file[key] = value
    return file


def _facts(result: Result) -> dict[str, str]:
    """What is said of every file."""
    ending = PurePosixPath(result.name).suffix.removeprefix(".")
    return {
        "name": result.name,
        "encodingFormat": FORMATS.get(ending, "text/plain" if not ending else "application/octet-stream"),
        "contentSize": str(result.size),
        "sha256": result.sha256,
    }


def _package(found: ROCrate, name: str, version: str) -> Any:
    where = PYTHON if name == "python" else f"https://pypi.org/project/{name}/{version}/"
    about = {"name": name, "softwareVersion": version, "url": where}
    return found.add(SoftwareApplication(found, where, properties=about))


def _value(found: ROCrate, identifier: str, name: str, value: Any, **more: Any) -> ContextEntity:
    return _context(found, identifier, "PropertyValue", name=name, value=value, **more)


def _context(found: ROCrate, identifier: str, kind: str, **properties: Any) -> ContextEntity:
    entity = found.add(ContextEntity(found, identifier, properties={"@type": kind}))
    for key, value in properties.items():
        entity[key] = value
    return entity


def _flat(settings: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Settings by their full names, without those that are not set."""
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{above}{key}.")
        elif value is not None:
            flat[f"{above}{key}"] = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
    return flat


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
