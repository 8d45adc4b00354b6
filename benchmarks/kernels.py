"""How far the numbers of a cell depend on the kind of processor: the thinned grid under several kernels, compared.

    python benchmarks/kernels.py [--to results/kernels] [--data FOLDER] [--only fcrm mdav] [--most 3]

OpenBLAS and NumPy choose their inner loops by what the processor can do, and let older ones be asked for by name: each
kind below runs in a process of its own. Two numbers differ by |a - b| / max(1, |a|, |b|): most of them are percentages.
"""

import argparse
import json
import os
import sys
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))  # this tree's, also without an installed one

import numpy as np
from fresh import in_fresh_process

from sdclab.base import documents
from sdclab.base.files import csv_text, write
from sdclab.experiment.cell import Cell, run
from sdclab.experiment.limits import Limits
from sdclab.experiment.study import Study, find, load
from sdclab.microdata import manifest
from sdclab.microdata.retrieve import Places, retrieve
from sdclab.output.plots import PLOTS

PROJECT = Path(__file__).resolve().parents[1]
KINDS: Mapping[str, Mapping[str, str]] = {
    "this processor": {},
    "BLAS of Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "BLAS of Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "NumPy without AVX-512": {"NPY_DISABLE_CPU_FEATURES": "X86_V4"},
    "NumPy without AVX2": {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4"},
}
LIMITS = Limits(records=2500, replicates=1, runs=2, values=2)
"""As in the smoke run."""

SAME = 1e-6
"""Numbers that differ by less agree: six digits."""

COLUMNS = ("study", "cell", "kind", "quantity", "difference")
Numbers = dict[str, dict[str, float]]


def computed(data: str, only: Collection[str], most: int) -> Numbers:
    """The numbers of at most so many cells of each method of a study, by study and name."""
    schemas = PROJECT / "workflow" / "schemas"
    entries = manifest.load(PROJECT / "resources/datasets.yaml", schemas / "datasets.schema.yaml")
    places = Places(Path(data) if data else None, PROJECT / "results/cache", PROJECT / "resources/replicas")
    found: Numbers = {}
    for name in documents.load(PROJECT / "config/config.yaml", schemas / "config.schema.yaml")["studies"]:
        path = find(name, PROJECT / "config/studies")
        study = load(path, schemas / "study.schema.yaml", entries, PLOTS, LIMITS)
        for method in dict.fromkeys(cell.method for cell in study.cells):
            for cell in Limits(values=most).fewer([cell for cell in study.cells if cell.method == method]):
                if not only or method in only:
                    found[f"{study.name}/{cell.name}"] = _numbers(study, cell, entries, places)
    return found


def _numbers(study: Study, cell: Cell, entries: Mapping[str, manifest.Entry], places: Places) -> dict[str, float]:
    scenario = study.scenarios[cell.scenario]
    dataset = retrieve(entries[scenario.dataset], places, download=False, say=lambda line: None).head(LIMITS.records)
    (row,) = run(cell, scenario, dataset, study.measured[cell.scenario].always)
    return {name: value for name, value in row.items() if isinstance(value, float)}


def differences(ours: Numbers, theirs: Numbers) -> Iterable[tuple[str, str, float]]:
    """Of every cell the quantity that differs most, and by how much."""
    for cell, numbers in ours.items():
        yield (
            cell,
            *max(
                ((name, difference(value, theirs[cell][name])) for name, value in numbers.items()),
                key=lambda each: each[1],
            ),
        )


def difference(a: float, b: float) -> float:
    if a == b or (np.isnan(a) and np.isnan(b)):
        return 0.0
    apart = abs(a - b) / max(1.0, abs(a), abs(b))
    return float(apart) if np.isfinite(apart) else np.inf


def table(rows: Collection[Mapping[str, Any]]) -> str:
    """One line a method: how many comparisons of cells are equal to the bit, agree, and how far the others are off."""
    head = ("method", "cells × kinds", "same to the bit", f"agree to {SAME:g}", "largest difference", "in")
    lines = [head, ("---",) * len(head)]
    for method in sorted({_method(row["cell"]) for row in rows}):
        here = [row for row in rows if _method(row["cell"]) == method]
        worst = max(here, key=lambda row: row["difference"])
        equal, agree = (sum(row["difference"] <= limit for row in here) for limit in (0, SAME))
        place = f"{worst['cell']}, {worst['quantity']}, {worst['kind']}" if worst["difference"] else ""
        lines.append((method, str(len(here)), str(equal), str(agree), f"{worst['difference']:.1e}", place))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _method(cell: str) -> str:
    return cell.split("/")[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=Path("results/kernels"))
    parser.add_argument("--data", default=os.environ.get("SDCLAB_DATA", ""), help="folder with the originals")
    parser.add_argument("--only", nargs="*", default=[], help="methods")
    parser.add_argument("--most", type=int, default=3, help="cells of a method in a study")
    asked = parser.parse_args()
    wanted = (asked.data, asked.only, asked.most)
    found = {kind: in_fresh_process(__file__, *wanted, **how) for kind, how in KINDS.items()}
    first, *others = found
    rows = []
    for kind in others:
        for name, quantity, apart in differences(found[first], found[kind]):
            study, cell = name.split("/", 1)
            rows.append({"study": study, "cell": cell, "kind": kind, "quantity": quantity, "difference": apart})
    asked.to.mkdir(parents=True, exist_ok=True)
    write(asked.to / "kernels.csv", csv_text(COLUMNS, rows))
    write(asked.to / "kernels.md", table(rows))
    print(table(rows), end="")


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].startswith('"'):
        print(json.dumps(computed(*(json.loads(each) for each in sys.argv[1:]))))
    else:
        main()
