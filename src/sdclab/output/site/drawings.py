"""Small figures of what every method does to the same points in the plane, and of what every measure says of them."""

from collections.abc import Callable, Mapping
from io import StringIO
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sdclab.base.errors import SdclabError
from sdclab.measures import MEASURES, Control, measure, number
from sdclab.methods import METHODS, grid, protect, release, takes
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics.arrays import Matrix
from sdclab.numerics.seeds import seed_of, stream
from sdclab.output.style import COLOURS, FAINT

POINTS = 240
LIMITS = ((-4.2, 5.2), (-5.2, 6.2))
NOISES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0)
CLASSES = 8
"""Of a number that is cut into categories, for methods that take nothing else."""

DRAWN = 2
"""Numbers of a measure in its figure."""


def points(name: str = "points") -> Matrix:
    """Three groups in the plane, one of them curved, one small and away from the others."""
    rng = stream(seed_of("site", name))
    label = rng.choice(3, size=POINTS, p=[0.55, 0.37, 0.08])
    x, noise = rng.standard_normal(POINTS), rng.standard_normal(POINTS)
    across = np.choose(label, [1.1 * x - 1, 0.8 * x + 2, 0.25 * x - 3])
    up = np.choose(label, [0.7 * x**2 + 0.4 * noise, 1.2 * x - 2 + 0.5 * noise, 4.5 + 0.3 * noise])
    return np.column_stack([across, up])


def example(method: str) -> dict[str, Any]:
    """Parameters as `sdclab map` would try them: of each list the second, mild but to be seen."""
    return {name: values[min(1, len(values) - 1)] for name, values in grid(method).items()}


def of_method(method: str) -> str:
    """A method's figure as SVG: both attributes protected at once, and one given the other."""
    figure = Figure(figsize=(7.0, 3.6))
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    told = ", ".join(f"{name} = {value}" for name, value in example(method).items())
    both, one = (lambda: _both(method)), (lambda: _given(method))
    for axes, title, made in zip(panels, ("both protected", "up protected, given across"), (both, one), strict=True):
        _scatter(axes, made)
        axes.set_title(f"{title}{f' ({told})' if told else ''}", fontsize=9, loc="left")
        axes.set(xlabel="across", xlim=LIMITS[0], ylim=LIMITS[1])
    panels[0].set_ylabel("up")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, markerscale=2)
    return _svg(figure)


def of_measure(name: str) -> str:
    """A measure's figure as SVG, its first numbers against the noise in the plane; nothing if it needs more."""
    try:
        found = [_measured(name, p) for p in NOISES]
    except SdclabError:
        return ""
    shown = [key for key in found[0] if np.isfinite([values.get(key, np.nan) for values in found]).all()][:DRAWN]
    if not shown:
        return ""
    figure = Figure(figsize=(3.5 * len(shown), 2.6))
    for i, (axes, key) in enumerate(zip(np.atleast_1d(figure.subplots(1, len(shown))), shown, strict=True)):
        axes.plot(NOISES, [values[key] for values in found], "o-", color=COLOURS[1 + i], ms=3.5, lw=1)
        axes.set(xlabel="noise p, in SDs", title=number(key).label)
        axes.title.set_fontsize(8)
    return _svg(figure)


def _scatter(axes: Axes, made: Callable[[], Matrix]) -> None:
    across, up = points().T
    axes.scatter(across, up, s=7, color=FAINT, label="original", zorder=1)
    try:
        across, up = made().T
        axes.scatter(across, up, s=7, color=COLOURS[1], alpha=0.7, label="released", zorder=2)
    except SdclabError:
        axes.text(0.5, 0.5, "not for such a file", transform=axes.transAxes, ha="center", fontsize=9)


def _both(method: str) -> Matrix:
    records, rng = points(), stream(seed_of("site", method))
    if "continuous" in takes(method):
        return protect(method, records, np.empty((POINTS, 0)), rng, example(method))
    low, high = records.min(axis=0), records.max(axis=0)
    codes = np.minimum((CLASSES * (records - low) / (high - low)).astype(int), CLASSES - 1).astype(float)
    attribute = Attribute("a number cut into classes", "ordinal", categories=tuple(map(str, range(CLASSES))))
    made = release(method, codes, np.empty((POINTS, 0)), rng, example(method), Attributes((attribute,) * 2))
    return low + (made.values + rng.random(codes.shape)) / CLASSES * (high - low)


def _given(method: str) -> Matrix:
    records, rng = points(), stream(seed_of("site", method))
    return np.column_stack([records[:, 0], protect(method, records[:, 1:], records[:, :1], rng, example(method))])


def _measured(name: str, p: float) -> Mapping[str, float]:
    records, others = points(), points("others")
    files = records, protect("noise", records, records, stream(seed_of("site", "noise")), {"p": p}), records[:, :1] ** 2
    return measure(name, *files, {}, control=Control(others, others[:, :1] ** 2))


def _svg(figure: Figure) -> str:
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def drawings() -> dict[str, str]:
    """Every figure of the site, by its path."""
    found = {f"methods/{name}.svg": of_method(name) for name in METHODS.present}
    return found | {f"measures/{name}.svg": of_measure(name) for name in MEASURES.present}
