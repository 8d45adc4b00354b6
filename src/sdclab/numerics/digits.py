"""Printed numbers and their digits."""

from decimal import ROUND_DOWN, Decimal

import numpy as np
from numpy.typing import NDArray

from sdclab.base.errors import SdclabError
from sdclab.numerics.arrays import Vector
from sdclab.numerics.ties import slack

MAX_DECIMALS = 10
"""A number with more is no decimal one, but the result of a computation."""


def decimals(present: Vector | NDArray[np.float32], most: int = MAX_DECIMALS) -> int | None:
    """How many decimals numbers have; None if that are more than `most`."""
    exact = present.astype(float)
    rounded = (np.round(exact, places).astype(present.dtype) for places in range(most + 1))
    return next((places for places, each in enumerate(rounded) if np.array_equal(each, present)), None)


def number_text(value: float) -> str:
    """Without a point if it is whole, else in the fewest digits that give it back."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def unit(text: str) -> Decimal:
    """The last printed place: 0.001 for 49.163, 1E-6 for 1.09e-04."""
    exponent = Decimal(text).as_tuple().exponent
    if not isinstance(exponent, int):
        raise SdclabError(f"'{text}' is not a finite printed number.")
    return Decimal(1).scaleb(exponent)


def prints_as(value: float, text: str) -> bool:
    """Whether a number, rounded to the printed places, is the printed one; half a place may be rounded either way."""
    return abs(Decimal(value) - Decimal(text)) <= unit(text) / 2 + _slack(value)


def cuts_to(value: float, text: str) -> bool:
    """Whether a number, cut off at the printed places, is the printed one."""
    exact = Decimal(value)
    nearly = exact + _slack(value).copy_sign(exact)  # 0.3 is a little less in binary, and no 0.2
    return any(each.quantize(unit(text), rounding=ROUND_DOWN) == Decimal(text) for each in (exact, nearly))


def _slack(value: float) -> Decimal:
    return Decimal(float(slack(value, abs(value))))
