"""A multiverse: every reading of a published table that a study's config declares, as data.

Steegen, Tuerlinckx, Gelman & Vanpaemel (2016), Increasing transparency through a multiverse analysis. An axis is a
choice that the paper leaves open; a reading has one option of each; a multiverse is their product, less what is
excluded. Its cells are ordinary cells, measured under every option of a measure that an axis changes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from string import Formatter
from typing import Any

from sdclab import measures
from sdclab.base.describe import described
from sdclab.base.errors import SdclabError, unknown
from sdclab.experiment.cell import Cell
from sdclab.experiment.limits import Limits
from sdclab.experiment.options import MeasuresByKind, Options, changed
from sdclab.experiment.selection import Selection
from sdclab.experiment.table import Panel, Table
from sdclab.measures import MEASURES, variant
from sdclab.methods import METHODS

TARGETS = {"method": 3, "measure": 3, "scenario": 1, "number": 1, "times": 1}
"""What an axis may set, and the least number of words that say it: method.fcrm.scale, measure.dr.prl.bins."""

SUFFIX = "suffix"
"""In the name of a number this stands for what the names of a panel's quantities end with."""

RESERVED = ("quantity", "rank", "distance", "default")
"""Columns of a table of readings, which has one for each axis as well."""

MAX_PRODUCT = 10_000_000
"""Combinations before any is excluded."""

Target = tuple[str, ...]
Reading = Mapping[str, str]
"""One option, by its label, of every axis that matters."""


@dataclass(frozen=True)
class Axis:
    """A choice that a paper leaves open."""

    name: str
    sets: tuple[Target, ...]
    options: Mapping[str, Any]
    """label -> value"""
    default: str
    open: str
    """the sentence that leaves it open, or what is not said"""
    after: tuple[str, ...]
    """options that somebody thought of after seeing the published numbers"""
    only: tuple[str, ...] = ()
    """the quantities that it can change, if it cannot change all"""

    @property
    def chosen_after(self) -> bool:
        """Whether the default itself was settled by looking at the numbers that it is judged by."""
        return self.default in self.after

    def paths(self, kind: str, name: str) -> Iterator[Sequence[str]]:
        """The parameters of a method, or options of a measure, that it sets."""
        return (target[2:] for target in self.sets if target[:2] == (kind, name))

    def touches(self, kind: str) -> bool:
        return any(target[0] == kind for target in self.sets)

    def thinned(self, limits: Limits) -> "Axis":
        kept = {*limits.fewer(list(self.options)), self.default}
        return replace(self, options={label: self.options[label] for label in self.options if label in kept})


