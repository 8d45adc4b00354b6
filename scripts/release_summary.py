"""What became of a release as a whole; its warnings are said aloud."""

import json
from collections.abc import Sequence
from pathlib import Path

from job import job, loud

from sdclab.base.errors import NAMES_SHOWN
from sdclab.base.files import read, write
from sdclab.experiment.partitioned import Order, summary


def main(order: Order, told: Sequence[str], output: Path) -> None:
    found = summary(order, [json.loads(read(path)) for path in told])
    for line in found["warnings"][:NAMES_SHOWN]:
        loud(f"WARNING: {line}")
    parts = len(found["partitions"])
    loud(f"release {order.name}: {found['records']} records in {parts} files; what became of the whole: {output}")
    write(output, json.dumps(found, indent=2) + "\n")


if "snakemake" in globals():
    with job(snakemake) as task:
        main(task.given["order"], task.inputs["released"], Path(snakemake.output[0]))
