"""Fully synthetic data by sequential regression.

Raghunathan, Reiter & Rubin (2003), Multiple imputation for statistical disclosure limitation; Oganian &
Domingo-Ferrer (2017), sections 5 and 7, where IVEware does it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from sdclab.base.describe import Doc, Given
from sdclab.base.errors import SdclabError
from sdclab.base.progress import each_of
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.inference import SHARED
from sdclab.numerics import logistic
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector, dichotomous
from sdclab.numerics.linalg import Terms, centred_basis

RELEASES = "every attribute drawn anew from a regression on those before it"
KEEPS = "nothing exactly; means and linear relations on average"
TAKES = ("continuous", "count", "nominal", "ordinal")

ROUNDING = 1e-12
"""A frequency is at least this, and so is the variance of one."""

FEW = 5
"""Fewer numbers beside the point masses have no distribution of their own."""


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    coefficients: Annotated[
        Literal["drawn", "estimated"],
        Doc("of every regression: drawn from their posterior, as for multiple imputation, or their estimates"),
    ] = "drawn",
    order: Annotated[
        Literal["file", "reversed"], Doc("in which dependents are drawn: from the first to the last, or from the last")
    ] = "file",
    columns: Annotated[Attributes | None, Given()] = None,
) -> Matrix:
    """Draw every dependent in some order, given the independents and the synthetic values of those before it.

    Each model is fitted on the originals, and its parameters are drawn from their posterior, unless estimates will do:
    normal linear regression, logistic regression for an attribute of zeros and ones or two categories, a multinomial
    logit for more of them. A number with point masses has two parts: which mass or none, and the number if none.
    """
    chance = _Chance(rng, coefficients == "drawn")
    if order == "file":
        return _in_order(dependent, independent, chance, columns)
    backwards = None if columns is None else replace(columns, dependent=columns.dependent[::-1])
    made = _in_order(np.ascontiguousarray(dependent[:, ::-1]), independent, chance, backwards)
    return np.ascontiguousarray(made[:, ::-1])


@dataclass(frozen=True)
class _Chance:
    """What is random: the values always, the parameters of their models if they are drawn."""

    rng: np.random.Generator
    parameters: bool


def _in_order(dependent: Matrix, independent: Matrix, chance: _Chance, columns: Attributes | None) -> Matrix:
    """The dependents, drawn from the first to the last."""
    n, p = dependent.shape
    attributes = p + independent.shape[1] if columns is None else columns.numbers().sum() + independent.shape[1]
    if n <= attributes:
        raise SdclabError(f"method synthetic: {attributes} attributes need more than {attributes} records, not {n}.")
    types = [Attribute("") for _ in range(p)] if columns is None else columns.dependent
    indicators = _indicators(dependent, types, n // 2 - attributes)
    known = None if columns is None or not independent.shape[1] else _Known.of(independent, columns)
    protected = np.empty_like(dependent)
    for j, y in enumerate(each_of(list(dependent.T), "dependents")):
        original, made = (_regressors(independent, each[:, :j], types, indicators) for each in (dependent, protected))
        terms = Terms.of(original)
        protected[:, j] = _drawn(types[j], y, terms(original), terms(made), known, chance)
    return protected


@dataclass(frozen=True)
class _Known:
    """The independents of a typed file."""

    basis: Matrix
    """of a regression on them"""
    groups: Sequence[Mask]
    """who has each of their categories, if SHARED records do: what they have in common is nobody's"""

    @classmethod
    def of(cls, independent: Matrix, columns: Attributes) -> "_Known":
        groups = [who for who in columns.by_category(independent) if who.sum() >= SHARED]
        return cls(centred_basis(independent), groups)

    def with_means(self, y: Vector, made: Vector) -> Vector:
        """Numbers moved group by group to the means that they had; where groups overlap, the last ones' are exact.

        Chance is as large in all groups, and drives the mean of one that has little variance of its own far off. To
        make all of them exact at once could single out who is in none of the groups.
        """
        for group in self.groups:
            made[group] += y[group].mean() - made[group].mean()
        return made

    def with_constants(self, y: Vector, made: Vector) -> Vector:
        """Numbers that a group shares, where it does."""
        for group in self.groups:
            if (y[group] == y[group][0]).all():
                made[group] = y[group][0]
        return made


def _indicators(dependent: Matrix, types: Sequence[Attribute], room: int) -> list[tuple[int, float]]:
    """Which values of which dependents are regressors by themselves: point masses, and categories but the commonest.

    With more of them than there is room for, half as many as records, the commonest are taken.
    """
    found = []
    for j, attribute in enumerate(types):
        values, counts = np.unique(dependent[:, j], return_counts=True)
        ranked = counts.argsort(kind="stable")[::-1]
        chosen = [i for i in ranked if values[i] in attribute.masses] if attribute.is_number else ranked[1:]
        found += [(-int(counts[i]), j, float(values[i])) for i in chosen]
    return [(j, value) for _, j, value in sorted(found)[: max(room, 0)]]


