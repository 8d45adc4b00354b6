"""clusters: information loss for fuzzy clustering, d1 and d2.

Torra, Endo & Miyamoto (2009), section 3: both files are standardised, each by its own mean and SD, and clustered; d1
compares the centres, d2 the memberships. What the paper leaves open is an option, and the options that do not change
the clusters cost no clustering of their own.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np

from sdclab.base.describe import Doc, Number
from sdclab.base.errors import SdclabError, unknown
from sdclab.base.files import sha256
from sdclab.clustering.assignment import Assignment, paired
from sdclab.clustering.fcm import Partition, memberships_at
from sdclab.clustering.search import Protocol, Search
from sdclab.clustering.tolerance import Reading
from sdclab.numerics.arrays import Matrix, Vector
from sdclab.numerics.linalg import standardised
from sdclab.numerics.seeds import seed_of, stream
from sdclab.numerics.ties import largest_of, smallest_of

DIGITS = 7
"""As many as any of the files has in print; so many of a released value are the same on every processor."""

LeftOut = Literal["none", "smallest", "largest"]

BEST: Mapping[str, Any] = {"": {}}
"""One comparison, with the best clusters that the protocol finds in the original."""

FOUND = {
    "d1": Number("distance of centres d1", "loss", 0, better="less", sized=True),
    "d2": Number("distance of memberships d2", "loss", 0, better="less", sized=True),
    "objective_original": Number("objective of the original file", low=0, sized=True),
    "objective_protected": Number("objective of the protected file", low=0, sized=True),
}

SAMPLE = 2_000
"""Records in each sample of a user's long file, unless all are asked for."""

NUMBERS = FOUND | {f"{name}_*": replace(number, label=f"{number.label}, against *") for name, number in FOUND.items()}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    c: Annotated[int, Doc("the number of clusters")] = 10,
    m: Annotated[float, Doc("fuzziness, above 1")] = 1.5,
    kappa: Annotated[float, Doc("the tolerance for the protected file, in SDs")] = 0.0,
    reading: Annotated[
        Reading,
        Doc("of the algorithm with tolerance: with its slip corrected, as printed, or as Table 1's objectives need it"),
    ] = "corrected",
    protocol: Annotated[
        Protocol,
        Doc("the best of so many runs from random records, or of four times as many spread ones, then centre swaps"),
    ] = "paper",
    runs: Annotated[int, Doc("runs of fuzzy c-means a file, at least 1")] = 20,
    against: Annotated[
        Mapping[str, Any],
        Doc(
            "what the protected file is compared with: label, which is appended to the names of the numbers, and "
            "kappa, the tolerance for the original, optimum, the printed objective of a local optimum of the original "
            "instead of the best found, and unchanged, that of the protected file's where nothing was changed"
        ),
    ] = BEST,
    distance: Annotated[
        Literal["euclidean", "squared"], Doc("d1 as the published numbers have it, or as its formula is printed")
    ] = "euclidean",
    standardise: Annotated[
        Literal["own", "original"], Doc("the protected file by its own mean and SD, or by the original's")
    ] = "own",
    sd: Annotated[
        Literal["population", "sample"],
        Doc(
            "that files are standardised by, 1/n or 1/(n-1); clusters are looked for in population SDs, which kappa "
            "and printed objectives stay in, and centres and objectives are then rescaled"
        ),
    ] = "population",
    assignment: Annotated[
        Assignment,
        Doc(
            "each centre of the original to the nearest of the protected file, each of the protected file, over which "
            "the sums then run, to the nearest of the original, or one to one with the least total of distances (not "
            "squared); among equals the most alike"
        ),
    ] = "original",
    memberships: Annotated[
        Literal["own", "original"],
        Doc(
            "in the protected file's clusters, of its own records, moved where there is tolerance, or of the "
            "original's, not moved, at the protected file's centres"
        ),
    ] = "own",
    left_out: Annotated[
        LeftOut, Doc("a conjecture on the published numbers: d1 and d2 each without their smallest or largest term")
    ] = "none",
) -> dict[str, float]:
    """d1 and d2 between the clusters of the two files, and both objectives."""
    if runs < 1:
        raise SdclabError(f"measure clusters: runs is {runs} but must be at least 1.")
    original, protected = np.ascontiguousarray(original), np.ascontiguousarray(protected)
    values: dict[str, float] = {}
    search = (c, m, reading, protocol, runs)
    unchanged = np.array_equal(original, protected)
    by = None if standardise == "own" or unchanged else _moments(original)
    for label, options in against.items():
        _check_keys(label, options)
        a = _clustered(original, options.get("kappa", 0.0), options.get("optimum"), search)
        b = _clustered(protected, kappa, options.get("unchanged") if unchanged else None, search, by)
        if memberships == "original" and not (unchanged and kappa == 0):  # there they are the protected file's own
            b = replace(b, memberships=memberships_at(standardised(original), b.centres, m))
        if sd == "sample":
            a, b = in_sample_sds(a), in_sample_sds(b)
        numbers = {
            **compare(a, b, distance == "squared", assignment=assignment, left_out=left_out),
            "objective_original": a.objective,
            "objective_protected": b.objective,
        }
        values |= {f"{name}_{label}" if label else name: value for name, value in numbers.items()}
    return values


