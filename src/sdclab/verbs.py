"""The verbs of the command line that work on a user's own file: protect, measure, map."""

import argparse
import json
import math
import secrets
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdclab import choice, choice_page, comparison, documents, files, methods
from sdclab.data import own
from sdclab.data.dataset import Dataset
from sdclab.errors import SdclabError, reason
from sdclab.measures import MEASURES
from sdclab.measures.copy import COPIES, crowding
from sdclab.methods import METHODS
from sdclab.registry import Parameter
from sdclab.scenarios import Scenario
from sdclab.seeds import stream

Commands = Any
"""What `add_subparsers` returns; its type has no public name."""

PROTECT = """examples:
  sdclab protect data.csv --method mdav --k 5 -o protected.csv
  sdclab protect data.csv --method fcrm --c 10 --dependent income,tax --independent age -o protected.csv
  sdclab protect data.parquet --method noise --p 0.2 --pass-through name --missing drop -o protected.csv
  sdclab protect --method fcrm --help     the parameters of a method
"""
MEASURE = """examples:
  sdclab measure data.csv protected.csv
  sdclab measure data.csv protected.csv --measures score,copy --json
  sdclab measure data.csv protected.csv --dependent income,tax --independent age

measures: """
MAP = """examples:
  sdclab map data.csv
  sdclab map data.csv --dependent income,tax --independent age --drop-columns name -o choice
  sdclab map data.csv --methods mdav,noise,fcrm --replicates 5

Into FOLDER/owner go the risk-utility map (SVG, PNG), the ranking (CSV, Markdown) and a page (index.html): for you, not
for release. The page names the best parameter of every method and the command that protects the file with it.
"""


def add(commands: Commands, arguments: Sequence[str]) -> None:
    """Add the verbs; the method in the arguments, if any, decides which parameters `protect` takes."""
    _add_protect(commands, arguments)
    _add_measure(commands)
    _add_map(commands)


