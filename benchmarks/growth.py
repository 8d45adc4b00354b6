"""How the cost of every method and measure grows with the number of records: seconds and memory, and their exponents.

    python benchmarks/growth.py [--to results/growth] [--only mdav dbrl] [--sizes 1000 200000] [--most 60]

Each is measured in a process of its own, at growing n until one call takes more than `--most` seconds, or is
expected to; what is left out is said. The exponent is the slope of log time in log n from 5,000 records on, where
what a call costs at least no longer counts. What is quadratic by definition is measured once more with the option
that makes it linear. `change` is by which share of its seconds in the run that was last saved there, if a processor of
the same kind made it, the largest file takes longer now; the last lines name what takes more than a quarter longer.
"""

import argparse
import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))  # this tree's, also without an installed one

import numpy as np
from former import COLUMNS as OF_BEFORE
from former import Former
from fresh import in_fresh_process, measured

from sdclab.base.files import csv_text, write
from sdclab.measures import MEASURES, Control, measure
from sdclab.methods import METHODS, protect, release, takes
from sdclab.microdata.attribute import Attribute, Attributes

SIZES = (1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000)
LEAST = 2500
"""Records of the call that is not measured, and the fewest with an option that speaks of many."""
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

BLOCK, SAMPLE = {"block": 5000}, {"sample": 2000}
LINEAR: Mapping[str, Mapping[str, object]] = {
    **dict.fromkeys(("mdav", "hybrid_micro", "k_member", "fdm", "fuzzy_hybrid"), BLOCK),
    "prl": SAMPLE,
    "dr": {"prl": SAMPLE},
    "score": {"dr": {"prl": SAMPLE}},
}
"""The option by which each of them need not."""

NEEDED: Mapping[str, Mapping[str, object]] = {
    "fcrm": {"c": 5},
    "noise": {"p": 0.1},
    "hybrid": {"model": "VVV", "clusters": 5},
    "local": {"model": "VVV", "clusters": 5},
    "clusters": {"runs": 2, "c": 5},
}
"""Parameters that have no default, or whose default is a search."""

KEYS = ("what", "name", "options", "n")
COLUMNS = (*KEYS, "seconds", "memory_mb", *OF_BEFORE)
P = 3
CATEGORIES = Attribute("a number cut into ten", "nominal", categories=tuple("0123456789"))


@dataclass(frozen=True)
class Subject:
    """A method or measure with the options that it is measured with, if not its own."""

    what: str
    name: str
    linear: bool = False

    @property
    def options(self) -> Mapping[str, object]:
        return {**NEEDED.get(self.name, {}), **(LINEAR[self.name] if self.linear else {})}

    @property
    def label(self) -> str:
        return f"{self.name} {json.dumps(LINEAR[self.name])}" if self.linear else self.name

    @property
    def quadratic(self) -> bool:
        return self.name in QUADRATIC and not self.linear


def subjects(names: Collection[str]) -> list[Subject]:
    found = [Subject("method", name) for name in METHODS] + [Subject("measure", name) for name in MEASURES]
    found += [Subject(each.what, each.name, linear=True) for each in found if each.quadratic]
    return [each for each in found if each.name in names]


