"""IPSO-C: synthetic values that keep the coefficients *and* the residual covariances exactly.

Burridge (2003); Cano & Torra (2009), section II.A.
"""

import numpy as np

from sdclab.methods import ipso_a
from sdclab.numerics.arrays import Matrix
from sdclab.numerics.linalg import centred_basis, residuals, same_gram
from sdclab.numerics.scatter import Affine, Joint

RELEASES = "`ipso_a` plus residuals with exactly the true residual covariances"
KEEPS = "means and all covariances of Y and X"


def protect(dependent: Matrix, independent: Matrix, rng: np.random.Generator) -> Matrix:
    """IPSO-A plus random residuals orthogonal to X whose covariance matrix is the one of the true residuals.

    Means, variances and covariances of the dependents, and their covariances with the independents, are kept to
    rounding.
    """
    basis = centred_basis(independent)
    errors = residuals(basis, dependent)
    return ipso_a.protect(dependent, independent, rng) + same_gram(errors, basis, rng)


def affine(joint: Joint) -> Affine:
    """The same by the statistics of all records."""
    draws, corrected = joint.same_gram(joint.left(joint.y, joint.x), joint.x)
    return joint.affine(joint.mean(joint.y), z=draws, x=joint.slopes(joint.y, joint.x)[0] + corrected)
