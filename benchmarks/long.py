"""Long files through `sdclab protect`: CPU seconds and peak memory of its process, for every method.

    python benchmarks/long.py [--to results/long] [--sizes 1000000 10000000] [--only mdav noise] [--ending parquet]

A file of four dependents and two independents round five centres is protected by each method, with the option that
makes it linear where it is quadratic by definition; reading, checking and writing are counted. A million records come
as CSV, more as Parquet, unless `--ending` says otherwise. Above a million only those of `LONGEST` run unless `--only`
names others. Rows measured before stay in the table until they are measured again.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))  # this tree's, also without an installed one

from fresh import ONE_THREAD
from growth import LINEAR, NEEDED

from sdclab.base.files import csv_text, write
from sdclab.methods import METHODS

SOURCE = Path(__file__).resolve().parents[1] / "src"
SIZES = (1_000_000, 10_000_000)
MILLION = 1_000_000
LONGEST = ("noise", "noise_cov", "ipso_c", "synthetic", "calibrated", "mdav")
"""What must take ten million records."""

OTHERS: Mapping[str, Sequence[Mapping[str, object]]] = {
    "fcrm": ({"c": 10},),
    "hybrid": ({}, NEEDED["hybrid"]),
    "local": (NEEDED["local"],),
}
"""Options that a method is measured with here, if not those of `growth`."""

DEPENDENT, INDEPENDENT = ("a", "b", "c", "d"), ("x", "y")
ROWS = 1_000_000
"""Records that are made and written at a time."""

COLUMNS = ("method", "options", "ending", "n", "seconds", "peak_mb", "problem")
HEAD = ("method", "options", "n", "file", "CPU seconds", "peak MB")


def options(method: str) -> Sequence[Mapping[str, object]]:
    """Each a run of its own."""
    return OTHERS.get(method, ({**NEEDED.get(method, {}), **LINEAR.get(method, {})},))


def make(path: str, n: int, ending: str, categories: bool) -> None:
    """What a fresh process does first: the file; its dependents whole numbers from 0 to 9 if a method needs those."""
    import numpy as np
    import pyarrow as arrow
    import pyarrow.csv as texts
    import pyarrow.parquet as parquet

    names = [*DEPENDENT, *INDEPENDENT]
    schema = arrow.schema([(name, arrow.float64()) for name in names])
    rng = np.random.default_rng(0)
    centres = rng.normal(0, 3, (5, len(names)))
    with (parquet.ParquetWriter if ending == "parquet" else texts.CSVWriter)(path, schema) as file:
        for begin in range(0, n, ROWS):
            size = min(ROWS, n - begin)
            records = (centres[rng.integers(5, size=size)] + rng.standard_normal((size, len(names)))).round(4)
            if categories:
                records[:, : len(DEPENDENT)] = np.clip(records[:, : len(DEPENDENT)].round(), 0, 9)
            file.write_table(arrow.table(dict(zip(names, records.T, strict=True)), schema))


def protect(source: Path, method: str, given: Mapping[str, object]) -> dict[str, Any]:
    """CPU seconds and the peak of the memory of one `sdclab protect`, or why there is none."""
    target = source.with_name(f"protected{source.suffix}")
    command = [sys.executable, "-m", "sdclab.cli.main", "protect", str(source), "-o", str(target), "--method", method]
    command += ["--seed", str(2**40), "--independent", ",".join(INDEPENDENT)]
    if nominal(method):
        command += [word for name in DEPENDENT for word in ("--type", f"{name}=nominal")]
    command += [word for key, value in given.items() for word in (f"--{key}", json.dumps(value).strip('"'))]
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, env={**os.environ, **ONE_THREAD, "PYTHONPATH": str(SOURCE)}, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        problem = (said.read().splitlines() or ["it was killed"])[-1] if process.returncode else ""
    target.unlink(missing_ok=True)
    return {"seconds": used.ru_utime + used.ru_stime, "peak_mb": used.ru_maxrss / 1024, "problem": problem}


def nominal(method: str) -> bool:
    return "continuous" not in METHODS.declared(method, "TAKES", ("continuous",))


def run(folder: Path, n: int, ending: str, methods: Sequence[str]) -> list[dict[str, Any]]:
    """A line for every method and its options, on one file."""
    lines = []
    for categories in (False, True):
        chosen = [name for name in methods if nominal(name) == categories]
        if not chosen:
            continue
        source = folder / f"long.{ending}"
        subprocess.run([sys.executable, __file__, json.dumps([str(source), n, ending, categories])], check=True)
        for name in chosen:
            for given in options(name):
                row = {"method": name, "options": json.dumps(given), "ending": ending, "n": n}
                lines.append({**row, **protect(source, name, given)})
                print("  ".join(f"{cell:<14}" for cell in shown(lines[-1])), flush=True)
    return lines


def shown(row: Mapping[str, Any]) -> list[str]:
    """A line of the table."""
    given = ", ".join(f"{key}: {value}" for key, value in json.loads(row["options"]).items())
    seconds = f"{float(row['seconds']):.3g}" if not row["problem"] else row["problem"]
    return [row["method"], given, f"{int(row['n']):,}", row["ending"], seconds, f"{float(row['peak_mb']):,.0f}"]


def key(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (str(row["n"]), row["ending"], row["method"], row["options"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=Path("results/long"))
    parser.add_argument("--sizes", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--ending", choices=("csv", "parquet"))
    asked = parser.parse_args()
    asked.to.mkdir(parents=True, exist_ok=True)
    table = asked.to / "long.csv"
    rows = {key(row): row for row in csv.DictReader(table.read_text().splitlines())} if table.exists() else {}
    for n in asked.sizes:
        ending = asked.ending or ("csv" if n <= MILLION else "parquet")
        methods = asked.only or (list(METHODS) if n <= MILLION else LONGEST)
        with tempfile.TemporaryDirectory(dir=asked.to) as folder:
            rows |= {key(row): row for row in run(Path(folder), n, ending, methods)}
        lines = [HEAD, ["---"] * len(HEAD), *map(shown, rows.values())]
        write(table, csv_text(COLUMNS, list(rows.values())))
        write(asked.to / "long.md", "".join("| " + " | ".join(line) + " |\n" for line in lines))


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].startswith("["):
        make(*json.loads(sys.argv[1]))
    else:
        main()
