"""The verbs of the command line that work on a user's own file: protect, measure, map."""

import argparse
import json
import math
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdclab import methods
from sdclab.base import documents, files
from sdclab.base.errors import SdclabError, listed, shortened
from sdclab.base.registry import Parameter, Registry
from sdclab.experiment import choice, comparison
from sdclab.experiment.scenario import Scenario
from sdclab.measures import MEASURES, intact, prl
from sdclab.measures.copy import EXPLAINED, crowding
from sdclab.methods import METHODS
from sdclab.microdata import own
from sdclab.microdata.dataset import Dataset
from sdclab.numerics.seeds import stream
from sdclab.output.pages import choice as choice_page

Commands = Any
"""What `add_subparsers` returns; its type has no public name."""

MOST_REPLICATES = 1000
"""Releases a point of a map: what more would add to a mean is not worth waiting for."""

SHORT = 2**32
"""Below, all seeds can be tried: 10,000 take about a second."""

PROTECT = """examples:
  sdclab protect data.csv --method mdav --k 5 -o protected.csv
  sdclab protect data.csv --method fcrm --c 10 --dependent income,tax --independent age -o protected.csv
  sdclab protect data.parquet --method noise --p 0.2 --pass-through name --missing drop -o protected.csv
  sdclab protect --method fcrm --help     the parameters of a method

A name with a comma stands in double quotes: --dependent '"income, EUR",tax'.
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


def _add_roles(parser: argparse.ArgumentParser, release: bool) -> None:
    columns: dict[str, Any] = {"type": own.names_of, "default": (), "metavar": 'A,"B, C"'}
    parser.add_argument("--dependent", help="columns to protect (default: all that have no other role)", **columns)
    parser.add_argument("--independent", help="columns released as they are that may inform the model", **columns)
    if release:
        parser.add_argument("--pass-through", help="columns released as they are, text too", **columns)
        parser.add_argument("--drop-columns", help="columns to leave out", **columns)
    missing = "a row with a missing value in a dependent or independent is refused, or dropped"
    parser.add_argument("--missing", choices=["refuse", "drop"], default="refuse", help=missing)
    parser.add_argument("--line-breaks", action="store_true", help="quoted fields of the CSV may hold line breaks")
    header = "the first line of the CSV names the columns, although it looks like a record"
    parser.add_argument("--header", action="store_true", help=header)


def _names(registry: Registry) -> Callable[[str], tuple[str, ...]]:
    """How a list of methods or measures is read, with hyphens or underscores."""
    return lambda text: tuple(map(registry.spelled, own.names_of(text)))


def _say(line: str) -> None:
    print(line, file=sys.stderr)


# protect


def _add_protect(commands: Commands, arguments: Sequence[str]) -> None:
    asked = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    asked.add_argument("--method", type=METHODS.spelled)
    here = list(arguments[:1]) == ["protect"]
    method = asked.parse_known_args(arguments)[0].method if here else None
    listed = ["", "methods:", *map(_listed, METHODS)] if here and method is None else []
    parser = _new(commands, "protect", "protect a file by a method", "\n".join([PROTECT.rstrip(), *listed]))
    parser.add_argument("file", type=Path, help="the file to protect (.csv, .tsv, .txt, .parquet)")
    listing = "one of those that `sdclab protect --help` lists"
    parser.add_argument("--method", type=METHODS.spelled, required=True, help=listing)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the protected file; its ending says how")
    parser.add_argument(
        "--seed", type=int, help="of the random numbers, 2^32 or more (default: a fresh one; keep it secret)"
    )
    _add_roles(parser, release=True)
    unchanged = "release the file even if the method leaves a dependent as it is"
    parser.add_argument("--allow-unchanged", action="store_true", help=unchanged)
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


def _protect(options: argparse.Namespace) -> None:
    if options.seed is not None and options.seed < 0:
        raise SdclabError(f"--seed is {options.seed} but must not be negative.")
    own.check_ending(options.output)
    files.check_target(options.output)
    files.check_writable(options.output.parent)
    if files.same(options.output, options.file):
        raise SdclabError(f"{options.output}: this is the original, which would be overwritten; choose another name.")
    given = {key.split()[1]: _value(text) for key, text in vars(options).items() if key.startswith("parameter ")}
    METHODS.checked(options.method, given)
    table, roles = _read(options)
    dependent, independent = _scenario(roles).split(_dataset(table, roles))
    seed = secrets.randbits(63) if options.seed is None else options.seed
    rng = stream(seed)
    made = methods.release(options.method, dependent, independent, rng, given, roles.dependent)
    found = intact.compare(dependent, made.values)
    protected = _changed(found, roles.dependent, options)
    table.released(roles.dependent, made.values, roles.dropped).write(options.output)
    _say(f"{options.output}: {len(made.values)} records; protected {', '.join(protected) or 'nothing'}")
    _warn(options.method, found, roles.dependent)
    if roles.independent + roles.pass_through:
        _say(f"released as they are: {', '.join(roles.independent + roles.pass_through)}")
    for name, value in made.facts.items():
        if not math.isnan(value):
            _say(f"{name}: {value:g}")
    _warn_of_a_short(seed, rng)
    if options.seed is None:
        _say(f"seed: {seed} (with it the same file is made again; who has it may undo the protection)")


def _changed(found: intact.Intact, columns: Sequence[str], options: argparse.Namespace) -> list[str]:
    """The columns that a method did change; one that it did not is refused, unless that was asked for."""
    unchanged = [columns[i] for i in found.unchanged]
    if unchanged and not options.allow_unchanged:
        raise SdclabError(
            f"method {options.method}: {listed(unchanged)} would be released unchanged, so nothing was written; "
            "name such columns in --independent or --pass-through, choose other parameters, or say --allow-unchanged."
        )
    return [column for column in columns if column not in unchanged]


def _warn(method: str, found: intact.Intact, columns: Sequence[str]) -> None:
    """Say loudly what came through; of a control, that it protects nobody."""
    if methods.is_control(method):
        _say(f"WARNING: {method} is a control, no protection: every record stands in the file")
    for line in intact.warnings(found, columns):
        _say(f"WARNING: {line}")


def _warn_of_a_short(seed: int, rng: np.random.Generator) -> None:
    """Only if the method drew random numbers at all."""
    if seed < SHORT and rng.bit_generator.state != stream(seed).bit_generator.state:
        _say(
            "WARNING: the seed is below 2^32, and so few can all be tried; who finds it draws the same random numbers "
            "and may undo the protection. Leave --seed out, or give a longer one."
        )


def _read(options: argparse.Namespace, say: Callable[[str], None] = _say) -> tuple[own.Table, own.Roles]:
    table = own.read(options.file, options.line_breaks, options.header, say)
    asked = options.dependent, options.independent, options.pass_through, options.drop_columns
    roles = own.Roles.of(table, *asked)
    return own.kept(table, roles.used, options.missing, say), roles


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
    parser.add_argument("--measures", type=_names(MEASURES), default=(), metavar="A,B", help="default: all that apply")
    parser.add_argument("--json", action="store_true", help="for machines; null is a number that is not defined")
    parser.set_defaults(run=_measure)


def _measure(options: argparse.Namespace) -> None:
    original, protected = (
        own.read(file, options.line_breaks, options.header, _say) for file in (options.original, options.protected)
    )
    shared, left_out = _shared(original, protected, options.dependent + options.independent)
    if left_out:
        _say(f"not compared: {listed([f'{name} {why}' for name, why in left_out.items()])}")
    before, after = (table.matrix(shared) for table in _paired(original, protected, shared, options.missing))
    changed = [name for name, same in zip(shared, (before == after).all(axis=0), strict=True) if not same]
    independent = options.independent or (() if options.dependent else set(shared) - set(changed or shared))
    roles = own.Roles(
        options.dependent or tuple(name for name in shared if name not in independent),
        tuple(name for name in shared if name in independent), (), (),
    )  # fmt: skip
    dependent, unchanged = _scenario(roles).split(Dataset(original.file, "own", "", tuple(shared), before))
    released = Dataset(protected.file, "own", "", tuple(shared), after).select(roles.dependent, protected.file)
    found = comparison.compare(dependent, released, unchanged, options.measures, _progress_of_measures)
    about = {"records": len(before), "dependent": roles.dependent, "independent": roles.independent}
    print(_as_json(found, {**about, "not_compared": left_out}) if options.json else _as_text(found, about))


def _paired(
    original: own.Table, protected: own.Table, columns: Sequence[str], missing: own.Missing
) -> tuple[own.Table, own.Table]:
    """The two tables record by record, without those that are incomplete in either, if that was asked for.

    A release made by `protect --missing drop` lacks the incomplete records already: it is as long as the original
    without them, and has no gap.
    """
    n, m = len(original.frame), len(protected.frame)
    if missing == "drop" and n != m and not protected.gaps(columns).any():
        original = own.kept(original, columns, missing, _say)
    if len(original.frame) != m:
        raise SdclabError(f"{original.file} has {n} records and {protected.file} {m}; they must agree.")
    if missing == "refuse" or n != m:
        return original, protected
    gaps = original.gaps(columns) | protected.gaps(columns)
    if gaps.all():
        raise SdclabError(f"{original.file} and {protected.file}: no record is complete in both.")
    if gaps.any():
        _say(f"{gaps.sum()} of {n} rows dropped, a value is missing in {original.file} or {protected.file}")
    return original.rows(~gaps), protected.rows(~gaps)


def _progress_of_measures(name: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{name} ...\r", end="", file=sys.stderr, flush=True)


def _shared(original: own.Table, protected: own.Table, named: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The columns to compare, in the original's order: those named, else all fit ones; and why others are left out."""
    for name in named:
        for table in (original, protected):
            if name not in table:
                raise SdclabError(f"{table.file}: there is no column {shortened(name)}; both files must have it.")
    if named:
        wanted = set(named)
        return [name for name in original.columns if name in wanted], {}
    left_out = {name: _unfit(name, original, protected) for name in dict.fromkeys(original.columns + protected.columns)}
    fit = [name for name, why in left_out.items() if not why]
    if not fit:
        raise SdclabError(f"{original.file} and {protected.file} share no column of numbers that could be compared.")
    return fit, {name: why for name, why in left_out.items() if why}


