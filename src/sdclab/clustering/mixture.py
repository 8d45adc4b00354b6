"""Mixtures of normal or t components by EM, with a floor under the weights.

Oganian & Domingo-Ferrer (2017), section 3; t components, which their section 4 names, as `student` has them.

Densities and scatters are both linear in the records' products x_a x_b, so each step of EM is one matrix product with
a table of those; the records are centred first, and measured by their standard deviations where a model allows.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.clustering import student
from sdclab.clustering.constraint import constrained
from sdclab.clustering.covariances import COVARIANCES, CollapsedError, collapsed
from sdclab.clustering.starts import Start, starting_labels
from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.linalg import independent_scores
from sdclab.numerics.memo import remembered
from sdclab.numerics.ties import largest_of

Components = Literal["normal", "t"]

COLLAPSED = 1e-5
"""A cluster has collapsed if an attribute, given those before it, has less than this share of its SD in the file."""


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
        """Equation 6; the larger, the better. Degrees of freedom count as any other parameter."""
        clusters, attributes = self.means.shape
        free = clusters * attributes + clusters - 1 + COVARIANCES[self.model].free(clusters, attributes)
        free += 0 if self.degrees is None else clusters
        return 2 * self.log_likelihood - free * float(np.log(len(self.shares)))

    @property
    def labels(self) -> Indices:
        """The cluster that each record most probably belongs to."""
        most: Indices = largest_of(self.shares)
        return most


def fit(
    records: Matrix,
    model: str,
    start: Matrix,
    at: Indices | slice = slice(None),
    least: float = 0.0,
    tolerance: float = 1e-5,
    iterations: int = 1000,
    components: Components = "normal",
    degrees: float | None = None,
) -> Mixture:
    """EM from the shares `start` of the records `at`, until the log-likelihood changes by less than tolerance.

    `least` is the smallest weight allowed, k/n (equations 3 and 4). The change is relative to 1 + |log-likelihood|.
    The `degrees` of freedom of t components are estimated, unless they are given.
    """
    centre, spread = records.mean(axis=0), records.std(axis=0)
    units = spread if COVARIANCES[model].any_units else np.ones_like(spread)
    points = (records - centre) / units
    products = _products(points)
    in_units = len(records) * float(np.log(units).sum())
    nu = None if components == "normal" else np.full(start.shape[1], degrees or student.FIRST)
    weights, means, covariances = _maximise(products[at], start, model, least)
    log_likelihood = -np.inf
    for _ in range(iterations):
        before = log_likelihood
        shares, log_likelihood, squares = _expect(products, weights, means, covariances, spread / units, nu)
        log_likelihood -= in_units
        pulled = None if nu is None else shares * student.pulls(squares, nu, len(spread))
        weights, means, covariances = _maximise(products, shares, model, least, pulled)
        if nu is not None and degrees is None:
            again, _, squares = _expect(products, weights, means, covariances, spread / units, nu)
            nu = student.likelier_degrees(squares, again, nu, len(spread))
        if abs(log_likelihood - before) < tolerance * (1 + abs(log_likelihood)):
            break
    covariances = covariances * np.outer(units, units)
    return Mixture(model, weights, centre + means * units, covariances, log_likelihood, shares, nu)


def _products(points: Matrix) -> Matrix:
    """A one, the attributes and their products x_a x_b, a <= b, of every record."""
    a, b = np.triu_indices(points.shape[1])
    return np.column_stack([np.ones(len(points)), points, points[:, a] * points[:, b]])


def _maximise(
    products: Matrix, shares: Matrix, model: str, least: float, pulled: Matrix | None = None
) -> tuple[Vector, Matrix, Matrix]:
    """The M step: weights with their floor, means, and covariances by the model.

    `pulled` are the shares by which records count for means and scatters, if they are other ones than for the sizes.
    """
    moments = (shares if pulled is None else pulled).T @ products
    size = moments[:, 0] if pulled is None else shares.sum(axis=0)
    if size.min() <= 0:
        raise CollapsedError(f"one of {len(size)} clusters lost all its records; fewer clusters are needed.")
    attributes = round((np.sqrt(8 * moments.shape[1] + 1) - 3) / 2)
    means = moments[:, 1 : attributes + 1] / moments[:, :1]
    a, b = np.triu_indices(attributes)
    scatter = np.empty((len(size), attributes, attributes))
    scatter[:, a, b] = moments[:, attributes + 1 :] - moments[:, :1] * means[:, a] * means[:, b]
    scatter[:, b, a] = scatter[:, a, b]
    weights = constrained(size / size.sum(), least)
    return weights, means, COVARIANCES[model].estimate(scatter, size)


def _expect(
    products: Matrix, weights: Vector, means: Matrix, covariances: Matrix, spread: Vector, degrees: Vector | None
) -> tuple[Matrix, float, Matrix]:
    """The E step: the shares of equation 2, the log-likelihood and, for t components, the squares of distances."""
    try:
        factors = np.asarray(np.linalg.cholesky(covariances), dtype=float)
    except np.linalg.LinAlgError:
        raise collapsed(len(weights)) from None
    scale = np.diagonal(factors, axis1=1, axis2=2)
    if (scale < COLLAPSED * spread).any():
        raise collapsed(len(weights))
    joint = products @ _coefficients(weights, means, factors)
    squares = joint
    if degrees is not None:
        heights = np.log(weights) - np.log(scale).sum(axis=1)
        squares = np.maximum(2 * (heights - joint) - len(spread) * np.log(2 * np.pi), 0.0)
        joint = heights + student.log_densities(squares, degrees, len(spread))
    highest = joint.max(axis=1, keepdims=True)
    np.exp(joint - highest, out=joint)
    total = joint.sum(axis=1, keepdims=True)
    joint /= total
    return joint, float(highest.sum() + np.log(total).sum()), squares


def _coefficients(weights: Vector, means: Matrix, factors: Matrix) -> Matrix:
    """The log of weight times density as coefficients of the products, a column a cluster."""
    attributes = means.shape[1]
    inverse = np.linalg.inv(factors)
    precision = np.swapaxes(inverse, 1, 2) @ inverse
    pulls = (precision @ means[:, :, None])[:, :, 0]
    log_scale = np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
    constant = np.log(weights) - log_scale - 0.5 * (attributes * np.log(2 * np.pi) + (means * pulls).sum(axis=1))
    a, b = np.triu_indices(attributes)
    squares = precision[:, a, b] * np.where(a == b, -0.5, -1.0)
    return np.vstack([constant, pulls.T, squares.T])


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
    nothing more about clusters: such files are described by their principal components, in units of the SDs.
    """
    records = independent_scores(records)
    if not records.shape[1]:
        raise SdclabError("no attribute varies beyond rounding, so there are no clusters to find.")
    used, labels = starting_labels(records, start)
    found: list[Mixture] = []
    problems: list[CollapsedError] = []
    for size in sizes:
        for model in models:
            try:
                first = np.eye(size)[labels(size)]
                found.append(fit(records, model, first, used, k / len(records), components=components))
            except CollapsedError as problem:
                problems.append(problem)
    if not found:
        raise problems[0]
    return found[largest_of([mixture.bic for mixture in found])]
