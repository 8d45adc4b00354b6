"""How the cost of every method and measure grows with the number of records: seconds and memory, and their exponents.

    python benchmarks/growth.py [--to results/growth] [--only mdav dbrl] [--sizes 1000 200000] [--most 60]

Each is measured in a process of its own, at growing n until one call takes more than `--most` seconds, or is
expected to; what is left out is said. The exponent is the slope of log time in log n from 5,000 records on, where
what a call costs at least no longer counts.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))  # this tree's, also without an installed one

import numpy as np
from fresh import in_fresh_process, measured

from sdclab.files import csv_text, write
from sdclab.measures import MEASURES, measure
from sdclab.methods import METHODS, protect

SIZES = (1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000)
FROM = 5000
LIMIT = 1.2
QUADRATIC = {
    "mdav": "every cluster searches all records that remain",
    "hybrid_micro": "its clusters are those of mdav",
    "k_member": "every record that joins searches all that remain",
    "fdm": "every core searches all records that remain",
    "fuzzy_hybrid": "its clusters are those of fdm",
    "prl": "all pairs of distinct bins are compared: quadratic until the bins are exhausted",
    "dr": "prl is a part of it",
    "score": "prl is a part of it",
}
"""What must compare each with each, and why."""

NEEDED: Mapping[str, Mapping[str, object]] = {
    "fcrm": {"c": 5},
    "noise": {"p": 0.1},
    "hybrid": {"model": "VVV", "clusters": 5},
    "clusters": {"runs": 2, "c": 5},
}
"""Parameters that have no default, or whose default is a search."""

COLUMNS = ("what", "name", "n", "seconds", "memory_mb")
P = 3


def data(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Dependents and independents, round five centres."""
    rng = np.random.default_rng(0)
    records = rng.normal(0, 3, (5, P + 2))[rng.integers(5, size=n)] + rng.standard_normal((n, P + 2))
    return records[:, :P], records[:, P:]


def call(what: str, name: str, n: int) -> None:
    """What a fresh process does; once, because what was computed may be remembered."""
    prepared(what, name, 500)()  # whatever is imported or set up once
    print(json.dumps(measured(prepared(what, name, n), repeats=1)[1]))


def prepared(what: str, name: str, n: int) -> Callable[[], object]:
    dependent, independent = data(n)
    rng, options = np.random.default_rng(1), NEEDED.get(name, {})
    if what == "method":
        return lambda: protect(name, dependent, independent, rng, options)
    released = dependent + 0.1 * rng.standard_normal(dependent.shape)
    return lambda: measure(name, dependent, released, independent, options)


def grow(what: str, name: str, sizes: Sequence[int], most: float) -> list[dict[str, Any]]:
    """Rows at growing n, as long as the next is expected to be done in time."""
    rows: list[dict[str, Any]] = []
    for n in sizes:
        power = max(1.0, exponent(rows)) if name in QUADRATIC else 1.0
        if rows and rows[-1]["seconds"] * (n / rows[-1]["n"]) ** power > most:
            break
        cost = in_fresh_process(__file__, what, name, n)
        rows.append({"what": what, "name": name, "n": n, "seconds": cost["seconds"], "memory_mb": cost["memory"]})
    return rows


def exponent(rows: Sequence[Mapping[str, Any]], key: str = "seconds") -> float:
    """The slope of the logarithms, from FROM records on if there are three such sizes."""
    late = [row for row in rows if row["n"] >= FROM]
    used = late if len(late) >= 3 else rows[-3:]
    if len(used) < 2:
        return 2.0
    n, y = (np.log([max(row[column], 1e-3) for row in used]) for column in ("n", key))
    return float(np.polyfit(n, y, 1)[0])


def verdict(name: str, slope: float) -> str:
    if name in QUADRATIC:
        return f"quadratic by definition: {QUADRATIC[name]}"
    return "" if slope <= LIMIT else f"ABOVE n^{LIMIT}"


def summary(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line of a Markdown table."""
    last = rows[-1]
    slope, memory = exponent(rows), exponent(rows, "memory_mb")
    name = last["name"]
    numbers = [f"{last['n']:,}", f"{last['seconds']:.3g}", f"{last['memory_mb']:.0f}", f"{slope:.2f}", f"{memory:.2f}"]
    return [last["what"], name, *numbers, verdict(name, slope)]


HEAD = ("what", "name", "largest n", "seconds", "MB", "exponent of time", "exponent of memory", "")


def chart(grown: Sequence[Sequence[Mapping[str, Any]]], folder: Path) -> None:
    from matplotlib.figure import Figure

    from sdclab.plots.style import COLOURS, FAINT, MARKERS, STYLES, save

    figure = Figure(figsize=(11, 6.5))
    panels = figure.subplots(1, 2, sharey=True)
    for axes, what in zip(panels, ("method", "measure"), strict=True):
        lines = [rows for rows in grown if rows[0]["what"] == what]
        for i, rows in enumerate(lines):
            look = {
                "color": COLOURS[i % len(COLOURS)],
                "ls": STYLES[i // len(COLOURS)],
                "marker": MARKERS[i % len(MARKERS)],
            }
            label = f"{rows[0]['name']}  n^{exponent(rows):.2f}"
            axes.plot([row["n"] for row in rows], [row["seconds"] for row in rows], ms=3, lw=1, label=label, **look)
        n = np.array([SIZES[0], SIZES[-1]])
        for power in (1, 2):
            axes.plot(n, 1e-4 * (n / n[0]) ** power, color=FAINT, lw=0.8, zorder=0)
        axes.set(xscale="log", yscale="log", xlabel="records", title=f"{what}s (grey: n and n²)", ylim=(5e-5, None))
        axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3)
    panels[0].set_ylabel("seconds, one thread")
    for kind in ("svg", "png"):
        save(figure, folder / f"growth.{kind}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=Path("results/growth"))
    parser.add_argument("--only", nargs="*", default=[*METHODS, *MEASURES])
    parser.add_argument("--sizes", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--most", type=float, default=60.0)
    asked = parser.parse_args()
    everything = [("method", name) for name in METHODS] + [("measure", name) for name in MEASURES]
    grown, lines = [], []
    for what, name in everything:
        if name in asked.only:
            grown.append(grow(what, name, asked.sizes, asked.most))
            lines.append(summary(grown[-1]))
            print("  ".join(f"{cell:<14}" for cell in lines[-1]), flush=True)
    table = "\n".join("| " + " | ".join(line) + " |" for line in (HEAD, ["---"] * len(HEAD), *lines))
    asked.to.mkdir(parents=True, exist_ok=True)
    write(asked.to / "growth.csv", csv_text(COLUMNS, [row for rows in grown for row in rows]))
    write(asked.to / "growth.md", table + "\n")
    chart(grown, asked.to)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].startswith('"'):
        call(*(json.loads(each) for each in sys.argv[1:]))
    else:
        main()
