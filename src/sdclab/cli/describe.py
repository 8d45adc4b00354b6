"""sdclab describe: what the program sees in a file, column by column."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from sdclab.cli.common import add_file_options, declared_for
from sdclab.cli.progress import say, shown
from sdclab.microdata.description import describe
from sdclab.microdata.reading import read

EXAMPLES = """examples:
  sdclab describe data.csv
  sdclab describe data.csv --type region=nominal --type 'size=ordinal:small<medium<large'

Types may also stand in a file beside it, data.sdclab.yaml for data.csv; --type goes before it. No value of a record is
shown: categories and bounds only where at least 10 records share them.
"""


def add_arguments(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """What the verb takes."""
    parser.epilog = EXAMPLES
    parser.add_argument("file", type=Path)
    add_file_options(parser)


def run(options: argparse.Namespace) -> None:
    """Print it."""
    types = declared_for(options.file, options).types
    with shown():
        found = describe(read(options.file, options.line_breaks, options.header, say), types)
    for line in found.lines():
        print(line)
    print(f"\nGo on with: {found.command(str(options.file))}")
