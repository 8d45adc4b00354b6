"""Results that are as they were made.

A job leaves a record of what it was told and of the bytes that it wrote. A run believes a result only if its record
agrees with both; what else there is, is made anew. Snakemake's own memory is not enough: it looks at the contents of a
result only when its time stamp is new, and is lost with the folder `.snakemake`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sdclab.base.files import checksum, write
from sdclab.experiment.provenance import fingerprint

FOLDER = "checksums"
SHOWN = 5
WORKED = "worked for"
"""The last line of a job's log begins so; its CPU seconds follow."""


@dataclass(frozen=True)
class Task:
    """A job of the workflow: what it is given and what it makes of it."""

    results: str
    name: str
    """That of its log, its benchmark and its record."""
    files: tuple[str, ...]
    """What it makes."""
    inputs: Mapping[str, tuple[str, ...]]
    """The files that it reads."""
    given: Mapping[str, Any] = field(repr=False)
    """What else its script works with."""
    aside: tuple[str, ...] = ()
    """What is given but changes no result."""
    stamped: tuple[str, ...] = ()
    """The inputs of which what is given tells enough: they are too long to be hashed."""

    def __str__(self) -> str:
        """Snakemake's report puts the text of a job's parameters into a script as it is."""
        return self.name

    @cached_property
    def told(self) -> str:
        """A fingerprint of all that the results follow from, but for other results.

        Files from outside the results count by their bytes: a file moved here may have an old time stamp.
        """
        given = {key: value for key, value in self.given.items() if key not in self.aside}
        hashed = (paths for what, paths in self.inputs.items() if what not in self.stamped)
        outside = [path for paths in hashed for path in paths if not self._is_result(path)]
        return fingerprint([given, [[Path(path).name, checksum(path)] for path in outside]])

    @property
    def record(self) -> Path:
        return Path(self.results, FOLDER, f"{self.name}.sha256")

    def keep_record(self) -> None:
        """Once all is written. `sha256sum --check` reads it, too, in the folder of the results."""
        write(self.record, "\n".join([self._headline, *map(self._line, self.files)]) + "\n")

    def altered(self) -> list[str]:
        """The files that are there but not as they were made."""
        return [file for file in self._there if self._line(file) not in self._recorded]

    def outdated(self) -> list[str]:
        """The files that are there but were made from something else."""
        return [] if self._headline in self._recorded else self._there

    def is_as_made(self) -> bool:
        """Whether all files are there, as they were made and from what they would be made from now."""
        return self._there == list(self.files) and not self.altered() and not self.outdated()

    def _is_result(self, path: str) -> bool:
        return path.startswith(f"{self.results}/")

    @property
    def _headline(self) -> str:
        return f"# told {self.told}"

    def _line(self, file: str) -> str:
        return f"{checksum(file)}  {Path(file).relative_to(self.results)}"

    @property
    def _there(self) -> list[str]:
        return [file for file in self.files if Path(file).is_file()]

    @cached_property
    def _recorded(self) -> set[str]:
        try:
            return set(self.record.read_text().splitlines())
        except (OSError, UnicodeDecodeError):  # a record that cannot be read vouches for nothing
            return set()


def altered(tasks: Iterable[Task]) -> list[str]:
    return [file for task in tasks for file in task.altered()]


def outdated(tasks: Iterable[Task]) -> list[str]:
    return [file for task in tasks for file in task.outdated()]


def sentence(files: list[str]) -> str:
    """One line about results that cannot be believed."""
    more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
    verb = "does not agree with its record" if len(files) == 1 else "do not agree with their records"
    return f"{', '.join(files[:SHOWN])}{more} {verb} and will be made anew, with all that follows."
