"""Attributes of every type in one file: how far records lie apart, and which value stands in the middle of some.

After Domingo-Ferrer & Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through microaggregation: the
middle is the mean of numbers, the median of ordered categories, the most frequent of others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np

from sdclab.base.describe import Doc
from sdclab.base.errors import SdclabError
from sdclab.clustering.classes import at_means
from sdclab.clustering.taxonomy import Taxonomy, placed
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector
from sdclab.numerics.linalg import standardised
from sdclab.numerics.ties import at_most, largest_of

Categories = Annotated[
    Literal["middle", "generalised"],
    Doc(
        "what a cluster's categories become: the most frequent or, if ordered, the median one; or the lowest node of "
        "the taxonomy above all of them, where the type of a column has one"
    ),
]


@dataclass(frozen=True)
class Mixed:
    """What attributes count as, by their places: categories of a taxonomy, ordered ones by their ranks, or numbers."""

    taxonomies: Mapping[int, Taxonomy] = field(default_factory=dict)
    ordinal: Sequence[int] = ()
    generalised: Sequence[int] = ()
    """of which not the category in the middle stands for some, but the node of the taxonomy where all meet"""

    @classmethod
    def of(
        cls,
        p: int,
        columns: Attributes | None,
        taxonomies: Mapping[Any, Any] = {},
        categories: Categories = "middle",
    ) -> "Mixed":
        """Of p attributes; without `columns` they are numbers unless they have a taxonomy."""
        ordinal = [j for j, each in enumerate(columns.dependent if columns else ()) if each.type == "ordinal"]
        trees = placed(p, taxonomies, columns)
        if categories == "middle":
            return cls(trees, ordinal)
        generalised = [j for j, each in trees.items() if each.can_generalise]
        if not generalised:
            raise SdclabError("categories is generalised, but the types of the dependents have no taxonomy.")
        return cls(trees, ordinal, generalised)

    @property
    def categories(self) -> list[int]:
        return sorted({*self.taxonomies, *self.ordinal})

    def numbers(self, records: Matrix) -> Matrix:
        """The attributes that are numbers."""
        return np.delete(records, self.categories, axis=1) if self.categories else records

    def with_numbers(self, records: Matrix, numbers: Matrix) -> Matrix:
        """The records with these in the place of their numbers."""
        if not self.categories:
            return numbers
        made = records.copy()
        made[:, np.delete(np.arange(records.shape[1]), self.categories)] = numbers
        return made

    def points(self, records: Matrix) -> Matrix:
        """Points whose Euclidean distances are those of the records, each attribute with variance 1.

        Categories of a taxonomy have as many coordinates as it takes, whose variances add up to 1. So those of a
        nominal attribute lie equally far apart, and with two of them it counts as the same zeros and ones would.
        """
        if not self.taxonomies:
            return standardised(records)
        others = standardised(np.delete(records, list(self.taxonomies), axis=1))
        return np.column_stack([others, *(_spread(each, records[:, j]) for j, each in self.taxonomies.items())])

    def at_centres(self, records: Matrix, clusters: Sequence[Indices]) -> Matrix:
        """Every record at the centre of its cluster, so that a cluster becomes a class: microaggregation."""
        values = at_means(records, clusters)
        groups = np.empty(len(records), dtype=np.intp)
        for number, members in enumerate(clusters):
            groups[members] = number
        for j in self.categories:
            values[:, j] = self.middles(j, records[:, j], groups, np.ones(len(records)))[groups]
        return values

    def middles(self, place: int, codes: Vector, groups: Indices, weights: Vector) -> Vector:
        """For every group the category in the middle of its codes, each with a weight; of equals the first.

        Or what all its codes are generalised to, whatever they weigh.
        """
        if place in self.generalised:
            return self.taxonomies[place].generalised(codes, groups)
        found, which = np.unique(codes, return_inverse=True)
        size = int(groups.max()) + 1
        total: Matrix = np.zeros((size, len(found)))
        np.add.at(total, (groups, which), weights)
        if place not in self.ordinal:
            return np.asarray(found[largest_of(total)])
        below = total.cumsum(axis=1)
        reached: Mask = at_most(below[:, -1:] / 2, below)
        return np.asarray(found[reached.argmax(axis=1)])


NUMBERS = Mixed()
"""Numbers alone."""


def _spread(taxonomy: Taxonomy, codes: Vector) -> Matrix:
    """The coordinates of categories, their variances adding up to 1 unless there is but one category."""
    points = taxonomy.coordinates()[taxonomy.leaves(codes)]
    total = points.var(axis=0).sum()
    return (points - points.mean(axis=0)) / np.sqrt(total) if total else np.zeros_like(points)
