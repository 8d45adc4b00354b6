"""Fuzzy hybrid data transformation: fuzzy data modification and random rotation, one after the other.

Ahmed & Rauf (2016), section 3.3. Its numbered steps rotate first; its first sentence modifies first.
"""

from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc
from sdclab.clustering.blocks import Block, ClusterSize
from sdclab.clustering.classes import anonymity
from sdclab.clustering.fuzzy_k_member import Function
from sdclab.clustering.k_member import Normalised, ranges
from sdclab.methods import Release
from sdclab.methods.fdm import REACH, Alpha, FunctionName, Modification, Released, Sigma, Strict
from sdclab.methods.rotation import Kind, Planes, Scale, rotation_matrix, turned, units
from sdclab.numerics.arrays import Matrix

GRID = {"k": [3, 5, 10, 20, 50]}


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    k: ClusterSize = 3,
    membership: FunctionName = "exponential",
    sigma: Sigma = REACH,
    alpha: Alpha = REACH,
    released: Released = "largest",
    strict: Strict = False,
    block: Block = None,
    order: Annotated[
        Literal["rotation_first", "fdm_first"],
        Doc("the paper's numbered steps rotate first, its first sentence modifies first"),
    ] = "rotation_first",
    rotation: Kind = "planes",
    planes: Planes = "1-2",
    scale: Scale = "minmax",
) -> Release:
    """Rotate and modify, or modify and rotate.

    Losses are those of the clusters in the rotated file, with the ranges before the rotation as denominator
    (`cluster_loss`) or those after it (`cluster_loss_remeasured`). Clusters are formed with the ranges of the file that
    is modified.
    """
    options = Modification(k, Function.of(membership, sigma, alpha), released, strict, block)
    origin, unit = units(dependent, scale)
    scaled = (dependent - origin) / unit
    matrix = rotation_matrix(dependent.shape[1], rotation, planes, rng)
    rotated = turned(scaled, matrix)
    modified = rotated if order == "rotation_first" else scaled
    records = Normalised.of(modified)
    clusters = options.clusters(records)
    values = options.values(modified, records, clusters)
    if order == "fdm_first":
        values = turned(values, matrix)
    losses = {
        "cluster_loss": clusters.loss(Normalised(rotated / ranges(scaled))),
        "cluster_loss_remeasured": clusters.loss(Normalised.of(rotated)),
    }
    return Release(origin + unit * values, {**losses, **anonymity(values, k)})
