"""Fuzzy hybrid data transformation: fuzzy data modification and random rotation, one after the other.

Ahmed & Rauf (2016), section 3.3. Its numbered steps rotate first; its first sentence modifies first.
"""

from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc, Given
from sdclab.clustering.blocks import Block, ClusterSize
from sdclab.clustering.classes import anonymity
from sdclab.clustering.fuzzy_k_member import Function
from sdclab.clustering.k_member import Normalised, cluster_loss
from sdclab.clustering.mixed import Categories, Mixed
from sdclab.clustering.taxonomy import Taxonomies
from sdclab.methods import Release
from sdclab.methods.fdm import REACH, Alpha, FunctionName, Modification, Reading, Released, Sigma, Strict
from sdclab.methods.rotation import Angle, Kind, Planes, Scale, rotation_matrix, turned, units
from sdclab.microdata.attribute import TYPES, Attributes
from sdclab.numerics.arrays import Matrix

RELEASES = "`rotation`, then `fdm`; or `order: fdm_first`"
KEEPS = "as `fdm`"
TAKES = TYPES
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
    reading: Reading = "shared",
    released: Released = "largest",
    strict: Strict = False,
    taxonomies: Taxonomies = {},
    categories: Categories = "middle",
    block: Block = None,
    order: Annotated[
        Literal["rotation_first", "fdm_first"],
        Doc("the paper's numbered steps rotate first, its first sentence modifies first"),
    ] = "rotation_first",
    rotation: Kind = "planes",
    planes: Planes = "1-2",
    scale: Scale = "minmax",
    angle: Angle = None,
    columns: Annotated[Attributes | None, Given()] = None,
) -> Release:
    """Rotate and modify, or modify and rotate; only numbers are turned, categories are modified alone.

    Losses are those of the clusters in the rotated file, with the ranges before the rotation as denominator
    (`cluster_loss`) or those after it (`cluster_loss_remeasured`). Clusters are formed with the ranges of the file that
    is modified.
    """
    mixed = Mixed.of(dependent.shape[1], columns, taxonomies, categories)
    options = Modification(k, Function.of(membership, sigma, alpha), released, strict, block, mixed, reading)
    numbers = mixed.numbers(dependent)
    origin, unit = units(numbers, scale)
    matrix = rotation_matrix(numbers.shape[1], rotation, planes, rng, angle)
    scaled = mixed.with_numbers(dependent, (numbers - origin) / unit)
    rotated = mixed.with_numbers(scaled, turned(mixed.numbers(scaled), matrix))
    modified = rotated if order == "rotation_first" else scaled
    records = Normalised.of(modified, taxonomies, columns)
    clusters = options.clusters(records)
    values = options.values(modified, records, clusters)
    if order == "fdm_first":
        values = mixed.with_numbers(values, turned(mixed.numbers(values), matrix))
    losses = {
        **cluster_loss(Normalised.of(rotated, taxonomies, columns, before=scaled), clusters.loss),
        "cluster_loss_remeasured": clusters.loss(Normalised.of(rotated, taxonomies, columns)),
    }
    in_units = mixed.with_numbers(values, origin + unit * mixed.numbers(values))
    return Release(in_units, {**losses, **anonymity(values, k)}, k)
