"""When the points of a method are joined by a line: one rule for all maps."""

from collections.abc import Iterable
from itertools import takewhile
from math import isfinite

CURVE = 3
"""Values of a parameter that make a curve: two are but a pair, which a line would only underline."""


def is_curve(values: Iterable[object]) -> bool:
    """Whether points at these values of a parameter are a curve along it: there are enough different numbers."""
    return len({float(str(value)) for value in values if is_number(value)}) >= CURVE


def keys_apart(columns: Iterable[str], by: str) -> list[str]:
    """The keys of a table that tell curves along a parameter apart: all that stand before `parameters`."""
    before = takewhile(lambda column: column != "parameters", columns)
    return [key for key in before if key not in ("cell", "method", by)]


def is_number(value: object) -> bool:
    try:
        return isfinite(float(str(value)))
    except ValueError:
        return False
