"""What `sdclab map` tells the owner of a file: a table and a page, without any value of a record."""

import json
import shlex
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from sdclab import measures
from sdclab.experiment.choice import Explored, Row, best, label, parameters_of, trade_off
from sdclab.microdata.own import Missing, Roles, written
from sdclab.output.pages.figures import inline
from sdclab.output.pages.markup import policy
from sdclab.output.pages.tables import explained

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; }
svg { max-width: 100%; height: auto; stroke-linejoin: round; stroke-linecap: butt; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; } th, td { padding: .25rem .75rem; border-bottom: 1px solid #ddd; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
pre { background: #f4f4f4; padding: .75rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.owner { border-left: .4rem solid #d55e00; padding: .5rem 1rem; background: #fdf3ec; }
@media print { body { max-width: none; margin: 0; } pre, .owner { break-inside: avoid; } }
"""

NUMBERS = ("score", "pil", "dr", "copy", "xy")
HEAD = ("rank", "method", "parameters", *NUMBERS, "remark")

READING = f"{explained(NUMBERS)} Without independents xy is empty."


def command(file: Path, row: Row, roles: Roles, missing: Missing, folder: Path) -> str:
    """The command that makes a release as a line of the ranking describes it, with a fresh random seed."""
    words = ["sdclab", "protect", str(file), "--method", row["method"]]
    for key, value in parameters_of(row).items():
        words += [f"--{key}", value if isinstance(value, str) else json.dumps(value)]
    options = {
        "--dependent": roles.dependent,
        "--independent": roles.independent,
        "--pass-through": roles.pass_through,
        "--drop-columns": roles.dropped,
    }
    words += [word for option, names in options.items() if names for word in (option, written(names))]
    if missing != "refuse":
        words += ["--missing", missing]
    return shlex.join([*words, "-o", str(folder / f"{row['method']}{file.suffix}")])


def markdown(ranked: Sequence[Row], title: str) -> str:
    """The ranking for reading."""
    lines = [f"# {title}", "", "For the owner of the file, not for release.", "", READING, ""]
    lines += ["| " + " | ".join(HEAD) + " |", "| " + " | ".join("---" for _ in HEAD) + " |"]
    lines += ["| " + " | ".join(_cells(row)) + " |" for row in ranked]
    return "\n".join(lines) + "\n"


def page(
    title: str, about: Sequence[str], ranked: Sequence[Row], explored: Explored, commands: Mapping[str, str], svg: str
) -> str:
    """A self-contained page: the map, the best of every method, the commands, the ranking, and what did not run."""
    chosen = best(ranked)
    sections = [
        f"<h1>{escape(title)}</h1>",
        "<p class=owner><strong>For the owner of the file.</strong> Nothing in this folder is for release. Protected "
        "files, made by the commands below, go to the folder <code>protected</code> beside it.</p>",
        "".join(f"<p>{escape(line)}</p>" for line in about),
        "<h2>Risk-utility map</h2>"
        f"<div class=wide>{inline(svg, 'map', 'PIL against DR')[0]}</div>"
        f"<p>{escape(READING)}</p>",
        "<h2>Best of every method</h2>" + "".join(_best(row, ranked, commands) for row in chosen),
        "<h2>Ranking</h2>" + _table(ranked),
    ]
    if explored.reasons:
        sections.append("<h2>What could not run</h2>" + _reasons(explored))
    body = "\n".join(sections)
    return (
        f"<!DOCTYPE html>\n<html lang=en>\n<head><meta charset=utf-8>{policy(STYLE)}"
        '<meta name=viewport content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _best(row: Row, ranked: Sequence[Row], commands: Mapping[str, str]) -> str:
    name = escape(label(row["method"], row["parameters"]))
    text = f"<h3>{name}: score {row['score']:.1f}</h3><p>{escape(trade_off(row, ranked))}.</p>"
    if row["method"] in commands:
        text += f"<pre>{escape(commands[row['method']])}</pre>"
    return text


def _cells(row: Row) -> list[str]:
    numbers = ["" if row[name] != row[name] else f"{row[name]:.1f}" for name in NUMBERS]
    said = "; ".join(filter(None, [row["remark"], row["caution"]]))
    return [str(row["rank"]), row["method"], row["parameters"], *numbers, said]


def _table(ranked: Sequence[Row]) -> str:
    head = "".join(f'<th title="{escape(measures.number(name).sentence)}">{name}</th>' for name in HEAD)
    lines = []
    for row in ranked:
        cells = zip(HEAD, _cells(row), strict=True)
        lines.append("".join(f"<td{' class=number' * (key in NUMBERS)}>{escape(text)}</td>" for key, text in cells))
    return f"<div class=wide><table><tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table></div>"


def _reasons(explored: Explored) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in reasons(explored)) + "</ul>"


def reasons(explored: Explored) -> list[str]:
    """One line for every reason why a method, or some parameters of it, could not run."""
    lines = []
    for (method, why), parameters in explored.reasons.items():
        which = "; ".join(each.replace(",", " ") for each in parameters if each not in ("", "default"))
        lines.append(f"{method} ({which}): {why}" if which else f"{method}: {why}")
    return lines
