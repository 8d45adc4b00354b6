"""Gaps are filled with values of their own column, near to what the others say."""

import numpy as np

from sdclab.experiment.gaps import filled, pattern
from sdclab.microdata.attribute import Attribute

X, Y = Attribute("x"), Attribute("y")
REGION = Attribute("region", "nominal", categories=("a", "b", "c"))


def records(rng, n=400):
    region = rng.integers(0, 3, n).astype(float)
    x = rng.normal(10 * region, 1)
    return np.column_stack([x, 2 * x + rng.normal(0, 0.1, n), region])


def test_what_is_there_stays_and_what_is_filled_in_is_a_value_of_the_column(rng):
    whole = records(rng)
    values = whole.copy()
    values[rng.random(values.shape) < 0.2] = np.nan
    made = filled(values, (X, Y, REGION))
    there = ~np.isnan(values)
    np.testing.assert_array_equal(made[there], values[there])
    for column, original in zip(made.T, values.T, strict=True):
        assert set(column) <= set(original[~np.isnan(original)])


def test_a_gap_is_filled_with_what_the_others_say(rng):
    whole = records(rng)
    values = whole.copy()
    gone = rng.random(len(values)) < 0.2
    values[gone, 1] = np.nan
    made = filled(values, (X, Y, REGION))
    assert np.abs(made[gone, 1] - whole[gone, 1]).max() < 2  # its SD is 16
    values = whole.copy()
    values[gone, 2] = np.nan
    made = filled(values, (X, Y, REGION))
    assert np.mean(made[gone, 2] == whole[gone, 2]) > 0.95


def test_it_is_the_same_every_time(rng):
    values = records(rng)
    values[::7, 0] = np.nan
    np.testing.assert_array_equal(filled(values, (X, Y, REGION)), filled(values.copy(order="F"), (X, Y, REGION)))


def test_columns_that_say_the_same_do_no_harm(rng):
    x = rng.random(50)
    values = np.column_stack([x, x, 3 * x])
    values[:5, 1] = np.nan
    assert np.isfinite(filled(values, (X, Y, Attribute("z")))).all()


def test_the_pattern_is_an_attribute_if_it_varies():
    gaps = np.array([[False, False], [False, True], [False, False], [True, True]])
    codes, attribute = pattern(gaps)
    assert [attribute.categories[int(code)] for code in codes] == ["..", ".x", "..", "xx"]
    assert pattern(np.array([[False, True], [False, True]])) is None
