"""A scenario: a dataset with roles."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdclab.base.errors import SdclabError, unknown
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.dataset import PATTERN, Dataset
from sdclab.microdata.declaration import Declared
from sdclab.microdata.rules import Rule, Rules, check
from sdclab.numerics.arrays import Matrix

Split = tuple[Matrix, Matrix]
"""Dependents and independents."""


@dataclass(frozen=True)
class Scenario:
    """Which attributes are replaced (dependent) and which are released as they are (independent)."""

    name: str
    dataset: str
    dependent: tuple[str, ...]
    independent: tuple[str, ...] = ()
    types: Mapping[str, Declared] | None = None
    """what is said of the columns' types; None: they are numbers, to be released as a method makes them"""
    keys: tuple[str, ...] = ()
    """what an intruder may know, if somebody said so; for measures of typed columns"""
    targets: tuple[str, ...] = ()
    """what an intruder wants to know, likewise"""
    rules: tuple[Rule, ...] = ()
    """what must hold in every record"""
    keep_rules: bool = True
    """whether releases keep the rules, else they are only counted"""
    rounded: bool = False
    """whether releases of numbers are rounded to the decimals that each column has"""

    takes = ()
    """Parameters of a cell that are the scenario's and not the method's: none."""

    @classmethod
    def of_file(
        cls,
        dependent: tuple[str, ...],
        independent: tuple[str, ...],
        keys: tuple[str, ...] = (),
        targets: tuple[str, ...] = (),
    ) -> "Scenario":
        """The scenario of a user's file on the command line: it has no name but its dataset's kind."""
        return cls("own", "own", dependent, independent, keys=keys, targets=targets)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.dependent + self.independent

    @property
    def declared(self) -> Attributes:
        """The dependents of which a type is declared."""
        said = {name: (self.types or {}).get(name, Declared()).type for name in self.dependent}
        return Attributes(tuple(Attribute(name, type) for name, type in said.items() if type))

    def check_roles(self, where: str) -> None:
        """Refuse a column that has two roles, or the same twice."""
        both = sorted(set(self.dependent) & set(self.independent))
        if both:
            raise SdclabError(f"{where}: column {both[0]} is both dependent and independent.")
        twice = [column for column, times in Counter(self.columns).items() if times > 1]
        if twice:
            raise SdclabError(f"{where}: column {twice[0]} is named twice.")

    def splits(self, dataset: Dataset, parameters: Mapping[str, Any]) -> Iterator[Split]:
        """What a method is applied to, one after the other: here a single split."""
        yield self.split(dataset)

    def attributes(self, dataset: Dataset) -> Attributes | None:
        """What the dependents and the independents hold, if the dataset says so."""
        known = {each.name: each for each in dataset.attributes}
        if not known:
            return None
        roles = (self.dependent, self._independent(dataset))
        for name in self.columns:
            if name not in known:
                raise unknown("column", name, known, f"scenario {self.name}")
        held = (tuple(known[name] for name in names) for names in roles)
        return Attributes(*held, keys=self.keys, targets=self.targets)

    def ruled(self, dataset: Dataset) -> Rules | None:
        """The rules about the arrays of the split, if there are any; the records that they were made for keep them.

        A replica or a stand-in need not: it is only like the original.
        """
        if not self.rules:
            return None
        for each in dataset.attributes:
            about = [rule.text for rule in self.rules if each.name in rule.columns]
            if about and not each.is_number:
                raise SdclabError(f"scenario {self.name}: rule '{about[0]}': {each.name} is {each.type}, not a number.")
        if dataset.kind in ("original", "own"):
            check(self.rules, dataset.select(self.columns, f"scenario {self.name}"), self.columns)
        return Rules(self.rules, self.dependent, self._independent(dataset), self.keep_rules)

    def _independent(self, dataset: Dataset) -> tuple[str, ...]:
        """The independents, and the pattern of gaps, if gaps were kept."""
        pattern = {PATTERN} & set(dataset.columns) - set(self.columns)
        return (*self.independent, *pattern)

    def split(self, dataset: Dataset) -> Split:
        """The dependents and the independents as arrays, once they are fit for every method and measure."""
        where = f"scenario {self.name}"
        self.check_roles(where)
        columns = self.dependent + self._independent(dataset)
        dependent = dataset.select(self.dependent, where)
        independent = dataset.select(columns[len(self.dependent) :], where)
        if len(dependent) <= len(columns):
            raise SdclabError(
                f"{where}: {dataset.name} has {len(dependent)} records for {len(columns)} attributes; "
                "more records than attributes are needed."
            )
        values = np.column_stack([dependent, independent])
        for column, name in zip(values.T, columns, strict=True):
            if np.ptp(column) == 0:
                raise SdclabError(f"{where}: column {name} of {dataset.name} is constant.")
        return dependent, independent


@dataclass(frozen=True)
class Rotation:
    """Every attribute in turn as the only dependent, the next `n_independent` ones as independents, wrapping round.

    Scenario S3 of Cano (2009), section 5: a cell's numbers are means over the attributes.
    """

    name: str
    dataset: str
    columns: tuple[str, ...]

    takes = ("n_independent",)
    types = None
    rounded = False

    def attributes(self, dataset: Dataset) -> None:
        """Every attribute is a number here, as in the thesis; released as a method makes it."""

    def ruled(self, dataset: Dataset) -> None:
        """There are no rules between attributes of which one alone is released anew."""

    def splits(self, dataset: Dataset, parameters: Mapping[str, Any]) -> Iterator[Split]:
        """One split for each attribute."""
        count, n = len(self.columns), parameters.get("n_independent")
        if not isinstance(n, int) or not 1 <= n < count:
            raise SdclabError(f"scenario {self.name}: n_independent is {n} but must lie between 1 and {count - 1}.")
        for each in dataset.attributes:
            if each.name in (*self.columns, PATTERN) and not each.is_number:
                raise SdclabError(f"scenario {self.name}: rotates numbers, but {each.name} is {each.type}.")
        for i, column in enumerate(self.columns):
            following = tuple(self.columns[(i + 1 + j) % count] for j in range(n))
            yield Scenario(self.name, self.dataset, (column,), following).split(dataset)


AnyScenario = Scenario | Rotation
