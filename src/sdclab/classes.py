"""The classes of a release: records that were released alike."""

import numpy as np

from sdclab.arrays import Indices, Matrix


def classes(released: Matrix) -> list[Indices]:
    """The records of every class, by position."""
    _, which, counts = np.unique(released, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(which.ravel(), kind="stable")
    return np.split(order, np.cumsum(counts)[:-1])


def anonymity(released: Matrix, k: int) -> dict[str, float]:
    """How far a release is k-anonymous: its smallest class, and the share (per cent) of records in classes below k."""
    sizes = np.array([len(members) for members in classes(released)])
    return {"smallest_class": float(sizes.min()), "below_k": 100 * float(sizes[sizes < k].sum() / sizes.sum())}
