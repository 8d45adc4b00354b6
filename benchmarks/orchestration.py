"""How much of a run is work: CPU time inside the jobs' own code against wall time times cores.

    python benchmarks/orchestration.py [--cores 2] [--configfile config/smoke.yaml]

Runs the whole workflow into a folder of its own, from nothing, and reads what every job's log says of its work. What is
missing to 1 is Python starting, importing, Snakemake planning, and cores that wait at the end.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--configfile", default="config/config.yaml")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "snakemake", "--cores", str(asked.cores), "--configfile", asked.configfile]
        command += ["--workflow-profile", "workflow/profiles/local", "--config", f"results={folder}", "download=false"]
        begun = time.perf_counter()
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
        wall = time.perf_counter() - begun
        if done.returncode:
            sys.exit(done.stderr[-2000:])
        report(work_of(Path(folder)), wall, asked.cores)


def work_of(results: Path) -> dict[str, list[float]]:
    """The CPU seconds of every job, by the kind of job."""
    work: dict[str, list[float]] = {}
    for log in sorted((results / "logs").rglob("*.log")):
        found = re.search(r"^worked for ([0-9.]+) s$", log.read_text(), re.MULTILINE)
        if found:
            kind = log.relative_to(results / "logs").parts[0].removesuffix(".log")
            work.setdefault(kind, []).append(float(found[1]))
    return work


def report(work: dict[str, list[float]], wall: float, cores: int) -> None:
    for kind, seconds in work.items():
        print(f"{kind:<12} {len(seconds):>4} jobs {sum(seconds):>9.1f} s of CPU")
    total = sum(map(sum, work.values()))
    print(f"wall {wall:.1f} s on {cores} cores; work {total:.1f} s; efficiency {total / (wall * cores):.2f}")


if __name__ == "__main__":
    main()
