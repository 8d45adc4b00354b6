"""Linear algebra that copes with rank-deficient data (the Census file has rank 12 of 13)."""

from dataclasses import dataclass

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.numerics.arrays import Matrix, Vector
from sdclab.numerics.ties import NOISE, largest_of

RELATIVE_RANK = 1e-10
"""Singular values below this share of the largest count as zero."""

ROUNDING = 64 * np.finfo(float).eps
"""Deviations from an exact mean below this share of the largest value are rounding."""


def with_intercept(x: Matrix) -> Matrix:
    """A column of ones before the columns of x."""
    return np.column_stack([np.ones(len(x)), x])


def orthonormal_basis(x: Matrix) -> Matrix:
    """Orthonormal columns that span the columns of x; the units of a column do not decide the rank."""
    size = np.linalg.norm(x, axis=0)
    u, s, _ = np.linalg.svd(x[:, size > 0] / size[size > 0], full_matrices=False)
    return u[:, s > RELATIVE_RANK * s[0]] if s.size else u


def centred(x: Matrix) -> Matrix:
    """Deviations from the mean; a column that is constant but for rounding becomes 0.

    Centring before a rank is decided keeps a large mean from hiding a small variance. The first mean is exact only to
    rounding; what it left is taken off as well, so that deviations are right however small beside it.
    """
    deviations = x - x.mean(axis=0)
    deviations -= deviations.mean(axis=0)
    varies = np.abs(deviations).max(axis=0, initial=0.0) > ROUNDING * np.abs(x).max(axis=0, initial=0.0)
    return np.where(varies, deviations, 0.0)


def centred_basis(x: Matrix) -> Matrix:
    """An orthonormal basis of the ones and the columns of x, as a regression with intercept needs it."""
    ones = np.full((len(x), 1), len(x) ** -0.5)
    basis = np.column_stack([ones, orthonormal_basis(centred(x))])
    # one more orthogonalisation: centring is exact only to rounding
    return np.linalg.qr(basis)[0]


def standardised(x: Matrix, mean: Matrix | None = None, spread: Matrix | None = None) -> Matrix:
    """Mean 0 and population SD 1, by the data's own or by a given mean and SD; a constant, to rounding, becomes 0."""
    mean = x.mean(axis=0) if mean is None else mean
    spread = x.std(axis=0) if spread is None else spread
    varies = spread > NOISE * np.abs(x).max(axis=0, initial=0.0)
    return np.where(varies, (x - mean) / np.where(varies, spread, 1.0), 0.0)


@dataclass(frozen=True)
class Terms:
    """A linear map, learnt from some records, to an intercept and uncorrelated terms of mean 0 and SD 1.

    The terms span what the attributes span, whatever their rank: a regression on them is one on the attributes.
    """

    mean: Vector
    axes: Matrix

    @classmethod
    def of(cls, x: Matrix) -> "Terms":
        scaled = standardised(x)
        varies = np.abs(scaled).max(axis=0, initial=0.0) > 0
        _, s, axes = np.linalg.svd(scaled, full_matrices=False)
        kept = s > RELATIVE_RANK * s.max(initial=0.0)
        spread = np.where(varies, x.std(axis=0), 1.0)
        return cls(x.mean(axis=0), axes[kept].T / spread[:, None] * (np.sqrt(len(x)) / s[kept]))

    def __call__(self, x: Matrix) -> Matrix:
        return with_intercept((x - self.mean) @ self.axes)


def independent_scores(x: Matrix) -> Matrix:
    """The records; or, if attributes are linear in others, their principal components in units of the SDs."""
    u, s, _ = np.linalg.svd(standardised(x), full_matrices=False)
    rank = int(np.sum(s > RELATIVE_RANK * s[0]))
    return x if rank == x.shape[1] else u[:, :rank] * s[:rank]


def fitted(basis: Matrix, y: Matrix) -> Matrix:
    """The projection of y on the span of an orthonormal basis: the fitted values of a regression."""
    return basis @ (basis.T @ y)


def residuals(basis: Matrix, y: Matrix) -> Matrix:
    """What a regression leaves, projected twice so that it is orthogonal to the basis to rounding."""
    once = y - fitted(basis, y)
    return once - fitted(basis, once)


def orthonormalised(columns: Matrix) -> Matrix:
    """Gram-Schmidt by QR. LAPACK chooses the signs by the first record's values; undo that, or its sign is no draw."""
    q, r = np.linalg.qr(columns)
    return q * np.where(np.diag(r) < 0, -1.0, 1.0)


def same_gram(
    pattern: Matrix, basis: Matrix, rng: np.random.Generator, within: bool = True, lengths: Vector | None = None
) -> Matrix:
    """A random matrix R with R'R = pattern'pattern whose columns are orthogonal to an orthonormal basis.

    The exact counterpart of a normal sample with the covariances of `pattern`: normal draws are made orthonormal
    away from `basis` and then given the pattern's singular values and axes. Any rank of the pattern will do.
    `within`: the pattern is itself orthogonal to the basis but for rounding, so its rank leaves room for the draws.
    `lengths` multiply the normal draws, one a record, as those do that make a multivariate t of them.
    """
    pattern = residuals(basis, pattern) if within else pattern
    size = np.linalg.norm(pattern, axis=0)  # so that the units of a column do not decide the rank
    size[size == 0] = 1.0
    _, s, axes = np.linalg.svd(pattern / size, full_matrices=False)
    rank = int(np.sum(s > RELATIVE_RANK * s[0])) if s.size and s[0] > 0 else 0
    if within:
        rank = min(rank, len(pattern) - basis.shape[1])
    if rank > len(pattern) - basis.shape[1]:
        raise SdclabError(
            f"{len(pattern)} records are too few: {rank} attributes beside a model of {basis.shape[1]} terms "
            f"need at least {rank + basis.shape[1]}."
        )
    draws = rng.standard_normal((len(pattern), rank)) * (1.0 if lengths is None else lengths[:, None])
    directions = orthonormalised(residuals(basis, orthonormalised(residuals(basis, draws))))
    return directions * s[:rank] @ upright(axes[:rank]) * size


def upright(axes: Matrix) -> Matrix:
    """Axes (rows) whose largest component, the first of equals, is positive: LAPACK leaves their signs to rounding."""
    if not axes.size:
        return axes
    largest = largest_of(np.abs(axes))[:, None]
    return axes * np.where(np.take_along_axis(axes, largest, axis=1) < 0, -1.0, 1.0)
