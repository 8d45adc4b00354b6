"""PRL: probabilistic record linkage.

Fellegi & Sunter (1969), A theory for record linkage; Cano (2009), section 2.4.2. All n² pairs count, but only their
at most 2^p agreement patterns matter: the pairs are gone through block by block.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from sdclab.base.describe import Doc, Given, Number
from sdclab.base.errors import SdclabError
from sdclab.clustering.classes import Distinct
from sdclab.measures._samples import rows_of
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Matrix, Vector, matched
from sdclab.numerics.ties import at_most, equated, slack

MAX_ATTRIBUTES = 20
"""2^20 patterns are tallied without trouble, and float32 holds their codes exactly."""

INFORMATIVE = 14
"""Of more attributes than that, `informative` takes so many: EM on 2^14 patterns takes a second, on 2^20 minutes."""

BLOCK = 4_000_000
"""Pairs held in memory at a time."""

Codes = NDArray[np.int64]

NUMBERS = {"prl": Number("records linked by agreement PRL", "risk", 0, 100, "%", "less")}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    bins: Annotated[int, Doc("values agree if they lie in the same of so many bins of equal width, 2 or more")] = 10,
    cut: Annotated[Literal["own", "original"], Doc("bins of each file's own range, or of the original's")] = "own",
    attributes: Annotated[
        Literal["all", "first", "informative"],
        Doc(
            "what the intruder knows: all (at most 20), the first k, averaged over k = 1..min(7, p), or, of more than "
            "20, the 14 that agree least often by chance"
        ),
    ] = "all",
    probabilities: Annotated[
        Literal["counted", "em"],
        Doc(
            "how often values agree among mates and among others: counted, as who protects the file can and an "
            "intruder might know, or estimated by EM from all pairs"
        ),
    ] = "counted",
    sample: Annotated[
        int | None,
        Doc("link only so many originals, drawn at random, to all released records; cost is then linear"),
    ] = None,
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """The share of originals whose true mate has the greatest matching weight; a tie of t counts 1/t.

    Numbers agree if they lie in one bin, categories if they are equal.
    """
    if bins < 2:
        raise SdclabError(f"measure prl: bins is {bins} but must be at least 2.")
    known, released = _cells(original, protected, bins, cut, columns)
    if attributes == "informative":
        chosen = informative(original, bins, columns)
        known, released = known[:, chosen], released[:, chosen]
    p = known.shape[1]
    if p > MAX_ATTRIBUTES:
        raise SdclabError(f"measure prl: {p} attributes, but at most {MAX_ATTRIBUTES} are allowed.")
    counts = range(1, min(7, p) + 1) if attributes == "first" else [p]
    mates = rows_of(len(original), sample, "prl")
    shares = [_linked(known[mates, :k], released[:, :k], mates, probabilities) for k in counts]
    return {"prl": float(np.mean(shares))}


def informative(original: Matrix, bins: int = 10, columns: Attributes | None = None) -> Indices:
    """All attributes or, if they are too many, those on which two records agree least often by chance."""
    if original.shape[1] <= MAX_ATTRIBUTES:
        return np.arange(original.shape[1])
    cells, _ = _cells(original, original, bins, "original", columns)
    chance = [int(np.square(np.bincount(column)).sum()) for column in cells.T]  # whole numbers: no last bit decides
    return np.sort(np.argsort(chance, kind="stable")[:INFORMATIVE])


def _cells(original: Matrix, protected: Matrix, bins: int, cut: str, columns: Attributes | None) -> tuple[Codes, Codes]:
    """What agrees has the same code: the number of a bin, or that of a category."""
    known = _binned(original, original, bins)
    released = _binned(protected, protected if cut == "own" else original, bins)
    for j in np.flatnonzero(~columns.numbers()) if columns else ():
        known[:, j], released[:, j] = matched(original[:, j], protected[:, j])
    return known, released


def _binned(x: Matrix, reference: Matrix, bins: int) -> Codes:
    """The number of every value's bin; a value on a border, up to rounding, is in the upper one."""
    low, high = reference.min(axis=0), reference.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    places = (x - low) / width * bins
    behind = np.abs(reference).max(axis=0) / width * bins
    return np.clip(np.floor(places + slack(places, behind)), 0, bins - 1).astype(np.int64)


