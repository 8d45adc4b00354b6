"""What attacks gain on releases of Census (S1), beside the score: two rankings of the same methods.

    python benchmarks/attacks.py [--to results/attacks] [--data FOLDER] [--replicates 10] [--only ipso_c permute]

Every replicate runs its method on twenty halves of the records (membership) and on one (the attacks with a control).
The table of docs/findings.md is that of a run on the original file.
"""

import argparse
import os
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))  # this tree's, also without an installed one

import numpy as np

from sdclab.base.files import csv_text, write
from sdclab.experiment.cell import Cell, run
from sdclab.experiment.halves import Halves
from sdclab.experiment.scenario import Scenario
from sdclab.experiment.study import find, load
from sdclab.measures import Control, Rerun, measure
from sdclab.microdata import manifest
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.retrieve import Places, retrieve
from sdclab.output.plots import PLOTS

PROJECT = Path(__file__).resolve().parents[1]
METHODS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("permute", {}),
    ("fcrm", {"c": 8}),
    ("fcrm", {"c": 15}),
    ("mdav", {"k": 3}),
    ("mdav", {"k": 20}),
    ("hybrid_micro", {"k": 20}),
    ("hybrid", {}),
    ("noise", {"p": 0.1}),
    ("synthetic", {}),
    ("ipso_a", {}),
    ("ipso_c", {}),
)
ATTACKS = ("membership", "singling_out", "linkability", "inference")
SHOWN = ("score", "pil", "dr", "dr_excess", "membership", "membership_tpr", "singling_out", "linkability", "inference")
COPY = "an exact copy"
COLUMNS = ("method", "parameters", "replicates", *SHOWN, "rank_by_score", "rank_by_membership")
Row = dict[str, Any]


def census(data: str) -> tuple[Scenario, Dataset, Mapping[str, Any]]:
    """Scenario S1 with its file, and the options of the score that its study has."""
    schemas = PROJECT / "workflow" / "schemas"
    entries = manifest.load(PROJECT / "resources/datasets.yaml", schemas / "datasets.schema.yaml")
    places = Places(Path(data).resolve() if data else None, PROJECT / "results/cache", PROJECT / "resources/replicas")
    path = find("cano_torra_2009", PROJECT / "config/studies")
    study = load(path, schemas / "study.schema.yaml", entries, PLOTS)
    scenario = study.scenarios["S1"]
    assert isinstance(scenario, Scenario)
    dataset = retrieve(entries[scenario.dataset], places, download=False, say=print)
    return scenario, dataset, study.measured["S1"].always["score"]


def rows_of(
    scenario: Scenario, dataset: Dataset, score: Mapping[str, Any], replicates: int, only: Collection[str]
) -> list[Row]:
    """A line a method: means over the replicates; then where each stands by the score and by membership."""
    measured = {"score": score, **{name: {} for name in ATTACKS}}
    rows = [{"method": COPY, "parameters": "", "replicates": 1, **_copy(scenario, dataset, score)}]
    for method, parameters in METHODS:
        if not only or method in only:
            cell = Cell("attacks", scenario.name, method, parameters, replicates)
            each = run(cell, scenario, dataset, measured)
            means = {name: float(np.mean([row[name] for row in each])) for name in SHOWN}
            rows.append({"method": method, "parameters": cell.slug, "replicates": replicates, **means})
            print(f"{cell.name}: membership {means['membership']:.1f}", flush=True)
    for quantity in ("score", "membership"):
        for rank, row in enumerate(sorted(rows, key=lambda row: row[quantity]), start=1):
            row[f"rank_by_{quantity}"] = rank
    return sorted(rows, key=lambda row: row["rank_by_membership"])


def _copy(scenario: Scenario, dataset: Dataset, score: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a release that is the file itself."""
    dependent, independent = scenario.split(dataset)
    half = Halves("permute", {}, (dependent, independent), None, 0).first
    inside, beside = half.inside
    found = measure("score", dependent, dependent, independent, score)
    for name in ATTACKS:
        found |= measure(
            name,
            inside,
            inside,
            beside,
            control=Control(*half.outside),
            reruns=lambda count: [Rerun(inside, half.outside[0], inside)] * count,
        )
    return {name: found[name] for name in SHOWN}


def table(rows: Collection[Row]) -> str:
    head = [name.replace("_", " ") for name in COLUMNS]
    lines = [head, ["---"] * len(head), *([_shown(row[name]) for name in COLUMNS] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _shown(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=Path("results/attacks"))
    parser.add_argument("--data", default=os.environ.get("SDCLAB_DATA", ""), help="folder with the originals")
    parser.add_argument("--replicates", type=int, default=10)
    parser.add_argument("--only", nargs="*", default=[], help="methods")
    asked = parser.parse_args()
    rows = rows_of(*census(asked.data), asked.replicates, asked.only)
    asked.to.mkdir(parents=True, exist_ok=True)
    write(asked.to / "attacks.csv", csv_text(COLUMNS, rows))
    write(asked.to / "attacks.md", table(rows))
    print(table(rows), end="")


if __name__ == "__main__":
    main()
