"""Fully synthetic data by sequential regression.

Raghunathan, Reiter & Rubin (2003), Multiple imputation for statistical disclosure limitation; Oganian &
Domingo-Ferrer (2017), sections 5 and 7, where IVEware does it.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from sdclab.base.errors import SdclabError
from sdclab.numerics.arrays import Matrix, Vector, dichotomous
from sdclab.numerics.linalg import Terms
from sdclab.numerics.logistic import firth


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
    """Slopes ~ N(Firth's, inverse information), the frequency from its posterior given them, y ~ Bernoulli.

    Firth's slopes are finite under separation and have no bias. His intercept makes a rare attribute common, and so
    would the normal posterior of any: the intercept is the one that gives the drawn frequency (Puhr et al. 2017),
    and gives it at the *synthetic* values, which may lie where the model was never seen.
    """
    estimate, covariance = firth(before, y)
    variances, axes = np.linalg.eigh(covariance)
    along_axes = np.sqrt(np.maximum(variances, 0.0)) * (axes.T @ _standard_normal(before, rng))
    slopes = (estimate + axes @ along_axes)[1:]
    frequency = _frequency(y.mean(), before[:, 1:] @ slopes, rng)
    scores = after[:, 1:] @ slopes
    drawn: Vector = (rng.random(len(y)) < expit(scores + _intercept(frequency, scores))).astype(float)
    return drawn


def _frequency(seen: float, scores: Vector, rng: np.random.Generator) -> float:
    """A beta draw around the one seen, with the variance that it has given the slopes: mean of p (1 - p), over n."""
    p = expit(scores + _intercept(seen, scores))
    size = len(scores) * seen * (1 - seen) / np.mean(p * (1 - p)) - 1
    return float(np.clip(rng.beta(size * seen, size * (1 - seen)), np.finfo(float).tiny, 1 - np.finfo(float).eps))


def _intercept(frequency: float, scores: Vector) -> float:
    """The one under which the mean probability is the frequency."""
    low, high = (float(logit(frequency) - end) for end in (scores.max() + 1, scores.min() - 1))
    return float(brentq(lambda a: expit(scores + a).mean() - frequency, low, high))


def _standard_normal(terms: Matrix, rng: np.random.Generator) -> Vector:
    """One draw a term, made of one a record: terms that LAPACK turns or reflects then make no other release."""
    draws: Vector = terms.T @ rng.standard_normal(len(terms)) / np.sqrt(len(terms))
    return draws
