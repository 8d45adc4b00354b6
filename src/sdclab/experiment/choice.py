"""Choosing a method for a file: every method's grid, ranked by score, with the trade-off that each makes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from sdclab import measures, methods
from sdclab.base.errors import SdclabError, reason, shortened
from sdclab.experiment.cell import Cell, run
from sdclab.experiment.comparison import OPTIONS
from sdclab.experiment.file import Prepared
from sdclab.experiment.grid import GridEntry, expand
from sdclab.experiment.scenario import Scenario
from sdclab.measures import prl
from sdclab.measures.copy import copies, crowding
from sdclab.methods import METHODS
from sdclab.microdata.attribute import Attributes
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.microdata import Say
from sdclab.microdata.roles import Roles
from sdclab.numerics.seeds import seed_of, stream
from sdclab.numerics.ties import ascending

SAMPLE_SIZE = 5_000
"""Of a longer file a random sample of so many records is mapped: linkage costs time with the square of the records."""

MAX_REPLICATES = 1_000
"""Releases a point, at most: what more would add to a mean is not worth waiting for."""

MEASURED: Mapping[str, Mapping[str, object]] = {
    "score": OPTIONS["score"],
    "tables": {},
    "xy": {},
    "copy": {},
    "intact": {},
}

SHOWN = {"pil": "PIL", "dr": "DR", "tables": "tables"}

BROKEN = 50
"""From this loss on (`xy`), the relations with the independents are called broken; PIL does not see them."""

LEAN = 1.5
"""PIL and DR that differ by no more than this factor count as balanced."""

CARRIED = ("cell", "place")
"""Keys of a line that are not for a table."""

CAME_THROUGH = ("intact", "intact_records", "intact_extremes")

Row = Mapping[str, Any]

Progress = Callable[[int, int, str], None]
"""Takes how many of how many are done, and the name of the next."""


def check_replicates(replicates: int) -> None:
    if not 1 <= replicates <= MAX_REPLICATES:
        given = shortened(str(replicates))
        raise SdclabError(f"--replicates is {given} but must lie between 1 and {MAX_REPLICATES}.")


def sampled(dataset: Dataset, size: int = SAMPLE_SIZE) -> Dataset:
    """At most so many records, drawn at random without replacement; the same for the same number of records."""
    n = len(dataset.values)
    if n <= size:
        return dataset
    places = np.sort(stream(seed_of("sample", n, size)).choice(n, size, replace=False))
    return dataset.with_values(dataset.kind, f"{size} of the {n} records of {dataset.source}", dataset.values[places])


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
            which = "; ".join(each.replace(",", " ") for each in parameters if each not in ("", "default"))
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

    @cached_property
    def lines(self) -> list[Row]:
        return points(self.explored.rows)

    @property
    def loss(self) -> str:
        """What the score has as its loss: PIL, or `tables` where nothing is a number."""
        return loss_of(self.lines[0])

    @cached_property
    def ranked(self) -> list[Row]:
        return ranking(self.lines)


def choose(
    prepared: Prepared,
    names: Iterable[str] = (),
    replicates: int = 1,
    note: Say = lambda line: None,
    progress: Progress = lambda done, all, label: None,
) -> Choice:
    """Try methods, all of them if none is named, on a table or a sample of it; `note` hears what its owner should know.

    `progress` hears how many cells of how many are done, and which comes next.
    """
    check_replicates(replicates)
    roles, scenario, whole = prepared.roles, prepared.scenario, prepared.dataset
    dataset = sampled(whole)
    dependent, columns = dataset.select(scenario.dependent, dataset.name), scenario.attributes(dataset)
    if len(linked := prl.informative(dependent, columns=columns)) < dependent.shape[1]:
        note(f"probabilistic linkage (PRL, a part of DR) looks at {len(linked)} of {dependent.shape[1]} dependents")
    explored = explore(scenario, dataset, names or METHODS, replicates, progress)
    if not explored.rows:
        raise SdclabError(f"{dataset.name}: no method could run. " + " ".join(explored.refusals()))
    return Choice(len(whole.values), len(dataset.values), roles, crowding(dependent, columns), explored)


def explore(
    scenario: Scenario,
    dataset: Dataset,
    names: Iterable[str],
    replicates: int = 1,
    progress: Progress = lambda done, all, label: None,
) -> Explored:
    """Run the grid of every method; one that cannot run is noted and does not stop the others."""
    dependent, independent = scenario.split(dataset)
    attributes = scenario.attributes(dataset)
    for name, options in MEASURED.items():  # what cannot be measured at all is an error, not a reason for each method
        measures.measure(name, dependent, dependent, independent, options, attributes)
    found = Explored()
    waiting = [cell for name in names for cell in _cells(scenario, name, replicates, found, attributes)]
    for done, cell in enumerate(waiting):
        progress(done, len(waiting), label(cell.method, cell.slug))
        try:
            found.rows += [{**row, "cell": cell} for row in run(cell, scenario, dataset, MEASURED)]
        except Exception as error:
            found.refuse(cell.method, error, cell.slug)
    progress(len(waiting), len(waiting), "")
    return found


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


def loss_of(row: Row) -> str:
    """The name of the loss that is in a line's score."""
    return "tables" if np.isnan(row["pil"]) else "pil"


