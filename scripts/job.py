"""What every job of the workflow shares: its log, and errors said in one sentence."""

import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

# a job computes with the code of its own tree, also in an environment that holds only the dependencies
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from sdclab.errors import SdclabError

WORKED = "worked for"


@contextmanager
def job(log: str) -> Iterator[None]:
    """Send what is printed to the log. Bad input ends the job with its sentence there and on the terminal.

    The last line of a log tells the CPU time of the job's own work, without starting and importing.
    """
    with open(log, "w") as file, redirect_stdout(file), redirect_stderr(file):
        begun = time.process_time()
        try:
            yield
            print(f"{WORKED} {time.process_time() - begun:.3f} s")
        except SdclabError as error:
            loud(str(error))
            sys.exit(1)
        except Exception:
            traceback.print_exc()
            raise


def loud(line: str) -> None:
    """Say a line in the log and on the terminal."""
    print(line)
    print(f"sdclab: {line}", file=sys.__stderr__)
