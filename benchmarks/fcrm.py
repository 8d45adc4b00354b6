"""Where the time of the fuzzy c-regression study goes: seconds a cell, and the share spent inside the kernels.

    python benchmarks/fcrm.py

Runs a few cells of the grid, 10 replicates each, in this process and on the data at hand (SDCLAB_DATA or the
replica). If a finished run lies in results/, its jobs' wall times are summed beside them.
"""

import csv
import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before numpy is imported

from sdclab import cells, measures, studies  # noqa: E402
from sdclab.data import manifest, retrieve  # noqa: E402
from sdclab.grids import Cell  # noqa: E402
from sdclab.methods import fcrm  # noqa: E402

PROJECT = Path(__file__).resolve().parents[1]
SCHEMAS = PROJECT / "workflow" / "schemas"
CELLS = [
    ("S1", {"c": 2}),
    ("S1", {"c": 15}),
    ("S2", {"c": 20}),
    ("S2", {"c": 81}),
    ("S2", {"c": 81, "solver": "inverse"}),
    ("S3", {"c": 4, "n_independent": 6}),
    ("S3", {"c": 10, "n_independent": 12}),
]


def timed(function: Callable[..., Any], kernel: str, spent: Counter[str]) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            spent[kernel] += time.perf_counter() - start

    return wrapper


def main() -> None:
    entries = manifest.load(PROJECT / "resources" / "datasets.yaml", SCHEMAS / "datasets.schema.yaml")
    user = os.environ.get("SDCLAB_DATA")
    places = retrieve.Places(Path(user) if user else None, retrieve.default_cache(), PROJECT / "resources" / "replicas")
    census = retrieve.retrieve(entries["census"], places, download=False, say=print)
    study = studies.load(
        PROJECT / "config" / "studies" / "cano_torra_2009.yaml", SCHEMAS / "study.schema.yaml", entries
    )
    spent: Counter[str] = Counter()
    fcrm.fcm = timed(fcrm.fcm, "FCM", spent)
    fcrm.fit = timed(fcrm.fit, "regressions", spent)
    measures.measure = timed(measures.measure, "measures", spent)
    print(f"{'cell':<40} {'seconds':>8}  {'FCM':>5} {'regr.':>6} {'meas.':>6} {'kernels':>8}")
    for scenario, parameters in CELLS:
        spent.clear()
        cell = Cell(study.name, scenario, "fcrm", parameters, 10)
        start = time.perf_counter()
        cells.run(cell, study.scenarios[scenario], census, study.measures)
        total = time.perf_counter() - start
        shares = [100 * spent[kernel] / total for kernel in ("FCM", "regressions", "measures")]
        print(
            f"{cell.name:<40} {total:8.2f}  {shares[0]:4.0f}% {shares[1]:5.0f}% {shares[2]:5.0f}% {sum(shares):7.0f}%"
        )
    report_jobs(PROJECT / "results" / "benchmarks")


def report_jobs(folder: Path) -> None:
    """What the workflow's own benchmark files say of the last run."""
    seconds: Counter[str] = Counter()
    for path in folder.rglob("*.tsv"):
        with path.open(newline="") as file:
            seconds[path.relative_to(folder).parts[0]] += sum(
                float(row["s"]) for row in csv.DictReader(file, delimiter="\t")
            )
    for kind, total in seconds.most_common():
        print(f"jobs of the last run, {kind}: {total:.0f} s of wall time, process starts included")


if __name__ == "__main__":
    main()
