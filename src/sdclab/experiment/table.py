"""A table of a study: which cells stand in it, and which of them answers a row of the published one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sdclab.base.errors import SdclabError, unknown
from sdclab.experiment.cell import Cell
from sdclab.experiment.selection import Selection, same

Row = Mapping[str, Any]

ADDED = ("fixed", "ours")
"""Of these a panel adds to what its table says, a table to what all tables have; all else is said anew."""


@dataclass(frozen=True)
class Reading:
    """Which of our cells answers a published row that several could: one way to understand the paper."""

    method: str
    """as the published table calls it"""
    parameters: Mapping[str, Any]
    because: str

    def __str__(self) -> str:
        return f"{','.join(f'{key}={value}' for key, value in self.parameters.items())}: {self.because}"


@dataclass(frozen=True)
class Multiple:
    """A key that is printed as a multiple of a parameter."""

    parameter: str
    times: float


@dataclass(frozen=True)
class Panel:
    """A part of a table with a scenario of its own; a plain table is one panel."""

    scenario: str
    keys: tuple[str, ...]
    """columns of the published table that say which cell is meant"""
    quantities: tuple[str, ...]
    """columns of the published table to reproduce"""
    beside: tuple[str, ...]
    """what we measure and the paper did not"""
    names: Mapping[str, str]
    """what the published table calls our methods"""
    scaled: Mapping[str, Multiple]
    cells: Selection
    """the cells that stand in it, by method and parameters"""
    rows: Selection
    """the published rows that stand in it"""
    fixed: Mapping[str, Any]
    """keys that are the same in the whole panel, printed or not"""
    ours: Mapping[str, str]
    """our name of a quantity where the paper's differs"""
    suffix: str
    """what our names of the quantities end with"""
    readings: tuple[Reading, ...]

    def holds(self, cell: Cell) -> bool:
        """Whether a cell stands in the panel."""
        about = {"method": cell.method, **cell.parameters}
        return cell.scenario == self.scenario and self.cells.includes(about)

    def shows(self, row: Row) -> bool:
        """Whether a published row stands in the panel: it is asked for, and says nothing else of what is fixed."""
        return self.rows.includes(row) and all(same(row[key], self.fixed[key]) for key in self.fixed if key in row)

    def answers(self, cell: Cell, row: Row) -> bool:
        """Whether a cell answers a row: equal in the keys, and in all other parameters as the readings say."""
        printed = {**self.fixed, **row}
        values, _ = self.coordinates(cell)
        method = self.name_of(cell.method)
        if not same(printed.get("method", method), method):
            return False
        return self.reads(cell) and all(same(printed[key], value) for key, value in values.items())

    def reads(self, cell: Cell) -> bool:
        """Whether a cell is, in all that the keys do not say, what the panel takes its published row to mean."""
        _, others = self.coordinates(cell)
        reading = self.reading_of(self.name_of(cell.method))
        return others == (dict(reading.parameters) if reading else {})

    def coordinates(self, cell: Cell) -> tuple[dict[str, Any], dict[str, Any]]:
        """A cell's values of the keys, and its parameters that are not among them."""
        values: dict[str, Any] = {}
        others = dict(cell.parameters)
        for key in self.keys:
            if key == "method":
                values[key] = self.name_of(cell.method)
            elif key in self.scaled:
                scale = self.scaled[key]
                values[key] = round(others.pop(scale.parameter) * scale.times, 9)
            else:
                values[key] = self.fixed.get(key, others.pop(key, ""))
        return values, others

    def name_of(self, method: str) -> str:
        """What the published table calls a method."""
        return self.names.get(method, method)

    def reading_of(self, method: str) -> Reading | None:
        """The reading of a method, by its published name, if the table needs one."""
        return next((reading for reading in self.readings if reading.method == method), None)

    def ours_of(self, quantity: str) -> str:
        """Our name of a quantity."""
        return self.ours.get(quantity, quantity) + self.suffix


