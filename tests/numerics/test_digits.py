"""Printed numbers and their digits."""

from decimal import Decimal

import pytest

from sdclab.numerics.digits import prints_as, unit


def test_the_last_printed_place():
    assert unit("49.163") == Decimal("0.001")
    assert unit("1.09e-04") == Decimal("0.000001")
    assert unit("2826") == 1


@pytest.mark.parametrize(
    ("value", "text", "same"),
    [
        (49.1634, "49.163", True),
        (49.1636, "49.163", False),
        (1.094e-4, "1.09e-04", True),
        (2826.6, "2826", False),
        # halves, which binary numbers miss on either side
        (12.345, "12.34", True),
        (12.345, "12.35", True),
        (2.675, "2.67", True),
        (2.675, "2.68", True),
    ],
)
def test_equality_in_the_printed_digits(value, text, same):
    assert prints_as(value, text) is same
