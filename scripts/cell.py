"""One cell of a grid: protect and measure its replicates, write a row for each."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path

from job import job

from sdclab.cells import run
from sdclab.data.dataset import Dataset, numbers
from sdclab.files import csv_text, write
from sdclab.grids import Cell
from sdclab.scenarios import Scenario


def read_dataset(table: Path, about: Path) -> Dataset:
    """The prepared dataset as the rule `dataset` left it."""
    facts = json.loads(about.read_text())
    with table.open(newline="") as file:
        header, *rows = csv.reader(file)
    values = numbers(rows, header, header, table.name)
    return Dataset(facts["name"], facts["kind"], facts["source"], tuple(header), values)


def main(
    cell: Cell,
    scenario: Scenario,
    measured: Mapping[str, Mapping[str, object]],
    table: Path,
    about: Path,
    output: Path,
) -> None:
    rows = run(cell, scenario, read_dataset(table, about), measured)
    write(output, csv_text(list(rows[0]), rows))


if "snakemake" in globals():
    with job(snakemake.log[0]):
        main(
            snakemake.params.cell,
            snakemake.params.scenario,
            snakemake.params.measured,
            Path(snakemake.input.table),
            Path(snakemake.input.about),
            Path(snakemake.output[0]),
        )
