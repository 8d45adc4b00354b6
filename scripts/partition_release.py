"""Protect a partition, and tell its owner what to know about it."""

import json
from pathlib import Path

from job import job

from sdclab.base.files import read
from sdclab.base.files import write as write_text
from sdclab.experiment.partitioned import Order, released
from sdclab.microdata.partitions import Partition
from sdclab.microdata.writing import write


def main(order: Order, partition: Partition, merged: Path, output: Path, about: Path) -> None:
    table, told = released(order, partition, json.loads(read(merged)))
    write(table, output)
    write_text(about, json.dumps(told))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["order"],
            task.given["partition"],
            Path(*task.inputs["merged"]),
            Path(snakemake.output.table),
            Path(snakemake.output.about),
        )
