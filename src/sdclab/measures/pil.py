"""PIL: probabilistic information loss.

Mateo-Sanz, Domingo-Ferrer & Sebé (2005), Probabilistic information loss measures in confidentiality protection of
continuous microdata; Cano (2009), section 2.4.1. A statistic's loss is 2 Phi(|z|) - 1, where z is its change in
units of the standard error that it has in the original file.
"""

from typing import Annotated, Literal

import numpy as np
from scipy.special import ndtr

from sdclab.base.describe import Doc, Number
from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.linalg import standardised
from sdclab.numerics.ties import NOISE, difference, slack

Density = Literal["kernel", "normal", "histogram"]

LEVELS = {
    "twentieths": np.arange(5, 100, 5) / 100,
    "tenths": np.arange(10, 100, 10) / 100,
    "quarters": np.arange(25, 100, 25) / 100,
}
"""The quantiles that are compared."""

FAR = 9.0
"""Bandwidths from which on a record adds nothing to a density: 3e-18 of what one at that place adds."""

NUMBERS = {
    "pil": Number("information loss PIL", "loss", 0, 100, better="less"),
    **{
        f"pil_{part}": Number(f"part of PIL: {part}", "loss", 0, 100, better="less")
        for part in ("mean", "variance", "covariance", "correlation", "quantiles")
    },
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    attributes: Annotated[
        Literal["dependent", "all"],
        Doc("what the statistics are of: the dependents, or dependents and independents together"),
    ] = "dependent",
    moments: Annotated[
        Literal["population", "sample"], Doc("variances and covariances of both files: divided by n or by n - 1")
    ] = "population",
    density: Annotated[
        Density,
        Doc(
            "of an attribute at its quantiles: Gaussian kernels with Scott's bandwidth, the normal density of its mean "
            "and SD, or a histogram of as many bins as Sturges says"
        ),
    ] = "kernel",
    levels: Annotated[
        Literal["twentieths", "tenths", "quarters"],
        Doc("the quantiles: 5 to 95 % by 5, 10 to 90 % by 10, or 25, 50 and 75 %"),
    ] = "twentieths",
) -> dict[str, float]:
    """PIL and its five parts for the dependent attributes, or for all.

    With a single attribute there are no pairs: covariance and correlation are then missing (NaN), and PIL is the
    mean of the other three. Of all attributes the independents are as they were: they lose nothing by themselves or
    among each other, and count in every average.

    `moments: sample` puts n / (n - 1) times the moment in the place of each second moment: mu2 and mu11 of both files,
    and of the original's, in the variances of the statistics, mu2 in that of the mean, mu2² and mu11² in those of
    variance and covariance, mu20, mu02 and mu11 in that of r, and the SD of the normal density. r itself does not
    change, nor do moments of order four, which are means, nor Scott's bandwidth, which has n - 1 always.
    """
    if attributes == "all" and independent.shape[1]:
        original, protected = (np.column_stack([part, independent]) for part in (original, protected))
    factor = len(original) / max(len(original) - 1, 1) if moments == "sample" else 1.0
    covariances = covariance_losses(original, original, protected, protected, factor)
    parts = {
        "pil_mean": _mean_loss(original, protected, factor),
        "pil_variance": _average(np.diagonal(covariances)),
        "pil_covariance": _of_pairs(covariances),
        "pil_correlation": _correlation_loss(original, protected, factor),
        "pil_quantiles": _quantile_loss(original, protected, factor, density, LEVELS[levels]),
    }
    percent = {name: 100 * loss for name, loss in parts.items()}
    return {"pil": float(np.nanmean(list(percent.values()))), **percent}


def _average(losses: Vector) -> float:
    return float(np.mean(losses)) if losses.size else np.nan


def _losses(change: Matrix, variance: Matrix, scale: Matrix) -> Matrix:
    """2 Phi(|z|) - 1, z = change / sqrt(variance).

    `scale` is the statistic's natural size: a change below rounding of it is none, even where the variance is zero.
    """
    change = np.where(np.abs(change) <= NOISE * scale, 0.0, change)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(change) / np.sqrt(variance)
    return np.asarray(2 * ndtr(np.where(change == 0, 0.0, z)) - 1)