@dataclass(frozen=True)
class Multiverse:
    """All readings of a published table."""

    study: str
    name: str
    title: str
    table: Table
    quantities: Mapping[str, Mapping[str, float]]
    """published quantity -> the numbers of ours that answer it, each with its weight; `{axis}` stands for an option"""
    logarithmic: tuple[str, ...]
    """quantities whose distance is that of their logarithms"""
    chosen: Selection
    """the cells of the table that are read anew, by scenario, method and parameters"""
    measures: Mapping[str, Options] | None
    """instead of the study's"""
    known: tuple[str, ...]
    """the names of all measures"""
    axes: tuple[Axis, ...]
    exclude: tuple[Mapping[str, tuple[str, ...]], ...]
    """combinations that are left out: of each axis these options"""
    at_most: int
    replicates: int

    def bases(self, cells: Iterable[Cell]) -> list[tuple[Panel, Cell]]:
        """The cells that answer the published rows as they are read by default, panel by panel."""
        every = list(cells)
        return [
            (panel, cell)
            for panel in self.table.panels
            for cell in every
            if panel.holds(cell) and panel.reads(cell) and self.chosen.includes(_about(cell))
        ]

    def axes_of(self, quantity: str) -> tuple[Axis, ...]:
        """The axes that can change what answers a quantity."""
        used = {self.measure_of(number) for number in self._defaults(quantity)}
        named = {name for text in self.quantities[quantity] for _, name, _, _ in Formatter().parse(text)}
        axes = (axis for axis in self.axes if not axis.only or quantity in axis.only)
        return tuple(axis for axis in axes if _matters(axis, used, named))

    def readings(self, quantity: str) -> list[Reading]:
        """All readings of a quantity, in the order of the axes' options."""
        return self._combined(self.axes_of(quantity))

    def default(self, quantity: str) -> Reading:
        return {axis.name: axis.default for axis in self.axes_of(quantity)}

    def cell(self, base: Cell, reading: Reading) -> Cell:
        """The cell that answers what `base` does by default; a parameter's own default is not named again."""
        parameters, scenario = dict(base.parameters), base.scenario
        own = METHODS.parameters(base.method)
        for axis in self._chosen_in(reading):
            value = axis.options[reading[axis.name]]
            for (name,) in axis.paths("method", base.method):
                parameters[name] = value
                if name not in base.parameters and name in own and value == own[name].default:
                    del parameters[name]
            if axis.touches("scenario"):
                scenario = value.get(scenario, scenario)
        count = min(self.replicates, base.replicates)
        return replace(base, scenario=scenario, parameters=parameters, replicates=count)

    def cells(self, bases: Iterable[Cell]) -> list[Cell]:
        """Every cell that some reading needs, once."""
        axes = [axis for axis in self.axes if axis.touches("method") or axis.touches("scenario")]
        readings = self._combined(axes)
        made = (self.cell(base, reading) for base in bases for reading in readings)
        return list({cell.name: cell for cell in made}.values())

    def column(self, number: str, reading: Reading, suffix: str = "") -> str:
        """The column of a cell's rows that holds a number under a reading."""
        values = {axis.name: str(axis.options[reading[axis.name]]) for axis in self._chosen_in(reading)}
        name = number.format_map({**values, SUFFIX: suffix})
        measure = self.measure_of(name)
        axes = self._of_measure(measure) if measure else []
        return variant(name, _label({axis.name: reading.get(axis.name, axis.default) for axis in axes}))

    def times(self, reading: Reading) -> float:
        """What a quantity is multiplied by."""
        return prod(float(axis.options[reading[axis.name]]) for axis in self._chosen_in(reading, "times"))

    def measured(self, study: MeasuresByKind) -> MeasuresByKind:
        """The measures of a scenario, each under all options that the axes give it."""
        if self.measures is not None:
            study = MeasuresByKind(self.measures, self.measures)
        return MeasuresByKind(self._variants(study.always), self._variants(study.on_original))

    @property
    def measures_as_the_study(self) -> bool:
        """Whether the study's own cells have all numbers that a reading needs."""
        return self.measures is None and not any(axis.touches("measure") for axis in self.axes)

    @cached_property
    def _by_name(self) -> dict[str, Axis]:
        return {axis.name: axis for axis in self.axes}

    def _chosen_in(self, reading: Reading, kind: str = "") -> list[Axis]:
        axes = (self._by_name[name] for name in reading)
        return [axis for axis in axes if not kind or axis.touches(kind)]

    def _combined(self, axes: Sequence[Axis]) -> list[Reading]:
        names = [axis.name for axis in axes]
        outs = [out for out in self.exclude if set(out) <= set(names)]
        every = (dict(zip(names, labels, strict=True)) for labels in product(*(axis.options for axis in axes)))
        return [each for each in every if not any(_fits(each, out) for out in outs)]

    def _defaults(self, quantity: str) -> list[str]:
        """The names of a quantity's numbers under the default reading."""
        values = {axis.name: str(axis.options[axis.default]) for axis in self.axes} | {SUFFIX: ""}
        return [number.format_map(values) for number in self.quantities[quantity]]

    def measure_of(self, number: str) -> str | None:
        """The measure that tells a number; None: it is a fact that the method tells."""
        return next((name for name in self.known if described(number, measures.numbers(name))), None)

    def _of_measure(self, measure: str) -> list[Axis]:
        return [axis for axis in self.axes if any(axis.paths("measure", measure))]

    def _variants(self, measured: Mapping[str, Options]) -> dict[str, Options]:
        found: dict[str, Options] = {}
        for name, options in measured.items():
            axes = self._of_measure(name)
            for reading in self._combined(axes):
                made = options
                for axis in axes:
                    for path in axis.paths("measure", name):
                        made = changed(made, path, axis.options[reading[axis.name]])
                found[variant(name, _label(reading))] = made
        return found


def _about(cell: Cell) -> dict[str, Any]:
    return {"scenario": cell.scenario, "method": cell.method, **cell.parameters}


def _matters(axis: Axis, used: set[str | None], named: set[str | None]) -> bool:
    if axis.touches("number"):
        return axis.name in named
    if axis.touches("measure"):
        return any(target[1] in used for target in axis.sets)
    return True


def _fits(reading: Reading, out: Mapping[str, Sequence[str]]) -> bool:
    return all(reading[axis] in options for axis, options in out.items())


def _label(reading: Reading) -> str:
    return ",".join(f"{axis}={option}" for axis, option in reading.items())