def _linked(known: Codes, released: Codes, mates: Codes, probabilities: str) -> float:
    """Per cent of the known records that are linked to their mate, whose place among the released is given."""
    # records in the same bins behave alike, so pairs shrink to those of distinct ones
    a, b = Distinct.of(known), Distinct.of(released)
    if probabilities == "counted":
        weights = counted_weights(known, released, mates)
    else:
        weights = matching_weights(_tally(a, b), len(released))
    best, tied = np.empty(len(a.records)), np.empty(len(a.records))
    for rows, codes in _pattern_codes(a.records, b.records):
        block = weights[codes]
        best[rows] = block.max(axis=1)
        tied[rows] = (block == best[rows][:, None]) @ b.copies
    own = weights[(known == released[mates]) @ (1 << np.arange(known.shape[1]))]
    credit = np.where(own == best[a.which], 1 / tied[a.which], 0.0)
    return 100 * float(credit.mean())


def counted_weights(known: Codes, released: Codes, mates: Codes) -> Vector:
    """The log-odds weight of every agreement pattern, from how often mates and others agree on each attribute."""
    among_mates = (known == released[mates]).sum(axis=0)
    sizes = _sizes(known, released)
    a, b = (_indicators(x, sizes).sum(axis=0, dtype=float) for x in (known, released))
    every = np.add.reduceat(a * b, sizes.cumsum() - sizes)
    others = len(known) * max(len(released) - 1, 1)
    m, u = _inside(among_mates / len(known)), _inside((every - among_mates) / others)
    weights = np.zeros(1)
    for agree, differ in zip(np.log(m / u), np.log((1 - m) / (1 - u)), strict=True):
        weights = np.concatenate([weights + differ, weights + agree])  # attribute j is bit j
    return equated(weights)


def _tally(a: Distinct, b: Distinct) -> Vector:
    """How many pairs show each agreement pattern."""
    tally = np.zeros(1 << a.records.shape[1])
    for rows, codes in _pattern_codes(a.records, b.records):
        pairs = np.outer(a.copies[rows], b.copies)
        tally += np.bincount(codes.ravel(), weights=pairs.ravel(), minlength=len(tally))
    return tally


def _pattern_codes(a: Codes, b: Codes) -> Iterator[tuple[slice, Codes]]:
    """Blocks of the matrix of agreement patterns, attribute j as bit j, by one product of indicator matrices."""
    sizes = _sizes(a, b)
    bits = np.repeat(2.0 ** np.arange(a.shape[1]), sizes).astype(np.float32)
    right = (_indicators(b, sizes) * bits).T
    step = max(1, BLOCK // len(b))
    for start in range(0, len(a), step):
        rows = slice(start, start + step)
        yield rows, (_indicators(a[rows], sizes) @ right).astype(np.int64)


def _sizes(a: Codes, b: Codes) -> Codes:
    """How many codes each attribute has, at most."""
    return np.asarray(1 + np.maximum(a.max(axis=0), b.max(axis=0)))


def _indicators(cells: Codes, sizes: Codes) -> NDArray[np.float32]:
    codes = np.concatenate([np.arange(size) for size in sizes])
    return (np.repeat(cells, sizes, axis=1) == codes).astype(np.float32)


def matching_weights(tally: Vector, n: int) -> Vector:
    """The log-odds weight of every agreement pattern, by EM on the tally of all pairs.

    Started naively EM settles on a useless mixture, so the share of matches starts at 1/n, its true value, and
    may not exceed it, and agreement starts likely among matches and as frequent as observed among the others. Should
    the matching class agree no more often than chance, nobody can be linked: all weights are 0. Where attributes are
    related EM takes related pairs for matches, with the bound or without it, and links fewer than counting does.
    """
    seen = np.flatnonzero(tally)
    p = int(np.log2(len(tally)))
    agrees = (seen[:, None] >> np.arange(p) & 1).astype(float)
    frequency = tally[seen] / tally.sum()
    share, m, u = 1 / n, np.full(p, 0.9), _inside(frequency @ agrees)
    for _ in range(1000):
        odds = np.log(share / (1 - share)) + _log_ratio(agrees, m, u)
        match = frequency / (1 + np.exp(-odds))
        before = m
        m = _inside(match @ agrees / match.sum())
        u = _inside((frequency - match) @ agrees / (1 - match.sum()))
        share = min(max(match.sum(), 1 / n**2), 1 / n)
        if np.abs(m - before).max() < 1e-6:
            break
    weights = np.zeros(len(tally))
    if not at_most(m, u).all():
        weights[seen] = equated(_log_ratio(agrees, m, u))
    return weights


def _log_ratio(agrees: Matrix, m: Vector, u: Vector) -> Vector:
    return agrees @ np.log(m / u) + (1 - agrees) @ np.log((1 - m) / (1 - u))


def _inside(probability: Vector) -> Vector:
    return np.clip(probability, 1e-6, 1 - 1e-6)
