"""Mixtures of normal or t components by EM, with a floor under the weights.

Oganian & Domingo-Ferrer (2017), section 3; t components, which their section 4 names, as `student` has them.

Densities and scatters are both linear in the records' products x_a x_b, so each step of EM is one matrix product with
a table of those; the records are centred first, and measured by their standard deviations where a model allows. Long
files are gone through part by part, and what the M step needs is added up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.base.progress import doing, each_of
from sdclab.clustering import student
from sdclab.clustering.constraint import constrained
from sdclab.clustering.covariances import COVARIANCES, CollapsedError, collapsed
from sdclab.clustering.starts import Start, starting_labels
from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.linalg import independent_scores
from sdclab.numerics.memo import remembered
from sdclab.numerics.ties import at_most, largest_of

Components = Literal["normal", "t"]

COLLAPSED = 1e-5
"""A cluster has collapsed if an attribute, given those before it, has less than this share of its SD in the file."""


PART = 8192
"""Records that are looked at in one go: more would not stay in the processor's cache."""

SAMPLE = 50_000
"""Of a longer file so many records, evenly spaced, choose the model and the number of clusters; EM then sees it all."""

LEAST_STEPS, CAUTION = 3, 100.0
"""After so many steps of EM a fit is given up that could not win if it still gained so many times what it seems to."""

FEW = 1000
"""Of fewer records every fit goes on to its end: EM may be on a plateau for long, and it costs next to nothing."""


class BeatenError(Exception):
    """A fit that was given up, because its BIC would not be the largest."""


@dataclass(frozen=True)
class Mixture:
    """A fitted mixture: the last E step's shares and log-likelihood, and the parameters that follow from them."""

    model: str
    weights: Vector
    means: Matrix
    covariances: Matrix
    """of t components the scale matrices: their covariances are degrees / (degrees - 2) times as large"""
    log_likelihood: float
    shares: Matrix
    """Probability of every record (row) to belong to every cluster (column), equation 2."""
    degrees: Vector | None = None
    """of freedom; None: the components are normal"""

    @property
    def clusters(self) -> int:
        return len(self.weights)

    @property
    def bic(self) -> float:
        """Equation 6; the larger, the better."""
        clusters, attributes = self.means.shape
        free = _free(self.model, clusters, attributes, self.degrees is not None)
        return 2 * self.log_likelihood - free * float(np.log(len(self.shares)))

    @property
    def labels(self) -> Indices:
        """The cluster that each record most probably belongs to."""
        most: Indices = largest_of(self.shares)
        return most


def _free(model: str, clusters: int, attributes: int, estimated: bool) -> int:
    """The number of free parameters; `estimated` degrees of freedom count as any other."""
    free = clusters * attributes + clusters - 1 + COVARIANCES[model].free(clusters, attributes)
    return free + clusters if estimated else free


def fit(
    records: "Matrix | Points",
    model: str,
    start: Matrix,
    at: Indices | slice = slice(None),
    least: float = 0.0,
    tolerance: float = 1e-5,
    iterations: int = 1000,
    components: Components = "normal",
    degrees: float | None = None,
    beat: float = -np.inf,
) -> Mixture:
    """EM from the shares `start` of the records `at`, until the log-likelihood changes by less than tolerance.

    `least` is the smallest weight allowed, k/n (equations 3 and 4). The change is relative to 1 + |log-likelihood|.
    The `degrees` of freedom of t components are estimated, unless they are given. A fit whose BIC will not reach
    `beat` is given up.
    """
    points = records if isinstance(records, Points) else Points(records, COVARIANCES[model].any_units)
    nu = None if components == "normal" else np.full(start.shape[1], degrees or student.FIRST)
    moments = start.T @ _products(points.values[at]).T
    size = moments[:, 0]
    log_likelihood, gain = -np.inf, np.inf
    free = _free(model, start.shape[1], len(points.spread), nu is not None)
    needed = (beat + free * float(np.log(len(points.values)))) / 2
    weights, means, covariances = _maximise(moments, size, model, least)
    for step in range(iterations):
        before, gained = log_likelihood, gain
        found = points.expected(_Density(weights, means, covariances, points.spread, nu))
        log_likelihood = found.log_likelihood - points.in_units
        gain = log_likelihood - before
        if step >= LEAST_STEPS and log_likelihood + CAUTION * _still_to_gain(gain, gained) < needed:
            raise BeatenError
        weights, means, covariances = _maximise(found.moments, found.size, model, least)
        if nu is not None and degrees is None:
            again = points.expected(_Density(weights, means, covariances, points.spread, nu))
            nu = student.likelier_degrees(again.squares.T, again.shares.T, nu, len(points.spread))
        if abs(gain) < tolerance * (1 + abs(log_likelihood)):
            break
    means, covariances = points.centre + means * points.units, covariances * np.outer(points.units, points.units)
    return Mixture(model, weights, means, covariances, log_likelihood, found.shares.T, nu)


