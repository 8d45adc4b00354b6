"""DR: disclosure risk, the mean of linkage and interval disclosure.

Domingo-Ferrer & Torra (2001); Cano (2009), section 2.4.2: DR = 0.5 (DBRL + PRL) / 2 + 0.5 ID.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from sdclab.base.describe import Given, Number, OptionsOf
from sdclab.measures import dbrl as by_distance
from sdclab.measures import interval as by_interval
from sdclab.measures import numbers_of
from sdclab.measures import prl as by_agreement
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Matrix

NUMBERS = {
    "dr": Number("disclosure risk DR", "risk", 0, 100, better="less"),
    "dr_excess": Number("disclosure risk DR beyond chance", "risk", 0, 100, better="less"),
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
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """DR and its three components, and DR with interval disclosure beyond chance in the place of all of it.

    Interval disclosure is that of the numbers. Where no dependent is one it is NaN, and DR is the mean of DBRL and PRL.
    """
    files = original, protected, independent
    linkage = {
        **by_distance.measure(*files, **dbrl, columns=columns),
        **by_agreement.measure(*files, **prl, columns=columns),
    }
    if columns is not None and not columns.numbers().any():
        linked = 0.5 * (linkage["dbrl"] + linkage["prl"])
        return {"dr": linked, "dr_excess": linked, **linkage, **dict.fromkeys(by_interval.NUMBERS, np.nan)}
    parts = {**linkage, **by_interval.measure(*numbers_of(files, columns), **interval)}
    linked = 0.25 * (parts["dbrl"] + parts["prl"])
    beyond = by_interval.excess(parts["interval"], parts["interval_chance"])
    return {"dr": linked + 0.5 * parts["interval"], "dr_excess": linked + 0.5 * beyond, **parts}
