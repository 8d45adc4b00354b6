"""ROC curves: by counting pairs, and against simulation."""

import numpy as np
import pytest

from sdclab.numerics.roc import area, found_at, split_scores


def test_the_area_counts_pairs(rng):
    inside, outside = rng.integers(0, 9, 40) * 1.0, rng.integers(0, 8, 70) * 1.0
    pairs = np.mean([(a > b) + (a == b) / 2 for a in inside for b in outside])
    assert area(inside, outside)[0] == pytest.approx(pairs)
    assert area(outside, inside)[0] == pytest.approx(1 - pairs)
    assert area(inside, inside)[0] == pytest.approx(0.5)


def test_its_standard_error_is_the_spread_over_samples():
    """Shifted normals, 3,000 times: the mean standard error is within 5 % of the SD of the areas."""
    rng = np.random.default_rng(1)
    found = np.array([area(rng.normal(0.7, 1, 80), rng.normal(0, 1, 60)) for _ in range(3000)])
    assert found[:, 1].mean() == pytest.approx(found[:, 0].std(), rel=0.05)


@pytest.mark.parametrize(("alarms", "share"), [(0, 0.2), (0.01, 0.2), (0.1, 0.4), (0.5, 0.8), (1, 0.8)])
def test_what_is_found_at_false_alarms(alarms, share):
    """Ten outside with scores 0 to 9; above 9 is one of five inside, above 8 two, above 4 four."""
    assert found_at(np.array([0.0, 4.5, 6, 8.5, 9.5]), np.arange(10.0), alarms) == share


def test_scores_that_differ_by_rounding_are_equal():
    inside, outside = split_scores(np.array([0.1 + 0.2]), np.array([0.3]))
    assert inside == outside
