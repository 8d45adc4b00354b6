"""FCRM: synthetic data by fuzzy c-regression.

Hathaway & Bezdek (1993), Switching regression models and fuzzy clustering; Cano & Torra (2009), sections II.C and
III; Cano (2009), section 4. What both name as future work, a network of radial basis functions in place of the linear
model, is `basis: rbf`.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import reduce
from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc
from sdclab.base.errors import SdclabError
from sdclab.base.progress import each_of
from sdclab.clustering.fcm import (
    check_clusters,
    check_fuzziness,
    fcm,
    fuzzy_power,
    memberships,
    parts_of,
    random_records,
)
from sdclab.clustering.radial import nearness
from sdclab.clustering.solvers import Solver, ZeroTest, solve
from sdclab.methods import Release
from sdclab.numerics.arrays import Indices, Mask, Matrix, Stack, Vector
from sdclab.numerics.linalg import centred_basis, orthonormal_basis, with_intercept
from sdclab.numerics.ties import NOISE, largest_of

RELEASES = "predictions of c fuzzy regression models"
KEEPS = "nothing exactly; more the larger c"

FLOOR = 1e-100
"""What an error of zero is replaced by (step 3)."""

Label = Literal["argmax", "drawn", "x", "x_drawn", "weighted", "start"]

Place = Literal["first", "last"]

GRID = {"c": [2, 3, 5, 8, 12, 20, 30]}


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    c: Annotated[int, Doc("the number of clusters, each with its regression model, from 1 to the number of records")],
    dependents: Annotated[
        Literal["separate", "joint"],
        Doc("c models for each dependent by itself, or one set of c models for all of them, the paper's text"),
    ] = "separate",
    basis: Annotated[
        Literal["linear", "rbf"],
        Doc("what a model is linear in: the independents, as published, or radial basis functions of them"),
    ] = "linear",
    centres: Annotated[
        int, Doc("of clusters of the independents, for basis rbf and for a label by x: radial basis functions, at most")
    ] = 10,
    width: Annotated[
        float, Doc("of the radial basis functions, in mean distances of a centre to the nearest other, above 0")
    ] = 1.0,
    ridge: Annotated[
        float,
        Doc("for basis rbf, the share of its predictions' variance that a model's errors have added; 0: none"),
    ] = 0.001,
    label: Annotated[
        Label,
        Doc(
            "the model that releases a record: that of its largest membership, as published, or one drawn by its "
            "memberships; or the same by the mean memberships of records near it in the independents, whatever its own "
            "dependents are; weighted: all models, their predictions weighted by its memberships; start: that of its "
            "largest membership in the start partition, before any regression"
        ),
    ] = "argmax",
    intercept: Annotated[
        bool, Doc("whether linear models have one; the paper's equation 2 has none, and rbf always has")
    ] = True,
    intercept_place: Annotated[
        Place,
        Doc(
            "the column of ones as the first or the last regressor; it matters for the solvers inverse and one_inverse "
            "alone, where rounding noise decides on a singular X'DX"
        ),
    ] = "first",
    solver: Annotated[
        Solver,
        Doc(
            "of the weighted normal equations: least squares, safe for a singular X'DX, the inverse of equation 2 to "
            "the letter, or the generalised inverse of the thesis' section 2.6; the last two for basis linear"
        ),
    ] = "lstsq",
    zero_test: Annotated[
        ZeroTest,
        Doc("for one_inverse, when a pivot counts as zero: if it is rounding noise, or only 0.0, as printed"),
    ] = "relative",
    start: Annotated[
        Literal["x", "y", "both"],
        Doc(
            "what the fuzzy c-means that gives the first partition looks at, in the units of scale: independents, "
            "dependents or both; without independents y, whatever is said"
        ),
    ] = "x",
    scale: Annotated[
        Literal["raw", "z", "minmax"],
        Doc(
            "the units of dependents and independents, for the start partition, the regressions and their errors: the "
            "file's own, mean 0 and population SD 1, or from 0 to 1; the release is in the file's own"
        ),
    ] = "raw",
    m: Annotated[float, Doc("fuzziness, above 1")] = 1.5,
    r_max: Annotated[int, Doc("iterations at most, of the start too")] = 30,
    epsilon: Annotated[float, Doc("the largest change of a membership that counts as none, at the start too")] = 1e-5,
) -> Release:
    """Replace every record's dependents by the prediction of the regression model it belongs to most."""
    check_fcrm(c, m, r_max, len(dependent))
    _check_basis(basis, solver, centres, width, ridge)
    if dependent.shape[1] == 0:
        raise SdclabError("method fcrm: there is no dependent attribute to protect.")
    if independent.shape[1] == 0 and not intercept:
        raise SdclabError("method fcrm: without an intercept at least one independent attribute is needed.")
    units = None
    if scale != "raw":
        units, independent = Units.of(dependent, scale), Units.of(independent, scale).scaled(independent)
        dependent = units.scaled(dependent)
    first = start_partition(dependent, independent, rng, c=c, start=start, m=m, r_max=r_max, epsilon=epsilon)
    targets = dependent.T[:, :, None] if dependents == "separate" else dependent[None]
    starts = np.broadcast_to(first, (len(targets), *first.shape))
    if basis == "linear":
        x, ridge = design(independent, intercept, solver, intercept_place), 0.0
    else:
        x = centred_basis(nearness(independent, centres, width))
    found = fit(x, targets, starts, ridge=ridge, solver=solver, zero_test=zero_test, m=m, r_max=r_max, epsilon=epsilon)
    u = starts if label == "start" else found.memberships
    if label.startswith("x"):
        u = nearby(u, nearness(independent, centres, width))
    if label == "weighted":
        values = weighted(x, found)
    else:
        values = generate(x, found, drawn(u, rng) if label.endswith("drawn") else most_likely(u))
    released = values[:, :, 0].T if dependents == "separate" else values[0]
    facts = {
        "objective": float(found.objective.sum()),
        "last_change": float(found.last_change.max()),
        "iterations": float(found.iterations.max()),
    }
    return Release(units.restored(released) if units else released, facts)


