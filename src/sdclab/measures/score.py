"""score: the mean of information loss and disclosure risk.

Domingo-Ferrer & Torra (2001); Cano (2009), section 2.4.3: score = 0.5 PIL + 0.5 DR.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from sdclab.base.describe import Given, Number, OptionsOf
from sdclab.measures import dr as disclosure_risk
from sdclab.measures import numbers_of, tables
from sdclab.measures import pil as probabilistic_loss
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Matrix

NUMBERS = {
    "score": Number("mean of PIL and DR", "loss and risk", 0, 100, better="less"),
    **probabilistic_loss.NUMBERS,
    **disclosure_risk.NUMBERS,
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    pil: Annotated[Mapping[str, Any], OptionsOf("pil")] = {},
    dr: Annotated[Mapping[str, Any], OptionsOf("dr")] = {},
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """The score with PIL, DR and all their parts.

    PIL is that of the numbers. Where no dependent is one it is NaN, and the score's loss is `tables`.
    """
    files = original, protected, independent
    risk = disclosure_risk.measure(*files, **dr, columns=columns)
    if columns is None or columns.numbers().any():
        loss = probabilistic_loss.measure(*numbers_of(files, columns), **pil)
        return {"score": (loss["pil"] + risk["dr"]) / 2, **loss, **risk}
    distance = tables.measure(*files, columns=columns)["tables"]
    return {"score": (distance + risk["dr"]) / 2, **dict.fromkeys(probabilistic_loss.NUMBERS, np.nan), **risk}
