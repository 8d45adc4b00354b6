"""A verb parses, calls and prints; it computes nothing."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from sdclab.cli import main

FOLDER = Path(main.__file__).parent
LIBRARIES = {"numpy", "pandas", "scipy", "matplotlib", "pyarrow"}


@pytest.mark.parametrize("verb", main.VERBS)
def test_every_verb_is_a_file(verb):
    module = import_module(main.module_of(verb))
    assert callable(module.add_arguments)
    assert callable(module.run)


def test_every_file_is_a_verb_or_shared():
    verbs = {main.module_of(verb).rpartition(".")[2] for verb in main.VERBS}
    assert {path.stem for path in FOLDER.glob("*.py")} == {"__init__", "main", "common", "progress", *verbs}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_no_verb_computes(path):
    """Neither with a library nor with a kernel of the project: what it needs of those, other rooms do."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{name.name}" for name in node.names}
    assert not {name.split(".")[0] for name in names} & LIBRARIES
    assert not [name for name in names if name.startswith(("sdclab.numerics", "sdclab.clustering"))]
    assert {name for name in names if name.startswith(("sdclab.methods", "sdclab.measures"))} <= {
        "sdclab.methods.METHODS",
        "sdclab.measures.MEASURES",
    }


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], [], ["mapp"]])
def test_help_waits_for_no_library(arguments):
    """They take a second to import, and are imported for the verb that is asked for alone."""
    code = (
        "import sys\nfrom sdclab.cli.main import main\n"
        f"try:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n"
        f"print(sorted({LIBRARIES!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
