"""A batch of cells of a grid: protect and measure their replicates, write a row for each."""

from collections.abc import Sequence
from pathlib import Path

from job import job, loud

from sdclab.base.files import csv_text, write
from sdclab.experiment.cell import Cell, columns_of, refusals, run_all
from sdclab.experiment.data import read
from sdclab.experiment.scenario import AnyScenario
from sdclab.experiment.study import MeasuresByKind


def main(
    cells: Sequence[Cell],
    scenario: AnyScenario,
    measured: MeasuresByKind,
    code: str,
    dataset: Sequence[str],
    output: Path,
) -> None:
    data = read(scenario, *map(Path, dataset))
    rows = run_all(cells, scenario, data, measured.of(data.kind), code)
    for line in refusals(rows):
        loud(line)
    write(output, csv_text(columns_of(rows), rows))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["cells"],
            task.given["scenario"],
            task.given["measured"],
            task.given["code"],
            task.inputs["dataset"],
            Path(snakemake.output[0]),
        )
