"""xy: what becomes of the relations between the dependents and the independents.

PIL looks at the dependents alone, so a mere permutation of their rows loses nothing by it. This measure applies PIL's
covariance part (Mateo-Sanz, Domingo-Ferrer & Sebé 2005) to the pairs of one dependent and one independent.
"""

import numpy as np

from sdclab.base.describe import Number
from sdclab.measures.pil import covariance_losses
from sdclab.numerics.arrays import Matrix

NUMBERS = {"xy": Number("loss of the relations with independents", "loss", 0, 100, better="less")}


def measure(original: Matrix, protected: Matrix, independent: Matrix) -> dict[str, float]:
    """The mean loss of the covariances of each dependent with each independent.

    NaN without independents.
    """
    if independent.shape[1] == 0:
        return {"xy": np.nan}
    p, q = original.shape[1], independent.shape[1]
    beside = np.tile(independent, p)
    before, after = np.repeat(original, q, axis=1), np.repeat(protected, q, axis=1)
    return {"xy": 100 * covariance_losses(before, beside, after, beside)}
