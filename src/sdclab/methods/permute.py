"""A control, not a protection: the rows of Y in random order.

Every value of every record is released verbatim, and yet each statistic of Y alone is perfect. A measure that
calls this harmless can be gamed; `xy` and `copy` expose it.
"""

import numpy as np

from sdclab.microdata.attribute import TYPES
from sdclab.numerics.arrays import Matrix

RELEASES = "the records of Y in random order"
KEEPS = "all that is said of the dependents alone: a control, not a protection"
TAKES = TYPES
CONTROL = True


def protect(dependent: Matrix, independent: Matrix, rng: np.random.Generator) -> Matrix:
    """Shuffle the records of the dependents, whole rows at a time."""
    return dependent[rng.permutation(len(dependent))]
