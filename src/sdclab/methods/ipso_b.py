"""IPSO-B: fitted values and noise that leaves the regression coefficients as they were.

Burridge (2003); Cano & Torra (2009), section II.A; Cano (2009), appendix A.1.
"""

from typing import Annotated, Literal, TypeAlias

import numpy as np

from sdclab.base.describe import Doc
from sdclab.methods import ipso_a
from sdclab.numerics.arrays import Matrix
from sdclab.numerics.linalg import centred_basis, residuals
from sdclab.numerics.scatter import Affine, Joint

Reading: TypeAlias = Annotated[
    Literal["burridge", "thesis"],
    Doc("errors with the estimated residual covariance, or as in the thesis' R code, of variance at most one"),
]

RELEASES = "`ipso_a` plus residuals of drawn errors"
KEEPS = "means, covariances of Y with X, and with them the coefficients of the regression"


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    reading: Reading = "burridge",
) -> Matrix:
    """IPSO-A plus the residuals of drawn errors, so that a regression on the independents gives the same B.

    The printed R code takes standardised normal draws in raw units, and one regression a dependent on the independents
    *and* the dependents: hence noise of variance at most one whatever the data's scale.
    """
    basis = centred_basis(independent)
    prediction = ipso_a.protect(dependent, independent, rng)
    draws = rng.standard_normal(dependent.shape)
    if reading == "thesis":
        draws = (draws - draws.mean(axis=0)) / draws.std(axis=0, ddof=1)
        everything = centred_basis(np.column_stack([independent, dependent]))
        return prediction + residuals(everything, draws)
    errors = residuals(basis, dependent)
    freedom = max(len(dependent) - basis.shape[1], 1)
    _, s, axes = np.linalg.svd(errors, full_matrices=False)
    return prediction + residuals(basis, draws[:, : len(s)] * s / np.sqrt(freedom) @ axes)


def affine(joint: Joint, *, reading: Reading = "burridge") -> Affine:
    """The same by the statistics of all records."""
    slopes, rank = joint.slopes(joint.y, joint.x)
    if reading == "thesis":
        everything = np.concatenate([joint.y, joint.x])
        draws = np.diag(np.sqrt((joint.count - 1) / np.diag(joint.products(joint.z, joint.z))))
        from_y, from_x = np.split(-joint.slopes(joint.z, everything)[0] @ draws, [len(joint.y)])
        return joint.affine(joint.mean(joint.y), y=from_y, z=draws, x=slopes + from_x)
    freedom = max(joint.count - rank - 1, 1)
    draws = joint.root(joint.left(joint.y, joint.x)) / np.sqrt(freedom)
    return joint.affine(joint.mean(joint.y), z=draws, x=slopes - joint.slopes(joint.z, joint.x)[0] @ draws)
