"""The report of a run and the explorer beside it, from the files that the run has left."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from job import job
from results import read_run

from sdclab.base.files import read, write
from sdclab.output.pages.explorer import explorer
from sdclab.output.pages.report import page
from sdclab.output.pages.run import costs


def main(
    given: Mapping[str, Any], inputs: Mapping[str, Sequence[str]], benchmarks: Path, output: Path, beside: Path
) -> None:
    measured = {path.relative_to(benchmarks): read(path).decode() for path in sorted(benchmarks.rglob("*.tsv"))}
    write(output, page(read_run(given, inputs, costs(measured))))
    write(beside, explorer())


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given,
            task.inputs,
            Path(task.given["benchmarks"]),
            Path(snakemake.output.page),
            Path(snakemake.output.explorer),
        )
