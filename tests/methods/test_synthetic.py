"""Sequential regression against the exact distributions of what it draws."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit, logsumexp

from sdclab.base.errors import SdclabError
from sdclab.methods import protect, release
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics.arrays import dichotomous


def releases(y: np.ndarray, x: np.ndarray, count: int) -> np.ndarray:
    return np.array([protect("synthetic", y, x, np.random.default_rng(seed), {}) for seed in range(count)])


def estimated(y: np.ndarray, x: np.ndarray, count: int) -> np.ndarray:
    given = {"coefficients": "estimated"}
    return np.array([protect("synthetic", y, x, np.random.default_rng(seed), given) for seed in range(count)])


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


REGION = Attribute("region", "nominal", categories=("east", "north", "south", "west"))
GRADE = Attribute("grade", "ordinal", categories=("low", "middle", "high"))
INCOME = Attribute("income", low=0, masses=(0.0, 520.0))


def typed(y: np.ndarray, attributes: Attributes, count: int, x: np.ndarray | None = None) -> np.ndarray:
    x = y[:, :0] if x is None else x
    return np.array([release("synthetic", y, x, np.random.default_rng(i), {}, attributes).values for i in range(count)])


def people(rng: np.random.Generator, n: int) -> np.ndarray:
    """A region, of which one is rare and one has no people; a grade by region; an age by both."""
    region = rng.choice(4, n, p=[0.5, 0.45, 0.05, 0.0])
    grade = (rng.random((n, 1)) > np.array([[0.6, 0.8], [0.2, 0.6], [0.1, 0.2], [0, 0]])[region]).sum(axis=1)
    age = 30 + 10.0 * (region == 1) - 5.0 * (grade == 1) + rng.normal(0, 8, n)
    return np.column_stack([region, grade, age]).astype(float)


PEOPLE = Attributes((REGION, GRADE, Attribute("age")))


class TestCategories:
    def test_they_come_from_the_domain_and_as_often_as_before(self, rng):
        y = people(rng, 600)
        made = typed(y, PEOPLE, 60)
        for j, size in ((0, 4), (1, 3)):
            before = np.bincount(y[:, j].astype(int), minlength=size) / 600
            after = np.array([np.bincount(each[:, j].astype(int), minlength=size) / 600 for each in made])
            assert after.shape[1] == size
            # a release varies by its own draws and by that of the frequency
            assert (np.abs(after.mean(axis=0) - before) <= 4 * np.sqrt(2 * before * (1 - before) / 600 / 60)).all()

    @pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0]], ids=["as regressors", "as responses"])
    def test_means_by_category_are_kept(self, rng, order):
        y = people(rng, 600)[:, order]
        made = typed(y, Attributes(tuple(PEOPLE.dependent[j] for j in order)), 40)
        region, age = order.index(0), order.index(2)
        for code in range(3):
            before = y[y[:, region] == code, age]
            after = [each[each[:, region] == code, age].mean() for each in made]
            assert abs(np.mean(after) - before.mean()) < 2 * before.std() / np.sqrt(len(before))

    def test_two_way_tables_are_kept_on_average(self, rng):
        y = people(rng, 600)
        made = typed(y, PEOPLE, 40)
        cells = [(a, b) for a in range(3) for b in range(3)]
        before = np.array([(y[:, :2] == cell).all(axis=1).sum() for cell in cells])
        after = np.array([[(each[:, :2] == cell).all(axis=1).sum() for cell in cells] for each in made])
        assert (np.abs(after.mean(axis=0) - before) < 2 * np.sqrt(before) + 1).all()

    def test_means_by_an_independents_category_are_kept(self, rng):
        y = people(rng, 600)
        made = typed(y[:, 2:], Attributes((Attribute("age"),), (REGION,)), 40, y[:, :1])
        for code in range(3):
            chosen = y[:, 0] == code
            before = y[chosen, 2]
            assert abs(made[:, chosen, 0].mean() - before.mean()) < 2 * before.std() / np.sqrt(len(before))

    def test_means_by_an_independents_category_are_exact_though_one_has_little_variance(self, rng):
        """A mean of twelve draws of an SD of 20 would lie far from one that is certain to a third."""
        region = np.r_[np.full(12, 2), rng.integers(0, 2, 300)].astype(float)
        y = np.where(region == 2, np.arange(312) % 4, rng.uniform(0, 80, 312))[:, None]
        made = typed(y, Attributes((Attribute("stratum"),), (REGION,)), 3, region[:, None])[:, :, 0]
        for code in range(3):
            np.testing.assert_allclose(made[:, region == code].mean(axis=1), y[region == code].mean(), rtol=1e-9)
        assert (made[0] != made[1]).all()

    def test_who_is_alone_with_a_category_is_not_released(self, rng):
        """Also not by subtraction of all others, whom a second attribute holds together."""
        region = np.r_[3, rng.integers(0, 3, 299)].astype(float)
        x = np.column_stack([region, rng.integers(0, 2, 300)])
        sex = Attribute("sex", "nominal", categories=("f", "m"))
        y = rng.normal(0, 1, (300, 1))
        made = typed(y, Attributes((Attribute("a"),), (REGION, sex)), 30, x)[:, 0, 0]
        assert made.std() > 0.5

    def test_a_number_without_variance_in_a_group_has_none(self, rng):
        region = rng.integers(0, 3, 300).astype(float)
        income = np.where(region == 1, 0.0, np.where(rng.random(300) < 0.3, 520.0, rng.uniform(600, 900, 300)))
        plain = np.where(region == 2, 7.0, rng.normal(7, 1, 300))
        y = np.column_stack([income, plain])
        made = typed(y, Attributes((INCOME, Attribute("a")), (REGION,)), 3, region[:, None])
        assert (made[:, region == 1, 0] == 0).all()
        assert (made[:, region == 2, 1] == 7).all()
        assert (made[:, region != 2, 1] != 7).all()

    def test_two_categories_are_drawn_as_zeros_and_ones_are(self, rng):
        y = mixed(rng, 200)[:, :3]
        flag = Attribute("flag", "nominal", categories=("no", "yes"))
        made = typed(y, Attributes((Attribute("a"), Attribute("b"), flag)), 5)
        np.testing.assert_allclose(made, releases(y, y[:, :0], 5), atol=1e-8)

    def test_one_that_others_tell_is_told_by_them(self, rng):
        """Complete separation by a number: nearly every record keeps to it, and nothing is infinite."""
        x = np.linspace(0, 4, 400, endpoint=False)[:, None]
        made = typed(np.floor(x), Attributes((REGION,), (Attribute("x"),)), 10, x)
        assert (made == np.floor(x)).mean() > 0.8

    def test_more_categories_than_there_is_room_for(self, rng):
        """Forty categories of two attributes in sixty records: the commonest are regressors."""
        many = Attribute("code", "nominal", categories=tuple(map(str, range(40))))
        y = np.column_stack([rng.integers(0, 40, (60, 2)), rng.standard_normal(60)]).astype(float)
        made = typed(y, Attributes((many, many, Attribute("z"))), 5)
        assert set(np.unique(made[:, :, 0])) <= set(np.unique(y[:, 0]))
        assert np.abs(made[:, :, 2]).max() < 30

    def test_the_same_seed_gives_the_same_release_and_another_another(self, rng):
        y = people(rng, 200)
        (a, b), again = typed(y, PEOPLE, 2), typed(y, PEOPLE, 1)[0]
        assert a.tobytes() == again.tobytes()
        assert (a[:, :2] != b[:, :2]).any()


class TestPointMasses:
    def test_a_spike_stays_a_spike_and_depends_on_the_others(self, rng):
        """Old people have no income, some have that of a small job, the others' grows with age."""
        age = rng.normal(50, 15, 1000)
        income = 1000 + 20 * age + rng.normal(0, 100, 1000)
        income[rng.random(1000) < 0.1] = 520
        income[rng.random(1000) < expit((age - 50) / 5)] = 0
        y = np.column_stack([age, income])
        made = typed(y, Attributes((Attribute("age"), INCOME)), 30)
        for mass in INCOME.masses:
            assert (made[:, :, 1] == mass).mean() == pytest.approx((income == mass).mean(), abs=0.01)
            before, after = age[income == mass].mean(), made[:, :, 0][made[:, :, 1] == mass].mean()
            assert abs(after - before) < 2 * age.std() / np.sqrt((income == mass).sum())
        others, drawn = ~np.isin(income, INCOME.masses), ~np.isin(made[:, :, 1], INCOME.masses)
        slope = np.polyfit(age[others], income[others], 1)[0]
        assert np.polyfit(made[:, :, 0][drawn], made[:, :, 1][drawn], 1)[0] == pytest.approx(slope, rel=0.1)

    def test_what_comes_after_sees_the_spike(self, rng):
        income = np.where(rng.random(800) < 0.6, 0, rng.normal(1000, 100, 800))
        y = np.column_stack([income, 5.0 * (income == 0) + rng.standard_normal(800)])
        made = typed(y, Attributes((INCOME, Attribute("help"))), 20)
        assert made[:, :, 1][made[:, :, 0] == 0].mean() == pytest.approx(y[income == 0, 1].mean(), abs=0.1)

    def test_a_spike_is_as_frequent_in_every_group_as_it_was(self, rng):
        """Though a regressor before it is drawn as normal, and is none: the logit would be led astray."""
        region = rng.integers(0, 3, 400)
        age = np.exp(rng.normal(0.5 * region, 1.5))
        income = np.where(rng.random(400) < expit(np.log(age) + region - 1), 0, rng.uniform(600, 900, 400))
        y = np.column_stack([age, income])
        made = typed(y, Attributes((Attribute("age"), INCOME), (REGION,)), 60, region[:, None].astype(float))
        for code in range(3):
            share = (income[region == code] == 0).mean()
            error = np.sqrt(share * (1 - share) / (region == code).sum() / 60)
            assert abs((made[:, region == code, 1] == 0).mean() - share) < 4 * error

    @pytest.mark.filterwarnings("error")
    @pytest.mark.parametrize("seed", [26, 31, 37])
    def test_a_group_may_have_nothing_but_a_mass_that_the_logit_excludes(self, seed):
        """A number of heavy tails separates the mass, and is drawn far out: probabilities are 0 to rounding there."""
        rng = np.random.default_rng(seed)
        region = rng.integers(0, 3, 200)
        size = np.exp(rng.normal(0, 4, 200))
        size[0] *= 1e6
        income = np.where((size > np.median(size)) | (region == 1), 0.0, rng.uniform(600, 900, 200))
        types = Attributes((Attribute("size"), Attribute("income", low=0, masses=(0.0,))), (REGION,))
        y = np.column_stack([size, income])
        made = release("synthetic", y, region[:, None].astype(float), rng, {}, types).values
        assert (made[region == 1, 1] == 0).all()

    def test_nothing_but_masses(self, rng):
        y = np.column_stack([rng.standard_normal(100), rng.choice([0, 520.0], 100)])
        assert set(np.unique(typed(y, Attributes((Attribute("z"), INCOME)), 3)[:, :, 1])) == {0, 520}


