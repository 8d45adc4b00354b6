"""Time and memory of one call, each in a process of its own: what ran before leaves neither warm caches nor a peak.

Seconds are those of the processor, of one thread: what else the machine has to do does not count. Of a call that takes
less than a tenth of a second they are the clock's: the accounts of a processor may be kept in steps of 10 ms.
"""

import json
import math
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
QUICK = 1.0
"""A call that takes less than so many seconds is repeated, and the shortest counts."""

COARSE = 0.1
"""So few seconds of a processor are not told exactly everywhere."""


def measured(call: Callable[[], Any], repeats: int = 3) -> tuple[Any, dict[str, float]]:
    """What a call returns, its seconds, and by how many MB it raised the peak of the process."""
    before = _peak()
    made, seconds = _timed(call)
    memory = _peak() - before
    if seconds < QUICK:
        seconds = min([seconds, *(_timed(call)[1] for _ in range(repeats - 1))])
    return made, {"seconds": seconds, "memory": memory}


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    begun, idle = time.perf_counter(), time.process_time()
    made = call()
    clock, worked = time.perf_counter() - begun, time.process_time() - idle
    return made, worked if worked >= COARSE else clock


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class StoppedError(Exception):
    """A process that took longer than it was allowed to."""


def in_fresh_process(script: str, *arguments: object, most: float | None = None, **environment: str) -> dict[str, Any]:
    """The last line that a script prints, read as JSON; it is stopped after `most` seconds of the processor."""
    command = [sys.executable, script, *(json.dumps(each) for each in arguments)]
    done = subprocess.run(
        command,
        env={**os.environ, **ONE_THREAD, **environment},
        capture_output=True,
        text=True,
        preexec_fn=None if most is None else partial(_allow, math.ceil(most)),
    )
    if most is not None and done.returncode == -signal.SIGXCPU:
        raise StoppedError
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _allow(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
