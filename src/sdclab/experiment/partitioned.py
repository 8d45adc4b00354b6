"""A release of a file that is too long for one machine, partition by partition.

First every partition tells its statistics: tallies of its columns, by which all partitions have the same types, and, if
the release is one of the whole, means and cross-products of its records and of the normal draws that belong to them.
Then these are merged: they add up, also those of the draws, so that residuals can be given exact moments in all
partitions together. At last every partition is released by what was merged, with the same draws again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sdclab import methods
from sdclab.base import documents
from sdclab.base.errors import SdclabError, unknown
from sdclab.experiment.file import Prepared, prepare
from sdclab.experiment.provenance import processor, versions
from sdclab.experiment.release import Released, finished, release
from sdclab.methods import METHODS, Release
from sdclab.microdata import partitions, rules
from sdclab.microdata.attribute import Attribute, Attributes, Bounds
from sdclab.microdata.dataset import Missing, about_attribute, attribute_of
from sdclab.microdata.declaration import Declaration, Declared, read_beside, types_of
from sdclab.microdata.microdata import Microdata, without_gaps
from sdclab.microdata.partitions import Partition, Partitions, Source
from sdclab.microdata.roles import Roles
from sdclab.microdata.rules import Rules
from sdclab.microdata.tally import Tally
from sdclab.numerics.arrays import Matrix, Vector
from sdclab.numerics.scatter import Affine, Joint, Scatter
from sdclab.numerics.seeds import seed_of, stream

BASE_MB, COPIES = 500, 20
"""Memory of a job: what it takes to start, and how often the records may be in it; half of that was measured."""

Json = dict[str, Any]
"""What goes from one job to the next."""

Scope = Literal["whole", "partition"]

Regressor = tuple[str, str | None]
"""An independent, and which of its categories; None: it is a number."""

FLOATS = ("float", "double")
"""Types of numbers that are kept in a release."""


@dataclass(frozen=True)
class Order:
    """What is to become of every partition."""

    name: str
    source: Source
    roles: Roles
    said: Declaration
    missing: Missing
    method: str
    parameters: Mapping[str, Any]
    scope: Scope
    bounds: Bounds
    allow_unchanged: bool
    seed: int = field(repr=False)

    @property
    def is_whole(self) -> bool:
        return self.scope == "whole"

    def memory(self, partition: Partition) -> int:
        """Megabytes that a job on a partition may take, if its method needs no more than some copies of the records."""
        return round(BASE_MB + COPIES * 8 * partition.rows * len(self.source.columns) / 1e6)

    def of_words(self, column: str) -> bool:
        """Whether a column is of categories by the type that it is stored in."""
        return not self.source.is_number(column)

    def declared(self, column: str) -> Declared:
        return self.said.types.get(column, Declared())

    def seed_of(self, partition: Partition) -> int:
        """Of a partition's random numbers, whatever other partitions there are."""
        return seed_of("release", self.seed, partition.name)

    def draws(self, partition: Partition, records: int) -> Matrix:
        """As many standard normal draws as dependents, the same whenever they are asked for."""
        shape = (records, len(self.roles.dependent))
        return stream(self.seed_of(partition)).standard_normal(shape)


def find(name: str, folder: Path) -> Path:
    """The file of a release by its name."""
    path = folder / f"{name}.yaml"
    if not path.is_file():
        raise unknown("release", name, (file.stem for file in folder.glob("*.yaml")), "config: releases")
    return path


def load(path: Path, schema: Path) -> tuple[Order, Partitions]:
    """Read what is to be released, and refuse what could not run; of the records the first is read."""
    where, given = str(path), documents.load(path, schema)
    if given["release"] != path.stem:
        raise SdclabError(f"{where}: release is '{given['release']}' but must be the file's name, '{path.stem}'.")
    source, found = partitions.find(Path(given["source"]))
    first, method = source.first_record(found[0]), given["method"]
    asked = (tuple(given.get(role, ())) for role in ("dependent", "independent", "pass_through", "drop"))
    said = read_beside(Path(given["source"]))
    order = Order(
        given["release"],
        source,
        Roles.of(first, *asked),
        said.with_more(types_of(given.get("types", {}), f"{where}: types"), given.get("rules", ())),
        given.get("missing", "keep"),
        method,
        METHODS.checked(method, given.get("parameters", {}), where),
        given.get("scope", "whole" if methods.adds_up(method) else "partition"),
        given.get("bounds", "balance"),
        given.get("allow_unchanged", False),
        given["seed"],
    )
    _check(order, first, sum(each.rows for each in found), where)
    return order, found


