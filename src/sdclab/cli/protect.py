"""sdclab protect: a file in, a protected file out."""

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sdclab.base import documents, files
from sdclab.base.errors import SdclabError
from sdclab.base.registry import Parameter
from sdclab.cli.common import add_column_options, file_of, prepared
from sdclab.cli.progress import say, shown
from sdclab.experiment.release import check_seed, release
from sdclab.methods import METHODS
from sdclab.microdata.attribute import BOUNDS
from sdclab.microdata.endings import check_ending
from sdclab.microdata.writing import write

EXAMPLES = """examples:
  sdclab protect data.csv --method mdav --k 5 -o protected.csv
  sdclab protect data.csv --method fcrm --c 10 --dependent income,tax --independent age -o protected.csv
  sdclab protect data.parquet --method noise --p 0.2 --pass-through name --missing drop -o protected.csv
  sdclab protect --method fcrm --help     the parameters of a method

A name with a comma stands in double quotes: --dependent '"income, EUR",tax'.
"""


def add_arguments(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """What the verb takes; the method in the arguments, if any, decides which parameters."""
    method = _method_in(arguments)
    parser.epilog = EXAMPLES if method else "\n".join([EXAMPLES, "methods:", *map(_described, METHODS)])
    parser.add_argument("file", type=Path, help="the file to protect (.csv, .tsv, .txt, .parquet)")
    listing = "one of those that `sdclab protect --help` lists"
    parser.add_argument("--method", type=METHODS.spelled, required=True, help=listing)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the protected file; its ending says how")
    parser.add_argument(
        "--seed", type=int, help="of the random numbers, 2^32 or more (default: a fresh one; keep it secret)"
    )
    add_column_options(parser, release=True)
    bounds = (
        "released numbers beyond a column's bounds become the bound, and others are moved so that means stay (balance, "
        "the default), the bound (clip), their mirror image (reflect), or stay (none)"
    )
    parser.add_argument("--bounds", choices=BOUNDS, default="balance", help=bounds)
    unchanged = "release the file even if the method leaves a dependent as it is"
    parser.add_argument("--allow-unchanged", action="store_true", help=unchanged)
    if method is not None:
        group = parser.add_argument_group(f"parameters of {method}", METHODS.summary(method))
        for parameter in METHODS.parameters(method).values():
            _add_parameter(group, parameter, method)


def _method_in(arguments: Sequence[str]) -> str | None:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--method", type=METHODS.spelled)
    return parser.parse_known_args(arguments)[0].method


def _described(method: str) -> str:
    try:
        return f"  {method:<13} {METHODS.summary(method)}"
    except SdclabError as error:
        return f"  {method:<13} {error}"


def _add_parameter(group: Any, parameter: Parameter, method: str) -> None:
    default = "required" if parameter.required else f"default: {_written(parameter.default)}"
    about = f"{parameter.meaning}; {parameter.allowed}" if parameter.meaning else parameter.allowed
    spellings = dict.fromkeys([f"--{parameter.name}", f"--{parameter.name.replace('_', '-')}"])
    try:
        group.add_argument(
            *spellings, dest=f"parameter {parameter.name}", metavar="V", default=argparse.SUPPRESS,
            help=f"{about} ({default})".replace("%", "%%"),
        )  # fmt: skip
    except argparse.ArgumentError:
        raise SdclabError(f"method {method}: its parameter {parameter.name} is called like an option.") from None


def _written(value: object) -> str:
    if value is None:
        return "by the method"
    return value if isinstance(value, str) else json.dumps(value)


def _value(text: str) -> object:
    """A parameter as a config has it: true, 3, 0.5, a word, [a, list], {a: mapping}; and 1e-5, a word to YAML."""
    try:
        value = documents.value(text, "the command line")
        return float(value) if isinstance(value, str) else value
    except (ValueError, SdclabError):
        return text


def run(options: argparse.Namespace) -> None:
    """Protect the file; what its owner should know goes to standard error."""
    check_seed(options.seed)
    check_ending(options.output)
    files.check_target(options.output)
    files.check_writable(options.output.parent)
    if files.same(options.output, options.file):
        raise SdclabError(f"{options.output}: this is the original, which would be overwritten; choose another name.")
    given = {key.split()[1]: _value(text) for key, text in vars(options).items() if key.startswith("parameter ")}
    METHODS.checked(options.method, given)
    with shown():
        table = prepared(file_of(options, options.file), options)
        made = release(table, options.method, given, options.seed, options.allow_unchanged, options.bounds)
        write(made.table, options.output)
    roles = table.roles
    say(f"{options.output}: {len(made.table.frame)} records; protected {', '.join(made.protected) or 'nothing'}")
    for warning in made.warnings:
        say(f"WARNING: {warning}")
    if roles.independent + roles.pass_through:
        say(f"released as they are: {', '.join(roles.independent + roles.pass_through)}")
    for name, value in made.facts.items():
        if not math.isnan(value):
            say(f"{name}: {value:g}")
    if options.seed is None:
        say(f"seed: {made.seed} (with it the same file is made again; who has it may undo the protection)")
