"""The risk-utility map of a table."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from job import job

from sdclab.plots.ru_map import ru_map
from sdclab.plots.style import save


def main(table: Path, title: str, outputs: Sequence[str]) -> None:
    figure = ru_map(pd.read_csv(table), title)
    for output in outputs:
        save(figure, output)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        main(Path(snakemake.input[0]), snakemake.params.title, snakemake.output)
