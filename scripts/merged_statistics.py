"""Put together what all partitions told, and find what each must know of the whole."""

import json
from collections.abc import Sequence
from pathlib import Path

from job import job

from sdclab.base.files import read, write
from sdclab.experiment.partitioned import Order, merged


def main(order: Order, told: Sequence[str], output: Path) -> None:
    write(output, json.dumps(merged(order, [json.loads(read(path)) for path in told])))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(task.given["order"], task.inputs["statistics"], Path(snakemake.output[0]))
