"""A cell: one point of a grid. Running it: protect and measure, once a replicate."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sdclab import measures, methods
from sdclab.base.errors import SdclabError, reason
from sdclab.experiment.halves import Halves, needs_halves
from sdclab.experiment.protection import protected, rounded
from sdclab.experiment.provenance import code_fingerprint, processor, versions
from sdclab.experiment.scenario import AnyScenario, Split
from sdclab.measures import MEASURES, VARIANT, name_of, variant
from sdclab.methods import METHODS, Release
from sdclab.microdata.attribute import Attributes
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.rules import Rules
from sdclab.numerics.seeds import seed_of, stream

Measures = Mapping[str, Mapping[str, object]]
"""The measures to apply, with their options; one that is applied under several is named with each as a `variant`."""

REFUSED = "not_applicable"
"""The column that says why a method cannot be applied, in a row without numbers."""


@dataclass(frozen=True)
class Cell:
    """One point of a grid; its replicates run together."""

    study: str
    scenario: str
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    replicates: int = 1

    @property
    def slug(self) -> str:
        """The parameters as a file name."""
        return ",".join(f"{key}={value}" for key, value in self.parameters.items()) or "default"

    @property
    def name(self) -> str:
        return f"{self.scenario}/{self.method}/{self.slug}"


def code_of(method: str, measured: Iterable[str]) -> str:
    """The fingerprint of the code behind a cell: its method, its measures and this module."""
    chosen = [METHODS.module(method), *(MEASURES.module(name) for name in dict.fromkeys(map(name_of, measured)))]
    return code_fingerprint([__name__, *chosen])


def run_all(
    cells: Sequence[Cell],
    scenario: AnyScenario,
    dataset: Dataset,
    measured: Measures,
    code: str,
    may_fail: bool = False,
) -> list[dict[str, Any]]:
    """The rows of several cells; what goes wrong is said with the name of the cell.

    A cell whose method does not take the types of the dependents has one row, without numbers, that says so. If cells
    may fail, so has one whose method or measure cannot work: a reading under which nothing can be computed is one, too.
    """
    rows = []
    for cell in cells:
        try:
            refused = _refusal(cell, scenario.attributes(dataset))
            rows += (
                [_refused(cell, dataset, code, refused)] if refused else run(cell, scenario, dataset, measured, code)
            )
        except Exception as error:
            if not (may_fail and isinstance(error, SdclabError)):
                raise SdclabError(f"cell {cell.name}: {reason(error)}") from error
            rows.append(_refused(cell, dataset, code, str(error)))
    return rows


def run(
    cell: Cell, scenario: AnyScenario, dataset: Dataset, measured: Measures, code: str = ""
) -> list[dict[str, Any]]:
    """One row a replicate, each with what was measured and all that is needed to get it again.

    `code` is the fingerprint of the code behind the cell (`code_of`), which the workflow knows already.
    """
    splits = list(scenario.splits(dataset, cell.parameters))
    attributes, rules = scenario.attributes(dataset), scenario.ruled(dataset)
    about = _about(dataset, code)
    rows = []
    for replicate in range(cell.replicates):
        seed = seed_of(cell.scenario, cell.method, dict(cell.parameters), replicate)
        made = releases(cell, scenario, splits, seed, attributes, rules)
        each = [_measured(cell, scenario, *pair, measured, attributes, seed, rules) for pair in made]
        values = _mean(each)
        identity = {**_identity(cell), "replicate": replicate, "seed": seed}
        taken = [name for name in values if name in identity or name in about or name == REFUSED]
        if taken:
            raise SdclabError(f"a method or measure calls a number {taken[0]}, but every row has such a column.")
        rows.append({**identity, **values, **about})
    return rows


def _identity(cell: Cell) -> dict[str, Any]:
    return {
        "study": cell.study,
        "cell": cell.name,
        "scenario": cell.scenario,
        "method": cell.method,
        "parameters": cell.slug,
    }


def _about(dataset: Dataset, code: str) -> dict[str, str]:
    return {
        "dataset": dataset.name,
        "dataset_kind": dataset.kind,
        "fingerprint": dataset.fingerprint,
        "code": code,
        "versions": versions(["sdclab", "numpy", "scipy"]),
        "processor": processor(),
    }


def _refusal(cell: Cell, attributes: Attributes | None) -> str:
    """Why a cell's method cannot be applied to dependents of these types; nothing if it can."""
    try:
        if attributes is not None:
            attributes.check_taken(f"method {cell.method}", methods.takes(cell.method))
    except SdclabError as error:
        return str(error)
    return ""


def _refused(cell: Cell, dataset: Dataset, code: str, why: str) -> dict[str, Any]:
    """The row of a cell that is not applicable."""
    return {**_identity(cell), REFUSED: why, **_about(dataset, code)}


def refusals(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Which methods are not applicable in which scenario, and why, each once."""
    return list(dict.fromkeys(f"scenario {row['scenario']}: {row[REFUSED]}" for row in rows if row.get(REFUSED)))


def columns_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns of rows of several cells: a cell need not have all that another has."""
    return list(dict.fromkeys(column for row in rows for column in row))


def releases(
    cell: Cell,
    scenario: AnyScenario,
    splits: Sequence[Split],
    seed: int,
    attributes: Attributes | None = None,
    rules: Rules | None = None,
) -> list[tuple[Split, Release]]:
    """What the cell's method makes of every split, from one random stream."""
    rng = stream(seed)
    parameters = of_method(cell, scenario)
    made = [(split, protected(cell.method, split, rng, parameters, attributes, rules)) for split in splits]
    return [(split, rounded(release, split[0])) for split, release in made] if scenario.rounded else made


def of_method(cell: Cell, scenario: AnyScenario) -> dict[str, Any]:
    """The parameters of a cell that are its method's."""
    return {key: value for key, value in cell.parameters.items() if key not in scenario.takes}


def _measured(
    cell: Cell,
    scenario: AnyScenario,
    split: Split,
    made: Release,
    measured: Measures,
    attributes: Attributes | None,
    seed: int,
    rules: Rules | None,
) -> dict[str, float]:
    """The numbers of a release. Measures that need people outside it look at releases of half of the records."""
    dependent, independent = split
    values = dict(made.facts)
    halves = Halves(cell.method, of_method(cell, scenario), split, attributes, seed, rules)
    for key, options in measured.items():
        name, _, label = key.partition(VARIANT)
        try:
            if needs_halves(name):
                found = halves.measured(name, options)
            else:
                found = measures.measure(name, dependent, made.values, independent, options, attributes, rules=rules)
        except SdclabError:
            if not label:
                raise
            continue  # under some of several options a number may not exist
        values |= {variant(number, label): value for number, value in found.items()}
    return values


def _mean(each: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean over the splits; the numbers themselves when there is one."""
    return {name: float(np.mean([values[name] for values in each])) for name in each[0]}
