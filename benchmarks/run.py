"""sdclab beside what one would use instead: the same data, one thread, one run; printed, and saved as tables and chart.

    python benchmarks/run.py [--to results/peers] [--only fcm mdav] [--scale 0.1]

`--scale` makes all files smaller, to try it out. A peer that is not installed is reported as absent. `before` are our
seconds in the run that was last saved there, if a processor of the same kind made it, and `change` is what they
became: where that is more than a quarter longer, the last lines say so.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))  # this tree's, also without an installed one

from former import COLUMNS as OF_BEFORE
from former import Former
from fresh import in_fresh_process, measured
from peers import CONTESTS

from sdclab.base.files import csv_text, write

COLUMNS = (
    *"name n p peer ours_s theirs_s ratio ours_mb theirs_mb compared ours_result theirs_result difference".split(),
    *OF_BEFORE,
)
SHOWN = ("name", "n", "p", "peer", "ours_s", "theirs_s", "ratio", "before", "change", "ours_mb", "theirs_mb")
SHOWN += ("ours_result", "theirs_result", "difference", "compared")

WIDTHS = {"name": 15, "peer": 26, "ours_result": 13, "theirs_result": 14, "difference": 12}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=Path("results/peers"))
    parser.add_argument("--only", nargs="*", choices=CONTESTS, default=list(CONTESTS))
    parser.add_argument("--scale", type=float, default=1.0)
    asked = parser.parse_args()
    former = Former(asked.to / "peers.csv", ("name", "n", "p"), "ours_s")
    rows: list[dict[str, Any]] = []
    print(line(SHOWN))
    for name in asked.only:
        for size in CONTESTS[name].sizes:
            rows.append(former.beside(compare(name, {**size, "n": int(size["n"] * asked.scale)})))
            print(line([shown(rows[-1][key]) for key in SHOWN]), flush=True)
    slower = former.slower(rows)
    print(*slower, sep="\n", end="\n" if slower else "")
    asked.to.mkdir(parents=True, exist_ok=True)
    write(asked.to / "peers.csv", csv_text(COLUMNS, rows))
    write(asked.to / "peers.md", markdown(rows, slower))
    chart(rows, asked.to)


def compare(name: str, size: Mapping[str, int]) -> dict[str, Any]:
    """One line: both sides, each in a process of its own."""
    contest = CONTESTS[name]
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {"name": name, "n": size["n"], "p": size["p"], "peer": contest.peer, "compared": contest.compared}
    for side in ("ours", "theirs") if installed(contest.needs) else ("ours",):
        found = in_fresh_process(__file__, name, size, side)
        result = found["result"] if isinstance(found["result"], float) else None
        row |= {f"{side}_s": found["seconds"], f"{side}_mb": found["memory"], f"{side}_result": result}
        row["difference"] = found["result"] if side == "ours" else different(row["difference"], found["result"])
    if row["theirs_s"] is None:
        return {**row, "peer": f"{contest.peer} (absent)", "difference": None}
    return {**row, "ratio": row["theirs_s"] / row["ours_s"]}


def installed(needs: str) -> bool:
    """Whether a module, or with a colon a program, is there."""
    if needs.startswith(":"):
        return shutil.which(needs[1:]) is not None
    return find_spec(needs) is not None


def different(ours: float | list[int], theirs: float | list[int]) -> float:
    """By how much two numbers differ, or the share of labels that do."""
    if isinstance(ours, list) and isinstance(theirs, list):
        return sum(a != b for a, b in zip(ours, theirs, strict=True)) / len(ours)
    return float(ours) - float(theirs)  # type: ignore[arg-type]


def side_of(name: str, size: Mapping[str, int], side: str) -> None:
    """What a fresh process does: one side of one contest."""
    contest = CONTESTS[name]
    getattr(contest, side)(contest.data({**size, "n": 200}))  # whatever is imported or set up once
    data = contest.data(size)
    made, cost = measured(lambda: getattr(contest, side)(data), contest.repeats)
    result = contest.result(data, made)
    print(json.dumps({**cost, "result": result.tolist() if hasattr(result, "tolist") else float(result)}))


def shown(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def line(cells: Sequence[str]) -> str:
    return "".join(f"{cell:<{WIDTHS.get(key, 10)}}" for key, cell in zip(SHOWN, cells, strict=True))


def markdown(rows: Sequence[Mapping[str, Any]], slower: Sequence[str]) -> str:
    """The table, with a note on how to read it."""
    head = ["| " + " | ".join(SHOWN) + " |", "|" + " --- |" * len(SHOWN)]
    body = ["| " + " | ".join(shown(row[key]) for key in SHOWN) + " |" for row in rows]
    note = (
        "Seconds of the processor; `ratio` is theirs / ours, above 1 where sdclab is faster. `before` are ours in the "
        "last saved run on the same kind of processor, `change` is by which share of them it takes longer now. MB are "
        "what a call added to the peak of its process. `difference` is ours − theirs of what was compared, or the "
        "share of labels that differ."
    )
    return "\n".join([*head, *body, "", note, *slower, ""])


def chart(rows: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Bars of the ratios, on a logarithmic axis."""
    from matplotlib.figure import Figure

    from sdclab.output.style import COLOURS, FAINT, save

    met = [row for row in rows if row["ratio"]]
    figure = Figure(figsize=(7.5, 0.32 * len(met) + 1))
    axes = figure.subplots()
    labels = [f"{row['name']}, {row['n']:,} × {row['p']}  |  {row['peer']}" for row in met]
    colours = [COLOURS[1] if row["ratio"] >= 1 else COLOURS[2] for row in met]
    bars = axes.barh(labels, [row["ratio"] - 1 for row in met], left=1, color=colours, height=0.6)
    axes.bar_label(
        bars, [f"{row['ratio']:.2g}" if row["ratio"] < 100 else f"{row['ratio']:.0f}" for row in met], padding=3
    )
    axes.axvline(1, color=FAINT, lw=1, zorder=0)
    axes.set(xscale="log", xlabel="time of the peer / time of sdclab (above 1: sdclab is faster)")
    axes.margins(x=0.2)
    axes.invert_yaxis()
    for kind in ("svg", "png"):
        save(figure, folder / f"peers.{kind}")


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].startswith('"'):
        side_of(*(json.loads(each) for each in sys.argv[1:]))
    else:
        main()
