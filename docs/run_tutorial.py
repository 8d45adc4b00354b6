"""Run the tutorial and keep what it shows: `make tutorial`."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

TUTORIAL = Path(__file__).with_name("tutorial.ipynb")


def executed() -> nbformat.NotebookNode:
    """The tutorial after a run, without the times at which its cells ran."""
    book = nbformat.read(TUTORIAL, 4)
    return NotebookClient(book, kernel_name="python3", timeout=600, record_timing=False).execute()


if __name__ == "__main__":
    nbformat.write(executed(), TUTORIAL)
