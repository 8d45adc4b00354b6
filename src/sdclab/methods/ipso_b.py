"""IPSO-B: fitted values and noise that leaves the regression coefficients as they were.

Burridge (2003); Cano & Torra (2009), section II.A; Cano (2009), appendix A.1.
"""

from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc
from sdclab.methods import ipso_a
from sdclab.numerics.arrays import Matrix
from sdclab.numerics.linalg import centred_basis, residuals

RELEASES = "`ipso_a` plus residuals of drawn errors"
KEEPS = "means, covariances of Y with X, and with them the coefficients of the regression"


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    reading: Annotated[
        Literal["burridge", "thesis"],
        Doc("errors with the estimated residual covariance, or as in the thesis' R code, of variance at most one"),
    ] = "burridge",
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
