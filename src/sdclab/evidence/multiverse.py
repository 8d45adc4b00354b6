"""All readings of a published table beside it: how near each comes, what decides, and how lucky the best one is."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from sdclab.evidence.answers import answers
from sdclab.evidence.luck import (
    PERMUTATIONS,
    CrossValidated,
    best,
    cross_validated,
    distances,
    effect,
    p_value_of,
    shuffled_bests,
)
from sdclab.evidence.published import Published, Row
from sdclab.evidence.scorecard import HeldOut, label
from sdclab.experiment.cell import REFUSED, Cell
from sdclab.experiment.multiverse import Axis, Multiverse, Reading
from sdclab.experiment.table import Panel
from sdclab.numerics.arrays import Matrix, Vector
from sdclab.numerics.seeds import seed_of, stream
from sdclab.numerics.ties import at_most, equated

CellRow = Mapping[str, str]
"""A line of a cell's file: one replicate, as text."""

Line = dict[str, Any]

Name = tuple[str, str]
"""Of a table: its study's and its own."""

NOTHING = np.full(1, np.nan)
"""What a cell that could not be computed has of every number."""


@dataclass(frozen=True)
class Place:
    """A published row, and the cell that answers it by default."""

    panel: Panel
    row: Row
    base: Cell

    def label(self, multiverse: Multiverse) -> str:
        """As the scorecard names it."""
        return label({**self.row, "cell": self.base.name}, multiverse.table)


class Cells:
    """What was measured of every cell, replicate by replicate."""

    def __init__(self, rows: Sequence[CellRow]) -> None:
        self._rows: dict[str, list[CellRow]] = {}
        self.kinds = ", ".join(sorted({row["dataset_kind"] for row in rows}))
        """of data that they were computed on"""
        for row in rows:
            self._rows.setdefault(row["cell"], []).append(row)

    def replicates(self, cell: str, column: str) -> Vector:
        """A column of a cell; NaN where it could not be computed."""
        found = self._rows.get(cell, [])
        if not found or any(row.get(REFUSED) for row in found) or column not in found[0]:
            return NOTHING
        return np.array([float(row[column] or "nan") for row in found])


@dataclass(frozen=True)
class Explored:
    """A published quantity under all its readings."""

    multiverse: Multiverse
    quantity: str
    places: Sequence[Place]
    cells: Cells = field(repr=False)

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        return self.multiverse.axes_of(self.quantity)

    @cached_property
    def readings(self) -> list[Reading]:
        return self.multiverse.readings(self.quantity)

    @cached_property
    def default(self) -> int:
        return self.readings.index(self.multiverse.default(self.quantity))

    @cached_property
    def published(self) -> Vector:
        return self._scaled(np.array([float(place.row[self.quantity]) for place in self.places]))

    @cached_property
    def ours(self) -> Matrix:
        """Reading × row, on the scale that distances are measured on."""
        columns = [self._column(place) for place in self.places]
        return self._scaled(np.array(columns).T)

    @cached_property
    def groups(self) -> list[object]:
        """Rows that differ in the table's last key alone belong together; rows that are alone do so, too."""
        *others, _ = self.multiverse.table.keys
        keys = [tuple(place.row[key] for key in others) for place in self.places]
        return [key if keys.count(key) > 1 else () for key in keys]

    @cached_property
    def distances(self) -> Vector:
        """Of every reading to print."""
        found = distances(self.ours, self.published)
        return np.asarray(equated(np.where(np.isfinite(found), found, np.inf)))

    @cached_property
    def best(self) -> int:
        return best(self.ours, self.published)

    @cached_property
    def cross_validated(self) -> CrossValidated:
        return cross_validated(self.ours, self.published, self.groups)

    @cached_property
    def bests_by_luck(self) -> Vector:
        """The least distance of the same search to shuffled print."""
        rng = stream(seed_of("multiverse", self.multiverse.study, self.multiverse.name, self.quantity))
        return shuffled_bests(self.ours, self.published, rng, self.groups, PERMUTATIONS)

    def replicates(self, place: Place, reading: Reading) -> Vector:
        """What answers a row under a reading, one number a replicate."""
        verse = self.multiverse
        cell = verse.cell(place.base, reading).name
        weights = verse.quantities[self.quantity]
        columns = {verse.column(number, reading, place.panel.suffix): weight for number, weight in weights.items()}
        parts = [weight * self.cells.replicates(cell, column) for column, weight in columns.items()]
        return verse.times(reading) * np.sum(parts, axis=0)

    def value(self, place: Place, i: int) -> tuple[float, float, int]:
        """Mean, standard deviation and number of replicates of the i-th reading's answer to a row."""
        found = self.replicates(place, self.readings[i])
        spread = float(found.std(ddof=1)) if len(found) > 1 else np.nan
        return float(found.mean()), spread, len(found)

    def _column(self, place: Place) -> list[float]:
        """Under every reading; those that differ in what does not concern the row share a number."""
        known: dict[tuple[str, ...], float] = {}
        names = [axis.name for axis in self.axes if self._concerns(axis, place)]
        column = []
        for reading in self.readings:
            key = tuple(reading[name] for name in names)
            if key not in known:
                known[key] = float(self.replicates(place, reading).mean())
            column.append(known[key])
        return column

    def _concerns(self, axis: Axis, place: Place) -> bool:
        return not axis.touches("method") or any(axis.paths("method", place.base.method))

    def _scaled(self, values: Any) -> Any:
        if self.quantity not in self.multiverse.logarithmic:
            return values
        return np.log(np.where(values > 0, values, np.nan))