def _unfit(name: str, original: own.Table, protected: own.Table) -> str:
    """Why a column is not compared; nothing if it is."""
    for table in (original, protected):
        if name not in table:
            return f"is not in {table.file}"
        if name == table.row_names:
            return "names the rows"
        if table.is_text(name):
            return f"holds text in {table.file}, first in row {table.first_text(name)}"
    return own.unfit(original, name)


def _as_text(found: comparison.Comparison, about: Mapping[str, Any]) -> str:
    lines = [
        f"records      {about['records']}",
        f"dependent    {', '.join(about['dependent'])}",
        f"independent  {', '.join(about['independent']) or '(none)'}",
    ]
    for measure, numbers in found.numbers.items():
        lines += ["", measure]
        lines += [f"  {name:<30}{_shown(value):>12}" for name, value in numbers.items()]
    if found.reasons:
        lines += ["", "not measured", *(f"  {measure}: {why}" for measure, why in found.reasons.items())]
    return "\n".join(lines)


def _shown(value: float) -> str:
    return "not defined" if math.isnan(value) else f"{value:.3f}"


def _as_json(found: comparison.Comparison, about: Mapping[str, Any]) -> str:
    numbers = {
        measure: {name: value if math.isfinite(value) else None for name, value in values.items()}
        for measure, values in found.numbers.items()
    }
    return json.dumps({**about, "measures": numbers, "not_measured": found.reasons}, indent=2)


