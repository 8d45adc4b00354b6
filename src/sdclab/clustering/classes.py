"""The classes of a release: records that were released alike."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdclab.numerics.arrays import Indices, Matrix


@dataclass(frozen=True)
class Distinct:
    """The distinct records of a file in ascending order, which of them each record is, and how often each occurs."""

    records: NDArray[Any]
    which: Indices
    copies: Indices

    @classmethod
    def of(cls, records: NDArray[Any]) -> "Distinct":
        order = np.lexsort(records.T[::-1])  # several times as fast as numpy's unique, which sorts rows as bytes
        in_order = records[order]
        first = np.append(True, (in_order[1:] != in_order[:-1]).any(axis=1))
        number = first.cumsum() - 1
        which = np.empty_like(order)
        which[order] = number
        return cls(in_order[first], which, np.bincount(number))


def classes(released: Matrix) -> list[Indices]:
    """The records of every class, by position."""
    distinct = Distinct.of(released)
    order, ends = distinct.which.argsort(kind="stable"), distinct.copies.cumsum().tolist()
    return [order[start:end] for start, end in pairwise([0, *ends])]


def at_means(records: Matrix, clusters: Iterable[Indices]) -> Matrix:
    """Every record at the mean of its cluster, so that a cluster becomes a class: microaggregation."""
    values = np.empty_like(records)
    for members in clusters:
        values[members] = records[members].mean(axis=0)
    return values


def anonymity(released: Matrix, k: int) -> dict[str, float]:
    """How far a release is k-anonymous: its smallest class, and the share (per cent) of records in classes below k."""
    sizes = np.array([len(members) for members in classes(released)])
    return {"smallest_class": float(sizes.min()), "below_k": 100 * float(sizes[sizes < k].sum() / sizes.sum())}
