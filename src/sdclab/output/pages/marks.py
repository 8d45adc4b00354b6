"""How methods and clusters are told apart: a shape and a colour for each, so that neither is needed alone."""

import json
from collections.abc import Sequence

from sdclab.output.pages.markup import Html, tag

SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-5L5 0L0 5L-5 0z",
    "M0-4.6L4.6 3.6H-4.6z",
    "M0 4.6L4.6-3.6H-4.6z",
    "M-1.6-4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z",
    "M0-5.2L1.5-1.6L5.2-1.6L2.3 .8L3.3 4.6L0 2.4L-3.3 4.6L-2.3 .8L-5.2-1.6L-1.5-1.6z",
    "M-4.6 0L3.6-4.6V4.6z",
    "M4.6 0L-3.6-4.6V4.6z",
    "M-4.4-2L-2-4.4L0-2.4L2-4.4L4.4-2L2.4 0L4.4 2L2 4.4L0 2.4L-2 4.4L-4.4 2L-2.4 0z",
)
"""Paths around the origin, about ten units wide. Their colours, k0 to k9, are in the style sheet."""


def mark(i: int, hollow: bool = False) -> Html:
    """The shape of the i-th method, filled or hollow; where all shapes are used up they come again in other colours."""
    around, shape = divmod(i, len(SHAPES))
    colour = (shape + around) % len(SHAPES)
    return tag("path", d=SHAPES[shape], class_=f"mark k{colour}{' hollow' if hollow else ''}")


def in_line(drawing: Html) -> Html:
    """A drawing of a mark's size inside a line of text."""
    return tag("svg", drawing, viewBox="-8 -8 16 16", aria_hidden="true")


def as_script(shapes: Sequence[str] = SHAPES) -> str:
    """The shapes for a script."""
    return f"const SHAPES = {json.dumps(shapes)};\n"
