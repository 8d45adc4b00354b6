"""Rank swapping: what it keeps, whom it lets change places, and how often."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from sdclab.base.errors import SdclabError
from sdclab.methods import release
from sdclab.methods.swap import partners
from sdclab.microdata.attribute import Attribute, Attributes


def swapped(records: np.ndarray, p: float = 5.0, seed: int = 0) -> np.ndarray:
    return release("swap", records, records[:, :0], np.random.default_rng(seed), {"p": p}).values


class TestPartners:
    @given(n=st.integers(1, 80), reach=st.integers(1, 90), seed=st.integers(0, 2**32))
    def test_each_rank_changes_places_once_at_most_and_not_too_far(self, n, reach, seed):
        found = partners(n, reach, np.random.default_rng(seed))
        assert (found[found] == np.arange(n)).all()
        assert np.abs(found - np.arange(n)).max() <= reach

    @given(n=st.integers(2, 80), reach=st.integers(1, 90), seed=st.integers(0, 2**32))
    def test_who_stays_has_nobody_left(self, n, reach, seed):
        stay = np.flatnonzero(partners(n, reach, np.random.default_rng(seed)) == np.arange(n))
        assert all(b - a > reach for a, b in pairwise(stay))

    @pytest.mark.parametrize(("n", "reach"), [(5, 2), (6, 3), (4, 10)])
    def test_all_free_ranks_of_the_window_are_equally_likely(self, n, reach):
        """All ways to change places with their probabilities, by going through the definition."""

        def ways(free: tuple[int, ...], done: tuple[tuple[int, int], ...], odds: float) -> Counter:
            if not free:
                return Counter({done: odds})
            low, *rest = free
            near = [other for other in rest if other - low <= reach]
            if not near:
                return ways(tuple(rest), done, odds)
            found: Counter = Counter()
            for other in near:
                found += ways(tuple(r for r in rest if r != other), (*done, (low, other)), odds / len(near))
            return found

        expected, draws = ways(tuple(range(n)), (), 1.0), 6000
        rng = np.random.default_rng(5)
        seen = Counter(tuple((i, int(j)) for i, j in enumerate(partners(n, reach, rng)) if i < j) for _ in range(draws))
        assert set(seen) <= set(expected)
        for way, odds in expected.items():
            assert abs(seen[way] / draws - odds) < 5 * np.sqrt(odds * (1 - odds) / draws), way


class TestRelease:
    @given(seed=st.integers(0, 2**32), p=st.floats(0.1, 100), whole=st.booleans())
    def test_every_margin_is_kept_exactly(self, seed, p, whole):
        records = np.random.default_rng(seed).normal(0, 3, (37, 3))
        records = np.round(records) if whole else records
        assert (np.sort(swapped(records, p), axis=0) == np.sort(records, axis=0)).all()

    @given(seed=st.integers(0, 2**32), p=st.floats(1, 100))
    def test_no_rank_moves_farther_than_p_per_cent(self, seed, p):
        records = np.random.default_rng(seed).permutation(200).astype(float)[:, None]
        assert np.abs(swapped(records, p) - records).max() <= max(1, 2 * p + 1e-6)

    def test_nearly_all_values_move_and_attributes_by_themselves(self, rng):
        records = np.repeat(rng.standard_normal((500, 1)), 2, axis=1)
        made = release("swap", records, records[:, :0], np.random.default_rng(0), {"p": 10})
        assert made.facts["kept"] == pytest.approx(100 * np.mean(made.values == records))
        assert made.facts["kept"] < 2
        assert (made.values[:, 0] != made.values[:, 1]).mean() > 0.9

    def test_ranks_stay_the_nearer_the_smaller_the_window(self, rng):
        records = rng.exponential(1, (1000, 1))
        near = [spearmanr(records[:, 0], swapped(records, p)[:, 0]).statistic for p in (1, 10, 50, 100)]
        assert near[0] > 0.999
        assert near == sorted(near, reverse=True)

    def test_ordered_categories_are_swapped_and_others_refused(self, rng):
        codes = rng.integers(0, 3, (60, 1)).astype(float)
        of = {
            type: Attributes((Attribute("size", type, categories=("s", "m", "l")),)) for type in ("ordinal", "nominal")
        }
        made = release("swap", codes, codes[:, :0], rng, {"p": 50}, of["ordinal"]).values
        assert (np.bincount(made[:, 0].astype(int)) == np.bincount(codes[:, 0].astype(int))).all()
        with pytest.raises(SdclabError, match="method swap: takes continuous, count and ordinal attributes"):
            release("swap", codes, codes[:, :0], rng, {}, of["nominal"])

    @pytest.mark.parametrize("p", [0, -1, 101])
    def test_a_window_must_be_one(self, p, rng):
        with pytest.raises(SdclabError, match=r"method swap: p is .* but must be above 0 and at most 100"):
            swapped(rng.standard_normal((9, 1)), p)

    def test_one_record_has_nobody_to_swap_with(self):
        with pytest.raises(SdclabError, match="two are needed"):
            swapped(np.ones((1, 2)))
