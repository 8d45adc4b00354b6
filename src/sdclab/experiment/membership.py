"""What attacks gain on the releases of a cell: the method is run again, so no control has to be set aside."""

import numpy as np

from sdclab.experiment.cell import Cell, Measures, run
from sdclab.experiment.scenario import AnyScenario
from sdclab.microdata.dataset import Dataset

SPLITS = 20
ATTACKS = ("singling_out", "linkability", "inference")


def attacked(cell: Cell, scenario: AnyScenario, dataset: Dataset, splits: int = SPLITS) -> dict[str, float]:
    """Membership by half-splits: the numbers of the measure `membership`, means over the cell's replicates."""
    return _mean(cell, scenario, dataset, {"membership": {"splits": splits}})


def attacks(cell: Cell, scenario: AnyScenario, dataset: Dataset) -> dict[str, float]:
    """The attacks with a control, on a release of half of the records with the others as control."""
    return _mean(cell, scenario, dataset, {name: {} for name in ATTACKS})


def _mean(cell: Cell, scenario: AnyScenario, dataset: Dataset, measured: Measures) -> dict[str, float]:
    rows = run(cell, scenario, dataset, measured)
    names = [name for name in rows[0] if name.startswith(tuple(measured))]
    return {name: float(np.mean([row[name] for row in rows])) for name in names}
