"""A scenario: a dataset with roles."""

from dataclasses import dataclass

import numpy as np

from sdclab.arrays import Matrix
from sdclab.data.dataset import Dataset
from sdclab.errors import SdclabError


@dataclass(frozen=True)
class Scenario:
    """Which attributes are replaced (dependent) and which are released as they are (independent)."""

    name: str
    dataset: str
    dependent: tuple[str, ...]
    independent: tuple[str, ...] = ()

    def split(self, dataset: Dataset) -> tuple[Matrix, Matrix]:
        """The dependents and the independents as arrays, once they are fit for every method and measure."""
        where = f"scenario {self.name}"
        both = sorted(set(self.dependent) & set(self.independent))
        if both:
            raise SdclabError(f"{where}: column {both[0]} is both dependent and independent.")
        dependent = dataset.select(self.dependent, where)
        independent = dataset.select(self.independent, where)
        attributes = self.dependent + self.independent
        if len(dependent) <= len(attributes):
            raise SdclabError(
                f"{where}: {dataset.name} has {len(dependent)} records for {len(attributes)} attributes; "
                "more records than attributes are needed."
            )
        values = np.column_stack([dependent, independent])
        for column, name in zip(values.T, attributes, strict=True):
            if np.ptp(column) == 0:
                raise SdclabError(f"{where}: column {name} of {dataset.name} is constant.")
        return dependent, independent
