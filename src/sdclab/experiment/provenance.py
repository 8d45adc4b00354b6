"""What made a number: the code, by a fingerprint of the modules that a computation can reach, what it was told, the
versions of packages and the kind of processor.
"""

import ast
import ctypes
import hashlib
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGE = "sdclab"
ROOT = Path(__file__).parents[1]

CORENAMES = tuple(f"{prefix}openblas_get_corename{suffix}" for prefix in ("scipy_", "") for suffix in ("64_", ""))
"""What OpenBLAS may call the function that names its kernels."""


def versions(packages: Iterable[str]) -> str:
    """`name version` of packages, as one text."""
    return " ".join(f"{package} {_version(package)}" for package in packages)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "source"


@cache
def processor() -> str:
    """The kind of processor as far as it decides about the last bit: what NumPy uses of it, and the kernels of BLAS.

    The same numbers are added in another order by another kind. NPY_DISABLE_CPU_FEATURES and OPENBLAS_CORETYPE change
    the kind.
    """
    import numpy as np

    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    used = [*simd.get("baseline", ()), *simd.get("found", ())]
    return " ".join([platform.machine(), *used, *(sorted(set(_kernels())) or ["unknown BLAS"])])


def _kernels() -> Iterator[str]:
    """The kernels of every OpenBLAS in this process; NumPy and SciPy bring one each."""
    import scipy.linalg  # noqa: F401  # loads SciPy's

    try:
        loaded = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "openblas" in line}
    except OSError:  # not Linux
        return
    for path in loaded:
        library = ctypes.CDLL(path)
        for name in CORENAMES:
            if hasattr(library, name):
                corename = library[name]
                corename.restype = ctypes.c_char_p
                yield corename().decode()
                break


def mixed(rows: Iterable[Mapping[str, str]]) -> list[str]:
    """A loud line if rows of cells were computed on more than one kind of processor, else none."""
    found = sorted({row["processor"] for row in rows})
    if len(found) < 2:
        return []
    kinds = "; ".join(found)
    return [f"CELLS WERE COMPUTED ON {len(found)} KINDS OF PROCESSOR, so that their last digits may differ: {kinds}"]


def fingerprint(value: object) -> str:
    """A short hash of nested data: the same for the same data in any process and any version of Python.

    The order of keys counts, since columns and names follow it.
    """
    return hashlib.sha256(repr(_plain(value)).encode()).hexdigest()[:16]


def _plain(value: Any) -> object:
    """Nested lists and mappings of texts and numbers, whose `repr` says all about them; anything else is refused."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {_plain(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {type(value).__name__: {each.name: _plain(getattr(value, each.name)) for each in fields(value)}}
    raise TypeError(f"{type(value).__name__} has no plain form, so that a change of it would not be seen.")


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
    for module in sorted(reached):
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


STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
"""What a statement can stand in. No expression holds an import, and most of a tree is expressions."""


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """The statements of code that runs; what stands under `if TYPE_CHECKING` is for the type checker alone."""
    yield node
    for child in ast.iter_child_nodes(node):
        checked = isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING"
        if isinstance(child, STATEMENTS) and not checked:
            yield from _run(child)


@cache
def _imports(module: str) -> tuple[str, ...]:
    """The modules of this package, and of its own, that a module imports anywhere in its source."""
    packages = {PACKAGE, module.split(".")[0]}
    found = []
    for node in _run(ast.parse(_source(module))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(name for name in found if name.split(".")[0] in packages and _file(name))
