"""DBRL: distance-based record linkage.

Pagliuca & Seri (1999); Domingo-Ferrer & Torra (2001); Cano (2009), section 2.4.2, algorithm 1.
"""

from typing import Annotated, Literal

import numpy as np
from scipy.spatial import cKDTree

from sdclab.base.describe import Doc, Given, Number
from sdclab.clustering.classes import Distinct
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Matrix, Vector, matched
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
    ends = np.arange(1, original.shape[1] + 1)
    nominal = {j: _corners(original[:, j], protected[:, j]) for j in _nominal(columns)}
    if nominal:
        parts = [nominal.get(j, (known[:, [j]], released[:, [j]])) for j in range(len(ends))]
        known, released = map(np.hstack, zip(*parts, strict=True))
        ends = np.cumsum([part.shape[1] for part, _ in parts])
    if direction == "protected":
        known, released = released, known
    chosen = ends[:7] if attributes == "first" else ends[-1:]
    shares = [100 * float(np.mean(_credit(known[:, :end], released[:, :end]))) for end in chosen]
    return {"dbrl": float(np.mean(shares))}


def _nominal(columns: Attributes | None) -> list[int]:
    return [j for j, each in enumerate(columns.dependent if columns else ()) if each.type == "nominal"]


def _corners(original: Vector, protected: Vector) -> tuple[Matrix, Matrix]:
    """Categories as corners of a simplex: the square of the distance of any two is 2 / (1 - sum of p²).

    1 - sum of p² is how often two originals differ. An attribute of a single category, like a constant, tells nothing.
    """
    before, after = matched(original, protected)
    share = np.bincount(before) / len(before)
    differ = 1 - float(share @ share)
    edge = np.eye(1 + max(int(before.max()), int(after.max())))
    scaled = edge / np.sqrt(differ) if share.max() < 1 else 0 * edge
    return scaled[before], scaled[after]


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