def _check_keys(label: str, options: Mapping[str, Any]) -> None:
    for key in options:
        if key not in ("kappa", "optimum", "unchanged"):
            raise unknown("key", key, ("kappa", "optimum", "unchanged"), f"measure clusters: against {label}")


def compare(
    a: Partition,
    b: Partition,
    squared: bool = False,
    *,
    assignment: Assignment = "original",
    left_out: LeftOut = "none",
) -> dict[str, float]:
    """d1 and d2; each centre of A is assigned, eagerly, to the nearest of B, among equals to the most alike."""
    gaps = np.linalg.norm(a.centres[:, None] - b.centres[None], axis=2)
    unlike = np.array([((b.memberships - u) ** 2).sum(axis=1) for u in a.memberships])
    apart, differ = paired(gaps, unlike, assignment)
    return {"d1": _total(apart**2 if squared else apart, left_out), "d2": _total(differ, left_out)}


def _total(terms: Vector, left_out: LeftOut) -> float:
    if left_out != "none":
        terms = np.delete(terms, smallest_of(terms) if left_out == "smallest" else largest_of(terms))
    return float(np.sum(terms))


def in_sample_sds(found: Partition) -> Partition:
    """The same clusters in SDs of 1/(n-1): all records, and so all centres, shrink by one factor.

    Without tolerance this is what clustering of the shrunk records finds; memberships have no unit.
    """
    n = found.memberships.shape[1]
    return replace(found, centres=found.centres * np.sqrt((n - 1) / n), objective=found.objective * (n - 1) / n)


def _moments(records: Matrix) -> tuple[bytes, bytes]:
    """Mean and SD of each attribute, fit to be remembered by."""
    return records.mean(axis=0).tobytes(), records.std(axis=0).tobytes()


def _clustered(
    records: Matrix,
    kappa: float,
    optimum: str | None,
    search: tuple[Any, ...],
    by: tuple[bytes, bytes] | None = None,
) -> Partition:
    """The clusters of a file. Random starts are drawn from the file's own hash: the same file, the same clusters.

    `by`: another file's moments to standardise by. They are no part of the hash, so that searches start from the same
    records and differ by the units alone.
    """
    return _remembered(records.tobytes(), records.shape, kappa, optimum, search, by)


@lru_cache(maxsize=16)
def _remembered(
    content: bytes,
    shape: tuple[int, int],
    kappa: float,
    optimum: str | None,
    search: tuple[Any, ...],
    by: tuple[bytes, bytes] | None,
) -> Partition:
    c, m, reading, protocol, runs = search
    records = np.frombuffer(content).reshape(shape)
    rng = stream(seed_of("clusters", sha256(known_digits(records).tobytes()), kappa, list(search)))
    looking = Search(standardised(records, *map(np.frombuffer, by or ())), c, rng, kappa=kappa, reading=reading, m=m)
    return looking.printed(optimum) if optimum else looking.best(protocol, runs)


def known_digits(records: Matrix) -> Matrix:
    """Every attribute to DIGITS digits of its largest value: the last ones are the processor's and choose no start."""
    size = np.abs(records).max(axis=0)
    places = DIGITS - 1 - np.floor(np.log10(np.where(size > 0, size, 1.0))).astype(int)
    columns = [np.round(column, int(place)) for column, place in zip(records.T, places, strict=True)]
    return np.ascontiguousarray(np.transpose(columns)) + 0.0  # of -0.0 and 0.0 makes one
