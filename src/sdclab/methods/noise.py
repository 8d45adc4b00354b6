"""Independent normal noise.

Torra, Endo & Miyamoto (2009), section 4: x' = x + N(0, (p s)²) for every attribute with standard deviation s.
"""

from typing import Annotated, TypeAlias

import numpy as np

from sdclab.base.describe import Doc
from sdclab.base.errors import SdclabError
from sdclab.numerics.arrays import Matrix
from sdclab.numerics.scatter import Affine, Joint

RELEASES = "Y plus independent N(0, (p s)²)"
KEEPS = "nothing exactly"
GRID = {"p": [0.05, 0.1, 0.2, 0.3, 0.5, 1.0]}

Level: TypeAlias = Annotated[float, Doc("the noise's SD, in units of the attribute's")]


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    p: Level,
) -> Matrix:
    """Add noise whose standard deviation is p times the attribute's (population) standard deviation."""
    _check(p)
    return dependent + p * dependent.std(axis=0) * rng.standard_normal(dependent.shape)


def affine(joint: Joint, *, p: Level) -> Affine:
    """The same by the statistics of all records."""
    _check(p)
    draws = p * np.diag(joint.scatter.spread[joint.y])
    return joint.affine(joint.mean(joint.y) + joint.mean(joint.z) @ draws, y=np.eye(joint.dependents), z=draws)


def _check(p: float) -> None:
    if p < 0:
        raise SdclabError(f"method noise: p is {p} but must not be negative.")
