"""Which code made a number: a fingerprint of the modules that a computation can reach."""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
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
    """The source file of a module: of this package without importing anything, of another one as Python finds it."""
    if module.split(".")[0] != PACKAGE:
        return _file_elsewhere(module)
    stem = ROOT.joinpath(*module.split(".")[1:])
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


def _file_elsewhere(module: str) -> Path | None:
    try:
        spec = find_spec(module)
    except ImportError:  # an attribute of a module, not a module
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


@cache
def _source(module: str) -> bytes:
    path = _file(module)
    return path.read_bytes() if path else b""


@cache
def _imports(module: str) -> tuple[str, ...]:
    """The modules of this package, and of its own, that a module imports anywhere in its source."""
    packages = {PACKAGE, module.split(".")[0]}
    found = []
    for node in ast.walk(ast.parse(_source(module))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(name for name in found if name.split(".")[0] in packages and _file(name))
