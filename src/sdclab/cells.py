"""Running a cell: protect and measure, once a replicate."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sdclab import measures, methods
from sdclab.data.dataset import Dataset
from sdclab.errors import SdclabError
from sdclab.grids import Cell
from sdclab.measures import MEASURES
from sdclab.methods import METHODS
from sdclab.provenance import code_fingerprint, versions
from sdclab.scenarios import Scenario
from sdclab.seeds import seed_of, stream

IDENTITY = ("study", "scenario", "method", "parameters", "replicate", "seed")
PROVENANCE = ("dataset", "dataset_kind", "fingerprint", "code", "versions")
"""Columns before and behind the measured ones in a cell's rows."""


def code_of(method: str, measured: Mapping[str, Mapping[str, object]]) -> str:
    """The fingerprint of the code behind a cell: its method, its measures and this module."""
    chosen = [METHODS.module(method), *(MEASURES.module(name) for name in measured)]
    return code_fingerprint(["sdclab.cells", *chosen])


def run(
    cell: Cell,
    scenario: Scenario,
    dataset: Dataset,
    measured: Mapping[str, Mapping[str, object]],
) -> list[dict[str, Any]]:
    """One row a replicate, each with what was measured and all that is needed to get it again."""
    dependent, independent = scenario.split(dataset)
    about = {
        "dataset": dataset.name,
        "dataset_kind": dataset.kind,
        "fingerprint": dataset.fingerprint,
        "code": code_of(cell.method, measured),
        "versions": versions(["sdclab", "numpy", "scipy"]),
    }
    rows = []
    for replicate in range(cell.replicates):
        seed = seed_of(cell.scenario, cell.method, dict(cell.parameters), replicate)
        protected = methods.protect(cell.method, dependent, independent, stream(seed), cell.parameters)
        if not np.isfinite(protected).all():
            column = scenario.dependent[int(np.argwhere(~np.isfinite(protected))[0][1])]
            raise SdclabError(f"cell {cell.name}: the protected column {column} is not finite.")
        values: dict[str, float] = {}
        for name, options in measured.items():
            values |= measures.measure(name, dependent, protected, independent, options)
        identity = (cell.study, cell.scenario, cell.method, cell.slug, replicate, seed)
        rows.append({**dict(zip(IDENTITY, identity, strict=True)), **values, **about})
    return rows
