"""Ranking the points of a map: the least loss within the owner's limits first, and why a point is no choice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from sdclab import measures, methods
from sdclab.base.errors import SdclabError, listed
from sdclab.experiment.gate import Limit, check_quantity
from sdclab.measures.copy import copies
from sdclab.numerics.ties import ascending

BROKEN = 50
"""From this share on (`xy_lost`), the relations with the independents are called broken; most losses do not see it."""

GLARING = 90
"""From this share of its maximum on (`pmse`), a model tells released from original records at a glance."""

CARRIED = ("cell", "place")
"""Keys of a line that are not for a table."""

CAME_THROUGH = ("intact", "intact_records", "intact_extremes")

ALWAYS = ("score", "pil", "dr", "dr_excess", "membership", "tables", "pmse", "copy", "xy", "xy_lost")
"""The numbers of every line, beside those that were asked for."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Aim:
    """What a release is chosen by: a loss, to be least, and a risk, the axes of the map; and limits."""

    loss: str = "tables"
    risk: str = "membership"
    limits: tuple[Limit, ...] = (Limit.parse("membership <= 60"),)

    def __post_init__(self) -> None:
        for name, kind in ((self.loss, "loss"), (self.risk, "risk")):
            check_quantity(name, f"the {kind} of a map")
            if kind not in measures.number(name).measures:
                raise SdclabError(f"the {kind} of a map cannot be {name}: its measure does not call it one.")

    @property
    def quantities(self) -> tuple[str, ...]:
        """Whatever it is about."""
        return tuple(dict.fromkeys([self.loss, self.risk, *(limit.quantity for limit in self.limits)]))

    def violated(self, row: Row) -> list[Limit]:
        return [limit for limit in self.limits if not limit.holds(row[limit.quantity])]

    def excess(self, row: Row) -> float:
        """By how much a line violates the limits, all together."""
        return sum(limit.excess(row[limit.quantity]) for limit in self.limits)

    def words(self) -> str:
        return " and ".join(limit.text for limit in self.limits) or "no limit"


PLAIN = Aim()


def aim_of(loss: str = "", risk: str = "", limits: Sequence[str] = ()) -> Aim:
    """What was asked for; what was not is as in `PLAIN`."""
    parsed = tuple(map(Limit.parse, limits))
    return Aim(loss or PLAIN.loss, risk or PLAIN.risk, parsed or PLAIN.limits)


def points(rows: Sequence[Row], more: Sequence[str] = ()) -> list[Row]:
    """One line a cell, in the order of the grids: means over the replicates, their SD, and what is to be said.

    Not for a table are `cell`, what ran, and `place`, where it stands among the cells.
    """
    by_cell: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_cell.setdefault((row["method"], row["parameters"]), []).append(row)
    quantities = tuple(dict.fromkeys([*ALWAYS, *more]))
    return [
        {**_point(method, parameters, each, quantities), "cell": each[0].get("cell"), "place": place}
        for place, ((method, parameters), each) in enumerate(by_cell.items())
    ]


def _point(method: str, parameters: str, rows: Sequence[Row], quantities: Sequence[str]) -> Row:
    line: dict[str, Any] = {"method": method, "parameters": parameters}
    for quantity in quantities:
        values = [row.get(quantity, np.nan) for row in rows]
        line[quantity] = float(np.mean(values))
        line[f"{quantity}_sd"] = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
    for quantity in CAME_THROUGH:  # of several releases the worst
        line[quantity] = float(np.max([row[quantity] for row in rows]))
    about = {"replicates": len(rows), "dataset_kind": rows[0]["dataset_kind"], "crowding": rows[0]["crowding"]}
    return {**line, **about, "remark": remark(method, {**line, **about}), "caution": _caution(line)}


