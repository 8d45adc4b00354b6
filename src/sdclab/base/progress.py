"""How far a long computation is. Loops say so here at next to no cost; who wants to show it asks."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


@dataclass(eq=False)
class Loop:
    """What is going on, and how many of its steps are done."""

    what: str
    total: int = 1
    done: int = 0
    begun: float = field(default_factory=time.monotonic)
    """for an estimate that is shown; nothing is computed from it"""


_loops: list[Loop] = []
"""Those that are going on, each inside of those before it."""


def loops() -> tuple[Loop, ...]:
    """What is going on now, the outermost first."""
    return tuple(_loops)


@contextmanager
def doing(what: str, total: int = 1) -> Iterator[Loop]:
    """Something that takes long; of several steps, if it counts those that are done."""
    loop = Loop(what, total)
    _loops.append(loop)
    try:
        yield loop
    finally:
        _loops.remove(loop)


def each_of(items: Sequence[T], what: str = "") -> Iterator[T]:
    """The items one by one, each a step of about the same length."""
    with doing(what, len(items)) as loop:
        for loop.done, item in enumerate(items):
            yield item


def share() -> tuple[float, float]:
    """Which share is done of the outermost loop of several steps, and when it began; 0 where there is none."""
    counted = [loop for loop in loops() if loop.total > 1]
    done = 0.0
    for loop in reversed(counted):
        done = (loop.done + done) / loop.total
    return done, counted[0].begun if counted else 0.0