@dataclass(frozen=True)
class Units:
    """What one is, and where zero lies, in each column of a file."""

    zero: Vector
    one: Vector
    """0: the column is constant, to rounding"""

    @classmethod
    def of(cls, x: Matrix, scale: str) -> "Units":
        """For scale z the mean and the population SD, for minmax the smallest value and the range."""
        zero, one = (x.mean(axis=0), x.std(axis=0)) if scale == "z" else (x.min(axis=0), np.ptp(x, axis=0))
        return cls(zero, np.where(one > NOISE * np.abs(x).max(axis=0), one, 0.0))

    def scaled(self, x: Matrix) -> Matrix:
        """The columns in these units; a constant becomes 0."""
        return np.where(self.one > 0, (x - self.zero) / np.where(self.one > 0, self.one, 1.0), 0.0)

    def restored(self, x: Matrix) -> Matrix:
        """Columns in these units in those of the file."""
        return self.zero + self.one * x


def check_fcrm(c: int, m: float, r_max: int, n: int) -> None:
    check_clusters(c, n)
    check_fuzziness(m)
    if r_max < 1:
        raise SdclabError(f"r_max is {r_max} but must be at least 1.")


def _check_basis(basis: str, solver: Solver, centres: int, width: float, ridge: float) -> None:
    if basis == "rbf" and solver != "lstsq":
        raise SdclabError(f"solver is {solver} but must be lstsq for basis rbf.")
    if centres < 1:
        raise SdclabError(f"centres is {centres} but must be at least 1.")
    if width <= 0:
        raise SdclabError(f"width is {width:g} but must be greater than 0.")
    if ridge < 0:
        raise SdclabError(f"ridge is {ridge:g} but must not be negative.")


def start_partition(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    c: int,
    start: str = "x",
    m: float = 1.5,
    r_max: int = 30,
    epsilon: float = 1e-5,
) -> Matrix:
    """Step 1: memberships (cluster × record) by fuzzy c-means from random records, in the units they come in.

    The papers give one stopping rule, for the regressions; it serves here too.
    """
    seen = {"x": independent, "y": dependent, "both": np.column_stack([independent, dependent])}[start]
    if independent.shape[1] == 0:
        seen = dependent
    centres = random_records(seen, c, rng)
    return fcm(seen, centres[None], rng, m=m, epsilon=epsilon, max_iterations=r_max)[0].memberships


