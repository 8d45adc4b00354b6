"""What a run has to say at its end."""

import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sdclab.base.files import read_rows
from sdclab.evidence.scorecard import NOT_RUN, Judged, held_out_words, shown
from sdclab.experiment.integrity import WORKED
from sdclab.experiment.provenance import mixed


def summary(lines: Sequence[Judged], findings: int | None, kinds: Mapping[str, str], results: str) -> str:
    """The run in a few lines; `findings`: how many claims of the papers fail, None if none was checked."""
    counts = Counter(line.verdict for line in lines)
    text = [f"Scorecard: {len(lines)} published numbers ({results}/scorecard.csv)"]
    text += ["  " + "  ".join(f"{verdict}: {counts[verdict]}" for verdict in shown(counts))]
    if weak := sum(line.weak for line in lines):
        text.append(f"  Weak: {weak} of those that hold would hold for half of the wrong answers, too, or for more.")
    if said := held_out_words((line.verdict, line.held_out_verdict) for line in lines):
        text.append(f"  {said}")
    if not lines:
        text = [f"No published number is compared; what each method loses and gives away: {results}/tables"]
    if counts[NOT_RUN]:
        text.append(f"  Thinned run: the cells of {counts[NOT_RUN]} numbers were left out; none is for quoting.")
    tables = {line: f"{line.study} {line.table}" for line in lines}
    width = max(map(len, tables.values()), default=0)
    for table in sorted(set(tables.values())):
        here = Counter(line.verdict for line, name in tables.items() if name == table)
        told = ", ".join(f"{here[verdict]} {verdict}" for verdict in shown(here) if here[verdict])
        text.append(f"  {table:<{width}}  {told}")
    if findings is not None:
        text.append(f"Audit: {findings} claims of the papers do not hold for their own tables ({results}/audit.csv)")
    text.append("Data: " + ", ".join(f"{name} ({kind})" for name, kind in sorted(kinds.items())))
    return "\n".join(text) + "\n"


def closing(results: str, cells: Iterable[str], begun: float, cores: int | None) -> str:
    """The summary, how long the run took, on what processors, and where the report is; nothing without a summary.

    `cores`: how many this machine gave to the jobs; None if they ran elsewhere.
    """
    path = Path(results, "summary.txt")
    if not path.exists():
        return ""
    rows = [row for file in cells for row in read_rows(file)]
    spent = time_spent(Path(results, "logs"), begun, cores)
    article = Path(results, "article.pdf")
    told = [f"Report: {results}/report/index.html", *([f"Article: {article}"] if article.exists() else [])]
    return "\n".join([path.read_text() + spent, *mixed(rows), *told])


def time_spent(logs: Path, begun: float, cores: int | None) -> str:
    """How long a run took, and how much of its cores' time the jobs' own code had: the rest is starting and waiting."""
    texts = [path.read_text() for path in logs.rglob("*.log") if path.stat().st_mtime >= begun]
    work = sum(float(seconds) for log in texts for seconds in re.findall(rf"^{WORKED} ([0-9.]+) s$", log, re.M))
    wall = time.time() - begun
    share = f", {work / (wall * cores):.0%} of {cores} cores" if cores else ""
    return f"Time: {wall:.0f} s; the jobs' own code had {work:.0f} s of CPU{share}."
