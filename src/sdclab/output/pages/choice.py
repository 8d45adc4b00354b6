"""What `sdclab map` tells the owner of a file: a table and a page, without any value of a record."""

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from sdclab.base.names import written
from sdclab.experiment.choice import Choice
from sdclab.experiment.ranking import Aim, Row, best, name_of, spaced, told, trade_off, verdict
from sdclab.measures.copy import limit
from sdclab.microdata.manifest import UserFile
from sdclab.microdata.roles import Roles
from sdclab.output.pages.chart import Point, chart
from sdclab.output.pages.markup import Html, asset, document, joined, scrolling, tag
from sdclab.output.pages.ranking import ranking_table
from sdclab.output.pages.tables import explained, with_sd

NUMBERS = ("tables", "membership", "pil", "dr", "score", "pmse", "copy", "xy_lost")


def shown(aim: Aim) -> tuple[str, ...]:
    """The numbers of the ranking: what it is about first."""
    return tuple(dict.fromkeys([*aim.quantities, *NUMBERS]))


def reading(aim: Aim) -> str:
    """How to read the ranking, a sentence a number."""
    return (
        f"Ranked by {aim.loss} within {aim.words()}; a point with a remark is no choice, and a control has no rank. "
        f"{explained(shown(aim))} Without independents xy_lost is empty; so is membership where a method cannot run on "
        "half of the records."
    )


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


def markdown(made: Choice, title: str) -> str:
    """The ranking for reading."""
    head = ("rank", "method", "parameters", *shown(made.aim), "remark")
    lines = [
        f"# {title}",
        "",
        "For the owner of the file, not for release.",
        "",
        " ".join(verdict(made.ranked, made.aim)),
    ]
    lines += [line for warned in made.warnings for line in ("", f"Warning: {warned}.")]
    lines += ["", reading(made.aim), "", "| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    for row in made.ranked:
        cells = [str(row["rank"]), row["method"], row["parameters"], *_numbers(row, made.aim), _said(row, made.aim)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def page(title: str, made: Choice, notes: Sequence[str] = (), commands: Mapping[str, str] = {}) -> str:
    """A self-contained page: verdict, map, the best of every method with its command, ranking, and what did not run."""
    aim = made.aim
    lines = [
        (row["rank"], row["method"], row["parameters"], _numbers(row, aim), _said(row, aim)) for row in made.ranked
    ]
    refusals = tag("ul", *(tag("li", line) for line in made.explored.refusals()))
    sections = {
        "Which one?": _verdict(made, commands),
        "Risk-utility map": _map(made),
        "Best of every method": joined(_best(row, made, commands) for row in best(made.ranked)),
        "Ranking": joined([tag("p", reading(aim)), ranking_table(shown(aim), lines)]),
        **({"What could not run": refusals} if made.explored.reasons else {}),
    }
    main = tag("main", *(tag("section", tag("h2", name), content) for name, content in sections.items()))
    header = _header(title, [*about(made), *notes, about_copies(made.crowding)])
    return document(title, header, main, script=asset("chart.js"))


def _verdict(made: Choice, commands: Mapping[str, str]) -> Html:
    """What to release and why, how, and what to know before."""
    first = made.ranked[0]
    command = commands.get(first["method"]) if first["rank"] and not first["remark"] else None
    warned = [tag("p", tag("strong", "Warning: "), f"{line}.", class_="note") for line in made.warnings]
    words = tag("p", " ".join(verdict(made.ranked, made.aim)), class_="lead")
    return joined([words, _box(command, first["method"]), *warned])


def _box(command: str | None, method: str) -> Html:
    return scrolling(tag("pre", command), f"Command for {method}") if command else Html()


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
    roles = {
        "Dependent (protected)": made.roles.dependent,
        "Independent (released as they are)": made.roles.independent or ("none",),
        "Passed through (released as they are)": made.roles.pass_through,
        "Left out": made.roles.dropped,
        "Keys (an intruder may know them)": made.roles.keys,
        "Targets (an intruder wants to know them)": made.roles.targets,
    }
    told = [f"{what}: {', '.join(names)}." for what, names in roles.items() if names]
    lines = [" ".join([f"{made.records} records.", *told])]
    if made.seen < made.records:
        lines.append(
            f"The map was made on a random sample of {made.seen} records. The whole file is harder to link, so DR will "
            "be somewhat lower there; measure the release itself before you decide."
        )
    lines.append(
        f"All losses are those of {made.seen} records; PIL and pMSE grow with their number, so compare no others."
    )
    return lines


def about_copies(crowding: float) -> str:
    """From which share of copied records on a release is marked, and why."""
    near = f"Of the originals {crowding:.0f} % have another original as near as a copy would be"
    bound = limit(crowding)
    if math.isinf(bound):
        return f"{near}, so that nearness proves nothing here and no release is marked as copying."
    return f"{near}; a release is marked as copying if more than {bound:.0f} % of the records stand in it."


def _map(made: Choice) -> Html:
    """Every point; the reader may choose other axes, and methods."""
    known = [name for name in shown(made.aim) if any(not math.isnan(row[name]) for row in made.lines)]
    points: list[Point] = [
        {
            "method": row["method"],
            "parameters": spaced(row["parameters"]),
            "marks": row["remark"],
            "values": {key: row[key] for name in known for key in (name, f"{name}_sd")},
        }
        for row in made.lines
    ]
    return chart(points, known, made.aim.loss, made.aim.risk)


def _best(row: Row, made: Choice, commands: Mapping[str, str]) -> Html:
    heading = tag("h3", f"{name_of(row)}: {told(row, made.aim.loss)}")
    words = tag("p", f"{trade_off(row, made.ranked, made.aim)}.")
    return joined([heading, words, _box(commands.get(row["method"]), row["method"])])


def _numbers(row: Row, aim: Aim) -> list[str]:
    return [with_sd(*(_shown(row[key]) for key in (name, f"{name}_sd"))) for name in shown(aim)]


def _shown(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.1f}"


def _said(row: Row, aim: Aim) -> str:
    violated = [f"violates {limit.text}" for limit in aim.violated(row)]
    return "; ".join(filter(None, [row["remark"], *violated, row["caution"]]))
