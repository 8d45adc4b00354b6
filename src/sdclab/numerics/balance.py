"""Numbers brought inside bounds without losing what a regression on other attributes tells of them.

Clipping moves means: what lay below a bound is raised to it. Here all numbers are first moved by a linear function of
the regressors, found so that after clipping every regressor has the sum of products with them that it had before. So
means, also those inside the categories of a nominal regressor, and covariances with the regressors are kept.
"""

import numpy as np

from sdclab.numerics.arrays import Matrix, Vector

STEPS = 50
"""Of Newton's method; it needs about five, since what it solves is linear but for kinks."""

ENOUGH = 1e-10
"""Of the length of the numbers: what then is still missing of a sum of products is rounding."""

DAMPING = 1e-6
"""Keeps a step finite along regressors of which every number lies at a bound."""


def balanced(values: Vector, basis: Matrix, low: float, high: float) -> Vector:
    """clip(values + basis b), with basis' clip(values + basis b) = basis' values for an orthonormal basis.

    The equation is the gradient of a convex function of b, whose second derivative is basis' D basis with D = 1 for the
    numbers inside the bounds. Where it has no solution (a mean that lies beyond a bound) the steps end where they are.
    """
    target = basis.T @ values
    at = np.zeros(basis.shape[1])
    size = ENOUGH * float(np.linalg.norm(values))
    made, missing = _clipped(values, basis, at, low, high, target)
    for _ in range(STEPS):
        if np.linalg.norm(missing) <= size:
            break
        moved = values + basis @ at
        inside = (moved > low) & (moved < high)
        curvature = basis[inside].T @ basis[inside] + DAMPING * np.eye(len(at))
        step = np.linalg.solve(curvature, missing)
        for scale in 0.5 ** np.arange(20):
            nearer, left = _clipped(values, basis, at + scale * step, low, high, target)
            if np.linalg.norm(left) < np.linalg.norm(missing):
                at, made, missing = at + scale * step, nearer, left
                break
        else:
            break
    return made


def _clipped(
    values: Vector, basis: Matrix, at: Vector, low: float, high: float, target: Vector
) -> tuple[Vector, Vector]:
    """The numbers inside the bounds, and what is missing of the sums of products."""
    made = np.clip(values + basis @ at, low, high)
    return made, target - basis.T @ made