def _check(order: Order, first: Microdata, records: int, where: str) -> None:
    if order.is_whole and not methods.adds_up(order.method):
        those = ", ".join(filter(methods.adds_up, METHODS))
        raise SdclabError(
            f"{where}: scope is whole, but what {order.method} must know of the whole does not add up over partitions; "
            f"say scope: partition, or take one of {those}."
        )
    for column in order.said.types:
        if column not in first:
            raise unknown("column", column, first.columns, f"{where}: types")
    for column in order.roles.used:
        if problem := first.untyped(column):
            raise SdclabError(f"{where}: column {column} {problem}; pass it through, or leave it out.")
    for column in order.roles.dependent:
        said = order.declared(column)
        if said.is_categories or (order.of_words(column) and not said.is_number):
            Attributes((Attribute(column, said.type or "nominal"),)).check_taken(
                f"{where}: method {order.method}", methods.takes(order.method)
            )
    if records <= len(order.roles.used):
        raise SdclabError(f"{where}: {records} records are too few for {len(order.roles.used)} columns.")


def statistics(order: Order, partition: Partition) -> Json:
    """What a partition has to tell of its records."""
    table = without_gaps(order.source.read(partition), order.roles.used, order.missing, print)
    used = order.roles.used
    tallies = {name: Tally.of(table, name, order.of_words(name), order.declared(name)) for name in used}
    told: Json = {"records": len(table.frame), "tallies": {name: each.as_json() for name, each in tallies.items()}}
    if order.is_whole:
        gaps = table.gaps(used).sum()
        if gaps:
            raise SdclabError(
                f"{table.file}: {gaps} rows lack a value in the columns in use, but statistics of the whole take "
                "complete rows; say missing: drop, or scope: partition."
            )
        names = [regressor for name in order.roles.independent for regressor in _regressors(name, tallies[name])]
        values = _joint_values(order, partition, table, _independent(table, names))
        told |= {"regressors": names, "scatter": _scatter_told(Scatter.of(values))}
    return told


def _regressors(name: str, tally: Tally) -> Iterator[Regressor]:
    labels: Sequence[str | None] = [None] if tally.labels is None else sorted(tally.labels)
    return ((name, label) for label in labels)


def _joint_values(order: Order, partition: Partition, table: Microdata, independent: Matrix) -> Matrix:
    """Dependents, their draws, and the independents."""
    dependent = [table.numbers(name) for name in order.roles.dependent]
    return np.column_stack([*dependent, order.draws(partition, len(table.frame)), independent])


def _independent(table: Microdata, regressors: Sequence[Regressor]) -> Matrix:
    """Numbers as they are, an indicator of every category."""
    columns = [_regressor(table, *each) for each in regressors]
    return np.column_stack([np.empty((len(table.frame), 0)), *columns])


def _regressor(table: Microdata, name: str, label: str | None) -> Vector:
    if label is None:
        return table.numbers(name)
    levels = table.levels(name)
    place = levels.labels.index(label) if label in levels.labels else None
    return np.asarray(levels.places == place, dtype=float)


def merged(order: Order, told: Sequence[Json]) -> Json:
    """What all partitions must know of the whole: types, and how a method maps their records."""
    tallies = {name: reduce(add, (Tally.of_json(each["tallies"][name]) for each in told)) for name in order.roles.used}
    attributes = [
        tally.attribute(name, order.of_words(name), order.declared(name), order.source.name)
        for name, tally in tallies.items()
    ]
    dependent = Attributes(tuple(attributes[: len(order.roles.dependent)]))
    dependent.check_taken(f"{order.source.name}: method {order.method}", methods.takes(order.method))
    found: Json = {
        "records": sum(each["records"] for each in told),
        "attributes": list(map(about_attribute, attributes)),
    }
    if order.is_whole:
        names = [each for name in order.roles.independent for each in _regressors(name, tallies[name])]
        affine = methods.affine(order.method, _joint(order, told, names, attributes), order.parameters)
        found |= {"regressors": names, "affine": {key: value.tolist() for key, value in vars(affine).items()}}
    return found


def _joint(
    order: Order, told: Sequence[Json], regressors: Sequence[Regressor], attributes: Sequence[Attribute]
) -> Joint:
    """The statistics of all partitions, of the dependents that a method is given."""
    dependent = order.roles.dependent
    before = 2 * len(dependent)
    at = {tuple(each): before + i for i, each in enumerate(regressors)}
    parts = []
    for each in told:
        places = [*range(before), *(at[tuple(name)] for name in each["regressors"])]
        parts.append(_scatter_of(each["scatter"]).among(places, before + len(regressors)))
    modelled = [dependent.index(name) for name in _rules(order, attributes).modelled]
    draws = range(len(dependent), len(dependent) + len(modelled))
    return Joint(reduce(add, parts).chosen([*modelled, *draws, *at.values()]), len(modelled))


def _rules(order: Order, attributes: Sequence[Attribute]) -> Rules:
    numbers = [each.name for each in attributes if each.is_number]
    parsed = tuple(rules.parse(text, numbers) for text in order.said.rules)
    return Rules(parsed, order.roles.dependent, order.roles.independent)


