"""A user's table made ready for methods and measures: arrays, types, rules, and gaps filled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.experiment import gaps
from sdclab.experiment.scenario import Scenario
from sdclab.microdata import inference, rules
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.dataset import PATTERN, Dataset, Missing
from sdclab.microdata.declaration import Declaration, Declared
from sdclab.microdata.microdata import Microdata, Say, without_gaps
from sdclab.microdata.roles import Roles
from sdclab.microdata.rules import Rules
from sdclab.numerics.arrays import Mask, Matrix

NOTHING = Declaration()


@dataclass(frozen=True)
class Prepared:
    """What a method is given of a table, and what it takes to make a table of what comes back."""

    table: Microdata
    roles: Roles
    attributes: tuple[Attribute, ...]
    """of the dependents, then of the independents"""
    values: Matrix = field(repr=False)
    """the same columns without gaps: numbers, and codes of categories"""
    gaps: Mask = field(repr=False)
    rules: Rules

    @property
    def modelled(self) -> tuple[str, ...]:
        """The dependents that a method is given."""
        return self.rules.modelled

    @cached_property
    def dataset(self) -> Dataset:
        """The columns, and the pattern of gaps as one more, if there are some."""
        names, attributes, values = self.roles.used, self.attributes, self.values
        pattern = gaps.pattern(self.gaps)
        if pattern is not None:
            codes, attribute = pattern
            names, attributes = (*names, attribute.name), (*attributes, attribute)
            values = np.column_stack([values, codes])
        return Dataset(self.table.file, "own", self.table.file, names, values, attributes)

    @cached_property
    def scenario(self) -> Scenario:
        return Scenario.of_file(self.modelled, self.roles.independent, self.roles.keys, self.roles.targets)

    @cached_property
    def split_attributes(self) -> Attributes:
        """What the arrays of the scenario hold."""
        found = self.scenario.attributes(self.dataset)
        assert found is not None
        return found

    def whole(self, released: Matrix) -> Matrix:
        """All columns with what a method released in them, rules kept as far as they can be."""
        count = len(self.roles.dependent)
        independent = self.values[:, count:]
        attributes = self.split_attributes
        kept = self.rules.keeping(released, independent, lambda moved: attributes.fitted(moved, independent, "clip"))
        return np.column_stack([kept, independent])

    def released(self, values: Matrix) -> Microdata:
        """The table with these values in its dependents, and its gaps where they were."""
        count = len(self.roles.dependent)
        blanked = np.where(self.gaps, np.nan, values)[:, :count]
        return self.table.released(self.roles.dependent, blanked, self.roles.dropped, self.attributes[:count])


def prepare(
    table: Microdata,
    roles: Roles,
    said: Declaration = NOTHING,
    missing: Missing = "keep",
    say: Say = lambda line: None,
    known: tuple[Attribute, ...] = (),
) -> Prepared:
    """A table with its roles; `say` hears of rows that are dropped, and of values that stay missing.

    `known`: what the columns in use hold, if the table is part of a larger one and cannot tell.
    """
    table.check(list(said.types))
    table = without_gaps(table, roles.used, missing, say)
    if PATTERN in roles.used:
        raise SdclabError(f"{table.file}: column {PATTERN} must have another name: so is called what tells of gaps.")
    attributes = known or inference.attributes(table, roles.used, _of(said.types, roles.used))
    values = table.encoded(roles.used, attributes)
    gone = np.isnan(values)
    if gone.any() and missing != "keep":
        raise _gap(table, roles.used, gone)
    if gone.any():
        say(f"{table.file}: {gone.sum()} values are missing in {gone.any(axis=1).sum()} rows, and will be in a release")
    if gone.all(axis=0).any():
        column = roles.used[int(gone.all(axis=0).argmax())]
        raise SdclabError(f"{table.file}: column {column} is empty.")
    filled = gaps.filled(values, attributes) if gone.any() else values
    numbers = [each.name for each in attributes if each.is_number]
    parsed = tuple(rules.parse(text, numbers) for text in said.rules)
    rules.check(parsed, values[~gone.any(axis=1)], roles.used)
    return Prepared(table, roles, attributes, filled, gone, Rules(parsed, roles.dependent, roles.independent))


def _of(types: Mapping[str, Declared], columns: Sequence[str]) -> dict[str, Declared]:
    return {name: said for name, said in types.items() if name in columns}


def _gap(table: Microdata, columns: Sequence[str], gone: Mask) -> SdclabError:
    row, column = np.argwhere(gone)[0]
    return SdclabError(
        f"{table.file}: row {table.frame.index[row] + 1}, column {columns[column]} is missing; gaps are kept, or "
        "incomplete rows dropped, by --missing keep or --missing drop on the command line, or missing: keep or "
        "missing: drop in a study."
    )