def covariance_losses(
    first: Matrix, second: Matrix, released_first: Matrix, released_second: Matrix, factor: float = 1.0
) -> Matrix:
    """The losses of the covariances of each column with each of other ones, z = (mu11' - mu11) / √((mu22 - mu11²) / n).

    Where products of deviations do not vary (an attribute of two values, half of each, with itself or its like) that
    variance is 0 and one changed record would lose all: what is left then is the next term of the variance,
    (mu20 mu02 + mu11²) / n². Elsewhere it is of order 1/n of the first and left out, as in the paper. Second moments
    are `factor` times those of 1/n.
    """
    n, a, b = len(first), _centred(first), _centred(second)
    mu11 = factor * (a.T @ b) / n
    mu22 = (a**2).T @ (b**2) / n
    released = factor * (_centred(released_first).T @ _centred(released_second)) / n
    scale = factor * np.outer(a.std(axis=0), b.std(axis=0))
    return _losses(released - mu11, np.maximum((mu22 - mu11**2) / n, (scale**2 + mu11**2) / n**2), scale)


def _centred(x: Matrix) -> Matrix:
    return x - x.mean(axis=0)


def _of_pairs(losses: Matrix) -> float:
    """The average over the pairs of different attributes."""
    return _average(losses[np.triu_indices(len(losses), k=1)])


def _mean_loss(original: Matrix, protected: Matrix, factor: float) -> float:
    spread = original.std(axis=0)
    change = protected.mean(axis=0) - original.mean(axis=0)
    return _average(_losses(change, factor * spread**2 / len(original), np.abs(original).max(axis=0)))


def _correlation_loss(original: Matrix, protected: Matrix, factor: float) -> float:
    """z = (r' - r) / sqrt(V), V the delta-method variance of r, written so that r = 0 needs no division by it.

    Each of its terms is a moment of order four over two of order two, so it has `factor` twice in the denominator. A
    released constant has no correlation with anything.
    """
    n, a = len(original), standardised(original)
    square = a**2
    r, mu22, mu31 = (x.T @ y / n for x, y in ((a, a), (square, square), (square * a, a)))
    mu40 = np.diagonal(mu22)
    variance = difference(mu22 + r**2 * (mu40[:, None] + mu40 + 2 * mu22) / 4, r * (mu31 + mu31.T))
    b = standardised(protected)
    return _of_pairs(_losses(b.T @ b / n - r, variance / factor**2 / n, np.ones_like(r)))


def _quantile_loss(original: Matrix, protected: Matrix, factor: float, density: Density, levels: Vector) -> float:
    before, after = np.quantile(original, levels, axis=0), np.quantile(protected, levels, axis=0)
    height = np.column_stack([_density(x, at, density, factor) for x, at in zip(original.T, before.T, strict=True)])
    with np.errstate(divide="ignore"):
        variance = (levels * (1 - levels))[:, None] / len(original) / height**2
    return _average(_losses(after - before, variance, np.abs(original).max(axis=0) * np.ones_like(before)))


def _density(x: Vector, at: Vector, density: Density, factor: float) -> Vector:
    """An attribute's density at some values; that of a constant has no end."""
    if x.min() == x.max():
        return np.full(len(at), np.inf)
    if density == "histogram":
        return _histogram(x, at)
    return _kernel(x, at) if density == "kernel" else _normal(x, at, factor)


def _kernel(x: Vector, at: Vector) -> Vector:
    """Gaussian kernel density estimate with Scott's bandwidth."""
    bandwidth = len(x) ** -0.2 * x.std(ddof=1)
    x = np.sort(x)
    low, high = np.searchsorted(x, at - FAR * bandwidth), np.searchsorted(x, at + FAR * bandwidth)
    near = zip(at, low, high, strict=True)
    kernels = [np.exp(-0.5 * ((value - x[start:end]) / bandwidth) ** 2).sum() for value, start, end in near]
    return np.array(kernels) / (len(x) * bandwidth * np.sqrt(2 * np.pi))


def _normal(x: Vector, at: Vector, factor: float) -> Vector:
    spread = np.sqrt(factor) * x.std()
    return np.asarray(np.exp(-0.5 * ((at - x.mean()) / spread) ** 2) / (spread * np.sqrt(2 * np.pi)))


def _histogram(x: Vector, at: Vector) -> Vector:
    """The share of records in the bin of a value, over its width: ceil(log2 n) + 1 equal bins (Sturges 1926).

    Their number hangs on n alone and so on no rounding, as one by quartiles would. A quantile between two records may
    lie in an empty bin, which counts as one with a single record: with none every change there would be no loss.
    """
    low, width, bins = x.min(), np.ptp(x), (len(x) - 1).bit_length() + 1
    behind = np.abs(x).max() / width * bins

    def binned(values: Vector) -> Indices:
        """A value on a border, up to rounding, is in the upper bin."""
        places = (values - low) / width * bins
        return np.clip(np.floor(places + slack(places, behind)), 0, bins - 1).astype(np.intp)

    counts = np.bincount(binned(x), minlength=bins)
    return np.asarray(np.maximum(counts, 1)[binned(at)] / len(x) / (width / bins))
