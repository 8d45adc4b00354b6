"""Retrieve, prepare and verify a dataset; write the table and what is to be known about it."""

import json
from pathlib import Path

from job import job, loud

from sdclab.data.manifest import Entry
from sdclab.data.retrieve import Places, retrieve
from sdclab.files import write


def main(entry: Entry, places: Places, download: bool, most_records: int | None, table: Path, about: Path) -> None:
    dataset = retrieve(entry, places, download, say=loud).head(most_records)
    facts = {
        "name": dataset.name,
        "kind": dataset.kind,
        "source": dataset.source,
        "rows": len(dataset.values),
        "columns": list(dataset.columns),
        "fingerprint": dataset.fingerprint,
        "title": entry.title,
        "licence": entry.licence,
        "obtain": entry.obtain,
    }
    write(table, dataset.text)
    write(about, json.dumps(facts, indent=2) + "\n")


if "snakemake" in globals():
    with job(snakemake.log[0]):
        main(
            snakemake.params.entry,
            snakemake.params.places,
            snakemake.params.download,
            snakemake.params.most_records,
            Path(snakemake.output.table),
            Path(snakemake.output.about),
        )
