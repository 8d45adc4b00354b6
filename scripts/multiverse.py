"""All readings of a published table: how near each comes, what decides, how lucky the best is."""

from collections.abc import Sequence
from pathlib import Path

from job import job

from sdclab.base.files import csv_text, read_rows, write
from sdclab.evidence import multiverse as found
from sdclab.evidence import published
from sdclab.experiment.cell import Cell, columns_of
from sdclab.experiment.multiverse import Multiverse


def main(
    multiverse: Multiverse,
    bases: Sequence[Cell],
    cells: Sequence[str],
    printed: Path,
    schema: Path,
    outputs: Sequence[str],
) -> None:
    rows = [row for path in cells for row in read_rows(path)]
    explored = found.explored(multiverse, bases, published.load(printed, schema), rows)
    tables = [
        [found.summary(each) for each in explored],
        *(
            [line for each in explored for line in lines(each)]
            for lines in (found.reading_lines, found.axis_lines, found.number_lines)
        ),
    ]
    *as_csv, as_markdown = outputs
    for path, table in zip(as_csv, tables, strict=True):
        write(path, csv_text(columns_of(table), table))
    write(as_markdown, found.markdown(explored, multiverse.title))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["multiverse"],
            task.given["cells"],
            task.inputs["cells"],
            Path(*task.inputs["published"]),
            Path(*task.inputs["schema"]),
            task.files,
        )
