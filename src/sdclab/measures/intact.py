"""intact: what came through a release as it was: whole attributes, whole records, and values that stand out.

A value that stands out can be read off a release in two ways: from its own released value, or, where records are
replaced by the mean of their group and one of them dominates it, as that mean times the size of the group. The second
is the p % rule of magnitude tables: Hundepool et al. (2012), Statistical Disclosure Control, section 4.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from sdclab.base.describe import Given, Number
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector

UNCHANGED = 1e-3
"""An attribute of which no value moved by more than this share of its spread counts as unchanged."""

SAME = 1e-6
"""The same for a record: what rounding may do."""

STANDS_OUT = 4.0
"""Standard deviations from the mean from which on a value stands out."""

SHARED = 3
"""A value that so many records have in common stands out no more: nobody can be told by it."""

NEAR = 0.01
"""A released value so near, relative to the original's distance from the centre, gives it away."""

DOMINANCE = 0.1
"""The same for the mean of a group times its size (p = 10 in the p % rule)."""

NUMBERS = {
    "intact": Number("dependents released as they were", "risk", 0, 100, "%", "less"),
    "intact_records": Number("records released as they were", "risk", 0, 100, "%", "less"),
    "intact_extremes": Number("values that stand out and can be read", "risk", 0, 100, "%", "less"),
}


@dataclass(frozen=True)
class Extremes:
    """How many values of an attribute stand out, and how many of these can be read off the release, and how."""

    number: int
    near: int
    dominant: int

    @property
    def read(self) -> int:
        return self.near + self.dominant


@dataclass(frozen=True)
class Intact:
    """What came through, attribute by attribute."""

    unchanged: tuple[int, ...]
    """the attributes, by position, that are released as they were"""
    records: int
    """how many records are released as they were, in all attributes"""
    extremes: tuple[Extremes, ...]

    def share_of_extremes(self) -> float:
        number = sum(each.number for each in self.extremes)
        return 100 * sum(each.read for each in self.extremes) / number if number else float("nan")


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """Shares of unchanged attributes, unchanged records, and values that stand out and can be read.

    The last is NaN if no value stands out. A category is unchanged if it is the same, and none stands out.
    """
    found = compare(original, protected, columns)
    return {
        "intact": 100 * len(found.unchanged) / original.shape[1],
        "intact_records": 100 * found.records / len(original),
        "intact_extremes": found.share_of_extremes(),
    }


def compare(original: Matrix, protected: Matrix, columns: Attributes | None = None) -> Intact:
    """What of the originals came through."""
    numbers = columns.numbers() if columns else np.ones(original.shape[1], dtype=bool)
    # a category that moved at all is another one
    spread = np.array([_spread(column) if number else 0.0 for column, number in zip(original.T, numbers, strict=True)])
    moved = np.abs(protected - original)
    return Intact(
        tuple(map(int, np.flatnonzero((moved <= UNCHANGED * spread).all(axis=0)))),
        int((moved <= SAME * spread).all(axis=1).sum()),
        tuple(
            _extremes(*pair) if number else Extremes(0, 0, 0)
            for *pair, number in zip(original.T, protected.T, numbers, strict=True)
        ),
    )


def _spread(column: Vector) -> float:
    """The SD of the bulk of an attribute, which a few far values would inflate; the plain SD where most are equal."""
    low, high = np.percentile(column, [25, 75])
    plain = float(column.std())
    return min(plain, (high - low) / 1.349) if high > low else plain


def _extremes(original: Vector, protected: Vector) -> Extremes:
    far = np.abs(original - original.mean()) > STANDS_OUT * original.std()
    far &= _sharing(original) < SHARED
    near = far & _tells(original, protected, NEAR)
    size = _sharing(protected)
    centre = np.median(original)
    dominant = far & ~near & (size > 1) & _tells(original, centre + size * (protected - centre), DOMINANCE)
    return Extremes(*(int(flags.sum()) for flags in (far, near, dominant)))


def _sharing(column: Vector) -> Indices:
    """How many records have each record's value, up to rounding."""
    order = column.argsort(kind="stable")
    group = np.append(0, np.diff(column[order]) > SAME * _spread(column)).cumsum()
    sharing = np.empty_like(order)
    sharing[order] = np.bincount(group)[group]
    return sharing


def _tells(original: Vector, guess: Vector, share: float) -> Mask:
    return np.asarray(np.abs(guess - original) <= share * np.abs(original - np.median(original)))


def warnings(found: Intact, columns: Sequence[str]) -> list[str]:
    """What the owner must know before the file leaves the house; never a value."""
    lines = [f"{columns[i]} is released unchanged" for i in found.unchanged]
    if found.records:
        lines.append(f"records that are released as they were, in all dependents: {found.records}")
    for column, extremes in zip(columns, found.extremes, strict=True):
        if extremes.read:
            lines.append(
                f"{column}: {extremes.read} of {extremes.number} values that stand out can be read off the release "
                f"({extremes.near} within {NEAR:.0%} from their own released value, {extremes.dominant} within "
                f"{DOMINANCE:.0%} as the mean of a group times its size)"
            )
    return lines
