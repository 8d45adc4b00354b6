"""FDM, fuzzy data modification: the centres of fuzzy k-member clusters.

Ahmed & Rauf (2016), Privacy preserving data using fuzzy hybrid data transformation technique, section 3.1. The paper
gives neither sigma nor alpha nor what is released; see docs/methods.md for what is fitted and what is ours.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc, Given
from sdclab.clustering.blocks import Block, ClusterSize
from sdclab.clustering.classes import anonymity, classes
from sdclab.clustering.fuzzy_k_member import Function, FuzzyClusters, Membership, ReadingName, fuzzy_k_member
from sdclab.clustering.k_member import Normalised, cluster_loss, joined, k_member
from sdclab.clustering.mixed import NUMBERS, Categories, Mixed
from sdclab.clustering.taxonomy import Taxonomies
from sdclab.methods import Release
from sdclab.microdata.attribute import TYPES, Attributes
from sdclab.numerics.arrays import Matrix, Vector

RELEASES = "centres of fuzzy k-member clusters"
KEEPS = "nothing exactly; `released: weighted` the means, `strict: true` k-anonymity"

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
Reading = Annotated[
    ReadingName,
    Doc(
        "a core's nearest are looked for among all records, or among those that still have something of their own; "
        "or among all, and the size of a cluster in the loss is the count of its members, not what they gave"
    ),
]
Released = Annotated[
    Literal["largest", "weighted"],
    Doc("the centre to which the record gave most, or all its centres weighted by what it gave, which keeps the means"),
]
Strict = Annotated[bool, Doc("release records of a class below k anew, in crisp clusters, so that none is below k")]

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
    columns: Annotated[Attributes | None, Given()] = None,
) -> Release:
    """Replace every record by the centre of the fuzzy cluster it belongs to most, or by a mean of centres.

    Centres of categories, and what stands for a mean of them, are medians or modes, weighted by membership.

    Neither is k-anonymous, and `below_k` says by how much. Deterministic.
    """
    records = Normalised.of(dependent, taxonomies, columns)
    mixed = Mixed.of(dependent.shape[1], columns, taxonomies, categories)
    options = Modification(k, Function.of(membership, sigma, alpha), released, strict, block, mixed, reading)
    clusters = options.clusters(records)
    values = options.values(dependent, records, clusters)
    losses = cluster_loss(records, clusters.loss)
    # nothing is turned here, so the ranges after are those before: both denominators of the hybrid are one
    losses["cluster_loss_remeasured"] = losses["cluster_loss"]
    return Release(values, {**losses, **anonymity(values, k)}, k)


@dataclass(frozen=True)
class Modification:
    """The steps of FDM, which the hybrid takes as well."""

    k: int
    function: Function
    released: Released
    strict: bool
    block: int | None
    mixed: Mixed = NUMBERS
    reading: ReadingName = "shared"

    def clusters(self, records: Normalised) -> FuzzyClusters:
        return fuzzy_k_member(records, self.k, self.function, self.block, self.reading)

    def values(self, original: Matrix, records: Normalised, clusters: FuzzyClusters) -> Matrix:
        """What is released in the units of `original`; `records` are the same records, normalised."""
        centres = clusters.centres(original, self.mixed)
        largest = self.released == "largest"
        values = centres[clusters.largest()] if largest else clusters.weighted(centres, self.mixed)
        return self.kept_anonymous(values, original, records) if self.strict else values

    def kept_anonymous(self, values: Matrix, original: Matrix, records: Normalised) -> Matrix:
        """The release with every class of at least k records.

        Records of smaller classes are clustered crisply among themselves and released by their centres; fewer than k of
        them join the class, one by one, whose information loss they raise least.
        """
        found = classes(values)
        large = [members for members in found if len(members) >= self.k]
        small = np.sort(np.concatenate([np.empty(0, dtype=np.intp), *(each for each in found if len(each) < self.k)]))
        values = values.copy()
        if len(small) >= self.k:
            crisp = k_member(records.only(small), self.k, self.block)
            values[small] = self.mixed.at_centres(original[small], crisp)
            return values
        for before, after in zip(large, joined(records, large, small), strict=True):
            values[after] = self._with_joined(values[before[0]], original[after[len(before) :]])
        return values

    def _with_joined(self, centre: Vector, others: Matrix) -> Vector:
        """What is released of a class that others join: its centre, generalised so far that it is true of them."""
        made = centre.copy()
        for j in self.mixed.generalised:
            codes = np.append(centre[j], others[:, j])
            made[j] = self.mixed.taxonomies[j].generalised(codes, np.zeros(len(codes), dtype=np.intp))[0]
        return made
