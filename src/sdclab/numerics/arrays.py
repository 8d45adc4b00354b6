"""Names for the arrays that pass through every method and measure."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float64]
"""Records in rows, attributes in columns."""

Vector: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]

Stack: TypeAlias = NDArray[np.float64]
"""Several matrices, one behind the other."""


def dichotomous(x: Matrix) -> Mask:
    """Which columns hold nothing but 0 and 1."""
    return np.all((x == 0) | (x == 1), axis=0)


def matched(first: Vector | Indices, second: Vector | Indices) -> tuple[Indices, Indices]:
    """Categories of two files by numbers from 0: equal ones, and no others, have the same number."""
    _, which = np.unique(np.concatenate([first, second]), return_inverse=True)
    return which[: len(first)], which[len(first) :]


def most_frequent_first(codes: Vector) -> Vector:
    """The categories that occur, by how often they do, of equals the first in the file: their codes decide nothing."""
    found, first, times = np.unique(codes, return_index=True, return_counts=True)
    return found[np.lexsort((first, -times))]
