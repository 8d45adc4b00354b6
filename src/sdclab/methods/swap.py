"""Rank swapping: values change places with others of nearly the same rank.

Moore (1996), Controlled data-swapping techniques for masking public use microdata sets, U.S. Bureau of the Census.
"""

from typing import Annotated

import numpy as np

from sdclab.base.describe import Doc
from sdclab.base.errors import SdclabError
from sdclab.methods import Release
from sdclab.numerics.arrays import Indices, Matrix
from sdclab.numerics.ties import ascending, slack

RELEASES = "values that have changed places with others of nearly the same rank"
KEEPS = "every attribute's distribution"
TAKES = ("continuous", "count", "ordinal")
GRID = {"p": [1, 2, 5, 10, 20, 50]}


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    p: Annotated[float, Doc("how far apart two ranks that change places may be, in per cent of the records")] = 5.0,
) -> Release:
    """Swap the values of every attribute by itself, each at most once, so that its distribution stays as it is.

    The window reaches one rank at least. A value for which nobody is left in the window stays where it is, and values
    may be equal: `kept` is the share (per cent) of values that are the original ones.
    """
    if not 0 < p <= 100:
        raise SdclabError(f"p is {p:g} but must be above 0 and at most 100.")
    n = len(dependent)
    if n < 2:
        raise SdclabError("there is one record only, but two are needed to change places.")
    share = p * n / 100
    reach = max(1, int(share + slack(share)))
    values = np.empty_like(dependent)
    for j, column in enumerate(dependent.T):
        order = ascending(column)
        values[order, j] = column[order[partners(n, reach, rng)]]
    return Release(values, {"kept": 100 * float(np.mean(values == dependent))})


def partners(n: int, reach: int, rng: np.random.Generator) -> Indices:
    """The rank that each rank changes places with; its own, if it stays.

    From the lowest rank on each that is free takes one of the free ranks at most `reach` above it, all of them being
    equally likely. Who comes into the window is free, since nobody lower could reach so far: one place in a list for
    each rank that comes or goes, so that time is linear in n.
    """
    chance = rng.random(n).tolist()
    partner = list(range(n))
    window = list(range(min(reach, n)))
    place = list(range(n))  # of a rank in the window, while it is in it; -1 when it is taken

    def take(rank: int) -> None:
        last = window.pop()
        if last != rank:
            window[place[rank]], place[last] = last, place[rank]
        place[rank] = -1

    for rank in range(n):
        if rank + reach < n:
            place[rank + reach] = len(window)
            window.append(rank + reach)
        if place[rank] < 0:
            continue
        take(rank)
        if window:
            other = window[int(chance[rank] * len(window))]
            take(other)
            partner[rank], partner[other] = other, rank
    return np.array(partner, dtype=np.intp)
