"""Moments: the percentage change of the third and fourth order moments.

Oganian & Domingo-Ferrer (2017), section 5, Table 3. Which moments the table means is not said; section 4 writes them as
central ones, E[(X1 - mu1)^s1 (X2 - mu2)^s2 ...].
"""

from itertools import combinations_with_replacement, groupby

import numpy as np

from sdclab.base.describe import Number
from sdclab.measures.regression import averages, percentage_change
from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.linalg import centred
from sdclab.numerics.ties import NOISE

ORDERS = {"third": 3, "fourth": 4}

NUMBERS = {
    f"{raw}{order}{marginal}_{average}": Number(
        f"{average} change of {kind}{order} order {moments}", "loss", 0, unit="%", better="less"
    )
    for raw, moments in (("", "central moments"), ("raw_", "moments about 0"))
    for order in ORDERS
    for marginal, kind in (("", ""), ("_marginal", "marginal "))
    for average in ("mean", "median")
}


def measure(original: Matrix, protected: Matrix, independent: Matrix) -> dict[str, float]:
    """Mean and median percentage change of the moments of total order 3 and 4, and of the marginal ones among them.

    A moment counts if a dependent is in it: 35 and 70 for five dependents and no independents. Central moments are
    about the mean of each file; those about the origin have `raw_` before their names.
    """
    before, after = (np.column_stack([part, independent]) for part in (original, protected))
    dependents = original.shape[1]
    raw = {f"raw_{name}": value for name, value in _changes(before, after, dependents).items()}
    return _changes(centred(before), centred(after), dependents) | raw


def _changes(before: Matrix, after: Matrix, dependents: int) -> dict[str, float]:
    result: dict[str, float] = {}
    for name, order in ORDERS.items():
        # ascending indices, dependents first: the first index tells whether there is one
        every = combinations_with_replacement(range(before.shape[1]), order)
        which = np.array([each for each in every if each[0] < dependents])
        change = percentage_change(_moments(before, which), _moments(after, which))
        marginal = np.all(which == which[:, :1], axis=1)
        result |= averages(name, change) | averages(f"{name}_marginal", change[marginal])
    return result


def _moments(x: Matrix, which: Indices) -> Vector:
    """The mean of each product of columns, one at a time so that memory stays linear; 0 if it is all rounding."""
    columns = np.ascontiguousarray(x.T)
    means = []
    for first, several in groupby(which.tolist(), key=lambda each: each[:-1]):  # they differ in the last column alone
        product = columns[first].prod(axis=0)
        means += [_mean(product * columns[each[-1]]) for each in several]
    return np.array(means)


def _mean(products: Vector) -> float:
    mean = float(products.mean())
    return mean if abs(mean) > NOISE * float(np.abs(products).mean()) else 0.0
