"""Logistic and multinomial regression by a Newton method that cannot diverge.

Plain iteratively reweighted least squares can overshoot and leave with a deviance above the null model's; here every
step must raise the likelihood, and is halved until it does. The log-likelihood is concave, so the end is its maximum;
under perfect separation that lies at infinity, and the iteration stops where nothing measurable is left to gain.
Firth's penalty keeps it finite, and takes away the bias of maximum likelihood. Where categories are many, a ridge does
the first at a cost that is linear in their number. The plain iteration is here as well, for what it makes of a file.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit, logit

from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector

RIDGE = 1e-12
"""Added to the information, relative to its mean diagonal: a direction without information is then not moved along."""

TINY = 1e-300
"""Keeps the information positive where every probability is 0 or 1 to rounding."""

ENOUGH = 1e-10
"""A gain below this share of the log-likelihood is none."""

PRIOR = 0.25
"""The ridge: slopes of terms of SD 1 are penalised as by a normal prior of SD 2."""

STEPS = 25
"""Iterations of least squares, at most, and a deviance that moves by no more than SETTLED of itself: as R's glm."""

SETTLED = 1e-8

FAR = 30.0
"""A probability whose logit is beyond this is as near to 0 or 1 as a double can tell it from them, as in R."""

NEAR = float(np.finfo(float).eps)

BEYOND = 1e100
"""A logit is no larger, so that none overflows, however far least squares overshoot."""

SINGULAR = 1e-11
"""Weighted terms with less than this share of the largest of them are none: R's tolerance."""


@dataclass(frozen=True)
class Fit:
    """A fitted model: one column of coefficients for every category but the first."""

    coefficients: Matrix
    probabilities: Matrix
    log_likelihood: float
    covariance: Matrix
    """Of the coefficients, category after category: the inverse of the information."""
    converged: bool


def fit(x: Matrix, shares: Matrix, start: Matrix | None = None, iterations: int = 500) -> Fit:
    """Maximum likelihood of multinomial shares given terms x, of which the first is the intercept.

    `shares` has a column a category and rows that sum to 1: zeros and ones, or posterior probabilities. Columns of x
    should be on one scale, best orthogonal.
    """
    b = np.zeros((x.shape[1], shares.shape[1] - 1)) if start is None else start
    b, log_p, value = climb(x, shares, b, iterations)
    gradient, information = _newton_system(x, shares, np.exp(log_p))
    covariance = _solved(information, np.eye(len(information)))
    left = float(gradient @ covariance @ gradient)
    return Fit(b, np.exp(log_p), value, covariance, left <= 1e-6 * (1 + abs(value)))


def climb(x: Matrix, shares: Matrix, b: Matrix, iterations: int) -> tuple[Matrix, Matrix, float]:
    """Coefficients, log-probabilities and log-likelihood after at most so many Newton steps from b."""
    log_p = log_probabilities(x @ b)
    value = float((shares * log_p).sum())
    for _ in range(iterations):
        gradient, information = _newton_system(x, shares, np.exp(log_p))
        step = _solved(information, gradient).reshape(b.T.shape).T
        before = value
        b, log_p, value = _uphill(x, shares, b, step, value)
        if value == before or gradient @ step.T.ravel() <= ENOUGH * (1 + abs(value)):
            break
    return b, log_p, value


def _uphill(x: Matrix, shares: Matrix, b: Matrix, step: Matrix, value: float) -> tuple[Matrix, Matrix, float]:
    """The first of step, step/2, step/4... that raises the likelihood; where rounding hides every rise, no step."""
    scores, rise = x @ b, x @ step  # scores are linear in b: a shorter step needs no new product
    for share in 0.5 ** np.arange(60):
        log_p = log_probabilities(scores + share * rise)
        found = float((shares * log_p).sum())
        if found > value:
            return b + share * step, log_p, found
    return b, log_probabilities(scores), value


def log_probabilities(scores: Matrix) -> Matrix:
    """Of all categories, from the scores of all but the first, whose score is 0."""
    scores = np.column_stack([np.zeros(len(scores)), scores])
    return scores - log_sum_exp(scores)


