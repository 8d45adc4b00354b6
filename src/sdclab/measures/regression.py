"""Regression: what becomes of the linear regressions of every attribute on all the others.

Oganian & Domingo-Ferrer (2017), section 5, Table 2.
"""

import numpy as np

from sdclab.base.describe import Number
from sdclab.numerics.arrays import Matrix, Vector
from sdclab.numerics.linalg import RELATIVE_RANK, centred, residuals, standardised
from sdclab.numerics.ties import NOISE

NUMBERS = {
    f"{part}_change_{average}": Number(f"{average} change of the {name}", "loss", 0, unit="%", better="less")
    for part, name in (("coefficient", "regression slopes"), ("error", "slopes' standard errors"))
    for average in ("mean", "median")
}


def measure(original: Matrix, protected: Matrix, independent: Matrix) -> dict[str, float]:
    """Mean and median percentage change of the slopes and of their standard errors, over all regressions.

    Every attribute, the independents too, is regressed with intercept on all the others. Intercepts do not count:
    they depend on where an attribute's zero is. An attribute that is, in the original, an exact linear function of
    those before it is left out: its regression has no error, and beside it the others' slopes are not identified. Where
    the release alone has such a relation, its slopes are the shortest in units of the original's SD. NaN for a
    single attribute.
    """
    before, after = (np.column_stack([part, independent]) for part in (original, protected))
    mean, spread = before.mean(axis=0), before.std(axis=0)
    factor, new_factor = (factor_of(standardised(x, mean, spread)) for x in (before, after))
    kept = unrelated(factor)
    slopes, errors = _regressions(factor[:, kept], len(before))
    new_slopes, new_errors = _regressions(new_factor[:, kept], len(after))
    return {
        **averages("coefficient_change", percentage_change(slopes, new_slopes)),
        **averages("error_change", percentage_change(errors, new_errors)),
    }


def percentage_change(before: Matrix, after: Matrix) -> Matrix:
    """100 |after - before| / |before|: what stays is no change, and any change of 0 is infinite."""
    change = np.abs(after - before)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(change == 0, 0.0, 100 * change / np.abs(before))


def averages(name: str, values: Matrix) -> dict[str, float]:
    """Mean and median under a common name; NaN where there is nothing to average."""
    mean, median = (float(np.mean(values)), float(np.median(values))) if values.size else (np.nan, np.nan)
    return {f"{name}_mean": mean, f"{name}_median": median}


def factor_of(x: Matrix) -> Matrix:
    """The triangular R with R'R = X'X of the centred x: all that least squares needs, without the records."""
    return np.linalg.qr(centred(x)).R


def unrelated(x: Matrix) -> list[int]:
    """The columns that are no linear function of those before them."""
    basis, kept = np.empty((len(x), 0)), []
    for j, column in enumerate(x.T):
        rest = residuals(basis, column)
        size = np.linalg.norm(rest)
        if size > RELATIVE_RANK * np.linalg.norm(column):
            basis = np.column_stack([basis, rest / size])
            kept.append(j)
    return kept


def _regressions(x: Matrix, records: int) -> tuple[Matrix, Matrix]:
    """The slopes and standard errors of every column on the others, a row a regression."""
    p = x.shape[1]
    slopes, errors = np.empty((2, p, max(p - 1, 0)))
    for j in range(p):
        slopes[j], errors[j] = least_squares(np.delete(x, j, axis=1), x[:, j], records)
    return slopes, errors


def least_squares(x: Matrix, y: Vector, records: int) -> tuple[Vector, Vector]:
    """The slopes of least length and their standard errors; one degree of freedom went with the means."""
    u, s, axes = np.linalg.svd(x, full_matrices=False)
    found = s > RELATIVE_RANK * s.max(initial=0.0)
    inverse = axes[found].T / s[found]
    slopes = inverse @ (u[:, found].T @ y)
    slopes[np.abs(slopes) <= NOISE * (1 + np.linalg.norm(slopes))] = 0.0  # in SDs, so that much is rounding
    variance = np.sum((y - x @ slopes) ** 2) / (records - 1 - found.sum())
    return slopes, np.sqrt(variance * np.sum(inverse**2, axis=1))
