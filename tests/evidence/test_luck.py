"""The search for a reading, and how much of what it finds is luck."""

import numpy as np
import pytest
from scipy.stats import f_oneway, kstest

from sdclab.evidence.luck import best, cross_validated, distances, effect, halves, p_value, shuffled_bests

ROWS = 14


def planted(rng, readings=200, right=17):
    """Readings that are noise, but for one that the published column follows with a little error."""
    ours = rng.normal(50, 20, (readings, ROWS))
    return ours, ours[right] + rng.normal(0, 1, ROWS)


def test_a_planted_reading_is_found_confirmed_and_not_luck(rng):
    ours, published = planted(rng)
    assert best(ours, published) == 17
    found = cross_validated(ours, published, ["fcrm"] * ROWS)
    assert found.chosen == (17, 17)
    assert found.outside < 2
    assert p_value(ours, published, rng, permutations=200) == pytest.approx(1 / 201)


def test_without_anything_to_find_the_choice_does_not_hold_on_other_rows(rng):
    ours, _ = planted(rng)
    found = cross_validated(ours, rng.normal(50, 20, ROWS), ["fcrm"] * ROWS)
    assert found.outside > 1.5 * found.inside


def test_on_random_targets_the_p_value_is_uniform(rng):
    found = [
        p_value(rng.normal(size=(20, 8)), rng.normal(size=8), rng, permutations=99) - rng.uniform(0, 0.01)
        for _ in range(300)
    ]
    assert kstest(found, "uniform").pvalue > 0.01


def test_shuffling_inside_groups_keeps_what_groups_differ_by(rng):
    """The readings know the level of two methods and nothing else: by chance inside a method, striking across them."""
    groups = ["a"] * 7 + ["b"] * 7
    level = np.repeat([0.0, 100.0], 7)
    ours, published = level + rng.normal(0, 1, (50, ROWS)), level + rng.normal(0, 1, ROWS)
    assert p_value(ours, published, rng, permutations=199) < 0.01
    assert p_value(ours, published, rng, groups, permutations=199) > 0.05


def test_halves_take_every_other_row_of_each_group():
    first, second = halves(["fcrm", "fcrm", "ipso", "fcrm", "ipso"])
    assert (first.tolist(), second.tolist()) == ([0, 2, 3], [1, 4])


def test_a_reading_without_a_number_is_never_the_best():
    ours = np.array([[np.nan, 1.0], [5.0, 5.0]])
    assert best(ours, np.array([1.0, 1.0])) == 1
    assert distances(ours, np.array([1.0, 1.0]))[1] == 4


def test_an_effect_is_that_of_an_analysis_of_variance(rng):
    """eta² = F (g - 1) / (F (g - 1) + n - g)."""
    labels = np.repeat(["raw", "z", "min-max"], 10)
    found = rng.normal(size=30) + (labels == "z")
    f = f_oneway(*(found[labels == each] for each in ("raw", "z", "min-max"))).statistic
    assert effect(list(labels), found) == pytest.approx(2 * f / (2 * f + 27))
    assert effect(["one"] * 30, found) == pytest.approx(0, abs=1e-12)


def test_the_quick_search_over_shuffled_rows_is_the_plain_one(rng):
    ours, published = planted(rng)
    ours[3, 5] = np.nan
    found = shuffled_bests(ours, published, np.random.default_rng(3), permutations=50)
    again = np.random.default_rng(3)
    for each in found:
        shuffled = again.permutation(published)
        assert each == pytest.approx(distances(ours, shuffled)[best(ours, shuffled)], rel=1e-9)


def test_an_order_that_is_the_printed_one_is_as_near_to_the_last_bit():
    """Two rows have two orders: one of them is print, so that even a reading without any error is no rare luck."""
    ours, published = np.array([[1e6 + 0.1, 3.3]]), np.array([1e6 + 0.1, 3.3])
    assert p_value(ours, published, np.random.default_rng(0)) == pytest.approx(0.5, abs=0.1)
