"""Printed numbers and their digits."""

from decimal import ROUND_DOWN, Decimal

from sdclab.errors import SdclabError


def unit(text: str) -> Decimal:
    """The last printed place: 0.001 for 49.163, 1E-6 for 1.09e-04."""
    exponent = Decimal(text).as_tuple().exponent
    if not isinstance(exponent, int):
        raise SdclabError(f"'{text}' is not a finite printed number.")
    return Decimal(1).scaleb(exponent)


def prints_as(value: float, text: str) -> bool:
    """Whether a number, rounded to the printed places, is the printed one."""
    return abs(Decimal(value) - Decimal(text)) <= unit(text) / 2


def cuts_to(value: float, text: str) -> bool:
    """Whether a number, cut off at the printed places, is the printed one."""
    return Decimal(value).quantize(unit(text), rounding=ROUND_DOWN) == Decimal(text)
