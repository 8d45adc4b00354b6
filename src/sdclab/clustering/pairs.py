"""Attributes with categories that depend on each other inside a cluster, pair by pair.

Latent classes (`latent_class`) hold them independent inside a class. Oganian & Domingo-Ferrer (2017), section 8, leave
it open to relax that. Here each attribute in turn has a multinomial logit on what is given (numbers, and the cluster)
and on the categories of the attributes before it. No term is a product of them: what the model holds of two attributes
is their pair, log-linear, and every cluster has frequencies of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdclab.clustering.latent_class import EDGE, Like, one_hot
from sdclab.numerics import logistic
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector
from sdclab.numerics.linalg import standardised, with_intercept


@dataclass(frozen=True)
class _Logit:
    """One attribute given what is before it.

    The ridge is on the columns of x, each of SD 1, not on uncorrelated terms: where a column is nearly a function of
    others among the originals, what is released may break that, and must not count by how rarely they do.
    """

    mean: Vector
    spread: Vector
    coefficients: Matrix
    """term × category"""
    categories: Vector
    """the codes that records have; no other is drawn"""

    @classmethod
    def fit(cls, codes: Vector, x: Matrix) -> "_Logit":
        categories, which = np.unique(codes, return_inverse=True)
        mean, spread = x.mean(axis=0), x.std(axis=0)
        terms = with_intercept(standardised(x, mean, spread))
        return cls(mean, spread, logistic.ridge(terms, one_hot(which, len(categories))).coefficients, categories)

    def draw(self, codes: Vector, x: Matrix, groups: Sequence[Mask], rng: np.random.Generator) -> Vector:
        """Of other x, the frequencies in all groups being those of the original codes."""
        terms = with_intercept(standardised(x, self.mean, self.spread))
        p = np.maximum(logistic.softmax(terms @ self.coefficients), EDGE)
        shares = (codes[:, None] == self.categories).astype(float)
        return self.categories[logistic.drawn(logistic.raked(p, shares, groups), rng)]


@dataclass(frozen=True)
class Pairs:
    """A chain of logits, attribute after attribute."""

    logits: Sequence[_Logit]
    least: int

    @classmethod
    def fit(cls, codes: Matrix, x: Matrix, least: int) -> "Pairs":
        """A category is a term only if at least `least` records have it: fewer would be shown by what goes with it."""
        found = []
        for j, column in enumerate(codes.T):
            found.append(_Logit.fit(column, x))
            x = np.column_stack([x, indicators(codes[:, [j]], codes[:, [j]], least)])
        return cls(found, least)

    def draw(self, x: Matrix, like: Like, rng: np.random.Generator) -> Matrix:
        """Codes for records of other x, as frequent in the groups of `like` as its codes, those of the fit."""
        made = np.empty((len(x), len(self.logits)))
        for j, logit in enumerate(self.logits):
            made[:, j] = logit.draw(like.codes[:, j], x, like.groups, rng)
            x = np.column_stack([x, indicators(made[:, [j]], like.codes[:, [j]], self.least)])
        return made


def indicators(codes: Matrix | Indices, originals: Matrix | Indices, least: int) -> Matrix:
    """Who has each code that at least so many originals have, attribute after attribute."""
    common = [_common(column, least) for column in originals.T]
    parts = [column[:, None] == many for column, many in zip(codes.T, common, strict=True)]
    return np.column_stack([np.empty((len(codes), 0)), *parts])


def _common(codes: Vector | Indices, least: int) -> Vector:
    """The codes that at least so many records have; if all others have fewer, without the rarest.

    Who has none of the codes has one of the others, and would be shown by that.
    """
    found, counts = np.unique(codes, return_counts=True)
    many = counts >= least
    if many.any() and 0 < counts[~many].sum() < least:
        many[np.flatnonzero(many)[counts[many].argmin()]] = False
    return np.asarray(found[many], dtype=float)
