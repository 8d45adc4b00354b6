"""score: the mean of information loss and disclosure risk.

Domingo-Ferrer & Torra (2001); Cano (2009), section 2.4.3: score = 0.5 PIL + 0.5 DR.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from sdclab.base.describe import Number, OptionsOf
from sdclab.measures import dr as disclosure_risk
from sdclab.measures import pil
from sdclab.numerics.arrays import Matrix

NUMBERS = {
    "score": Number("mean of PIL and DR", "loss and risk", 0, 100, better="less"),
    **pil.NUMBERS,
    **disclosure_risk.NUMBERS,
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    dr: Annotated[Mapping[str, Any], OptionsOf("dr")] = {},
) -> dict[str, float]:
    """The score with PIL, DR and all their parts."""
    files = original, protected, independent
    loss = pil.measure(*files)
    risk = disclosure_risk.measure(*files, **dr)
    return {"score": (loss["pil"] + risk["dr"]) / 2, **loss, **risk}
