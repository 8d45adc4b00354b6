"""SVG files as parts of a page: drawing and nothing else.

A file is read as XML, and only what draws is taken over, by an allow-list: no script, no handler of an event, no
foreign element, no style sheet, no reference to anything outside the file. Properties of `style` become attributes, so
that the page's policy need not allow inline styles.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree import ElementTree

from sdclab.base.errors import SdclabError
from sdclab.output.pages.markup import Html, joined, tag

WIDE = 1.9
"""A drawing so many times as wide as high has a row of the page to itself."""

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
HANDED_DOWN = PROPERTIES - frozenset("clip-path opacity stop-color stop-opacity".split())
"""What an element has from the group around it, if it does not say otherwise."""
ATTRIBUTES = PROPERTIES | frozenset(
    "clipPathUnits cx cy d dx dy gradientTransform gradientUnits height id markerHeight markerWidth offset orient "
    "patternTransform patternUnits points preserveAspectRatio r refX refY rotate rx ry transform viewBox width x x1 x2 "
    "y y1 y2".split()
)
COORDINATES = frozenset("cx cy d height points r rx ry width x x1 x2 y y1 y2".split())
"""What holds numbers in points, of which a twentieth cannot be seen."""
PLACES = {"transform": 2} | dict.fromkeys(COORDINATES, 1)
"""Decimals of what holds numbers; a scale needs one more."""
WORDS = frozenset("text tspan title desc".split())
"""Elements in which a space is one."""
LONG = re.compile(r"-?\d*\.\d+(?![\de])")
COMMAND = re.compile(r" ?([A-Za-z]) ?")
"""Of a path, with spaces that say nothing."""
UPRIGHT = re.compile(r"(M([-\d.]+) [-\d.]+)L\2 ([-\d.]+)")
LEVEL = re.compile(r"(M[-\d.]+ ([-\d.]+))L([-\d.]+) \2(?![\d.])")
"""A stroke straight up or down, or to a side."""
USUAL = "'DejaVu Sans', 'Verdana', sans-serif"
"""The font of all figures, which the style sheet names once."""
NO_TURN = re.compile(r"rotate\(-?0 [^)]*\)")
REFERENCE = re.compile(r"(?:url\(|href=\")#([\w-]+)")
PICTURE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=\s]*")


def drawing(svg: str, prefix: str, name: str = "") -> tuple[Html, float, float]:
    """What an SVG file draws, without its outermost element, and its width and height in points.

    Its ids become a prefix, lest two drawings of a page share one, and a number; those that nothing refers to are left
    out, and so is what cannot be seen: spaces between elements, groups that say nothing, and decimals.
    """
    root, width, height = _read(svg, name or prefix)
    ids = {name: f"{prefix}-{i}" for i, name in enumerate(dict.fromkeys(REFERENCE.findall(svg)))}
    return joined(_Inside(ids).parts(root, {})), width, height


def size(svg: str, name: str) -> tuple[float, float]:
    """The width and height of a drawing in points."""
    return _read(svg, name)[1:]


def _read(svg: str, name: str) -> tuple[ElementTree.Element, float, float]:
    try:
        root = ElementTree.fromstring(svg[svg.index("<svg") :])  # a prologue could declare entities
        width, height = (float(root.attrib[side].removesuffix("pt")) for side in ("width", "height"))
    except (ElementTree.ParseError, ValueError, KeyError):
        raise SdclabError(f"the drawing {name} is not an SVG file with a width and a height in points.") from None
    return root, width, height


@dataclass(frozen=True)
class _Inside:
    """What is taken over of a drawing."""

    ids: Mapping[str, str]
    """What something refers to, with its name on the page."""

    def parts(self, element: ElementTree.Element, shared: Mapping[str, str], is_text: bool = False) -> list[object]:
        """The text of an element and its allowed children, which have from it what they share."""
        parts: list[object] = [_words(element.text, is_text)]
        for child in element:
            name = _name(child)
            if name in ELEMENTS:
                attributes = self.attributes(child, name)
                own = {key: value for key, value in attributes.items() if shared.get(key) != value}
                among = self._shared(child)
                content = self.parts(child, among, name in WORDS)
                attributes = own | among
                parts += content if name == "g" and not attributes else [tag(name, *content, **attributes)]
            parts.append(_words(child.tail, is_text))
        return parts

    def _shared(self, group: ElementTree.Element) -> dict[str, str]:
        """The look that all marks of a group have, which is then said once; a mark alone says it itself."""
        marks = [self.attributes(child, "use") for child in group if _name(child) == "use"]
        if len(marks) < 2 or {_name(child) for child in group} - {"use", "defs"}:
            return {}
        first, *others = marks
        same = {key: value for key, value in first.items() if all(other.get(key) == value for other in others)}
        return {key: value for key, value in same.items() if key in HANDED_DOWN}

    def attributes(self, element: ElementTree.Element, name: str) -> dict[str, str]:
        declared = re.findall(r"\s*([a-z-]+)\s*:\s*([^;]*)", element.attrib.get("style", ""))
        styled = {key: value.strip() for key, value in declared if key in PROPERTIES}
        given = {key: value for key, value in element.attrib.items() if key in ATTRIBUTES}
        if given.get("id") not in self.ids:
            given.pop("id", None)
        said = {key: value for key, value in {**given, **styled}.items() if not _says_nothing(key, value)}
        kept = {key: self._kept(key, value) for key, value in said.items()}
        target = element.attrib.get(LINK, element.attrib.get("href", ""))
        if name == "use" and target.startswith("#") and target[1:] in self.ids:
            kept["href"] = f"#{self.ids[target[1:]]}"
        if name == "image" and PICTURE.fullmatch(target):
            kept["href"] = target
        return kept

    def _kept(self, key: str, value: str) -> str:
        if key == "id":
            return self.ids[value]
        local = self._local(value)
        if key not in PLACES:
            return local
        short = " ".join(LONG.sub(lambda found: _rounded(found[0], PLACES[key]), local).split())
        return LEVEL.sub(r"\1H\3", UPRIGHT.sub(r"\1V\3", COMMAND.sub(r"\1", short))) if key == "d" else short

    def _local(self, value: str) -> str:
        """A value whose reference, if it is one, stays in the drawing; any other reference is none."""
        if "url(" not in value.lower():
            return value
        inside = re.fullmatch(r"url\(#([\w-]+)\)", value)
        return f"url(#{self.ids[inside[1]]})" if inside and inside[1] in self.ids else "none"


def _name(element: ElementTree.Element) -> str:
    return str(element.tag).removeprefix(SPACE)


def _says_nothing(key: str, value: str) -> bool:
    return (key == "font-family" and value == USUAL) or (key == "transform" and bool(NO_TURN.fullmatch(value)))


def _rounded(text: str, places: int) -> str:
    return f"{round(float(text), places) + 0.0:g}"  # the sum is no minus nought


def _words(text: str | None, is_text: bool) -> str:
    """Text as it is; between elements that hold none, spaces say nothing."""
    return text or "" if is_text or (text and text.strip()) else ""
