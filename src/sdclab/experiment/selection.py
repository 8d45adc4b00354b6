"""Which rows are meant: by column, the values that they may have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from typing import Any


@dataclass(frozen=True)
class Selection:
    """Rows, printed or of cells, with one of these values in each of these columns; all rows if none is named."""

    values: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @classmethod
    def parse(cls, given: Mapping[str, Any]) -> "Selection":
        """From a config, where one value need not stand in a list."""
        return cls({column: value if isinstance(value, list) else [value] for column, value in given.items()})

    def __bool__(self) -> bool:
        return bool(self.values)

    def includes(self, row: Mapping[str, Any]) -> bool:
        """Whether a row is meant; what it does not have is empty."""
        return all(any(same(row.get(column, ""), one) for one in values) for column, values in self.values.items())


def same(cell: Any, value: Any) -> bool:
    """Whether a printed cell means a value: `2` and `2.0` are the same number."""
    try:
        return isclose(float(cell), float(value), rel_tol=1e-9, abs_tol=1e-12)
    except (TypeError, ValueError):
        return str(cell) == str(value)