def data(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Dependents and independents, round five centres."""
    centres, rng = np.random.default_rng(0).normal(0, 3, (5, P + 2)), np.random.default_rng(seed)
    records = centres[rng.integers(5, size=n)] + rng.standard_normal((n, P + 2))
    return records[:, :P], records[:, P:]


def call(what: str, name: str, linear: bool, n: int) -> None:
    """What a fresh process does; once, because what was computed may be remembered."""
    subject = Subject(what, name, linear)
    prepared(subject, LEAST)()  # whatever is imported or set up once
    print(json.dumps(measured(prepared(subject, n), repeats=1)[1]))


def prepared(subject: Subject, n: int) -> Callable[[], object]:
    dependent, independent = data(n)
    rng = np.random.default_rng(1)
    if subject.what == "method" and "continuous" not in takes(subject.name):
        codes, types = np.clip(np.round(dependent), 0, 9), Attributes((CATEGORIES,) * P)
        return lambda: release(subject.name, codes, independent[:, :0], rng, subject.options, types)
    if subject.what == "method":
        return lambda: protect(subject.name, dependent, independent, rng, subject.options)
    released = dependent + 0.1 * rng.standard_normal(dependent.shape)
    others = data(n, seed=2)
    return lambda: measure(subject.name, dependent, released, independent, subject.options, control=Control(*others))


def grow(subject: Subject, sizes: Sequence[int], most: float) -> list[dict[str, Any]]:
    """Rows at growing n, as long as the next is expected to be done in time."""
    about = {"what": subject.what, "name": subject.name, "options": json.dumps(subject.options)}
    rows: list[dict[str, Any]] = []
    for n in sizes:
        if subject.linear and n < LEAST:
            continue
        power = max(1.0, exponent(rows)) if subject.quadratic else 1.0
        if rows and rows[-1]["seconds"] * (n / rows[-1]["n"]) ** power > most:
            break
        cost = in_fresh_process(__file__, subject.what, subject.name, subject.linear, n)
        rows.append({**about, "n": n, "seconds": cost["seconds"], "memory_mb": cost["memory"]})
    return rows


def exponent(rows: Sequence[Mapping[str, Any]], key: str = "seconds") -> float:
    """The slope of the logarithms, from FROM records on if there are three such sizes."""
    late = [row for row in rows if row["n"] >= FROM]
    used = late if len(late) >= 3 else rows[-3:]
    if len(used) < 2:
        return 2.0
    n, y = (np.log([max(row[column], 1e-3) for row in used]) for column in ("n", key))
    return float(np.polyfit(n, y, 1)[0])


def verdict(subject: Subject, slope: float) -> str:
    if subject.quadratic:
        return f"quadratic by definition: {QUADRATIC[subject.name]}"
    return "" if slope <= LIMIT else f"ABOVE n^{LIMIT}"


def summary(subject: Subject, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line of a Markdown table."""
    last = rows[-1]
    slope, memory = exponent(rows), exponent(rows, "memory_mb")
    change = "–" if last["change"] is None else f"{last['change']:+.0%}"
    numbers = [f"{last['n']:,}", f"{last['seconds']:.3g}", change, f"{last['memory_mb']:.0f}"]
    return [subject.what, subject.label, *numbers, f"{slope:.2f}", f"{memory:.2f}", verdict(subject, slope)]


HEAD = ("what", "name", "largest n", "seconds", "change", "MB", "exponent of time", "exponent of memory", "")


def chart(grown: Mapping[Subject, Sequence[Mapping[str, Any]]], folder: Path) -> None:
    from matplotlib.figure import Figure

    from sdclab.output.style import COLOURS, FAINT, MARKERS, STYLES, save

    figure = Figure(figsize=(11, 6.5))
    panels = figure.subplots(1, 2, sharey=True)
    for axes, what in zip(panels, ("method", "measure"), strict=True):
        lines = {subject: rows for subject, rows in grown.items() if subject.what == what}
        for i, (subject, rows) in enumerate(lines.items()):
            look = {
                "color": COLOURS[i % len(COLOURS)],
                "ls": STYLES[i // len(COLOURS)],
                "marker": MARKERS[i % len(MARKERS)],
            }
            label = f"{subject.name}{', linear' * subject.linear}  n^{exponent(rows):.2f}"
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
    former = Former(asked.to / "growth.csv", KEYS, "seconds")
    grown, lines = {}, []
    for subject in subjects(asked.only):
        grown[subject] = [former.beside(row) for row in grow(subject, asked.sizes, asked.most)]
        lines.append(summary(subject, grown[subject]))
        print("  ".join(f"{cell:<14}" for cell in lines[-1]), flush=True)
    rows = [row for each in grown.values() for row in each]
    slower = former.slower(rows)
    print(*slower, sep="\n", end="\n" if slower else "")
    table = ["| " + " | ".join(line) + " |" for line in (HEAD, ["---"] * len(HEAD), *lines)]
    asked.to.mkdir(parents=True, exist_ok=True)
    write(asked.to / "growth.csv", csv_text(COLUMNS, rows))
    write(asked.to / "growth.md", "\n".join([*table, "", *slower, ""]))
    chart(grown, asked.to)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].startswith('"'):
        call(*(json.loads(each) for each in sys.argv[1:]))
    else:
        main()