def _still_to_gain(gain: float, before: float) -> float:
    """What EM seems to gain yet if its gains go on shrinking as the last two did (Aitken; Boehning et al. 1994)."""
    return gain * gain / (before - gain) if 0 < gain < before else np.inf if gain > 0 else 0.0


class _Density:
    """The log of weight times density of every cluster, as coefficients of a record's products."""

    def __init__(self, weights: Vector, means: Matrix, covariances: Matrix, spread: Vector, degrees: Vector | None):
        try:
            factors = np.asarray(np.linalg.cholesky(covariances), dtype=float)
        except np.linalg.LinAlgError:
            raise collapsed(len(weights)) from None
        scale = np.diagonal(factors, axis1=1, axis2=2)
        if (scale < COLLAPSED * spread).any():
            raise collapsed(len(weights))
        self.attributes, self.degrees = len(spread), degrees
        self.heights = np.log(weights) - np.log(scale).sum(axis=1)
        self.coefficients = self._coefficients(means, factors)

    def _coefficients(self, means: Matrix, factors: Matrix) -> Matrix:
        """A row a cluster."""
        inverse = np.linalg.inv(factors)
        precision = np.swapaxes(inverse, 1, 2) @ inverse
        pulls = (precision @ means[:, :, None])[:, :, 0]
        constant = self.heights - 0.5 * (self.attributes * np.log(2 * np.pi) + (means * pulls).sum(axis=1))
        a, b = _upper(self.attributes)
        squares = precision[:, a, b] * np.where(a == b, -0.5, -1.0)
        return np.column_stack([constant, pulls, squares])

    def shares(self, products: Matrix) -> tuple[Matrix, float, Matrix]:
        """Equation 2 (cluster × record), the log-likelihood and, for t components, the squares of distances."""
        joint = self.coefficients @ products
        squares = joint
        if self.degrees is not None:
            heights = self.heights[:, None]
            squares = np.maximum(2 * (heights - joint) - self.attributes * np.log(2 * np.pi), 0.0)
            joint = heights + student.log_densities(squares.T, self.degrees, self.attributes).T
        highest = joint.max(axis=0)
        np.exp(joint - highest, out=joint)
        total = joint.sum(axis=0)
        joint /= total
        return joint, float(highest.sum() + np.log(total).sum()), squares


@dataclass(frozen=True)
class _Expected:
    """What an E step finds: shares (cluster × record), and what the M step needs."""

    shares: Matrix
    squares: Matrix
    """of distances (cluster × record); of no record unless components are t"""
    moments: Matrix
    size: Vector
    log_likelihood: float


class Points:
    """Centred records, in units of their SDs where that changes nothing, part by part."""

    def __init__(self, records: Matrix, any_units: bool) -> None:
        self.centre, spread = records.mean(axis=0), records.std(axis=0)
        self.units = spread if any_units else np.ones_like(spread)
        self.spread, self.in_units = spread / self.units, len(records) * float(np.log(self.units).sum())
        self.values = values = (records - self.centre) / self.units
        self.parts = [slice(first, first + PART) for first in range(0, len(values), PART)]
        self.products = _products(values) if len(self.parts) == 1 else None

    def expected(self, density: _Density) -> _Expected:
        """The E step. A record counts for the moments by its shares, in t components the less the farther it lies."""
        moments, size, logs = np.zeros(density.coefficients.shape), np.zeros(len(density.heights)), 0.0
        shares = np.empty((len(size), len(self.values)))
        squares = np.empty((len(size), 0 if density.degrees is None else len(self.values)))
        for part in self.parts:
            products = _products(self.values[part]) if self.products is None else self.products
            found, log_likelihood, apart = density.shares(products)
            shares[:, part] = pulled = found
            if density.degrees is not None:
                squares[:, part] = apart
                pulled = found * student.pulls(apart.T, density.degrees, density.attributes).T
            moments += pulled @ products.T
            size += found.sum(axis=1)
            logs += log_likelihood
        return _Expected(shares, squares, moments, size, logs)