def explored(
    multiverse: Multiverse, bases: Sequence[Cell], published: Published, rows: Sequence[CellRow]
) -> list[Explored]:
    """Every quantity of a multiverse of which some row is published and answered."""
    measured, found = Cells(rows), []
    places = [
        Place(panel, row, base)
        for panel in multiverse.table.panels
        for row, base in answers(published, [cell for each, cell in multiverse.bases(bases) if each is panel], panel)
        if base is not None
    ]
    for quantity in multiverse.quantities:
        here = [place for place in places if place.row[quantity]]
        if here:
            found.append(Explored(multiverse, quantity, here, measured))
    return found


def by_table(multiverses: Sequence[Multiverse], numbers: Iterable[Sequence[CellRow]]) -> dict[Name, HeldOut]:
    """The lines about held-out numbers, by study and table."""
    found: dict[Name, dict[tuple[str, str], CellRow]] = {}
    for multiverse, lines in zip(multiverses, numbers, strict=True):
        here = found.setdefault((multiverse.study, multiverse.table.name), {})
        here |= {(line["cell"], line["quantity"]): line for line in lines}
    return dict(found)


def words(reading: Reading, axes: Sequence[Axis]) -> str:
    """A reading by what it has beside the defaults."""
    other = [f"{axis.name}={reading[axis.name]}" for axis in axes if reading[axis.name] != axis.default]
    return ", ".join(other) or "default"


def summary(each: Explored) -> Line:
    """One line about a quantity."""
    found, least = each.distances, each.best
    chosen = each.cross_validated
    return {
        "quantity": each.quantity,
        "rows": len(each.places),
        "scale": "log" if each.quantity in each.multiverse.logarithmic else "linear",
        "axes": len(each.axes),
        "readings": len(each.readings),
        "computed": int(np.isfinite(found).sum()),
        "default_distance": found[each.default],
        "default_rank": 1 + int((found < found[each.default]).sum()),
        "best_distance": found[least],
        "best": words(each.readings[least], each.axes),
        "as_near": int(at_most(found, found[least]).sum()),
        "luck": float(np.median(each.bests_by_luck)),
        "p_value": p_value_of(found[least], each.bests_by_luck),
        "permutations": len(each.bests_by_luck),
        "chosen_on_first_half": words(each.readings[chosen.chosen[0]], each.axes),
        "chosen_on_second_half": words(each.readings[chosen.chosen[1]], each.axes),
        "distance_where_chosen": chosen.inside,
        "distance_held_out": chosen.outside,
        "dataset_kind": each.cells.kinds,
    }


def reading_lines(each: Explored) -> list[Line]:
    """Every reading, the nearest first."""
    order = np.argsort(each.distances, kind="stable")
    return [
        {
            "quantity": each.quantity,
            "rank": rank,
            "distance": each.distances[i],
            "default": "yes" if i == each.default else "",
            **each.readings[i],
        }
        for rank, i in enumerate(order.tolist(), 1)
    ]


