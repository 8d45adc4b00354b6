"""PIL: probabilistic information loss.

Mateo-Sanz, Domingo-Ferrer & Sebé (2005), Probabilistic information loss measures in confidentiality protection of
continuous microdata; Cano (2009), section 2.4.1. A statistic's loss is 2 Phi(|z|) - 1, where z is its change in
units of the standard error that it has in the original file.
"""

import numpy as np
from scipy.special import ndtr

from sdclab.base.describe import Number
from sdclab.numerics.arrays import Matrix, Vector
from sdclab.numerics.linalg import standardised
from sdclab.numerics.ties import NOISE, difference

LEVELS = np.arange(5, 100, 5) / 100
"""The quantiles that are compared: 5, 10, ..., 95 %."""

NUMBERS = {
    "pil": Number("information loss PIL", "loss", 0, 100, better="less"),
    **{
        f"pil_{part}": Number(f"part of PIL: {part}", "loss", 0, 100, better="less")
        for part in ("mean", "variance", "covariance", "correlation", "quantiles")
    },
}


def measure(original: Matrix, protected: Matrix, independent: Matrix) -> dict[str, float]:
    """PIL and its five parts for the dependent attributes.

    With a single attribute there are no pairs: covariance and correlation are then missing (NaN), and PIL is the
    mean of the other three.
    """
    parts = {
        "pil_mean": _mean_loss(original, protected),
        "pil_variance": _variance_loss(original, protected),
        "pil_covariance": _covariance_loss(original, protected),
        "pil_correlation": _correlation_loss(original, protected),
        "pil_quantiles": _quantile_loss(original, protected),
    }
    percent = {name: 100 * loss for name, loss in parts.items()}
    return {"pil": float(np.nanmean(list(percent.values()))), **percent}


def _average(losses: Vector) -> float:
    return float(np.mean(losses)) if losses.size else np.nan


def _losses(change: Vector, variance: Vector, scale: Vector) -> Vector:
    """2 Phi(|z|) - 1, z = change / sqrt(variance).

    `scale` is the statistic's natural size: a change below rounding of it is none, even where the variance is zero.
    """
    change = np.where(np.abs(change) <= NOISE * scale, 0.0, change)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(change) / np.sqrt(variance)
    return np.asarray(2 * ndtr(np.where(change == 0, 0.0, z)) - 1)


def covariance_losses(first: Matrix, second: Matrix, released_first: Matrix, released_second: Matrix) -> Vector:
    """The losses of the covariances of paired columns, z = (mu11' - mu11) / sqrt((mu22 - mu11²) / n).

    Where products of deviations do not vary (an attribute of two values, half of each, with itself or its like) that
    variance is 0 and one changed record would lose all: what is left then is the next term of the variance,
    (mu20 mu02 + mu11²) / n². Elsewhere it is of order 1/n of the first and left out, as in the paper.
    """
    a, b = _centred(first), _centred(second)
    mu11 = (a * b).mean(axis=0)
    mu22 = (a**2 * b**2).mean(axis=0)
    released = (_centred(released_first) * _centred(released_second)).mean(axis=0)
    scale = a.std(axis=0) * b.std(axis=0)
    n = len(first)
    return _losses(released - mu11, np.maximum((mu22 - mu11**2) / n, (scale**2 + mu11**2) / n**2), scale)


def _centred(x: Matrix) -> Matrix:
    return x - x.mean(axis=0)


def _pairs(x: Matrix) -> tuple[Matrix, Matrix]:
    i, j = np.triu_indices(x.shape[1], k=1)
    return x[:, i], x[:, j]


def _mean_loss(original: Matrix, protected: Matrix) -> float:
    spread = original.std(axis=0)
    change = protected.mean(axis=0) - original.mean(axis=0)
    return _average(_losses(change, spread**2 / len(original), np.abs(original).max(axis=0)))


def _variance_loss(original: Matrix, protected: Matrix) -> float:
    """That of the covariance of each attribute with itself."""
    return _average(covariance_losses(original, original, protected, protected))


def _covariance_loss(original: Matrix, protected: Matrix) -> float:
    return _average(covariance_losses(*_pairs(original), *_pairs(protected)))


def _correlation_loss(original: Matrix, protected: Matrix) -> float:
    """z = (r' - r) / sqrt(V), V the delta-method variance of r, written so that r = 0 needs no division by it.

    A released constant has no correlation with anything.
    """
    a, b = _pairs(standardised(original))
    r = (a * b).mean(axis=0)
    mu22 = (a**2 * b**2).mean(axis=0)
    mu40, mu04 = (a**4).mean(axis=0), (b**4).mean(axis=0)
    mu31, mu13 = (a**3 * b).mean(axis=0), (a * b**3).mean(axis=0)
    variance = difference(mu22 + r**2 * (mu40 + mu04 + 2 * mu22) / 4, r * (mu31 + mu13))
    released_a, released_b = _pairs(standardised(protected))
    released = (released_a * released_b).mean(axis=0)
    return _average(_losses(released - r, variance / len(original), np.ones_like(r)))


def _quantile_loss(original: Matrix, protected: Matrix) -> float:
    before, after = np.quantile(original, LEVELS, axis=0), np.quantile(protected, LEVELS, axis=0)
    density = np.column_stack([_density(x, at) for x, at in zip(original.T, before.T, strict=True)])
    with np.errstate(divide="ignore"):
        variance = (LEVELS * (1 - LEVELS))[:, None] / len(original) / density**2
    return _average(_losses(after - before, variance, np.abs(original).max(axis=0) * np.ones_like(before)))


def _density(x: Vector, at: Vector) -> Vector:
    """Gaussian kernel density estimate with Scott's bandwidth."""
    bandwidth = len(x) ** -0.2 * x.std(ddof=1)
    kernel = np.exp(-0.5 * ((at[:, None] - x) / bandwidth) ** 2)
    return kernel.mean(axis=1) / (bandwidth * np.sqrt(2 * np.pi))
