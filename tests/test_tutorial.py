"""The tutorial runs as its readers will run it, and shows what it prints."""

import re
import sys

import nbformat
import pytest
from conftest import PROJECT

sys.path.insert(0, str(PROJECT / "docs"))

import run_tutorial


def printed(book):
    """What its cells print, without decimals: the last one may be the processor's."""
    texts = ["".join(each.get("text", "") for each in cell.get("outputs", [])) for cell in book.cells]
    return [re.sub(r"\d+\.\d+", "#", text) for text in texts]


@pytest.mark.slow
def test_it_runs_and_prints_what_it_shows():
    assert printed(run_tutorial.executed()) == printed(nbformat.read(run_tutorial.TUTORIAL, 4))


def test_its_outputs_are_kept():
    cells = [cell for cell in nbformat.read(run_tutorial.TUTORIAL, 4).cells if cell.cell_type == "code"]
    assert all(cell.outputs for cell in cells)
    assert any("image/png" in each.get("data", {}) for cell in cells for each in cell.outputs)
    assert not any("execution" in cell.metadata for cell in cells)
