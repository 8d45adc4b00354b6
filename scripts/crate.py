"""The crate of a run: what it was, by the files that it has left, and the code that made them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from job import job

from sdclab.base.files import checksum, read, read_rows, write
from sdclab.microdata.dataset import read_facts
from sdclab.output.crate import Made, Result, Source, archive, crate
from sdclab.output.pages.run import took


def main(
    given: Mapping[str, Any],
    told: str,
    inputs: Mapping[str, Sequence[str]],
    results: Path,
    output: Path,
    workflow: Path,
    packed: Path,
) -> None:
    def result(path: str | Path) -> Result:
        return Result.read(results, str(Path(path).relative_to(results)))

    write(workflow, read(given["workflow"]))
    write(packed, archive({path: read(path) for path in inputs["code"]}))
    benchmarks = [path for path in map(Path, given["benchmarks"]) if path.is_file()]
    facts = [read_facts(path) for path in inputs["datasets"]]
    made = Made(
        told=told,
        titles=given["titles"],
        settings=given["settings"],
        results=[result(path) for path in inputs["results"]],
        records=[result(path) for path in given["records"]],
        workflow=result(workflow),
        archive=result(packed),
        sources=[Source(each, _checksum(given["sources"].get(each["name"], ()))) for each in facts],
        scorecard=read_rows(*inputs["scorecard"]),
        cells=[row for path in inputs["cells"] for row in read_rows(path)],
        jobs=[(path.stat().st_mtime, took(read(path).decode())) for path in benchmarks],
        ended=max(Path(path).stat().st_mtime for path in inputs["results"]),
    )
    write(output, crate(made))


def _checksum(source: Sequence[str]) -> str:
    """Of the file at hand, if one was."""
    return checksum(*source) if source else ""


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given,
            task.told,
            task.inputs,
            Path(task.results),
            Path(snakemake.output.crate),
            Path(snakemake.output.workflow),
            Path(snakemake.output.packed),
        )
