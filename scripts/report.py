"""The report of a run and the explorer beside it, from the files that the run has left."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from job import job

from sdclab.base.files import read, read_rows, write
from sdclab.experiment.provenance import mixed, versions
from sdclab.experiment.study import Study
from sdclab.microdata.dataset import read_facts
from sdclab.output.pages.explorer import explorer
from sdclab.output.pages.report import page
from sdclab.output.pages.run import Cost, Run

TOOLS = ("snakemake", "pandas", "matplotlib")
"""What tables and figures are made with; the cells say themselves what they were computed with."""


def main(
    studies: Sequence[Study], inputs: Mapping[str, Sequence[str]], benchmarks: Path, output: Path, beside: Path
) -> None:
    run = Run(
        studies=studies,
        scorecard=read_rows(*inputs["scorecard"]),
        audit=read_rows(*inputs["audit"]),
        tables={Path(path).stem: read_rows(path) for path in inputs["tables"]},
        sensitivities={Path(path).stem: read_rows(path) for path in inputs["sensitivities"]},
        figures={Path(path).stem: read(path).decode() for path in inputs["figures"]},
        datasets=[read_facts(path) for path in inputs["datasets"]],
        versions=[*_versions_of(inputs["cells"]), f"pages, tables and figures: {versions(TOOLS)}"],
        costs=list(_costs(benchmarks)),
    )
    write(output, page(run))
    write(beside, explorer())


def _versions_of(cells: Sequence[str]) -> list[str]:
    """What the cells were computed with and on: one line, unless that was at different times or places."""
    rows = [row for path in cells for row in read_rows(path)]
    return [*mixed(rows), *sorted({f"cells: {row['versions']} on {row['processor']}" for row in rows})]


def _costs(benchmarks: Path) -> Iterator[Cost]:
    """What every stage took, the cells study by study."""
    stages: dict[str, list[dict[str, str]]] = {}
    for path in sorted(benchmarks.rglob("*.tsv")):
        folder, *rest = path.relative_to(benchmarks).parts
        stage = f"{folder} of {rest[0]}" if folder == "cells" else folder.removesuffix(".tsv")
        stages.setdefault(stage, []).append(_measured(path))
    for stage, jobs in stages.items():
        seconds, megabytes = ([_number(job.get(name, "")) for job in jobs] for name in ("s", "max_rss"))
        yield Cost(stage, len(jobs), sum(seconds), max(megabytes))


def _measured(path: Path) -> dict[str, str]:
    """What was measured of a job; a file that was emptied or cut short, which is no result, tells less or nothing."""
    names, values = [line.split("\t") for line in (*read(path).decode().splitlines(), "", "")][:2]
    return dict(zip(names, values, strict=False))


def _number(text: str) -> float:
    """A measured number; a job that was too short for it has none."""
    return float(text) if text not in ("-", "NA", "") else 0.0


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["studies"],
            task.inputs,
            Path(task.given["benchmarks"]),
            Path(snakemake.output.page),
            Path(snakemake.output.explorer),
        )
