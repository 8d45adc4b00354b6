"""A batch of cells of a grid: protect and measure their replicates, write a row for each."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from job import job

from sdclab.base.files import csv_text, write
from sdclab.experiment.cell import Measured, run_all
from sdclab.experiment.grid import Cell
from sdclab.experiment.scenario import AnyScenario
from sdclab.microdata.dataset import Dataset


def main(
    cells: Sequence[Cell],
    scenario: AnyScenario,
    measured: Mapping[str, Measured],
    code: str,
    table: Path,
    about: Path,
    output: Path,
) -> None:
    dataset = Dataset.read(table, about)
    rows = run_all(cells, scenario, dataset, measured["original" if dataset.kind == "original" else "any"], code)
    write(output, csv_text(list(dict.fromkeys(column for row in rows for column in row)), rows))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["cells"],
            task.given["scenario"],
            task.given["measured"],
            task.given["code"],
            Path(*task.inputs["table"]),
            Path(*task.inputs["about"]),
            Path(snakemake.output[0]),
        )
