"""References as CITATION.cff has them."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdclab.base import documents
from sdclab.base.errors import unknown
from sdclab.experiment.study import Study


@dataclass(frozen=True)
class Reference:
    """A work that is cited."""

    authors: Sequence[Mapping[str, str]]
    year: str
    title: str
    place: str
    """where it appeared"""

    @property
    def name(self) -> str:
        """By which studies name it: the authors' families and the year."""
        ascii_only = unicodedata.normalize("NFKD", " ".join([*self.families, self.year])).encode("ascii", "ignore")
        return re.sub(r"[^a-z0-9]+", "_", ascii_only.decode().lower()).strip("_")

    @property
    def families(self) -> list[str]:
        return [author.get("family-names") or author.get("name", "") for author in self.authors]

    @property
    def short(self) -> str:
        """As it is called in a sentence."""
        *others, last = self.families
        return f"{', '.join(others)} & {last} ({self.year})" if others else f"{last} ({self.year})"

    @property
    def full(self) -> str:
        """As it stands in a list."""
        names = [" ".join(filter(None, [_initials(each), family])) for each, family in self._named()]
        return " ".join(
            f"{part.rstrip('.')}." for part in (", ".join(names), self.title, self.place, self.year) if part
        )

    def _named(self) -> list[tuple[Mapping[str, str], str]]:
        return list(zip(self.authors, self.families, strict=True))


@dataclass(frozen=True)
class Citation:
    """What is to be cited: the software, and what it reproduces."""

    software: Reference
    version: str
    licence: str
    references: Mapping[str, Reference]

    def of(self, study: Study) -> list[Reference]:
        """What a study reproduces."""
        for name in study.papers:
            if name not in self.references:
                raise unknown("reference", name, self.references, f"study {study.name}: papers")
        return [self.references[name] for name in study.papers]


def load(path: Path | str, schema: Path | str) -> Citation:
    """Read and check CITATION.cff."""
    given = documents.load(path, schema)
    made = [_reference(each) for each in given.get("references", ())]
    version, licence = str(given.get("version", "")), given.get("license", "")
    software = _reference(given)
    return Citation(software, version, licence, {reference.name: reference for reference in made})


def _reference(given: Mapping[str, Any]) -> Reference:
    year = str(given.get("year") or str(given.get("date-released", ""))[: len("yyyy")])
    return Reference(given["authors"], year, given["title"], _place(given))


def _place(given: Mapping[str, Any]) -> str:
    """The journal, volume, issue and pages, the conference, or the institution; and where it can be found."""
    inside = given.get("journal") or given.get("collection-title") or given.get("conference", {}).get("name")
    volume = f" {given['volume']}" if "volume" in given else ""
    issue = f"({given['issue']})" if "issue" in given else ""
    pages = "–".join(str(given[end]) for end in ("start", "end") if end in given)
    kind = "Thesis" if given.get("type") == "thesis" else ""
    parts = [kind, f"{inside}{volume}{issue}" if inside else "", pages, given.get("institution", {}).get("name", "")]
    found = f"doi:{given['doi']}" if "doi" in given else ""
    version = f"Software, version {given['version']}" if given.get("type") == "software" else ""
    return ". ".join(filter(None, [", ".join(filter(None, parts)), version, found]))


def _initials(author: Mapping[str, str]) -> str:
    return " ".join(f"{name[0]}." for name in author.get("given-names", "").split())
