"""DR: disclosure risk, the mean of linkage and interval disclosure.

Domingo-Ferrer & Torra (2001); Cano (2009), section 2.4.2: DR = 0.5 (DBRL + PRL) / 2 + 0.5 ID.
"""

from collections.abc import Mapping

from sdclab.measures import MEASURES
from sdclab.measures.dbrl import measure as measure_dbrl
from sdclab.measures.interval import measure as measure_interval
from sdclab.measures.prl import measure as measure_prl
from sdclab.numerics.arrays import Matrix


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    dbrl: Mapping[str, object] = {},
    prl: Mapping[str, object] = {},
    interval: Mapping[str, object] = {},
) -> dict[str, float]:
    """DR and its three components, each from 0 to 100; every component takes its own options."""
    files = original, protected, independent
    parts = {
        **measure_dbrl(*files, **MEASURES.checked("dbrl", dbrl)),
        **measure_prl(*files, **MEASURES.checked("prl", prl)),
        **measure_interval(*files, **MEASURES.checked("interval", interval)),
    }
    return {"dr": 0.25 * (parts["dbrl"] + parts["prl"]) + 0.5 * parts["interval"], **parts}