def remark(method: str, numbers: Mapping[str, float]) -> str:
    """Why a point is not recommended; nothing if it may be. What is not known speaks against nothing."""
    copied = f"copies {numbers.get('copy', 0):.0f} % of the records"
    if methods.is_control(method):
        return f"a control, no protection{f': {copied}' if numbers.get('copy') else ''}"
    if numbers.get("intact", 0) > 0:
        return f"no protection: leaves {numbers['intact']:.0f} % of the dependents as they are"
    if copies(numbers):
        return copied
    if numbers.get("xy_lost", 0) >= BROKEN:
        return f"breaks the relations with the independents ({numbers['xy_lost']:.0f} % are gone)"
    if numbers.get("pmse", 0) >= GLARING:
        return f"told from the original at a glance (pmse {numbers['pmse']:.0f} % of its maximum)"
    return ""


def known_of(row: Mapping[str, Any]) -> dict[str, float]:
    """What a remark is made of, of a row of a table: what that does not hold is taken to be none."""
    return {key: float(row.get(key) or 0) for key in ("copy", "crowding", "xy_lost", "pmse", *CAME_THROUGH)}


def may_be_made(row: Row) -> bool:
    """Whether a line of the ranking is one to make a release by: no control, and `sdclab protect` would not refuse."""
    return not methods.is_control(row["method"]) and row["intact"] == 0


def _caution(numbers: Mapping[str, float]) -> str:
    """What else came through a release as it was."""
    shares = {"intact_records": "of the records as they were", "intact_extremes": "of the values that stand out"}
    found = [f"{numbers[name]:.3g} % {words}" for name, words in shares.items() if numbers[name] > 0]
    return "shows " + " and ".join(found) if found else ""


def ranking(lines: Sequence[Row], aim: Aim = PLAIN) -> list[Row]:
    """The lines with their rank: by loss, those within the limits first, then the nearest to them, then those with a
    remark, and last what protects nothing. Equals stand in the order of the grids. A control has no rank.
    """
    classes: list[list[Row]] = [[], [], [], [], []]
    for row in lines:
        classes[_class(row, aim)].append(row)
    within, beyond, marked, bare, controls = classes
    found = [*_by(within, aim.loss), *_nearest_first(beyond, aim), *_by(marked, aim.loss), *_by(bare, aim.loss)]
    ranked = [{"rank": i, **row} for i, row in enumerate(found, start=1)]
    return [*ranked, *({"rank": "", **row} for row in _by(controls, aim.loss))]


def _class(row: Row, aim: Aim) -> int:
    if not may_be_made(row):
        return 4 if methods.is_control(row["method"]) else 3
    return 2 if row["remark"] else int(bool(aim.violated(row)))


def _by(rows: Sequence[Row], loss: str) -> list[Row]:
    """The best first; what is not defined comes last."""
    sign = -1 if measures.number(loss).better == "more" else 1
    return [rows[i] for i in ascending([np.inf if isnan(row[loss]) else sign * row[loss] for row in rows])]


def _nearest_first(rows: Sequence[Row], aim: Aim) -> list[Row]:
    return [rows[i] for i in ascending([aim.excess(row) for row in rows])]


def best(ranked: Sequence[Row]) -> list[Row]:
    """The best line of every method, in the order of the ranking."""
    chosen: dict[str, Row] = {}
    for row in ranked:
        chosen.setdefault(row["method"], row)
    return list(chosen.values())


def front(rows: Sequence[Row], aim: Aim = PLAIN) -> list[Row]:
    """The Pareto front among the lines without a remark: no other has less loss and no more risk, or the reverse."""
    there = [row for row in rows if not row["remark"] and not any(isnan(row[name]) for name in (aim.loss, aim.risk))]
    signs = [-1 if measures.number(name).better == "more" else 1 for name in (aim.loss, aim.risk)]
    return [there[i] for i in unbeaten([(signs[0] * row[aim.loss], signs[1] * row[aim.risk]) for row in there])]


