"""sdclab describe: what the program sees in a file, column by column."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from sdclab.cli.common import say
from sdclab.microdata.declaration import parse_types, read_types
from sdclab.microdata.description import describe
from sdclab.microdata.reading import read

EXAMPLES = """examples:
  sdclab describe data.csv
  sdclab describe data.csv --type region=nominal --type 'size=ordinal:small<medium<large'

Types may also stand in a file beside it, data.types.yaml for data.csv; --type goes before it. No value of a record is
shown: categories and bounds only where at least 10 records share them.
"""


def add_arguments(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """What the verb takes."""
    parser.epilog = EXAMPLES
    parser.add_argument("file", type=Path)
    types = "continuous, count, nominal or ordinal (default: by what the column holds)"
    parser.add_argument("--type", action="append", default=[], metavar="COLUMN=TYPE", help=types)
    parser.add_argument("--line-breaks", action="store_true", help="quoted fields of the CSV may hold line breaks")
    header = "the first line of the CSV names the columns, although it looks like a record"
    parser.add_argument("--header", action="store_true", help=header)


def run(options: argparse.Namespace) -> None:
    """Print it."""
    types = {**read_types(options.file), **parse_types(options.type)}
    found = describe(read(options.file, options.line_breaks, options.header, say), types)
    for line in found.lines():
        print(line)
    print(f"\nGo on with: {found.command(str(options.file))}")
