"""Correlated noise that keeps means and covariances.

Oganian & Domingo-Ferrer (2017), equation 10: Xm = E[Xo] + ((Xo - E[Xo]) + E) / sqrt(1 + c) with E ~ N(0, c S).
"""

import numpy as np

from sdclab.arrays import Matrix
from sdclab.errors import SdclabError
from sdclab.linalg import centred_basis, same_gram


def protect(dependent: Matrix, independent: Matrix, rng: np.random.Generator, *, c: float = 0.15) -> Matrix:
    """Mask with noise of covariance exactly c S, uncorrelated with the data in the sample, then shrink.

    The paper's noise keeps the moments in expectation; made exact here, it keeps them in every release.
    """
    if c <= 0:
        raise SdclabError(f"method noise-cov: c is {c} but must be positive.")
    mean = dependent.mean(axis=0)
    deviations = dependent - mean
    noise = np.sqrt(c) * same_gram(deviations, centred_basis(dependent), rng, within=False)
    return mean + (deviations + noise) / np.sqrt(1 + c)
