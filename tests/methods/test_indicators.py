"""Categories of independents reach methods as indicators: what each method makes of them, however awkward they are."""

import numpy as np
import pytest

from sdclab.methods import release
from sdclab.microdata.attribute import Attribute, Attributes

INCOME, TAX = Attribute("income"), Attribute("tax")
LONELY = 7


def area(seen=3, unseen=0):
    return Attribute("area", "nominal", categories=tuple(f"a{code}" for code in range(seen + unseen)))


@pytest.fixture
def split(rng):
    """Dependents that differ by area, and the areas: one of them has a single record."""
    codes = rng.integers(0, 2, 120).astype(float)
    codes[LONELY] = 2
    return rng.normal(100 + 40 * codes[:, None], [10, 5], (120, 2)), codes[:, None]


def made(method, dependent, independent, *about, seed=1, **parameters):
    columns = Attributes((INCOME, TAX), about)
    return release(method, dependent, independent, np.random.default_rng(seed), parameters, columns).values


def means_by(codes, values):
    return np.array([values[codes == code].mean(axis=0) for code in np.unique(codes)])


AWKWARD = {
    "as they are": lambda x: (x, (area(),)),
    "the same twice": lambda x: (np.column_stack([x, x]), (area(), area())),
    "with categories that no record has": lambda x: (x, (area(unseen=4),)),
    "in another order": lambda x: (2 - x, (area(),)),
    "beside the number that tells them": lambda x: (np.column_stack([x, 5 * x**2 - 3]), (area(), Attribute("height"))),
}
"""Ways to write areas that say the same to a regression with intercept."""


@pytest.mark.parametrize("how", AWKWARD)
class TestAwkward:
    @pytest.mark.parametrize(("method", "parameters"), [("ipso_a", {}), ("fcrm", {"c": 1})], ids=["ipso_a", "fcrm"])
    def test_fitted_values_are_means_of_areas(self, split, how, method, parameters):
        """A regression on indicators, in closed form; one cluster of FCRM is a regression."""
        y, x = split
        written, about = AWKWARD[how](x)
        expected = means_by(x[:, 0], y)[x[:, 0].astype(int)]
        np.testing.assert_allclose(made(method, y, written, *about, **parameters), expected)

    def test_ipso_b_keeps_means_of_areas(self, split, how):
        y, x = split
        written, about = AWKWARD[how](x)
        np.testing.assert_allclose(means_by(x[:, 0], made("ipso_b", y, written, *about)), means_by(x[:, 0], y))

    def test_ipso_c_keeps_means_of_areas_and_covariances(self, split, how):
        y, x = split
        written, about = AWKWARD[how](x)
        values = made("ipso_c", y, written, *about)
        np.testing.assert_allclose(means_by(x[:, 0], values), means_by(x[:, 0], y))
        np.testing.assert_allclose(np.cov(values.T), np.cov(y.T))

    def test_noise_cov_keeps_moments_and_does_not_look_at_them(self, split, how):
        y, x = split
        written, about = AWKWARD[how](x)
        values = made("noise_cov", y, written, *about)
        np.testing.assert_allclose(np.cov(values.T), np.cov(y.T))
        assert np.array_equal(values, made("noise_cov", y, x[:, :0]))

    def test_fcrm_comes_nearer_with_more_clusters_than_areas(self, split, how):
        y, x = split
        written, about = AWKWARD[how](x)
        one, six = (np.abs(made("fcrm", y, written, *about, c=c) - y).mean() for c in (1, 6))
        assert six < 0.5 * one


def test_a_record_alone_in_its_area_is_fitted_exactly(split):
    """What an indicator of one record does: IPSO releases the record as it is, which `intact` shows."""
    y, x = split
    for method in ("ipso_a", "ipso_b", "ipso_c"):
        np.testing.assert_allclose(made(method, y, x, area())[LONELY], y[LONELY])


def test_ordered_categories_enter_as_indicators_too(split):
    y, x = split
    level = Attribute("level", "ordinal", categories=("low", "middle", "high"))
    assert np.array_equal(made("ipso_c", y, x, area()), made("ipso_c", y, x, level))
