"""What the owner of a table says about it: the types of its columns, and the rules that hold in every record.

    types:
      region: nominal
      size: {type: ordinal, categories: [small, medium, large]}
      income: {low: 0, decimals: 2, masses: [0]}
      sector: {taxonomy: {government: [federal, local], private: [firm, self-employed]}}
    rules:
      - total = wages + interest

stands in a file beside it, `data.sdclab.yaml` for `data.csv`; the command line has `--type region=nominal`,
`--type 'size=ordinal:small<medium<large'` and `--rule 'total = wages + interest'`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from pathlib import Path
from typing import Any

from sdclab.base import documents
from sdclab.base.errors import SdclabError, shortened, unknown
from sdclab.microdata.attribute import NUMBERS, TYPES, Type
from sdclab.microdata.tree import Node, label, named_tree_of


@dataclass(frozen=True)
class Declared:
    """What was said about a column; what was not is None, and seen from the data."""

    type: Type | None = None
    categories: tuple[str, ...] | None = None
    low: float | None = None
    high: float | None = None
    decimals: int | None = None
    masses: tuple[float, ...] | None = None
    taxonomy: Node | None = None
    """a tree over the categories; without one no two of them have more in common than others"""

    @property
    def is_categories(self) -> bool:
        return self.type not in NUMBERS if self.type else self.categories is not None

    @property
    def is_number(self) -> bool:
        return self.type in NUMBERS if self.type else any(getattr(self, key) is not None for key in OF_NUMBERS)


KEYS = tuple(each.name for each in fields(Declared))
PARTS = ("types", "rules")
OF_NUMBERS = ("low", "high", "decimals", "masses")


@dataclass(frozen=True)
class Declaration:
    """Types by column, and rules as they are written."""

    types: Mapping[str, Declared] = field(default_factory=dict)
    rules: tuple[str, ...] = ()

    def with_more(self, types: Mapping[str, Declared], rules: Sequence[str]) -> "Declaration":
        """What is said elsewhere as well: its types go before these, rules are added."""
        return Declaration({**self.types, **types}, (*self.rules, *(rule for rule in rules if rule not in self.rules)))


def beside(file: Path) -> Path:
    """Where something may be said about a file."""
    return file.with_name(f"{file.stem}.sdclab.yaml")


def read_beside(file: Path) -> Declaration:
    """What is said beside a file; nothing if nothing stands there."""
    path = beside(file)
    return declaration_of(documents.parse(path), path.name) if path.exists() else Declaration()


def declaration_of(said: Any, where: str) -> Declaration:
    """A mapping with the keys types and rules; either may be missing."""
    if not isinstance(said, Mapping):
        raise SdclabError(f"{where}: must be a mapping with keys among {', '.join(PARTS)}.")
    for key in said:
        if key not in PARTS:
            raise unknown("key", str(key), PARTS, where)
    types, rules = said.get("types", {}), said.get("rules", [])
    if not isinstance(types, Mapping):
        raise SdclabError(f"{where}: types must be a mapping of columns to types.")
    if not (isinstance(rules, list) and all(isinstance(rule, str) for rule in rules)):
        raise SdclabError(f"{where}: rules must be a list of texts, as in - total = wages + interest.")
    return Declaration(types_of(types, f"{where}: types"), tuple(rules))


def parse_types(given: Sequence[str]) -> dict[str, Declared]:
    """As the command line has them: `region=nominal`, `size=ordinal:small<medium<large`."""
    found: dict[str, Declared] = {}
    for text in given:
        name, equals, about = text.partition("=")
        if not (equals and name.strip() and about):
            raise SdclabError(f"--type {shortened(text)}: must be a column and its type, as in region=nominal.")
        if name in found:
            raise SdclabError(f"--type: column {shortened(name)} is named more than once.")
        type, colon, order = about.partition(":")
        said = {"type": type, **({"categories": order.split("<")} if colon else {})}
        found.update(types_of({name: said}, "--type"))
    return found


def types_of(said: Mapping[str, Any], where: str) -> dict[str, Declared]:
    """A mapping of columns to a type, or to a mapping of type, categories, low, high, decimals, masses and taxonomy."""
    return {str(name): _declared(about, f"{where}: {shortened(str(name))}") for name, about in said.items()}


def _declared(about: Any, where: str) -> Declared:
    if isinstance(about, Declared):
        return about
    if isinstance(about, str):
        about = {"type": about}
    if not isinstance(about, Mapping) or not about:
        raise SdclabError(f"{where} must be a type, or a mapping with keys among {', '.join(KEYS)}.")
    for key in about:
        if key not in KEYS:
            raise unknown("key", str(key), KEYS, where)
    type = about.get("type")
    if type is not None and type not in TYPES:
        raise unknown("type", str(type), TYPES, where)
    found = Declared(
        type,
        _categories(about.get("categories"), where),
        _number(about.get("low"), "low", where),
        _number(about.get("high"), "high", where),
        _decimals(about.get("decimals"), where),
        _masses(about.get("masses"), where),
    )
    if about.get("taxonomy") is not None:
        tree = named_tree_of(about["taxonomy"], found.categories, where)
        found = replace(found, type=type or "nominal", categories=found.categories or tree.leaves, taxonomy=tree)
    _check(found, where)
    return found


def _check(found: Declared, where: str) -> None:
    """Refuse what does not go together."""
    numeric = [key for key in OF_NUMBERS if getattr(found, key) is not None]
    if found.categories is not None and (numeric or found.type in NUMBERS):
        raise SdclabError(f"{where} has categories, but is declared as one of numbers, too.")
    if found.taxonomy is not None and found.type == "ordinal":
        raise SdclabError(f"{where} is ordinal, so it has no taxonomy: what its categories have in common has no rank.")
    if found.is_categories and numeric:
        raise SdclabError(f"{where} is {found.type}, so it has no {numeric[0]}.")
    if found.low is not None and found.high is not None and found.low >= found.high:
        raise SdclabError(f"{where}: low must be less than high.")


def _categories(given: Any, where: str) -> tuple[str, ...] | None:
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise SdclabError(f"{where}: categories must be a list.")
    labels = tuple(map(label, given))
    if len(labels) < 2 or len(set(labels)) < len(labels) or "" in labels:
        raise SdclabError(f"{where}: categories must be at least two, none of them empty or named twice.")
    return labels


def _number(given: Any, key: str, where: str) -> float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float) or not isfinite(given):
        raise SdclabError(f"{where}: {key} must be a number.")
    return float(given)


def _decimals(given: Any, where: str) -> int | None:
    if given is not None and (isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= 15):
        raise SdclabError(f"{where}: decimals must be a whole number from 0 to 15.")
    return given


def _masses(given: Any, where: str) -> tuple[float, ...] | None:
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise SdclabError(f"{where}: masses must be a list of numbers.")
    return tuple(sorted(float(_number(each, "each of its masses", where) or 0) for each in given))
