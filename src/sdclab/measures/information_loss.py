"""information_loss: how wide the classes of a release are, in the original file.

Byun, Kamra, Bertino & Li (2007); Ahmed & Rauf (2016), equation 5: the sum over the classes of size times width.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from sdclab.base.describe import Given, Number
from sdclab.clustering.classes import classes
from sdclab.clustering.k_member import Normalised, loss, ranges
from sdclab.clustering.taxonomy import Taxonomies, split
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Matrix

NUMBERS = {
    "information_loss": Number("information loss of the classes", "loss", 0, better="less"),
    "information_loss_remeasured": Number(
        "information loss of the classes, re-measured ranges", "loss", 0, better="less"
    ),
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    taxonomies: Taxonomies = {},
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """The loss with the ranges of the original as denominator, and with those of the protected file (`_remeasured`).

    The latter is infinite when an attribute was released constant. A class is a set of records released alike, so a
    release without classes loses nothing here. A nominal attribute without a taxonomy has one of height 1, and an
    ordinal one counts by its ranks.
    """
    trees = {**_flat(columns), **{str(place): tree for place, tree in taxonomies.items()}}
    numeric, categories = split(original, trees)
    released, _ = split(protected, trees)
    groups, after = classes(protected), np.ptp(released, axis=0)
    values = {"information_loss": loss(Normalised(numeric / ranges(numeric), categories), groups)}
    if (after == 0).any():
        return {**values, "information_loss_remeasured": np.inf}
    return {**values, "information_loss_remeasured": loss(Normalised(numeric / after, categories), groups)}


def _flat(columns: Attributes | None) -> Mapping[str, Any]:
    """For every nominal dependent a tree in which all categories meet at the root."""
    every = enumerate(columns.dependent if columns else (), start=1)
    return {str(place): list(range(len(each.categories))) for place, each in every if each.type == "nominal"}
