"""extremes: can the largest and the smallest values be found again in the release?

They are what an intruder looks for first. A released value may lie near one of them by chance, as that of a stranger
does; what a release gives away is what it is nearer than that. In the manner of Giomi, Boenisch, Wehmeyer & Tasnádi
(2022), A unified framework for quantifying privacy risk in synthetic data: success less that on a control, over what
the control leaves.
"""

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from sdclab.base.describe import Given, Number
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector
from sdclab.numerics.linalg import standardised
from sdclab.numerics.seeds import seed_of, stream
from sdclab.numerics.ties import NOISE

COUNT = 5
"""How many values at either end are looked for."""

SPLITS = 20
"""Splits of the file into two halves, over which gaps are averaged."""

NEAR = 0.25
"""From this share of the mean gap to a stranger's file on, a value is not found; at 0 it is, and half as far, half."""

NUMBERS = {
    "extremes": Number("extreme values found in the release beyond chance", "risk", 0, 100, "%", "less"),
    "extremes_worst": Number("the same of the attribute that is found best", "risk", 0, 100, "%", "less"),
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """How far the COUNT largest and smallest values of every dependent that is a number are found: mean and largest.

    100: each value itself is released, wherever it stands; 0: no nearer than a file of other records comes. NaN where
    no dependent is a number, or all have extremes that many records share.
    """
    numbers = columns.numbers() if columns else np.ones(original.shape[1], dtype=bool)
    mean, spread = original.mean(axis=0), original.std(axis=0)
    known, released = (np.sort(standardised(x, mean, spread)[:, numbers], axis=0) for x in (original, protected))
    # in SDs, what is rounding there: of large numbers that vary little it is more
    rounding = NOISE * np.abs(original).max(axis=0)[numbers] / np.where(spread > 0, spread, 1.0)[numbers]
    halves = list(_halves(len(original)))
    every = (_found(*each, halves) for each in zip(known.T, released.T, rounding, strict=True))
    found = [each for each in every if each is not None]
    return {
        "extremes": 100 * float(np.mean(found)) if found else np.nan,
        "extremes_worst": 100 * max(found, default=np.nan),
    }


def _halves(n: int) -> Iterator[Mask]:
    """Which places, of values in order, make one half. They depend on the number of records alone."""
    rng = stream(seed_of("extremes", n))
    for _ in range(SPLITS):
        yield rng.permutation(n) < n // 2


def _found(known: Vector, released: Vector, rounding: float, halves: list[Mask]) -> float | None:
    """Of one attribute, 0 to 1: the mean of both ends, each counting as much as strangers are far from it, in SDs.

    None if a stranger's file has both ends as well. At the dense end of a skewed attribute there is nobody to be found.
    """
    ends = [_found_above(*each, rounding, halves) for each in ((known, released), (-known[::-1], -released[::-1]))]
    scores, weights = np.transpose(ends)
    return max(0.0, float(np.average(scores, weights=weights))) if weights.any() else None


def _found_above(known: Vector, released: Vector, rounding: float, halves: list[Mask]) -> tuple[float, float]:
    """How far the largest values are found, and how far a stranger's are from them; both files are in ascending order.

    Both files are halved at the same places: the other half of the original is the stranger's file, and as many
    released values are looked through. A copy has the same values at the same places, in whatever order it came.
    """
    gaps, strange = np.array([_gaps(known, released, half) for half in halves]).swapaxes(0, 1)
    gaps, strange = (np.where(each <= rounding, 0.0, each) for each in (gaps, strange))
    far = float(strange.mean())
    if far == 0:
        return 0.0, far
    success, chance = (float(np.maximum(0.0, 1 - each / (NEAR * far)).mean()) for each in (gaps, strange))
    return (success - chance) / (1 - chance), far


def _gaps(known: Vector, released: Vector, half: Mask) -> tuple[Vector, Vector]:
    """Of the largest values of a half: how far the nearest released one is, and the nearest of the other half."""
    inside, outside = np.flatnonzero(half), np.flatnonzero(~half)
    targets = known[inside[-COUNT:]]
    return _to_nearest(targets, released, inside), _to_nearest(targets, known, outside)


def _to_nearest(values: Vector, ascending: Vector, places: Indices) -> Vector:
    """How far the nearest of the numbers at these places is; they are looked up, not copied."""
    above = np.searchsorted(places, np.searchsorted(ascending, values))
    last = len(places) - 1
    sides = [ascending[places[np.clip(above - step, 0, last)]] for step in (0, 1)]
    return np.min([np.abs(side - values) for side in sides], axis=0)