class TestEstimatedParameters:
    def test_a_linear_model_has_its_estimates_and_the_values_alone_are_random(self, rng):
        """A regression on the release then has chi-square distributed rss and coefficients; drawn ones have F."""
        n, q = 30, 2
        x = rng.normal(50, 3, (n, q))
        y = (x @ [1.0, 2.0] + rng.standard_normal(n))[:, None]
        design = sm.add_constant(x)
        truth = sm.OLS(y[:, 0], design).fit()
        made = [sm.OLS(values[:, 0], design).fit() for values in estimated(y, x, 1500)]
        variances = [fit.ssr / truth.scale for fit in made]
        moves = np.array([design @ (fit.params - truth.params) for fit in made])
        assert stats.kstest(variances, stats.chi2(n - q - 1).cdf).pvalue > 0.01
        assert stats.kstest((moves**2).sum(axis=1) / truth.scale, stats.chi2(q + 1).cdf).pvalue > 0.01

    def test_so_has_a_dichotomous_attribute_given_another(self, rng):
        """Of a table of four cells Firth's slope is the log odds ratio with half a record more in each."""
        x = np.repeat([0.0, 1.0], [80, 40])[:, None]
        y = np.r_[np.repeat([0.0, 1.0], [60, 20]), np.repeat([0.0, 1.0], [12, 28])][:, None]
        slope = np.log(28.5 / 12.5) - np.log(20.5 / 60.5)
        a = brentq(lambda a: 80 * expit(a) + 40 * expit(a + slope) - 48, -9, 9)
        made = estimated(y, x, 1500)[:, :, 0]
        for group, p in ((slice(80), expit(a)), (slice(80, 120), expit(a + slope))):
            counts, size = made[:, group].sum(axis=1), len(x[group])
            expected = stats.binom(size, p)
            assert abs(counts.mean() - expected.mean()) < 4 * expected.std() / np.sqrt(1500)
            assert counts.var() == pytest.approx(expected.var(), rel=0.15)

    def test_so_have_three_categories(self, rng):
        """Multinomial counts; with drawn frequencies their variance is twice as large."""
        y = np.repeat([0.0, 1.0, 2.0], [20, 50, 30])[:, None]
        made = np.array(
            [
                release(
                    "synthetic",
                    y,
                    y[:, :0],
                    np.random.default_rng(i),
                    {"coefficients": "estimated"},
                    Attributes((GRADE,)),
                ).values
                for i in range(1500)
            ]
        )
        for code, p in enumerate((0.2, 0.5, 0.3)):
            counts = (made == code).sum(axis=1)
            assert abs(counts.mean() - 100 * p) < 4 * np.sqrt(100 * p * (1 - p) / 1500)
            assert counts.var() == pytest.approx(100 * p * (1 - p), rel=0.15)

    def test_a_point_mass_is_as_frequent_as_its_estimate(self, rng):
        income = np.where(np.arange(200) < 80, 0.0, rng.normal(1000, 100, 200))[:, None]
        types = Attributes((INCOME,))
        counts = [
            (release("synthetic", income, income[:, :0], rng, {"coefficients": "estimated"}, types).values == 0).sum()
            for _ in range(600)
        ]
        assert np.mean(counts) == pytest.approx(80, abs=4 * np.sqrt(48 / 600))
        assert np.var(counts) == pytest.approx(48, rel=0.25)


