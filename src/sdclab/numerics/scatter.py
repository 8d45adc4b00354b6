"""Means and cross-products of records in parts: those of the parts add up, so the whole need not be in one place.

Chan, Golub & LeVeque (1983), Algorithms for computing the sample variance: analysis and recommendations. What a method
does by regressions and covariances alone follows from them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.linalg import ROUNDING

FOLLOWS = 1e-12
"""A direction with less than this share of the variance of standardised columns is rounding: it follows from others.

Cross-products square what singular values tell, so this is 1e-6 of an SD.
"""


@dataclass(frozen=True)
class Scatter:
    """How many records, their means and the cross-products of deviations from these."""

    count: int
    mean: Vector
    rest: Vector
    """what the mean, being rounded, is short of the true one: a large mean must not blur a small variance"""
    products: Matrix

    @classmethod
    def of(cls, values: Matrix) -> "Scatter":
        mean = values.mean(axis=0)
        deviations = values - mean
        rest = deviations.mean(axis=0)
        deviations -= rest
        return cls(len(values), mean, rest, deviations.T @ deviations)

    def __add__(self, other: "Scatter") -> "Scatter":
        """Of the records of both."""
        count = self.count + other.count
        share = other.count / count
        apart = (other.mean - self.mean) + (other.rest - self.rest)
        step = self.rest + share * apart
        mean = self.mean + step
        products = self.products + other.products + self.count * share * np.outer(apart, apart)
        return Scatter(count, mean, (self.mean - mean) + step, products)

    def among(self, places: Sequence[int], size: int) -> "Scatter":
        """The same columns at their places among more of them, which are 0 in all of these records."""
        mean, rest, products = np.zeros(size), np.zeros(size), np.zeros((size, size))
        at = list(places)
        mean[at], rest[at], products[np.ix_(at, at)] = self.mean, self.rest, self.products
        return Scatter(self.count, mean, rest, products)

    def chosen(self, places: Sequence[int]) -> "Scatter":
        """Some of the columns."""
        at = list(places)
        return Scatter(self.count, self.mean[at], self.rest[at], self.products[np.ix_(at, at)])

    @property
    def spread(self) -> Vector:
        """The population SD of every column; 0 if it is no more than rounding of the mean."""
        found = np.sqrt(np.diag(self.products) / self.count)
        return np.where(found > ROUNDING * np.abs(self.mean), found, 0.0)


@dataclass(frozen=True)
class Affine:
    """A map of records: what they are off from a mean, times weights, about a new centre."""

    mean: Vector
    weights: Matrix
    centre: Vector

    def __call__(self, *parts: Matrix) -> Matrix:
        return np.asarray(self.centre + (np.column_stack(parts) - self.mean) @ self.weights)


@dataclass(frozen=True)
class Joint:
    """The statistics of dependents (y), of as many standard normal draws (z) and of independents (x), in this order."""

    scatter: Scatter
    dependents: int

    @property
    def y(self) -> Indices:
        return np.arange(self.dependents)

    @property
    def z(self) -> Indices:
        return self.dependents + self.y

    @property
    def x(self) -> Indices:
        return np.arange(2 * self.dependents, len(self.scatter.mean))

    @property
    def count(self) -> int:
        return self.scatter.count

    def mean(self, of: Indices) -> Vector:
        return self.scatter.mean[of] + self.scatter.rest[of]

    def products(self, of: Indices, by: Indices) -> Matrix:
        return self.scatter.products[np.ix_(of, by)]

    def slopes(self, of: Indices, on: Indices) -> tuple[Matrix, int]:
        """The shortest slopes of a regression with intercept, one column a response, and the rank of the regressors."""
        among = self.products(on, on)
        size = np.sqrt(np.diag(among))
        size[self.scatter.spread[on] == 0] = np.inf  # a constant takes no part
        values, axes = np.linalg.eigh(among / np.outer(size, size))
        kept = values > FOLLOWS * values.max(initial=0.0)
        axes = axes[:, kept] / size[:, None]
        return (axes / values[kept]) @ (axes.T @ self.products(on, of)), int(kept.sum())

    def left(self, of: Indices, on: Indices) -> Matrix:
        """Cross-products of what a regression leaves."""
        slopes, _ = self.slopes(of, on)
        both = np.concatenate([of, on])
        taken = np.vstack([np.eye(len(of)), -slopes])
        return np.asarray(taken.T @ self.products(both, both) @ taken)

    def root(self, gram: Matrix) -> Matrix:
        """F with F'F = gram, cross-products of what is left of the dependents; rounding of these counts as nothing."""
        size = np.sqrt(np.diag(self.products(self.y, self.y)))
        size[size == 0] = 1.0
        values, axes = np.linalg.eigh(gram / np.outer(size, size))
        return np.asarray((axes * np.sqrt(np.where(values > FOLLOWS, values, 0.0))) @ axes.T * size)

    def same_gram(self, gram: Matrix, on: Indices) -> tuple[Matrix, Matrix]:
        """Weights of the draws, and of what they are regressed on, whose sum has exactly this gram in the sample.

        What a regression leaves of the draws is made orthonormal and given the root of the gram: the sum is orthogonal
        to what it was regressed on (`numerics.linalg.same_gram`, by cross-products alone).
        """
        slopes, rank = self.slopes(self.z, on)
        if self.count <= rank + self.dependents:
            raise SdclabError(
                f"{self.count} records are too few: {self.dependents} attributes beside a model of {rank + 1} terms "
                f"need at least {rank + 1 + self.dependents}."
            )
        factor = np.linalg.cholesky(self.left(self.z, on))
        weights = np.linalg.solve(factor.T, self.root(gram))
        return weights, -slopes @ weights

    def affine(
        self, centre: Vector, *, y: Matrix | None = None, z: Matrix | None = None, x: Matrix | None = None
    ) -> Affine:
        """The map with these weights of dependents, draws and independents; of those not given 0."""
        parts = [
            np.zeros((len(places), self.dependents)) if weights is None else weights
            for places, weights in ((self.y, y), (self.z, z), (self.x, x))
        ]
        return Affine(self.scatter.mean + self.scatter.rest, np.vstack(parts), centre)
