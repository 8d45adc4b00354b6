"""DR: disclosure risk, the mean of linkage and interval disclosure.

Domingo-Ferrer & Torra (2001); Cano (2009), section 2.4.2: DR = 0.5 (DBRL + PRL) / 2 + 0.5 ID.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from sdclab.base.describe import Number, OptionsOf
from sdclab.measures import dbrl as by_distance
from sdclab.measures import interval as by_interval
from sdclab.measures import prl as by_agreement
from sdclab.numerics.arrays import Matrix

NUMBERS = {
    "dr": Number("disclosure risk DR", "risk", 0, 100, better="less"),
    **by_distance.NUMBERS,
    **by_agreement.NUMBERS,
    **by_interval.NUMBERS,
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    dbrl: Annotated[Mapping[str, Any], OptionsOf("dbrl")] = {},
    prl: Annotated[Mapping[str, Any], OptionsOf("prl")] = {},
    interval: Annotated[Mapping[str, Any], OptionsOf("interval")] = {},
) -> dict[str, float]:
    """DR and its three components."""
    files = original, protected, independent
    parts = {
        **by_distance.measure(*files, **dbrl),
        **by_agreement.measure(*files, **prl),
        **by_interval.measure(*files, **interval),
    }
    return {"dr": 0.25 * (parts["dbrl"] + parts["prl"]) + 0.5 * parts["interval"], **parts}
