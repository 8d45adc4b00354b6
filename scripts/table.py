"""A published table with ours beside it, for machines (CSV) and for people (Markdown)."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from job import job

from sdclab.base.files import write
from sdclab.evidence import published
from sdclab.evidence.side_by_side import by_cell, markdown, side_by_side
from sdclab.experiment.cell import Cell
from sdclab.experiment.table import Table


def main(
    table: Table,
    cells: Sequence[Cell],
    paths: Sequence[str],
    printed: Sequence[str],
    schema: Path,
    as_csv: Path,
    as_markdown: Path,
) -> None:
    measured = by_cell(pd.concat([pd.read_csv(path) for path in paths], ignore_index=True), cells)
    rows = side_by_side(published.load(printed[0], schema) if printed else published.NOTHING, measured, table)
    write(as_csv, rows.to_csv(index=False))
    write(as_markdown, markdown(rows, table))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["table"],
            task.given["cells"],
            task.inputs["cells"],
            task.inputs["published"],
            Path(*task.inputs["schema"]),
            Path(snakemake.output.csv),
            Path(snakemake.output.markdown),
        )
