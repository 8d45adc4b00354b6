"""What the verbs on a user's files share: options about their columns, and reading them."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sdclab.base.errors import listed
from sdclab.base.names import names_of
from sdclab.base.registry import Registry
from sdclab.cli.progress import say
from sdclab.experiment.file import Prepared, prepare
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.declaration import Declaration, parse_types, read_beside
from sdclab.microdata.holdout import holdout
from sdclab.microdata.manifest import UserFile
from sdclab.microdata.microdata import Say
from sdclab.microdata.pairing import Pair, pair
from sdclab.microdata.reading import read
from sdclab.microdata.roles import Roles


def add_pair_options(parser: argparse.ArgumentParser) -> None:
    """An original and its release, and all that is said about them."""
    parser.add_argument("original", type=Path)
    parser.add_argument("protected", type=Path, help="the same records in the same order")
    add_column_options(parser, release=False)
    add_risk_options(parser)
    control = "records of the same population that the release was not made from, which attacks are compared with"
    parser.add_argument("--control", type=Path, metavar="FILE", help=control)
    parser.add_argument("--json", action="store_true", help="for machines; null is a number that is not defined")


def add_column_options(parser: argparse.ArgumentParser, release: bool) -> None:
    """The roles of columns, those that only a release has too, and how a file is to be read."""
    columns: dict[str, Any] = {"type": names_of, "default": (), "metavar": 'A,"B, C"'}
    parser.add_argument("--dependent", help="columns to protect (default: all that have no other role)", **columns)
    parser.add_argument("--independent", help="columns released as they are that may inform the model", **columns)
    if release:
        parser.add_argument("--pass-through", help="columns released as they are, text too", **columns)
        parser.add_argument("--drop-columns", help="columns to leave out", **columns)
    kept = "stays missing in the release" if release else "is compared as such, and other measures do without its row"
    missing = f"a missing value {kept} (keep, the default), or its row is dropped, or refused"
    parser.add_argument("--missing", choices=["keep", "drop", "refuse"], default="keep", help=missing)
    rule = "what must hold in every record: 'total = wages + interest', 'tax <= income'"
    parser.add_argument("--rule", action="append", default=[], metavar="RULE", help=rule)
    add_file_options(parser)


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """What its columns hold, and how a file is to be read."""
    types = "continuous, count, nominal or ordinal (default: by what the column holds, see `sdclab describe`)"
    parser.add_argument("--type", action="append", default=[], metavar="COLUMN=TYPE", help=types)
    parser.add_argument("--line-breaks", action="store_true", help="quoted fields of the CSV may hold line breaks")
    header = "the first line of the CSV names the columns, although it looks like a record"
    parser.add_argument("--header", action="store_true", help=header)


def add_risk_options(parser: argparse.ArgumentParser) -> None:
    """What an intruder is taken to know, and to want to know."""
    columns: dict[str, Any] = {"type": names_of, "default": (), "metavar": 'A,"B, C"'}
    parser.add_argument("--key", help="columns that an intruder may know (default: the independents)", **columns)
    parser.add_argument("--target", help="columns that an intruder wants to know (default: the dependents)", **columns)


def names_in(registry: Registry) -> Callable[[str], tuple[str, ...]]:
    """How a list of methods or measures is read, with hyphens or underscores."""
    return lambda text: tuple(map(registry.spelled, names_of(text)))


def file_of(options: argparse.Namespace, path: Path) -> UserFile:
    """A file, and how it is to be read."""
    return UserFile(path, options.missing, options.line_breaks, options.header)


def declared_for(path: Path, options: argparse.Namespace) -> Declaration:
    """What is said in the file beside this one, and on the command line, which goes before it."""
    return read_beside(path).with_more(parse_types(options.type), getattr(options, "rule", ()))


def prepared(file: UserFile, options: argparse.Namespace, say: Say = say) -> Prepared:
    """The table of a file that is to be released, ready for methods."""
    table = read(file.file, file.line_breaks, file.header, say)
    said = (options.dependent, options.independent, options.pass_through, options.drop_columns)
    roles = Roles.of(table, *said, getattr(options, "key", ()), getattr(options, "target", ()))
    return prepare(table, roles, declared_for(file.file, options), file.missing, say)


def paired(options: argparse.Namespace) -> tuple[Pair, Dataset | None, tuple[str, ...]]:
    """An original beside its release, the control if there is one, and the rules."""
    original, released = (
        read(path, options.line_breaks, options.header, say) for path in (options.original, options.protected)
    )
    said = declared_for(options.original, options)
    roles = (options.dependent, options.independent, options.missing)
    both = pair(original, released, *roles, say, said.types, options.key, options.target)
    if both.left_out:
        say(f"not compared: {listed([f'{name} {why}' for name, why in both.left_out.items()])}")
    others = None
    if options.control:
        table = read(options.control, options.line_breaks, options.header, say)
        others = holdout(both, table, options.missing, say)
    return both, others, said.rules


def about(both: Pair) -> dict[str, Any]:
    """How much is compared, and in which roles."""
    return {
        "records": len(both.original.values),
        "dependent": both.roles.dependent,
        "independent": both.roles.independent,
    }
