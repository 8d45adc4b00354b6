"""Attributes: what a column holds, and which values it may have."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Literal

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.microdata.tree import Node
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector
from sdclab.numerics.balance import balanced
from sdclab.numerics.linalg import orthonormal_basis, with_intercept

Type = Literal["continuous", "count", "nominal", "ordinal"]
TYPES: tuple[Type, ...] = ("continuous", "count", "nominal", "ordinal")
NUMBERS: tuple[Type, ...] = ("continuous", "count")
"""Types of numbers; the others are of categories."""

Bounds = Literal["balance", "clip", "reflect", "none"]
BOUNDS: tuple[Bounds, ...] = ("balance", "clip", "reflect", "none")
"""What becomes of a released number beyond the bounds: the bound, with the others moved so that means stay; the bound
itself; its mirror image; or itself.
"""


@dataclass(frozen=True)
class Attribute:
    """A column's type and domain. A category is known by its code, its place among the categories: 0, 1, 2..."""

    name: str
    type: Type = "continuous"
    low: float = -inf
    high: float = inf
    decimals: int | None = None
    """how many a number has; None: as many as it takes"""
    categories: tuple[str, ...] = ()
    """in their order, if they have one; after them what a taxonomy generalises them to, which no original has"""
    masses: tuple[float, ...] = ()
    """numbers that many records have in common, as a spike at zero"""
    gaps: bool = False
    """whether a value may be missing"""
    taxonomy: Node | None = None
    """the tree over the categories, if there is one"""

    @property
    def is_number(self) -> bool:
        return self.type in NUMBERS

    @property
    def leaves(self) -> tuple[str, ...]:
        """The categories that an original may have."""
        return self.categories[: len(self.taxonomy.leaves)] if self.taxonomy else self.categories

    def fitted(self, values: Vector, bounds: Bounds = "clip") -> Vector:
        """Released values inside the domain: codes of categories, or numbers with its decimals inside its bounds.

        A value by itself is balanced by clipping it; `Attributes.fitted` moves the others.
        """
        if not self.is_number:
            return np.clip(np.round(values), 0, len(self.categories) - 1) + 0.0  # no -0
        decimals = 0 if self.type == "count" else self.decimals
        inside = self._inside(values, bounds)
        return inside if decimals is None else np.round(inside, decimals) + 0.0

    def _inside(self, values: Vector, bounds: Bounds) -> Vector:
        if bounds == "reflect":
            values = np.where(values < self.low, 2 * self.low - values, values)
            values = np.where(values > self.high, 2 * self.high - values, values)
        return values if bounds == "none" else np.clip(values, self.low, self.high)

    def beyond(self, values: Vector) -> Mask:
        """Which numbers lie beyond the bounds."""
        return np.asarray((values < self.low) | (values > self.high)) & self.is_number

    def balanced(self, values: Vector, regressors: Matrix) -> Vector:
        """Numbers inside the bounds, with the sums of products that they had with the regressors (`numerics.balance`).

        Point masses stay what they are.
        """
        free = ~np.isin(values, self.masses)
        made = values.copy()
        made[free] = balanced(values[free], orthonormal_basis(regressors[free]), self.low, self.high)
        return made

    def outside(self, values: Vector) -> Mask:
        """Which values do not lie in the domain; a gap lies in it."""
        return np.asarray((self.fitted(values) != values) & ~np.isnan(values))


@dataclass(frozen=True)
class Attributes:
    """What the columns of dependents and independents hold, in the order of the arrays."""

    dependent: tuple[Attribute, ...]
    independent: tuple[Attribute, ...] = ()
    keys: tuple[str, ...] = field(default=(), kw_only=True)
    """names among them that an intruder may know; nothing: none was said"""
    targets: tuple[str, ...] = field(default=(), kw_only=True)
    """names among them that an intruder wants to know; nothing: none was said"""

    @classmethod
    def of_numbers(cls, dependent: Matrix, independent: Matrix) -> "Attributes":
        """What arrays hold of which nothing is said: numbers."""
        first, then = ([Attribute(f"column {j + 1}") for j in range(x.shape[1])] for x in (dependent, independent))
        return cls(tuple(first), tuple(then))

    @property
    def all(self) -> tuple[Attribute, ...]:
        return self.dependent + self.independent

    def places(self, names: Sequence[str]) -> list[int]:
        """Where attributes stand, dependents first."""
        at = {each.name: j for j, each in enumerate(self.all)}
        return [at[name] for name in names]

    def numbers(self) -> Mask:
        """Which dependents are numbers."""
        return np.array([each.is_number for each in self.dependent], dtype=bool)

    def sizes(self) -> Indices:
        """How many categories each dependent has; 0 for a number."""
        return np.array([len(each.categories) for each in self.dependent], dtype=np.intp)

    def with_indicators(self, independent: Matrix) -> Matrix:
        """The independents as regressors: numbers as they are, then an indicator of every category but the first."""
        numbers = [column for each, column in self._independents(independent) if each.is_number]
        indicators = [
            column == code
            for each, column in self._independents(independent)
            if not each.is_number
            for code in range(1, len(each.categories))
        ]
        return np.column_stack([np.empty((len(independent), 0)), *numbers, *indicators]).astype(float)

    def by_category(self, regressors: Matrix) -> Iterator[Mask]:
        """Who has each category of each independent, by the regressors that `with_indicators` makes of them."""
        at = sum(each.is_number for each in self.independent)
        for each in self.independent:
            if not each.is_number:
                others = regressors[:, at : at + len(each.categories) - 1] == 1
                yield ~others.any(axis=1)
                yield from others.T
                at += others.shape[1]

    def _independents(self, values: Matrix) -> Iterator[tuple[Attribute, Vector]]:
        return zip(self.independent, values.T, strict=True)

    def beyond(self, values: Matrix) -> Mask:
        """Which released numbers lie beyond their bounds."""
        return np.column_stack([each.beyond(column) for each, column in self._dependents(values)])

    def fitted(self, values: Matrix, independent: Matrix, bounds: Bounds = "balance") -> Matrix:
        """Released dependents, each inside its domain; `independent` as it is coded here."""
        if bounds == "balance" and self.beyond(values).any():
            regressors = with_intercept(self.with_indicators(independent))
            values = np.column_stack(
                [
                    each.balanced(column, regressors) if each.beyond(column).any() else column
                    for each, column in self._dependents(values)
                ]
            )
        return np.column_stack([each.fitted(column, bounds) for each, column in self._dependents(values)])

    def _dependents(self, values: Matrix) -> Iterator[tuple[Attribute, Vector]]:
        return zip(self.dependent, values.T, strict=True)

    def check_taken(self, what: str, types: Sequence[Type]) -> None:
        """Refuse dependents of a type that a method does not take."""
        for each in self.dependent:
            if each.type not in types:
                raise SdclabError(f"{what}: takes {_in_words(types)}, but {each.name} is {each.type}.")


def _in_words(types: Sequence[Type]) -> str:
    *others, last = types
    return f"{', '.join(others)} and {last} attributes" if others else f"{last} attributes"
