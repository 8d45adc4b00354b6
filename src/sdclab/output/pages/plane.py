"""The plane that maps are drawn in: from numbers to places, and the axes around them."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10

from sdclab.output.pages.markup import Html, tag

Place = tuple[float, float]
Range = tuple[float, float]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 600, 420, 46, 12, 12, 44
BOX = f"0 0 {WIDTH} {HEIGHT}"


@dataclass(frozen=True)
class Scale:
    """From two numbers to a place, by what is shown of each."""

    across: Range
    up: Range

    def x(self, value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * _share(value, self.across), 1)

    def y(self, value: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * _share(value, self.up), 1)


def _share(value: float, ends: Range) -> float:
    return (value - ends[0]) / (ends[1] - ends[0])


def extent(values: Iterable[float]) -> Range:
    """Room for every value, from 0 on unless that would waste half of it."""
    found = list(values) or [0.0, 1.0]
    low, high = min(found), max(found)
    if 0 <= low <= high / 2:
        low = 0.0
    margin = 0.06 * (high - low) or 1.0
    return (low - margin if low else 0.0), high + margin


def frame(scale: Scale, across: str, up: str) -> Html:
    """Axes with their ticks and names."""
    parts = []
    for tick in ticks(scale.across):
        x = scale.x(tick)
        parts.append(tag("line", x1=x, x2=x, y1=TOP, y2=HEIGHT - BOTTOM, class_="grid"))
        parts.append(tag("text", f"{tick:g}", x=x, y=HEIGHT - BOTTOM + 16, text_anchor="middle"))
    for tick in ticks(scale.up):
        y = scale.y(tick)
        parts.append(tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="grid"))
        parts.append(tag("text", f"{tick:g}", x=LEFT - 6, y=y + 4, text_anchor="end"))
    middle, half = (LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
    parts.append(tag("text", f"{across} →", x=middle, y=HEIGHT - 8, text_anchor="middle"))
    turned = f"translate(12 {half}) rotate(-90)"
    parts.append(tag("text", f"{up} →", transform=turned, text_anchor="middle"))
    return tag("g", *parts, class_="axes", aria_hidden="true")


def ticks(ends: Range) -> list[float]:
    """A few round numbers between two ends."""
    rough = (ends[1] - ends[0]) / 7
    power = 10.0 ** floor(log10(rough))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= rough)
    return [i * step for i in range(ceil(ends[0] / step), floor(ends[1] / step) + 1)]
