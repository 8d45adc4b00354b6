"""Regressions and higher moments against statsmodels, scipy, loops and closed forms."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kurtosis, skew

from sdclab.measures import measure
from sdclab.methods import protect


def evaluate(name, original, protected, independent=None, **options):
    beside = np.empty((len(original), 0)) if independent is None else independent
    return measure(name, original, protected, beside, options)


def change(before, after):
    return 100 * np.abs(np.asarray(after) - before) / np.abs(before)


@pytest.fixture
def pair(rng):
    """A skewed, correlated file in unequal units and a noisy copy."""
    original = np.exp(rng.normal(0, [0.3, 0.5, 0.7, 0.4], (300, 4))) @ rng.random((4, 4)) * [1, 10, 100, 1e4]
    return original, original + 0.3 * original.std(axis=0) * rng.standard_normal(original.shape)


def ols(x):
    """Slopes and standard errors of every column on the others, by statsmodels."""
    fits = [sm.OLS(x[:, j], sm.add_constant(np.delete(x, j, axis=1))).fit() for j in range(x.shape[1])]
    return np.array([fit.params[1:] for fit in fits]), np.array([fit.bse[1:] for fit in fits])


class TestRegression:
    def test_changes_are_those_of_statsmodels(self, pair):
        (slopes, errors), (new_slopes, new_errors) = map(ols, pair)
        assert evaluate("regression", *pair) == pytest.approx(
            {
                "coefficient_change_mean": change(slopes, new_slopes).mean(),
                "coefficient_change_median": np.median(change(slopes, new_slopes)),
                "error_change_mean": change(errors, new_errors).mean(),
                "error_change_median": np.median(change(errors, new_errors)),
            },
            rel=1e-6,
        )

    def test_independents_are_attributes_too(self, pair):
        original, protected = pair
        protected[:, 3] = original[:, 3]
        split = evaluate("regression", original[:, :3], protected[:, :3], original[:, 3:])
        assert split == pytest.approx(evaluate("regression", original, protected))

    @pytest.mark.parametrize("method", ["hybrid_micro", "noise_cov"])
    def test_what_keeps_means_and_covariances_changes_nothing(self, dataset, entries, method):
        x = dataset("thyroid").select(entries["thyroid"].numbers, "test")
        released = protect(method, x, np.empty((len(x), 0)), np.random.default_rng(0), {})
        assert max(evaluate("regression", x, released).values()) < 1e-8
        assert evaluate("moments", x, released)["third_mean"] > 1

    def test_census_with_its_exact_relation_keeps_its_slopes_too(self, census):
        released = protect("hybrid_micro", census.values, np.empty((1080, 0)), np.random.default_rng(0), {"k": 40})
        assert max(evaluate("regression", census.values, released).values()) < 1e-8

    def test_an_exact_relation_counts_as_if_its_last_attribute_were_absent(self, pair, rng):
        original, protected = pair
        total = np.array([1.0, 2.0, 0, 0])
        related = np.insert(original, 3, original @ total, axis=1)
        broken = np.insert(protected, 3, rng.standard_normal(len(protected)), axis=1)
        assert evaluate("regression", related, broken) == pytest.approx(evaluate("regression", original, protected))

    @pytest.mark.filterwarnings("ignore::statsmodels.tools.sm_exceptions.SingularMatrixWarning")
    def test_a_relation_of_the_release_alone_has_the_shortest_slopes(self, rng):
        """Statsmodels has the same by its pseudo-inverse, if all SDs are 1: y on two copies of x halves the slope."""
        original = rng.standard_normal((40, 3))
        original = (original - original.mean(axis=0)) / original.std(axis=0)
        released = original.copy()
        released[:, 2] = released[:, 1]
        (slopes, errors), (new_slopes, new_errors) = map(ols, (original, released))
        assert new_slopes[0, 0] == pytest.approx(new_slopes[0, 1])
        values = evaluate("regression", original, released)
        assert values["coefficient_change_mean"] == pytest.approx(change(slopes, new_slopes).mean())
        assert values["error_change_mean"] == pytest.approx(change(errors, new_errors).mean())

    def test_a_constant_release_loses_every_slope_and_error(self, pair):
        original, _ = pair
        values = evaluate("regression", original, np.tile(original.mean(axis=0), (300, 1)))
        assert values == pytest.approx(dict.fromkeys(values, 100.0))

    def test_scaling_one_attribute_has_a_closed_form(self, pair):
        """With one attribute doubled its own slopes and errors double, those on it halve, and the others stay."""
        original, _ = pair
        values = evaluate("regression", original, original * [2, 1, 1, 1])
        expected = [100] * 3 + [50] * 3 + [0] * 6
        for name in ("coefficient_change", "error_change"):
            assert values[f"{name}_mean"] == pytest.approx(np.mean(expected))
            assert values[f"{name}_median"] == pytest.approx(np.median(expected))

    def test_slopes_that_are_zero_on_paper_stay_so(self, rng):
        """In a full factorial plan every slope is 0; in another order of records its rounding is another one."""
        plan = 0.1 * np.array(list(product(range(4), range(5), range(3)))) + 0.7
        changes = evaluate("regression", plan, rng.permutation(plan))
        assert list(changes.values()) == pytest.approx([0] * 4, abs=1e-9)

    def test_one_attribute_has_no_regression(self, pair):
        values = evaluate("regression", *(x[:, :1] for x in pair))
        assert np.isnan(list(values.values())).all()

    @settings(max_examples=30)
    @given(st.integers(0, 2**32))
    def test_units_do_not_matter(self, seed):
        rng = np.random.default_rng(seed)
        original = rng.standard_normal((60, 3)) @ rng.standard_normal((3, 3))
        protected = original + rng.standard_normal(original.shape)
        scale, shift = 10.0 ** rng.integers(-4, 5, 3), rng.normal(0, 3, 3)
        first = evaluate("regression", original, protected)
        second = evaluate("regression", (original + shift) * scale, (protected + shift) * scale)
        assert second == pytest.approx(first, rel=1e-5)


def moments_by_hand(x, order, centre):
    """Every moment of an order, record by record."""
    centred = x - centre
    found = {}
    for which in combinations_with_replacement(range(x.shape[1]), order):
        total = 0.0
        for record in centred:
            product = 1.0
            for j in which:
                product *= record[j]
            total += product
        found[which] = total / len(x)
    return found


class TestMoments:
    @pytest.mark.parametrize("raw", ["", "raw_"])
    def test_changes_are_those_of_a_loop(self, pair, raw):
        values = evaluate("moments", *pair)
        for name, order in ((f"{raw}third", 3), (f"{raw}fourth", 4)):
            before, after = (moments_by_hand(x, order, 0.0 if raw else x.mean(axis=0)) for x in pair)
            changes = {which: change(before[which], after[which]) for which in before}
            own = [value for which, value in changes.items() if len(set(which)) == 1]
            assert values[f"{name}_mean"] == pytest.approx(np.mean(list(changes.values())))
            assert values[f"{name}_median"] == pytest.approx(np.median(list(changes.values())))
            assert values[f"{name}_marginal_mean"] == pytest.approx(np.mean(own))
            assert values[f"{name}_marginal_median"] == pytest.approx(np.median(own))

    def test_marginal_changes_are_those_of_skewness_and_kurtosis(self, pair):
        original, protected = pair
        values = evaluate("moments", original, protected)
        third = [skew(x) * x.std(axis=0) ** 3 for x in pair]
        fourth = [kurtosis(x, fisher=False) * x.std(axis=0) ** 4 for x in pair]
        assert values["third_marginal_mean"] == pytest.approx(change(*third).mean())
        assert values["fourth_marginal_median"] == pytest.approx(np.median(change(*fourth)))

    def test_twice_the_file_has_eight_and_sixteen_times_the_moments(self, pair):
        original, _ = pair
        values = evaluate("moments", original, 2 * original)
        assert {values[name] for name in values if "third" in name} == {700.0}
        assert {values[name] for name in values if "fourth" in name} == {1500.0}

    def test_a_copy_and_a_shuffle_change_nothing(self, pair, rng):
        original, _ = pair
        assert set(evaluate("moments", original, original).values()) == {0.0}
        assert max(evaluate("moments", original, rng.permutation(original)).values()) < 1e-9
        moved = evaluate("moments", original, original + 100)
        assert max(value for name, value in moved.items() if not name.startswith("raw_")) < 1e-6
        assert moved["raw_third_mean"] > 1

    def test_moments_that_are_zero_on_paper_stay_so(self, rng):
        """Symmetric attributes have no third moments; in another order of records their rounding is another one."""
        plan = 0.1 * np.array(list(product(range(5), range(4)))) + 0.7
        changes = evaluate("moments", plan, rng.permutation(plan))
        assert [changes["third_mean"], changes["third_marginal_median"]] == pytest.approx([0, 0], abs=1e-9)

    def test_moments_of_independents_alone_do_not_count(self, rng):
        """One dependent y doubled beside one x: yyy, yyx, yxx grow 8, 4 and 2 times; xxx is not asked."""
        y, x = rng.lognormal(0, 1, (2, 100, 1))
        values = evaluate("moments", y, 2 * y, x)
        assert values["third_mean"] == pytest.approx((700 + 300 + 100) / 3)
        assert values["fourth_mean"] == pytest.approx((1500 + 700 + 300 + 100) / 4)
        assert values["third_marginal_mean"] == pytest.approx(700)