def design(independent: Matrix, intercept: bool, solver: Solver, place: Place = "first") -> Matrix:
    """The regressors. Least squares may choose its own basis of their span; an inverse is of X'DX as it is.

    Where X'DX is singular rounding noise decides what an inverse is (Table III), and so does the ones' place.
    """
    if not intercept and not independent.any():
        raise SdclabError("method fcrm: without an intercept an independent attribute that is not constant is needed.")
    if solver == "lstsq":
        return centred_basis(independent) if intercept else orthonormal_basis(independent)
    if intercept and place == "last":
        return np.column_stack([independent, np.ones(len(independent))])
    return with_intercept(independent) if intercept else independent


@dataclass(frozen=True)
class Fit:
    """c regression models for each of several problems."""

    coefficients: Stack
    """problem × cluster × regressor × dependent"""
    memberships: Stack
    """problem × cluster × record"""
    objective: Vector
    last_change: Vector
    iterations: Vector


def fit(
    x: Matrix,
    targets: Stack,
    starts: Stack,
    *,
    ridge: float = 0.0,
    solver: Solver = "lstsq",
    zero_test: ZeroTest = "relative",
    m: float = 1.5,
    r_max: int = 30,
    epsilon: float = 1e-5,
) -> Fit:
    """Steps 2 to 4 for many problems at once: dependents, replicates or both; each stops by itself.

    Targets are problem × record × dependent, starts problem × cluster × record. With a ridge x must be a
    `centred_basis`: the error E_ik of record k has then the share `ridge` of the variance of model i's predictions in
    the file added to it, the same for every basis of the span.
    """
    problems, c = len(targets), starts.shape[1]
    found = Fit(
        np.zeros((problems, c, x.shape[1], targets.shape[2])),
        np.empty(starts.shape),
        *(np.zeros(problems) for _ in range(3)),
    )
    equations = _Equations(x, targets, ridge, parts_of(len(x), problems * c))
    running, u = np.arange(problems), [starts[:, :, part] for part in equations.parts]
    sums = equations.summed(u, m)
    for r in each_of(range(1, r_max + 1), "regressions"):
        beta = equations.solved(sums, solver, zero_test)
        sums, change = equations.updated(beta, u, m)
        going = (change > epsilon) & (r < r_max)
        if going.all():
            continue
        stop = running[~going]
        found.coefficients[stop], found.last_change[stop], found.iterations[stop] = beta[~going], change[~going], r
        ended = equations.only(~going)
        for i, part in enumerate(equations.parts):
            found.memberships[stop, :, part], u[i] = u[i][~going], u[i][going]
            found.objective[stop] += ended.objective(beta[~going], found.memberships[stop, :, part], m, part)
        if not going.any():
            break
        running, equations, sums = running[going], equations.only(going), tuple(each[going] for each in sums)
    return found


def _largest_change(updated: Stack, u: Stack) -> Vector:
    """The largest change of a membership, for each problem."""
    difference = updated - u
    np.abs(difference, out=difference)
    return difference.max(axis=(1, 2))


Sums = tuple[Stack, ...]
"""Of every model (problem × cluster): X'DX on and above its diagonal, X'Dy, and the sum of D."""


