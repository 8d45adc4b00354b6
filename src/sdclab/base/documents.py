"""YAML documents that must fit a JSON schema; what does not is said in one sentence with file and key.

A document is read here and nowhere else. It may be of any origin, so what would grow without bound is refused before
it does: size, nesting, aliases of aliases.
"""

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from sdclab.base.errors import SdclabError, shortened, unknown
from sdclab.base.files import read

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MAX_BYTES = 200_000
MAX_DEPTH = 30
MAX_VALUES = 100_000
"""With every alias counted as what it stands for."""
TEXT = "tag:yaml.org,2002:str"


class _Loader(yaml.SafeLoader):
    """Plain data only; no tags, keys are texts and differ, numbers are finite, nesting is bounded."""

    depth = 0
    keys = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "tag", None):
            raise _refused("a tag is not taken here", event)
        if self.depth == MAX_DEPTH:
            raise _refused(f"nested more than {MAX_DEPTH} deep", event)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def compose_mapping_node(self, anchor: Any) -> Any:
        node: Any = super().compose_mapping_node(anchor)
        seen: set[str] = set()
        for key, value in node.value:
            if key.tag == "tag:yaml.org,2002:int":  # 2 as a key means the same as "2"
                key.tag = TEXT
            merges = key.tag == "tag:yaml.org,2002:merge" and isinstance(value, yaml.MappingNode)
            if not merges and key.tag != TEXT:
                raise _refused("a key must be a text; quote it", key)
            if key.value in seen:
                raise _refused(f"the key '{shortened(key.value)}' stands here twice", key)
            seen.add(key.value)
        return node

    def flatten_mapping(self, node: Any) -> None:
        super().flatten_mapping(node)
        self.keys += len(node.value)
        if self.keys > MAX_VALUES:
            raise _refused(f"more than {MAX_VALUES} keys, merged ones included", node)

    def construct_number(self, node: Any) -> Any:
        """A number as YAML has it, if it is one: `._` and a whole number of 5,000 digits look like some, too."""
        make = self.construct_yaml_float if node.tag.endswith("float") else self.construct_yaml_int
        try:
            number = make(node)
            finite = math.isfinite(number)
        except (ValueError, OverflowError):
            finite = False
        if not finite:
            raise _refused(f"{shortened(node.value)} is not a number between -1e308 and 1e308", node)
        return number

    def construct_date(self, node: Any) -> Any:
        """A date stays the text that it is: nothing here takes one, and an impossible one would be no YAMLError."""
        return self.construct_yaml_str(node)


def _refused(problem: str, place: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=place.start_mark)


for kind in ("float", "int"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{kind}", _Loader.construct_number)
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _Loader.construct_date)


def load(path: Path | str, schema: Path | str) -> dict[str, Any]:
    """Read a document and check it."""
    document = parse(path)
    validate(document, schema, str(path))
    return document


def parse(path: Path | str) -> dict[str, Any]:
    """Read a YAML mapping, unchecked."""
    try:
        document = value(read(path, MAX_BYTES).decode(), str(path))
    except UnicodeDecodeError:
        raise SdclabError(f"{path}: is not UTF-8 text.") from None
    if not isinstance(document, dict):
        raise SdclabError(f"{path}: must hold a mapping of keys to values.")
    return document


def value(text: str, name: str) -> Any:
    """What a YAML text stands for."""
    try:
        found = yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "unreadable"
        raise SdclabError(f"{name}{where}: is not valid YAML ({problem}).") from None
    except RecursionError:  # a merge of a merge of a merge
        raise SdclabError(f"{name}: is nested too deep.") from None
    _check_bounds(found, name)
    return found


def validate(document: Mapping[str, Any], schema: Path | str, name: str) -> None:
    """Refuse a document that does not fit, naming the key, the value and what is allowed."""
    from jsonschema.exceptions import best_match  # a job, whose config was checked before, need not load it

    _check_bounds(document, name)  # it may have been read by another, as Snakemake reads what --configfile names
    error = best_match(_validator(schema).iter_errors(document))
    if error is not None:
        raise _sentence(error, name)


@cache
def _validator(schema: Path | str) -> Any:
    """For JSON schema 3.0 is a whole number, too; for Python's `range` it is not."""
    import jsonschema

    draft = jsonschema.Draft202012Validator
    types = draft.TYPE_CHECKER.redefine("integer", lambda _, it: isinstance(it, int) and not isinstance(it, bool))
    return jsonschema.validators.extend(draft, type_checker=types)(parse(schema))  # type: ignore[no-untyped-call]


def _check_bounds(document: Any, name: str) -> None:
    """Refuse a document that is too large or too deep once every alias is written out, or not finite."""
    known: dict[int, tuple[int, int]] = {}  # shared parts are counted by arithmetic, not by going through them again

    def extent(part: Any, key: tuple[str, ...]) -> tuple[int, int]:
        """How many values a part holds, and how deep it is."""
        if isinstance(part, float) and not math.isfinite(part):
            raise SdclabError(f"{name}: {'.'.join(key)} is {part} but must be a finite number.")
        if not isinstance(part, Mapping | list):
            return 1, 1
        if id(part) not in known:
            _check_extent(0, len(key), key, name)  # an alias inside of what it stands for never ends
            inside = part.items() if isinstance(part, Mapping) else enumerate(part)
            extents = [extent(each, (*key, str(i))) for i, each in inside]
            known[id(part)] = 1 + sum(size for size, _ in extents), 1 + max((deep for _, deep in extents), default=0)
        size, deep = known[id(part)]
        _check_extent(size, len(key) + deep - 1, key, name)
        return size, deep

    extent(document, ())


def _check_extent(size: int, depth: int, key: tuple[str, ...], name: str) -> None:
    place = ".".join((f"{name}: {key[0]}", *key[1:])) if key else name
    if depth > MAX_DEPTH:
        raise SdclabError(f"{shortened(place)}: is nested more than {MAX_DEPTH} deep.")
    if size > MAX_VALUES:
        raise SdclabError(f"{place}: holds more than {MAX_VALUES} values, each alias counted as what it stands for.")


def _sentence(error: "ValidationError", name: str) -> SdclabError:
    schema: Any = error.schema
    value: Any = error.validator_value
    key = ".".join(map(str, error.absolute_path))
    place = f"{name}: {key}" if key else name
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = schema.get("properties", {})
        extra = sorted(set(map(str, error.instance)) - set(known))
        return unknown("key", shortened(extra[0]), known, place)
    if error.validator == "required" and isinstance(error.instance, dict):
        missing = [str(key) for key in value if key not in error.instance]
        return SdclabError(f"{place}: the key '{missing[0]}' is missing.")
    if "propertyNames" in error.absolute_schema_path:
        place = f"{place}: a name in it"
    return SdclabError(f"{place} is {shortened(repr(error.instance))} but must be {_allowed(error)}.")


def _allowed(error: "ValidationError") -> str:
    """What a value may be. Beside a pattern the schema may say it in words, as `allowed`."""
    value: Any = error.validator_value
    words = {
        "enum": "one of {}",
        "type": "of type {}",
        "minimum": "at least {}",
        "maximum": "at most {}",
        "minItems": "a list of at least {}",
        "minProperties": "a mapping of at least {}",
        "pattern": error.schema.get("allowed", "a text that matches {}") if isinstance(error.schema, dict) else "{}",
        "exclusiveMinimum": "more than {}",
        "uniqueItems": "a list in which nothing stands twice",
    }.get(str(error.validator), f"valid by {error.validator} {{}}")
    return words.format(", ".join(map(str, value)) if isinstance(value, list) else value)
