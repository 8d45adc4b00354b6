"""impossible: how many released values the attribute cannot have: a negative age, half a child, an unheard-of region.

Who checks a release by hand finds these first. The domain of an attribute is what its types tell
(`sdclab.microdata.attribute`); of numbers of which nothing is told, their natural bounds and their decimals.
"""

from typing import Annotated

import numpy as np

from sdclab.base.describe import Given, Number
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.inference import bounds
from sdclab.microdata.rules import Rules
from sdclab.numerics.arrays import Mask, Matrix, Vector
from sdclab.numerics.digits import decimals
from sdclab.numerics.ties import NOISE

KINDS = {
    "sign": "of a sign that the attribute has not",
    "bounds": "beyond the bounds, of the right sign",
    "decimals": "with more decimals, inside the bounds",
    "categories": "of no category",
    "rules": "of the domain, but in a record that breaks a rule about them",
}

NUMBERS = {
    "impossible": Number("released values outside the domain", "loss", 0, 100, "%", "less"),
    **{
        f"impossible_{kind}": Number(f"released values {words}", "loss", 0, 100, "%", "less")
        for kind, words in KINDS.items()
    },
    "rules_broken": Number("released records that break a rule", "loss", 0, 100, "%", "less"),
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    columns: Annotated[Attributes | None, Given()] = None,
    rules: Annotated[Rules | None, Given()] = None,
) -> dict[str, float]:
    """The share of all released values of dependents that lie outside the domain, and of every kind of them; and the
    share of records that break a rule, whether their values lie outside or not.

    Every value counts once, and the kinds add up. A gap is none. A value at its bound or with its decimals up to
    rounding (NOISE of the largest original) lies inside.
    """
    attributes = columns.dependent if columns else [_natural(column) for column in original.T]
    counts = dict.fromkeys(KINDS, 0)
    broken = np.zeros(protected.shape, dtype=bool)
    if rules is not None:
        broken = rules.breaking(np.column_stack([protected, independent]))
    for j, (attribute, before, after) in enumerate(zip(attributes, original.T, protected.T, strict=True)):
        largest = float(np.abs(before[~np.isnan(before)]).max(initial=0.0))
        kinds = _outside(attribute, after, NOISE * largest)
        kinds["rules"] = broken[:, j] & ~np.any(list(kinds.values()), axis=0)
        for kind, flags in kinds.items():
            counts[kind] += int(flags.sum())
    shares = {f"impossible_{kind}": 100 * count / protected.size for kind, count in counts.items()}
    whole = {"impossible": 100 * sum(counts.values()) / protected.size}
    return {**whole, **shares, "rules_broken": 100 * float(broken.any(axis=1).mean())}


def _natural(values: Vector) -> Attribute:
    """The domain of numbers, by themselves."""
    present = values[~np.isnan(values)]
    low, high = bounds(present)
    return Attribute("", low=low, high=high, decimals=decimals(present))


def _outside(attribute: Attribute, values: Vector, rounding: float) -> dict[str, Mask]:
    """Which values lie outside the domain, by kinds that exclude each other."""
    outside = np.abs(attribute.fitted(values) - values) > rounding
    if not attribute.is_number:
        return {"categories": outside}
    low, high = attribute.low, attribute.high
    beyond = outside & ((values < low - rounding) | (values > high + rounding))
    sign = beyond & (((low >= 0) & (values < 0)) | ((high <= 0) & (values > 0)))
    return {"sign": sign, "bounds": beyond & ~sign, "decimals": outside & ~beyond}
