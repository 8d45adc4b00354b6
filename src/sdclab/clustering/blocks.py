"""Blocks of neighbouring records: a file halved by its widest attribute, again and again, until its parts are small.

Clustering inside blocks costs as much for every record, however long the file: what searches all records, and so is
quadratic, becomes linear. Only clusters at the borders are other ones than in the whole file.
"""

from typing import Annotated

import numpy as np

from sdclab.base.describe import Doc
from sdclab.base.errors import SdclabError
from sdclab.numerics.arrays import Indices, Matrix
from sdclab.numerics.ties import ascending, largest_of

ClusterSize = Annotated[int, Doc("records in a cluster, at least")]
Block = Annotated[
    int | None, Doc("look for clusters inside blocks of so many neighbouring records, at most; 2k or more")
]
"""Parameters of every method that searches all records for a cluster."""


def blocks(points: Matrix, most: int) -> list[Indices]:
    """Blocks of at most so many records, each in the order of the file; their sizes differ by at most one."""
    parts = [np.arange(len(points))]
    while max(map(len, parts)) > most:
        parts = [half for part in parts for half in _halves(points, part)]
    return [np.sort(part) for part in parts]


def _halves(points: Matrix, part: Indices) -> tuple[Indices, Indices]:
    widest = largest_of(np.ptp(points[part], axis=0))
    order = part[ascending(points[part, widest])]
    return order[: len(order) // 2], order[len(order) // 2 :]


def clustering_blocks(points: Matrix, k: int, block: Block) -> list[Indices]:
    """The blocks in which clusters of at least k are looked for: the whole file, unless `block` says how large."""
    if block is None:
        return [np.arange(len(points))]
    if block < 2 * k:
        least = f"at least 2k, {2 * k}, so that no block has fewer than k records"
        raise SdclabError(f"block is {block} but must be {least}.")
    return blocks(points, block)