# map


def _add_map(commands: Commands) -> None:
    parser = _new(commands, "map", "try every method on a file and say which does best", MAP)
    parser.add_argument("file", type=Path)
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", help="default: the file's name with _map")
    parser.add_argument("--methods", type=_names(METHODS), default=(), metavar="A,B", help="default: all")
    parser.add_argument("--replicates", type=int, default=1, help="releases a point, for their spread (default: 1)")
    _add_roles(parser, release=True)
    parser.set_defaults(run=_map)


def _map(options: argparse.Namespace) -> None:
    if find_spec("matplotlib") is None:
        raise SdclabError("sdclab map draws with matplotlib, which is not installed; pip install matplotlib.")
    for name in options.methods:
        METHODS.module(name)
    if not 1 <= options.replicates <= MOST_REPLICATES:
        given = shortened(str(options.replicates))
        raise SdclabError(f"--replicates is {given} but must lie between 1 and {MOST_REPLICATES}.")
    notes: list[str] = []

    def note(line: str) -> None:
        """Say a line, and keep it for the page."""
        _say(line)
        notes.append(f"{line}.")

    table, roles = _read(options, note)
    whole = _dataset(table, roles)
    dataset = choice.sampled(whole)
    dependent = dataset.select(roles.dependent, table.file)
    if len(chosen := prl.informative(dependent)) < len(roles.dependent):
        note(f"probabilistic linkage (PRL, a part of DR) looks at {len(chosen)} of {len(roles.dependent)} dependents")
    folder = options.output or Path(f"{options.file.stem}_map")
    files.check_writable(folder)
    progress = Progress()
    explored = choice.explore(_scenario(roles), dataset, options.methods or METHODS, options.replicates, progress)
    if not explored.rows:
        raise SdclabError(f"{table.file}: no method could run. " + " ".join(choice_page.reasons(explored)))
    about = [*_about(whole, dataset, roles), *notes, _about_copies(crowding(dependent))]
    _deliver(folder, options, roles, explored, about)


