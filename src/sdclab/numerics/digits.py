"""Printed numbers and their digits."""

from decimal import ROUND_DOWN, Decimal

from sdclab.base.errors import SdclabError
from sdclab.numerics.ties import slack


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