def axis_lines(each: Explored) -> list[Line]:
    """What every axis decides: the share of the variance of all distances, and what its options can reach."""
    lines = []
    for axis in each.axes:
        labels = [reading[axis.name] for reading in each.readings]
        decides = effect(labels, each.distances)
        for option in axis.options:
            here = each.distances[[name == option for name in labels]]
            lines.append(
                {
                    "quantity": each.quantity,
                    "axis": axis.name,
                    "decides": decides,
                    "option": option,
                    "default": "yes" if option == axis.default else "",
                    "after": "yes" if option in axis.after else "",
                    "readings": len(here),
                    "least": here.min(initial=np.inf),
                    "median": float(np.median(here)) if len(here) else np.nan,
                    "open": axis.open,
                }
            )
    return lines


def number_lines(each: Explored) -> list[Line]:
    """Every published number beside the default reading, the nearest, and one that was chosen without it."""
    chosen = each.cross_validated
    lines = []
    for i, place in enumerate(each.places):
        held_out, spread, count = each.value(place, int(chosen.by[i]))
        lines.append(
            {
                "table": each.multiverse.table.name,
                "cell": place.label(each.multiverse),
                "quantity": each.quantity,
                "published": place.row[each.quantity],
                "default": each.value(place, each.default)[0],
                "best": each.value(place, each.best)[0],
                "held_out": held_out,
                "held_out_sd": spread,
                "replicates": count,
                "readings": len(each.readings),
                "chosen": words(each.readings[int(chosen.by[i])], each.axes),
            }
        )
    return lines


SHOWN = 5
"""Of the nearest readings, in the table for reading."""


def markdown(explored: Sequence[Explored], title: str) -> str:
    """What was found, for reading."""
    lines = [f"# {title}", "", f"Data: {', '.join(dict.fromkeys(each.cells.kinds for each in explored))}."]
    for each in explored:
        lines += ["", f"## {each.quantity}", "", sentence(summary(each))]
        lines += ["", *_table(["axis", "decides", "nearest by option"], _by_axis(each))]
        nearest = reading_lines(each)[:SHOWN]
        names = [axis.name for axis in each.axes]
        body = [[f"{line['distance']:.3g}", *(line[name] for name in names)] for line in nearest]
        lines += ["", *_table(["distance", *names], body)]
    return "\n".join(lines) + "\n"


def sentence(line: Mapping[str, Any]) -> str:
    """A line of the summary in words."""
    distance, default, luck, held_out, inside = (
        _told(line[key])
        for key in ("best_distance", "default_distance", "luck", "distance_held_out", "distance_where_chosen")
    )
    unit = " in logarithms" if line["scale"] == "log" else ""
    return (
        f"{line['readings']} readings of {line['rows']} published numbers ({line['computed']} could be computed). "
        f"The nearest ({line['best']}) is {distance} away{unit}, the default {default}, at rank "
        f"{line['default_rank']}. To shuffled print the nearest of as many is {luck} away; it is as near as this in "
        f"{_told(line['p_value'], '.2g', 100)} % of {line['permutations']} shuffles. Chosen on half of the rows a "
        f"reading is {inside} away there, and {held_out} on the other half."
    )


def _told(value: Any, digits: str = ".3g", times: float = 1) -> str:
    """A number of the summary; few rows leave some of them blank."""
    return "(not defined)" if value in ("", None) or math.isnan(float(value)) else f"{times * float(value):{digits}}"


def _by_axis(each: Explored) -> list[list[str]]:
    """An axis a line, the one that decides most first."""
    lines = axis_lines(each)
    found = []
    for axis in each.axes:
        here = [line for line in lines if line["axis"] == axis.name]
        reach = ", ".join(f"{line['option']} {line['least']:.3g}" for line in here)
        found.append((here[0]["decides"], [axis.name, f"{100 * here[0]['decides']:.0f} %", reach]))
    return [row for _, row in sorted(found, key=lambda pair: -pair[0])]


def _table(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    rows = [list(head), ["---"] * len(head), *body]
    return ["| " + " | ".join(row) + " |" for row in rows]