def _regressors(
    independent: Matrix, values: Matrix, types: Sequence[Attribute], indicators: list[tuple[int, float]]
) -> Matrix:
    """The independents and the dependents before one: numbers as they are, and the indicators."""
    j = values.shape[1]
    numbers = [each.is_number for each in types[:j]]
    numeric = values if all(numbers) else values[:, numbers]
    return np.column_stack([independent, numeric, *(values[:, i] == value for i, value in indicators if i < j)])


def _drawn(
    attribute: Attribute, y: Vector, before: Matrix, after: Matrix, known: _Known | None, chance: _Chance
) -> Vector:
    if not attribute.is_number:
        return _category(y, before, after, chance)
    # the regression of a constant leaves no residual, so it is released as it is
    if dichotomous(y[:, None]).all() and np.ptp(y) > 0:
        return _logistic(y, before, after, chance)
    masses = masses_of(attribute, y)
    if len(masses):
        made = _two_parts(y, masses, before, after, known, chance)
        return made if known is None else known.with_constants(y, made)
    if known is None:
        return _linear(y, before, after, None, chance)
    made = _linear(y, before, after, (known.basis, known.basis), chance)
    return known.with_constants(y, known.with_means(y, made))


def masses_of(attribute: Attribute, y: Vector) -> Vector:
    """The point masses that a number has; none, if too few records have other values."""
    masses = np.array([mass for mass in attribute.masses if (y == mass).any()])
    others = int((~np.isin(y, masses)).sum())
    return masses[:0] if 0 < others < FEW else masses


def part_of(y: Vector, masses: Vector) -> Vector:
    """Which point mass a number is, counted from 1; 0 for none."""
    return np.asarray((y[:, None] == masses) @ np.arange(1.0, len(masses) + 1))


def terms_of(some: Matrix, others: Matrix) -> tuple[Matrix, Matrix]:
    """Terms for a regression among some records, at theirs and at others' values: the mean alone if they are few."""
    terms = Terms.of(some)
    fitted, wanted = terms(some), terms(others)
    used = fitted.shape[1] if len(fitted) >= 2 * fitted.shape[1] else 1
    return fitted[:, :used], wanted[:, :used]


def _two_parts(
    y: Vector, masses: Vector, before: Matrix, after: Matrix, known: _Known | None, chance: _Chance
) -> Vector:
    """Which point mass or none, then a regression among the records that have none.

    In every group of independents a mass is as frequent as it was.
    """
    part = part_of(y, masses)
    drawn = _category(part, before, after, chance, () if known is None else known.groups).astype(np.intp)
    made = np.concatenate([[np.nan], masses])[drawn]
    others, chosen = part == 0, drawn == 0
    if chosen.any():
        terms = terms_of(before[others, 1:], after[chosen, 1:])
        both = None if known is None else terms_of(known.basis[others, 1:], known.basis[chosen, 1:])
        made[chosen] = _linear(y[others], *terms, both, chance)
    return made


def _category(y: Vector, before: Matrix, after: Matrix, chance: _Chance, groups: Sequence[Mask] = ()) -> Vector:
    """A category among those that the file has; in some groups of records as often as there."""
    categories, codes = np.unique(y, return_inverse=True)
    if len(categories) == 1:
        return y.copy()
    if len(categories) == 2:
        return categories[_logistic(codes.astype(float), before, after, chance, groups).astype(np.intp)]
    return categories[_multinomial(codes, before, after, chance, groups)]


def _multinomial(codes: Indices, before: Matrix, after: Matrix, chance: _Chance, groups: Sequence[Mask]) -> Indices:
    """As for zeros and ones: slopes, then frequencies, then the intercepts that give these at the synthetic values."""
    shares = (codes[:, None] == np.arange(codes.max() + 1)).astype(float)
    model = logistic.ridge(before, shares)
    slopes = (model.draw(chance.rng) if chance.parameters else model.coefficients)[1:]
    frequencies = _frequencies(shares.mean(axis=0), before[:, 1:] @ slopes, chance)
    scores = after[:, 1:] @ slopes
    p = logistic.softmax(scores + logistic.intercepts(frequencies, scores))
    return logistic.drawn(_raked(p, shares, groups), chance.rng)


