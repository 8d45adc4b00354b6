"""What an article is made of: blocks of plain text, which the template sets by their `kind`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from sdclab.output.pages.verdicts import SYMBOLS

Style = Literal["plain", "code", "strong", "cite"]
Align = Literal["left", "right", "center"]

LEFT: Align = "left"
RIGHT: Align = "right"


@dataclass(frozen=True)
class Span:
    """Text in one style; of a citation it is the name of the reference."""

    text: str
    style: Style = "plain"


Text = tuple[Span, ...]


def text(*parts: str | Span) -> Text:
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts if part)


def code(name: str) -> Span:
    """The name of a file, column or command."""
    return Span(name, "code")


def strong(words: str) -> Span:
    return Span(words, "strong")


def cite(reference: str) -> Span:
    return Span(reference, "cite")


@dataclass(frozen=True)
class Heading:
    """Of a part of a section."""

    title: str
    kind: str = field(default="heading", init=False)


@dataclass(frozen=True)
class Paragraph:
    """A few sentences."""

    text: Text
    kind: str = field(default="paragraph", init=False)


@dataclass(frozen=True)
class Items:
    """A list."""

    items: Sequence[Text]
    kind: str = field(default="items", init=False)


@dataclass(frozen=True)
class Column:
    """Of a table; a wide one shares what room is left, a close one stands near to its left neighbour."""

    head: str
    align: Align = RIGHT
    wide: float = 0
    close: bool = False


@dataclass(frozen=True)
class Cell:
    """Text in a table, in the colour of a verdict if it has one."""

    text: str
    verdict: str = ""


@dataclass(frozen=True)
class Over:
    """A heading over several columns."""

    text: str
    columns: int


@dataclass(frozen=True)
class Grid:
    """A table."""

    caption: Text
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    over: Sequence[Over] = ()
    kind: str = field(default="table", init=False)


@dataclass(frozen=True)
class Drawing:
    """A figure as an SVG file has it."""

    svg: str
    caption: Text
    wide: bool
    """whether it has a row for itself"""
    width: float
    height: float
    """in points"""


@dataclass(frozen=True)
class Drawings:
    """Figures, two beside each other where both are narrow."""

    drawings: Sequence[Drawing]
    kind: str = field(default="drawings", init=False)


@dataclass(frozen=True)
class Share:
    """How many numbers have a verdict."""

    verdict: str
    count: int


@dataclass(frozen=True)
class Bar:
    """Verdicts as the parts of one bar."""

    label: str
    shares: Sequence[Share]


@dataclass(frozen=True)
class Bars:
    """Bars of one length below each other."""

    bars: Sequence[Bar]
    kind: str = field(default="bars", init=False)


Block = Heading | Paragraph | Items | Grid | Drawings | Bars


@dataclass(frozen=True)
class Section:
    """A numbered part of the article."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Entry:
    """A line of the references."""

    name: str
    text: str


@dataclass(frozen=True)
class Article:
    """All of it."""

    title: str
    authors: str
    about: Sequence[Sequence[str]]
    """what stands beside the abstract: names and values"""
    notices: Sequence[Text]
    """what must be known before anything is read"""
    running: str
    """what stands on every page"""
    abstract: Text
    sections: Sequence[Section]
    references: Sequence[Entry]
    labels: dict[str, str]
    """the words that the template itself needs"""


def plain(*texts: str) -> list[Cell]:
    return [Cell(each) for each in texts]


def symbol(verdict: str) -> Cell:
    """A verdict as its symbol."""
    return Cell(SYMBOLS[verdict], verdict)
