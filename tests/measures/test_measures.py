"""Measures against closed forms, independent implementations, and files made to be caught."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, gaussian_kde, norm, rankdata
from sklearn.neighbors import NearestNeighbors

from sdclab.base.errors import SdclabError
from sdclab.measures import MEASURES, Control, measure
from sdclab.measures.copy import crowding
from sdclab.measures.prl import matching_weights
from sdclab.methods import protect


def evaluate(name, original, protected, independent=None, **options):
    beside = np.empty((len(original), 0)) if independent is None else independent
    return measure(name, original, protected, beside, options)


UNITS = [(1.0, 0.0), (0.1, 0.0), (0.1, 0.7), (1 / 3, -5.0), (1e5, 1e7), (1e-7, 0.0)]
"""Units and zeros in which what is equal on paper is rounded in many ways."""


@pytest.fixture
def pair(rng):
    """A file and a noisy copy, correlated and skewed."""
    original = np.exp(rng.normal(0, [0.3, 0.5, 0.7, 0.4], (300, 4))) @ rng.random((4, 4)) * [1, 10, 100, 1e4]
    return original, original + 0.3 * original.std(axis=0) * rng.standard_normal(original.shape)


def pil_by_hand(x, y):
    """PIL as CALIBRATION states it, pair by pair and in its own symbols."""
    n, p = x.shape

    def mu(data, *powers):
        centred = data - data.mean(axis=0)
        return np.prod([centred[:, i] ** k for i, k in enumerate(powers)], axis=0).mean()

    def loss(z):
        return 2 * norm.cdf(abs(z)) - 1

    parts = {"mean": [], "variance": [], "covariance": [], "correlation": [], "quantiles": []}
    for j in range(p):
        a, b = x[:, [j]], y[:, [j]]
        parts["mean"].append(loss((b.mean() - a.mean()) / np.sqrt(mu(a, 2) / n)))
        parts["variance"].append(loss((mu(b, 2) - mu(a, 2)) / np.sqrt((mu(a, 4) - mu(a, 2) ** 2) / n)))
        density = gaussian_kde(a.ravel())
        for q in np.arange(0.05, 0.96, 0.05):
            before, after = np.quantile(a, q), np.quantile(b, q)
            parts["quantiles"].append(loss((after - before) * density(before)[0] / np.sqrt(q * (1 - q) / n)))
    for i, j in combinations(range(p), 2):
        a, b = x[:, [i, j]], y[:, [i, j]]
        z = (mu(b, 1, 1) - mu(a, 1, 1)) / np.sqrt((mu(a, 2, 2) - mu(a, 1, 1) ** 2) / n)
        parts["covariance"].append(loss(z))
        r, s = (mu(c, 1, 1) / np.sqrt(mu(c, 2, 0) * mu(c, 0, 2)) for c in (a, b))
        v = (r**2 / n) * (
            mu(a, 2, 2) / mu(a, 1, 1) ** 2
            + (
                mu(a, 4, 0) / mu(a, 2, 0) ** 2
                + mu(a, 0, 4) / mu(a, 0, 2) ** 2
                + 2 * mu(a, 2, 2) / (mu(a, 2, 0) * mu(a, 0, 2))
            )
            / 4
            - mu(a, 3, 1) / (mu(a, 1, 1) * mu(a, 2, 0))
            - mu(a, 1, 3) / (mu(a, 1, 1) * mu(a, 0, 2))
        )
        parts["correlation"].append(loss((s - r) / np.sqrt(v)))
    return {f"pil_{name}": 100 * np.mean(values) for name, values in parts.items()}


class TestPil:
    def test_equals_its_definition_written_out(self, pair):
        ours, theirs = evaluate("pil", *pair), pil_by_hand(*pair)
        assert ours.pop("pil") == pytest.approx(np.mean(list(theirs.values())), rel=1e-9)
        assert ours == pytest.approx(theirs, rel=1e-9)

    def test_of_a_copy_is_zero(self, pair):
        assert set(evaluate("pil", pair[0], pair[0]).values()) == {0.0}

    def test_of_a_shift_by_one_standard_error_is_68_per_cent_of_the_mean_part(self, pair):
        original, _ = pair
        shifted = original + original.std(axis=0) / np.sqrt(len(original))
        parts = evaluate("pil", original, shifted)
        assert parts["pil_mean"] == pytest.approx(100 * (2 * norm.cdf(1) - 1))
        assert parts["pil_variance"] == pytest.approx(0, abs=1e-6)
        assert parts["pil_correlation"] == pytest.approx(0, abs=1e-6)

    @settings(max_examples=30)
    @given(st.integers(0, 2**32), st.integers(1, 4))
    def test_does_not_depend_on_units(self, seed, p):
        rng = np.random.default_rng(seed)
        original, protected = rng.standard_normal((2, 40, p))
        scale, shift = 10.0 ** rng.integers(-4, 5, p), rng.normal(0, 3, p)
        first = evaluate("pil", original, protected)["pil"]
        assert evaluate("pil", original * scale + shift, protected * scale + shift)["pil"] == pytest.approx(first)

    def test_of_one_attribute_has_no_pairs(self, pair):
        original, protected = (x[:, :1] for x in pair)
        parts = evaluate("pil", original, protected)
        assert np.isnan(parts["pil_covariance"])
        assert np.isnan(parts["pil_correlation"])
        three = [parts[f"pil_{name}"] for name in ("mean", "variance", "quantiles")]
        assert parts["pil"] == pytest.approx(np.mean(three))

    def test_of_a_constant_release_is_finite(self, pair):
        original, _ = pair
        constant = np.tile(original.mean(axis=0), (len(original), 1))
        parts = evaluate("pil", original, constant)
        assert np.isfinite(list(parts.values())).all()
        assert parts["pil_mean"] == pytest.approx(0, abs=1e-6)
        assert parts["pil_variance"] > 99
        # its correlations are 0, so the part is that of r' = 0 and not of r' = 1
        assert parts["pil_correlation"] == pytest.approx(evaluate("pil", original, 0 * original)["pil_correlation"])

    @pytest.mark.parametrize("n", [100, 1000])
    def test_one_changed_record_of_an_attribute_that_half_have_is_no_loss(self, n):
        """Its variance has a standard error of 0 to first order; the exact one, over all samples, is not 0."""
        original = np.repeat([[0.0], [1.0]], n // 2, axis=0)
        counts = np.arange(n + 1)
        exact = np.sqrt(binom.pmf(counts, n, 0.5) @ (counts / n * (1 - counts / n) - 0.25) ** 2)
        for flipped in (1, n // 10):
            protected = original.copy()
            protected[:flipped] = 1
            share = 0.5 + flipped / n
            parts = evaluate("pil", np.column_stack([original] * 2), np.column_stack([protected] * 2))
            z = (0.25 - share * (1 - share)) / exact
            for part in ("pil_variance", "pil_covariance"):
                assert parts[part] == pytest.approx(100 * (2 * norm.cdf(z) - 1), rel=0.3)

    def test_an_exact_linear_relation_that_is_kept_loses_nothing(self, rng):
        x = rng.standard_normal((200, 2))
        y = x[:, [1, 0]]
        original, protected = (np.column_stack([a, 2 * a[:, 0]]) for a in (x, y))
        assert evaluate("pil", original, original[::-1])["pil_correlation"] == 0
        assert np.isfinite(evaluate("pil", original, protected)["pil"])


class TestDbrl:
    @pytest.mark.parametrize("direction", ["original", "protected"])
    def test_equals_brute_force_nearest_neighbours(self, pair, direction):
        a, b = ((x - x.mean(axis=0)) / x.std(axis=0) for x in pair)
        known, released = (a, b) if direction == "original" else (b, a)
        shares = []
        for k in range(1, 5):
            finder = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(released[:, :k])
            nearest = finder.kneighbors(known[:, :k], return_distance=False).ravel()
            shares.append(100 * np.mean(nearest == np.arange(len(a))))
        assert evaluate("dbrl", *pair, direction=direction)["dbrl"] == pytest.approx(np.mean(shares))
        assert evaluate("dbrl", *pair, direction=direction, attributes="all")["dbrl"] == pytest.approx(shares[-1])

    def test_a_tie_of_t_counts_one_over_t(self):
        original = np.array([[0.0], [0.0], [1.0], [2.0], [2.0], [2.0]])
        expected = 100 * (2 * 1 / 2 + 1 + 3 * 1 / 3) / 6
        assert evaluate("dbrl", original, original)["dbrl"] == pytest.approx(expected)

    def test_equidistant_candidates_share_the_credit(self):
        original = np.array([[0.0], [10.0], [20.0]])
        protected = np.array([[-1.0], [1.0], [20.0]])  # to the first original, two are equally near
        credit = evaluate("dbrl", original, protected, scale="original")["dbrl"]
        assert credit == pytest.approx(100 * (1 / 2 + 1 + 1) / 3)

    def test_the_scale_matters_when_a_file_was_shrunk(self, pair):
        original, _ = pair
        assert evaluate("dbrl", original, original / 2, scale="own")["dbrl"] == pytest.approx(100)
        assert evaluate("dbrl", original, original / 2, scale="original")["dbrl"] < 50


def naive_em(agrees, n):
    p = agrees.shape[1]
    share, m, u = 1 / n, np.full(p, 0.9), np.clip(agrees.mean(axis=0), 1e-6, 1 - 1e-6)
    for _ in range(1000):
        likely = share * np.prod(np.where(agrees, m, 1 - m), axis=1)
        other = (1 - share) * np.prod(np.where(agrees, u, 1 - u), axis=1)
        g = likely / (likely + other)
        last = m
        m = np.clip(g @ agrees / g.sum(), 1e-6, 1 - 1e-6)
        u = np.clip((1 - g) @ agrees / (1 - g).sum(), 1e-6, 1 - 1e-6)
        share = min(max(g.mean(), 1 / n**2), 1 / n)
        if np.abs(m - last).max() < 1e-6:
            break
    return m, u


def naive_prl(original, protected, bins, probabilities):
    """Fellegi-Sunter on all pairs, one row each, without any grouping."""
    n, p = original.shape

    def binned(x):
        low, high = x.min(axis=0), x.max(axis=0)
        return np.minimum(((x - low) / (high - low) * bins).astype(int), bins - 1)

    a, b = binned(original), binned(protected)
    agrees = (a[:, None, :] == b[None, :, :]).reshape(n * n, p).astype(float)
    mates = np.eye(n, dtype=bool).ravel()
    m, u = naive_em(agrees, n) if probabilities == "em" else (agrees[mates].mean(axis=0), agrees[~mates].mean(axis=0))
    weight = np.log(np.where(agrees, m / u, (1 - m) / (1 - u))).sum(axis=1).reshape(n, n)
    best = weight.max(axis=1, keepdims=True)
    tied = np.isclose(weight, best, rtol=1e-9, atol=1e-9)
    return 100 * np.mean(np.diag(tied) / tied.sum(axis=1))


class TestPrl:
    @pytest.mark.parametrize("probabilities", ["counted", "em"])
    @pytest.mark.parametrize("bins", [4, 10])
    def test_equals_fellegi_sunter_on_all_pairs(self, pair, bins, probabilities):
        original, protected = (x[:120] for x in pair)
        ours = evaluate("prl", original, protected, bins=bins, probabilities=probabilities)["prl"]
        assert ours == pytest.approx(naive_prl(original, protected, bins, probabilities), abs=1e-9)
        assert ours > 100 / 120  # it links better than chance

    def test_of_a_copy_links_all_that_bins_can_tell_apart(self, rng):
        original = rng.random((200, 6))
        assert evaluate("prl", original, original)["prl"] > 95

    def test_of_unrelated_files_is_chance(self, rng):
        shares = [evaluate("prl", *rng.standard_normal((2, 200, 5)))["prl"] for _ in range(20)]
        assert np.mean(shares) == pytest.approx(0.5, abs=0.35)

    def test_links_as_many_as_the_best_weights_can_where_em_goes_astray(self, rng):
        """Attributes with many values in one bin: EM takes those pairs for mates. Truth: the best of many weights."""
        original = np.exp(rng.standard_normal((150, 6)))
        noise = np.array([0, 0, 0.01, 0.05, 0.2, 0.5]) * original.std(axis=0)
        protected = original + noise * rng.standard_normal(original.shape)
        a, b = (np.minimum((x - x.min(axis=0)) / np.ptp(x, axis=0) * 10, 9).astype(int) for x in (original, protected))
        agrees, best = (a[:, None] == b[None]).astype(float), 0.0
        for weights in rng.random((300, 6)):
            score = agrees @ weights
            tied = score >= score.max(axis=1, keepdims=True) - 1e-9
            best = max(best, 100 * np.mean(np.diag(tied) / tied.sum(axis=1)))
        counted, em = (evaluate("prl", original, protected, probabilities=p)["prl"] for p in ("counted", "em"))
        assert counted > 0.9 * best
        assert em < 0.7 * best

    def test_em_recovers_known_agreement_probabilities(self, rng):
        """EM on a tally drawn from known m and u finds the order of the weights."""
        n, p = 400, 4
        m, u = np.array([0.95, 0.9, 0.8, 0.6]), np.array([0.05, 0.1, 0.2, 0.3])
        bits = np.arange(2**p)[:, None] >> np.arange(p) & 1
        chance = [np.prod(np.where(bits, q, 1 - q), axis=1) for q in (m, u)]
        tally = np.round(n * chance[0] + (n * n - n) * chance[1])
        expected = np.log(chance[0] / chance[1])
        assert np.corrcoef(matching_weights(tally, n), expected)[0, 1] > 0.95

    def test_patterns_of_equal_weight_on_paper_have_equal_weight(self, rng):
        """Attributes that are alike: only the number of agreements counts, and it decides ties."""
        p = 6
        agreements = np.array([code.bit_count() for code in range(2**p)])
        tally = 1000.0 * rng.permutation(np.arange(1, p + 2))[agreements] + agreements**5
        weights = matching_weights(tally, 300)
        assert len(set(weights)) == p + 1

    @pytest.mark.parametrize(("unit", "zero"), UNITS)
    def test_a_value_on_the_border_of_two_bins_is_in_the_upper_one(self, rng, unit, zero):
        whole = np.vstack([np.zeros(3), np.full(3, 10), rng.integers(0, 11, (200, 3))]).astype(float)
        moved = np.clip(whole + rng.integers(-1, 2, whole.shape), 0, 10)
        moved[:2] = whole[:2]
        expected = evaluate("prl", whole, moved)["prl"]
        assert evaluate("prl", zero + unit * whole, zero + unit * moved)["prl"] == pytest.approx(expected, rel=1e-6)

    def test_a_constant_release_links_nobody_better_than_chance(self, pair):
        original, _ = pair
        constant = np.tile(original.mean(axis=0), (len(original), 1))
        assert evaluate("prl", original, constant)["prl"] == pytest.approx(100 / len(original))

    def test_of_a_sample_estimates_that_of_all(self, rng):
        original = rng.standard_normal((1000, 5))
        protected = original + 0.1 * rng.standard_normal(original.shape)
        every, some = (evaluate("prl", original, protected, sample=n)["prl"] / 100 for n in (1000, 300))
        assert every == evaluate("prl", original, protected)["prl"] / 100
        assert 0.05 < every < 0.95
        assert some != every
        assert abs(some - every) < 4 * np.sqrt(every * (1 - every) / 300)

    def test_bad_options_are_refused(self, pair, rng):
        with pytest.raises(SdclabError, match="bins is 1 but must be at least 2"):
            evaluate("prl", *pair, bins=1)
        with pytest.raises(SdclabError, match="sample is 0 but must lie between 1 and the number of records"):
            evaluate("prl", *pair, sample=0)
        wide = rng.random((30, 21))
        with pytest.raises(SdclabError, match="21 attributes, but at most 20"):
            evaluate("prl", wide, wide)


class TestInterval:
    def test_closed_form(self):
        original = np.array([[-1.0], [1.0]])  # SD 1
        protected = np.array([[-0.955], [1.5]])  # inside from 5 % on; never
        assert evaluate("interval", original, protected)["interval"] == pytest.approx(100 * 6 / 10 / 2)

    @pytest.mark.parametrize(("unit", "zero"), UNITS)
    def test_a_gap_equal_to_the_limit_is_within(self, unit, zero):
        """Records p % of an SD away, for each p = 1..10: within from p on, whatever the units round to."""
        original = np.tile([[-1.0], [1.0]], (10, 1))
        moved = original + np.repeat(np.arange(1, 11), 2)[:, None] / 100
        assert evaluate("interval", zero + unit * original, zero + unit * moved)["interval"] == pytest.approx(55)

    @pytest.mark.parametrize("window", ["sd", "rank"])
    def test_of_an_identical_release_is_100_also_with_a_constant(self, pair, window):
        """A constant that is released as it is is disclosed; one that is changed is not."""
        original = np.column_stack([pair[0], np.full(300, 0.1)])
        assert evaluate("interval", original, original, window=window)["interval"] == 100
        changed = original + np.array([0, 0, 0, 0, 0.01])
        assert evaluate("interval", original, changed, window=window)["interval"] == pytest.approx(80)

    def test_rank_window_takes_a_value_for_equal_up_to_rounding(self):
        """0.1 + 0.2 is 0.3 on paper, and so in the middle of the ten values of 0.3."""
        original = np.repeat([[0.3], [5.0], [9.0]], 10, axis=0)
        protected = np.where(original == 0.3, 0.1 + 0.2, original)
        assert evaluate("interval", original, protected, window="rank")["interval"] == 100

    def test_rank_window_equals_ranks_by_scipy(self, pair):
        original, protected = pair
        n = len(original)
        hits = []
        for before, after in zip(original.T, protected.T, strict=True):
            own = rankdata(before)
            # rank of one released value put among the originals, ties at the middle
            moved = [rankdata(np.append(before, value))[-1] - 0.5 for value in after]
            moved = np.array(
                [rank + 0.5 if value in before else rank for rank, value in zip(moved, after, strict=True)]
            )
            hits.append([np.mean(np.abs(own - moved) <= p / 100 * n) for p in range(1, 11)])
        ours = evaluate("interval", original, protected, window="rank")["interval"]
        assert ours == pytest.approx(100 * np.mean(hits), abs=0.2)


class TestCopyAndXy:
    def test_copy_equals_brute_force(self, pair):
        original, _ = pair
        protected = original + 0.05 * original.std(axis=0) * np.linspace(-1, 1, len(original))[:, None]
        gap = np.abs(original[:, None] - protected[None]) / original.std(axis=0)
        nearest = gap.max(axis=2).min(axis=1)  # of the first and the last record 0.05 on paper
        shares = [100 * np.mean(nearest < p / 100 + 1e-9) for p in range(1, 11)]
        ours = evaluate("copy", original, protected)
        assert ours["copy"] == pytest.approx(np.mean(shares))
        assert (ours["copy_1"], ours["copy_10"]) == pytest.approx((shares[0], shares[-1]))

    @pytest.mark.parametrize("p", range(1, 11))
    @pytest.mark.parametrize(("unit", "zero"), UNITS)
    def test_a_copy_at_the_very_limit_is_within_it(self, p, unit, zero):
        """Two records two SDs apart, released p % of an SD away: copies for the limits p, p + 1, ..., 10 alone."""
        original = np.array([[-1.0], [1.0]])
        copied = evaluate("copy", zero + unit * original, zero + unit * (original + p / 100))
        assert copied["copy"] == pytest.approx(10 * (11 - p))

    def test_near_a_constant_is_only_what_is_equal_to_it(self, pair):
        original = np.column_stack([pair[0], np.full(300, 0.1), np.zeros(300)])
        for moved, copied in (([0, 0], 100), ([2e-17, 0], 100), ([1e-6, 0], 0), ([0, 1e-6], 0)):
            released = original + np.array([0, 0, 0, 0, *moved])
            assert evaluate("copy", original, released)["copy"] == copied
        assert crowding(original) == pytest.approx(crowding(pair[0]))

    def test_xy_is_the_covariance_part_of_pil_across_the_two_groups(self, pair, rng):
        original, protected = pair
        beside = original @ rng.random((4, 2)) + rng.standard_normal((300, 2))
        losses = []
        for i in range(4):
            for j in range(2):
                before = np.column_stack([original[:, i], beside[:, j]])
                after = np.column_stack([protected[:, i], beside[:, j]])
                losses.append(pil_by_hand(before, after)["pil_covariance"])
        assert evaluate("xy", original, protected, beside)["xy"] == pytest.approx(np.mean(losses))

    def test_xy_without_independents_is_missing(self, pair):
        assert np.isnan(evaluate("xy", *pair)["xy"])

    def test_the_permutation_that_fools_pil_and_dr_is_exposed(self, split, rng):
        y, x = split
        permuted = protect("permute", y, x, rng, {})
        fooled = evaluate("score", y, permuted, x)
        assert fooled["pil"] == 0
        assert fooled["dr"] < 5
        assert evaluate("copy", y, permuted, x)["copy_1"] == 100
        assert evaluate("xy", y, permuted, x)["xy"] > 80

    def test_an_honest_synthetic_file_is_not(self, split, rng):
        y, x = split
        synthetic = protect("ipso_c", y, x, rng, {})
        assert evaluate("copy", y, synthetic, x)["copy"] < 25
        assert evaluate("xy", y, synthetic, x)["xy"] < 1e-6


def test_score_and_dr_are_the_stated_means(pair):
    values = evaluate("score", *pair)
    assert values["dr"] == pytest.approx(0.25 * values["dbrl"] + 0.25 * values["prl"] + 0.5 * values["interval"])
    assert values["score"] == pytest.approx(0.5 * values["pil"] + 0.5 * values["dr"])


def test_options_reach_the_components(pair):
    plain = evaluate("score", *pair)
    other = evaluate("score", *pair, dr={"interval": {"window": "rank"}, "prl": {"bins": 5}})
    assert plain["interval"] != other["interval"]
    assert plain["prl"] != other["prl"]
    assert plain["dbrl"] == other["dbrl"]
    with pytest.raises(SdclabError, match=r"measure interval: window is 'x' but must be one of sd, rank"):
        evaluate("score", *pair, dr={"interval": {"window": "x"}})


@pytest.mark.slow
@pytest.mark.parametrize("name", list(MEASURES))
def test_twenty_thousand_records_need_no_square_of_memory(name):
    """A matrix of all pairs would take 400 MB as bytes and 3.2 GB as numbers."""
    rng = np.random.default_rng(0)
    original = np.round(rng.lognormal(0, 1, (20_000, 3)), 2)
    protected = original + 0.1 * rng.standard_normal(original.shape)
    others = np.round(rng.lognormal(0, 1, (20_000, 3)), 2)
    tracemalloc.start()
    values = measure(name, original, protected, original[:, :1], control=Control(others, others[:, :1]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.isfinite(list(values.values())).all()
    assert peak < 250e6


class TestBadInput:
    def test_unknown_measure_names_the_nearest(self, pair):
        with pytest.raises(SdclabError, match=r"unknown measure 'pill': did you mean pil"):
            evaluate("pill", *pair)

    def test_files_of_different_size_are_refused(self, pair):
        with pytest.raises(SdclabError, match="300 records of 4 attributes, the protected file 299 of 4"):
            evaluate("pil", pair[0], pair[1][1:])
