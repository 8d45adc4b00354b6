"""Interval disclosure beyond chance: against all pairs, all orders, and what it must say at both ends."""

from itertools import permutations

import numpy as np
import pytest

from sdclab.measures import measure


def told(original, protected, name="interval", **options):
    return measure(name, original, protected, original[:, :0], options)


@pytest.mark.parametrize("window", ["sd", "rank"])
def test_chance_is_the_mean_over_all_orders(window, rng):
    original, protected = rng.integers(0, 12, (2, 6, 2)).astype(float)
    orders = [told(original, protected[list(order)], window=window)["interval"] for order in permutations(range(6))]
    assert told(original, protected, window=window)["interval_chance"] == pytest.approx(np.mean(orders))


def test_chance_counts_all_pairs(rng):
    """300 records with a spike at zero."""
    original = np.where(rng.random((300, 3)) < 0.6, 0.0, rng.lognormal(3, 1, (300, 3)))
    protected = rng.permutation(original) + np.where(rng.random((300, 3)) < 0.3, rng.normal(0, 5, (300, 3)), 0.0)
    apart = np.abs(original[:, None] - protected[None]) / original.std(axis=0)
    expected = 100 * np.mean([apart <= percent / 100 * (1 + 1e-9) for percent in range(1, 11)])
    assert told(original, protected)["interval_chance"] == pytest.approx(expected)


def test_chance_does_not_hang_on_the_order(rng):
    original, protected = rng.standard_normal((2, 200, 2))
    chances = [told(original, each)["interval_chance"] for each in (protected, protected[::-1])]
    assert chances[0] == pytest.approx(chances[1], rel=1e-12)


class TestExcess:
    def test_of_a_spike_that_everybody_shares_there_is_little(self, rng):
        """90 % zeros released as zeros, anywhere: DR is mostly chance, and its excess is not."""
        original = np.where(rng.random((400, 3)) < 0.9, 0.0, rng.lognormal(3, 1, (400, 3)))
        found = told(original, rng.permutation(original), "dr")
        assert found["interval"] > 75
        assert found["dr"] - found["dr_excess"] > 35
        assert found["dr_excess"] < 10

    def test_of_a_file_that_was_not_changed_there_is_all(self, rng):
        original = rng.standard_normal((100, 2))
        found = told(original, original, "dr")
        linkage = 0.25 * (found["dbrl"] + found["prl"])
        assert found["dr_excess"] == pytest.approx(linkage + 50)
        assert found["dr_excess"] == pytest.approx(found["dr"])

    def test_is_never_below_the_linkage(self, rng):
        """Released at the other end: farther than chance."""
        original = np.repeat([0.0, 1.0], 50)[:, None]
        found = told(original, 1 - original, "dr")
        assert found["interval"] == 0 < found["interval_chance"]
        assert found["dr_excess"] == pytest.approx(0.25 * (found["dbrl"] + found["prl"]))

    def test_by_hand(self, rng):
        original, protected = rng.standard_normal((2, 50, 2))
        found = told(original, original + 0.02 * protected, "dr")
        part = 100 * (found["interval"] - found["interval_chance"]) / (100 - found["interval_chance"])
        assert found["dr_excess"] == pytest.approx(0.25 * (found["dbrl"] + found["prl"]) + 0.5 * part)

    def test_of_a_constant_there_is_none(self):
        constant = np.column_stack([np.full(20, 3.0)])
        assert told(constant, constant, "dr")["dr_excess"] <= 50
