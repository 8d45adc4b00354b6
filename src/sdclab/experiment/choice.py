"""Choosing a method for a file: every method's grid, run and measured on it, and what speaks for which point."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sdclab import measures, methods
from sdclab.base.errors import SdclabError, reason, shortened
from sdclab.base.progress import doing, each_of
from sdclab.experiment import exposed
from sdclab.experiment.cell import Cell, Measures, releases, run
from sdclab.experiment.comparison import OPTIONS
from sdclab.experiment.file import Prepared
from sdclab.experiment.gate import measures_of
from sdclab.experiment.grid import GridEntry, expand
from sdclab.experiment.halves import needs_halves
from sdclab.experiment.ranking import PLAIN, Aim, Row, label, points, ranking, spaced
from sdclab.experiment.scenario import Scenario
from sdclab.measures import intact, prl
from sdclab.measures.copy import crowding
from sdclab.methods import METHODS
from sdclab.microdata.attribute import Attributes
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.microdata import Say
from sdclab.microdata.roles import Roles
from sdclab.numerics.draws import some
from sdclab.numerics.seeds import seed_of

SAMPLE_SIZE = 5_000
"""Of a longer file a random sample of so many records is mapped: linkage costs time with the square of the records."""

MAX_REPLICATES = 1_000
"""Releases a point, at most: what more would add to a mean is not worth waiting for."""

MEASURED: Mapping[str, Mapping[str, object]] = {
    "score": OPTIONS["score"],
    "tables": {},
    "s_pmse": {},
    "xy": {},
    "copy": {},
    "intact": {},
    "membership": {"splits": 2},
}
"""At every point. Membership runs the method again on halves of the records; two tell it to a few points of AUC."""


def check_replicates(replicates: int) -> None:
    if not 1 <= replicates <= MAX_REPLICATES:
        given = shortened(str(replicates))
        raise SdclabError(f"--replicates is {given} but must lie between 1 and {MAX_REPLICATES}.")


def sampled(dataset: Dataset, size: int = SAMPLE_SIZE) -> Dataset:
    """At most so many records, drawn at random without replacement; the same for the same number of records."""
    n = len(dataset.values)
    if n <= size:
        return dataset
    source = f"{size} of the {n} records of {dataset.source}"
    return dataset.with_values(dataset.kind, source, dataset.values[some(n, size)])


@dataclass
class Explored:
    """The rows of every cell that ran, each with its cell, and why others did not: (method, reason) -> parameters."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    reasons: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def refuse(self, method: str, error: Exception, parameters: str = "") -> None:
        why = reason(error).removeprefix(f"method {method}: ")  # who is meant stands beside it
        self.reasons.setdefault((method, why), []).append(parameters)

    def refusals(self) -> list[str]:
        """One line for every reason why a method, or some parameters of it, could not run."""
        lines = []
        for (method, why), parameters in self.reasons.items():
            which = "; ".join(filter(None, map(spaced, parameters)))
            lines.append(f"{method} ({which}): {why}" if which else f"{method}: {why}")
        return lines


@dataclass(frozen=True)
class Choice:
    """What was tried on a table, on how many of its records, and what came of it."""

    records: int
    seen: int
    roles: Roles
    crowding: float
    explored: Explored
    aim: Aim = PLAIN
    warnings: tuple[str, ...] = ()
    """what the columns give away that are released as they are, and the first of the ranking"""

    @cached_property
    def lines(self) -> list[Row]:
        return points(self.explored.rows, self.aim.quantities)

    @cached_property
    def ranked(self) -> list[Row]:
        return ranking(self.lines, self.aim)