def _new(commands: Commands, verb: str, what: str, epilog: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        verb,
        help=what,
        description=what[0].upper() + what[1:] + ".",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    return parser


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _add_roles(parser: argparse.ArgumentParser, release: bool) -> None:
    columns: dict[str, Any] = {"type": _names, "default": (), "metavar": "A,B"}
    parser.add_argument("--dependent", help="columns to protect (default: all that have no other role)", **columns)
    parser.add_argument("--independent", help="columns released as they are that may inform the model", **columns)
    if release:
        parser.add_argument("--pass-through", help="columns released as they are, text too", **columns)
        parser.add_argument("--drop-columns", help="columns to leave out", **columns)
    missing = "a row with a missing value in a dependent or independent is refused, or dropped"
    parser.add_argument("--missing", choices=["refuse", "drop"], default="refuse", help=missing)


def _say(line: str) -> None:
    print(line, file=sys.stderr)


# protect


def _add_protect(commands: Commands, arguments: Sequence[str]) -> None:
    asked = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    asked.add_argument("--method")
    here = list(arguments[:1]) == ["protect"]
    method = asked.parse_known_args(arguments)[0].method if here else None
    listed = ["", "methods:", *map(_listed, METHODS)] if here and method is None else []
    parser = _new(commands, "protect", "protect a file by a method", "\n".join([PROTECT.rstrip(), *listed]))
    parser.add_argument("file", type=Path, help="the file to protect (.csv, .tsv, .txt, .parquet)")
    parser.add_argument("--method", required=True, help="one of those that `sdclab protect --help` lists")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the protected file; its ending says how")
    parser.add_argument("--seed", type=int, help="of the random numbers (default: fresh ones; keep it secret)")
    _add_roles(parser, release=True)
    if method is not None:
        group = parser.add_argument_group(f"parameters of {method}", METHODS.summary(method))
        for parameter in METHODS.parameters(method).values():
            _add_parameter(group, parameter, method)
    parser.set_defaults(run=_protect)


def _listed(method: str) -> str:
    try:
        return f"  {method:<13} {METHODS.summary(method)}"
    except SdclabError as error:
        return f"  {method:<13} {error}"


def _add_parameter(group: Any, parameter: Parameter, method: str) -> None:
    default = "required" if parameter.required else f"default: {_written(parameter.default)}"
    try:
        group.add_argument(
            f"--{parameter.name}", dest=f"parameter {parameter.name}", metavar="V", default=argparse.SUPPRESS,
            help=f"{parameter.allowed} ({default})".replace("%", "%%"),
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


def _protect(options: argparse.Namespace) -> None:
    if options.seed is not None and options.seed < 0:
        raise SdclabError(f"--seed is {options.seed} but must not be negative.")
    own.check_ending(options.output)
    files.check_target(options.output)
    if files.same(options.output, options.file):
        raise SdclabError(f"{options.output}: this is the original, which would be overwritten; choose another name.")
    given = {key.split()[1]: _value(text) for key, text in vars(options).items() if key.startswith("parameter ")}
    METHODS.checked(options.method, given)
    table, roles = _read(options)
    dependent, independent = _scenario(roles).split(_dataset(table, roles))
    seed = secrets.randbits(63) if options.seed is None else options.seed
    try:
        made = methods.release(options.method, dependent, independent, stream(seed), given)
    except SdclabError:
        raise
    except Exception as error:
        raise SdclabError(f"method {options.method}: {reason(error)}") from None
    if not np.isfinite(made.values).all():
        column = roles.dependent[int(np.argwhere(~np.isfinite(made.values))[0][1])]
        raise SdclabError(f"method {options.method}: column {column} of the protected file is not finite.")
    table.released(roles.dependent, made.values, roles.dropped).write(options.output)
    _say(f"{options.output}: {len(made.values)} records; protected {', '.join(roles.dependent)}")
    if roles.independent + roles.pass_through:
        _say(f"released as they are: {', '.join(roles.independent + roles.pass_through)}")
    for name, value in made.facts.items():
        if not math.isnan(value):
            _say(f"{name}: {value:g}")
    if options.seed is None:
        _say(f"seed: {seed} (with it the same file is made again; who has it may undo the protection)")


def _read(options: argparse.Namespace) -> tuple[own.Table, own.Roles]:
    table = own.read(options.file)
    asked = options.dependent, options.independent, options.pass_through, options.drop_columns
    roles = own.Roles.of(table, *asked)
    return own.kept(table, roles.used, options.missing, _say), roles


def _dataset(table: own.Table, roles: own.Roles) -> Dataset:
    return Dataset(table.file, "own", table.file, roles.used, table.matrix(roles.used))


def _scenario(roles: own.Roles) -> Scenario:
    return Scenario("own", "own", roles.dependent, roles.independent)


# measure


def _add_measure(commands: Commands) -> None:
    parser = _new(commands, "measure", "compare a protected file with its original", MEASURE + ", ".join(MEASURES))
    parser.add_argument("original", type=Path)
    parser.add_argument("protected", type=Path, help="the same records in the same order")
    _add_roles(parser, release=False)
    parser.add_argument("--measures", type=_names, default=(), metavar="A,B", help="default: all that apply")
    parser.add_argument("--json", action="store_true", help="for machines; null is a number that is not defined")
    parser.set_defaults(run=_measure)


def _measure(options: argparse.Namespace) -> None:
    tables = own.read(options.original), own.read(options.protected)
    shared = _shared(*tables, options.dependent + options.independent)
    before, after = (own.kept(table, shared, options.missing, _say).matrix(shared) for table in tables)
    if len(before) != len(after):
        raise SdclabError(
            f"{tables[0].file} has {len(before)} records and {tables[1].file} {len(after)}; they must agree."
        )
    changed = [name for name, same in zip(shared, (before == after).all(axis=0), strict=True) if not same]
    independent = options.independent or (() if options.dependent else set(shared) - set(changed or shared))
    roles = own.Roles(
        options.dependent or tuple(name for name in shared if name not in independent),
        tuple(name for name in shared if name in independent), (), (),
    )  # fmt: skip
    dependent, unchanged = _scenario(roles).split(Dataset(tables[0].file, "own", "", tuple(shared), before))
    released = after[:, [shared.index(name) for name in roles.dependent]]
    found = comparison.compare(dependent, released, unchanged, options.measures, _progress_of_measures)
    print(_as_json(found, roles, len(before)) if options.json else _as_text(found, roles, len(before)))


def _progress_of_measures(name: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{name} ...\r", end="", file=sys.stderr, flush=True)


def _shared(original: own.Table, protected: own.Table, named: Sequence[str]) -> list[str]:
    """The columns to compare, in the original's order: those named, else all fit ones."""
    both = [name for name in original.columns if name in protected.columns]
    for name in named:
        for table in (original, protected):
            if name not in table.columns:
                raise SdclabError(f"{table.file}: there is no column {name}; both files must have it.")
    if named:
        return [name for name in both if name in named]
    fit = [name for name in both if not own.unfit(original, name) and not protected.is_text(name)]
    if not fit:
        raise SdclabError(f"{original.file} and {protected.file} share no column of numbers that could be compared.")
    return fit


def _as_text(found: comparison.Comparison, roles: own.Roles, records: int) -> str:
    lines = [
        f"records      {records}",
        f"dependent    {', '.join(roles.dependent)}",
        f"independent  {', '.join(roles.independent) or '(none)'}",
    ]
    for measure, numbers in found.numbers.items():
        lines += ["", measure]
        lines += [f"  {name:<30}{_shown(value):>12}" for name, value in numbers.items()]
    if found.reasons:
        lines += ["", "not measured", *(f"  {measure}: {why}" for measure, why in found.reasons.items())]
    return "\n".join(lines)


def _shown(value: float) -> str:
    return "not defined" if math.isnan(value) else f"{value:.3f}"


def _as_json(found: comparison.Comparison, roles: own.Roles, records: int) -> str:
    numbers = {
        measure: {name: value if math.isfinite(value) else None for name, value in values.items()}
        for measure, values in found.numbers.items()
    }
    about = {"records": records, "dependent": roles.dependent, "independent": roles.independent}
    return json.dumps({**about, "measures": numbers, "not_measured": found.reasons}, indent=2)


# map


def _add_map(commands: Commands) -> None:
    parser = _new(commands, "map", "try every method on a file and say which does best", MAP)
    parser.add_argument("file", type=Path)
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", help="default: the file's name with _map")
    parser.add_argument("--methods", type=_names, default=(), metavar="A,B", help="default: all")
    parser.add_argument("--replicates", type=int, default=1, help="releases a point, for their spread (default: 1)")
    _add_roles(parser, release=True)
    parser.set_defaults(run=_map)


def _map(options: argparse.Namespace) -> None:
    if find_spec("matplotlib") is None:
        raise SdclabError("sdclab map draws with matplotlib, which is not installed; pip install matplotlib.")
    for name in options.methods:
        METHODS.module(name)
    if options.replicates < 1:
        raise SdclabError(f"--replicates is {options.replicates} but must be at least 1.")
    table, roles = _read(options)
    whole = _dataset(table, roles)
    dataset = choice.sampled(whole)
    folder = options.output or Path(f"{options.file.stem}_map")
    files.check_writable(folder)
    progress = Progress()
    explored = choice.explore(_scenario(roles), dataset, options.methods or METHODS, options.replicates, progress)
    if not explored.rows:
        raise SdclabError(f"{table.file}: no method could run. " + " ".join(choice_page.reasons(explored)))
    crowded = crowding(dataset.select(roles.dependent, table.file))
    _deliver(folder, options, roles, explored, crowded, _about(whole, dataset, roles, crowded))


def _about(whole: Dataset, dataset: Dataset, roles: own.Roles, crowded: float) -> list[str]:
    n, seen = len(whole.values), len(dataset.values)
    lines = [
        f"{n} records. Dependent (protected): {', '.join(roles.dependent)}. "
        f"Independent (released as they are): {', '.join(roles.independent) or 'none'}."
    ]
    if seen < n:
        lines.append(
            f"The map was made on a random sample of {seen} records. The whole file is harder to link, so DR will be "
            "somewhat lower there; measure the release itself before you decide."
        )
    lines.append(
        f"A release is marked as copying if more than {max(COPIES, crowded):.0f} % of the records stand in it. Of the "
        f"originals {crowded:.0f} % have another original as near, so that nearness alone need not mean a copy."
    )
    return lines


def _deliver(
    folder: Path,
    options: argparse.Namespace,
    roles: own.Roles,
    explored: choice.Explored,
    crowded: float,
    about: Sequence[str],
) -> None:
    lines = choice.points(explored.rows, crowded)
    ranked = choice.ranking(lines)
    title = f"Methods for {files.shown(options.file.name)}"
    commands = {
        row["method"]: choice_page.command(options.file, row, roles, options.missing, folder / "protected")
        for row in choice.best(ranked)
        if not methods.is_control(row["method"])
    }
    owner = folder / "owner"
    _draw(lines, title, crowded, owner)
    files.write(owner / "ranking.csv", files.csv_text(list(ranked[0]), ranked))
    files.write(owner / "ranking.md", choice_page.markdown(ranked, title))
    svg = files.read(owner / "map.svg").decode()
    files.write(owner / "index.html", choice_page.page(title, about, ranked, explored, commands, svg))
    for row in choice.best(ranked):
        print(f"{row['score']:6.1f}  {choice.label(row['method'], row['parameters'])}: {choice.trade_off(row, ranked)}")
    for line in choice_page.reasons(explored):
        print(f"     -  {line}")
    print(f"\nFor you, not for release: {owner / 'index.html'}")


def _draw(lines: Sequence[choice.Row], title: str, crowded: float, folder: Path) -> None:
    from sdclab.plots import choices, style

    figure = choices.draw({"map": pd.DataFrame(lines)}, None, title=style.plain(title), crowded=crowded)
    for ending in ("svg", "png"):
        style.save(figure, folder / f"map.{ending}")


class Progress:
    """A bar on a terminal, a plain line a step elsewhere."""

    def __call__(self, done: int, total: int, label: str) -> None:
        if not sys.stderr.isatty():
            if done < total:
                _say(f"{done + 1} of {total}: {label}")
            return
        width = 30
        filled = width * done // max(total, 1)
        end = "" if done < total else "\n"
        bar = "#" * filled + "." * (width - filled)
        print(f"\r\x1b[K[{bar}] {done}/{total} {label}", end=end, file=sys.stderr, flush=True)
