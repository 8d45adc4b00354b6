"""Which cluster of one file is which of another, and what their pairs add to a distance; equals by tolerance.

Torra, Endo & Miyamoto (2009), section 3: pi assigns each centre of A, eagerly, to the nearest of B.
"""

from typing import Literal

import numpy as np
from scipy.optimize import linear_sum_assignment

from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.ties import at_most, slack

Assignment = Literal["original", "protected", "one_to_one"]


def paired(gaps: Matrix, unlike: Matrix, assignment: Assignment) -> tuple[Vector, Vector]:
    """The gap, and how unlike both are, of every pair that pi makes; rows are clusters of A, columns those of B."""
    if assignment == "one_to_one":
        # squares only tell apart what is equal in both totals, so that no single term hangs on rounding
        pairs = np.arange(len(gaps)), one_to_one(gaps, unlike, gaps**2, unlike**2)
        return gaps[pairs], unlike[pairs]
    return nearest(gaps, unlike) if assignment == "original" else nearest(gaps.T, unlike.T)


def nearest(gaps: Matrix, unlike: Matrix) -> tuple[Vector, Vector]:
    """For each row the nearest column, however often one is chosen, among equals the most alike."""
    least = gaps.min(axis=1)
    tied = at_most(gaps, least[:, None])
    return least, np.where(tied, unlike, np.inf).min(axis=1)


def one_to_one(*costs: Matrix) -> Indices:
    """A column of its own for each row, so that the total cost is least; of equal totals the next costs decide.

    An assignment has the least total exactly if it holds only pairs whose cost their row's and column's dual variables
    use up. Whichever of the equals is found first, these pairs are the same, and the next costs choose among them.
    """
    allowed = np.ones(costs[0].shape, dtype=bool)
    for cost in costs:
        open_to = np.where(allowed, cost, np.inf)
        columns = linear_sum_assignment(open_to)[1]
        total = cost[np.arange(len(cost)), columns].sum()
        allowed = _unused(open_to, columns) <= slack(total)
    return np.asarray(columns)


def _unused(cost: Matrix, columns: Indices) -> Matrix:
    """What the dual variables leave of each cost; 0, to rounding, for the pairs of an assignment of least total.

    A column's variable is the length of a shortest path (Bellman-Ford) on which rows go over to other columns.
    """
    over = cost - cost[np.arange(len(cost)), columns][:, None]
    length = np.zeros(len(cost))
    for _ in range(len(cost)):
        length = np.minimum(length, (length[columns][:, None] + over).min(axis=0))
    return np.asarray(over + length[columns][:, None] - length)
