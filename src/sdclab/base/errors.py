"""The one error that users are meant to read: a sentence that names what is wrong and what is allowed."""

import re
import traceback
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

NAMES_SHOWN, CHARACTERS_SHOWN = 30, 100
"""A message tells no more names, and no more of one: a file may have thousands of columns."""


class SdclabError(Exception):
    """Bad input, said in one sentence. Scripts and the command line print it without a traceback."""


def unknown(what: str, name: str, allowed: Iterable[str], where: str = "") -> SdclabError:
    """An error for a name that is not among the allowed ones, with the nearest of them first."""
    names = sorted(allowed)
    folded = {known.lower(): known for known in names}
    near = [shortened(folded[match]) for match in get_close_matches(name.lower(), folded, n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    place = f"{where}: " if where else ""
    return SdclabError(f"{place}unknown {what} '{shortened(name)}': {hint}allowed are {listed(names)}.")


def shortened(text: str) -> str:
    return text if len(text) <= CHARACTERS_SHOWN else text[: CHARACTERS_SHOWN - 3] + "..."


def printable(text: str) -> str:
    """A text in one line of a terminal, whatever is in a file's name or a server's answer."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda mark: repr(mark[0])[1:-1], text)


def listed(names: Collection[str]) -> str:
    """Names for a message, the first of them if they are many."""
    more = len(names) - NAMES_SHOWN
    shown = ", ".join(map(shortened, islice(names, NAMES_SHOWN)))
    return f"{shown} and {more} more" if more > 0 else shown


def reason(error: BaseException) -> str:
    """Why something could not be done, fit to be shown: of an error that was not foreseen only its name, lest its text
    holds a value of a record.
    """
    return str(error) if isinstance(error, SdclabError) else f"stopped with {type(error).__name__}."


def trail(error: BaseException) -> list[str]:
    """Where an error that was not foreseen came from, line by line of code, without its words; nothing for others."""
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, SdclabError):
        return []
    return [*(f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in _passed(error)), type(error).__name__]


def place(error: BaseException) -> str:
    """The last line of this package that an error passed on its way."""
    package = Path(__file__).parents[1]
    *_, last = (frame for frame in _passed(error) if package in Path(frame.filename).parents)
    return f"{Path(last.filename).relative_to(package)}, line {last.lineno}"


def _passed(error: BaseException) -> traceback.StackSummary:
    return traceback.extract_tb(error.__traceback__)
