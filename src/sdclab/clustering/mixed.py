"""Attributes of every type in one file: how far records lie apart, and which value stands in the middle of some.

After Domingo-Ferrer & Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through microaggregation: the
middle is the mean of numbers, the median of ordered categories, the most frequent of others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sdclab.clustering.classes import at_means
from sdclab.clustering.taxonomy import Taxonomy, placed
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector
from sdclab.numerics.linalg import standardised
from sdclab.numerics.ties import at_most, largest_of


@dataclass(frozen=True)
class Mixed:
    """What attributes count as, by their places: categories of a taxonomy, ordered ones by their ranks, or numbers."""

    taxonomies: Mapping[int, Taxonomy] = field(default_factory=dict)
    ordinal: Sequence[int] = ()

    @classmethod
    def of(cls, p: int, columns: Attributes | None, taxonomies: Mapping[Any, Any] = {}) -> "Mixed":
        """Of p attributes; without `columns` they are numbers unless they have a taxonomy."""
        ordinal = [j for j, each in enumerate(columns.dependent if columns else ()) if each.type == "ordinal"]
        return cls(placed(p, taxonomies, columns), ordinal)

    @property
    def categories(self) -> list[int]:
        return sorted({*self.taxonomies, *self.ordinal})

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
        """For every group the category in the middle of its codes, each with a weight; of equals the first."""
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
