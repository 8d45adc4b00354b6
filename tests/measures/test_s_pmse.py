"""s_pmse against simulation of both nulls, statsmodels and closed forms."""

import numpy as np
import pytest
import statsmodels.api as sm

from sdclab.base.errors import SdclabError
from sdclab.measures import measure
from sdclab.methods import protect
from sdclab.microdata.attribute import Attribute, Attributes

ROOT = np.linalg.cholesky(np.array([[1, 0.6, 0.3], [0.6, 1, 0.5], [0.3, 0.5, 1]]))
TOLERANCE = 0.25
"""Five standard errors of a mean over 60 releases, or more, with 6 terms or more: sqrt(2/6/60) = 0.075 at most; the
model with half or twice as much by chance lies outside."""


def s_pmse(original, protected, independent=None, columns=None, **options):
    beside = np.empty((len(original), 0)) if independent is None else independent
    return measure("s_pmse", original, protected, beside, options, columns)


def simulated(draw, number="s_pmse", **options):
    rng = np.random.default_rng(11)
    return np.mean([s_pmse(*draw(rng), **options)[number] for _ in range(60)])


def sample(rng, n=500):
    return rng.standard_normal((n, 3)) @ ROOT.T


def given(rng, x):
    """Two attributes that follow an independent one."""
    errors = rng.standard_normal((len(x), 2))
    return 0.8 * x @ np.array([[1.0, -0.5]]) + errors @ np.array([[1.0, 0.4], [0.0, 0.8]])


class TestNulls:
    def test_two_samples_have_one_on_average(self):
        assert simulated(lambda rng: (sample(rng), sample(rng))) == pytest.approx(1, abs=TOLERANCE)

    def test_so_they_have_beside_independents_that_they_share(self):
        def draw(rng):
            x = rng.standard_normal((500, 1))
            return given(rng, x), given(rng, x), x

        assert simulated(draw, model="cubic") == pytest.approx(1, abs=TOLERANCE)

    def test_plug_in_synthesis_of_the_fitted_model_has_one_on_average(self):
        def draw(rng):
            x = sample(rng)
            return x, rng.multivariate_normal(x.mean(axis=0), np.cov(x.T), len(x))

        assert simulated(draw, "s_pmse_plugin", model="mixed") == pytest.approx(1, abs=TOLERANCE)

    def test_synthesis_that_draws_its_parameters_is_as_two_samples(self):
        def draw(rng):
            x = sample(rng)
            return x, protect("synthetic", x, x[:, :0], rng, {})

        assert simulated(draw, model="mixed") == pytest.approx(1, abs=TOLERANCE)

    def test_categories_too(self):
        attributes = Attributes(tuple(Attribute(name, "nominal", categories=tuple("abcd")) for name in "xy"))

        def draw(rng):
            return (*rng.integers(0, 4, (2, 500, 2)).astype(float), None, attributes)

        assert simulated(draw) == pytest.approx(1, abs=TOLERANCE)


class TestValues:
    def test_equals_the_mean_squared_error_of_statsmodels_over_that_of_chance(self, rng):
        original = rng.standard_normal((400, 2))
        protected = 0.3 + original * 1.2
        stacked, is_protected = np.vstack([original, protected]), np.repeat([0.0, 1.0], 400)
        x = np.column_stack([stacked, stacked[:, 0] * stacked[:, 1]])
        p = sm.Logit(is_protected, sm.add_constant(x)).fit(disp=0, tol=1e-12).predict()
        count, c = 800, 0.5
        by_chance = 3 * (1 - c) ** 2 * c / count  # Snoke et al., k - 1 = 3
        found = s_pmse(original, protected, model="mixed")
        assert found["s_pmse_plugin"] == pytest.approx(np.mean((p - 0.5) ** 2) / by_chance, rel=1e-6)
        assert found["s_pmse"] == pytest.approx(found["s_pmse_plugin"] / 2)

    def test_of_files_apart_is_a_quarter_of_the_records_over_a_quarter_of_the_terms(self, rng):
        x = rng.random((250, 2))
        found = s_pmse(x, x + 2, model="main")
        assert found["s_pmse"] == pytest.approx(500 / 2, rel=1e-4)

    def test_of_the_same_records_is_zero_in_any_order(self, rng):
        x = rng.lognormal(0, 1, (300, 3))
        assert s_pmse(x, x[::-1])["s_pmse"] == pytest.approx(0, abs=1e-9)

    def test_sees_that_a_normal_release_of_the_same_moments_is_not_skewed(self, rng):
        y, x = rng.lognormal(0, 1, (1000, 2)), rng.standard_normal((1000, 1))
        released = protect("ipso_c", y, x, rng, {})
        assert s_pmse(y, released, x, model="mixed")["s_pmse"] == pytest.approx(0, abs=1e-9)
        assert s_pmse(y, released, x)["s_pmse"] > 10


class TestTerms:
    def test_of_independents_alone_do_not_count(self, rng):
        """Of y, x, z: 9 powers and 3 products, of which 6 and 1 are of x and z."""
        y, x = rng.standard_normal((400, 1)), rng.standard_normal((400, 2))
        assert s_pmse(y, rng.permutation(y), x, model="pairs")["s_pmse_terms"] == 5

    def test_are_fewer_where_records_are_few(self, rng):
        """Three attributes have 12 terms in `pairs`, for which 120 records of both files are enough."""
        for n, terms in ((60, 12), (59, 3)):
            x = rng.standard_normal((2, n, 3))
            assert s_pmse(*x)["s_pmse_terms"] == terms

    def test_none_that_may_differ_is_not_defined(self, rng):
        x = rng.standard_normal((100, 2))
        assert np.isnan(s_pmse(2 * x[:, :1], 2 * x[:, :1], x, model="main")["s_pmse"])

    def test_an_unknown_model_is_refused(self, rng):
        with pytest.raises(SdclabError, match="measure s_pmse: model is 'square' but must be one of auto, main"):
            s_pmse(*rng.standard_normal((2, 30, 2)), model="square")
