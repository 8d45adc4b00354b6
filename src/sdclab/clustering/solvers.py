"""Solving many small symmetric systems X'DX b = X'Dy at once, singular ones included.

Cano & Torra (2009) write an inverse (equation 2); Cano (2009), section 2.6, a generalised one for singular
matrices. Least squares proper is `lstsq`.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Solver = Literal["lstsq", "inverse", "one_inverse"]
ZeroTest = Literal["relative", "exact"]
Systems = NDArray[Any]

CUT = 1e-12
"""Eigenvalues below this share of the largest count as zero."""

NOISE = 1e-10
"""What is left of a sum is rounding below this share of its terms."""


def solve(grams: Systems, sides: Systems, solver: Solver, zero_test: ZeroTest) -> Systems:
    """Solutions of grams (systems × s × s) against sides (systems × s × t)."""
    if solver == "lstsq":
        return _least_squares(grams, sides)
    with np.errstate(all="ignore"):  # what an inverse makes of a singular matrix is the point of these two
        inverses = _inverses(grams) if solver == "inverse" else one_inverse(grams, zero_test)
        solutions = inverses @ sides
    return np.where(np.isfinite(solutions), solutions, 0.0)


def _least_squares(grams: Systems, sides: Systems) -> Systems:
    """The solution of least norm, by the eigenvalues that are not zero."""
    values, vectors = np.linalg.eigh(grams)
    kept = values > CUT * values[:, -1:]
    inverted = np.where(kept, 1 / np.where(kept, values, 1.0), 0.0)
    coordinates = vectors.transpose(0, 2, 1) @ sides
    return vectors @ (inverted[:, :, None] * coordinates)


def _inverses(grams: Systems) -> Systems:
    """Inverses by elimination; a matrix with an exactly zero pivot has none and gives zeros."""
    try:
        return np.linalg.inv(grams)
    except np.linalg.LinAlgError:
        return np.stack([_inverse_or_zero(gram) for gram in grams])


def _inverse_or_zero(gram: NDArray[Any]) -> NDArray[Any]:
    try:
        return np.linalg.inv(gram)
    except np.linalg.LinAlgError:
        return np.zeros_like(gram)


def one_inverse(matrices: Systems, zero_test: ZeroTest = "relative") -> Systems:
    """A with A A⁻ A = A: the algorithm of Cano (2009), section 2.6, steps 1 to 7, for a stack of m × n matrices.

    Row by row, the first column of W whose product with the row is not zero becomes a pivot. With `exact` only 0.0
    is zero, as printed, and rounding noise becomes a pivot of a singular matrix; with `relative` a product counts
    as zero when it is rounding noise beside the terms it is the sum of, and so does an entry of W.
    """
    count, m, n = matrices.shape
    w = np.tile(np.eye(n), (count, 1, 1))
    used = np.full((count, n), -1)
    everyone = np.arange(count)
    for i in range(m):
        row = matrices[:, i, :]
        t = np.einsum("ak,akj->aj", row, w)
        size = np.einsum("ak,akj->aj", np.abs(row), np.abs(w)) if zero_test == "relative" else 0.0
        noise = np.abs(t) <= (NOISE * size if zero_test == "relative" else 0.0)
        candidates = ~noise & (used < 0)
        p = candidates.argmax(axis=1)
        found = candidates.any(axis=1)
        pivot = np.where(found, t[everyone, p], 1.0)
        column = w[everyone, :, p] / pivot[:, None]
        t[noise] = 0.0
        t[everyone, p] = 0.0
        taken = column[:, :, None] * t[:, None, :]
        updated = w - taken
        if zero_test == "relative":
            updated[np.abs(updated) <= NOISE * (np.abs(w) + np.abs(taken))] = 0.0
        updated[everyone, :, p] = column
        w = np.where(found[:, None, None], updated, w)
        used[everyone[found], p[found]] = i
    return _placed(w, used, m)


def _placed(w: Systems, used: NDArray[np.int_], m: int) -> Systems:
    """Step 7: the pivot columns of W, each at the place of the row it answered; pivot rows only."""
    count, n = used.shape
    inverse = np.zeros((count, n, m))
    a, p = np.nonzero(used >= 0)
    inverse[a, :, used[a, p]] = np.where(used[a] >= 0, w[a, :, p], 0.0)
    return inverse
