"""Which records a measure looks at, if it is to look at a sample."""

from sdclab.base.errors import SdclabError
from sdclab.numerics.arrays import Indices
from sdclab.numerics.draws import some


def rows_of(n: int, sample: int | None, measure: str, least: int = 1) -> Indices:
    """All of n records, or as many of them as are asked for."""
    if sample is not None and not least <= sample <= n:
        raise SdclabError(
            f"measure {measure}: sample is {sample} but must lie between {least} and the number of records, {n}."
        )
    return some(n, sample or n)
