"""The one error that users are meant to read: a sentence that names what is wrong and what is allowed."""

import traceback
from collections.abc import Iterable
from difflib import get_close_matches


class SdclabError(Exception):
    """Bad input, said in one sentence. Scripts and the command line print it without a traceback."""


def unknown(what: str, name: str, allowed: Iterable[str], where: str = "") -> SdclabError:
    """An error for a name that is not among the allowed ones, with the nearest of them first."""
    names = sorted(allowed)
    folded = {known.lower(): known for known in names}
    near = [folded[match] for match in get_close_matches(name.lower(), folded, n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    place = f"{where}: " if where else ""
    return SdclabError(f"{place}unknown {what} '{name}': {hint}allowed are {', '.join(names)}.")


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
    passed = traceback.extract_tb(error.__traceback__)
    return [*(f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in passed), type(error).__name__]