def released(order: Order, partition: Partition, known: Json) -> tuple[Microdata, Json]:
    """A partition as it is released, and what its owner should know about it."""
    attributes = tuple(map(attribute_of, known["attributes"]))
    table = order.source.read(partition)
    said = Declaration(rules=order.said.rules)
    prepared = prepare(table, order.roles, said, order.missing, print, attributes)
    found = (
        _by_the_whole(order, partition, prepared, known) if order.is_whole else _by_itself(order, partition, prepared)
    )
    made = _alike(found.table, order.source, attributes[: len(order.roles.dependent)])
    told = {
        "partition": partition.name,
        "records": len(made.frame),
        "facts": found.facts,
        "warnings": found.warnings,
        **_compared(prepared, made, attributes),
    }
    return made, told


def _by_itself(order: Order, partition: Partition, prepared: Prepared) -> Released:
    """As `sdclab protect` would release it if there were no other."""
    options = (order.seed_of(partition), order.allow_unchanged, order.bounds)
    return release(prepared, order.method, order.parameters, *options)


def _by_the_whole(order: Order, partition: Partition, prepared: Prepared, known: Json) -> Released:
    table, dataset = prepared.table, prepared.dataset
    independent = _independent(table, known["regressors"])
    dependent = dataset.select(prepared.modelled, table.file)
    draws = order.draws(partition, len(dependent))[:, : dependent.shape[1]]
    affine = Affine(**{key: np.array(value) for key, value in known["affine"].items()})
    split = (dependent, dataset.select(order.roles.independent, table.file))
    made = Release(affine(dependent, draws, independent))
    return finished(prepared, order.method, split, made, order.seed, order.allow_unchanged, order.bounds)


def _alike(table: Microdata, source: Source, dependent: Sequence[Attribute]) -> Microdata:
    """The table with the types that its columns have in every partition, also where values would fit another one."""
    types = {each.name: _type(each, source) for each in dependent}
    frame = table.frame.astype({name: kind for name, kind in types.items() if kind})
    return Microdata(table.file, frame)


def _type(attribute: Attribute, source: Source) -> str:
    """The type of a released column; nothing if it keeps the one that it has."""
    kind = source.columns[attribute.name]
    if not attribute.is_number:
        return "string[pyarrow]" if attribute.taxonomy else ""
    return f"{kind if kind in FLOATS else 'int64' if attribute.type == 'count' else 'double'}[pyarrow]"


def _compared(prepared: Prepared, made: Microdata, attributes: Sequence[Attribute]) -> Json:
    """The statistics of the numbers before and after, in the records that lack none of them."""
    names = [each.name for each in attributes if each.is_number]
    pair = [np.column_stack([table.numbers(name) for name in names]) for table in (prepared.table, made)]
    complete = ~np.isnan(np.column_stack(pair)).any(axis=1)
    if not names or not complete.any():
        return {}
    original, protected = (_scatter_told(Scatter.of(values[complete])) for values in pair)
    return {"numbers": names, "original": original, "released": protected}


def summary(order: Order, told: Sequence[Json]) -> Json:
    """A release as a whole: its parts, what was kept of means and covariances, and warnings."""
    compared = [each for each in told if "numbers" in each]
    return {
        "release": order.name,
        "source": order.source.path,
        "method": order.method,
        "parameters": dict(order.parameters),
        "scope": order.scope,
        "records": sum(each["records"] for each in told),
        "partitions": [
            {"part": i, "name": each["partition"], "records": each["records"]} for i, each in enumerate(told)
        ],
        "moments": _moments(order, compared) if compared else {},
        "warnings": [f"{each['partition']}: {line}" for each in told for line in each["warnings"]],
        "versions": versions(("sdclab", "numpy", "pandas", "pyarrow")),
        "processor": processor(),
    }


def _moments(order: Order, told: Sequence[Json]) -> Json:
    """By how much a mean, an SD and a covariance of dependents moved at most, and one with independents, in SDs."""
    names = told[0]["numbers"]
    dependent = [i for i, name in enumerate(names) if name in order.roles.dependent]
    before, after = (reduce(add, (_scatter_of(each[which]) for each in told)) for which in ("original", "released"))
    spread = np.where(before.spread > 0, before.spread, 1.0)
    means = ((after.mean - before.mean) + (after.rest - before.rest)) / spread
    moved = (after.products - before.products) / np.outer(spread, spread) / before.count
    sds = after.spread / spread - 1
    return {
        "records": before.count,
        "columns": names,
        "mean_moved": _largest(means[dependent]),
        "sd_moved": _largest(sds[dependent]),
        "covariance_moved": _largest(moved[np.ix_(dependent, dependent)]),
        "with_independents_moved": _largest(np.delete(moved[dependent], dependent, axis=1)),
    }


def _largest(changes: Matrix) -> float:
    return float(np.abs(changes).max(initial=0.0))


def _scatter_told(scatter: Scatter) -> Json:
    lists = {key: getattr(scatter, key).tolist() for key in ("mean", "rest", "products")}
    return {"count": scatter.count, **lists}


def _scatter_of(told: Json) -> Scatter:
    return Scatter(told["count"], *(np.array(told[key]) for key in ("mean", "rest", "products")))
