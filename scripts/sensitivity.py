"""How far a measure depends on its options: a table for machines and for people."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from job import job

from sdclab.base.files import csv_text, read_rows, write
from sdclab.evidence.sensitivity import markdown, sensitivity
from sdclab.experiment.grid import Cell
from sdclab.experiment.scenario import AnyScenario
from sdclab.microdata.dataset import Dataset


def main(
    spec: Mapping[str, Any],
    cells: Sequence[Cell],
    scenario: AnyScenario,
    dataset: Sequence[str],
    table: Path,
    as_csv: Path,
    as_markdown: Path,
) -> None:
    data = Dataset.read(*map(Path, dataset))
    printed = {row["cell"]: row[f"{spec['quantity']}_published"] for row in read_rows(table)}
    published = {cell.name: float(printed[cell.name]) for cell in cells if printed.get(cell.name)}
    rows = sensitivity(cells, scenario, data, published, spec)
    write(as_csv, csv_text(list(rows[1]), rows))
    write(as_markdown, markdown(rows, cells, spec["title"], data.kind))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["spec"],
            task.given["cells"],
            task.given["scenario"],
            task.inputs["dataset"],
            Path(*task.inputs["table"]),
            Path(snakemake.output.csv),
            Path(snakemake.output.markdown),
        )
