"""FDM, fuzzy data modification: the centres of fuzzy k-member clusters.

Ahmed & Rauf (2016), Privacy preserving data using fuzzy hybrid data transformation technique, section 3.1. The paper
gives neither sigma nor alpha nor what is released; see docs/methods.md for what is fitted and what is ours.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc
from sdclab.clustering.blocks import Block, ClusterSize
from sdclab.clustering.classes import anonymity, at_means, classes
from sdclab.clustering.fuzzy_k_member import Function, FuzzyClusters, Membership, fuzzy_k_member
from sdclab.clustering.k_member import Normalised, joined, k_member
from sdclab.methods import Release
from sdclab.numerics.arrays import Matrix

REACH = 0.185
"""sigma, fitted on one published number (435.276: exponential, k = 2, FDM), and alpha, for which there is none."""

FunctionName = Annotated[
    Membership,
    Doc(
        "how what a record gives to a core falls with their distance d, equations 2, 1 and 3: exp(-d/sigma), "
        "exp(-d²/sigma) or max(1 - d/alpha, 0)"
    ),
]
Sigma = Annotated[float, Doc("for the exponential and the bell, fitted on one published number")]
Alpha = Annotated[float, Doc("for the triangular function; no number is published for it")]
Released = Annotated[
    Literal["largest", "weighted"],
    Doc("the centre to which the record gave most, or all its centres weighted by what it gave, which keeps the means"),
]
Strict = Annotated[bool, Doc("release records of a class below k anew, in crisp clusters, so that none is below k")]

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
) -> Release:
    """Replace every record by the centre of the fuzzy cluster it belongs to most, or by a mean of centres.

    Neither is k-anonymous, and `below_k` says by how much. Deterministic.
    """
    records = Normalised.of(dependent)
    options = Modification(k, Function.of(membership, sigma, alpha), released, strict, block)
    clusters = options.clusters(records)
    values = options.values(dependent, records, clusters)
    return Release(values, {"cluster_loss": clusters.loss(records), **anonymity(values, k)})


@dataclass(frozen=True)
class Modification:
    """The steps of FDM, which the hybrid takes as well."""

    k: int
    function: Function
    released: Released
    strict: bool
    block: int | None

    def clusters(self, records: Normalised) -> FuzzyClusters:
        return fuzzy_k_member(records.points, self.k, self.function, self.block)

    def values(self, original: Matrix, records: Normalised, clusters: FuzzyClusters) -> Matrix:
        """What is released in the units of `original`; `records` are the same records, normalised."""
        centres = clusters.centres(original)
        values = centres[clusters.largest()] if self.released == "largest" else clusters.weighted(centres)
        return kept_anonymous(values, original, records, self.k, self.block) if self.strict else values


def kept_anonymous(values: Matrix, original: Matrix, records: Normalised, k: int, block: int | None) -> Matrix:
    """The release with every class of at least k records.

    Records of smaller classes are clustered crisply among themselves and released by their means; fewer than k of them
    join the class, one by one, whose information loss they raise least.
    """
    found = classes(values)
    large = [members for members in found if len(members) >= k]
    small = np.sort(np.concatenate([np.empty(0, dtype=np.intp), *(each for each in found if len(each) < k)]))
    values = values.copy()
    if len(small) >= k:
        values[small] = at_means(original[small], k_member(records.only(small), k, block))
        return values
    for before, after in zip(large, joined(records, large, small), strict=True):
        values[after] = values[before[0]]
    return values
