"""A page a method and a page a measure, how to cite, and the tutorial: Markdown, written from what each declares."""

import inspect
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from sdclab.base.registry import Registry
from sdclab.measures import MEASURES, numbers
from sdclab.methods import METHODS, is_control, promised, takes
from sdclab.output import reference

LONGEST = 40
"""Lines of what a cell of the tutorial prints that are shown."""


def of_method(name: str, drawn: bool) -> str:
    """Everything that is declared of a method."""
    releases, keeps = promised(name)
    facts = {
        "Releases": releases,
        "Keeps": keeps,
        "Takes": ", ".join(takes(name)),
        "For": "comparison alone: it protects nothing" if is_control(name) else "",
        "Try it": f"`sdclab protect data.csv --method {name} -o protected.csv` ([your own data](../own_data.md))",
        "In detail": "[methods](../methods.md)",
    }
    caption = "Grey: 240 made points. Blue: what is released of them."
    return _page(
        METHODS, name, "protect", facts, "parameter", f"![What {name} releases]({name}.svg)\n\n{caption}", drawn
    )


def of_measure(name: str, drawn: bool) -> str:
    """Everything that is declared of a measure."""
    parts = {
        "Try it": f"`sdclab measure data.csv protected.csv --measures {name}`",
        "In detail": "[measures](../measures.md)",
    }
    caption = "Of 240 made points in the plane under independent noise, against its standard deviation."
    figure = f"![What {name} says]({name}.svg)\n\n{caption}"
    told = reference.table_of_numbers(name)
    page = _page(MEASURES, name, "measure", parts, "option", figure, drawn)
    return f"{page}\n## Numbers\n\n{told}" if numbers(name) else page


def _page(
    registry: Registry, name: str, function: str, facts: Mapping[str, str], parameter: str, figure: str, drawn: bool
) -> str:
    module = registry.load(name)
    about = [f"**{key}.** {value}" for key, value in facts.items() if value]
    said = [inspect.cleandoc(text) for text in (module.__doc__, getattr(module, function).__doc__) if text]
    parts = [f"# {name}", *said, *about, *([figure] if drawn else []), f"## {parameter.capitalize()}s"]
    return "\n\n".join([*parts, reference.table_of_parameters(registry, name, parameter)])


def index(registry: Registry, title: str) -> str:
    """All pages of a kind, each with the first sentence of its module."""
    lines = [f"- [{name}]({name}.md): {_first(registry, name)}" for name in registry.present]
    return "\n".join([f"# {title}", "", *lines, ""])


def _first(registry: Registry, name: str) -> str:
    words = " ".join(inspect.cleandoc(registry.load(name).__doc__ or "").split("\n\n")[0].split())
    return words.removeprefix(f"{name}: ")


def citing(path: Path) -> str:
    """How to cite the project and the papers, from CITATION.cff."""
    cff = yaml.safe_load(path.read_text(encoding="utf-8"))
    own = f"{_names(cff['authors'])}. *{cff['title']}*, version {cff['version']}. Licence {cff['license']}."
    papers = [f"- {_reference(each)}" for each in cff["references"]]
    return "\n".join(["# How to cite", "", cff["message"], "", own, "", "## The papers", "", *papers, ""])


def _reference(entry: Mapping[str, Any]) -> str:
    place = entry.get("journal") or entry.get("collection-title") or entry.get("institution", {}).get("name", "")
    if volume := entry.get("volume"):
        issue = entry.get("issue")
        place += f" {volume}({issue})" if issue else f" {volume}"
    return f"{_names(entry['authors'])} ({entry['year']}). {entry['title']}. {f'*{place}*.' if place else ''}".strip()


def _names(people: Sequence[Mapping[str, str]]) -> str:
    told = [each.get("name") or f"{each['family-names']}, {each['given-names']}" for each in people]
    return "; ".join(told)


def tutorial(path: Path) -> str:
    """The notebook as a page: what is said, what is run, and what that prints, pictures included."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(filter(None, map(_cell, cells))) + "\n"


def _cell(cell: Mapping[str, Any]) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] != "code":
        return source
    shown = [_printed(output) for output in cell.get("outputs", ())]
    return "\n\n".join([f"```python\n{source}\n```", *filter(None, shown)])


def _printed(output: Mapping[str, Any]) -> str:
    data = output.get("data", {})
    if picture := data.get("image/png"):
        return f"![What it draws](data:image/png;base64,{''.join(picture).replace(chr(10), '')})"
    lines = "".join(output.get("text", data.get("text/plain", ""))).splitlines()
    cut = ["..."] if len(lines) > LONGEST else []
    return "\n".join(["```text", *lines[:LONGEST], *cut, "```"]) if lines else ""
