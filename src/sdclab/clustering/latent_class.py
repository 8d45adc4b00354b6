"""Latent class regression: dichotomous attributes given continuous ones.

Oganian & Domingo-Ferrer (2017), section 6, equations 12 to 15; Bandeen-Roche et al. (1997), Latent variable regression
for multiple discrete outcomes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.clustering.constraint import constrained
from sdclab.numerics import logistic
from sdclab.numerics.arrays import Indices, Matrix, Vector, dichotomous
from sdclab.numerics.linalg import Terms
from sdclab.numerics.ties import largest_of, smallest_of

EDGE = 1e-9
"""How near to 0 or 1 the probability of a response may come."""

ROUNDING = 1e-14
"""A change of the log-likelihood by this share is none."""


@dataclass(frozen=True)
class LatentClasses:
    """Classes whose priors depend on continuous attributes, and in which the dichotomous ones are independent."""

    terms: Terms
    coefficients: Matrix
    """term × class but the first: a multinomial logit"""
    responses: Matrix
    """class × attribute: the probability of a 1"""
    log_likelihoods: Vector
    """after every iteration, the last included"""

    @property
    def log_likelihood(self) -> float:
        return float(self.log_likelihoods[-1])

    def priors(self, x: Matrix) -> Matrix:
        """p_g(x) of equation 12: record × class."""
        return np.exp(logistic.log_probabilities(self.terms(x) @ self.coefficients))

    def draw(self, x: Matrix, rng: np.random.Generator) -> Matrix:
        """A class for every record by its priors, then every attribute by itself from the class's responses."""
        bounds = self.priors(x).cumsum(axis=1)[:, :-1]
        classes = (rng.random((len(x), 1)) >= bounds).sum(axis=1)
        return (rng.random((len(x), self.responses.shape[1])) < self.responses[classes]).astype(float)


def fit(
    y: Matrix,
    x: Matrix,
    labels: Indices,
    rng: np.random.Generator,
    *,
    k: int,
    starts: int = 3,
    iterations: int = 5000,
    tolerance: float = 1e-6,
) -> LatentClasses:
    """The likeliest classes of dichotomous y given x that EM finds from the labels and from some random starts.

    There are as many classes as labels, and the mean prior of each is at least k/n. EM stops once the log-likelihood
    has no more than `tolerance` to gain.
    """
    others = np.flatnonzero(~dichotomous(y))
    if len(others):
        raise SdclabError(f"latent classes: attribute {others[0] + 1} has other values than 0 and 1.")
    if k < 1:
        raise SdclabError(f"latent classes: k is {k} but must be at least 1.")
    terms = Terms.of(x)
    design = terms(x)
    names, given = np.unique(labels, return_inverse=True)
    classes = len(names)
    first = [given, *(_cells(design, classes, rng) for _ in range(starts))]
    runs = [_em(y, design, one_hot(start, classes), k / len(y), iterations, tolerance) for start in first]
    best, path = runs[largest_of([step.log_likelihood for step, _ in runs])]
    return LatentClasses(terms, best.coefficients, best.responses, path)


def one_hot(labels: Indices, classes: int) -> Matrix:
    return (labels[:, None] == np.arange(classes)).astype(float)


def _cells(points: Matrix, classes: int, rng: np.random.Generator) -> Indices:
    """A random start: the label of the nearest of some random records."""
    centres = points[rng.choice(len(points), classes, replace=False)]
    distances = np.column_stack([np.linalg.norm(points - centre, axis=1) for centre in centres])
    nearest: Indices = smallest_of(distances)
    return nearest


@dataclass(frozen=True)
class _Step:
    coefficients: Matrix
    responses: Matrix
    posteriors: Matrix
    log_likelihood: float


def _em(y: Matrix, design: Matrix, z: Matrix, least: float, iterations: int, tolerance: float) -> tuple[_Step, Vector]:
    """Where EM ends from posteriors z, and the log-likelihoods on its way.

    One Newton step an iteration raises the likelihood; a complete M-step would take the labels of the start too
    seriously (on Thyroid EM then ends 21 lower). The last one is complete: mean priors are then mean posteriors.
    """
    step = _step(y, design, z, least, np.zeros((design.shape[1], z.shape[1] - 1)))
    path = [step.log_likelihood]
    for _ in range(iterations):
        step = _step(y, design, step.posteriors, least, step.coefficients)
        path.append(step.log_likelihood)
        if _left(path) <= tolerance:
            break
    step = _step(y, design, step.posteriors, least, step.coefficients, newton=100)
    return step, np.array([*path, step.log_likelihood])


def _left(path: Sequence[float]) -> float:
    """How much is left to gain by Aitken's rule: where EM creeps, many small gains make a large one."""
    if len(path) < 3:
        return np.inf
    before, last = abs(path[-2] - path[-3]), abs(path[-1] - path[-2])
    if last <= ROUNDING * abs(path[-1]):
        return 0.0
    return last**2 / (before - last) if last < before else np.inf


def _step(y: Matrix, design: Matrix, z: Matrix, least: float, coefficients: Matrix, newton: int = 1) -> _Step:
    """The M-step for posteriors z, made to obey the constraint, and the E-step after it."""
    z = with_least(z, least)
    joint = np.zeros_like(z)
    if coefficients.size:  # with one class there is nothing to fit
        coefficients, joint, _ = logistic.climb(design, z, coefficients, newton)
    responses = np.clip(z.T @ y / z.sum(axis=0)[:, None], EDGE, 1 - EDGE)
    joint += y @ np.log(responses).T + (1 - y) @ np.log1p(-responses).T
    evidence = logistic.log_sum_exp(joint)
    return _Step(coefficients, responses, np.exp(joint - evidence), float(evidence.sum()))


def with_least(z: Matrix, least: float) -> Matrix:
    """Posteriors whose mean (equation 14) is at least `least` in every class.

    Equation 15 moves them by the change that equations 3 and 4 make to the mean. It is printed with a division by n,
    under which the mean would hardly move: that must be a slip. What is moved below 0 is cut off there, and rows are
    made to sum to 1 again; what this takes from the smallest class, smoothing every row as in equation 3 gives back.
    """
    mean = z.mean(axis=0)
    wanted = constrained(mean, least)
    if wanted is mean:
        return z
    moved = np.maximum(z + wanted - mean, 0.0)
    moved /= moved.sum(axis=1, keepdims=True)
    smallest, uniform = moved.mean(axis=0).min(), 1 / z.shape[1]
    share = max(0.0, (least - smallest) / (uniform - smallest))
    return (1 - share) * moved + share * uniform
