"""Every published number beside ours, with a verdict, and the run's last words."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from job import job

from sdclab.files import csv_text, write
from sdclab.scorecard import COLUMNS, judge, rows_of, summary
from sdclab.studies import Study


def read_rows(path: str | Path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def main(
    studies: Sequence[Study],
    tables: Mapping[str, str],
    audit: Path,
    datasets: Sequence[str],
    as_csv: Path,
    as_text: Path,
) -> None:
    lines = [
        line
        for study in studies
        for table, spec in study.tables.items()
        if table in tables
        for line in judge(
            study.name, table, read_rows(tables[table]), spec, study.judgements, study.notes, study.left_out
        )
    ]
    checked = read_rows(audit)
    failed = sum(row["holds"] == "no" for row in checked) if checked else None
    facts = [json.loads(Path(path).read_text()) for path in datasets]
    kinds = {fact["name"]: fact["kind"] for fact in facts}
    write(as_csv, csv_text(COLUMNS, rows_of(lines)))
    write(as_text, summary(lines, failed, kinds, str(as_csv.parent)))


if "snakemake" in globals():
    with job(snakemake.log[0]):
        main(
            snakemake.params.studies,
            {Path(path).stem: path for path in snakemake.input.tables},
            Path(snakemake.input.audit),
            snakemake.input.datasets,
            Path(snakemake.output.csv),
            Path(snakemake.output.summary),
        )
