"""copy: how many original records stand in the release, nearly as they were, anywhere.

Record linkage asks whether a released record is found *at the right place*; a permutation of the records defeats it
and still publishes every one of them. This measure asks only whether a record was published.
"""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import numpy as np
from scipy.spatial import cKDTree

from sdclab.base.describe import Given, Number
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Matrix, matched
from sdclab.numerics.memo import remembered
from sdclab.numerics.ties import NOISE, at_most, slack

BY_RECORD = False

PERCENTS = np.arange(1, 11)
"""Nearness in per cent of each attribute's standard deviation, as in interval disclosure."""

EXPLAINED = 90
"""Where so many originals (per cent) have another as near, nearness proves nothing."""

MANY = 64
"""Crowdings kept: a cell may have every attribute in turn as the dependent, in each of its replicates."""

NUMBERS = {
    "copy": Number("records that stand in the release", "risk", 0, 100, "%", "less"),
    "copy_1": Number("copies within 1 % of an SD", "risk", 0, 100, "%", "less"),
    "copy_10": Number("copies within 10 % of an SD", "risk", 0, 100, "%", "less"),
    "crowding": Number("originals with another as near", low=0, high=100, unit="%"),
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """The share (0 to 100) of originals with a released record within p % of an SD on *all* dependents.

    `copy` is the mean over p = 1..10, `copy_1` and `copy_10` its ends; `crowding` says how much of it means nothing.
    Near to a constant, and to a category, is only what is equal to it.
    """
    shares = _shares(original, protected, 1, columns)
    ends = {"copy_1": shares[0], "copy_10": shares[-1]}
    return {"copy": float(np.mean(shares)), **ends, "crowding": crowding(original, columns)}


def limit(crowded: float) -> float:
    """The `copy` above which a release is marked as copying: more than half of what crowding leaves to be explained.

    A release drawn afresh from the same distribution has a `copy` near the `crowding`, by chance above or below it.
    Infinite where crowding explains too much for any release to be marked.
    """
    return (100 + crowded) / 2 if crowded <= EXPLAINED else float("inf")


def copies(numbers: Mapping[str, Any]) -> bool:
    """Whether a release with these numbers (`copy`, `crowding`) is to be marked as copying: the one rule.

    A row of a table may lack them, or have them as text: without a `copy` nothing is marked, and without a `crowding`
    none is allowed for.
    """
    copied, crowded = (float(numbers.get(key) or 0) for key in ("copy", "crowding"))
    return copied > limit(crowded)


@partial(remembered, kept=MANY)
def crowding(original: Matrix, columns: Attributes | None = None) -> float:
    """The same share among the originals themselves: those with *another* original as near.

    Where records lie so close, a release that is close to one of them need not be a copy of it.
    """
    return float(np.mean(_shares(original, original, 2, columns)))


def _shares(original: Matrix, released: Matrix, nearest: int, columns: Attributes | None) -> list[float]:
    """For every p the share of originals whose nearest (or second nearest) released record is within p % of an SD."""
    known, there, scale = _in_sds(original, released)
    for j in np.flatnonzero(~columns.numbers()) if columns else ():  # any two categories are out of reach
        known[:, j], there[:, j] = matched(original[:, j], released[:, j])
    tree = cKDTree(there)
    reach = PERCENTS[-1] / 100
    # in the order of the tree, since a record is mostly near its own release: twice as fast on long files
    distance, _ = tree.query(
        known[tree.indices], k=[nearest], p=np.inf, distance_upper_bound=reach + 2 * slack(reach, scale)
    )
    return [100 * float(np.mean(at_most(distance, percent / 100, scale))) for percent in PERCENTS]


def _in_sds(original: Matrix, released: Matrix) -> tuple[Matrix, Matrix, float]:
    """Both files in SDs of the original, and the largest value in them.

    Of a constant all that counts is whether a released value differs from it: by 1, which is out of reach, or by 0.
    """
    spread, size = original.std(axis=0), np.abs(original).max(axis=0)
    varies = spread > NOISE * size
    unit = np.where(varies, spread, 1.0)
    other = ~at_most(np.abs(released - original[0]), 0.0, size)
    scale = float(np.max(size / unit, where=varies, initial=1.0))
    return np.where(varies, original / unit, 0.0), np.where(varies, released / unit, other), scale
