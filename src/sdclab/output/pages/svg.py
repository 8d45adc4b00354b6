"""SVG files as parts of a page: drawing and nothing else.

A file is read as XML, and only what draws is taken over, by an allow-list: no script, no handler of an event, no
foreign element, no style sheet, no reference to anything outside the file. Properties of `style` become attributes, so
that the page's policy need not allow inline styles.
"""

import re
from xml.etree import ElementTree

from sdclab.base.errors import SdclabError
from sdclab.output.pages.markup import Html, joined, tag

SPACE = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"

ELEMENTS = frozenset(
    "svg g defs clipPath path rect circle ellipse line polyline polygon use text tspan title desc image pattern "
    "linearGradient radialGradient stop marker".split()
)
PROPERTIES = frozenset(
    "clip-path clip-rule color fill fill-opacity fill-rule font-family font-size font-stretch font-style font-variant "
    "font-weight image-rendering opacity stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset "
    "stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor visibility".split()
)
"""What `style` may set; each is an attribute as well."""
ATTRIBUTES = PROPERTIES | frozenset(
    "clipPathUnits cx cy d dx dy gradientTransform gradientUnits height id markerHeight markerWidth offset orient "
    "patternTransform patternUnits points preserveAspectRatio r refX refY rotate rx ry transform viewBox width x x1 x2 "
    "y y1 y2".split()
)
PICTURE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=\s]*")


def drawing(svg: str, prefix: str) -> tuple[Html, float, float]:
    """What an SVG file draws, without its outermost element, and its width and height in points.

    Its ids begin with a prefix, lest two drawings of a page share one.
    """
    try:
        root = ElementTree.fromstring(svg[svg.index("<svg") :])  # a prologue could declare entities
        width, height = (float(root.attrib[side].removesuffix("pt")) for side in ("width", "height"))
    except (ElementTree.ParseError, ValueError, KeyError):
        raise SdclabError(f"the drawing {prefix} is not an SVG file with a width and a height in points.") from None
    return joined(_inside(root, prefix)), width, height


def _inside(element: ElementTree.Element, prefix: str) -> list[object]:
    """The text of an element and its allowed children."""
    parts: list[object] = [element.text or ""]
    for child in element:
        name = str(child.tag).removeprefix(SPACE)
        if name in ELEMENTS:
            parts.append(tag(name, *_inside(child, prefix), **_attributes(child, name, prefix)))
        parts.append(child.tail or "")
    return parts


def _attributes(element: ElementTree.Element, name: str, prefix: str) -> dict[str, str]:
    declared = re.findall(r"\s*([a-z-]+)\s*:\s*([^;]*)", element.attrib.get("style", ""))
    styled = {key: value.strip() for key, value in declared if key in PROPERTIES}
    given = {key: value for key, value in element.attrib.items() if key in ATTRIBUTES}
    kept = {key: _local(value, prefix) for key, value in {**given, **styled}.items()}
    if "id" in kept:
        kept["id"] = f"{prefix}-{kept['id']}"
    target = element.attrib.get(LINK, element.attrib.get("href", ""))
    if name == "use" and target.startswith("#"):
        kept["href"] = f"#{prefix}-{target[1:]}"
    if name == "image" and PICTURE.fullmatch(target):
        kept["href"] = target
    return kept


def _local(value: str, prefix: str) -> str:
    """A value whose reference, if it is one, stays in the drawing; any other reference is none."""
    if "url(" not in value.lower():
        return value
    inside = re.fullmatch(r"url\(#([\w-]+)\)", value)
    return f"url(#{prefix}-{inside[1]})" if inside else "none"
