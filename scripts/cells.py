"""A batch of cells of a grid: protect and measure their replicates, write a row for each."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from job import job, loud

from sdclab.base.files import csv_text, write
from sdclab.experiment.cell import Cell, columns_of, refusals, run_all
from sdclab.experiment.data import read
from sdclab.experiment.options import MeasuresByKind
from sdclab.experiment.scenario import AnyScenario


def main(
    cells: Sequence[Cell],
    scenario: AnyScenario,
    measured: MeasuresByKind,
    may_fail: bool,
    code: Mapping[str, str],
    dataset: Sequence[str],
    output: Path,
) -> None:
    data = read(scenario, *map(Path, dataset))
    rows = []
    for method, together in groupby(cells, lambda cell: cell.method):
        rows += run_all(list(together), scenario, data, measured.of(data.kind), code[method], may_fail)
    for line in refusals(rows):
        print(line) if may_fail else loud(line)
    write(output, csv_text(columns_of(rows), rows))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["cells"],
            task.given["scenario"],
            task.given["measured"],
            task.given["may_fail"],
            task.given["code"],
            task.inputs["dataset"],
            Path(snakemake.output[0]),
        )
