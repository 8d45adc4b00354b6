"""score: the mean of information loss and disclosure risk.

Domingo-Ferrer & Torra (2001); Cano (2009), section 2.4.3: score = 0.5 PIL + 0.5 DR.
"""

from collections.abc import Mapping
from typing import Annotated

from sdclab.base.describe import Doc, Number
from sdclab.measures import MEASURES, pil
from sdclab.measures import dr as disclosure_risk
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
    dr: Annotated[Mapping[str, object], Doc("options of the measure dr")] = {},
) -> dict[str, float]:
    """The score with PIL, DR and all their parts."""
    files = original, protected, independent
    loss = pil.measure(*files)
    risk = disclosure_risk.measure(*files, **MEASURES.checked("dr", dr))
    return {"score": (loss["pil"] + risk["dr"]) / 2, **loss, **risk}