@cache
def _upper(attributes: int) -> tuple[Indices, Indices]:
    return np.triu_indices(attributes)


def _products(points: Matrix) -> Matrix:
    """A one, the attributes and their products x_a x_b, a <= b, of every record (a column)."""
    a, b = _upper(points.shape[1])
    x = np.ascontiguousarray(points.T)
    return np.concatenate([np.ones((1, len(points))), x, x[a] * x[b]])


def _maximise(moments: Matrix, size: Vector, model: str, least: float) -> tuple[Vector, Matrix, Matrix]:
    """The M step: weights with their floor, means, and covariances by the model."""
    if size.min() <= 0:
        raise CollapsedError(f"one of {len(size)} clusters lost all its records; fewer clusters are needed.")
    attributes = round((np.sqrt(8 * moments.shape[1] + 1) - 3) / 2)
    means = moments[:, 1 : attributes + 1] / moments[:, :1]
    a, b = _upper(attributes)
    scatter = np.empty((len(size), attributes, attributes))
    scatter[:, a, b] = moments[:, attributes + 1 :] - moments[:, :1] * means[:, a] * means[:, b]
    scatter[:, b, a] = scatter[:, a, b]
    weights = constrained(size / size.sum(), least)
    return weights, means, COVARIANCES[model].estimate(scatter, size)


@remembered
def choose(
    records: Matrix,
    models: tuple[str, ...],
    sizes: tuple[int, ...],
    start: Start,
    k: int,
    components: Components = "normal",
) -> Mixture:
    """The mixture with the largest BIC over covariance models and numbers of clusters, the first of equals.

    A number for which a cluster collapses is passed over, unless all do. Attributes that are linear in others say
    nothing more about clusters: such files are described by their principal components, in units of the SDs. Of a long
    file a sample chooses, and EM goes on from there with all records.
    """
    records = independent_scores(records)
    if not records.shape[1]:
        raise SdclabError("no attribute varies beyond rounding, so there are no clusters to find.")
    if len(records) <= SAMPLE:
        return _largest_bic(records, models, sizes, start, k / len(records), components)
    seen = np.linspace(0, len(records) - 1, SAMPLE).round().astype(np.intp)
    chosen = _largest_bic(records[seen], models, sizes, start, k / len(records), components)
    with doing("EM"):
        return fit(records, chosen.model, chosen.shares, seen, k / len(records), components=components)


def _largest_bic(
    records: Matrix, models: Sequence[str], sizes: Sequence[int], start: Start, least: float, components: Components
) -> Mixture:
    used, labels = starting_labels(records, start)
    points = {any_units: Points(records, any_units) for any_units in {COVARIANCES[each].any_units for each in models}}
    found: list[Mixture] = []
    best, raced = -np.inf, len(records) >= FEW
    problems: list[CollapsedError] = []
    for size in each_of(sizes, "numbers of clusters"):
        for model in each_of(models):
            try:
                first, seen = np.eye(size)[labels(size)], points[COVARIANCES[model].any_units]
                beat = best if raced else -np.inf
                found.append(fit(seen, model, first, used, least, components=components, beat=beat))
            except CollapsedError as problem:
                problems.append(problem)
            except BeatenError:
                continue
            else:
                best = max(best, found[-1].bic)
                found = [each for each in found if at_most(best, each.bic)]  # the others' shares would fill memory
    if not found:
        raise problems[0]
    return found[largest_of([mixture.bic for mixture in found])]
