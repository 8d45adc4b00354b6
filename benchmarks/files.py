"""Files that people have, through every method: does what comes back fit its column?

python benchmarks/files.py    writes the tables of docs/own_data.md anew, in some minutes

The files come with scikit-learn, statsmodels and, where `Rscript` is installed with the packages MASS and survival
(Debian: r-cran-mass, r-cran-survival), with R; of longer ones the first 1,000 records. Every method that can run is
given all columns as dependents, as `sdclab.protect` does by default, once as they are and once with 5 % more of all
cells missing. A value outside its column's domain is one that has another type, more decimals than the original has
anywhere, a category that does not occur, or lies beyond the bounds that `sdclab.describe` tells. Then the file goes
through `map`, `protect` with the best point of the first method, and `measure`, all with their defaults. The last
columns are the share of means, of numbers by the categories of the first nominal column as an independent, that lie
within two standard errors of the original's, over five releases, where at least ten records have the category; the
second table compares what `bounds` may say.
"""

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))  # this tree's, also without an installed one

import numpy as np
import pandas as pd
from marked import put

import sdclab
from sdclab.methods import METHODS
from sdclab.microdata.attribute import BOUNDS
from sdclab.microdata.inference import SHARED, attributes
from sdclab.microdata.microdata import Microdata

DOCS = Path(__file__).resolve().parents[1] / "docs" / "own_data.md"
RECORDS, SEED, REPLICATES = 1_000, 2**40, 5
PARAMETERS = {"noise": {"p": 0.1}, "hybrid": {"k": 20}, "fcrm": {"c": 5}}
KEPT = ("ipso_c", "hybrid", "synthetic")
OF_R = {
    "datasets": ("airquality", "infert", "CO2"),
    "MASS": ("survey", "Cars93", "birthwt", "quine", "Aids2"),
    "survival": ("lung", "pbc"),
}


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
    yield from files_of_r()


def files_of_r() -> Iterator[tuple[str, pd.DataFrame]]:
    """Those of R's packages that are installed, written by R itself as CSV."""
    if shutil.which("Rscript") is None:
        print("files of R are absent: there is no Rscript", file=sys.stderr)
        return
    for package, names in OF_R.items():
        for name in names:
            script = f"suppressMessages(library({package})); write.csv({name}, row.names = FALSE, na = '')"
            done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True)
            if done.returncode:
                print(f"{package}::{name} is absent", file=sys.stderr)
                continue
            yield name, pd.read_csv(io.StringIO(done.stdout)).head(RECORDS)


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
            made = sdclab.protect(holes, method, **options).data
        except sdclab.SdclabError:
            refused += 1
            continue
        ran += 1
        wrong += outside(holes, made)
        lost += len(holes) - len(made) + int((made.isna() != holes.isna()).to_numpy().sum())
    return ran, refused, wrong, lost


def followed(frame: pd.DataFrame) -> str:
    """The method that `map` puts first, its release and what was measured of it, all with their defaults."""
    choice = sdclab.map(frame)
    first, against = choice.ranking[["method", "remark"]].iloc[0]
    if against:
        return "none"
    made = sdclab.protect(frame, first, **choice.best(first), seed=SEED).data
    found = sdclab.measure(frame, made)
    assert len(made) == len(frame)
    assert outside(frame, made) == 0
    assert np.isfinite(found.set_index("quantity").loc["score", "value"])
    return first


def grouped(frame: pd.DataFrame) -> tuple[str, list[str]]:
    """The first nominal column, and the numbers."""
    found = {each.name: each.attribute for each in sdclab.describe(frame).columns}
    nominal = [name for name, each in found.items() if each.type == "nominal"]
    return next(iter(nominal), ""), [name for name, each in found.items() if each.is_number]


def means_kept(frame: pd.DataFrame, method: str, bounds: str = "balance") -> np.ndarray | None:
    """Which means by category lie within two standard errors; None if there are none, or the method refuses."""
    by, numbers = grouped(frame)
    if not by or not numbers:
        return None
    others = [name for name in frame if name not in (by, *numbers)]
    frame = frame.dropna(subset=[by])  # of a gap there is no category
    groups = frame.groupby(by, observed=True)[numbers]
    error = groups.std() / np.sqrt(groups.count())
    options = {"dependent": numbers, "independent": [by], "drop": others, "allow_unchanged": True, "bounds": bounds}
    try:
        made = [
            sdclab.protect(frame, method, seed=SEED + i, **options, **PARAMETERS.get(method, {})).data
            for i in range(REPLICATES)
        ]
    except sdclab.SdclabError:
        return None
    means = sum(each.groupby(by, observed=True)[numbers].mean() for each in made) / REPLICATES
    off, rounding = (means - groups.mean()).abs(), 1e-9 * groups.mean().abs()  # a group may have no variance at all
    judged = (groups.count() >= SHARED).to_numpy()  # of a few records a standard error tells nothing
    return (off <= 2 * error + rounding).to_numpy()[judged]


def share(kept: np.ndarray | None) -> str:
    return "" if kept is None or not len(kept) else f"{100 * kept.mean():.0f} %"


def table_of_files(frames: dict[str, pd.DataFrame]) -> Iterator[str]:
    head = ["file", "records", "columns", "numbers", "categories", "gaps", "methods run", "refused", "values outside"]
    head += ["cells lost", "map's first", *(f"means, {method}" for method in KEPT)]
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for name, frame in frames.items():
        kinds = [each.attribute.is_number for each in sdclab.describe(frame).columns]
        row = [name, len(frame), len(kinds), sum(kinds), len(kinds) - sum(kinds), int(frame.isna().to_numpy().sum())]
        row += [*tried(frame), followed(frame), *(share(means_kept(frame, method)) for method in KEPT)]
        yield "| " + " | ".join(map(str, row)) + " |"


def table_of_bounds(frames: dict[str, pd.DataFrame]) -> Iterator[str]:
    """For every method the means of all files together, by what becomes of numbers beyond their bounds."""
    yield "| means within two standard errors | " + " | ".join(f"`{bounds}`" for bounds in BOUNDS) + " |"
    yield "|" + " --- |" * (1 + len(BOUNDS))
    for method in KEPT:
        found = {bounds: [means_kept(frame, method, bounds) for frame in frames.values()] for bounds in BOUNDS}
        shares = [share(np.concatenate([kept for kept in each if kept is not None])) for each in found.values()]
        yield f"| {method} | " + " | ".join(shares) + " |"


def main() -> None:
    frames = {name: usable(whole) for name, whole in files()}
    for mark, lines in (("files", table_of_files(frames)), ("bounds", table_of_bounds(frames))):
        put(DOCS, mark, lines)


if __name__ == "__main__":
    main()
