"""What a page is made of: what one run has left, read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sdclab.experiment.cell import refusals
from sdclab.experiment.multiverse import Multiverse
from sdclab.experiment.provenance import mixed, versions
from sdclab.experiment.study import Figure, Sensitivity, Study
from sdclab.experiment.table import Table

Row = Mapping[str, str]
"""A line of a CSV file, as text."""

Name = tuple[str, str]
"""Of a table, figure or sensitivity: its study's and its own."""

T = TypeVar("T")

TOOLS = ("snakemake", "pandas", "matplotlib")
"""What tables and figures are made with; the cells say themselves what they were computed with."""


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
    tables: Mapping[Name, Sequence[Row]]
    sensitivities: Mapping[Name, Sequence[Row]]
    figures: Mapping[Name, str]
    """The SVG of every figure that shows no records."""
    datasets: Sequence[Mapping[str, Any]]
    versions: Sequence[str]
    costs: Sequence[Cost]
    refusals: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By study: which methods are not applicable to its files, and why."""
    cells: Sequence[Row] = ()
    """One row a replicate of every cell."""
    multiverses: Sequence[Multiverse] = ()
    summaries: Mapping[Name, Sequence[Row]] = field(default_factory=dict)
    readings: Mapping[Name, Sequence[Row]] = field(default_factory=dict)
    axes: Mapping[Name, Sequence[Row]] = field(default_factory=dict)
    """What was found out about each multiverse."""
    curves: Mapping[Name, str] = field(default_factory=dict)
    """The SVG of every figure of a multiverse."""
    drawn: Sequence[Figure] = ()
    """The figures of the multiverses."""

    def curves_of(self, multiverse: Multiverse) -> list[Figure]:
        return [
            each
            for each in self.drawn
            if each.study == multiverse.study and each.tables[0] == f"{multiverse.name}/readings"
        ]


def by_name(parts: Sequence[Table | Figure | Sensitivity | Multiverse], contents: Iterable[T]) -> dict[Name, T]:
    """What was read of each part of the studies."""
    return {(part.study, part.name): content for part, content in zip(parts, contents, strict=True)}


def refusals_of(cells: Sequence[Row]) -> dict[str, list[str]]:
    """By study: which methods are not applicable to its files, and why."""
    return {study: refusals(row for row in cells if row["study"] == study) for study in {row["study"] for row in cells}}


def versions_of(cells: Sequence[Row]) -> list[str]:
    """What the run was computed with and on: one line, unless that was at different times or places."""
    computed = sorted({f"cells: {row['versions']} on {row['processor']}" for row in cells})
    return [*mixed(cells), *computed, f"pages, tables and figures: {versions(TOOLS)}"]


def costs(benchmarks: Mapping[Path, str]) -> list[Cost]:
    """What every stage took, the cells study by study; `benchmarks`: what Snakemake measured of each job."""
    stages: dict[str, list[Row]] = {}
    for path, text in benchmarks.items():
        folder, *rest = path.parts
        stage = f"{folder} of {rest[0]}" if folder == "cells" else folder.removesuffix(".tsv")
        stages.setdefault(stage, []).append(_measured(text))
    return list(_costs(stages))


def took(text: str) -> float:
    """The seconds that a job took; 0 where what was measured of it does not tell."""
    return _number(_measured(text).get("s", ""))


def _costs(stages: Mapping[str, Sequence[Row]]) -> Iterator[Cost]:
    for stage, jobs in stages.items():
        seconds, megabytes = ([_number(job.get(name, "")) for job in jobs] for name in ("s", "max_rss"))
        yield Cost(stage, len(jobs), sum(seconds), max(megabytes))


def _measured(text: str) -> dict[str, str]:
    """What was measured of a job; a file that was emptied or cut short, which is no result, tells less or nothing."""
    names, values = [line.split("\t") for line in (*text.splitlines(), "", "")][:2]
    return dict(zip(names, values, strict=False))


def _number(text: str) -> float:
    """A measured number; a job that was too short for it has none."""
    return float(text) if text not in ("-", "NA", "") else 0.0
