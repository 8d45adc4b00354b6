"""Calibrated synthesis: marginals that show nobody, relations drawn in normal scores, and exact moments.

A combination of known parts: IPSO (Burridge 2003) and RegSDC, data shuffling (Muralidhar & Sarathy 2006) and normal
copulas, the rank transformation of Iman & Conover (1982), synthesis inside MDAV clusters (Domingo-Ferrer &
González-Nicolás 2010), radial basis functions in the model (Cano & Torra 2009, section V, as future work), calibration.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from scipy.special import ndtri

from sdclab.base.describe import Doc, Given
from sdclab.base.errors import SdclabError
from sdclab.clustering.blocks import blocks
from sdclab.clustering.radial import nearness
from sdclab.methods import Release, hybrid_micro, mdav
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector
from sdclab.numerics.balance import balanced
from sdclab.numerics.calibration import Moments, calibrated, moment_error
from sdclab.numerics.linalg import centred, centred_basis, fitted, residuals, same_gram
from sdclab.numerics.targets import Target, target
from sdclab.numerics.ties import ascending, equated, mean_ranks

RELEASES = "ranks drawn in normal scores given X, with the file's smoothed marginals"
KEEPS = "means and all covariances of Y and X; point masses, signs and ranges while `how` is at most 1"
GRID = {"delta": [0.5, 0.8, 1.0], "strength": [0.5, 1.0]}

LINEAR = 1e-9
"""A dependent of which a regression on those before it leaves less than this share of an SD is a function of them."""

LONG = 5000
"""Longer files are clustered in blocks, or MDAV would take most of the time."""

ROUNDS = 3
"""Of exact moments and targets in turn."""

TRIES = 3
"""Of the calibration, each from new ranks."""

FREED = (0.0, 0.02, 0.05, 0.2, 1.0)
"""Shares of the atom cells that may move, tried in turn until the moments can be made exact."""

LEAST = 1e-6
"""The least local spacing, in SDs: values that are equal without being atoms may move a little."""

MANY = 20
"""Records to a radial basis function, at least."""

NEIGHBOURS = 2
"""Ranks to either side over which the local spacing of the targets is taken."""


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    delta: Annotated[float, Doc("the share of local residuals in the noise, from 0 to 1; the rest is normal")] = 0.8,
    k: Annotated[int, Doc("records behind every value of the released marginals, at least; 2 or more")] = 10,
    cluster: Annotated[int, Doc("records in a cluster in which residuals are synthesised, at least; 2 or more")] = 30,
    block: Annotated[int, Doc("neighbours in X among whom residuals change hands, at least; 2 or more")] = 30,
    centres: Annotated[int, Doc("radial basis functions of X in the model, at most; 0 for a linear model")] = 8,
    strength: Annotated[float, Doc("how far values follow the file's marginals, from 0, not at all, to 1")] = 1.0,
    closeness: Annotated[
        float, Doc("the share of a record's own residual, from 0 to 1; above 0 it gives away who was in the file")
    ] = 0.0,
    keep: Annotated[
        Literal["moments", "bounds"], Doc("what is kept exactly where both cannot be: all moments, or signs and ranges")
    ] = "moments",
    columns: Annotated[Attributes | None, Given()] = None,
) -> Release:
    """Draw ranks in normal scores given X, give them the file's smoothed marginals, and make all moments exact.

    Means, covariances of dependents with each other and with independents, and linear identities are exact; so are
    point masses, signs and ranges while `how` is at most 1.
    """
    _check(len(dependent), delta, k, cluster, block, centres, strength, closeness)
    free = _Free.of(dependent, independent)
    if not free.columns.size:
        return Release(free.restored(dependent[:, :0], independent), {"how": 0, "freed": 0, "moment_error": 0.0})
    y = dependent[:, free.columns]
    marginals = _Marginals.of(y, k, _domains(y, columns, free.columns), rng)
    noise = _Noise(delta, closeness, cluster, block, centres)
    moments = Moments.of(marginals.standardised(y), independent)
    placed = marginals.placed(noise.drawn(y, independent, rng))
    for _ in range(ROUNDS):
        placed = marginals.placed(moments.nearest(placed.values, rng), strength)
    ended = _exact(placed, marginals, moments, strength, keep, rng)
    values = ended.values
    if columns is not None:
        counts = [j for j, at in enumerate(free.columns) if columns.dependent[at].type == "count"]
        values[:, counts] = whole(values[:, counts], neighbours(normal_scores(independent), block), rng)
    released = free.restored(values, independent)
    error = moment_error(dependent, released, independent)
    return Release(released, {"how": ended.how, "freed": ended.freed, "moment_error": error})


def _check(
    n: int, delta: float, k: int, cluster: int, block: int, centres: int, strength: float, closeness: float
) -> None:
    for name, share in (("delta", delta), ("strength", strength), ("closeness", closeness)):
        if not 0 <= share <= 1:
            raise SdclabError(f"{name} is {share:g} but must lie between 0 and 1.")
    for name, count, least in (("k", k, 2), ("cluster", cluster, 2), ("block", block, 2), ("centres", centres, 0)):
        if count < least:
            raise SdclabError(f"{name} is {count} but must be at least {least}.")
    if n < k:
        raise SdclabError(f"k is {k} but must be at most the number of records, {n}.")


@dataclass(frozen=True)
class _Free:
    """The dependents that are no linear functions of independents and of dependents before them, and the functions."""

    columns: Indices
    coefficients: Matrix
    """of every dependent by an intercept, the independents and the free dependents"""

    @classmethod
    def of(cls, dependent: Matrix, independent: Matrix) -> "_Free":
        free: list[int] = []
        basis = centred_basis(independent)
        deviations = centred(dependent)
        for j, column in enumerate(deviations.T):
            left = residuals(basis, column[:, None])[:, 0]
            if np.linalg.norm(left) > LINEAR * np.linalg.norm(column) and basis.shape[1] < len(dependent):
                free.append(j)
                basis = np.column_stack([basis, left / np.linalg.norm(left)])
        regressors = np.column_stack([independent, dependent[:, free]])
        return cls(np.array(free, dtype=np.intp), _coefficients(regressors, dependent))

    def restored(self, values: Matrix, independent: Matrix) -> Matrix:
        """All dependents from the free ones."""
        made = np.column_stack([np.ones(len(independent)), independent, values]) @ self.coefficients
        made[:, self.columns] = values
        return made


def _coefficients(regressors: Matrix, y: Matrix) -> Matrix:
    """Of a regression with intercept, in the units of the data, whatever their rank and size."""
    mean, spread = regressors.mean(axis=0), regressors.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    slopes = np.linalg.lstsq(centred(regressors) / spread, centred(y), rcond=1e-10)[0] / spread[:, None]
    return np.vstack([y.mean(axis=0) - mean @ slopes, slopes])


def _domains(y: Matrix, columns: Attributes | None, free: Indices) -> tuple[Vector, Vector]:
    """Between which values every column must stay: those of its sign, and of its type if that is known."""
    low = np.where(y.min(axis=0) >= 0, 0.0, -np.inf)
    high = np.where(y.max(axis=0) <= 0, 0.0, np.inf)
    if columns is not None:
        about = [columns.dependent[j] for j in free]
        low = np.maximum(low, [each.low for each in about])
        high = np.minimum(high, [each.high for each in about])
    return low, high


@dataclass(frozen=True)
class _Placed:
    """Values in SDs with targets at their ranks: which are atoms, how easily each moves, and what each target is."""

    values: Matrix
    atoms: Mask
    weights: Matrix
    raw: Matrix


@dataclass(frozen=True)
class _Marginals:
    """The target of every column in its own units, and mean and SD by which it is standardised."""

    targets: tuple[Target, ...]
    mean: Vector
    spread: Vector

    @classmethod
    def of(cls, y: Matrix, k: int, domain: tuple[Vector, Vector], rng: np.random.Generator) -> "_Marginals":
        made = (target(column, k, rng) for column in y.T)
        inside = [Target(np.clip(each.values, *ends), each.atoms) for each, *ends in zip(made, *domain, strict=True)]
        return cls(tuple(inside), y.mean(axis=0), centred(y).std(axis=0))

    def standardised(self, y: Matrix) -> Matrix:
        return np.asarray((y - self.mean) / self.spread)

    def ends(self) -> tuple[Vector, Vector]:
        """The least and the largest value of every column."""
        low, high = (np.array([each.values[end] for each in self.targets]) for end in (0, -1))
        return low, high

    def placed(self, values: Matrix, strength: float = 1.0) -> _Placed:
        """The values, as far as `strength` says those of the targets at their ranks."""
        raw, weights, atoms = np.empty_like(values), np.empty_like(values), np.zeros(values.shape, dtype=bool)
        blended = np.empty_like(values)
        for j, (column, each) in enumerate(zip(values.T, self.targets, strict=True)):
            order = ascending(column)
            raw[order, j] = each.values
            at_rank = (each.values - self.mean[j]) / self.spread[j]
            blended[order, j] = (1 - strength) * column[order] + strength * at_rank
            weights[order, j] = _spacing(np.sort(blended[order, j])) ** 2
            atoms[order, j] = each.atoms & (strength == 1)
        return _Placed(blended, atoms, np.where(atoms, 0.0, weights), raw)


def _spacing(values: Vector) -> Vector:
    """The mean gap between each value and its neighbours, of values in ascending order; never quite 0."""
    ranks = np.arange(len(values))
    above, below = np.minimum(ranks + NEIGHBOURS, len(values) - 1), np.maximum(ranks - NEIGHBOURS, 0)
    return np.maximum((values[above] - values[below]) / np.maximum(above - below, 1), LEAST)


@dataclass(frozen=True)
class _Ended:
    """Values in the file's units, how they became exact, and how many cells of atoms had to move."""

    values: Matrix
    how: int
    freed: int


