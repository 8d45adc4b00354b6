"""sdclab check-release: a gate that a release passes or does not."""

import argparse
import json
import math
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sdclab.base.errors import listed
from sdclab.cli.common import about, add_pair_options, paired
from sdclab.cli.progress import shown
from sdclab.experiment.gate import Check, Gate, Limit, check, read_gate
from sdclab.microdata.pairing import Pair

EXAMPLES = """examples:
  sdclab check-release data.csv protected.csv --limits limits.yaml --control holdout.csv
  sdclab check-release data.csv protected.csv --limit "rep_u <= 1" --limit "pil <= 40" --key age,region

limits.yaml:
  limits: ["membership <= 55", "rep_u <= 1"]
  key: [age, region]
  target: [income]

The exit code is 0 if every limit is kept, 1 if one is not or cannot be measured, 2 if the input is bad. A rule that the
release breaks more often than the original fails as well.
"""


def add_arguments(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """What the verb takes."""
    parser.epilog = EXAMPLES
    parser.add_argument("--limits", type=Path, metavar="FILE", help="a file with limits, and with keys and targets")
    limit = "what must hold, as 'membership <= 55', in addition to the file's"
    parser.add_argument("--limit", type=Limit.parse, action="append", default=[], metavar="LIMIT", help=limit)
    add_pair_options(parser)


def run(options: argparse.Namespace) -> int:
    """Print every limit with its value, pass or fail; the exit code tells whether all passed."""
    gate = read_gate(options.limits) if options.limits else Gate()
    options.key, options.target = options.key or gate.key, options.target or gate.target
    with shown():
        both, others, rules = paired(options)
        checks = check(both, [*gate.limits, *options.limit], others, rules)
    with suppress(BrokenPipeError):  # a reader that has gone does not open the gate
        print(_as_json(checks, both) if options.json else _as_text(checks, both))
    return int(_failed(checks) > 0)


def _failed(checks: Sequence[Check]) -> int:
    return sum(not each.passed for each in checks)


def _as_text(checks: Sequence[Check], both: Pair) -> str:
    width = max(len(each.text) for each in checks)
    lines = [
        f"{'pass' if each.passed else 'FAIL'}  {each.text:<{width}}  {_shown(each.value):>12}  {each.reason}".rstrip()
        for each in checks
    ]
    unseen = [f"not compared, so nothing is said about them: {listed(both.left_out)}"] if both.left_out else []
    failed = _failed(checks)
    verdict = f"{failed} of {len(checks)} failed" if failed else f"all {len(checks)} passed"
    return "\n".join([*lines, "", *unseen, verdict])


def _shown(value: float) -> str:
    return "no value" if math.isnan(value) else f"{value:.6g}"


def _as_json(checks: Sequence[Check], both: Pair) -> str:
    lines = [
        {
            "limit": each.text,
            "value": each.value if math.isfinite(each.value) else None,
            "passed": each.passed,
            "reason": each.reason,
        }
        for each in checks
    ]
    told = {**about(both), "not_compared": both.left_out}
    return json.dumps({**told, "passed": not _failed(checks), "limits": lines}, indent=2)
