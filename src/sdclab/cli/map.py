"""sdclab map: every method tried on a file, for its owner to choose from."""

import argparse
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from sdclab.base import files
from sdclab.base.errors import SdclabError
from sdclab.cli.common import add_column_options, add_risk_options, file_of, names_in, prepared
from sdclab.cli.progress import say, shown
from sdclab.experiment import choice
from sdclab.experiment.ranking import PLAIN, aim_of, best, name_of, trade_off, verdict
from sdclab.methods import METHODS

EXAMPLES = """examples:
  sdclab map data.csv
  sdclab map data.csv --dependent income,tax --independent age --drop-columns name -o choice
  sdclab map data.csv --methods mdav,noise,fcrm --replicates 5
  sdclab map data.csv --x s_pmse --y membership --limit 'membership <= 55' --limit 'rep_u <= 1' --key age,region

Into FOLDER/owner go the risk-utility map (SVG, PNG), the ranking (CSV, Markdown) and a page (index.html): for you, not
for release. The page names the best parameter of every method and the command that protects the file with it.
"""


def add_arguments(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """What the verb takes."""
    parser.epilog = EXAMPLES
    parser.add_argument("file", type=Path)
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", help="default: the file's name with _map")
    parser.add_argument("--methods", type=names_in(METHODS), default=(), metavar="A,B", help="default: all")
    parser.add_argument("--replicates", type=int, default=1, help="releases a point, for their spread (default: 1)")
    add_column_options(parser, release=True)
    add_risk_options(parser)
    parser.add_argument("--x", default=PLAIN.loss, metavar="LOSS", help=f"the loss to be least (default: {PLAIN.loss})")
    parser.add_argument("--y", default=PLAIN.risk, metavar="RISK", help=f"the risk on the map (default: {PLAIN.risk})")
    limit = f"what a release must keep within, may be given again (default: '{PLAIN.words()}')"
    parser.add_argument("--limit", action="append", default=[], metavar="'RISK <= NUMBER'", help=limit)


def run(options: argparse.Namespace) -> None:
    """Map the file, write what came of it, and print the best of every method."""
    if find_spec("matplotlib") is None:
        raise SdclabError("sdclab map draws with matplotlib, which is not installed; pip install matplotlib.")
    from sdclab.output.choice import deliver

    for name in options.methods:
        METHODS.module(name)
    choice.check_replicates(options.replicates)
    aim = aim_of(options.x, options.y, options.limit)
    folder = options.output or Path(f"{options.file.stem}_map")
    files.check_writable(folder)
    notes: list[str] = []

    def note(line: str) -> None:
        """Say a line, and keep it for the page."""
        say(line)
        notes.append(f"{line}.")

    file = file_of(options, options.file)
    with shown():
        table = prepared(file, options, say=note)
        made = choice.choose(table, options.methods, options.replicates, note, aim)
    said = [word for name in ("type", "rule") for text in getattr(options, name) for word in (f"--{name}", text)]
    page = deliver(folder, file, made, notes, said)
    for line in verdict(made.ranked, aim):
        print(line)
    for line in made.warnings:
        print(f"WARNING: {line}")
    print(f"\nThe best of every method, by {aim.loss}:")
    for row in best(made.ranked):
        print(f"{row[aim.loss]:6.1f}  {name_of(row)}: {trade_off(row, made.ranked, aim)}")
    for line in made.explored.refusals():
        print(f"     -  {line}")
    print(f"\nFor you, not for release: {page}")
