"""Names for the arrays that pass through every method and measure."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float64]
"""Records in rows, attributes in columns."""

Vector: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
