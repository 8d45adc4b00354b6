"""disclosure: against brute force, by hand, and where the files do not correspond."""

from collections import defaultdict

import numpy as np
import pytest

from sdclab.base.errors import SdclabError
from sdclab.measures import measure
from sdclab.microdata.attribute import Attribute, Attributes

N = 300
REGION = Attribute("region", "nominal", categories=("a", "b", "c", "d"))
SEX = Attribute("sex", "nominal", categories=("f", "m"))
AGE, INCOME = Attribute("age", "count"), Attribute("income")
COLUMNS = Attributes((REGION, INCOME, SEX), (AGE,), keys=("region", "age"), targets=("sex", "income"))


def files(m=N, seed=1):
    """Original and release, with what they hold; the age is released as it is where the lengths agree."""
    rng = np.random.default_rng(seed)

    def drawn(n):
        return np.column_stack([rng.integers(0, 4, n), rng.lognormal(3, 1, n), rng.integers(0, 2, n)])

    return drawn(N), drawn(m), rng.integers(18, 90, (N, 1)).astype(float)


def bin_of(value, originals, count):
    """Which quantile bin a number lies in, counted by hand; what lies beyond the originals is in another one."""
    borders = [np.quantile(originals, i / count) for i in range(count + 1)]
    if value < borders[0]:
        return "below"
    if value > borders[-1]:
        return "above"
    return max(i for i in range(count) if value >= borders[i])


def brute(original, released, keys, targets, bins, numbers):
    """The definitions of the vignette, record by record, with dictionaries."""

    def cell(record, places):
        return tuple(bin_of(record[j], original[:, j], bins) if j in numbers and bins else record[j] for j in places)

    def by_key(records, target):
        found = defaultdict(list)
        for record in records:
            found[cell(record, keys)].append(cell(record, [target]))
        return found

    first, second = by_key(original, targets[0]), by_key(released, targets[0])
    unique = {key for key, values in first.items() if len(values) == 1}
    replicated = {key for key in unique if len(second.get(key, [])) == 1}
    n, right, told, fewest = len(original), [], [], []
    for target in targets:
        first, second = by_key(original, target), by_key(released, target)
        fewest.append(min(len(set(values)) for values in second.values()))
        told.append(sum(len(values) for values in first.values() if len(set(values)) == 1))
        hits = 0
        for record in original:
            values = set(second.get(cell(record, keys), []))
            hits += values == {cell(record, [target])}
        right.append(hits)
    return {
        "k_anonymity": min(map(len, second.values())),
        "l_diversity": min(fewest),
        "uio": 100 * len(unique) / n,
        "rep_u": 100 * len(replicated) / n,
        "disco": 100 * np.mean(right) / n,
        "disco_worst": 100 * max(right) / n,
        "disco_original": 100 * np.mean(told) / n,
    }


@pytest.mark.parametrize("bins", [0, 2, 10, 40])
def test_against_brute_force(bins):
    y, z, x = files()
    found = measure("disclosure", y, z, x, {"bins": bins}, COLUMNS)
    ours, theirs = np.column_stack([y, x]), np.column_stack([z, x])
    assert found == pytest.approx(brute(ours, theirs, [0, 3], [2, 1], bins, {1, 3}))
    assert (found["uio"] > 0) == (bins in (0, 40))


@pytest.mark.parametrize("m", [50, 299, 900])
def test_files_of_different_lengths_against_brute_force(m):
    y, z, _ = files(m, seed=m)
    columns = Attributes((REGION, INCOME, SEX), keys=("region", "income"), targets=("sex",))
    found = measure("disclosure", y, z, y[:, :0], {}, columns)
    assert found == pytest.approx(brute(y, z, [0, 1], [2], 10, {1}))


def test_by_hand():
    """Cells a: one record in both; b: two in the original, one in the release; c: in the original alone."""
    key, told = (
        Attribute("key", "nominal", categories=("a", "b", "c")),
        Attribute("told", "nominal", categories=("0", "1")),
    )
    original = np.array([[0, 1], [1, 0], [1, 1], [2, 0]], dtype=float)
    released = np.array([[0, 1], [1, 1]], dtype=float)
    columns = Attributes((key, told), keys=("key",), targets=("told",))
    found = measure("disclosure", original, released, original[:, :0], {}, columns)
    assert found == {
        "k_anonymity": 1,
        "l_diversity": 1,
        "uio": 50,  # a and c
        "rep_u": 25,  # a
        "disco": 50,  # a, and one of b
        "disco_worst": 50,
        "disco_original": 50,  # a and c
    }


def test_keys_are_the_independents_and_targets_the_dependents_if_none_are_named():
    y, z, x = files()
    silent = Attributes(COLUMNS.dependent, COLUMNS.independent)
    told = Attributes(COLUMNS.dependent, COLUMNS.independent, keys=("age",), targets=("region", "income", "sex"))
    assert measure("disclosure", y, z, x, {}, silent) == measure("disclosure", y, z, x, {}, told)


def test_a_copy_tells_what_the_original_tells():
    y, _, x = files()
    found = measure("disclosure", y, y, x, {}, COLUMNS)
    assert found["disco"] == found["disco_original"]
    assert found["rep_u"] == found["uio"]


@pytest.mark.parametrize(
    ("options", "columns", "message"),
    [
        ({"bins": 1}, COLUMNS, "bins is 1 but must be 0, or 2 or more"),
        ({}, Attributes((REGION, INCOME, SEX), (), targets=("sex",)), "an intruder may know; name them by --key"),
        (
            {},
            Attributes((REGION, INCOME, SEX), keys=("region", "income", "sex")),
            "wants to know; name them by --target",
        ),
    ],
)
def test_bad_input(options, columns, message):
    y, z, x = files()
    with pytest.raises(SdclabError, match=f"measure disclosure: .*{message}"):
        measure("disclosure", y, z, x[:, : len(columns.independent)], options, columns)
