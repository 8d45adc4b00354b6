"""Correlated noise that keeps means and covariances.

Oganian & Domingo-Ferrer (2017), equation 10: Xm = E[Xo] + ((Xo - E[Xo]) + E) / sqrt(1 + c) with E ~ N(0, c S).
"""

from typing import Annotated, TypeAlias

import numpy as np

from sdclab.base.describe import Doc
from sdclab.base.errors import SdclabError
from sdclab.numerics.arrays import Matrix
from sdclab.numerics.linalg import centred, centred_basis, same_gram
from sdclab.numerics.scatter import Affine, Joint

RELEASES = "eq. 10 of Oganian & Domingo-Ferrer 2017"
KEEPS = "means and covariances of Y"
GRID = {"c": [0.05, 0.1, 0.2, 0.5, 1.0, 2.0]}

Level: TypeAlias = Annotated[float, Doc("the noise's covariances, in units of the data's; above 0")]
Exact: TypeAlias = Annotated[
    bool, Doc("keep means and covariances in every release, not in expectation alone as the paper's noise does")
]


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    c: Level = 0.15,
    exact: Exact = True,
) -> Matrix:
    """Mask with noise of covariance c S, then shrink.

    Noise that is exact has mean 0, covariance c S and no correlation with the data in the sample, too.
    """
    _check(c)
    deviations = centred(dependent)
    unseen = np.flatnonzero(~deviations.any(axis=0) & (np.ptp(dependent, axis=0) > 0))
    if len(unseen):
        raise SdclabError(
            f"method noise_cov: dependent {unseen[0] + 1} varies only in the last digits that its values can hold, "
            "where no covariance can be kept; subtract a constant from it first, or leave it out."
        )
    if exact:
        noise = same_gram(deviations, centred_basis(dependent), rng, within=False)
    else:
        factor = np.linalg.qr(deviations).R / np.sqrt(len(dependent) - 1)
        noise = rng.standard_normal((len(dependent), len(factor))) @ factor
    return dependent.mean(axis=0) + (deviations + np.sqrt(c) * noise) / np.sqrt(1 + c)


def affine(joint: Joint, *, c: Level = 0.15, exact: Exact = True) -> Affine:
    """The same by the statistics of all records."""
    _check(c)
    mean, gram, shrunk = joint.mean(joint.y), joint.products(joint.y, joint.y), np.sqrt(1 + c)
    if exact:
        draws, corrected = joint.same_gram(gram, joint.y)
        kept = np.eye(joint.dependents) + np.sqrt(c) * corrected
        return joint.affine(mean, y=kept / shrunk, z=np.sqrt(c) / shrunk * draws)
    draws = np.sqrt(c) / shrunk * joint.root(gram) / np.sqrt(joint.count - 1)
    return joint.affine(mean + joint.mean(joint.z) @ draws, y=np.eye(joint.dependents) / shrunk, z=draws)


def _check(c: float) -> None:
    if c <= 0:
        raise SdclabError(f"method noise_cov: c is {c} but must be positive.")