def choose(
    prepared: Prepared,
    names: Iterable[str] = (),
    replicates: int = 1,
    note: Say = lambda line: None,
    aim: Aim | None = None,
) -> Choice:
    """Try methods, all of them if none is named, on a table or a sample of it; `note` hears what its owner should know.

    Points are ranked by the aim.
    """
    aim = aim or PLAIN
    check_replicates(replicates)
    roles, scenario, whole = prepared.roles, prepared.scenario, prepared.dataset
    dataset = sampled(whole)
    dependent, columns = dataset.select(scenario.dependent, dataset.name), scenario.attributes(dataset)
    if len(linked := prl.informative(dependent, columns=columns)) < dependent.shape[1]:
        note(f"probabilistic linkage (PRL, a part of DR) looks at {len(linked)} of {dependent.shape[1]} dependents")
    explored = explore(scenario, dataset, names or METHODS, replicates, _measured(aim))
    if not explored.rows:
        raise SdclabError(f"{dataset.name}: no method could run. " + " ".join(explored.refusals()))
    seen = len(dataset.values)
    made = Choice(len(whole.values), seen, roles, crowding(dependent, columns), explored, aim)
    return replace(made, warnings=(*exposed.warnings(prepared), *_of_the_first(made.ranked[0], scenario, dataset)))


def _measured(aim: Aim) -> dict[str, Mapping[str, object]]:
    """What is measured at every point, and what the aim is about besides."""
    known = {quantity for name in MEASURED for quantity in measures.numbers(name)}
    others = [quantity for quantity in aim.quantities if quantity not in known]
    return {**MEASURED, **{name: OPTIONS.get(name, {}) for name in measures_of(others)}}


def _of_the_first(row: Row, scenario: Scenario, dataset: Dataset) -> list[str]:
    """What can be read off a release of the first point of the ranking, column by column; it is made once more."""
    cell = row["cell"]
    split, attributes = scenario.split(dataset), scenario.attributes(dataset)
    seed = seed_of(cell.scenario, cell.method, dict(cell.parameters), 0)
    ((_, made),) = releases(cell, scenario, [split], seed, attributes)
    found = intact.compare(split[0], made.values, attributes)
    return [f"{label(row['method'], row['parameters'])}: {line}" for line in intact.warnings(found, scenario.dependent)]


def explore(
    scenario: Scenario,
    dataset: Dataset,
    names: Iterable[str],
    replicates: int = 1,
    measured: Measures = MEASURED,
) -> Explored:
    """Run the grid of every method; one that cannot run is noted and does not stop the others."""
    dependent, independent = scenario.split(dataset)
    attributes = scenario.attributes(dataset)
    plain = {name: options for name, options in measured.items() if not needs_halves(name)}
    for name, options in plain.items():  # what cannot be measured at all is an error, not a reason for each method
        measures.measure(name, dependent, dependent, independent, options, attributes)
    found = Explored()
    waiting = [cell for name in names for cell in _cells(scenario, name, replicates, found, attributes)]
    for cell in each_of(waiting, "cells"):
        try:
            with doing(label(cell.method, cell.slug)):
                found.rows += [{**row, "cell": cell} for row in _run(cell, scenario, dataset, measured, plain)]
        except Exception as error:
            found.refuse(cell.method, error, cell.slug)
    return found


def _run(cell: Cell, scenario: Scenario, dataset: Dataset, measured: Measures, plain: Measures) -> list[dict[str, Any]]:
    """The rows of a cell; where a method runs on all records, but not on half of them, without what needs halves."""
    try:
        return run(cell, scenario, dataset, measured)
    except SdclabError:
        return run(cell, scenario, dataset, plain)


def _cells(
    scenario: Scenario, method: str, replicates: int, found: Explored, attributes: Attributes | None
) -> Sequence[Cell]:
    try:
        if attributes is not None:
            attributes.check_taken(f"method {method}", methods.takes(method))
        entry = {"method": method, "parameters": methods.grid(method)}
        cells = expand("own", [GridEntry.parse(entry, [scenario.name], replicates, "grid")])
        for cell in cells:
            METHODS.checked(method, cell.parameters)
    except Exception as error:  # a method of another package that cannot be loaded
        found.refuse(method, error)
        return []
    return cells
