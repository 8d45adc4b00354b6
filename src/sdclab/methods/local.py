"""Local masking: another method, the mask, inside the clusters of a mixture.

Oganian & Domingo-Ferrer (2017), section 8: the combination of clustering and within-cluster masking, parallel to the
local synthesis of `hybrid`.
"""

from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc, Given
from sdclab.base.errors import SdclabError
from sdclab.clustering.mixture import Components
from sdclab.methods import Release, release
from sdclab.methods.hybrid import Clusters, Enforce, MixtureStart, Model, Weight, clustered, seen, with_least_records
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Matrix

RELEASES = "every cluster of the mixture of `hybrid` masked by `noise_cov`, `mdav`, `swap` or `calibrated`"
KEEPS = "in every cluster and of the file, what the mask keeps"

AMOUNT = {"noise_cov": "c", "mdav": "k", "swap": "p", "calibrated": "delta"}
"""The parameter of each mask that says how much it does."""

GRID = {"k": [20], "mask": list(AMOUNT)}


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    mask: Annotated[
        Literal["noise_cov", "mdav", "swap", "calibrated"], Doc("the method that is applied to every cluster")
    ] = "noise_cov",
    amount: Annotated[
        float | None,
        Doc("c of noise_cov, k of mdav, p of swap or delta of calibrated; if nothing is said, what it is by default"),
    ] = None,
    k: Weight = 60,
    clusters: Clusters = None,
    model: Model = "any",
    start: MixtureStart = "mclust",
    enforce: Enforce = False,
    components: Annotated[Components, Doc("of the mixture: normal, or t with estimated degrees of freedom")] = "normal",
    columns: Annotated[Attributes | None, Given()] = None,
) -> Release:
    """Cluster as `hybrid` does, then mask every cluster as if it were the file.

    What a mask keeps of a file, as means, covariances or margins, is kept of every cluster. While the mask refuses a
    cluster, for which it needs more records, the smallest cluster is dissolved, its own going to the next likely; if
    it refuses the last one, which is the file, so does this method.
    """
    numbers = seen(dependent, independent, columns)
    if not numbers.shape[1]:
        raise SdclabError("every dependent is dichotomous, but at least one must be continuous.")
    chosen, labels = clustered(numbers, k, clusters, model, start, enforce, components)
    parameters = {} if amount is None else {AMOUNT[mask]: int(amount) if amount.is_integer() else amount}
    about = None if columns is None else _inside(columns, dependent, independent)
    while True:
        members = [np.flatnonzero(labels == label) for label in np.unique(labels)]
        sizes = [len(each) for each in members]
        try:
            made = [release(mask, dependent[each], independent[each], rng, parameters, about) for each in members]
            break
        except SdclabError as error:
            if len(members) == 1:
                raise SdclabError(str(error).removeprefix("method ")) from error
            labels = with_least_records(chosen.shares, min(sizes) + 1)
    values = np.empty_like(dependent)
    values[np.concatenate(members)] = np.concatenate([each.values for each in made])
    facts = {"clusters": len(sizes), "smallest_cluster": min(sizes), "largest_cluster": max(sizes), "bic": chosen.bic}
    return Release(values, facts)


def _inside(columns: Attributes, dependent: Matrix, independent: Matrix) -> Attributes:
    """What columns hold for a mask: independents have become numbers before they came here."""
    return Attributes(columns.dependent, Attributes.of_numbers(dependent, independent).independent)
