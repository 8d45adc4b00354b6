"""score: the mean of information loss and disclosure risk.

Domingo-Ferrer & Torra (2001); Cano (2009), section 2.4.3: score = 0.5 PIL + 0.5 DR.
"""

from collections.abc import Mapping

from sdclab.measures import MEASURES
from sdclab.measures.dr import measure as measure_dr
from sdclab.measures.pil import measure as measure_pil
from sdclab.numerics.arrays import Matrix


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    dr: Mapping[str, object] = {},
) -> dict[str, float]:
    """The score with PIL, DR and all their parts; `dr` takes the options of that measure."""
    files = original, protected, independent
    loss = measure_pil(*files)
    risk = measure_dr(*files, **MEASURES.checked("dr", dr))
    return {"score": (loss["pil"] + risk["dr"]) / 2, **loss, **risk}
