"""The report of a run and the explorer beside it, from the files that the run has left."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from job import job

from sdclab.base.files import read, read_rows, write
from sdclab.microdata.dataset import read_facts
from sdclab.output.pages.explorer import explorer
from sdclab.output.pages.report import page
from sdclab.output.pages.run import Run, by_name, costs, refusals_of, versions_of


def main(
    given: Mapping[str, Any], inputs: Mapping[str, Sequence[str]], benchmarks: Path, output: Path, beside: Path
) -> None:
    cells = [row for path in inputs["cells"] for row in read_rows(path)]
    measured = {path.relative_to(benchmarks): read(path).decode() for path in sorted(benchmarks.rglob("*.tsv"))}
    run = Run(
        studies=given["studies"],
        scorecard=read_rows(*inputs["scorecard"]),
        audit=read_rows(*inputs["audit"]),
        tables=by_name(given["tables"], map(read_rows, inputs["tables"])),
        sensitivities=by_name(given["sensitivities"], map(read_rows, inputs["sensitivities"])),
        figures=by_name(given["figures"], (read(path).decode() for path in inputs["figures"])),
        datasets=[read_facts(path) for path in inputs["datasets"]],
        versions=versions_of(cells),
        costs=costs(measured),
        refusals=refusals_of(cells),
        cells=cells,
        multiverses=given["multiverses"],
        summaries=by_name(given["multiverses"], map(read_rows, inputs["summary"])),
        readings=by_name(given["multiverses"], map(read_rows, inputs["readings"])),
        axes=by_name(given["multiverses"], map(read_rows, inputs["axes"])),
        curves=by_name(given["curves"], (read(path).decode() for path in inputs["curves"])),
        drawn=given["curves"],
    )
    write(output, page(run))
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