def parse_multiverse(
    study: str, name: str, given: Mapping[str, Any], tables: Mapping[str, Table], known: Sequence[str], limits: Limits
) -> Multiverse:
    """From a config that fits its schema; what could not run is refused."""
    place = f"study {study}: multiverses.{name}"
    if given["table"] not in tables:
        raise unknown("table", given["table"], tables, place)
    own = given.get("measures")
    for measure in own or ():
        MEASURES.module(measure, place)
    axes = {key: _axis(key, each, place) for key, each in given["axes"].items()}
    found = Multiverse(
        study=study,
        name=name,
        title=given["title"],
        table=tables[given["table"]],
        quantities=given["quantities"],
        logarithmic=tuple(given.get("logarithmic", ())),
        chosen=Selection.parse(given.get("cells", {})),
        measures=limits.options(own) if own is not None else None,
        known=tuple(own if own is not None else known),
        axes=tuple(axis.thinned(limits) for axis in axes.values()),
        exclude=tuple(_excluded(out, axes, f"{place}: exclude") for out in given.get("exclude", ())),
        at_most=given["at_most"],
        replicates=limits.bounded(given["replicates"]),
    )
    _check(found, place)
    return found


def _axis(name: str, given: Mapping[str, Any], place: str) -> Axis:
    where = f"{place}: axes.{name}"
    if name in (SUFFIX, *RESERVED):
        raise SdclabError(f"{where}: an axis may not be called {name}.")
    said = given["options"]
    options = dict(said) if isinstance(said, Mapping) else {str(value): value for value in said}
    sets = tuple(tuple(target.split(".")) for target in _listed(given["sets"]))
    for target in sets:
        if target[0] not in TARGETS:
            raise unknown("target", target[0], TARGETS, where)
        if len(target) < TARGETS[target[0]]:
            raise SdclabError(f"{where}: sets '{'.'.join(target)}' but must name a {target[0]} and what of it is set.")
    after = tuple(map(str, given.get("after", ())))
    for label in (str(given["default"]), *after):
        if label not in options:
            raise unknown("option", label, options, where)
    return Axis(name, sets, options, str(given["default"]), given["open"], after, tuple(given.get("only", ())))


def _excluded(given: Mapping[str, Any], axes: Mapping[str, Axis], where: str) -> dict[str, tuple[str, ...]]:
    found = {name: tuple(map(str, _listed(labels))) for name, labels in given.items()}
    for name, labels in found.items():
        if name not in axes:
            raise unknown("axis", name, axes, where)
        for label in labels:
            if label not in axes[name].options:
                raise unknown("option", label, axes[name].options, f"{where}: {name}")
    return found


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _check(made: Multiverse, place: str) -> None:
    if made.table.published is None:
        raise SdclabError(f"{place}: table {made.table.name} has no published numbers to compare readings with.")
    for quantity in (*made.quantities, *made.logarithmic):
        if quantity not in made.table.quantities:
            raise unknown("quantity", quantity, made.table.quantities, place)
    for axis in made.axes:
        _check_targets(axis, made, f"{place}: axes.{axis.name}")
        for quantity in axis.only:
            if quantity not in made.quantities:
                raise unknown("quantity", quantity, made.quantities, f"{place}: axes.{axis.name}: only")
    for quantity in made.quantities:
        _check_quantity(quantity, made, place)


def _check_targets(axis: Axis, made: Multiverse, where: str) -> None:
    for kind, *rest in axis.sets:
        if kind == "method":
            METHODS.module(rest[0], where)
            if rest[1] not in METHODS.parameters(rest[0]):
                raise unknown("parameter", rest[1], METHODS.parameters(rest[0]), where)
        elif kind == "measure" and rest[0] not in made.known:
            raise unknown("measure", rest[0], made.known, where)


def _check_quantity(quantity: str, made: Multiverse, place: str) -> None:
    names = [*(axis.name for axis in made.axes), SUFFIX]
    for number in made.quantities[quantity]:
        for _, name, _, _ in Formatter().parse(number):
            if name is not None and name not in names:
                raise unknown("axis", name, names, f"{place}: quantities.{quantity}")
    size = prod(len(axis.options) for axis in made.axes_of(quantity))
    if size > MAX_PRODUCT:
        raise SdclabError(f"{place}: {quantity} has {size} combinations, but at most {MAX_PRODUCT} are gone through.")
    readings = made.readings(quantity)
    if not readings:
        raise SdclabError(f"{place}: {quantity} has no reading left; exclude must leave some.")
    if len(readings) > made.at_most:
        raise SdclabError(f"{place}: {quantity} has {len(readings)} readings, but at_most allows {made.at_most}.")
    if made.default(quantity) not in readings:
        raise SdclabError(f"{place}: the default reading of {quantity} is excluded.")


def check_multiverse(made: Multiverse, study: MeasuresByKind, where: str) -> None:
    """Refuse options that a measure does not have; what a method does not have, its cells tell."""
    measured = made.measured(study)
    for each in (measured.always, measured.on_original):
        for name, options in each.items():
            MEASURES.checked(measures.name_of(name), options, where)
