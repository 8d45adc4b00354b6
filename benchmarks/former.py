"""The last saved run beside this one, so that a slower kernel is seen.

Runs are compared only if both were made on the same kind of processor, and line by line: same name, same size.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sdclab.base.files import read_rows
from sdclab.experiment.provenance import processor

COLUMNS = ("processor", "before", "change")
SLOWER = 0.25
"""What takes so much longer than in the last run is told: a loaded machine is rarely worse than that."""


class Former:
    """Seconds of the last saved run, by what `keys` name a line."""

    def __init__(self, path: Path, keys: Sequence[str], seconds: str) -> None:
        self.keys, self.seconds, self.processor = keys, seconds, processor()
        rows = read_rows(path) if path.exists() else []
        same = [row for row in rows if row.get("processor") == self.processor and row.get(seconds)]
        self.by_line = {self._line(row): float(row[seconds]) for row in same}

    def _line(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(str(row[key]) for key in self.keys)

    def beside(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The row, with the seconds of before and by which share of them it takes longer now."""
        before, now = self.by_line.get(self._line(row)), row[self.seconds]
        change = now / before - 1 if before and now is not None else None
        return {**row, "processor": self.processor, "before": before, "change": change}

    def slower(self, rows: Sequence[Mapping[str, Any]]) -> list[str]:
        """A sentence for every line that got slower."""
        return [
            f"SLOWER than in the last saved run: {', '.join(self._line(row))}: "
            f"{row['before']:.3g} s before, {row[self.seconds]:.3g} s now ({row['change']:+.0%})"
            for row in rows
            if row["change"] is not None and row["change"] > SLOWER
        ]
