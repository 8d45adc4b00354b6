"""DBRL: distance-based record linkage.

Pagliuca & Seri (1999); Domingo-Ferrer & Torra (2001); Cano (2009), section 2.4.2, algorithm 1.
"""

from typing import Annotated, Literal

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from sdclab.base.describe import Doc, Given, Number
from sdclab.clustering.classes import Distinct
from sdclab.measures._samples import rows_of
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Matrix, Vector, matched
from sdclab.numerics.linalg import standardised
from sdclab.numerics.ties import slack

MAX_COLUMNS = 50
"""Of numbers and of single categories a tree takes so many well; beyond, comparing all pairs is as fast, or faster."""

BLOCK = 4_000_000
"""Pairs held in memory at a time."""

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
    sample: Annotated[int | None, Doc("link only so many records, drawn at random, to all of the other file")] = None,
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """The share of records that an intruder links correctly to the nearest one; a tie of t nearest counts 1/t.

    Numbers are in SDs, so that the squares of the differences of two originals are 2 in the mean, whatever the unit.
    Nominal attributes are on the same scale: two values differ by 0 or by 1, and that is divided so that the mean over
    two originals is 2 as well. For two categories this is what standardising 0 and 1 gives. The original's frequencies
    tell it for both files, or equal categories would lie apart. The code of an ordinal category is its rank, and ranks
    are standardised as numbers are.
    """
    known = standardised(original)
    reference = protected if scale == "own" else original
    released = standardised(protected, reference.mean(axis=0), reference.std(axis=0))
    weights = np.zeros(original.shape[1])
    for j in _nominal(columns):
        known[:, j], released[:, j], weights[j] = _weighted(original[:, j], protected[:, j])
    if direction == "protected":
        known, released = released, known
    mates = rows_of(len(original), sample, "dbrl")
    p = original.shape[1]
    counts = range(1, min(7, p) + 1) if attributes == "first" else [p]
    shares = [100 * float(np.mean(_credit(known[mates, :k], released[:, :k], weights[:k], mates))) for k in counts]
    return {"dbrl": float(np.mean(shares))}


def _nominal(columns: Attributes | None) -> list[int]:
    return [j for j, each in enumerate(columns.dependent if columns else ()) if each.type == "nominal"]


def _weighted(original: Vector, protected: Vector) -> tuple[Vector, Vector, float]:
    """The categories of both files, and the square of the distance of any two: 2 / (1 - sum of p²).

    1 - sum of p² is how often two originals differ. An attribute of a single category, like a constant, tells nothing.
    """
    before, after = matched(original, protected)
    share = np.bincount(before) / len(before)
    if share.max() == 1:
        return np.zeros(len(before)), np.zeros(len(after)), 0.0
    return before.astype(float), after.astype(float), 2 / (1 - float(share @ share))


def _credit(known: Matrix, released: Matrix, weights: Vector, mates: Indices) -> Vector:
    """1/t for every record whose true mate is among the t nearest, else 0.

    `weights` are the squares of the distances of categories; 0 for a number. `mates` tells where each is released.
    """
    if not weights.any():
        return _by_tree(known, released, mates)
    sizes = np.where(weights > 0, 1 + np.maximum(known.max(axis=0), released.max(axis=0)), 1).astype(np.intp)
    if sizes.sum() > MAX_COLUMNS:
        return _by_pairs(known, released, weights, mates)
    return _by_tree(_corners(known, weights, sizes), _corners(released, weights, sizes), mates)


def _corners(records: Matrix, weights: Vector, sizes: Indices) -> Matrix:
    """Categories as corners of a simplex with these squares of its edges."""
    parts = [
        np.eye(size)[column.astype(np.intp)] * np.sqrt(weight / 2) if weight > 0 else column[:, None]
        for column, weight, size in zip(records.T, weights, sizes, strict=True)
    ]
    return np.hstack(parts)


def _by_pairs(known: Matrix, released: Matrix, weights: Vector, mates: Indices) -> Vector:
    """By the distances of all pairs of distinct records, block by block."""
    a, b = Distinct.of(known), Distinct.of(released)
    reach, tied = np.empty((2, len(a.records)))
    step = max(1, BLOCK // len(b.records))
    for start in range(0, len(a.records), step):
        rows = slice(start, start + step)
        squares = _squares(a.records[rows], b.records, weights)
        nearest = np.sqrt(squares.min(axis=1))
        reach[rows] = nearest + slack(nearest)
        tied[rows] = (squares <= reach[rows][:, None] ** 2) @ b.copies
    apart = known - released[mates]
    own = np.sqrt(np.where(weights > 0, weights * (apart != 0), apart**2).sum(axis=1))
    return np.where(own <= reach[a.which], 1 / tied[a.which], 0.0)


def _squares(a: Matrix, b: Matrix, weights: Vector) -> Matrix:
    """Squares of the distances of all pairs."""
    nominal = weights > 0
    squares = weights.sum() * cdist(a[:, nominal], b[:, nominal], "hamming", w=weights[nominal])
    if not nominal.all():
        squares += cdist(a[:, ~nominal], b[:, ~nominal], "sqeuclidean")
    return np.asarray(squares)


def _by_tree(known: Matrix, released: Matrix, mates: Indices) -> Vector:
    """By the two nearest of every record, found in a tree."""
    # equal released records are one point of the tree, so that a file full of copies costs no more
    distinct = Distinct.of(released)
    tree = cKDTree(distinct.records)
    released_as = distinct.which[mates]
    nearest, next_nearest = _two_nearest(tree, known, released_as).T
    own = np.linalg.norm(known - distinct.records[released_as], axis=1)
    reach = nearest + slack(nearest)
    linked = own <= reach
    credit = linked / distinct.copies[released_as]
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
