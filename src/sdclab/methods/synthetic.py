"""Fully synthetic data by sequential regression.

Raghunathan, Reiter & Rubin (2003), Multiple imputation for statistical disclosure limitation; Oganian &
Domingo-Ferrer (2017), sections 5 and 7, where IVEware does it.
"""

import numpy as np
from scipy.special import expit

from sdclab.arrays import Matrix, Vector, dichotomous
from sdclab.errors import SdclabError
from sdclab.linalg import Terms
from sdclab.logistic import fit


def protect(dependent: Matrix, independent: Matrix, rng: np.random.Generator) -> Matrix:
    """Draw every dependent in file order, given the independents and the synthetic values of those before it.

    Each model is fitted on the originals, and its parameters are drawn from their posterior: normal linear regression,
    or logistic regression for an attribute of zeros and ones.
    """
    n, attributes = len(dependent), dependent.shape[1] + independent.shape[1]
    if n <= attributes:
        raise SdclabError(f"method synthetic: {attributes} attributes need more than {attributes} records, not {n}.")
    protected = np.empty_like(dependent)
    # the regression of a constant leaves no residual, so it is released as it is
    logistic = dichotomous(dependent) & (np.ptp(dependent, axis=0) > 0)
    for j, y in enumerate(dependent.T):
        terms = Terms.of(np.column_stack([independent, dependent[:, :j]]))
        before, after = (terms(np.column_stack([independent, made[:, :j]])) for made in (dependent, protected))
        draw = _logistic if logistic[j] else _linear
        protected[:, j] = draw(y, before, after, rng)
    return protected


def _linear(y: Vector, before: Matrix, after: Matrix, rng: np.random.Generator) -> Vector:
    """sigma² ~ rss / chi²(n - terms), beta ~ N(beta_hat, sigma² (X'X)^-1), y ~ N(X beta, sigma²); here X'X = n I."""
    n, terms = before.shape
    mean = y.mean()
    beta = before.T @ (y - mean) / n
    residuals = y - mean - before @ beta
    sigma = np.sqrt(residuals @ residuals / rng.chisquare(n - terms))
    beta += sigma * _standard_normal(before, rng) / np.sqrt(n)
    return mean + after @ beta + sigma * rng.standard_normal(n)


def _logistic(y: Vector, before: Matrix, after: Matrix, rng: np.random.Generator) -> Vector:
    """beta ~ N(its mode, inverse information), y ~ Bernoulli(1 / (1 + exp(-X beta))).

    The prior on all but the intercept keeps the mode finite under separation. Its precision is the number of terms: a
    priori the log odds vary over the records with SD 1, whatever their number. Under a weaker prior the normal
    posterior of a rare attribute, which has little to say against it, makes a rare attribute common.
    """
    slopes = before.shape[1] - 1
    model = fit(before, np.column_stack([1 - y, y]), precision=float(slopes))
    variances, axes = np.linalg.eigh(model.covariance)
    along_axes = np.sqrt(np.maximum(variances, 0.0)) * (axes.T @ _standard_normal(before, rng))
    beta = model.coefficients[:, 0] + axes @ along_axes
    drawn: Vector = (rng.random(len(y)) < expit(after @ beta)).astype(float)
    return drawn


def _standard_normal(terms: Matrix, rng: np.random.Generator) -> Vector:
    """One draw a term, made of one a record: terms that LAPACK turns or reflects then make no other release."""
    draws: Vector = terms.T @ rng.standard_normal(len(terms)) / np.sqrt(len(terms))
    return draws
