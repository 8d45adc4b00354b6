"""sdclab measure: two files in, numbers out."""

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sdclab.base import files
from sdclab.base.errors import SdclabError
from sdclab.cli.common import about, add_pair_options, names_in, paired
from sdclab.cli.progress import say, shown
from sdclab.experiment.comparison import LONG, Comparison, Sample, compare, control_of, sized
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
    everything = f"let slow measures look at all records, not at samples of a file of more than {LONG:,}"
    parser.add_argument("--all", action="store_true", help=everything)
    parser.add_argument(
        "--measures", type=names_in(MEASURES), default=(), metavar="A,B", help="default: all that apply"
    )


def run(options: argparse.Namespace) -> None:
    """Print the measures as text or JSON."""
    _check_records(options)
    with shown():
        both, others, rules = paired(options)
        found = compare(both, options.measures, others, rules, quick=not options.all)
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
        sample = found.samples.get(measure)
        lines += ["", f"{measure} ({_of(sample)})" if sample else measure]
        lines += [f"  {name:<30}{_shown(value):>12}{_margin(sample, name)}".rstrip() for name, value in numbers.items()]
    if found.broken:
        lines += ["", "rules broken, in records of the original and of the release"]
        lines += [f"  {text:<30}{before:>12}{after:>12}" for text, (before, after) in found.broken.items()]
    if found.reasons:
        lines += ["", "not measured", *(f"  {measure}: {why}" for measure, why in found.reasons.items())]
    return "\n".join(lines)


def _shown(value: float) -> str:
    return "not defined" if math.isnan(value) else f"{value:.3f}"


def _of(sample: Sample) -> str:
    """What was looked at."""
    if sample.number == 1:
        return f"linkage of a sample of {sample.records:,} records; ± standard error"
    return f"mean of {sample.number} samples of {sample.records:,} records; ± standard error"


def _margin(sample: Sample | None, name: str) -> str:
    """How far off a number may be that hangs on the draw, and whether the whole file would have another in any case."""
    error = sample.errors.get(name, math.nan) if sample else math.nan
    if sample is None or math.isnan(error):
        return ""
    return f"  ± {error:.3g}" + (f", in {sample.records:,} records" if sized(name) else "")


def _as_json(found: Comparison, told: Mapping[str, Any]) -> str:
    numbers = {measure: _finite(values) for measure, values in found.numbers.items()}
    broken = {rule: {"original": counts[0], "release": counts[1]} for rule, counts in found.broken.items()}
    extra: dict[str, Any] = {"rules_broken": broken} if broken else {}
    if found.samples:
        extra["samples"] = {
            measure: {"number": each.number, "records": each.records, "standard_errors": _finite(each.errors)}
            for measure, each in found.samples.items()
        }
    return json.dumps({**told, "measures": numbers, **extra, "not_measured": found.reasons}, indent=2)


def _finite(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: value if math.isfinite(value) else None for name, value in values.items()}
