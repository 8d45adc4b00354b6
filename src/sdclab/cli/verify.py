"""sdclab verify: a folder of results against its crate."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from sdclab.base.errors import printable
from sdclab.cli.progress import shown
from sdclab.evidence.verification import verify

EXAMPLES = """examples:
  sdclab verify results/
  sdclab verify copied/from/elsewhere

It compares the folder with its ro-crate-metadata.json: the SHA-256 of every file, the fingerprint of the dataset in
every row, and how many numbers of the scorecard earned which verdict. What is altered, missing or not in the crate is
named. Logs and benchmarks are no results. The exit code is 0 if all is as the crate says, 1 if not, 2 if there is none.
"""


def add_arguments(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """What the verb takes."""
    parser.epilog = EXAMPLES
    parser.add_argument("folder", type=Path, metavar="RESULTS", help="the folder that a run wrote, or a copy of it")


def run(options: argparse.Namespace) -> int:
    """Print what is not as the crate says, a sentence each; the exit code tells whether anything is."""
    with shown():
        found = verify(options.folder)
    for finding in found.findings:
        print(printable(finding))
    if not found.findings:
        print(f"{found.files} files, {found.rows} rows and {found.numbers} published numbers are as the crate says.")
    return int(bool(found.findings))
