"""sdclab check: published numbers, as they came out now and as they are expected."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from sdclab.base.errors import printable
from sdclab.base.files import write
from sdclab.evidence.expectation import Comparison, compare, expectation, read_expected, read_scorecard

EXPECTED = Path("resources/expected.csv")

EXAMPLES = """examples:
  sdclab check results/scorecard.csv
  sdclab check results/check/scorecard.csv --partial      after a run of some tables
  sdclab check results/scorecard.csv --write              what is there now is what to expect

A number has moved if it differs from what is expected by more than three standard errors of the difference of both
means over the replicates, and by more than six digits. What is not reproducible is compared by its verdict alone. The
exit code is 0 if no number has moved, got a worse verdict or was not run, 1 if one has, 2 if the input is bad. Where
the originals are not at hand nothing is judged, and the code is 0.
"""


def add_arguments(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """What the verb takes."""
    parser.epilog = EXAMPLES
    parser.add_argument("scorecard", type=Path, help="scorecard.csv of a run")
    parser.add_argument("--expected", type=Path, default=EXPECTED, metavar="FILE", help=f"default: {EXPECTED}")
    parser.add_argument("--partial", action="store_true", help="numbers that were not run are no failure")
    parser.add_argument("--write", action="store_true", help="write the expectation from this scorecard")


def run(options: argparse.Namespace) -> int:
    """Print what has become of every expected number; or write what is to be expected."""
    found = read_scorecard(options.scorecard)
    if options.write:
        text = expectation(found, options.scorecard)
        write(options.expected, text)
        print(f"{options.expected}: {text.count(chr(10)) - 1} numbers to expect.")
        return 0
    result = compare(read_expected(options.expected), found)
    if not found.on_originals:
        print(printable(f"{options.scorecard}: nothing is judged, since no number was made from the originals."))
        return 0
    failures = [*result.moved, *result.worse, *([] if options.partial else result.absent)]
    for line in (*failures, *result.better, _said(result, options.scorecard)):
        print(printable(line))
    return int(bool(failures))


def _said(result: Comparison, path: Path) -> str:
    """All of it in one sentence."""
    parts = {
        "as expected": result.held,
        "moved": len(result.moved),
        "worse": len(result.worse),
        "better": len(result.better),
        "not made from the originals": result.unjudged,
        "new": result.new,
    }
    tables = f", {len(result.absent)} tables not run or not whole" if result.absent else ""
    return f"{path}: {', '.join(f'{count} {what}' for what, count in parts.items() if count)}{tables}."
