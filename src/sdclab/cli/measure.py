"""sdclab measure: two files in, numbers out."""

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sdclab.base import files
from sdclab.base.errors import SdclabError
from sdclab.cli.common import about, add_pair_options, names_in, paired, progress, say
from sdclab.experiment.comparison import Comparison, compare, control_of
from sdclab.experiment.records import risks
from sdclab.measures import MEASURES
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.pairing import Pair

EXAMPLES = """examples:
  sdclab measure data.csv protected.csv
  sdclab measure data.csv protected.csv --measures score,copy --json
  sdclab measure data.csv protected.csv --dependent income,tax --independent age
  sdclab measure data.csv protected.csv --key age,region --target income
  sdclab measure data.csv protected.csv --control holdout.csv --records owner/risk.csv

measures: """


def add_arguments(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """What the verb takes."""
    parser.epilog = EXAMPLES + ", ".join(MEASURES)
    add_pair_options(parser)
    records = "write the risk of every record here, by row number; for the owner alone"
    parser.add_argument("--records", type=Path, metavar="FILE", help=records)
    parser.add_argument(
        "--measures", type=names_in(MEASURES), default=(), metavar="A,B", help="default: all that apply"
    )


def run(options: argparse.Namespace) -> None:
    """Print the measures as text or JSON."""
    _check_records(options)
    both, others, rules = paired(options)
    found = compare(both, options.measures, progress, others, rules)
    if options.records:
        _write_records(options.records, both, others)
    told = about(both)
    print(_as_json(found, {**told, "not_compared": both.left_out}) if options.json else _as_text(found, told))


def _check_records(options: argparse.Namespace) -> None:
    """Refuse a place that cannot be written to, or where a file stands that is read, before anything is measured."""
    if options.records is None:
        return
    files.check_target(options.records)
    files.check_writable(options.records.parent)
    for path in filter(None, (options.original, options.protected, options.control)):
        if files.same(options.records, path):
            raise SdclabError(f"{options.records}: this file is read, and would be overwritten; choose another name.")


def _write_records(path: Path, both: Pair, others: Dataset | None) -> None:
    lines = risks(both, control_of(both, others))
    files.write(path, files.csv_text(list(lines[0]), lines))
    say(f"WARNING: {path} says of every record how well it is hidden: it is for the owner alone, never for release")


def _as_text(found: Comparison, told: Mapping[str, Any]) -> str:
    lines = [
        f"records      {told['records']}",
        f"dependent    {', '.join(told['dependent'])}",
        f"independent  {', '.join(told['independent']) or '(none)'}",
    ]
    for measure, numbers in found.numbers.items():
        lines += ["", measure]
        lines += [f"  {name:<30}{_shown(value):>12}" for name, value in numbers.items()]
    if found.broken:
        lines += ["", "rules broken, in records of the original and of the release"]
        lines += [f"  {text:<30}{before:>12}{after:>12}" for text, (before, after) in found.broken.items()]
    if found.reasons:
        lines += ["", "not measured", *(f"  {measure}: {why}" for measure, why in found.reasons.items())]
    return "\n".join(lines)


def _shown(value: float) -> str:
    return "not defined" if math.isnan(value) else f"{value:.3f}"


def _as_json(found: Comparison, told: Mapping[str, Any]) -> str:
    numbers = {
        measure: {name: value if math.isfinite(value) else None for name, value in values.items()}
        for measure, values in found.numbers.items()
    }
    broken = {rule: {"original": counts[0], "release": counts[1]} for rule, counts in found.broken.items()}
    extra = {"rules_broken": broken} if broken else {}
    return json.dumps({**told, "measures": numbers, **extra, "not_measured": found.reasons}, indent=2)