def unbeaten(places: Sequence[tuple[float, float]]) -> list[int]:
    """Which places no other beats, from left to right: no worse in both numbers and better in one; less is better."""
    found: list[int] = []
    for i in sorted(range(len(places)), key=lambda i: places[i]):
        if not found or places[i][1] < places[found[-1]][1] or places[i] == places[found[-1]]:
            found.append(i)
    return found


def spaced(parameters: str) -> str:
    """The parameters of a cell as they are read; nothing for the defaults."""
    return "" if parameters == "default" else parameters.replace(",", " ")


def label(method: str, parameters: str) -> str:
    return f"{method} {spaced(parameters)}".rstrip()


def name_of(row: Row) -> str:
    return label(row["method"], row["parameters"])


def told(row: Row, name: str) -> str:
    """A number of a line, with what it is."""
    return f"{measures.number(name).label} {_figure(row[name], 'not known')}"


def _figure(value: float, otherwise: str, sign: str = "") -> str:
    """A measure may not be known, as one that looks at halves of the records of a method that needs more."""
    return otherwise if isnan(value) else f"{value:{sign}.1f}"


def trade_off(row: Row, lines: Sequence[Row], aim: Aim = PLAIN) -> str:
    """In words what a line gives for what, and what the next values of its parameter would change."""
    loss, risk = (f"{_figure(row[name], 'what is not known')} ({name})" for name in (aim.loss, aim.risk))
    words = [f"loses {loss} and gives away {risk}"]
    words += [f"{limit.quantity} {row[limit.quantity]:.1f} violates {limit.text}" for limit in aim.violated(row)]
    for other in _neighbours(row, lines):
        by = {name: _figure(other[name] - row[name], "by what is not known", "+") for name in (aim.loss, aim.risk)}
        words.append(f"{other['parameters']} would change {', '.join(map(' '.join, by.items()))}")
    return "; ".join(filter(None, [*words, row["caution"], row["remark"]]))


def _neighbours(row: Row, lines: Sequence[Row]) -> list[Row]:
    """The lines before and after in the method's own grid."""
    ran = sorted((other for other in lines if other["method"] == row["method"]), key=lambda other: other["place"])
    at = [other["place"] for other in ran].index(row["place"])
    return ran[max(at - 1, 0) : at] + ran[at + 1 : at + 2]


def verdict(ranked: Sequence[Row], aim: Aim = PLAIN) -> list[str]:
    """What to release and why, and what not; a sentence each."""
    first = ranked[0]
    if first["remark"]:
        return [
            f"Release none of these: there is something against every point, as {name_of(first)} {first['remark']}."
        ]
    within = [row for row in ranked if not (row["remark"] or aim.violated(row))]
    return [_choice(first, len(within), aim), *_temptations(first, ranked, aim)]


def _choice(first: Row, within: int, aim: Aim) -> str:
    if not within:
        return f"No point is within {aim.words()}; nearest to it is {name_of(first)}: {_violations(first, aim)}."
    why = (
        f"of {within} points within {aim.words()} it loses least" if within > 1 else f"it alone is within {aim.words()}"
    )
    return f"Release {name_of(first)}: {why}, {told(first, aim.loss)}, with {told(first, aim.risk)}."


def _violations(row: Row, aim: Aim) -> str:
    return listed([f"{told(row, limit.quantity)}, not {limit.text}" for limit in aim.violated(row)])


def _temptations(first: Row, ranked: Sequence[Row], aim: Aim) -> list[str]:
    """Why not what loses least of all, or has the best score of PIL and DR, if that is another one."""
    found: dict[str, str] = {}
    for quantity, why in ((aim.loss, "loses least of all"), ("score", "has the best score of PIL and DR")):
        row = _by(ranked, quantity)[0]
        against = row["remark"] or _violations(row, aim) or f"{told(row, aim.loss)} is more"
        found.setdefault(name_of(row), f"Not {name_of(row)}, which {why}: {against}.")
    found.pop(name_of(first), None)
    return list(found.values())
