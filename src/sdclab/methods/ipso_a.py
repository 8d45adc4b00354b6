"""IPSO-A: the fitted values of a regression.

Burridge (2003), Information preserving statistical obfuscation; Cano & Torra (2009), section II.A.
"""

import numpy as np

from sdclab.numerics.arrays import Matrix
from sdclab.numerics.linalg import centred_basis, fitted
from sdclab.numerics.scatter import Affine, Joint

RELEASES = "fitted values of the regression of Y on X with intercept"
KEEPS = "means, covariances of Y with X"


def protect(dependent: Matrix, independent: Matrix, rng: np.random.Generator) -> Matrix:
    """Replace every dependent by its least squares prediction from the independents and an intercept.

    Deterministic. A singular X gives the same fitted values as its independent columns alone.
    """
    return fitted(centred_basis(independent), dependent)


def affine(joint: Joint) -> Affine:
    """The same by the statistics of all records."""
    return joint.affine(joint.mean(joint.y), x=joint.slopes(joint.y, joint.x)[0])
