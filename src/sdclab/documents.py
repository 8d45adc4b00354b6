"""YAML documents that must fit a JSON schema; what does not is said in one sentence with file and key."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from jsonschema.exceptions import ValidationError, best_match

from sdclab.errors import SdclabError, unknown
from sdclab.files import read


def load(path: Path | str, schema: Path | str) -> dict[str, Any]:
    """Read a document and check it."""
    document = parse(path)
    validate(document, schema, str(path))
    return document


def parse(path: Path | str) -> dict[str, Any]:
    """Read a YAML mapping, unchecked."""
    try:
        document = yaml.safe_load(read(path).decode())
    except UnicodeDecodeError:
        raise SdclabError(f"{path}: is not UTF-8 text.") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "unreadable"
        raise SdclabError(f"{path}{where}: is not valid YAML ({problem}).") from None
    if not isinstance(document, dict):
        raise SdclabError(f"{path}: must hold a mapping of keys to values.")
    return document


def validate(document: Mapping[str, Any], schema: Path | str, name: str) -> None:
    """Refuse a document that does not fit, naming the key, the value and what is allowed."""
    validator = jsonschema.Draft202012Validator(parse(schema))
    error = best_match(validator.iter_errors(document))
    if error is not None:
        raise _sentence(error, name)


def _sentence(error: ValidationError, name: str) -> SdclabError:
    schema: Any = error.schema
    value: Any = error.validator_value
    key = ".".join(map(str, error.absolute_path))
    place = f"{name}: {key}" if key else name
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = schema.get("properties", {})
        extra = sorted(set(map(str, error.instance)) - set(known))
        return unknown("key", extra[0], known, place)
    if error.validator == "required" and isinstance(error.instance, dict):
        missing = [str(key) for key in value if key not in error.instance]
        return SdclabError(f"{place}: the key '{missing[0]}' is missing.")
    allowed = {
        "enum": "one of {}",
        "type": "of type {}",
        "minimum": "at least {}",
        "maximum": "at most {}",
        "minItems": "a list of at least {}",
        "minProperties": "a mapping of at least {}",
        "pattern": "a text that matches {}",
    }.get(str(error.validator), f"valid by {error.validator} {{}}")
    shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return SdclabError(f"{place} is {error.instance!r} but must be {allowed.format(shown)}.")
