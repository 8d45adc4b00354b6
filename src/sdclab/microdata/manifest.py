"""What datasets there are: `resources/datasets.yaml` as objects."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sdclab.base import documents
from sdclab.base.errors import SdclabError, listed, unknown
from sdclab.microdata.attribute import Attribute
from sdclab.microdata.dataset import Missing, is_number
from sdclab.microdata.declaration import Declared, read_beside, types_of
from sdclab.microdata.prepare import SAMPLED


@dataclass(frozen=True)
class Download:
    """A public address of an original file, or of a zip archive that holds it."""

    url: str
    file: str
    sha256: str | None = None
    member: str | None = None


@dataclass(frozen=True)
class Replica:
    """How the shipped synthetic copy was made, and the fingerprint it must have."""

    file: str
    k: int
    sha256: str
    strata: Literal["pattern", "mixture"] = "pattern"


@dataclass(frozen=True)
class UserFile:
    """A user's file, what to do with its incomplete rows, and how to read it (`sdclab.microdata.reading.read`)."""

    file: Path
    missing: Missing = "keep"
    line_breaks: bool = False
    header: bool = False


@dataclass(frozen=True)
class Entry:
    """One dataset, of the manifest or of a study."""

    name: str
    title: str
    licence: str
    obtain: str
    preparation: str
    columns: tuple[str, ...]
    """none, of a user's file: all that can be used"""
    types: Mapping[str, Declared]
    """of every column of the manifest's; of a user's file, of those of which it is said"""
    rows: int | None = None
    sample: int | None = None
    """the seed of a random sample of so many rows; none: they are not drawn"""
    files: tuple[str, ...] = ()
    downloads: tuple[Download, ...] = ()
    sha256: str | None = None
    replica: Replica | None = None
    generator: str | None = None
    relations: Mapping[str, tuple[str, ...]] | None = None
    user_file: UserFile | None = None

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(column for column in self.columns if self.types[column].is_number)

    @property
    def categories(self) -> tuple[str, ...]:
        return tuple(column for column in self.columns if self.types[column].is_categories)

    @property
    def coded(self) -> tuple[Attribute, ...]:
        """The columns whose categories are text: prepared tables hold their codes."""
        return tuple(
            Attribute(column, self.types[column].type or "nominal", categories=labels)
            for column in self.categories
            if (labels := self.types[column].categories) and not all(map(is_number, labels))
        )


def load(path: Path | str, schema: Path | str) -> dict[str, Entry]:
    """All entries by name."""
    document = documents.load(path, schema)
    return {name: _entry(name, values, f"{path}: datasets.{name}") for name, values in document["datasets"].items()}


def _entry(name: str, values: Mapping[str, Any], where: str) -> Entry:
    fields = dict(values)
    if "sample" in fields and fields["preparation"] not in SAMPLED:
        raise SdclabError(f"{where}: sample is given, but only {listed(SAMPLED)} can be sampled.")
    fields["types"] = types_of(values["types"], f"{where}.types")
    fields["columns"] = tuple(fields["types"])
    fields["files"] = tuple(fields.get("files", ()))
    fields["downloads"] = tuple(Download(**item) for item in fields.get("downloads", ()))
    if "replica" in fields:
        fields["replica"] = Replica(**fields["replica"])
    return Entry(name=name, **fields)


def file_entry(name: str, values: Mapping[str, Any], where: str) -> Entry:
    """A study's dataset that is a user's file, looked for in the working directory unless its path is absolute.

    What the study says of types goes before what the small file beside it says.
    """
    file = Path(values["file"])
    if not file.is_file():
        raise SdclabError(f"{where}: file is {file}, but there is no such file.")
    columns, types = tuple(values.get("columns", ())), types_of(values.get("types", {}), f"{where}.types")
    for column in types:
        if columns and column not in columns:
            raise unknown("column", column, columns, f"{where}.types")
    return Entry(
        name=name,
        title=values.get("title", file.name),
        licence="the owner's",
        obtain="the file of whoever runs the study",
        preparation="none",
        columns=columns,
        types={**read_beside(file).types, **types},
        sha256=values.get("sha256"),
        user_file=UserFile(file, **{key: values[key] for key in ("missing", "line_breaks", "header") if key in values}),
    )


def entry(entries: Mapping[str, Entry], name: str, where: str = "") -> Entry:
    if name not in entries:
        raise unknown("dataset", name, entries, where)
    return entries[name]
