"""What `sdclab map` tells the owner of a file: a table and a page, without any value of a record."""

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from sdclab.base.names import written
from sdclab.experiment.choice import Choice, Row, best, label, trade_off
from sdclab.measures.copy import limit
from sdclab.microdata.manifest import UserFile
from sdclab.microdata.roles import Roles
from sdclab.output.pages.figures import inline
from sdclab.output.pages.markup import Html, document, joined, scrolling, tag
from sdclab.output.pages.ranking import ranking_table
from sdclab.output.pages.tables import explained

NUMBERS = ("score", "pil", "dr", "tables", "copy", "xy")
HEAD = ("rank", "method", "parameters", *NUMBERS, "remark")

READING = f"{explained(NUMBERS)} Without independents xy is empty."


def command(file: UserFile, row: Row, roles: Roles, folder: Path, said: Sequence[str] = ()) -> str:
    """The command that makes a release as a line of the ranking describes it, with a fresh random seed."""
    words = ["sdclab", "protect", str(file.file), "--method", row["method"]]
    for key, value in row["cell"].parameters.items():
        words += [f"--{key}", value if isinstance(value, str) else json.dumps(value)]
    options = {
        "--dependent": roles.dependent,
        "--independent": roles.independent,
        "--pass-through": roles.pass_through,
        "--drop-columns": roles.dropped,
    }
    words += [word for option, names in options.items() if names for word in (option, written(names))]
    if file.missing != "keep":
        words += ["--missing", file.missing]
    words += [*said]
    words += ["-o", str(folder / f"{row['method']}{file.file.suffix}")]
    return shlex.join([*words, *["--line-breaks"] * file.line_breaks, *["--header"] * file.header])


def markdown(ranked: Sequence[Row], title: str) -> str:
    """The ranking for reading."""
    lines = [f"# {title}", "", "For the owner of the file, not for release.", "", READING, ""]
    lines += ["| " + " | ".join(HEAD) + " |", "| " + " | ".join("---" for _ in HEAD) + " |"]
    for row in ranked:
        cells = [str(row["rank"]), row["method"], row["parameters"], *_numbers(row), _said(row)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def page(title: str, made: Choice, notes: Sequence[str], commands: Mapping[str, str], svg: str) -> str:
    """A self-contained page: the map, the best of every method, the commands, the ranking, and what did not run."""
    lines = [(row["method"], row["parameters"], _numbers(row), _said(row)) for row in made.ranked]
    refusals = tag("ul", *(tag("li", line) for line in made.explored.refusals()))
    sections = {
        "Risk-utility map": _map(svg),
        "Best of every method": joined(_best(row, made.ranked, commands) for row in best(made.ranked)),
        "Ranking": ranking_table(NUMBERS, lines),
        **({"What could not run": refusals} if made.explored.reasons else {}),
    }
    main = tag("main", *(tag("section", tag("h2", name), content) for name, content in sections.items()))
    return document(title, _header(title, [*about(made), *notes, about_copies(made.crowding)]), main)


def _header(title: str, lines: Sequence[str]) -> Html:
    owner = tag(
        "p",
        tag("strong", "For the owner of the file."),
        " Nothing in this folder is for release. Protected files, made by the commands below, go to the folder ",
        tag("code", "protected"),
        " beside it.",
        class_="note",
    )
    return tag("header", tag("h1", title), owner, *(tag("p", line) for line in lines))


def about(made: Choice) -> list[str]:
    """What was mapped: which columns, and how many of the records."""
    lines = [
        f"{made.records} records. Dependent (protected): {', '.join(made.roles.dependent)}. "
        f"Independent (released as they are): {', '.join(made.roles.independent) or 'none'}."
    ]
    if made.seen < made.records:
        lines.append(
            f"The map was made on a random sample of {made.seen} records. The whole file is harder to link, so DR will "
            "be somewhat lower there; measure the release itself before you decide."
        )
    return lines


def about_copies(crowding: float) -> str:
    """From which share of copied records on a release is marked, and why."""
    near = f"Of the originals {crowding:.0f} % have another original as near as a copy would be"
    bound = limit(crowding)
    if math.isinf(bound):
        return f"{near}, so that nearness proves nothing here and no release is marked as copying."
    return f"{near}; a release is marked as copying if more than {bound:.0f} % of the records stand in it."


def _map(svg: str) -> Html:
    drawing, _ = inline(svg, "map", "PIL against DR")
    return tag("figure", scrolling(drawing, "Risk-utility map"), tag("figcaption", READING))


def _best(row: Row, ranked: Sequence[Row], commands: Mapping[str, str]) -> Html:
    heading = tag("h3", f"{label(row['method'], row['parameters'])}: score {row['score']:.1f}")
    command = commands.get(row["method"])
    box = scrolling(tag("pre", command), f"Command for {row['method']}") if command else ""
    return joined([heading, tag("p", f"{trade_off(row, ranked)}."), box])


def _numbers(row: Row) -> list[str]:
    return ["" if math.isnan(row[name]) else f"{row[name]:.1f}" for name in NUMBERS]


def _said(row: Row) -> str:
    return "; ".join(filter(None, [row["remark"], row["caution"]]))
