"""Small files that a user might have."""

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd

MDAV = ("--method", "mdav", "--k", 3)

# two pairs of near records: MDAV with k = 2 releases (2, 15) twice and (12, 35) twice
PAIRS = [(1, 10), (11, 30), (3, 20), (13, 40)]
MEANS = [(2, 15), (12, 35), (2, 15), (12, 35)]


def text(rows, header="a,b", separator=","):
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    return "\n".join(lines).replace(",", separator) + "\n"


def rows_of(path, separator=","):
    return list(csv.reader(io.StringIO(Path(path).read_text(), newline=""), delimiter=separator))


def records(n, seed=1):
    """A file with an independent attribute and two dependents that follow it; every value is unmistakable."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 80, n)
    income = 900 + 25 * age + rng.normal(0, 300, n)
    return pd.DataFrame({"age": age, "income": income, "tax": 0.3 * income + rng.normal(0, 90, n)})


def attributes(n=150, columns=("income", "tax", "savings", "age")):
    rng = np.random.default_rng(5)
    common = rng.normal(size=(n, 1))
    return pd.DataFrame(100 + 10 * (common + rng.normal(size=(n, len(columns)))), columns=list(columns)).round(2)


def with_outlier(value=1e5, n=150):
    """A file with one person who earns a thousand times what all others do."""
    frame = attributes(n)
    frame.loc[7, "income"] = value
    return frame


def named_people(n=60, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "name": [f"Secret {i}, of Berlin" for i in range(n)],
            "income": rng.normal(900, 100, n).round(2),
            "tax": rng.normal(90, 10, n).round(2),
        }
    )


def mixed(n=120, seed=1, gaps=0.0):
    """What people have: text, a count, a number with two decimals, one with a spike at zero, gaps in all of them."""
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 3, n)
    wage = (1500 + 400 * place + rng.gamma(4, 150, n)).round(2)
    bonus = np.where(rng.random(n) < 0.5, 0, 0.1 * wage + rng.normal(50, 5, n)).round(2)
    children = rng.poisson(1 + place)
    columns = {"region": np.array(["Bonn", "Jena", "Ulm"])[place], "children": children, "wage": wage, "bonus": bonus}
    frame = pd.DataFrame(columns)
    return frame.mask(rng.random(frame.shape) < gaps)
