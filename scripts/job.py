"""What every job of the workflow shares: its log, its record, and errors said in one sentence."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

# a job computes with the code of its own tree, also in an environment that holds only the dependencies
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from sdclab.base.errors import reason, trail
from sdclab.experiment.integrity import WORKED, Task


@contextmanager
def job(snakemake: Any) -> Iterator[Task]:
    """What the job has to do. What is printed goes to the log; when all is done, a record is kept of what was made.

    An error ends the job with its sentence in the log and on the terminal. Of one that was not foreseen the log tells
    the lines of code as well, but neither its words nor the values there: they may be a record's.

    The last line of a log tells the CPU time of the job's own work, without starting and importing.
    """
    with open(snakemake.log[0], "w") as file, redirect_stdout(file), redirect_stderr(file):
        begun, task = time.process_time(), snakemake.params.task
        try:
            yield task
            task.keep_record()
            print(f"{WORKED} {time.process_time() - begun:.3f} s")
        except Exception as error:
            loud(reason(error))
            for line in trail(error):
                print(line)
            sys.exit(1)


def loud(line: str) -> None:
    """Say a line in the log and on the terminal."""
    print(line)
    print(f"sdclab: {line}", file=sys.__stderr__)
