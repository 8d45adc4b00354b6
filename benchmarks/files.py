"""Files that people have, through every method: does what comes back fit its column?

python benchmarks/files.py    writes the table of docs/own_data.md anew

The files come with scikit-learn and statsmodels; of longer ones the first 1,000 records. Every method that can run is
given all columns as dependents, as `sdclab.protect` does by default, once as they are and once with 5 % of all cells
missing and `missing="keep"`. A value outside its column's domain is one that has another type, more decimals than the
original has anywhere, a category that does not occur, or lies beyond the bounds that `sdclab.describe` tells. The last
columns are the share of means, of numbers by the categories of the first nominal column as an independent, that lie
within two standard errors of the original's, over five releases.
"""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))  # this tree's, also without an installed one

import numpy as np
import pandas as pd

import sdclab
from sdclab.base.files import read, write
from sdclab.methods import METHODS
from sdclab.microdata.inference import attributes
from sdclab.microdata.microdata import Microdata

DOCS = Path(__file__).resolve().parents[1] / "docs" / "own_data.md"
RECORDS, SEED, REPLICATES = 1_000, 2**40, 5
PARAMETERS = {"noise": {"p": 0.1}, "hybrid": {"k": 20}, "fcrm": {"c": 5}}
KEPT = ("ipso_c", "hybrid", "synthetic")
BEGIN, END = "<!-- files: begin -->", "<!-- files: end -->"


def files() -> Iterator[tuple[str, pd.DataFrame]]:
    """Public files with flags, counts, categories and spikes, text where the source codes it as numbers by name."""
    from sklearn import datasets
    from statsmodels import datasets as more

    for name in ("iris", "wine", "breast_cancer", "diabetes"):
        bunch = getattr(datasets, f"load_{name}")(as_frame=True)
        frame = bunch.frame
        if hasattr(bunch, "target_names"):
            frame["target"] = np.array(bunch.target_names)[frame["target"]]
        yield name, frame
    for name in ("fair", "anes96", "randhie", "star98", "ccard", "scotland", "spector", "engel", "modechoice"):
        yield name, getattr(more, name).load_pandas().data.head(RECORDS).reset_index(drop=True)


def outside(original: pd.DataFrame, released: pd.DataFrame) -> int:
    """How many values do not fit their column."""
    table = Microdata.of_frame(original)
    known = attributes(table, table.columns)
    again = Microdata.of_frame(released)
    wrong = sum(int(each.outside(again.encoded([each.name], [each])[:, 0]).sum()) for each in known)
    return wrong + sum(original[name].dtype != released[name].dtype for name in released)


def with_gaps(frame: pd.DataFrame) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return frame.mask(rng.random(frame.shape) < 0.05)


def usable(frame: pd.DataFrame) -> pd.DataFrame:
    """Without the columns that `describe` says cannot be protected."""
    found = sdclab.describe(frame)
    return frame.drop(columns=[each.name for each in found.columns if each.attribute is None])


def tried(frame: pd.DataFrame) -> tuple[int, int, int, int]:
    """Methods that ran and that were refused, values outside, and rows lost with gaps kept."""
    ran = refused = wrong = lost = 0
    holes = with_gaps(frame)
    for method in METHODS:
        options = {"seed": SEED, "allow_unchanged": True, **PARAMETERS.get(method, {})}
        try:
            wrong += outside(frame, sdclab.protect(frame, method, **options).data)
            made = sdclab.protect(holes, method, missing="keep", **options).data
        except sdclab.SdclabError:
            refused += 1
            continue
        ran += 1
        wrong += outside(holes, made)
        lost += len(holes) - len(made) + int((made.isna() != holes.isna()).to_numpy().sum())
    return ran, refused, wrong, lost


def means_kept(frame: pd.DataFrame, method: str) -> str:
    """The share of means by category within two standard errors."""
    found = {each.name: each.attribute for each in sdclab.describe(frame).columns}
    nominal = [name for name, each in found.items() if each.type == "nominal"]
    numbers = [name for name, each in found.items() if each.is_number]
    if not nominal or not numbers:
        return ""
    by, others = nominal[0], [name for name in frame if name not in (nominal[0], *numbers)]
    groups = frame.groupby(by, observed=True)[numbers]
    error = groups.std() / np.sqrt(groups.count())
    options = {"dependent": numbers, "independent": [by], "drop": others, "allow_unchanged": True}
    try:
        made = [
            sdclab.protect(frame, method, seed=SEED + i, **options, **PARAMETERS.get(method, {})).data
            for i in range(REPLICATES)
        ]
    except sdclab.SdclabError:
        return "refused"
    means = sum(each.groupby(by, observed=True)[numbers].mean() for each in made) / REPLICATES
    z = ((means - groups.mean()) / error).abs().to_numpy()
    return f"{100 * np.nanmean(z <= 2):.0f} %"


def main() -> None:
    head = [
        "file",
        "records",
        "columns",
        "numbers",
        "categories",
        "methods run",
        "refused",
        "values outside",
        "cells lost",
    ]
    lines = ["| " + " | ".join([*head, *(f"means, {method}" for method in KEPT)]) + " |"]
    lines.append("|" + " --- |" * (len(head) + len(KEPT)))
    for name, whole in files():
        frame = usable(whole)
        kinds = [each.attribute.is_number for each in sdclab.describe(frame).columns]
        row = [name, len(frame), len(kinds), sum(kinds), len(kinds) - sum(kinds), *tried(frame)]
        lines.append("| " + " | ".join(map(str, [*row, *(means_kept(frame, method) for method in KEPT)])) + " |")
        print(lines[-1], flush=True)
    text = read(DOCS).decode()
    write(DOCS, re.sub(f"{BEGIN}.*{END}", "\n".join([BEGIN, *lines, END]), text, flags=re.DOTALL))


if __name__ == "__main__":
    main()
