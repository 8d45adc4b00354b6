"""The tables of a study, published numbers with ours beside them, for machines (CSV) and for people (Markdown)."""

from collections.abc import Sequence
from functools import cache
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
    measured: Sequence[pd.DataFrame],
    printed: Sequence[str],
    schema: Path,
    as_csv: Path,
    as_markdown: Path,
) -> None:
    ours = by_cell(pd.concat(measured, ignore_index=True), cells)
    rows = side_by_side(published.load(printed[0], schema) if printed else published.NOTHING, ours, table)
    write(as_csv, rows.to_csv(index=False))
    write(as_markdown, markdown(rows, table))


@cache
def read(path: str) -> pd.DataFrame:
    """The cells of a batch, which several tables may show."""
    return pd.read_csv(path)


if "snakemake" in globals():
    with job(snakemake) as task:
        for table, as_csv, as_markdown in zip(task.given["tables"], task.files[::2], task.files[1::2], strict=True):
            main(
                table,
                task.given["cells"][table.name],
                [read(path) for path in task.inputs[f"cells_{table.name}"]],
                task.inputs[f"published_{table.name}"],
                Path(*task.inputs["schema"]),
                Path(as_csv),
                Path(as_markdown),
            )
