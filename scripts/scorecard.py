"""Every published number beside ours, with a verdict, and the run in a few lines."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from job import job

from sdclab.base.files import csv_text, read_rows, write
from sdclab.evidence.audit import failures
from sdclab.evidence.multiverse import by_table
from sdclab.evidence.scorecard import COLUMNS, judge, rows_of
from sdclab.experiment.multiverse import Multiverse
from sdclab.experiment.study import Study
from sdclab.experiment.table import Table
from sdclab.microdata.dataset import read_facts
from sdclab.output.summary import summary


def main(
    studies: Mapping[str, Study],
    tables: Sequence[Table],
    paths: Sequence[str],
    audit: Path,
    datasets: Sequence[str],
    multiverses: Sequence[Multiverse],
    held_out: Sequence[str],
    as_csv: Path,
    as_text: Path,
) -> None:
    chosen = by_table(multiverses, map(read_rows, held_out))
    lines = [
        line
        for table, path in zip(tables, paths, strict=True)
        for line in judge(studies[table.study], table, read_rows(path), chosen.get((table.study, table.name), {}))
    ]
    kinds = {fact["name"]: fact["kind"] for fact in map(read_facts, datasets)}
    write(as_csv, csv_text(COLUMNS, rows_of(lines)))
    write(as_text, summary(lines, failures(read_rows(audit)), kinds, str(as_csv.parent)))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["studies"],
            task.given["tables"],
            task.inputs["tables"],
            Path(*task.inputs["audit"]),
            task.inputs["datasets"],
            task.given["multiverses"],
            task.inputs["held_out"],
            Path(snakemake.output.csv),
            Path(snakemake.output.summary),
        )
