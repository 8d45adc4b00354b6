"""clusters: information loss for fuzzy clustering, d1 and d2.

Torra, Endo & Miyamoto (2009), section 3: both files are standardised, each by its own mean and SD, and clustered; d1
compares the centres, d2 the memberships.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

import numpy as np

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


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    c: int = 10,
    m: float = 1.5,
    kappa: float = 0.0,
    reading: Reading = "corrected",
    protocol: Protocol = "paper",
    runs: int = 20,
    against: Mapping[str, Any] = BEST,
    distance: Literal["euclidean", "squared"] = "euclidean",
) -> dict[str, float]:
    """d1 and d2 between the clusters of the two files, and both objectives.

    `kappa` is the tolerance for the protected file. `against` names what it is compared with: label -> `kappa`, the
    tolerance for the original, `optimum`, the printed objective of a local optimum of the original (default: the best
    found), and `unchanged`, that of the protected file's optimum where nothing was changed. A label is appended to the
    names of the numbers. `distance`: d1 as the published numbers have it, or squared as its formula is printed.
    """
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
