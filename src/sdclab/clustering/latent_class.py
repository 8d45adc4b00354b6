"""Latent class regression: attributes with categories given continuous ones.

Oganian & Domingo-Ferrer (2017), section 6, equations 12 to 15; Bandeen-Roche et al. (1997), Latent variable regression
for multiple discrete outcomes. An attribute's categories are coded 0, 1, 2...; the first has the probability that the
others leave.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.clustering.constraint import constrained
from sdclab.numerics import logistic
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector
from sdclab.numerics.linalg import Terms
from sdclab.numerics.ties import largest_of, smallest_of

EDGE = 1e-9
"""How near to 0 or 1 the probability of a response may come."""

ROUNDING = 1e-14
"""A change of the log-likelihood by this share is none."""


MANY = 300
"""Coefficients of the priors above which a Newton step would take too long, and a ridge is fitted instead."""


@dataclass(frozen=True)
class LatentClasses:
    """Classes whose priors depend on continuous attributes, and in which those with categories are independent."""

    terms: Terms
    coefficients: Matrix
    """term × class but the first: a multinomial logit"""
    responses: Matrix
    """class × category, attribute after attribute, but the first of each: its probability"""
    sizes: Indices
    """how many categories each attribute has"""
    log_likelihoods: Vector
    """after every iteration, the last included"""

    @property
    def log_likelihood(self) -> float:
        return float(self.log_likelihoods[-1])

    def bic(self, n: int) -> float:
        """As equation 6, of n records; the larger, the better."""
        return 2 * self.log_likelihood - (self.coefficients.size + self.responses.size) * float(np.log(n))

    def priors(self, x: Matrix, mean: Vector | None = None) -> Matrix:
        """p_g(x) of equation 12: record × class; of other intercepts, if need be, so that they have a given mean."""
        log_p = logistic.log_probabilities(self.terms(x) @ self.coefficients)
        return np.exp(log_p) if mean is None else logistic.softmax(log_p + logistic.intercepts(mean, log_p))

    def posteriors(self, y: Matrix, x: Matrix) -> Matrix:
        """Record × class, given its codes as well."""
        answers = _Answers.of(y, self.sizes).log_likelihoods(self.responses)
        return logistic.softmax(np.log(np.maximum(self.priors(x), logistic.TINY)) + answers)

    def draw(
        self, x: Matrix, rng: np.random.Generator, mean: Vector | None = None, like: "Like | None" = None
    ) -> Matrix:
        """A class for every record by its priors, then every attribute by itself from the class's responses.

        These can be raked (`like`): in some groups of records attributes then are as frequent as they were.
        """
        classes = logistic.drawn(self.priors(x, mean), rng)
        drawn = np.empty((len(x), len(self.sizes)))
        marks = rng.random(drawn.shape)
        for j, responses in enumerate(np.split(self.responses, _firsts(self.sizes)[1:], axis=1)):
            chosen = responses[classes] if like is None else like.raked(j, responses, classes)
            passed = (marks[:, [j]] >= chosen.cumsum(axis=1)).sum(axis=1)
            drawn[:, j] = (passed + 1) % self.sizes[j]  # the first category comes after all others
        return drawn


@dataclass(frozen=True)
class Like:
    """Codes of records, and groups of them in which the frequencies of categories are to be kept."""

    codes: Matrix
    groups: Sequence[Mask]

    def raked(self, j: int, responses: Matrix, classes: Indices) -> Matrix:
        """Record × category but the first of attribute j: its probability given the record's class and its groups."""
        first = np.maximum(1 - responses.sum(axis=1, keepdims=True), EDGE)
        shares = one_hot(self.codes[:, j], 1 + responses.shape[1])
        return logistic.raked(np.hstack([first, responses])[classes], shares, self.groups)[:, 1:]


def fit(
    y: Matrix,
    x: Matrix,
    labels: Indices | int,
    rng: np.random.Generator,
    *,
    k: int,
    sizes: Indices | None = None,
    starts: int = 3,
    iterations: int = 5000,
    tolerance: float = 1e-6,
) -> LatentClasses:
    """The likeliest classes of codes y given x that EM finds from the labels and from some random starts.

    `sizes` tells how many categories each attribute has: two, if nothing is said. There are as many classes as labels,
    and the mean prior of each is at least k/n. EM stops once the log-likelihood has no more than `tolerance` to gain.
    Where nobody has labels, a number of classes does: there are random starts alone, from the categories.
    """
    sizes = np.full(y.shape[1], 2) if sizes is None else sizes
    if k < 1:
        raise SdclabError(f"latent classes: k is {k} but must be at least 1.")
    answers = _Answers.of(y, sizes)
    terms = Terms.of(x)
    design = terms(x)
    if isinstance(labels, int):
        classes, given, points = labels, [], answers.others
    else:
        classes, given, points = len(np.unique(labels)), [np.unique(labels, return_inverse=True)[1]], design
    first = [*given, *(_cells(points, classes, rng) for _ in range(starts))]
    runs = [_em(answers, design, one_hot(start, classes), k / len(y), iterations, tolerance) for start in first]
    best, path = runs[largest_of([step.log_likelihood for step, _ in runs])]
    return LatentClasses(terms, best.coefficients, best.responses, sizes, path)


