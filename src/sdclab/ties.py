"""Choosing among equals in a way that neither rounding nor the processor decides."""

import numpy as np

from sdclab.arrays import Indices, Vector

GRID = 2.0**32
"""Steps in a unit: numbers that differ by less than rounding leaves of them count as equal."""


def settled(values: Vector) -> Vector:
    """Values of the order of one in whole steps, so that what is equal on paper is equal here.

    1/73 as a difference of two normalised ages depends on the ages in its last digit; ties would be broken by that.
    """
    return np.rint(values * GRID)


def smallest(values: Vector, count: int) -> Indices:
    """Where the smallest values stand, ties by position: numpy's argpartition would break them as it likes.

    The last one named is one of the largest among them.
    """
    if count == 0:
        return np.empty(0, dtype=np.intp)
    bound = np.partition(values, count - 1)[count - 1]
    below = np.flatnonzero(values < bound)
    return np.concatenate([below, np.flatnonzero(values == bound)[: count - len(below)]])
