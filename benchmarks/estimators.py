"""How good two estimators are, by simulation: the slopes that `synthetic` keeps, and the links that `prl` finds.

    python benchmarks/estimators.py [--to results/estimators] [--scale 0.1]

The numbers in docs/methods.md and docs/measures.md are those of a run at scale 1 (some minutes on one core).
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import statsmodels.api as sm
from scipy.special import expit

from sdclab import measures, methods
from sdclab.base.files import csv_text, write
from sdclab.numerics.arrays import Matrix
from sdclab.numerics.seeds import seed_of, stream

Row = dict[str, Any]


def slopes(scale: float) -> Iterator[Row]:
    """Slopes of a balanced attribute fitted on the release, over those fitted on the file: ratio of sums and its SE."""
    for n, terms in product((200, 500, 2000), (1, 3, 10)):
        files = max(10, round(scale * 300_000 / n))
        rng = stream(seed_of("slopes", n, terms))
        pairs = np.array([_slopes_of_a_file(n, terms, rng) for _ in range(files)])
        ratio = pairs[:, 1].sum() / pairs[:, 0].sum()
        error = np.std(pairs[:, 1] - ratio * pairs[:, 0], ddof=1) / np.sqrt(files) / pairs[:, 0].mean()
        yield {"n": n, "terms": terms, "files": files, "ratio": ratio, "standard_error": error}


def _slopes_of_a_file(n: int, terms: int, rng: np.random.Generator) -> tuple[float, float]:
    """Projected on the true direction, of a file and of its release."""
    truth = np.where(np.arange(terms) % 2, -1, 1) / np.sqrt(terms)
    x = rng.standard_normal((n, terms))
    y = (rng.random((n, 1)) < expit(x @ truth)[:, None]).astype(float)
    released = methods.protect("synthetic", y, x, rng, {})
    first, second = (
        float(sm.Logit(values[:, 0], sm.add_constant(x)).fit(disp=0).params[1:] @ truth) for values in (y, released)
    )
    return first, second


def links(scale: float) -> Iterator[Row]:
    """PRL with m and u counted and estimated by EM, on files of related, skewed or rounded attributes under noise."""
    numbers = range(max(1, round(scale * 3)))
    for n, p, related, kind, noise, number in product(
        (100, 300), (3, 6), (0.0, 0.8), ("normal", "skewed", "rounded"), (0.05, 0.2, 0.5), numbers
    ):
        rng = stream(seed_of("links", n, p, related, kind, noise, number))
        original = _file(n, p, related, kind, rng)
        protected = original + noise * original.std(axis=0) * rng.standard_normal((n, p))
        counted, em = (
            measures.measure("prl", original, protected, original[:, :0], {"probabilities": each})["prl"]
            for each in ("counted", "em")
        )
        about = {"n": n, "p": p, "related": related, "kind": kind, "noise": noise, "number": number}
        yield {**about, "counted": counted, "em": em}


def _file(n: int, p: int, related: float, kind: str, rng: np.random.Generator) -> Matrix:
    values = np.sqrt(related) * rng.standard_normal((n, 1)) + np.sqrt(1 - related) * rng.standard_normal((n, p))
    if kind == "skewed":
        return np.exp(values)
    return np.round(values) if kind == "rounded" else values


def summary(ratios: Sequence[Row], linked: Sequence[Row]) -> str:
    lines = ["| n | terms | files | slopes, release / file | standard error |", "| --- | --- | --- | --- | --- |"]
    for row in ratios:
        lines.append("| {n} | {terms} | {files} | {ratio:.3f} | {standard_error:.4f} |".format(**row))
    more = np.array([row["counted"] - row["em"] for row in linked])
    lines += ["", f"PRL with m and u counted, less PRL by EM, over {len(more)} files: mean {more.mean():.1f}, "]
    lines[-1] += f"from {more.min():.1f} to {more.max():.1f}."
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=Path("results/estimators"))
    parser.add_argument("--scale", type=float, default=1.0, help="share of the files to make")
    asked = parser.parse_args()
    ratios, linked = list(slopes(asked.scale)), list(links(asked.scale))
    for name, rows in (("slopes", ratios), ("links", linked)):
        write(asked.to / f"{name}.csv", csv_text(list(rows[0]), rows))
    write(asked.to / "estimators.md", summary(ratios, linked))
    print(summary(ratios, linked), end="")


if __name__ == "__main__":
    main()
