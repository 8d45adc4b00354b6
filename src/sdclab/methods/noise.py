"""Independent normal noise.

Torra, Endo & Miyamoto (2009), section 4: x' = x + N(0, (p s)²) for every attribute with standard deviation s.
"""

from typing import Annotated

import numpy as np

from sdclab.base.describe import Doc
from sdclab.base.errors import SdclabError
from sdclab.numerics.arrays import Matrix

RELEASES = "Y plus independent N(0, (p s)²)"
KEEPS = "nothing exactly"
GRID = {"p": [0.05, 0.1, 0.2, 0.3, 0.5, 1.0]}


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    p: Annotated[float, Doc("the noise's SD, in units of the attribute's")],
) -> Matrix:
    """Add noise whose standard deviation is p times the attribute's (population) standard deviation."""
    if p < 0:
        raise SdclabError(f"method noise: p is {p} but must not be negative.")
    return dependent + p * dependent.std(axis=0) * rng.standard_normal(dependent.shape)
