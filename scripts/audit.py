"""Check what the papers claim about their own tables."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from job import job

from sdclab.base.files import csv_text, write
from sdclab.evidence import published
from sdclab.evidence.audit import COLUMNS, audit, rows_of


def main(claims: Sequence[Mapping[str, Any]], paths: Sequence[str], schema: Path, output: Path) -> None:
    tables = {Path(path).stem: published.load(path, schema) for path in paths}
    findings = rows_of(audit(tables, claims))
    write(output, csv_text(COLUMNS, findings))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["claims"],
            task.inputs["published"],
            Path(*task.inputs["schema"]),
            Path(snakemake.output[0]),
        )