def _about(whole: Dataset, dataset: Dataset, roles: own.Roles) -> list[str]:
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
    return lines


def _about_copies(crowded: float) -> str:
    near = f"Of the originals {crowded:.0f} % have another original as near as a copy would be"
    if crowded > EXPLAINED:
        return f"{near}, so that nearness proves nothing here and no release is marked as copying."
    return (
        f"{near}; a release is marked as copying if more than {(100 + crowded) / 2:.0f} % of the records stand in it."
    )


def _deliver(
    folder: Path,
    options: argparse.Namespace,
    roles: own.Roles,
    explored: choice.Explored,
    about: Sequence[str],
) -> None:
    lines = choice.points(explored.rows)
    ranked = choice.ranking(lines)
    title = f"Methods for {files.shown(options.file.name)}"
    reading = " --line-breaks" * options.line_breaks + " --header" * options.header
    commands = {
        row["method"]: choice_page.command(options.file, row, roles, options.missing, folder / "protected") + reading
        for row in choice.best(ranked)
        if not (methods.is_control(row["method"]) or row["intact"] > 0)  # which protect would refuse
    }
    owner = folder / "owner"
    _draw(lines, title, owner)
    files.write(owner / "ranking.csv", files.csv_text(list(ranked[0]), ranked))
    files.write(owner / "ranking.md", choice_page.markdown(ranked, title))
    svg = files.read(owner / "map.svg").decode()
    files.write(owner / "index.html", choice_page.page(title, about, ranked, explored, commands, svg))
    for row in choice.best(ranked):
        print(f"{row['score']:6.1f}  {choice.label(row['method'], row['parameters'])}: {choice.trade_off(row, ranked)}")
    for line in choice_page.reasons(explored):
        print(f"     -  {line}")
    print(f"\nFor you, not for release: {owner / 'index.html'}")


def _draw(lines: Sequence[choice.Row], title: str, folder: Path) -> None:
    from sdclab.output import style
    from sdclab.output.plots import choices

    figure = choices.draw({"map": pd.DataFrame(lines)}, None, title=style.plain(title))
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
