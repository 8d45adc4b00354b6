"""Every published number beside ours, with a verdict, and the run's last words."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from job import job

from sdclab.base.files import csv_text, read_rows, write
from sdclab.evidence.scorecard import COLUMNS, judge, rows_of, summary
from sdclab.experiment.study import Study
from sdclab.microdata.dataset import read_facts


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
    facts = [read_facts(path) for path in datasets]
    kinds = {fact["name"]: fact["kind"] for fact in facts}
    write(as_csv, csv_text(COLUMNS, rows_of(lines)))
    write(as_text, summary(lines, failed, kinds, str(as_csv.parent)))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["studies"],
            {Path(path).stem: path for path in task.inputs["tables"]},
            Path(*task.inputs["audit"]),
            task.inputs["datasets"],
            Path(snakemake.output.csv),
            Path(snakemake.output.summary),
        )
