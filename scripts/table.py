"""A published table with ours beside it, for machines (CSV) and for people (Markdown)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from job import job

from sdclab.base.files import write
from sdclab.evidence import published
from sdclab.evidence.side_by_side import markdown, side_by_side
from sdclab.experiment.grid import Cell


def main(
    spec: Mapping[str, Any],
    cells: Sequence[Cell],
    paths: Sequence[str],
    printed: Sequence[str],
    schema: Path,
    as_csv: Path,
    as_markdown: Path,
) -> None:
    rows = pd.concat([pd.read_csv(path) for path in paths])
    frames = dict(list(rows.groupby(["scenario", "method", "parameters"])))
    # a column that another cell has, and this one not, is none of its own; one that is empty in all is undefined
    defined = rows.columns[rows.notna().any()]
    none = {key: [column for column in defined if frame[column].isna().all()] for key, frame in frames.items()}
    keys = [(cell.scenario, cell.method, cell.slug) for cell in cells]
    pairs = [(cell, frames[key].drop(columns=none[key])) for cell, key in zip(cells, keys, strict=True)]
    table = side_by_side(published.load(printed[0], schema) if printed else published.NOTHING, pairs, spec)
    write(as_csv, table.to_csv(index=False))
    write(as_markdown, markdown(table, spec["title"], spec))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["spec"],
            task.given["cells"],
            task.inputs["cells"],
            task.inputs["published"],
            Path(*task.inputs["schema"]),
            Path(snakemake.output.csv),
            Path(snakemake.output.markdown),
        )
