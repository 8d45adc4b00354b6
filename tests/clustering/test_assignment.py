"""Assigning the clusters of one file to those of another: against trying everything, with ties everywhere."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdclab.clustering.assignment import one_to_one, paired


def totals(costs, columns):
    return tuple(float(cost[np.arange(len(cost)), list(columns)].sum()) for cost in costs)


def nudged(cost, rng):
    """Every number one step up or down."""
    return np.nextafter(cost, np.where(rng.random(cost.shape) < 0.5, np.inf, -np.inf))


@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(1, 3))
def test_one_to_one_is_the_first_of_all_permutations_by_total_after_total(seed, c, largest):
    """Costs are few whole numbers, so that many totals tie; in tenths they tie on paper alone."""
    rng = np.random.default_rng(seed)
    costs = [rng.integers(0, largest + 1, (c, c)).astype(float) for _ in range(3)]
    best = min(totals(costs, each) for each in permutations(range(c)))
    for given_costs in (costs, [nudged(cost * 0.1, rng) for cost in costs]):
        columns = one_to_one(*given_costs)
        assert sorted(columns) == list(range(c))
        assert totals(costs, columns) == best


@given(st.integers(0, 2**32), st.integers(1, 6))
def test_one_to_one_of_points_is_the_least_of_all_permutations(seed, c):
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((2, c, 2))
    gaps = np.linalg.norm(a[:, None] - b[None], axis=2)
    least = min(totals([gaps], each)[0] for each in permutations(range(c)))
    assert totals([gaps], one_to_one(gaps))[0] == pytest.approx(least, rel=1e-9)


@given(st.integers(0, 2**32), st.integers(1, 12))
def test_many_clusters_on_a_line_go_over_in_their_order(seed, c):
    """On a line many assignments have the least total; the least squares are those of the order."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 9, (2, c)) * 0.1
    gaps = np.abs(a[:, None] - b)
    apart, _ = paired(gaps, np.ones((c, c)), "one_to_one")
    np.testing.assert_allclose(np.sort(apart), np.sort(np.abs(np.sort(a) - np.sort(b))), atol=1e-12)


class TestByHand:
    gaps = np.array([[1.0, 2.0, 9.0], [2.0, 4.0, 9.0], [9.0, 3.0, 5.0]])
    unlike = np.array([[10.0, 20.0, 30.0], [40.0, 50.0, 60.0], [70.0, 80.0, 90.0]])

    @pytest.mark.parametrize(
        ("assignment", "apart", "differ"),
        [
            ("original", [1, 2, 3], [10, 40, 80]),  # both of the first go to the first
            ("protected", [1, 2, 5], [10, 20, 90]),
            ("one_to_one", [2, 2, 5], [20, 40, 90]),  # 9, where 1 + 4 + 5 and 1 + 9 + 3 are more
        ],
    )
    def test_pairs(self, assignment, apart, differ):
        found = paired(self.gaps, self.unlike, assignment)
        assert [list(each) for each in found] == [apart, differ]

    def test_equal_totals_are_decided_by_likeness_then_by_squares(self):
        gaps = np.array([[0.1, 0.3], [0.0, 0.1 + 0.2 - 0.1]])  # on a line: 0.1 + 0.2 against 0.3 + 0
        for unlike, expected in (
            (np.array([[5.0, 1.0], [1.0, 5.0]]), [0.3, 0.0]),
            (np.array([[1.0, 5.0], [5.0, 1.0]]), [0.1, 0.2]),
            (np.ones((2, 2)), [0.1, 0.2]),
        ):
            for rng in map(np.random.default_rng, range(8)):
                apart, _ = paired(np.abs(nudged(gaps, rng)), nudged(unlike, rng), "one_to_one")
                np.testing.assert_allclose(apart, expected, atol=1e-12)
