"""What measures of risk look at: all attributes of both files, and those that an intruder knows or wants to know."""

from dataclasses import dataclass

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.measures import Control
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics.arrays import Matrix


@dataclass(frozen=True)
class Scene:
    """The records of both files with all their attributes, dependents first. The files may differ in length."""

    columns: Attributes
    original: Matrix
    released: Matrix

    @classmethod
    def of(cls, original: Matrix, protected: Matrix, independent: Matrix, columns: Attributes | None) -> "Scene":
        columns = columns or Attributes.of_numbers(original, independent)
        released = np.column_stack([protected, independent]) if independent.shape[1] else protected
        return cls(columns, np.column_stack([original, independent]), released)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        return self.columns.all

    @property
    def dependents(self) -> list[int]:
        return list(range(len(self.columns.dependent)))

    @property
    def independents(self) -> list[int]:
        return list(range(len(self.columns.dependent), len(self.attributes)))

    @property
    def keys(self) -> list[int]:
        """What an intruder was said to know."""
        return self.columns.places(self.columns.keys)

    @property
    def targets(self) -> list[int]:
        """What an intruder wants to know; the dependents, if nothing was said, but for the keys among them."""
        if self.columns.targets:
            return self.columns.places(self.columns.targets)
        return [j for j in self.dependents if j not in self.keys]


def needed(control: Control | None) -> Matrix:
    """The records of a control, dependents first; without one an attack says nothing of the release."""
    if control is None:
        raise SdclabError("needs records that the release was not made from; give them by --control.")
    return np.column_stack([control.dependent, control.independent])