def _firsts(sizes: Indices) -> Indices:
    """Where each attribute's categories but the first begin."""
    return np.concatenate([[0], np.cumsum(sizes[:-1] - 1)]).astype(np.intp)


@dataclass(frozen=True)
class _Answers:
    """Y of equation 12: whether a record has a category."""

    others: Matrix
    """record × category, attribute after attribute, but the first of each"""
    first: Matrix
    """record × attribute: whether it has the first"""
    firsts: Indices

    @classmethod
    def of(cls, y: Matrix, sizes: Indices) -> "_Answers":
        for j, size in enumerate(sizes):
            if not np.isin(y[:, j], np.arange(size)).all():
                allowed = "0 and 1" if size == 2 else f"the codes 0 to {size - 1}"
                raise SdclabError(f"latent classes: attribute {j + 1} has other values than {allowed}.")
        if (sizes == 2).all():
            return cls(y, 1 - y, _firsts(sizes))
        others = [one_hot(column, size)[:, 1:] for column, size in zip(y.T, sizes, strict=True)]
        return cls(np.hstack(others), (y == 0).astype(float), _firsts(sizes))

    def responses(self, z: Matrix) -> Matrix:
        """The M-step's: what share of each class, by posteriors z, has a category."""
        return np.clip(z.T @ self.others / z.sum(axis=0)[:, None], EDGE, 1 - EDGE)

    def log_likelihoods(self, responses: Matrix) -> Matrix:
        """Record × class: of a record's categories."""
        sums = np.minimum(np.add.reduceat(responses, self.firsts, axis=1), 1 - EDGE)
        return self.others @ np.log(responses).T + self.first @ np.log1p(-sums).T


def one_hot(labels: Indices | Vector, classes: int) -> Matrix:
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


def _em(
    answers: _Answers, design: Matrix, z: Matrix, least: float, iterations: int, tolerance: float
) -> tuple[_Step, Vector]:
    """Where EM ends from posteriors z, and the log-likelihoods on its way.

    One Newton step an iteration raises the likelihood; a complete M-step would take the labels of the start too
    seriously (on Thyroid EM then ends 21 lower). The last one is complete: mean priors are then mean posteriors.
    """
    step = _step(answers, design, z, least, np.zeros((design.shape[1], z.shape[1] - 1)))
    path = [step.log_likelihood]
    for _ in range(iterations):
        step = _step(answers, design, step.posteriors, least, step.coefficients)
        path.append(step.log_likelihood)
        if _left(path) <= tolerance:
            break
    step = _step(answers, design, step.posteriors, least, step.coefficients, newton=100)
    return step, np.array([*path, step.log_likelihood])


def _left(path: Sequence[float]) -> float:
    """How much is left to gain by Aitken's rule: where EM creeps, many small gains make a large one."""
    if len(path) < 3:
        return np.inf
    before, last = abs(path[-2] - path[-3]), abs(path[-1] - path[-2])
    if last <= ROUNDING * abs(path[-1]):
        return 0.0
    return last**2 / (before - last) if last < before else np.inf


def _step(answers: _Answers, design: Matrix, z: Matrix, least: float, coefficients: Matrix, newton: int = 1) -> _Step:
    """The M-step for posteriors z, made to obey the constraint, and the E-step after it."""
    z = with_least(z, least)
    coefficients, joint = _priors(design, z, coefficients, newton)
    responses = answers.responses(z)
    joint = joint + answers.log_likelihoods(responses)
    evidence = logistic.log_sum_exp(joint)
    return _Step(coefficients, responses, np.exp(joint - evidence), float(evidence.sum()))


def _priors(design: Matrix, z: Matrix, coefficients: Matrix, newton: int) -> tuple[Matrix, Matrix]:
    """Coefficients after so many Newton steps, and the log priors."""
    if not coefficients.size:  # with one class there is nothing to fit
        return coefficients, np.zeros_like(z)
    if coefficients.size <= MANY:
        return logistic.climb(design, z, coefficients, newton)[:2]
    found = logistic.ridge(design, z, np.column_stack([np.zeros(len(coefficients)), coefficients]), newton).coefficients
    coefficients = found[:, 1:] - found[:, :1]
    return coefficients, logistic.log_probabilities(design @ coefficients)


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
