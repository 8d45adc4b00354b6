"""Retrieve, prepare and verify a dataset; write the table and what is to be known about it."""

from pathlib import Path

from job import job, loud

from sdclab.experiment.data import dataset_of
from sdclab.microdata.manifest import Entry
from sdclab.microdata.retrieve import Places


def main(entry: Entry, places: Places, download: bool, records: int | None, table: Path, about: Path) -> None:
    dataset = dataset_of(entry, places, download, say=loud).head(records)
    dataset.write(table, about, title=entry.title, licence=entry.licence, obtain=entry.obtain)


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["entry"],
            task.given["places"],
            task.given["download"],
            task.given["records"],
            Path(snakemake.output.table),
            Path(snakemake.output.about),
        )
