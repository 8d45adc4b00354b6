"""Tables that a method or measure may meet and would rather not: small, fit for a scenario, and awkward otherwise."""

from dataclasses import replace

import numpy as np

from sdclab.experiment.scenario import Scenario, Split
from sdclab.microdata.attribute import Attribute, Attributes, Type
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.tree import tree_of

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


def _codes(seed: int, size: int, n: int = N) -> np.ndarray:
    """Codes of categories, each of which some record has, but not as many as another."""
    codes = np.random.default_rng(seed).integers(0, size, n) * np.random.default_rng(seed + 1).integers(0, 2, n)
    codes[:size] = np.arange(size)
    return codes.astype(float)


def _about(name: str, type: Type, column: np.ndarray, more: int = 0) -> Attribute:
    """What the column holds; of `more` categories it holds none."""
    if type in ("nominal", "ordinal"):
        return Attribute(name, type, categories=tuple(f"c{code}" for code in range(int(column.max()) + 1 + more)))
    low, high = float(column.min()), float(column.max())
    return Attribute(name, type, low, high, 0 if type == "count" else None)


Typed = tuple[np.ndarray, np.ndarray, Attributes]
Column = tuple[Type, np.ndarray] | tuple[Type, np.ndarray, int]


def _typed(dependent: list[Column], independent: list[Column] = []) -> Typed:
    n = len(dependent[0][1])
    parts = [np.column_stack([np.empty((n, 0)), *(column[1] for column in part)]) for part in (dependent, independent)]
    y, x = (
        tuple(_about(f"{letter}{j}", *column) for j, column in enumerate(part))
        for letter, part in (("y", dependent), ("x", independent))
    )
    return parts[0], parts[1], Attributes(y, x)


def _with_taxonomy(table: Typed) -> Typed:
    """The last dependent with a tree over its four categories, whose nodes are in its domain, and in no record."""
    dependent, independent, columns = table
    tree = tree_of([{"both": ["c0", "c1"]}, "c2", "c3"], "nasty")
    last = replace(columns.dependent[-1], categories=(*tree.leaves, *tree.inner), taxonomy=tree)
    return dependent, independent, replace(columns, dependent=(*columns.dependent[:-1], last))


def typed_tables() -> dict[str, Typed]:
    """Name -> dependents, independents and what they hold: categories in all the forms that a file may have them."""
    y, long = _records(1, 3), _records(8, 2, 130)
    numbers: list[Column] = [("continuous", y[:, 0]), ("continuous", y[:, 1])]
    many: list[Column] = [("continuous", long[:, 0]), ("count", np.round(long[:, 1] / 100))]
    everything: list[Column] = [*many, ("nominal", _codes(21, 3, 130)), ("ordinal", _codes(22, 4, 130))]
    by_columns = _typed(everything)
    halved: Column = ("nominal", (y[:, 0] > np.median(y[:, 0])) * 1.0)
    lonely: Column = ("nominal", (np.arange(N) == 7) * 1.0)
    spike: Column = ("count", np.where(np.random.default_rng(5).random(N) < 0.7, 0.0, np.round(y[:, 2])))
    repeated: list[Column] = [("continuous", np.repeat(y[:9, 0], 5)), ("nominal", np.repeat(_codes(23, 3, 9), 5))]
    unseen: list[Column] = [("nominal", _codes(29, 3), 3), ("ordinal", _codes(30, 3), 1)]
    three: Column = ("nominal", _codes(32, 3))
    return {
        "numbers": _typed(numbers, [("continuous", y[:, 2])]),
        "every type": _typed(everything, [("continuous", long[:, 0] ** 0.5), ("nominal", _codes(24, 3, 130))]),
        "every type by columns": (*(np.asfortranarray(part) for part in by_columns[:2]), by_columns[2]),
        "two categories": _typed([*numbers, ("nominal", _codes(25, 2))], [("nominal", _codes(26, 2))]),
        "many categories": _typed([*numbers, ("nominal", _codes(27, 20))], [("nominal", _codes(28, 12))]),
        "nearly as many categories as records": _typed([*numbers, ("nominal", _codes(27, N - 1))]),
        "a category of one record": _typed([*numbers, lonely], [three]),
        "categories that no record has": _typed([*numbers, *unseen], [("nominal", _codes(31, 3), 2)]),
        "a category that a number tells": _typed([*numbers, halved]),
        "a category that an independent has": _typed([*numbers, three], [three]),
        "categories with a taxonomy": _with_taxonomy(_typed([*numbers, ("nominal", _codes(44, 4))], [three])),
        "ordered categories": _typed([("ordinal", _codes(33, 5)), ("ordinal", _codes(34, 3))]),
        "ordered categories beside a number": _typed([numbers[0], ("ordinal", _codes(33, 5))], numbers[1:]),
        "a count with a spike": _typed([spike, numbers[0]], [three]),
        "nothing but nominal": _typed([("nominal", _codes(36 + j, 2 + j)) for j in range(3)]),
        "a single nominal": _typed([three]),
        "a single nominal by numbers": _typed([three], numbers),
        "every record five times": _typed(repeated, [("nominal", np.repeat(_codes(40, 2, 9), 5))]),
        "numbers by categories": _typed(many, [("nominal", _codes(41, 4, 130)), ("ordinal", _codes(42, 3, 130))]),
        "numbers by a category of one record": _typed(numbers, [lonely, ("nominal", _codes(43, 5), 2)]),
        "numbers by the same category twice": _typed(numbers, [three, three]),
    }


def check(split: Split) -> None:
    """Refuse a table that no method would ever be given, by the scenario's own check."""
    dependent, independent = split
    names = tuple(f"y{j}" for j in range(dependent.shape[1])), tuple(f"x{j}" for j in range(independent.shape[1]))
    dataset = Dataset("nasty", "own", "nasty.csv", names[0] + names[1], np.column_stack(split))
    Scenario("nasty", "nasty", *names).split(dataset)
