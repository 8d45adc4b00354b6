"""Figures of a run inside a page."""

from hashlib import sha256

from sdclab.experiment.study import Figure
from sdclab.output.pages.maps import ru_map
from sdclab.output.pages.markup import Html, scrolling, tag
from sdclab.output.pages.run import Run
from sdclab.output.pages.svg import WIDE, drawing


def figure(spec: Figure, run: Run) -> Html:
    """A figure with its caption: a map to explore, a drawing, or, if it shows records, the place where it lies."""
    title, file = spec.title, tag("code", f"figures/{spec.study}/{spec.name}.svg")
    name = f"{spec.study}-{spec.name}"
    if (spec.study, spec.name) not in run.figures:
        why = f"{title}. It draws single records, so it is not on this page; the owner of the data finds it in "
        return tag("p", why, file, ".", class_="withheld", id=f"figure-{name}")
    if spec.plot == "ru_map":
        (table,) = spec.tables
        hint = "Point at a mark, tap it, or reach it by Tab and the arrow keys. As a file: "
        caption = tag("figcaption", title, ". ", hint, file)
        return tag("figure", ru_map(run.tables[spec.study, table], spec.options, title), caption, id=f"figure-{name}")
    drawn, wide = inline(run.figures[spec.study, spec.name], name, title)
    caption = tag("figcaption", title, ". As a file: ", file)
    return tag("figure", scrolling(drawn, title), caption, id=f"figure-{name}", class_="wide" if wide else None)


def inline(svg: str, name: str, title: str) -> tuple[Html, bool]:
    """An SVG file as part of a page, and whether it is wide."""
    short = f"f{sha256(name.encode()).hexdigest()[:6]}"  # it stands before thousands of ids and references
    drawn, width, height = drawing(svg, short, name)
    look = {"viewBox": f"0 0 {width:g} {height:g}", "width": f"{width * 4 / 3:.0f}"}
    return tag("svg", drawn, role="img", aria_label=title, **look), width > WIDE * height
