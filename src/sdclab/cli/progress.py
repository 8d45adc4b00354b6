"""Progress on a terminal: what takes longer than two seconds has a bar, and elsewhere nothing is said.

What is told is what `sdclab.base.progress` knows; a thread looks now and then, so that nothing that computes need draw.
"""

import logging
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from sdclab.base import progress

SILENT = 2.0
"""Seconds before anything is shown."""

EVERY = 0.5
"""Seconds from one look to the next."""

WIDTH = 30
"""Marks of a bar."""

CLEAR = "\r\x1b[K"

FINISHED = ("job_finished", "progress")
"""What Snakemake says after every job, by the names of its events: the bar says as much."""


def say(line: str) -> None:
    """Tell the user a line, in the place of a bar if there is one; standard output is for results."""
    print(f"{CLEAR if sys.stderr.isatty() else ''}{line}", file=sys.stderr)


@contextmanager
def shown() -> Iterator[None]:
    """Show how far the block is, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    ended = Event()
    drawing = Thread(target=_draw, args=(ended,), daemon=True)
    drawing.start()
    try:
        yield
    finally:
        ended.set()
        drawing.join()


def _draw(ended: Event) -> None:
    with suppress(OSError, ValueError):  # nobody reads it any more
        if ended.wait(SILENT):
            return
        while not ended.wait(EVERY):
            _put(f"{CLEAR}{line(time.monotonic(), shutil.get_terminal_size().columns)}")
        _put(CLEAR)


def _put(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)


def line(now: float, columns: int) -> str:
    """What is going on at a moment: a bar and what is left of it by what is done, or how long it has taken so far."""
    going = progress.loops()
    if not going:
        return ""
    what = ", ".join(dict.fromkeys(loop.what for loop in going if loop.what))
    done, since = progress.share()
    if not done:
        return f"{what}: {seconds(now - going[-1].begun)}"[: columns - 1]
    return bar(done, now - since, what)[: columns - 1]


def bar(done: float, taken: float, what: str) -> str:
    """The share that is done, and what is left if the rest goes on as it did."""
    filled = int(WIDTH * done)
    left = seconds(taken * (1 - done) / done)
    return f"[{'#' * filled}{'.' * (WIDTH - filled)}] {done:4.0%}, {left} left: {what}"


def seconds(count: float) -> str:
    """How long something takes, in words."""
    whole = round(count)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"


class Jobs(logging.Handler):
    """Shows how far Snakemake is, in the place of its lines after every job."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        done, total = getattr(record, "done", 0), getattr(record, "total", 0)
        if _event(record) == "progress" and done:
            shown = bar(done / total, time.monotonic() - self.begun, f"{done} of {total} jobs") if done < total else ""
            _put(f"{CLEAR}{shown}\r")  # what is said next does not stand behind a bar


def follow(logger: logging.Logger) -> None:
    """Let a bar take the place of a logger's lines about finished jobs, if there is a terminal."""
    if sys.stderr.isatty():
        for handler in logger.handlers:
            handler.addFilter(lambda record: _event(record) not in FINISHED)
        logger.addHandler(Jobs())


def _event(record: logging.LogRecord) -> str:
    event = getattr(record, "event", "")
    return str(getattr(event, "value", event))
