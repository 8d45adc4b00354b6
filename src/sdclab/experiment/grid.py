"""From a grid as data to its cells: scenario × method × parameters."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from typing import Any

from sdclab.base.errors import SdclabError, shortened
from sdclab.experiment.cell import Cell
from sdclab.experiment.limits import UNLIMITED, Limits

MAX_CELLS = 100_000
"""Of one study. The four shipped ones have 496 together."""
MAX_LETTERS = 100
"""Of a cell's parameters: two cells name a file, whose name has at most 255."""


@dataclass(frozen=True)
class Batch:
    """Cells of one scenario that one job computes and one file holds: starting a job costs a second."""

    cells: tuple[Cell, ...]

    @property
    def methods(self) -> list[str]:
        return list(dict.fromkeys(cell.method for cell in self.cells))

    @property
    def path(self) -> str:
        """Where its file is among the cells, without ending: the first and the last cell's methods and parameters.

        Snakemake submits no job with a comma in it.
        """
        first, last = self.cells[0], self.cells[-1]
        ends = (_span(first.method, last.method), _span(first.slug, last.slug).replace(",", "+"))
        return "/".join((first.study, first.scenario, *ends))


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first}..{last}"


def batches(cells: Iterable[Cell], limit: int, mixed: bool = False) -> list[Batch]:
    """Batches of at most so many cells and of nearly equal size, in the grid's order; of one method unless mixed."""
    together: dict[tuple[str, ...], list[Cell]] = {}
    for cell in cells:
        together.setdefault((cell.study, cell.scenario, *([] if mixed else [cell.method])), []).append(cell)
    found = []
    for group in together.values():
        count = -(-len(group) // limit)
        bounds = [i * len(group) // count for i in range(count + 1)]
        found += [Batch(tuple(group[a:b])) for a, b in pairwise(bounds)]
    return found


def values_of(choice: Any) -> list[Any]:
    """A parameter's values: one, a list, or a range {from, to, step} with both ends."""
    if isinstance(choice, Mapping):
        first, last, step = choice["from"], choice["to"], choice.get("step", 1)
        if last < first:
            raise SdclabError(f"a range from {first} to {last} is empty; from must not exceed to.")
        if (Fraction(last) - Fraction(first)) / Fraction(step) >= MAX_CELLS:  # exact, so that nothing overflows
            raise SdclabError(f"a range from {first} to {last} by {step} has more than {MAX_CELLS} values.")
        count = int((last - first) / step + 1e-9) + 1
        values = [round(first + i * step, 12) for i in range(count)]
        if values[-1:] == values[-2:-1]:
            raise SdclabError(f"a range from {first} to {last} by {step} has too small a step: its values are alike.")
        return values
    return list(choice) if isinstance(choice, list) else [choice]


@dataclass(frozen=True)
class GridEntry:
    """A method with the values of its parameters, all combined, in some scenarios."""

    method: str
    scenarios: tuple[str, ...]
    parameters: Mapping[str, tuple[Any, ...]]
    replicates: int

    @classmethod
    def parse(cls, given: Mapping[str, Any], scenarios: Iterable[str], replicates: int, where: str) -> "GridEntry":
        """From a config; an entry may name its own scenarios and replicates."""
        place = f"{where}: method {given['method']}"
        parameters = {key: _values(choice, f"{place}: {key}") for key, choice in given.get("parameters", {}).items()}
        chosen = tuple(given.get("scenarios", scenarios))
        return cls(given["method"], chosen, parameters, given.get("replicates", replicates))

    def thinned(self, limits: Limits) -> "GridEntry":
        parameters = {key: tuple(limits.fewer(values)) for key, values in self.parameters.items()}
        return replace(self, parameters=parameters, replicates=limits.bounded(self.replicates))

    @property
    def size(self) -> int:
        return len(self.scenarios) * prod(map(len, self.parameters.values()))

    def cells(self, study: str) -> Iterator[Cell]:
        for scenario, values in product(self.scenarios, product(*self.parameters.values())):
            parameters = dict(zip(self.parameters, values, strict=True))
            yield Cell(study, scenario, self.method, parameters, self.replicates)


def expand(study: str, grid: Iterable[GridEntry], limits: Limits = UNLIMITED) -> list[Cell]:
    """All cells of a grid, in its order."""
    cells: list[Cell] = []
    for entry in (each.thinned(limits) for each in grid):
        if len(cells) + entry.size > MAX_CELLS:  # counted before any is made
            where = f"study {study}: grid: method {entry.method}"
            raise SdclabError(f"{where}: with this entry the grid has more than {MAX_CELLS} cells.")
        cells += entry.cells(study)
    check_names(study, cells)
    return cells


def _values(choice: Any, where: str) -> tuple[Any, ...]:
    try:
        return tuple(values_of(choice))
    except SdclabError as error:
        raise SdclabError(f"{where}: {error}") from None


def check_names(study: str, cells: Sequence[Cell]) -> None:
    """Every cell has a name of its own that can be part of a file's."""
    seen: set[str] = set()
    for cell in cells:
        if len(cell.slug) > MAX_LETTERS:
            place = f"study {study}: cell {shortened(cell.name)}"
            raise SdclabError(f"{place}: its parameters have more than {MAX_LETTERS} letters.")
        if cell.name in seen:
            raise SdclabError(f"study {study}: the grid names the cell {cell.name} twice.")
        seen.add(cell.name)
