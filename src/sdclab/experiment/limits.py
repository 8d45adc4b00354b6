"""The limits of a thinned run: the whole workflow at a glance, in numbers that are not for quoting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LEAST = {"runs": 1, "splits": 2}
"""What `runs` bounds: the options that say how often something is done again, and the least that each may be."""


@dataclass(frozen=True)
class Limits:
    """Upper bounds; None: there is none."""

    records: int | None = None
    """of every dataset"""
    replicates: int | None = None
    """of every cell"""
    runs: int | None = None
    """of every option `runs` or `splits` of measures and figures"""
    values: int | None = None
    """of every parameter of a grid"""

    def fewer(self, values: Sequence[Any]) -> list[Any]:
        """At most so many values, spread evenly with both ends kept."""
        limit = self.values
        if limit is None or len(values) <= limit:
            return list(values)
        if limit == 1:
            return [values[0]]
        return [values[round(i * (len(values) - 1) / (limit - 1))] for i in range(limit)]

    def bounded(self, replicates: int) -> int:
        return min(replicates, self.replicates or replicates)

    def options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Options of a measure or figure with every number of runs in them bounded, nested ones too."""
        return {key: self._option(key, value) for key, value in given.items()}

    def _option(self, key: str, value: Any) -> Any:
        if isinstance(value, Mapping):
            return self.options(value)
        if key not in LEAST or self.runs is None or not isinstance(value, int):
            return value
        return min(value, max(self.runs, LEAST[key]))


UNLIMITED = Limits()