class _Equations:
    """The weighted normal equations: products of regressors once and for all, then one matrix product an iteration.

    Long files are gone through part by part: of what is as large as the memberships, they alone are kept.
    """

    def __init__(self, x: Matrix, targets: Stack, ridge: float, parts: Sequence[slice]) -> None:
        self.x, self.targets, self.ridge, self.parts = x, targets, ridge, parts
        self.upper = np.triu_indices(x.shape[1])
        self.squares = x[:, self.upper[0]] * x[:, self.upper[1]]
        products = x[None, :, :, None] * targets[:, :, None, :]
        self.products = products.reshape(len(targets), len(x), -1)

    def only(self, problems: Mask) -> "_Equations":
        """The equations of some of the problems."""
        if problems.all():
            return self
        chosen = copy(self)
        chosen.targets, chosen.products = self.targets[problems], self.products[problems]
        return chosen

    def summed(self, u: Sequence[Stack], m: float) -> Sums:
        """What the equations need of these memberships."""
        return reduce(_added, (self._sums(fuzzy_power(u[i], m), part) for i, part in enumerate(self.parts)))

    def solved(self, sums: Sums, solver: Solver, zero_test: ZeroTest) -> Stack:
        """Step 2: the coefficients that minimise the weighted errors of each cluster (equation 2)."""
        above, sides, totals = sums
        problems, c = totals.shape
        s, t = self.x.shape[1], self.targets.shape[2]
        grams = np.empty((problems, c, s, s))
        grams[:, :, self.upper[0], self.upper[1]] = above
        grams[:, :, self.upper[1], self.upper[0]] = above
        if self.ridge:
            beside_intercept = np.arange(1, s)
            grams[:, :, beside_intercept, beside_intercept] += self.ridge * (totals / len(self.x))[:, :, None]
        found = solve(grams.reshape(-1, s, s), sides.reshape(-1, s, t), solver, zero_test)
        return found.reshape(problems, c, s, t)

    def updated(self, beta: Stack, u: list[Stack], m: float) -> tuple[Sums, Vector]:
        """Step 3: new memberships, into u; what the equations need of them, and the largest change."""
        total: Sums | None = None
        change = np.zeros(len(beta))
        for i, part in enumerate(self.parts):
            updated = memberships(self._errors(beta, part), m)
            np.maximum(change, _largest_change(updated, u[i]), out=change)
            u[i] = updated
            sums = self._sums(fuzzy_power(updated, m), part)
            total = sums if total is None else _added(total, sums)
        assert total is not None  # there is always a part
        return total, change

    def objective(self, beta: Stack, u: Stack, m: float, part: slice) -> Vector:
        """What a part of the records adds to what models and memberships minimise, problem by problem."""
        return np.asarray(np.einsum("pik,pik->p", fuzzy_power(u, m), self._errors(beta, part)))

    def _sums(self, weights: Stack, part: slice) -> Sums:
        """What a part of the records adds."""
        problems, c, n = weights.shape
        above = weights.reshape(-1, n) @ self.squares[part]
        return above.reshape(problems, c, -1), weights @ self.products[:, part], weights.sum(axis=2)

    def _errors(self, beta: Stack, part: slice) -> Stack:
        """E_ik: squared distance of record k from the prediction of model i, summed over the dependents."""
        errors = reduce(np.add, (self._squared_error(beta, j, part) for j in range(beta.shape[3])))
        if self.ridge:
            errors += self.ridge * np.square(beta[:, :, 1:]).sum(axis=(2, 3))[:, :, None] / len(self.x)
        return np.maximum(errors, FLOOR)

    def _squared_error(self, beta: Stack, j: int, part: slice) -> Stack:
        problems, c, s, _ = beta.shape
        difference = (beta[:, :, :, j].reshape(-1, s) @ self.x[part].T).reshape(problems, c, -1)
        difference -= self.targets[:, None, part, j]
        return np.multiply(difference, difference, out=difference)


def _added(some: Sums, more: Sums) -> Sums:
    return tuple(a + b for a, b in zip(some, more, strict=True))


def nearby(u: Stack, near: Matrix) -> Stack:
    """The memberships that records have on average where a record lies: smoothed over the centres of `nearness`.

    A function of the independents alone: records that are equal there have equal ones.
    """
    at_centres = u @ (near / near.sum(axis=0))
    return np.asarray(at_centres @ near.T)


def most_likely(u: Stack) -> Indices:
    """The model to which a record belongs most, in every problem."""
    parts = parts_of(u.shape[2], u.shape[0] * u.shape[1])
    return np.concatenate([largest_of(u[:, :, part], axis=1) for part in parts], axis=1)


def drawn(u: Stack, rng: np.random.Generator) -> Indices:
    """A model for every record, drawn by its memberships, in every problem by itself."""
    upto = u.cumsum(axis=1)[:, :-1]
    return np.asarray((upto <= rng.random((len(u), 1, u.shape[2]))).sum(axis=1))


def generate(x: Matrix, found: Fit, labels: Indices | None = None) -> Stack:
    """The prediction of every record's model: problem × record × dependent (section III).

    If no labels are given it is that of the arg-max cluster.
    """
    labels = most_likely(found.memberships) if labels is None else labels
    chosen = np.take_along_axis(found.coefficients, labels[:, :, None, None], axis=1)
    return np.einsum("ks,pkst->pkt", x, chosen)


def weighted(x: Matrix, found: Fit) -> Stack:
    """The predictions of all models, weighted by every record's memberships u_ik: problem × record × dependent.

    Memberships sum to 1, so a record lies between the smallest and the largest of its predictions. The papers release
    the arg-max model's alone.
    """
    return np.asarray(np.einsum("pik,pikt->pkt", found.memberships, x @ found.coefficients))
