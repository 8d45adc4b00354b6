"""From a grid as data to its cells: scenario × method × parameters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from typing import Any

from sdclab.base.errors import SdclabError, shortened

MOST_CELLS = 100_000
"""Of one study. The four shipped ones have 496 together."""
MOST_LETTERS = 100
"""Of a cell's parameters: two cells name a file, whose name has at most 255."""


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


@dataclass(frozen=True)
class Batch:
    """Cells of one scenario and method that one job computes and one file holds: starting a job costs a second."""

    cells: tuple[Cell, ...]

    @property
    def slug(self) -> str:
        """The first and the last cell's parameters as a file name; Snakemake submits no job with a comma in it."""
        first, last = (self.cells[i].slug.replace(",", "+") for i in (0, -1))
        return first if len(self.cells) == 1 else f"{first}..{last}"

    @property
    def path(self) -> str:
        """Where its file is among the cells, without ending."""
        return f"{self.cells[0].study}/{self.cells[0].scenario}/{self.cells[0].method}/{self.slug}"


def batches(cells: Iterable[Cell], most: int) -> list[Batch]:
    """Batches of at most so many cells and of nearly equal size, in the grid's order."""
    together: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        together.setdefault((cell.study, cell.scenario, cell.method), []).append(cell)
    found = []
    for group in together.values():
        count = -(-len(group) // most)
        bounds = [i * len(group) // count for i in range(count + 1)]
        found += [Batch(tuple(group[a:b])) for a, b in pairwise(bounds)]
    return found


def values_of(choice: Any) -> list[Any]:
    """A parameter's values: one, a list, or a range {from, to, step} with both ends."""
    if isinstance(choice, Mapping):
        first, last, step = choice["from"], choice["to"], choice.get("step", 1)
        if last < first:
            raise SdclabError(f"a range from {first} to {last} is empty; from must not exceed to.")
        if (Fraction(last) - Fraction(first)) / Fraction(step) >= MOST_CELLS:  # exact, so that nothing overflows
            raise SdclabError(f"a range from {first} to {last} by {step} has more than {MOST_CELLS} values.")
        count = int((last - first) / step + 1e-9) + 1
        values = [round(first + i * step, 12) for i in range(count)]
        if values[-1:] == values[-2:-1]:
            raise SdclabError(f"a range from {first} to {last} by {step} has too small a step: its values are alike.")
        return values
    return list(choice) if isinstance(choice, list) else [choice]


def thinned(values: Sequence[Any], most: int | None) -> list[Any]:
    """At most so many values, spread evenly with both ends kept; for a quick run of the whole workflow."""
    if most is None or len(values) <= most:
        return list(values)
    if most == 1:
        return [values[0]]
    return [values[round(i * (len(values) - 1) / (most - 1))] for i in range(most)]


def expand(
    study: str,
    scenarios: Sequence[str],
    grid: Iterable[Mapping[str, Any]],
    replicates: int,
    most_values: int | None = None,
    most_replicates: int | None = None,
) -> list[Cell]:
    """All cells of a grid, in its order. An entry may name its own scenarios and replicates."""
    cells: list[Cell] = []
    for entry in grid:
        choices = entry.get("parameters", {})
        where = f"study {study}: grid: method {entry['method']}"
        lists = [thinned(_values(choice, f"{where}: {key}"), most_values) for key, choice in choices.items()]
        places = entry.get("scenarios", scenarios)
        count = entry.get("replicates", replicates)
        count = min(count, most_replicates or count)
        if len(cells) + len(places) * prod(map(len, lists)) > MOST_CELLS:  # counted before any is made
            raise SdclabError(f"{where}: with this entry the grid has more than {MOST_CELLS} cells.")
        for scenario, values in product(places, product(*lists)):
            parameters = dict(zip(choices, values, strict=True))
            cells.append(Cell(study, scenario, entry["method"], parameters, count))
    _check_names(study, cells)
    return cells


def _values(choice: Any, where: str) -> list[Any]:
    try:
        return values_of(choice)
    except SdclabError as error:
        raise SdclabError(f"{where}: {error}") from None


def _check_names(study: str, cells: Sequence[Cell]) -> None:
    """Every cell has a name of its own that can be part of a file's."""
    seen: set[str] = set()
    for cell in cells:
        if len(cell.slug) > MOST_LETTERS:
            place = f"study {study}: cell {shortened(cell.name)}"
            raise SdclabError(f"{place}: its parameters have more than {MOST_LETTERS} letters.")
        if cell.name in seen:
            raise SdclabError(f"study {study}: the grid names the cell {cell.name} twice.")
        seen.add(cell.name)
