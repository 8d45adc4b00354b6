"""Whether a folder of results is what its RO-Crate says: every file, every row's dataset, the scorecard's counts.

The folder may have been copied anywhere, and its crate may be of any origin: a path in it is data, and nothing outside
of the folder is looked at.
"""

import csv
import io
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from sdclab.base.errors import SdclabError
from sdclab.base.files import checksum, read
from sdclab.base.progress import each_of

METADATA = "ro-crate-metadata.json"
RECORD = "checksums/crate.sha256"
"""What vouches for the crate itself: it was written when the crate was."""
SCORECARD = "scorecard.csv"
ACTION = "#run-"
"""A run's name begins so; the fingerprint of all that it was told follows."""
COUNTED = "#verdict-"
"""So do the names of the scorecard's counts."""
TRACES = {
    "logs/": "what the jobs said",
    "benchmarks/": "what the jobs took",
}
"""No results, and not compared: a job that fails leaves some, too."""
ASIDE = ("peers", "growth", "million", "long", "releases")
"""What benchmarks and releases in partitions put beside the results of the studies, which the crate is about."""
PREPARED = "data"
"""The folder of the datasets. Their columns are anybody's, so no column there is one of ours."""
CELLS = ("cells/", "multiverse/cells/")
"""Where a row names its dataset."""
MOST = 100 << 20
"""Bytes of a crate that is read."""


@dataclass(frozen=True)
class Verified:
    """What was looked at, and what is not as the crate says, a sentence each."""

    files: int
    rows: int
    numbers: int
    findings: Sequence[str]


