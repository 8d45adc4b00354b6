"""The run as an article, from the files that it has left."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from job import job
from results import read_run

from sdclab.base.files import write
from sdclab.output.article.article import article
from sdclab.output.article.references import load
from sdclab.output.article.typesetting import pdf


def main(given: Mapping[str, Any], inputs: Mapping[str, Sequence[str]], output: Path) -> None:
    citation = load(*inputs["citation"], *inputs["schema"])
    write(output, pdf(article(read_run(given, inputs), citation)))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(task.given, task.inputs, Path(snakemake.output[0]))