def log_sum_exp(scores: Matrix) -> Matrix:
    """Of every row, as a column: scipy's takes as long as all else in an EM iteration."""
    largest = scores.max(axis=1, keepdims=True)
    sums: Matrix = largest + np.log(np.exp(scores - largest).sum(axis=1, keepdims=True))
    return sums


def _newton_system(x: Matrix, shares: Matrix, p: Matrix) -> tuple[Vector, Matrix]:
    """The gradient of the log-likelihood and its information, category after category."""
    gradient = (x.T @ (shares - p)[:, 1:]).T.ravel()
    information = _information(x, p[:, 1:])
    information[np.diag_indices_from(information)] += RIDGE * np.trace(information) / len(information) + TINY
    return gradient, information


def _solved(information: Matrix, right: Matrix) -> Matrix:
    """The information's inverse times something; where rounding has made it indefinite, of its nearest positive one."""
    try:
        solution: Matrix = cho_solve(cho_factor(information), right)
    except np.linalg.LinAlgError:
        sizes, axes = np.linalg.eigh(information)
        raised = np.maximum(sizes, RIDGE * sizes.max())
        solution = axes / raised @ (axes.T @ right)
    return solution


def _information(x: Matrix, p: Matrix) -> Matrix:
    """Blocks X' diag(p_g (1[g = h] - p_h)) X."""
    terms, categories = x.shape[1], p.shape[1]
    blocks = np.empty((categories, terms, categories, terms))
    for g in range(categories):
        root = np.sqrt(p[:, g] * (1 - p[:, g]))[:, None] * x
        blocks[g, :, g] = root.T @ root  # numpy sees the symmetry and does half the work
        for h in range(g + 1, categories):
            blocks[g, :, h] = -(x.T @ ((p[:, g] * p[:, h])[:, None] * x))
            blocks[h, :, g] = blocks[g, :, h].T
    return blocks.reshape(categories * terms, categories * terms)


def reweighted(x: Matrix, y: Vector, iterations: int = STEPS) -> Vector:
    """Probabilities of zeros and ones y by plain iteratively reweighted least squares, wherever they end.

    McCullagh & Nelder (1989), section 2.5, as R's glm does it: from (y + 1/2) / 2, until the deviance has settled, at
    most so many times, and no step is halved. On heavy tails it may overshoot and end with all of the probabilities at
    0 or 1, whatever y is. Whether it does can hang on the last bit: of a file on the edge, two processors may differ.
    """
    p = (y + 0.5) / 2
    scores, deviance = logit(p), _deviance(p, y)
    for _ in range(iterations):
        scores = _least_squares(x, y, scores, p)
        p, before = _bounded(scores), deviance
        deviance = _deviance(p, y)
        if abs(deviance - before) < SETTLED * (abs(deviance) + 0.1):
            break
    return p


def _least_squares(x: Matrix, y: Vector, scores: Vector, p: Vector) -> Vector:
    """The next scores: the regression of the working response, with p (1 - p) as weights."""
    weights = p * (1 - p)
    response = scores + (y - p) / weights
    root = np.sqrt(weights)
    b = np.linalg.lstsq(root[:, None] * x, root * response, rcond=SINGULAR)[0]
    return np.clip(x @ b, -BEYOND, BEYOND)


def _bounded(scores: Vector) -> Vector:
    """Probabilities, none of them 0 or 1: every weight is positive then."""
    ends = np.where(scores > 0, 1 - NEAR, NEAR)
    return np.where(np.abs(scores) > FAR, ends, expit(scores))


def _deviance(p: Vector, y: Vector) -> float:
    return -2 * float(np.log(np.where(y == 1, p, 1 - p)).sum())


def firth(x: Matrix, y: Vector, iterations: int = 500) -> tuple[Vector, Matrix]:
    """Firth's (1993) coefficients of zeros and ones y given terms x of full rank, and their inverse information.

    They maximise the likelihood times Jeffreys' prior, l + log det(I) / 2: finite under separation, and free of the
    bias away from 0, of order terms/n, that maximum likelihood has.
    """
    b = np.zeros(x.shape[1])
    value, gradient, covariance = _penalised(x, y, b)
    for _ in range(iterations):
        step = covariance @ gradient
        if gradient @ step <= ENOUGH * (1 + abs(value)):
            break
        for share in 0.5 ** np.arange(60):
            found = _penalised(x, y, b + share * step)
            if found[0] > value:
                break
        else:  # rounding hides every rise
            break
        b, (value, gradient, covariance) = b + share * step, found
    return b, covariance


