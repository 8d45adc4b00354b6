"""How far a command is: a bar on a terminal, with an estimate of the time that is left, and nothing elsewhere."""

import logging
import sys
import time
from collections.abc import Callable

WIDTH = 30

FINISHED = ("job_finished", "progress")
"""What Snakemake says after every job, by the names of its events: the bar says as much."""

Clock = Callable[[], float]


class Progress:
    """Hears how many of how many steps are done, and which comes next; the last word removes the bar."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._begun = clock()

    def __call__(self, done: int, total: int, label: str = "") -> None:
        if not sys.stderr.isatty():
            return
        # the cursor stays in front, so that whatever is said next does not stand behind a bar
        print(f"\r\x1b[K{self._line(done, total, label)}", end="\r", file=sys.stderr, flush=True)

    def _line(self, done: int, total: int, label: str) -> str:
        if done >= total:
            return ""
        filled = WIDTH * done // total
        left = f", {in_words((self._clock() - self._begun) * (total - done) / done)} left" if done else ""
        return f"[{'#' * filled}{'.' * (WIDTH - filled)}] {done}/{total}{left} {label}".rstrip()


def in_words(seconds: float) -> str:
    """A time that is not known better than this."""
    if seconds < 60:
        return f"about {max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"about {minutes} min" if minutes < 60 else f"about {minutes // 60} h {minutes % 60} min"


class Jobs(logging.Handler):
    """Shows how far Snakemake is, in the place of its lines after every job."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        super().__init__()
        self._show = Progress(clock)

    def emit(self, record: logging.LogRecord) -> None:
        if _event(record) == "progress":
            self._show(getattr(record, "done", 0), getattr(record, "total", 0), "jobs")


def follow(logger: logging.Logger) -> None:
    """Let a bar take the place of a logger's lines about finished jobs, if there is a terminal."""
    if sys.stderr.isatty():
        for handler in logger.handlers:
            handler.addFilter(lambda record: _event(record) not in FINISHED)
        logger.addHandler(Jobs())


def _event(record: logging.LogRecord) -> str:
    event = getattr(record, "event", "")
    return str(getattr(event, "value", event))
