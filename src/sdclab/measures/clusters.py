"""clusters: information loss for fuzzy clustering, d1 and d2.

Torra, Endo & Miyamoto (2009), section 3: both files are standardised, each by its own mean and SD, and clustered; d1
compares the centres, d2 the memberships.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np

from sdclab.base.describe import Doc, Number
from sdclab.base.errors import SdclabError, unknown
from sdclab.base.files import sha256
from sdclab.clustering.fcm import Partition
from sdclab.clustering.search import Protocol, Search
from sdclab.clustering.tolerance import Reading
from sdclab.numerics.arrays import Matrix
from sdclab.numerics.linalg import standardised
from sdclab.numerics.seeds import seed_of, stream
from sdclab.numerics.ties import at_most

DIGITS = 7
"""As many as any of the files has in print; so many of a released value are the same on every processor."""

BEST: Mapping[str, Any] = {"": {}}
"""One comparison, with the best clusters that the protocol finds in the original."""

FOUND = {
    "d1": Number("distance of centres d1", "loss", 0, better="less"),
    "d2": Number("distance of memberships d2", "loss", 0, better="less"),
    "objective_original": Number("objective of the original file", low=0),
    "objective_protected": Number("objective of the protected file", low=0),
}
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
) -> dict[str, float]:
    """d1 and d2 between the clusters of the two files, and both objectives."""
    if runs < 1:
        raise SdclabError(f"measure clusters: runs is {runs} but must be at least 1.")
    values: dict[str, float] = {}
    search = (c, m, reading, protocol, runs)
    for label, options in against.items():
        for key in options:
            if key not in ("kappa", "optimum", "unchanged"):
                raise unknown("key", key, ("kappa", "optimum", "unchanged"), f"measure clusters: against {label}")
        a = _clustered(original, options.get("kappa", 0.0), options.get("optimum"), search)
        same = options.get("unchanged") if np.array_equal(original, protected) else None
        b = _clustered(protected, kappa, same, search)
        numbers = {
            **compare(a, b, squared=distance == "squared"),
            "objective_original": a.objective,
            "objective_protected": b.objective,
        }
        values |= {f"{name}_{label}" if label else name: value for name, value in numbers.items()}
    return values


def compare(a: Partition, b: Partition, squared: bool = False) -> dict[str, float]:
    """d1 and d2; each centre of A is assigned, eagerly, to the nearest of B, among equals to the most alike."""
    gaps = np.linalg.norm(a.centres[:, None] - b.centres[None], axis=2)
    least = gaps.min(axis=1)
    unlike = np.array([((b.memberships - u) ** 2).sum(axis=1) for u in a.memberships])
    tied = at_most(gaps, least[:, None])
    return {
        "d1": float(np.sum(least**2 if squared else least)),
        "d2": float(np.where(tied, unlike, np.inf).min(axis=1).sum()),
    }


def _clustered(records: Matrix, kappa: float, optimum: str | None, search: tuple[Any, ...]) -> Partition:
    """The clusters of a file. Random starts are drawn from the file's own hash: the same file, the same clusters."""
    return _remembered(np.ascontiguousarray(records).tobytes(), records.shape, kappa, optimum, search)


@lru_cache(maxsize=16)
def _remembered(
    content: bytes, shape: tuple[int, int], kappa: float, optimum: str | None, search: tuple[Any, ...]
) -> Partition:
    c, m, reading, protocol, runs = search
    records = np.frombuffer(content).reshape(shape)
    rng = stream(seed_of("clusters", sha256(known_digits(records).tobytes()), kappa, list(search)))
    looking = Search(standardised(records), c, rng, kappa=kappa, reading=reading, m=m)
    return looking.printed(optimum) if optimum else looking.best(protocol, runs)


def known_digits(records: Matrix) -> Matrix:
    """Every attribute to DIGITS digits of its largest value: the last ones are the processor's and choose no start."""
    size = np.abs(records).max(axis=0)
    places = DIGITS - 1 - np.floor(np.log10(np.where(size > 0, size, 1.0))).astype(int)
    columns = [np.round(column, int(place)) for column, place in zip(records.T, places, strict=True)]
    return np.ascontiguousarray(np.transpose(columns)) + 0.0  # of -0.0 and 0.0 makes one
