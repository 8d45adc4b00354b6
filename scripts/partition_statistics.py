"""What a partition tells of its records, for a release of all partitions."""

import json
from pathlib import Path

from job import job

from sdclab.base.files import write
from sdclab.experiment.partitioned import Order, statistics
from sdclab.microdata.partitions import Partition


def main(order: Order, partition: Partition, output: Path) -> None:
    write(output, json.dumps(statistics(order, partition)))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(task.given["order"], task.given["partition"], Path(snakemake.output[0]))