def _raked(p: Matrix, shares: Matrix, groups: Sequence[Mask]) -> Matrix:
    """No probability is 0 to rounding then: a group may have nothing but that category."""
    return logistic.raked(np.maximum(p, ROUNDING), shares, groups) if groups else p


def _frequencies(seen: Vector, scores: Matrix, chance: _Chance) -> Vector:
    """A Dirichlet draw around those seen, with the total variance that they have given the slopes, as `_frequency`."""
    if not chance.parameters:
        return seen
    p = logistic.softmax(scores + logistic.intercepts(seen, scores))
    left = max((p * (1 - p)).mean(axis=0).sum(), ROUNDING)
    size = len(scores) * (seen * (1 - seen)).sum() / left - 1
    drawn = np.maximum(chance.rng.dirichlet(size * seen), ROUNDING)
    return np.asarray(drawn / drawn.sum())


def _linear(y: Vector, before: Matrix, after: Matrix, known: tuple[Matrix, Matrix] | None, chance: _Chance) -> Vector:
    """sigma² ~ rss / chi²(n - terms), beta ~ N(beta_hat, sigma² (X'X)^-1), y ~ N(X beta, sigma²); here X'X = n I.

    The estimates are rss / (n - terms) and beta_hat.
    """
    n, terms = before.shape
    mean = y.mean()
    beta = before.T @ (y - mean) / n
    residuals = y - mean - before @ beta
    moved = 0.0 if known is None else _regressed_alike(y, mean + after @ beta, *known)
    sigma = np.sqrt(residuals @ residuals / (chance.rng.chisquare(n - terms) if chance.parameters else n - terms))
    if chance.parameters:
        beta += sigma * _standard_normal(before, chance.rng) / np.sqrt(n)
    return mean + after @ beta + moved + sigma * chance.rng.standard_normal(len(after))


def _regressed_alike(y: Vector, predicted: Vector, before: Matrix, after: Matrix) -> Vector:
    """By how much predictions must move so that their regression on the independents is that of the originals.

    The other regressors are synthetic, and may lie where the model was never seen: there it is far off, and means by
    category would be, too.
    """
    wanted = after @ np.linalg.lstsq(before, y, rcond=None)[0]
    moved: Vector = after @ np.linalg.lstsq(after, wanted - predicted, rcond=None)[0]
    return moved


def _logistic(y: Vector, before: Matrix, after: Matrix, chance: _Chance, groups: Sequence[Mask] = ()) -> Vector:
    """Slopes ~ N(Firth's, inverse information), the frequency from its posterior given them, y ~ Bernoulli.

    Firth's slopes are finite under separation and have no bias. His intercept makes a rare attribute common, and so
    would the normal posterior of any: the intercept is the one that gives the drawn frequency (Puhr et al. 2017),
    and gives it at the *synthetic* values, which may lie where the model was never seen.
    """
    estimate, covariance = logistic.firth(before, y)
    if chance.parameters:
        variances, axes = np.linalg.eigh(covariance)
        along_axes = np.sqrt(np.maximum(variances, 0.0)) * (axes.T @ _standard_normal(before, chance.rng))
        estimate = estimate + axes @ along_axes
    slopes = estimate[1:]
    frequency = _frequency(y.mean(), before[:, 1:] @ slopes, chance)
    scores = after[:, 1:] @ slopes
    p = expit(scores + _intercept(frequency, scores))
    p = _raked(np.column_stack([1 - p, p]), np.column_stack([1 - y, y]), groups)[:, 1]
    drawn: Vector = (chance.rng.random(len(after)) < p).astype(float)
    return drawn


def _frequency(seen: float, scores: Vector, chance: _Chance) -> float:
    """A beta draw around the one seen, with the variance that it has given the slopes: mean of p (1 - p), over n."""
    if not chance.parameters:
        return seen
    p = expit(scores + _intercept(seen, scores))
    size = len(scores) * seen * (1 - seen) / np.mean(p * (1 - p)) - 1
    drawn = chance.rng.beta(size * seen, size * (1 - seen))
    return float(np.clip(drawn, np.finfo(float).tiny, 1 - np.finfo(float).eps))


def _intercept(frequency: float, scores: Vector) -> float:
    """The one under which the mean probability is the frequency."""
    low, high = (float(logit(frequency) - end) for end in (scores.max() + 1, scores.min() - 1))
    return float(brentq(lambda a: expit(scores + a).mean() - frequency, low, high))


def _standard_normal(terms: Matrix, rng: np.random.Generator) -> Vector:
    """One draw a term, made of one a record: terms that LAPACK turns or reflects then make no other release."""
    draws: Vector = terms.T @ rng.standard_normal(len(terms)) / np.sqrt(len(terms))
    return draws
