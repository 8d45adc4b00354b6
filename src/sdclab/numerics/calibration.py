"""Moments made exact by the least change: Newton's method on the multipliers of a constrained least-squares problem.

Calibration as surveys know it (Deville & Särndal 1992, Calibration estimators in survey sampling), of values instead of
weights, and of second moments beside first ones.
"""

from dataclasses import dataclass

import numpy as np

from sdclab.numerics.arrays import Mask, Matrix, Vector
from sdclab.numerics.linalg import centred, centred_basis, residuals, same_gram

STEPS = 300
"""Of Newton's method; it mostly takes five, and many where most cells are atoms and the others stand at bounds."""

ENOUGH = 2e-12
"""Moments that are off by less, in SDs, are exact."""

DAMPING = 1e-12
"""Of the diagonal: keeps a step finite where no cell may move."""

HALVINGS = 25
"""Of a step that leads no nearer."""

SINGULAR = 1e-7
"""Directions with less than this share of the largest spread are too few to be stretched to what is wanted."""


@dataclass(frozen=True)
class Moments:
    """What is to be exact of dependents: products with [1, X], and cross-products of what a regression on it leaves.

    With X unchanged these are the means, all covariances, and every regression of a dependent on independents.
    """

    basis: Matrix
    """orthonormal, of the ones and the independents"""
    products: Matrix
    """of the basis and the dependents"""
    errors: Matrix
    """what a regression leaves of the dependents"""

    @classmethod
    def of(cls, dependent: Matrix, independent: Matrix) -> "Moments":
        basis = centred_basis(independent)
        return cls(basis, basis.T @ dependent, residuals(basis, dependent))

    @property
    def sizes(self) -> Vector:
        """The length of what is left of every dependent."""
        return np.asarray(np.linalg.norm(self.errors, axis=0))

    def nearest(self, values: Matrix, rng: np.random.Generator) -> Matrix:
        """The affine map of the values, given X, that makes all moments exact with the least change (Procrustes).

        Values that vary in too few directions are drawn anew, as IPSO-C draws them.
        """
        scale, axes = np.linalg.eigh(self.errors.T @ self.errors)
        root = axes * np.sqrt(np.maximum(scale, 0.0)) @ axes.T
        left, s, right = np.linalg.svd(residuals(self.basis, values) @ root, full_matrices=False)
        if s[-1] > SINGULAR * s[0]:
            made = residuals(self.basis, left @ right) @ root
        else:
            made = same_gram(self.errors, self.basis, rng)
        return np.asarray(self.basis @ self.products + made)


def moment_error(original: Matrix, released: Matrix, independent: Matrix) -> float:
    """By how much a mean or a covariance with any attribute is off at most, in SDs; of constants nothing is asked."""
    before, after, x = centred(original), centred(released), centred(independent)
    spread, beside = before.std(axis=0), x.std(axis=0)
    spread, beside = (np.where(each > 0, each, np.inf) for each in (spread, beside))
    means = (released - original).mean(axis=0) / spread
    among = (after.T @ after - before.T @ before) / np.outer(spread, spread) / len(original)
    with_x = (after - before).T @ x / np.outer(spread, beside) / len(original)
    return float(max(np.abs(each).max(initial=0.0) for each in (means, among, with_x)))


def calibrated(start: Matrix, weights: Matrix, moments: Moments, low: Vector, high: Vector) -> Matrix | None:
    """Values inside the bounds with exact moments and the least sum of change² / weight; None if none are found.

    A cell of weight 0 stays. Every step is that of Newton's method for the moments at the values so far: of all changes
    that solve the linear equations the least, weights × (B b + U A) with B the basis, U what a regression leaves of the
    values, and A symmetric. Values beyond a bound stand at it, and return when the steps lead back. The conditions are
    linear but for the change of U, so the sum is the least to first order.
    """
    problem = _Problem(weights, moments, low, high)
    point = problem.at(start)
    for _ in range(STEPS):
        if point.off <= ENOUGH:
            return point.values
        step = problem.step(point)
        tried = (problem.at(point.proposed + share * step) for share in 0.5 ** np.arange(HALVINGS))
        nearer = next((each for each in tried if each.off < point.off), None)
        if nearer is None:
            return None
        point = nearer
    return None


@dataclass(frozen=True)
class _Point:
    """Values before and after they are brought inside the bounds, and what is missing of the moments."""

    proposed: Matrix
    values: Matrix
    units: Matrix
    """what a regression leaves of the values, in units of what it left of the originals"""
    missing: Vector
    off: float
    """the largest that is missing, in SDs"""


class _Problem:
    """Conditions and their multipliers in one vector: those of B'y column by column, then those of U'U, row by row."""

    def __init__(self, weights: Matrix, moments: Moments, low: Vector, high: Vector) -> None:
        self.weights, self.low, self.high = weights, low, high
        self.basis, self.sizes = moments.basis, moments.sizes
        n, p = weights.shape
        b = self.basis.shape[1]
        self.upper = np.triu_indices(p)
        pairs = np.empty((p, p), dtype=np.intp)
        pairs[self.upper] = pairs.T[self.upper] = b * p + np.arange(len(self.upper[0]))
        self.places = [np.concatenate([j * b + np.arange(b), pairs[j]]) for j in range(p)]
        self.wanted = self._conditions(moments.products, moments.errors / self.sizes)
        covariances = np.outer(self.sizes, self.sizes)[self.upper] / n
        self.in_sds = np.concatenate([np.full(b * p, n**-0.5), covariances * np.where(self._diagonal, 2.0, 1.0)])

    @property
    def _diagonal(self) -> Mask:
        return np.asarray(self.upper[0] == self.upper[1])

    def _conditions(self, products: Matrix, units: Matrix) -> Vector:
        """Products with the basis, and U'U, half of it on the diagonal: so all have U as their derivative."""
        squares = (units.T @ units)[self.upper] * np.where(self._diagonal, 0.5, 1.0)
        return np.concatenate([products.T.ravel(), squares])

    def at(self, proposed: Matrix) -> _Point:
        values = np.clip(proposed, self.low, self.high)
        units = residuals(self.basis, values) / self.sizes
        missing = self.wanted - self._conditions(self.basis.T @ values, units)
        return _Point(proposed, values, units, missing, float(np.abs(missing * self.in_sds).max()))

    def step(self, point: _Point) -> Matrix:
        """The change of least sum of change² / weight that gives what is missing, by the cells inside the bounds."""
        inside = (point.proposed == point.values) * self.weights
        matrix = np.zeros((len(self.wanted), len(self.wanted)))
        regressors = [np.column_stack([self.basis, point.units / size]) for size in self.sizes]
        for each, place, weight in zip(regressors, self.places, inside.T, strict=True):
            matrix[np.ix_(place, place)] += each.T @ (weight[:, None] * each)
        found = _solved(matrix, point.missing)
        pulls = [each @ found[place] for each, place in zip(regressors, self.places, strict=True)]
        return np.asarray(self.weights * np.column_stack(pulls))


def _solved(matrix: Matrix, right: Vector) -> Vector:
    """For a matrix that is semidefinite: in units of its diagonal, and damped."""
    scale = np.sqrt(np.diag(matrix))
    scale[scale == 0] = 1.0
    damped = matrix / np.outer(scale, scale) + DAMPING * np.eye(len(matrix))
    return np.asarray(np.linalg.solve(damped, right / scale) / scale)
