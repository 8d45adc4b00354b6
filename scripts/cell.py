"""One cell of a grid: protect and measure its replicates, write a row for each."""

from collections.abc import Mapping
from pathlib import Path

from job import job

from sdclab.cells import run
from sdclab.data.dataset import Dataset
from sdclab.files import csv_text, write
from sdclab.grids import Cell
from sdclab.scenarios import AnyScenario


def main(
    cell: Cell,
    scenario: AnyScenario,
    measured: Mapping[str, Mapping[str, object]],
    code: str,
    table: Path,
    about: Path,
    output: Path,
) -> None:
    rows = run(cell, scenario, Dataset.read(table, about), measured, code)
    write(output, csv_text(list(rows[0]), rows))


if "snakemake" in globals():
    with job(snakemake.log[0]):
        main(
            snakemake.params.cell,
            snakemake.params.scenario,
            snakemake.params.measured,
            snakemake.params.code,
            Path(snakemake.input.table),
            Path(snakemake.input.about),
            Path(snakemake.output[0]),
        )
