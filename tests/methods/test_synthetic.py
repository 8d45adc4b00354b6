"""Sequential regression against the exact distributions of what it draws."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from scipy.special import expit, logsumexp

from sdclab.base.errors import SdclabError
from sdclab.methods import protect
from sdclab.numerics.arrays import dichotomous


def releases(y: np.ndarray, x: np.ndarray, count: int) -> np.ndarray:
    return np.array([protect("synthetic", y, x, np.random.default_rng(seed), {}) for seed in range(count)])


def mixed(rng: np.random.Generator, n: int) -> np.ndarray:
    """Two continuous attributes, a common, a rarer and a very rare dichotomous one, all related."""
    a = rng.standard_normal(n)
    b = 3 + 2 * a + rng.standard_normal(n)
    common, rarer = (rng.random((2, n)) < expit([a - 0.5, b - 6])).astype(float)
    rare = (np.arange(n) == a.argmax()).astype(float)
    return np.column_stack([a, b, common, rarer, rare])


class TestContinuous:
    @pytest.mark.parametrize("q", [0, 2])
    def test_coefficients_and_variances_have_their_exact_distributions(self, rng, q):
        """Drawn sigma² and beta, then drawn y: a regression on the release has F distributed rss and coefficients.

        Without the posterior draws the coefficients' spread would be half of it.
        """
        n = 30
        x = rng.normal(50, 3, (n, q))
        y = (x @ np.arange(1.0, q + 1) + rng.standard_normal(n))[:, None]
        design = sm.add_constant(x) if q else np.ones((n, 1))
        truth = sm.OLS(y[:, 0], design).fit()
        made = [sm.OLS(values[:, 0], design).fit() for values in releases(y, x, 1500)]
        variances = [fit.scale / truth.scale for fit in made]
        moves = np.array([design @ (fit.params - truth.params) for fit in made])
        coefficients = (moves**2).sum(axis=1) / (2 * (q + 1) * truth.scale)
        assert stats.kstest(variances, stats.f(n - q - 1, n - q - 1).cdf).pvalue > 0.01
        assert stats.kstest(coefficients, stats.f(q + 1, n - q - 1).cdf).pvalue > 0.01

    def test_a_dependent_is_drawn_given_the_synthetic_values_before_it(self, rng):
        y = mixed(rng, 300)[:, :2]
        slope = np.polyfit(*y.T, 1)[0]
        made = releases(y, y[:, :0], 200)
        slopes = np.array([np.polyfit(*values.T, 1)[0] for values in made])
        assert abs(slopes.mean() - slope) < 4 * slopes.std() / np.sqrt(len(slopes))
        with_original = [np.corrcoef(values[:, 1], y[:, 0])[0, 1] for values in made]
        assert abs(np.mean(with_original)) < 0.02

    def test_an_exact_relation_of_singular_data_survives(self, census, rng):
        made = protect("synthetic", census.values, census.values[:, :0], rng, {})
        total, other, earned = (made[:, census.columns.index(c)] for c in ("PTOTVAL", "POTHVAL", "PEARNVAL"))
        np.testing.assert_allclose(total, other + earned, atol=1e-8 * total.std())

    def test_means_and_covariances_are_kept_on_average(self, census):
        y = census.values[:, :6]
        made = releases(y, y[:, :0], 100)
        for statistic in (lambda v: v.mean(axis=0), lambda v: np.corrcoef(v.T), lambda v: np.log(v.std(axis=0))):
            values = np.array([statistic(v) for v in made])
            error = np.abs(values.mean(axis=0) - statistic(y))
            assert (error <= 4.5 * values.std(axis=0) / 10 + 0.005).all()


class TestDichotomous:
    def test_releases_have_the_posterior_predictive_distribution(self, rng):
        """Against the exact posterior on a grid of intercepts and slopes, under Jeffreys' prior."""
        n = 120
        x = rng.gamma(2, 2, (n, 1))
        y = (rng.random((n, 1)) < expit(0.7 * x - 3)).astype(float)
        z = (x[:, 0] - x.mean()) / x.std()
        intercept, slope = (axis.ravel() for axis in np.meshgrid(np.linspace(-4, 3, 141), np.linspace(-3, 4, 141)))
        p = expit(intercept[:, None] + slope[:, None] * z)
        weight = p * (1 - p)
        determinant = weight.sum(axis=1) * (weight @ z**2) - (weight @ z) ** 2
        log_posterior = np.log(np.where(y[:, 0] == 1, p, 1 - p)).sum(axis=1) + np.log(determinant) / 2
        weights = np.exp(log_posterior - logsumexp(log_posterior))
        made = releases(y, x, 600)[:, :, 0]
        for score in (np.ones(n), z):  # the frequency, and the relation with x
            mean = weights @ (p @ score)
            variance = weights @ (p * (1 - p) @ score**2 + (p @ score - mean) ** 2)
            assert abs((made @ score).mean() - mean) < 4 * np.sqrt(variance / 600) + 0.01 * n
            assert (made @ score).var() == pytest.approx(variance, rel=0.25)

    @pytest.mark.parametrize("n", [200, 500])
    def test_slopes_of_a_balanced_attribute_are_kept_on_average(self, rng, n):
        """Whether with few or many terms; a prior on their size would take 10 to 20 % off."""
        slopes = np.where(np.arange(10) % 2, -1, 1) / np.sqrt(10)
        original, released = [], []
        for _ in range(150000 // n):
            x = rng.standard_normal((n, 10))
            y = (rng.random((n, 1)) < expit(x @ slopes)[:, None]).astype(float)
            made = protect("synthetic", y, x, rng, {})
            for found, values in ((original, y), (released, made)):
                found.append(sm.Logit(values[:, 0], sm.add_constant(x)).fit(disp=0).params[1:] @ slopes)
        assert np.sum(released) / np.sum(original) == pytest.approx(1, abs=0.03)

    def test_a_frequency_is_kept_where_the_synthetic_values_leave_the_original_ones(self, rng):
        """A skewed attribute has a normal stand-in, half of it below any original: the few that are low get many."""
        x = np.exp(2 * rng.standard_normal(2000))
        y = ((x < 0.02) & (rng.random(2000) < 0.5)).astype(float)
        assert 10 < y.sum() < 60
        made = releases(np.column_stack([x, y]), x[:, None][:, :0], 40)[:, :, 1]
        assert made.sum(axis=1).mean() == pytest.approx(y.sum(), rel=0.2)

    def test_frequencies_are_kept_and_what_is_rare_stays_rare(self, rng):
        """With 14 terms a normal posterior would make the attribute that one record in a thousand has a common one."""
        y, x = mixed(rng, 1000), rng.standard_normal((1000, 10))
        made = releases(y, x, 40)
        assert dichotomous(made[:, :, 2:].reshape(-1, 3)).all()
        counts = made[:, :, 2:].sum(axis=1)
        np.testing.assert_allclose(counts.mean(axis=0)[:2], y[:, 2:4].sum(axis=0), rtol=0.05)
        assert 0 < counts[:, 2].mean() < 3

    def test_perfect_separation_is_no_obstacle(self, rng):
        x = np.linspace(-1, 1, 200)[:, None]
        y = (x > 0).astype(float)
        made = releases(np.column_stack([y, y]), np.column_stack([x, 2 * x]), 20)
        assert dichotomous(made.reshape(-1, 2)).all()
        assert (made == y).mean() > 0.8

    def test_a_constant_is_released_as_it_is(self, rng):
        y = np.column_stack([np.ones(50), rng.standard_normal(50), np.zeros(50), np.full(50, 0.1)])
        for made in releases(y, rng.standard_normal((50, 1)), 10):
            np.testing.assert_array_equal(made[:, [0, 2]], y[:, [0, 2]])
            np.testing.assert_allclose(made[:, 3], 0.1, rtol=1e-12)
            assert made[:, 1].std() > 0

    @pytest.mark.parametrize(
        ("column", "expected"), [([0, 1, 1], True), ([0, 0, 0], True), ([0, 1, 2], False), ([0, 0.5, 1], False)]
    )
    def test_what_is_dichotomous(self, column, expected):
        assert dichotomous(np.array(column, dtype=float)[:, None]).tolist() == [expected]


@pytest.mark.parametrize(
    "change",
    [lambda x: -x, lambda x: 1000 * x + 7, lambda x: x[:, ::-1], lambda x: np.column_stack([x, x.sum(axis=1)])],
    ids=["sign", "units", "order", "redundant"],
)
def test_how_the_independents_are_written_makes_no_difference(rng, change):
    y, x = mixed(rng, 200)[:, :3], rng.standard_normal((200, 3))
    a, b = (protect("synthetic", y, z, np.random.default_rng(5), {}) for z in (x, change(x)))
    np.testing.assert_allclose(a, b, atol=1e-8)


def test_too_few_records_get_one_sentence(rng):
    with pytest.raises(SdclabError, match="6 attributes need more than 6 records, not 5"):
        protect("synthetic", rng.random((5, 4)), rng.random((5, 2)), rng, {})