def _penalised(x: Matrix, y: Vector, b: Vector) -> tuple[float, Vector, Matrix]:
    """The penalised log-likelihood, its gradient X'(y - p + h (1/2 - p)), h the leverages, and the inverse of I."""
    scores = x @ b
    p = expit(scores)
    root = np.sqrt(p * expit(-scores))[:, None] * x
    information = root.T @ root
    sign, log_det = np.linalg.slogdet(information)
    if sign <= 0:  # so far out that rounding leaves no information
        return -np.inf, np.zeros_like(b), information
    covariance = _solved(information, np.eye(len(b)))
    leverages = np.einsum("ij,ij->i", root @ covariance, root)
    value = float(y @ scores - np.logaddexp(0, scores).sum() + log_det / 2)
    return value, x.T @ (y - p + leverages * (0.5 - p)), covariance


@dataclass(frozen=True)
class Ridge:
    """A multinomial logit with a column of coefficients for every category, the first included.

    They sum to 0 over the categories. Slopes are penalised by PRIOR / 2 times their squares, so they are finite under
    separation; intercepts are free.
    """

    terms: Matrix
    coefficients: Matrix
    probabilities: Matrix
    penalised: float
    """the log-likelihood less the penalty"""

    def solved(self, right: Matrix, tolerance: float = 1e-8) -> Matrix:
        """The inverse of the penalised information times something, by conjugate gradients.

        The information has (terms × categories)² elements and is never written down, but for its blocks on the
        diagonal: what they leave to do takes few steps.
        """
        solution, left = np.zeros_like(right), _contrasts(right)
        blocks = self._inverse_blocks()
        direction = scaled = _by_block(blocks, left)
        size = first = float((left * scaled).sum())
        for _ in range(CONJUGATE):
            if size <= tolerance**2 * first + TINY:
                break
            image = self._information_times(direction)
            share = size / (direction * image).sum()
            solution = solution + share * direction
            left = left - share * image
            scaled = _by_block(blocks, left)
            size, before = float((left * scaled).sum()), size
            direction = scaled + size / before * direction
        return solution

    def _information_times(self, step: Matrix) -> Matrix:
        x, p = self.terms, self.probabilities
        moved = p * (x @ step)
        moved -= p * moved.sum(axis=1, keepdims=True)
        return np.asarray(x.T @ moved + _ridge(x) * step)

    def _inverse_blocks(self) -> Matrix:
        """Of every category's X' diag(p (1 - p)) X and the ridge: category × term × term."""
        x, penalty = self.terms, np.diag(_ridge(self.terms)[:, 0])
        blocks = np.empty((self.probabilities.shape[1], x.shape[1], x.shape[1]))
        for block, p in zip(blocks, self.probabilities.T, strict=True):
            root = np.sqrt(p * (1 - p))[:, None] * x
            block[:] = _solved(root.T @ root + penalty + TINY * np.eye(len(penalty)), np.eye(len(penalty)))
        return blocks

    def draw(self, rng: np.random.Generator) -> Matrix:
        """Coefficients from the normal approximation of their posterior, whose covariance is the inverse information.

        Its draws are the inverse times draws with the information as covariance, which are made of one a record and
        category: terms that LAPACK turns or reflects then make no other release.
        """
        x, p = self.terms, self.probabilities
        likelihood, prior = rng.standard_normal((2, *p.shape))
        rooted = np.sqrt(p) * likelihood
        seen = x.T @ (rooted - p * rooted.sum(axis=1, keepdims=True))
        return self.coefficients + self.solved(seen + np.sqrt(_ridge(x) / len(x)) * (x.T @ prior))


CONJUGATE = 500
"""Steps of conjugate gradients, at most."""


def _by_block(blocks: Matrix, columns: Matrix) -> Matrix:
    """Every category's block times its column, less what all have in common."""
    return _contrasts((blocks @ columns.T[:, :, None])[:, :, 0].T)


