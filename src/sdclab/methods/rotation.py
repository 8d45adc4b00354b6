"""Random rotation perturbation (RRP).

Ahmed & Rauf (2016), section 3.3.1 and equation 4, P = M R: the file as points in space, turned about the origin. All
distances between normalised records stay; the attributes do not.
"""

from itertools import combinations
from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc
from sdclab.base.errors import SdclabError
from sdclab.clustering.k_member import ranges
from sdclab.numerics.arrays import Matrix, Vector
from sdclab.numerics.linalg import orthonormalised

RELEASES = "the normalised records, turned at random"
KEEPS = "all distances between normalised records"

Kind = Annotated[
    Literal["planes", "haar"],
    Doc("by a random angle in each of some planes, one after the other, or by a random orthogonal matrix"),
]
Planes = Annotated[
    str, Doc("all, or some by the positions of their two attributes, as in 1-2+3-4; the paper turns the first alone")
]
Scale = Annotated[
    Literal["minmax", "standardised"], Doc("of the attributes when they are turned: from 0 to 1, or mean 0 and SD 1")
]
Angle = Annotated[float | None, Doc("degrees by which every plane is turned; empty: by a random angle each")]

GRID = {"rotation": ["planes", "haar"]}


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    rotation: Kind = "planes",
    planes: Planes = "all",
    scale: Scale = "minmax",
    angle: Angle = None,
) -> Matrix:
    """Turn the normalised records, by default at random, and release them in the units they came in.

    The paper's matrices turn the first plane only, which leaves every other attribute as it was.
    """
    origin, unit = units(dependent, scale)
    return origin + unit * turned(
        (dependent - origin) / unit, rotation_matrix(dependent.shape[1], rotation, planes, rng, angle)
    )


def units(records: Matrix, scale: Scale) -> tuple[Vector, Vector]:
    """Where zero is and how long a unit is on every attribute."""
    sizes = ranges(records)
    return (records.min(axis=0), sizes) if scale == "minmax" else (records.mean(axis=0), records.std(axis=0))


def rotation_matrix(
    p: int, rotation: Kind, planes: str, rng: np.random.Generator, degrees: float | None = None
) -> Matrix:
    """An orthogonal matrix: R R' = I."""
    if p < 2:
        raise SdclabError(f"a rotation needs at least two attributes, but there is {p} of numbers.")
    if rotation == "haar":
        if degrees is not None:
            raise SdclabError(f"angle is {degrees} but must be empty where rotation is haar, which turns no planes.")
        return orthonormalised(rng.standard_normal((p, p)))
    matrix = np.eye(p)
    for i, j in _planes(p, planes):
        angle = np.deg2rad(rng.uniform(0, 360) if degrees is None else degrees)
        cosine, sine = np.cos(angle), np.sin(angle)
        # only two columns of the product with a plane's matrix are new
        first, second = matrix[:, i] * cosine + matrix[:, j] * sine, matrix[:, j] * cosine - matrix[:, i] * sine
        matrix[:, i], matrix[:, j] = first, second
    return matrix


def _planes(p: int, planes: str) -> list[tuple[int, int]]:
    every = list(combinations(range(p), 2))
    if planes == "all":
        return every
    named = {f"{i + 1}-{j + 1}": (i, j) for i, j in every}
    for plane in planes.split("+"):
        if plane not in named:
            raise SdclabError(
                f"planes: '{plane}' is unknown; allowed are all, or pairs of attributes from 1-2 to {p - 1}-{p} "
                "joined by +."
            )
    return [named[plane] for plane in planes.split("+")]


def turned(records: Matrix, matrix: Matrix) -> Matrix:
    """P = M R, attribute by attribute, so that equal records stay equal to the last bit, as classes need it."""
    total = np.zeros_like(records)
    for attribute, row in zip(records.T, matrix, strict=True):
        total += attribute[:, None] * row
    return total