def label(method: str, parameters: str) -> str:
    return method if parameters == "default" else f"{method} {parameters.replace(',', ' ')}"


def points(rows: Sequence[Row]) -> list[Row]:
    """One line a cell, in the order of the grids: means over the replicates, their SD, and what is to be said.

    Not for a table are `cell`, what ran, and `place`, where it stands among the cells.
    """
    by_cell: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_cell.setdefault((row["method"], row["parameters"]), []).append(row)
    return [
        {**_point(method, parameters, each), "cell": each[0].get("cell"), "place": place}
        for place, ((method, parameters), each) in enumerate(by_cell.items())
    ]


def _point(method: str, parameters: str, rows: Sequence[Row]) -> Row:
    line: dict[str, Any] = {"method": method, "parameters": parameters}
    for quantity in ("score", "pil", "dr", "tables", "copy", "xy"):
        values = [row[quantity] for row in rows]
        line[quantity] = float(np.mean(values))
        line[f"{quantity}_sd"] = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
    for quantity in CAME_THROUGH:  # of several releases the worst
        line[quantity] = float(np.max([row[quantity] for row in rows]))
    about = {"replicates": len(rows), "dataset_kind": rows[0]["dataset_kind"], "crowding": rows[0]["crowding"]}
    return {**line, **about, "remark": remark(method, {**line, **about}), "caution": _caution(line)}


def remark(method: str, numbers: Mapping[str, float]) -> str:
    """Why a point is not recommended; nothing if it may be."""
    copied = f"copies {numbers['copy']:.0f} % of the records"
    if methods.is_control(method):
        return f"a control, no protection: {copied}"
    if numbers["intact"] > 0:
        return f"no protection: leaves {numbers['intact']:.0f} % of the dependents as they are"
    return copied if copies(numbers) else ""


def may_be_made(row: Row) -> bool:
    """Whether a line of the ranking is one to make a release by: no control, and `sdclab protect` would not refuse."""
    return not methods.is_control(row["method"]) and row["intact"] == 0


def _caution(numbers: Mapping[str, float]) -> str:
    """What else came through a release as it was."""
    shares = {"intact_records": "of the records as they were", "intact_extremes": "of the values that stand out"}
    found = [f"{numbers[name]:.3g} % {words}" for name, words in shares.items() if numbers[name] > 0]
    return "shows " + " and ".join(found) if found else ""


def ranking(lines: Sequence[Row]) -> list[Row]:
    """The lines by score, the best first and equals in the order of the grids, with their rank."""
    order = ascending([row["score"] for row in lines])
    return [{"rank": i, **lines[at]} for i, at in enumerate(order, start=1)]


def best(ranked: Sequence[Row]) -> list[Row]:
    """The best line of every method, one without a remark if there is one; those without a remark first."""
    chosen: dict[str, Row] = {}
    for row in sorted(ranked, key=lambda row: row["remark"] != ""):
        chosen.setdefault(row["method"], row)
    return list(chosen.values())


def trade_off(row: Row, lines: Sequence[Row]) -> str:
    """In words what a line gives for what: its lean, and what the next values of its parameter would change."""
    loss = loss_of(row)
    if row[loss] > LEAN * row["dr"]:
        lean = "safe rather than useful"
    elif row["dr"] > LEAN * row[loss]:
        lean = "useful rather than safe"
    else:
        lean = "balanced"
    words = [f"{lean}: loses {row[loss]:.1f} ({SHOWN[loss]}) and gives away {row['dr']:.1f} (DR)"]
    if row["xy"] >= BROKEN:
        words.append(f"breaks the relations with the independents (xy {row['xy']:.0f})")
    for other in _neighbours(row, lines):
        change = ", ".join(f"{SHOWN[name]} {other[name] - row[name]:+.1f}" for name in (loss, "dr"))
        words.append(f"{other['parameters']} would change {change}")
    return "; ".join(filter(None, [*words, row["caution"], row["remark"]]))


def _neighbours(row: Row, lines: Sequence[Row]) -> list[Row]:
    """The lines before and after in the method's own grid."""
    ran = sorted((other for other in lines if other["method"] == row["method"]), key=lambda other: other["place"])
    at = [other["place"] for other in ran].index(row["place"])
    return ran[max(at - 1, 0) : at] + ran[at + 1 : at + 2]
