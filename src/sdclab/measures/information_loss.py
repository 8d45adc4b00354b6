"""information_loss: how wide the classes of a release are, in the original file.

Byun, Kamra, Bertino & Li (2007); Ahmed & Rauf (2016), equation 5: the sum over the classes of size times width.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from sdclab.base.describe import Given, Number
from sdclab.clustering.classes import classes
from sdclab.clustering.k_member import Normalised, loss, ranges, widths
from sdclab.clustering.taxonomy import Taxonomies, Taxonomy, placed, split
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Matrix

NUMBERS = {
    "information_loss": Number("information loss of the classes", "loss", 0, better="less"),
    "information_loss_remeasured": Number(
        "information loss of the classes, re-measured ranges", "loss", 0, better="less"
    ),
    "information_loss_numbers": Number("part of the information loss: numbers and ranks", "loss", 0, better="less"),
    "information_loss_categories": Number("part of the information loss: categories", "loss", 0, better="less"),
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
    ordinal one counts by its ranks. A generalised category counts by how high it stands, even if its class has but one
    category. The two terms of the equation stand beside their sum.
    """
    places = placed(original.shape[1], taxonomies, columns)
    for j, taxonomy in places.items():
        taxonomy.check(protected[:, j])
    numeric, categories = split(original, taxonomies, columns)
    records, groups = Normalised(numeric / ranges(numeric), categories), classes(protected)
    several = [members for members in groups if len(members) > 1]  # a single record has no width
    after = np.ptp(np.delete(protected, list(places), axis=1), axis=0)
    remeasured = np.inf if (after == 0).any() else _loss(Normalised(numeric / after, categories), several)
    beyond = _beyond(categories, protected[:, list(places)], groups)
    parts = {name: _loss(part, several) for name, part in records.parts().items()}
    return {
        "information_loss": _loss(records, several) + beyond,
        "information_loss_remeasured": remeasured + beyond,
        "information_loss_numbers": parts["numbers"],
        "information_loss_categories": parts["categories"] + beyond,
    }


def _loss(records: Normalised, groups: Sequence[Indices]) -> float:
    return loss(records, groups) if groups else 0.0


def _beyond(categories: Sequence[tuple[Taxonomy, Indices]], released: Matrix, groups: Sequence[Indices]) -> float:
    """What classes lose whose categories were generalised further than they differ: records of others were near."""
    first, sizes = np.array([members[0] for members in groups]), np.array(list(map(len, groups)))
    total = 0.0
    for (taxonomy, leaves), codes in zip(categories, released.T, strict=True):
        differ = widths(Normalised(np.empty((len(leaves), 0)), [(taxonomy, leaves)]), groups)
        total += float(sizes @ np.maximum(taxonomy.height_of(codes[first]) - differ, 0.0))
    return total