@dataclass(frozen=True)
class Correlations:
    """Rank correlations over the rows of a table: of some of its numbers with others."""

    of: tuple[str, ...]
    among: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A published table to reproduce, or one of our own."""

    study: str
    name: str
    title: str
    published: str | None
    """the name of the published table; None: there is none"""
    judged: bool
    """whether the scorecard counts it"""
    keys: tuple[str, ...]
    quantities: tuple[str, ...]
    beside: tuple[str, ...]
    panels: tuple[Panel, ...]
    question: str = ""
    """what the table answers, and who asked"""
    correlations: Correlations | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """The keys that tell its panels apart."""
        return tuple(key for key in self.keys if any(key in panel.fixed for panel in self.panels))

    @property
    def in_judgement(self) -> bool:
        return self.judged and self.published is not None

    def holds(self, cell: Cell) -> bool:
        return any(panel.holds(cell) for panel in self.panels)

    def reading_of(self, row: Row) -> Reading | None:
        """The reading behind a row of the table."""
        method = row.get("method")
        found = (panel.reading_of(method) for panel in self.panels if panel.shows(row)) if method else ()
        return next(filter(None, found), None)


def parse_tables(study: str, given: Mapping[str, Any], defaults: Mapping[str, Any], where: str) -> dict[str, Table]:
    """The tables of a study as its config has them."""
    return {name: _table(study, name, given, defaults, where) for name in given}


def _table(study: str, name: str, given: Mapping[str, Any], defaults: Mapping[str, Any], where: str) -> Table:
    place = f"{where}: tables.{name}"
    said = given[name]
    spec, judged = defaults, True
    published: str | None = f"{study}_{name}"
    if "variant_of" in said:
        original = _table(study, _original(name, given, place), given, defaults, where)
        spec, published, judged = _merged(defaults, given[original.name]), original.published, False
    spec = _merged(spec, said)
    for key in ("keys", "quantities"):
        if key not in spec:
            raise SdclabError(f"{place}: the key '{key}' is missing.")
    return Table(
        study=study,
        name=name,
        title=said["title"],
        published=spec.get("published", published),
        judged=said.get("judged", judged),
        keys=tuple(spec["keys"]),
        quantities=tuple(spec["quantities"]),
        beside=tuple(spec.get("beside", ())),
        panels=tuple(_panel(_merged(spec, panel), place) for panel in spec.get("panels", [{}])),
        question=said.get("question", ""),
        correlations=_correlations(said, spec, place),
    )


def _correlations(said: Mapping[str, Any], spec: Mapping[str, Any], place: str) -> Correlations | None:
    if "correlations" not in said:
        return None
    known = (*spec["quantities"], *spec.get("beside", ()))
    for name in (name for names in said["correlations"].values() for name in names):
        if name not in known:
            raise unknown("quantity", name, known, f"{place}: correlations")
    return Correlations(tuple(said["correlations"]["of"]), tuple(said["correlations"]["with"]))


def _original(name: str, given: Mapping[str, Any], place: str) -> str:
    """The table that another is a variant of: one that is none itself, so that nobody has to look further."""
    originals = [other for other, spec in given.items() if "variant_of" not in spec]
    original: str = given[name]["variant_of"]
    if original not in originals:
        raise unknown("table", original, originals, f"{place}: variant_of")
    return original


def _merged(general: Mapping[str, Any], special: Mapping[str, Any]) -> dict[str, Any]:
    added = {key: {**general.get(key, {}), **special[key]} for key in ADDED if key in special}
    return {**general, **special, **added}


def _panel(spec: Mapping[str, Any], place: str) -> Panel:
    if "scenario" not in spec:
        raise SdclabError(f"{place}: the key 'scenario' is missing.")
    return Panel(
        scenario=spec["scenario"],
        keys=tuple(spec["keys"]),
        quantities=tuple(spec["quantities"]),
        beside=tuple(spec.get("beside", ())),
        names=spec.get("names", {}),
        scaled={key: Multiple(**scale) for key, scale in spec.get("scaled", {}).items()},
        cells=Selection.parse(spec.get("cells", {})),
        rows=Selection.parse(spec.get("rows", {})),
        fixed=spec.get("fixed", {}),
        ours=spec.get("ours", {}),
        suffix=spec.get("suffix", ""),
        readings=tuple(Reading(**reading) for reading in spec.get("readings", ())),
    )
