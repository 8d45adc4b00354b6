"""Which code made a number: a fingerprint of the modules that a computation can reach."""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGE = "sdclab"
ROOT = Path(__file__).parent
REGISTRIES = {"sdclab.methods", "sdclab.measures"}
"""Left out of fingerprints: a new line there adds a method or measure and changes no other."""


def versions(packages: Iterable[str]) -> str:
    """`name version` of packages, as one text."""
    return " ".join(f"{package} {_version(package)}" for package in packages)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "source"


def code_fingerprint(modules: Iterable[str]) -> str:
    """A short hash of the source of these modules and of everything of this package that they import.

    A cell carries it, so that a change of code reruns the cells it can affect and no others.
    """
    reached: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += _imports(module)
    digest = hashlib.sha256()
    for module in sorted(reached - REGISTRIES):
        digest.update(module.encode() + b"\0" + _source(module))
    return digest.hexdigest()[:16]


def _file(module: str) -> Path | None:
    """The source file of a module of this package, found without importing anything."""
    stem = ROOT.joinpath(*module.split(".")[1:])
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


@cache
def _source(module: str) -> bytes:
    path = _file(module)
    return path.read_bytes() if path else b""


@cache
def _imports(module: str) -> tuple[str, ...]:
    """The modules of this package that a module imports, anywhere in its source."""
    found = []
    for node in ast.walk(ast.parse(_source(module))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(name for name in found if name.split(".")[0] == PACKAGE and _file(name))
