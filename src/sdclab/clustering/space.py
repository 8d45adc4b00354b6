"""Where records of all types lie: Euclidean distances of several files in one scale.

Numbers and the ranks of ordered categories are in SDs, so that the squares of the differences of two records are 2 in
the mean. The categories of a nominal attribute are the corners of a simplex whose edges have the square
2 / (1 - sum of p²), p their shares: the same mean, so that no attribute counts more because of its type.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from sdclab.microdata.attribute import Attribute
from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.linalg import standardised

BLOCK = 4_000_000
"""Pairs held in memory at a time."""

MAX_COLUMNS = 20
"""A tree takes points of so many coordinates well; beyond, all pairs are looked at, block by block."""


@dataclass(frozen=True)
class Space:
    """A map from records to points, learnt from some of them."""

    attributes: Sequence[Attribute]
    mean: Vector
    spread: Vector
    """of a nominal attribute the square root of 1 - sum of p²; 0: it tells nothing"""

    @classmethod
    def of(cls, records: Matrix, attributes: Sequence[Attribute]) -> "Space":
        spread = np.where(np.abs(standardised(records)).max(axis=0, initial=0.0) > 0, records.std(axis=0), 0.0)
        for j, each in enumerate(attributes):
            if each.type == "nominal":
                share = np.unique(records[:, j], return_counts=True)[1] / len(records)
                spread[j] = np.sqrt(1 - share @ share) if len(share) > 1 else 0.0
        return cls(attributes, records.mean(axis=0), spread)

    def __call__(self, records: Matrix) -> Matrix:
        """The points of records with the same attributes."""
        return np.column_stack([np.empty((len(records), 0)), *map(self._coordinates, range(len(self.mean)), records.T)])

    def squares(self, records: Matrix, there: Matrix) -> Iterator[tuple[slice, Matrix]]:
        """The squares of the distances from some records to others, block by block.

        Those of the points, but categories are compared one by one: that takes no coordinate for each of them.
        """
        nominal = [j for j, each in enumerate(self.attributes) if each.type == "nominal" and self.spread[j] > 0]
        rest = [j for j in range(len(self.mean)) if j not in nominal]
        ours, theirs = (
            np.column_stack([np.zeros((len(each), 1)), *(self._coordinates(j, each[:, j]) for j in rest)])
            for each in (records, there)
        )
        for rows, apart in squares(ours, theirs):
            for j in nominal:
                differ = records[rows, j, None] != there[:, j]
                np.add(apart, 2 / self.spread[j] ** 2, out=apart, where=differ)
            yield rows, apart

    def _coordinates(self, j: int, column: Vector) -> Matrix:
        if self.spread[j] == 0:
            return np.zeros((len(column), 1))
        if self.attributes[j].type == "nominal":
            return np.eye(len(self.attributes[j].categories))[column.astype(np.intp)] / self.spread[j]
        return ((column - self.mean[j]) / self.spread[j])[:, None]


def squares(points: Matrix, there: Matrix) -> Iterator[tuple[slice, Matrix]]:
    """The squares of the distances from some points to all others, block by block: which points, and their rows."""
    step = max(1, BLOCK // len(there))
    for start in range(0, len(points), step):
        rows = slice(start, start + step)
        yield rows, cdist(points[rows], there, "sqeuclidean")


def nearest(points: Matrix, there: Matrix, count: int = 1) -> Vector:
    """The distance of every point to the nearest there, or to the second nearest..."""
    if points.shape[1] <= MAX_COLUMNS:
        return np.asarray(cKDTree(there).query(points, k=[count])[0])[:, 0]
    found = [np.partition(apart, count - 1, axis=1)[:, count - 1] for _, apart in squares(points, there)]
    return np.asarray(np.sqrt(np.concatenate(found)))


def within(points: Matrix, there: Matrix, reach: Vector) -> Indices:
    """How many there lie no farther from every point than it reaches."""
    if points.shape[1] <= MAX_COLUMNS:
        return np.asarray(cKDTree(there).query_ball_point(points, reach, return_length=True))
    return np.concatenate([(apart <= reach[rows, None] ** 2).sum(axis=1) for rows, apart in squares(points, there)])
