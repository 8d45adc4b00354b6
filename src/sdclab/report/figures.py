"""Figures of a run inside a page."""

import re
from collections.abc import Mapping
from typing import Any

from sdclab.report.maps import ru_map
from sdclab.report.markup import Html, scrolling, tag
from sdclab.report.run import Run


def figure(name: str, spec: Mapping[str, Any], run: Run) -> Html:
    """A figure with its caption: a map to explore, a drawing, or, if it shows records, the place where it lies."""
    title, file = spec["title"], tag("code", f"figures/{name}.svg")
    if name not in run.figures:
        why = f"{title}. It draws single records, so it is not on this page; the owner of the data finds it in "
        return tag("p", why, file, ".", class_="withheld", id=f"figure-{name}")
    if spec["plot"] == "ru_map":
        (table,) = spec["tables"]
        drawn = ru_map(run.tables[table], spec, title)
        hint = "Point at a mark, tap it, or reach it by Tab and the arrow keys. As a file: "
        return _framed(name, drawn, [title, ". ", hint, file])
    return _framed(name, scrolling(inline(run.figures[name], name, title), title), [title, ". As a file: ", file])


def _framed(name: str, drawing: Html, caption: list[object]) -> Html:
    return tag("figure", drawing, tag("figcaption", *caption), id=f"figure-{name}")


def inline(svg: str, name: str, title: str) -> Html:
    """An SVG file as part of a page: no prologue, and ids of its own, since a page may have each but once."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", body, flags=re.DOTALL)
    body = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", body)
    size = re.compile(r'^<svg\b[^>]*?\bwidth="([\d.]+)pt" height="[\d.]+pt"')
    label = tag("svg", role="img", aria_label=title).removeprefix("<svg").removesuffix("></svg>")
    width = size.match(body)
    style = f' style="width: {float(width[1]) * 4 / 3:.0f}px"' if width else ""
    return Html(re.sub(r'^<svg\b(.*?) width="[^"]*" height="[^"]*"', rf"<svg\1{label}{style}", body, flags=re.DOTALL))
