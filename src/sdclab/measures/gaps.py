"""gaps: how many values are missing, and how far the patterns of what is missing are apart.

A record's pattern tells which of its attributes are missing. A release may have as many gaps as the original, and still
have them together where the original has not. A missing value is NaN.
"""

from typing import Annotated

import numpy as np

from sdclab.base.describe import Given, Number
from sdclab.clustering.classes import Distinct
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Matrix

WITH_GAPS = True

NUMBERS = {
    "gaps": Number("distance of the patterns of gaps", "loss", 0, 100, "%", "less"),
    "gaps_original": Number("values missing from the original", low=0, high=100, unit="%"),
    "gaps_protected": Number("values missing from the release", low=0, high=100, unit="%"),
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """The total variation distance (0 to 100) of the patterns in both files, and the shares of missing dependents.

    The independents are in the patterns, too, so that it counts which of their gaps those of dependents go with. A
    gap is one whatever a column holds: `columns` is asked for so that those of categories come as well.
    """
    n = len(original)
    before, after = (np.isnan(np.column_stack([part, independent])) for part in (original, protected))
    patterns = Distinct.of(np.vstack([before, after]))
    counts = [np.bincount(each, minlength=len(patterns.records)) for each in np.split(patterns.which, 2)]
    return {
        "gaps": 50 * float(np.abs(counts[0] - counts[1]).sum()) / n,
        "gaps_original": 100 * float(np.isnan(original).mean()),
        "gaps_protected": 100 * float(np.isnan(protected).mean()),
    }
