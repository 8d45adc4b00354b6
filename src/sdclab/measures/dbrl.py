"""DBRL: distance-based record linkage.

Pagliuca & Seri (1999); Domingo-Ferrer & Torra (2001); Cano (2009), section 2.4.2, algorithm 1.
"""

from typing import Annotated, Literal

import numpy as np
from scipy.spatial import cKDTree

from sdclab.base.describe import Doc, Number
from sdclab.clustering.classes import Distinct
from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.linalg import standardised
from sdclab.numerics.ties import slack

NUMBERS = {"dbrl": Number("records linked by distance DBRL", "risk", 0, 100, "%", "less")}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    attributes: Annotated[
        Literal["first", "all"], Doc("what the intruder knows: the first k, averaged over k = 1..min(7, p), or all")
    ] = "first",
    scale: Annotated[
        Literal["own", "original"], Doc("each file is standardised by its own mean and SD, or both by the original's")
    ] = "own",
    direction: Annotated[
        Literal["original", "protected"], Doc("for every original the nearest protected record, or the reverse")
    ] = "original",
) -> dict[str, float]:
    """The share of records that an intruder links correctly to the nearest one; a tie of t nearest counts 1/t."""
    known = standardised(original)
    reference = protected if scale == "own" else original
    released = standardised(protected, reference.mean(axis=0), reference.std(axis=0))
    if direction == "protected":
        known, released = released, known
    p = original.shape[1]
    counts = range(1, min(7, p) + 1) if attributes == "first" else [p]
    shares = [100 * float(np.mean(_credit(known[:, :k], released[:, :k]))) for k in counts]
    return {"dbrl": float(np.mean(shares))}


def _credit(known: Matrix, released: Matrix) -> Vector:
    """1/t for every record whose true mate is among the t nearest, else 0."""
    # equal released records are one point of the tree, so that a file full of copies costs no more
    distinct = Distinct.of(released)
    tree = cKDTree(distinct.records)
    nearest, next_nearest = _two_nearest(tree, known, distinct.which).T
    own = np.linalg.norm(known - distinct.records[distinct.which], axis=1)
    reach = nearest + slack(nearest)
    linked = own <= reach
    credit = linked / distinct.copies[distinct.which]
    tied = np.flatnonzero(linked & (next_nearest <= reach))
    credit[tied] = [1 / distinct.copies[ties].sum() for ties in tree.query_ball_point(known[tied], reach[tied])]
    return credit


def _two_nearest(tree: cKDTree, known: Matrix, mates: Indices) -> Matrix:
    """Distances to the two nearest points. Neighbours come one after the other, twice as fast on long files."""
    place = np.empty(tree.n, dtype=np.intp)
    place[tree.indices] = np.arange(tree.n)
    order = place[mates].argsort(kind="stable")
    distances = np.empty((len(known), 2))
    distances[order] = tree.query(known[order], k=2)[0]
    return distances
