"""What a page is made of: the files of one run, read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sdclab.experiment.study import Study

Row = Mapping[str, str]
"""A line of a CSV file, as text."""


@dataclass(frozen=True)
class Cost:
    """What a stage of the run took."""

    stage: str
    jobs: int
    seconds: float
    megabytes: float


@dataclass(frozen=True)
class Run:
    """Everything a page tells about a run."""

    studies: Sequence[Study]
    scorecard: Sequence[Row]
    audit: Sequence[Row]
    tables: Mapping[str, Sequence[Row]]
    sensitivities: Mapping[str, Sequence[Row]]
    figures: Mapping[str, str]
    """The SVG of every figure that shows no records."""
    datasets: Sequence[Mapping[str, Any]]
    versions: Sequence[str]
    costs: Sequence[Cost]