@dataclass
class _Folder:
    """Results beside their crate."""

    root: Path
    entities: Sequence[Mapping[str, Any]]
    findings: list[str] = field(default_factory=list)

    @cached_property
    def promised(self) -> dict[str, str]:
        """The SHA-256 of every file by its name, of the names that stay in the folder."""
        return {name: each.get("sha256", "") for name, each in self._files() if _stays_inside(name)}

    @cached_property
    def datasets(self) -> dict[str, str]:
        """The fingerprints of the datasets."""
        tables = {PurePosixPath(name): sha256 for name, sha256 in self.promised.items()}
        return {path.stem: sha256 for path, sha256 in tables.items() if path.match(f"{PREPARED}/*.csv")}

    @cached_property
    def counts(self) -> Counter[str]:
        """The numbers of every verdict."""
        counts = (each for each in self.entities if each["@id"].startswith(COUNTED))
        return Counter({str(each.get("name")): _whole(each.get("value")) for each in counts})

    def _files(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for each in self.entities:
            kinds = each.get("@type", [])
            if "File" in ([kinds] if isinstance(kinds, str) else kinds):
                yield unquote(each["@id"]), each

    def check(self) -> Verified:
        for name, _ in self._files():
            if not _stays_inside(name):
                self._find(name, "leads out of the folder, where nothing is looked at")
        for name in each_of(list(self.promised), "files"):
            self._check_file(name, self.promised[name])
        for name in sorted(self._there() - {*self.promised, METADATA, RECORD}):
            self._find(name, "is not in the crate")
        self._check_crate()
        rows = sum(self._check_rows(name) for name in self.promised)
        return Verified(len(self.promised), rows, self._check_counts(), self.findings)

    def _find(self, name: str, what: str) -> None:
        self.findings.append(f"{name}: {what}.")

    def _is_file(self, name: str) -> bool:
        """Whether a file is there, and not by way of a link."""
        path = self.root / name
        steps = [path, *path.parents][: len(PurePosixPath(name).parts)]
        return os.path.isfile(path) and not any(os.path.islink(step) for step in steps)

    def _check_file(self, name: str, sha256: str) -> None:
        if not os.path.lexists(self.root / name):
            self._find(name, "is missing")
        elif not self._is_file(name):
            self._find(name, "is a link or no file, and links are not followed")
        elif not sha256:
            self._find(name, "has no SHA-256 in the crate")
        elif checksum(self.root / name) != sha256:
            self._find(name, "is not as it was made, its SHA-256 is another one")

    def _there(self) -> set[str]:
        """All files but traces, and but folders that have a crate of their own."""
        found = set()
        aside = {*(name.rstrip("/") for name in TRACES), *ASIDE}
        for place, folders, files in os.walk(self.root):
            here = Path(place)
            links = [name for name in folders if (here / name).is_symlink()]
            names = [str((here / name).relative_to(self.root)) for name in (*files, *links)]
            folders[:] = [
                name
                for name in folders
                if not (here == self.root and name in aside) and not (here / name / METADATA).is_file()
            ]
            found |= {*names}
        return found

    def _check_crate(self) -> None:
        """The crate by its record, which names the run as the crate does."""
        if not self._is_file(RECORD):
            self._find(RECORD, "is missing, so that nothing vouches for the crate")
            return
        headline, *lines = _text(self.root / RECORD).splitlines() or [""]
        runs = {each["@id"] for each in self.entities if each["@id"].startswith(ACTION)}
        if runs != {headline.replace("# told ", ACTION, 1)}:
            self._find(RECORD, f"is of another run than {METADATA}")
        recorded = dict(line.split("  ", 1)[::-1] for line in lines if "  " in line)
        if recorded.get(METADATA) != checksum(self.root / METADATA):
            self._find(METADATA, f"does not agree with its record, {RECORD}")
        for name in sorted({*recorded} - {METADATA}):
            if self.promised.get(name) != recorded[name]:
                self._find(RECORD, f"does not agree with {METADATA} about {name}")

    def _check_rows(self, name: str) -> int:
        """How many rows of a file tell of a dataset; one that the crate does not have is named."""
        if not name.endswith(".csv") or name.startswith(f"{PREPARED}/") or not self._is_file(name):
            return 0
        rows = self._rows(name)
        told = [row for row in rows if row.get("fingerprint")]
        by_name = name.startswith(CELLS)  # elsewhere a column `dataset` is what a paper printed
        strangers = [row for row in told if not self._is_ours(row, by_name)]
        if strangers:
            what = "row tells" if len(strangers) == 1 else "rows tell"
            self._find(name, f"{len(strangers)} {what} of a dataset with a fingerprint that is not in the crate")
        return len(told)

    def _is_ours(self, row: Mapping[str, str], by_name: bool) -> bool:
        """Whether the dataset of a row is one of the crate."""
        if by_name:
            return self.datasets.get(row["dataset"]) == row["fingerprint"]
        return row["fingerprint"] in self.datasets.values()

    def _check_counts(self) -> int:
        """How many numbers the scorecard has; counts that differ from the crate's are told."""
        if not self._is_file(SCORECARD):
            return 0
        found = Counter(row.get("verdict") or "" for row in self._rows(SCORECARD))
        for verdict in sorted({*found, *self.counts}):
            if found[verdict] != self.counts[verdict]:
                said = f"but the crate says {self.counts[verdict]}"
                self._find(SCORECARD, f"has {found[verdict]} numbers with the verdict '{verdict}', {said}")
        return found.total()

    def _rows(self, name: str) -> list[dict[str, str]]:
        try:
            return list(csv.DictReader(io.StringIO(_text(self.root / name)), strict=True))
        except csv.Error:
            self._find(name, "cannot be read as CSV")
            return []


def verify(folder: Path) -> Verified:
    """Compare a folder of results with its crate."""
    path = folder / METADATA
    if not path.is_file() or path.is_symlink():
        raise SdclabError(f"{path}: is not there, so that there is nothing to verify by; `make reproduce` writes it.")
    try:
        entities = json.loads(read(path, MOST))["@graph"]
        texts = [each[key] for each in entities for key in ("@id", "sha256") if key in each or key == "@id"]
        runs = [each for each in entities if each["@id"].startswith(ACTION)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        texts, runs = [], []
    if not runs or not all(isinstance(text, str) for text in texts):
        raise SdclabError(f"{path}: is not the crate of a run of sdclab.")
    return _Folder(folder, entities).check()


def _stays_inside(name: str) -> bool:
    """Whether a path cannot lead out of the folder, links aside."""
    parts = PurePosixPath(name).parts
    return bool(parts) and parts[0] != "/" and ".." not in parts and "\0" not in name and "\\" not in name


def _text(path: Path) -> str:
    return read(path).decode(errors="replace")


def _whole(value: object) -> int:
    return value if isinstance(value, int) else -1
