"""Time and memory of one call, each in a process of its own: what ran before leaves neither warm caches nor a peak."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
QUICK = 1.0
"""A call that takes less than so many seconds is repeated, and the shortest counts."""


def measured(call: Callable[[], Any], repeats: int = 3) -> tuple[Any, dict[str, float]]:
    """What a call returns, its seconds, and by how many MB it raised the peak of the process."""
    before = _peak()
    made, seconds = _timed(call)
    memory = _peak() - before
    if seconds < QUICK:
        seconds = min([seconds, *(_timed(call)[1] for _ in range(repeats - 1))])
    return made, {"seconds": seconds, "memory": memory}


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.perf_counter()
    made = call()
    return made, time.perf_counter() - begun


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_fresh_process(script: str, *arguments: object, **environment: str) -> dict[str, Any]:
    """The last line that a script prints, read as JSON."""
    command = [sys.executable, script, *(json.dumps(each) for each in arguments)]
    done = subprocess.run(command, env={**os.environ, **ONE_THREAD, **environment}, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
