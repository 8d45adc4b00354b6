"""A release of a table, as a program makes it: the table, what was changed, and what its owner must know."""

import numpy as np
import pandas as pd
import pytest
from samples import attributes, with_outlier

from sdclab.base.errors import SdclabError
from sdclab.experiment.file import prepare
from sdclab.experiment.release import SHORT, release
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.roles import Roles

LONG = 2**40


def made(frame, method, parameters, seed=LONG, **options):
    table = Microdata("in.csv", frame)
    prepared = prepare(table, Roles.of(table, **options.pop("roles", {})))
    return release(prepared, method, parameters, seed, **options)


def test_protects_the_dependents_and_leaves_the_rest():
    frame = attributes(60).assign(name="x")
    roles = {"independent": ["age"], "pass_through": ["name"], "dropped": ["savings"]}
    found = made(frame, "mdav", {"k": 3}, roles=roles)
    assert found.protected == ("income", "tax")
    assert found.table.columns == ("income", "tax", "age", "name")
    pd.testing.assert_frame_equal(found.table.frame[["age", "name"]], frame[["age", "name"]])
    values = found.table.frame[["income", "tax"]].to_numpy()
    assert np.unique(values, axis=0, return_counts=True)[1].min() >= 3
    np.testing.assert_allclose(values.mean(axis=0), frame[["income", "tax"]].mean(), atol=0.005)  # of two decimals


def test_the_seed_decides():
    frame = attributes(60)
    first, again, other = (made(frame, "noise", {"p": 0.1}, seed).table.frame for seed in (LONG, LONG, LONG + 1))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)
    fresh = [made(frame, "noise", {"p": 0.1}, None) for _ in range(2)]
    assert fresh[0].seed != fresh[1].seed
    assert not fresh[0].table.frame.equals(fresh[1].table.frame)
    assert str(fresh[0].seed) not in repr(fresh[0])  # it is a secret
    with pytest.raises(SdclabError, match="--seed is -1 but must not be negative"):
        made(frame, "noise", {"p": 0.1}, -1)


def test_an_unchanged_dependent_is_refused_unless_asked_for():
    frame = attributes(60)
    with pytest.raises(SdclabError, match="method rotation: savings, age would be released unchanged"):
        made(frame, "rotation", {"planes": "1-2"})
    found = made(frame, "rotation", {"planes": "1-2"}, allow_unchanged=True)
    assert found.protected == ("income", "tax")
    assert found.warnings == ("savings is released unchanged", "age is released unchanged")


@pytest.mark.parametrize(
    ("frame", "method", "parameters", "seed", "warned"),
    [
        (attributes(60), "noise", {"p": 0.5}, SHORT, []),
        (attributes(60), "noise", {"p": 0.5}, SHORT - 1, ["the seed is below 2^32"]),
        (attributes(60), "mdav", {"k": 3}, 1, []),  # draws nothing
        (with_outlier(), "mdav", {"k": 3}, LONG, ["income: 1 of 1 values that stand out can be read off the release"]),
    ],
)
def test_warnings(frame, method, parameters, seed, warned):
    found = made(frame, method, parameters, seed).warnings
    assert len(found) == len(warned)
    assert all(line.startswith(words) for line, words in zip(found, warned, strict=True))


def test_of_a_control_it_is_said_first_that_it_protects_nobody():
    assert made(attributes(60), "permute", {}).warnings[0].startswith("permute is a control, no protection")