def _exact(
    placed: _Placed, marginals: _Marginals, moments: Moments, strength: float, keep: str, rng: np.random.Generator
) -> _Ended:
    """Moments made exact: by cells that are no atoms, by some atoms (1), beyond the bounds (2), by an affine map (3).

    With `keep: bounds` the last two are not tried; then only products with independents are kept, where they can be.
    """
    inside = marginals.ends()
    beyond = (np.full(len(inside[0]), -np.inf), np.full(len(inside[0]), np.inf))
    for bounds in (inside, beyond) if keep == "moments" else (inside,):
        low, high = (marginals.standardised(end) for end in bounds)
        for share in FREED if placed.atoms.any() else FREED[:1]:
            for _ in range(TRIES):
                moved = placed.atoms & (rng.random(placed.atoms.shape) < share)
                found = calibrated(placed.values, _freed(placed, moved), moments, low, high)
                if found is not None:
                    values = _restored(found, placed, moved, marginals, bounds)
                    return _Ended(values, 2 if bounds is beyond else int(share > 0), int(moved.sum()))
                placed = marginals.placed(moments.nearest(placed.values, rng), strength)
    if keep == "moments":
        values = marginals.mean + marginals.spread * moments.nearest(placed.values, rng)
        return _Ended(values, 3, int(placed.atoms.sum()))
    low, high = (marginals.standardised(end) for end in inside)
    made = [balanced(column, moments.basis, *ends) for column, *ends in zip(placed.values.T, low, high, strict=True)]
    moved = placed.atoms & (np.column_stack(made) != placed.values)
    return _Ended(_restored(np.column_stack(made), placed, moved, marginals, inside), 2, int(moved.sum()))