class TestOrder:
    @pytest.mark.parametrize("coefficients", ["drawn", "estimated"])
    def test_reversed_is_file_order_of_the_columns_the_other_way_round(self, rng, coefficients):
        y, x = mixed(rng, 200), rng.standard_normal((200, 2))
        ours = protect("synthetic", y, x, np.random.default_rng(3), {"order": "reversed", "coefficients": coefficients})
        other = protect("synthetic", y[:, ::-1], x, np.random.default_rng(3), {"coefficients": coefficients})
        np.testing.assert_allclose(ours, other[:, ::-1])
        plain = protect("synthetic", y, x, np.random.default_rng(3), {"coefficients": coefficients})
        assert not np.allclose(ours, plain)

    def test_so_it_is_with_types(self, rng):
        """Categories, point masses, and an independent with groups whose means are kept."""
        region, grade, age = people(rng, 400).T
        income = np.where(rng.random(400) < 0.3, 0.0, 1000 + 10 * age + rng.normal(0, 50, 400))
        y = np.column_stack([grade, age, income])
        types = (GRADE, Attribute("age"), INCOME)
        ours, other = (
            release("synthetic", values, region[:, None], np.random.default_rng(3), given, Attributes(each, (REGION,)))
            for values, given, each in ((y, {"order": "reversed"}, types), (y[:, ::-1], {}, types[::-1]))
        )
        np.testing.assert_allclose(ours.values, other.values[:, ::-1])
        assert set(np.unique(ours.values[:, 0])) <= {0, 1, 2}
        assert (ours.values[:, 2] == 0).any()

    def test_the_first_to_be_drawn_is_the_last_of_the_file(self, rng):
        """It is drawn given nothing, so a change of the others changes nothing of it."""
        y = rng.standard_normal((100, 3))
        changed = y * [3, -1, 1] + [0, 5, 0]
        ours, other = (
            protect("synthetic", values, y[:, :0], np.random.default_rng(3), {"order": "reversed"})
            for values in (y, changed)
        )
        np.testing.assert_array_equal(ours[:, 2], other[:, 2])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"coefficients": "fixed"}, "coefficients is 'fixed' but must be one of drawn, estimated"),
        ({"order": "random"}, "order is 'random' but must be one of file, reversed"),
    ],
)
def test_other_options_are_refused(rng, given, message):
    with pytest.raises(SdclabError, match=message):
        protect("synthetic", rng.random((30, 2)), np.empty((30, 0)), rng, given)
