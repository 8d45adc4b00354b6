"""Tables that a method or measure may meet and would rather not: small, fit for a scenario, and awkward otherwise."""

import numpy as np

from sdclab.experiment.scenario import Scenario, Split
from sdclab.microdata.dataset import Dataset

N = 45
"""Records of most tables: clusters of 20 and a model of five attributes fit in, and no run takes long."""


def _records(seed: int, p: int, n: int = N) -> np.ndarray:
    """Related and skewed attributes whose digits nobody would write by chance."""
    rng = np.random.default_rng(seed)
    return 4711.0815 + 137.31 * np.exp(rng.normal(0, 0.6, (n, p))) @ (np.eye(p) + 0.4 * rng.random((p, p)))


def _flags(seed: int, p: int, n: int = N) -> np.ndarray:
    return (np.random.default_rng(seed).random((n, p)) < 0.4).astype(float)


def _whole(seed: int, p: int, n: int = N) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 4, (n, p)).astype(float)


def _last_digits(seed: int, p: int) -> np.ndarray:
    return 4711.0815 * (1 + np.random.default_rng(seed).integers(0, 3, (N, p)) * np.finfo(float).eps)


def _with_one(records: np.ndarray, value: float) -> np.ndarray:
    changed = records.copy()
    changed[7, 0] = value
    return changed


def _spiked(records: np.ndarray) -> np.ndarray:
    """Most values of every attribute are 0, as incomes from one source are."""
    spike = np.random.default_rng(5).random(records.shape) < 0.7
    return np.where(spike, 0.0, records)


def _layouts(split: Split) -> dict[str, Split]:
    """The same numbers, otherwise in memory. What is remembered of one must not be taken for another: that by columns
    comes last, so that it is the first to be computed when the tables are gone through backwards.
    """
    wide = tuple(np.repeat(np.repeat(part, 2, axis=0), 3, axis=1) for part in split)
    frozen = tuple(part.copy() for part in split)
    for part in frozen:
        part.setflags(write=False)
    return {
        "by rows": split,
        "with gaps": tuple(part[::2, ::3] for part in wide),
        "backwards": tuple(part[::-1, ::-1].copy()[::-1, ::-1] for part in split),
        "read-only": frozen,
        "by columns": tuple(np.asfortranarray(part) for part in split),
    }


def tables() -> dict[str, Split]:
    """Name -> dependents and independents."""
    y, x = _records(1, 3), _records(2, 2)
    one, none = y[:, :1], np.empty((N, 0))
    mixed = np.column_stack([y[:, 0], _flags(3, 2)])
    return {
        **_layouts((y, x)),
        "a hundred and thirty records": (_records(8, 3, 130), _records(9, 1, 130)),
        "a single dependent": (one, x),
        "no independents": (y, none),
        "a single dependent and no independents": (one, none),
        "zeros and ones": (_flags(3, 3), _flags(4, 2)),
        "zeros of both signs": (np.where(_flags(3, 3) > 0, 1.0, -0.0), x),
        "zeros and ones beside numbers": (mixed, _flags(4, 2)),
        "zeros and ones told apart by a number": (np.column_stack([y[:, 0], y[:, 0] > np.median(y[:, 0])]), x),
        "one record in another class": (np.column_stack([np.eye(N)[:, 0], y[:, 0]]), x),
        "collinear dependents": (np.column_stack([y, y[:, 0] + y[:, 1]]), x),
        "collinear independents": (y, np.column_stack([x, x[:, 0] - 2 * x[:, 1]])),
        "dependents made of independents": (x @ np.array([[1.0, 2.0], [3.0, -1.0]]), x),
        "equal columns": (np.column_stack([y, y[:, 0]]), np.column_stack([x, y[:, 0]])),
        "every record five times": (np.repeat(y[:9], 5, axis=0), np.repeat(x[:9], 5, axis=0)),
        "two records many times": (np.repeat(y[:2], [22, 23], axis=0), np.repeat(x[:2], [22, 23], axis=0)),
        "huge": (1e12 * y, 1e12 * x),
        "tiny": (1e-9 * y, 1e-9 * x),
        "beyond all units": (1e60 * y, 1e60 * x),
        "below all units": (1e-60 * y, 1e-60 * x),
        "of every size": (y * [1e-9, 1.0, 1e12], x * [1e12, 1e-9]),
        "far from zero": (1e9 + 1e-2 * y, 1e9 + 1e-2 * x),
        "varying in the last digit alone": (np.column_stack([y[:, 0], _last_digits(14, 1)]), x),
        "all varying in the last digit alone": (_last_digits(14, 2), _last_digits(15, 1)),
        "whole numbers from 0 to 3": (_whole(6, 3), _whole(7, 2)),
        "whole numbers": (np.round(y), np.round(x)),
        "a spike at zero": (_spiked(y), x),
        "a constant but for one record": (_with_one(np.full((N, 2), 4711.0815) + np.eye(N)[:, 8:10], 4812.0815), x),
        "an outlier": (_with_one(y, 4.7110815e9), x),
        "an outlier among the independents": (y, _with_one(x, -4.7110815e9)),
        "negative": (-y, -x),
        "about zero": (y - y.mean(axis=0), x - x.mean(axis=0)),
        "twenty flags and a number": (np.column_stack([_flags(17, 20), y[:, 0]]), none),
        "in order": (np.sort(y, axis=0), np.sort(x, axis=0)),
        "one record more than attributes": (_records(10, 3, 6), _records(11, 2, 6)),
        "two records": (np.array([[4711.0815], [4812.0815]]), np.empty((2, 0))),
        "three records": (_records(12, 1, 3), _records(13, 1, 3)),
        "ten records": (_records(12, 3, 10), _records(13, 2, 10)),
        "twenty-five records": (_records(12, 3, 25), _records(13, 2, 25)),
    }


def check(split: Split) -> None:
    """Refuse a table that no method would ever be given, by the scenario's own check."""
    dependent, independent = split
    names = tuple(f"y{j}" for j in range(dependent.shape[1])), tuple(f"x{j}" for j in range(independent.shape[1]))
    dataset = Dataset("nasty", "own", "nasty.csv", names[0] + names[1], np.column_stack(split))
    Scenario("nasty", "nasty", *names).split(dataset)