def _contrasts(columns: Matrix) -> Matrix:
    """Coefficients that sum to 0 over the categories: what all have in common changes no probability."""
    return np.asarray(columns - columns.mean(axis=1, keepdims=True))


def _ridge(x: Matrix) -> Matrix:
    """The penalty of every term, as a column: none of the intercept."""
    return np.where(np.arange(x.shape[1]) > 0, PRIOR, 0.0)[:, None]


def ridge(x: Matrix, shares: Matrix, start: Matrix | None = None, iterations: int = 100) -> Ridge:
    """The penalised maximum, by Newton steps, of multinomial shares given uncorrelated terms x, first the intercept."""
    if start is None:
        start = np.zeros((x.shape[1], shares.shape[1]))
        start[0] = np.log(shares.mean(axis=0))
    model = _ridge_at(x, shares, _contrasts(start))
    for _ in range(iterations):
        gradient = x.T @ (shares - model.probabilities) - _ridge(x) * model.coefficients
        step = model.solved(gradient, tolerance=1e-2)
        enough = (gradient * step).sum() <= ENOUGH * (1 + abs(model.penalised))
        before, model = model, _highest(model, shares, step)
        if enough or model is before:
            break
    return model


def _highest(model: Ridge, shares: Matrix, step: Matrix) -> Ridge:
    """The highest of step, step/2, step/4...: a rare category's may overshoot, rise a little, and overshoot again."""
    best = model
    for share in 0.5 ** np.arange(60):
        found = _ridge_at(model.terms, shares, model.coefficients + share * step)
        if found.penalised > best.penalised:
            best = found
        elif best is not model:
            break
    return best


def _ridge_at(x: Matrix, shares: Matrix, b: Matrix) -> Ridge:
    scores = x @ b
    log_p = scores - log_sum_exp(scores)
    return Ridge(x, b, np.exp(log_p), float((shares * log_p).sum() - (_ridge(x) * b**2).sum() / 2))


def softmax(scores: Matrix) -> Matrix:
    """Probabilities of categories, one a column."""
    return np.asarray(np.exp(scores - log_sum_exp(scores)))


def drawn(p: Matrix, rng: np.random.Generator) -> Indices:
    """A category for every row of probabilities."""
    chosen: Indices = (rng.random((len(p), 1)) >= p.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return chosen


def intercepts(frequencies: Vector, scores: Matrix, iterations: int = 200) -> Vector:
    """Those under which the mean probabilities of categories with these scores are the frequencies.

    They maximise a concave function, frequencies × intercepts less the mean log of the summed exponentials.
    """

    def value(a: Vector) -> float:
        return float(frequencies @ a - log_sum_exp(scores + a).mean())

    a = np.log(frequencies)
    for _ in range(iterations):
        p = softmax(scores + a)
        off = frequencies - p.mean(axis=0)
        if (np.abs(off) <= 1e-10 * frequencies).all():
            break
        information = np.diag(p.mean(axis=0)) - p.T @ p / len(p) + 1 / len(a)  # all may rise alike: that is held
        scale = np.sqrt(frequencies)  # or what is rare drowns
        step = _solved(information / np.outer(scale, scale) + RIDGE * np.eye(len(a)), off / scale) / scale
        now = value(a)
        share = next((share for share in 0.5 ** np.arange(60) if value(a + share * step) > now), 0.0)
        if not share:  # rounding hides every rise
            break
        a = a + share * step
    return a


def raked(p: Matrix, shares: Matrix, groups: Sequence[Mask], rounds: int = 30) -> Matrix:
    """Probabilities of categories of which every group of records has the mean that its shares have.

    Iterative scaling (Darroch & Ratcliff 1972): in every group a category's probabilities are multiplied by what its
    mean lacks, and those of a record made to sum to 1 again, so that odds inside a group stay as they were. A category
    that a group lacks it does not get. Groups that overlap are seen to in turn.
    """
    p = p.copy()
    members = [np.flatnonzero(group) for group in groups]
    wanted = [shares[each].mean(axis=0) for each in members]
    for _ in range(rounds):
        for each, mean in zip(members, wanted, strict=True):
            scaled = p[each] * (mean / np.maximum(p[each].mean(axis=0), TINY))
            p[each] = scaled / scaled.sum(axis=1, keepdims=True)
    return p