def _freed(placed: _Placed, moved: Mask) -> Matrix:
    """The weights of all cells, those of freed atoms being the mean of the others of their column."""
    others = (~placed.atoms).sum(axis=0)
    typical = np.where(others > 0, placed.weights.sum(axis=0) / np.maximum(others, 1), 1.0)
    return np.where(moved, typical, placed.weights)


def _restored(
    values: Matrix, placed: _Placed, moved: Mask, marginals: _Marginals, bounds: tuple[Vector, Vector]
) -> Matrix:
    """In the units of the file: atoms are what they were, and no rounding leads beyond a bound."""
    made = np.clip(marginals.mean + marginals.spread * values, *bounds)
    return np.where(placed.atoms & ~moved, placed.raw, made)


@dataclass(frozen=True)
class _Noise:
    """How records are drawn in normal scores."""

    delta: float
    closeness: float
    cluster: int
    block: int
    centres: int

    def drawn(self, y: Matrix, x: Matrix, rng: np.random.Generator) -> Matrix:
        """What X tells of the scores, and residuals: somebody else's, normal ones, and the own as far as asked."""
        scores, known = normal_scores(y), normal_scores(x)
        regressors = np.column_stack([known, self._radial(known)])
        basis = centred_basis(regressors)
        errors = residuals(basis, scores)
        local = self._local(errors, known, rng)
        normal = _normal(errors, regressors, basis, rng)
        mixed = np.sqrt(self.delta) * local + np.sqrt(1 - self.delta) * normal
        return fitted(basis, scores) + self.closeness * errors + np.sqrt(1 - self.closeness**2) * mixed

    def _radial(self, known: Matrix) -> Matrix:
        """Radial basis functions, of few records fewer: each must be that of many."""
        count = min(self.centres, len(known) // MANY)
        if not known.shape[1] or count < 2:
            return known[:, :0]
        return nearness(known, count)

    def _local(self, errors: Matrix, known: Matrix, rng: np.random.Generator) -> Matrix:
        """Residuals synthesised inside clusters; then nobody keeps the own one: it goes to a neighbour in X."""
        n = len(errors)
        clusters = mdav.clusters(errors, min(self.cluster, n), max(LONG, 2 * self.cluster) if n > LONG else None)
        return hybrid_micro.synthesise(errors, clusters, rng)[deranged(known, self.block, rng)]


def normal_scores(x: Matrix) -> Matrix:
    """The normal quantiles of mid-ranks: equals have one score."""
    ranks = np.column_stack([np.empty((len(x), 0)), *(mean_ranks(equated(column)) for column in x.T)])
    return np.asarray(ndtri((ranks - 0.5) / max(len(x), 1)))


def _normal(errors: Matrix, regressors: Matrix, basis: Matrix, rng: np.random.Generator) -> Matrix:
    """Normal residuals with the covariances of the errors, orthogonal to them if there are records enough."""
    with_errors = centred_basis(np.column_stack([regressors, errors]))
    if with_errors.shape[1] + errors.shape[1] > len(errors):
        return same_gram(errors, basis, rng)
    return same_gram(errors, with_errors, rng, within=False)


def neighbours(points: Matrix, block: int) -> list[Indices]:
    """Blocks of at least so many records that are near in X; without X all are."""
    return blocks(points, 2 * block) if points.shape[1] else [np.arange(len(points))]


def deranged(points: Matrix, block: int, rng: np.random.Generator) -> Indices:
    """Whose place everybody takes: a random cycle in every block of neighbours, so that nobody keeps the own one."""
    taken = np.empty(len(points), dtype=np.intp)
    for part in neighbours(points, block):
        order = rng.permutation(part)
        taken[order] = np.roll(order, 1)
    return taken


def whole(values: Matrix, parts: list[Indices], rng: np.random.Generator) -> Matrix:
    """Whole numbers, each the next below or above, of which every run of records in the order of the parts has the sum
    that it had, but for less than 1: what one lost the next gets. Whole numbers stay.
    """
    order = np.concatenate([rng.permutation(part) for part in parts])
    below = np.floor(values)
    sums = np.cumsum((values - below)[order], axis=0) + rng.random(values.shape[1])
    made = below.copy()
    made[order] += np.diff(np.floor(sums), axis=0, prepend=0.0)
    return made
