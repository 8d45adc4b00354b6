"""Names for the arrays that pass through every method and measure."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float64]
"""Records in rows, attributes in columns."""

Vector: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]


def dichotomous(x: Matrix) -> NDArray[np.bool_]:
    """Which attributes have no other values than 0 and 1."""
    found: NDArray[np.bool_] = ((x == 0) | (x == 1)).all(axis=0)
    return found
