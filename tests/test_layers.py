"""The rooms of the house: each imports only from rooms below it, and science opens no file."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import PROJECT, SLOW

SOURCE = PROJECT / "src" / "sdclab"
FLOORS = (
    ("base",),
    ("numerics",),
    ("microdata",),
    ("clustering",),
    ("methods", "measures"),
    ("experiment",),
    ("evidence",),
    ("output",),
    ("cli",),
)
"""From the ground up. Rooms on one floor do not import each other."""
SCIENCE = ("numerics", "clustering", "methods", "measures")
OUTSIDE = ("scripts", "workflow", "benchmarks", "tests", *(path.stem for path in (PROJECT / "scripts").glob("*.py")))
"""What imports the package and is never imported by it."""

FILES = {
    *("open", "read", "read_bytes", "read_text", "write", "write_bytes", "write_text", "mkdir", "unlink", "touch"),
    *("loadtxt", "genfromtxt", "fromfile", "memmap", "save", "savez", "savetxt", "tofile"),
}
"""Calls by which files are read or written, in the standard library and in numpy."""

WAYS_OUT = {"gzip", "io", "os", "pandas", "pathlib", "shutil", "socket", "subprocess", "tempfile", "urllib", "zipfile"}
"""Modules that pure functions on arrays have no use for."""


def floor(room: str) -> int:
    return next(number for number, rooms in enumerate(FLOORS) if room in rooms)


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules that code imports, also inside functions; `from a import b` may mean a module a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms_of(tree: ast.AST) -> set[str]:
    """The rooms that code imports from."""
    parts = [name.split(".") for name in imported(tree)]
    return {room for package, room, *_ in (part for part in parts if len(part) > 1) if package == "sdclab"}


def upwards(room: str, tree: ast.AST) -> set[str]:
    """The rooms that code in a room imports from and must not."""
    return {other for other in rooms_of(tree) if other != room and other in ROOMS and floor(other) >= floor(room)}


def opened(tree: ast.AST) -> set[str]:
    """The calls in code that read or write a file."""
    called = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    names = {getattr(function, "attr", getattr(function, "id", "")) for function in called}
    return names & FILES


ROOMS = {room for rooms in FLOORS for room in rooms}
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))
ROOMED = [path for path in MODULES if len(path.parts) > 1]


def parsed(path: Path) -> ast.AST:
    return ast.parse((SOURCE / path).read_text())


def test_every_folder_is_a_room():
    assert {path.parts[0] for path in ROOMED} == ROOMS
    assert {str(path) for path in MODULES if len(path.parts) == 1} <= {"__init__.py"}


def test_tests_mirror_the_rooms():
    folders = {path.parent.name for path in (PROJECT / "tests").glob("*/test_*.py")}
    assert folders <= ROOMS | {"contract", *SLOW}


@pytest.mark.parametrize("path", ROOMED, ids=str)
def test_a_room_imports_from_rooms_below_it_alone(path):
    assert not upwards(path.parts[0], parsed(path))


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_the_package_imports_nothing_that_uses_it(path):
    names = set(imported(parsed(path)))
    assert not {name for name in names if name.startswith(".")}, "an import is written in full"
    assert not {name for name in names if name.split(".")[0] in OUTSIDE}


@pytest.mark.parametrize("path", [path for path in ROOMED if path.parts[0] in SCIENCE], ids=str)
def test_science_opens_no_file(path):
    tree = parsed(path)
    assert not opened(tree)
    assert not WAYS_OUT & {name.split(".")[0] for name in imported(tree)}


@pytest.mark.parametrize(
    ("room", "code", "found"),
    [
        ("methods", "from sdclab.measures.pil import loss", {"measures"}),
        ("methods", "from sdclab import measures, numerics", {"measures"}),
        ("base", "def f():\n    import sdclab.cli.main", {"cli"}),
        ("base", "if TYPE_CHECKING:\n    from sdclab.numerics.arrays import Matrix", {"numerics"}),
        ("evidence", "from sdclab.output.plots import PLOTS\nfrom sdclab.experiment import study", {"output"}),
        ("cli", "from sdclab.base.errors import SdclabError\nfrom sdclab import __version__", set()),
        ("methods", "from sdclab.methods import Release\nimport numpy", set()),
    ],
)
def test_an_import_upwards_is_found_wherever_it_stands(room, code, found):
    assert upwards(room, ast.parse(code)) == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("open('x')", {"open"}),
        ("with path.open() as file: pass", {"open"}),
        ("x = Path('x').read_text()", {"read_text"}),
        ("x = np.loadtxt('x')", {"loadtxt"}),
        ("x = y.sum(axis=0)", set()),
    ],
)
def test_a_file_that_is_opened_is_found(code, found):
    assert opened(ast.parse(code)) == found
