"""HTML and SVG as text: whatever is not markup is escaped, so that nothing in a config or a table can break a page."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template

VOID = ("input",)
"""Elements that have no content and no end."""
SHAPES = frozenset("circle ellipse image line path polygon polyline rect stop use".split())
"""Elements of a drawing, which end where they begin if they have no content."""


class Html(str):
    """Markup that is ready for the page."""


def tag(name: str, *content: object, **attributes: object) -> Html:
    """An element. Plain text in it is escaped; attributes that are None are left out; `class_` means class."""
    given = {key.strip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    shown = "".join(f' {key}="{escape(str(value))}"' for key, value in given.items())
    if name in VOID:
        return Html(f"<{name}{shown}>")
    inside = joined(content)
    return Html(f"<{name}{shown}/>" if name in SHAPES and not inside else f"<{name}{shown}>{inside}</{name}>")


def joined(parts: Iterable[object]) -> Html:
    """Parts one after the other, plain text escaped."""
    return Html("".join(part if isinstance(part, Html) else escape(str(part), quote=False) for part in parts))


def table(head: Sequence[object], rows: Iterable[Sequence[object]], caption: str) -> Html:
    """A table in a box that scrolls sideways by itself; a cell that is an element already is taken as it is."""
    header = tag("thead", tag("tr", *(_cell("th", cell) for cell in head)))
    body = tag("tbody", *(tag("tr", *(_cell("td", cell) for cell in row)) for row in rows))
    return scrolling(tag("table", tag("caption", caption, class_="hidden"), header, body), caption)


def scrolling(content: Html, label: str) -> Html:
    """A box that scrolls by touch, wheel and, since it takes the focus, by keyboard."""
    return tag("div", content, class_="box", tabindex=0, role="region", aria_label=label)


def _cell(name: str, cell: object) -> Html:
    return cell if isinstance(cell, Html) and cell.startswith(f"<{name}") else tag(name, cell)


def number(content: object, cell: str = "td", class_: str = "", title: str | None = None) -> Html:
    """A cell that is set flush right, as numbers and what stands above them are."""
    return tag(cell, content, class_=f"number {class_}".strip(), title=title)


def policy(style: str, script: str = "") -> Html:
    """What a page may do: use its own style sheet and run its own script, known by their hashes, and nothing else."""
    allowed = {
        "default-src": "'none'",
        "style-src": _hash(style),
        **({"script-src": _hash(script)} if script else {}),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    content = "; ".join(f"{key} {value}" for key, value in allowed.items())
    return Html(f'<meta http-equiv="Content-Security-Policy" content="{content}">')


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def document(title: str, *content: object, script: str = "", style: str = "", class_: str | None = None) -> str:
    """A whole page that needs no other file: content in the one style sheet, with a script and a few styles more."""
    style = asset("style.css") + style
    scripts = [Html(f"<script>{script}</script>\n")] if script else []
    places = {
        "policy": policy(style, script),
        "title": escape(title),
        "style": style,
        "body": tag("body", "\n", *content, *scripts, class_=class_),
    }
    return Template(asset("page.html")).substitute(places)


def asset(name: str) -> Html:
    """The text of a style sheet, script or template that comes with the package."""
    return Html(files(__package__).joinpath("assets", name).read_text(encoding="utf-8"))
