"""A million records: methods of sdclab and what one would use instead; seconds, memory, and how well it turned out.

    python benchmarks/million.py [--to results/million] [--only noise hybrid] [--n 1000000] [--most 600]

Six attributes of groups of records, all of them protected. `auc` is that of the measure `detection`, on 20,000 of the
records: 50 if released and original records cannot be told apart. What takes more than `--most` seconds of the
processor is stopped and said to be; a peer that is not installed is absent. SDV's GaussianCopula itself would install
gigabytes of CUDA, so it is the package `copulas` that is measured, which fits and draws for it, with SDV's own default,
beta margins. `change` is as in run.py.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))  # this tree's, also without an installed one

import numpy as np
from former import COLUMNS as OF_BEFORE
from former import Former
from fresh import StoppedError, in_fresh_process, measured
from peers import Data, groups, mdav_data, mdav_theirs, released, synthetic_theirs
from run import installed

from sdclab.base.files import csv_text, write
from sdclab.measures import measure

P = 6
FEW = 2500
"""Records of the call that is not measured."""


@dataclass(frozen=True)
class Entrant:
    """What turns records into a release; `needs` is the module, or with a colon the program, that it takes."""

    by: str
    protect: Callable[[Data], np.ndarray]
    needs: str = "numpy"
    data: Callable[[Any], Data] = groups


def mdav_in_c(data: Data) -> np.ndarray:
    """Its clusters, every record in the place of which its cluster's mean is released."""
    labels, records = mdav_theirs(data), data["records"]
    sums = np.column_stack([np.bincount(labels, weights=column) for column in records.T])
    return (sums / np.bincount(labels)[:, None])[labels]


def copula(data: Data) -> np.ndarray:
    import pandas as pd
    from copulas.multivariate import GaussianMultivariate

    table = pd.DataFrame(data["records"], columns=[f"x{j}" for j in range(data["p"])])
    peer = GaussianMultivariate(distribution="copulas.univariate.BetaUnivariate", random_state=0)
    peer.fit(table)
    return peer.sample(len(table)).to_numpy(dtype=float)


def ours(method: str, **parameters: object) -> Entrant:
    return Entrant("sdclab", partial(released, method=method, parameters=parameters))


ENTRANTS = {
    "noise": ours("noise", p=0.1),
    "mdav, block": ours("mdav", k=3, block=5000),
    "mdav": ours("mdav", k=3),
    "mdav in C": Entrant("plain C", mdav_in_c, ":cc", mdav_data),
    "synthetic": ours("synthetic"),
    "hybrid": ours("hybrid", k=60),
    "CART": Entrant("python-synthpop", synthetic_theirs, "synthpop"),
    "Gaussian copula": Entrant("copulas (of SDV)", copula, "copulas"),
}
KEYS = ("name", "n", "p")
COLUMNS = (*KEYS, "by", "seconds", "memory_mb", "auc", "note", *OF_BEFORE)
SHOWN = ("name", "by", "n", "seconds", "change", "memory_mb", "auc", "note")


def run(name: str, n: int, most: float) -> dict[str, Any]:
    """One line of the table."""
    row: dict[str, Any] = {**dict.fromkeys(COLUMNS), "name": name, "n": n, "p": P, "by": ENTRANTS[name].by}
    if not installed(ENTRANTS[name].needs):
        return {**row, "note": "absent"}
    try:
        return {**row, **in_fresh_process(__file__, name, n, most=most)}
    except StoppedError:
        return {**row, "note": f"stopped after {most:g} s"}


def side_of(name: str, n: int) -> None:
    """What a fresh process does."""
    entrant = ENTRANTS[name]
    entrant.protect(entrant.data({"n": FEW, "p": P}))  # whatever is imported or set up once
    data = entrant.data({"n": n, "p": P})
    made, cost = measured(lambda: entrant.protect(data), repeats=1)
    auc = measure("detection", data["records"], made, made[:, :0])["detection_auc"]
    print(json.dumps({"seconds": cost["seconds"], "memory_mb": cost["memory"], "auc": auc}))


def shown(row: dict[str, Any]) -> list[str]:
    """The cells of a line: three digits, and changes in per cent."""
    cells = {key: f"{row[key]:.3g}" if isinstance(row[key], float) else str(row[key] or "") for key in SHOWN}
    change = "" if row["change"] is None else f"{row['change']:+.0%}"
    memory = "" if row["memory_mb"] is None else f"{row['memory_mb']:,.0f}"
    return list({**cells, "n": f"{row['n']:,}", "change": change, "memory_mb": memory}.values())


def markdown(lines: Sequence[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(line) + " |" for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=Path("results/million"))
    parser.add_argument("--only", nargs="*", choices=ENTRANTS, default=list(ENTRANTS))
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--most", type=float, default=600.0)
    asked = parser.parse_args()
    former = Former(asked.to / "million.csv", KEYS, "seconds")
    lines, rows = markdown([SHOWN, ["---"] * len(SHOWN)]), []
    print("\n".join(lines), flush=True)
    for name in asked.only:
        rows.append(former.beside(run(name, asked.n, asked.most)))
        lines += markdown([shown(rows[-1])])
        print(lines[-1], flush=True)
    slower = former.slower(rows)
    print(*slower, sep="\n", end="\n" if slower else "")
    asked.to.mkdir(parents=True, exist_ok=True)
    write(asked.to / "million.csv", csv_text(COLUMNS, rows))
    write(asked.to / "million.md", "\n".join([*lines, "", *slower, ""]))


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].startswith('"'):
        side_of(*(json.loads(each) for each in sys.argv[1:]))
    else:
        main()
