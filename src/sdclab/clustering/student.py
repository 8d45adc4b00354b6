"""Multivariate t components of a mixture: densities, what a far record counts, and degrees of freedom.

Peel & McLachlan (2000), Robust mixture modelling using the t distribution; Liu & Rubin (1995), ML estimation of the t
distribution using EM and its extensions, ECM and ECME. The squares below are those of the Mahalanobis distances of
every record (row) from every cluster (column); every cluster has its own degrees of freedom.
"""

import numpy as np
from scipy.special import betaln, gammaln, psi, zeta

from sdclab.numerics.arrays import Matrix, Vector

FEWEST, MOST = 2.1, 200.0
"""Degrees of freedom lie between these: covariances exist, and beyond nobody could tell a t from a normal cluster."""

FIRST = 10.0
"""Degrees of freedom that a fit starts from: neither normal nor without moments."""

STEPS = 3
"""Steps of Newton's method at most in one step of EM, which goes on from where the last one ended."""


def log_densities(squares: Matrix, degrees: Vector, attributes: int) -> Matrix:
    """Logs of the densities, but for the scale matrices' determinants."""
    return np.asarray(_heights(degrees, attributes) - (degrees + attributes) / 2 * np.log1p(squares / degrees))


def _heights(degrees: Vector, attributes: int) -> Vector:
    """Logs of the densities at the centre. `betaln` is exact for large degrees, too."""
    half = attributes / 2
    return np.asarray(gammaln(half) - betaln(degrees / 2, half) - half * np.log(np.pi * degrees))


def pulls(squares: Matrix, degrees: Vector, attributes: int) -> Matrix:
    """The expected precision of every record in every cluster, 1 on average: a far one counts little (their u)."""
    return np.asarray((degrees + attributes) / (degrees + squares))


def likelier_degrees(squares: Matrix, shares: Matrix, degrees: Vector, attributes: int) -> Vector:
    """Degrees of freedom under which no cluster is less likely, given its shares of the records: the mode, or near it.

    As in ECME the t density itself is looked at, not that of its normal and gamma parts, by which EM would hardly move.
    Newton's method in 1 / degrees, where normal is a place like any other; a step that would lose is halved instead.
    """
    shares = shares / shares.sum(axis=0)
    value, step = _value_and_step(squares, shares, degrees, attributes)
    for _ in range(STEPS):
        tried = 1 / (1 / degrees + step)
        reached, further = _value_and_step(squares, shares, tried, attributes)
        gains = reached > value
        degrees, value = np.where(gains, tried, degrees), np.where(gains, reached, value)
        step = np.where(gains, further, step / 2)
    return degrees


def _value_and_step(squares: Matrix, shares: Matrix, degrees: Vector, attributes: int) -> tuple[Vector, Vector]:
    """The mean log-density of every cluster, and Newton's step in 1 / degrees, within bounds and always uphill."""

    def mean(values: Matrix) -> Vector:
        return np.asarray(np.einsum("ig,ig->g", shares, values))

    more = (degrees + attributes) / 2
    near = 1 / (degrees + squares)
    log, excess = mean(np.log1p(squares / degrees)), (squares - attributes) * near
    slope = psi(more) - psi(degrees / 2) - log + mean(excess)
    bend = (zeta(2, more) - zeta(2, degrees / 2)) / 2 + mean((squares / degrees - excess) * near)
    # by the chain rule: d/dw = -degrees² d/d(degrees) for w = 1 / degrees
    slope, bend = -(degrees**2) * slope / 2, degrees**4 * bend / 2 + degrees**3 * slope
    step = np.clip(slope / np.abs(bend), 1 / MOST - 1 / degrees, 1 / FEWEST - 1 / degrees)
    return _heights(degrees, attributes) - more * log, step
