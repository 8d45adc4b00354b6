"""Attributes: what a released value must be, and what reaches a method."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdclab import measures, methods
from sdclab.base.errors import SdclabError
from sdclab.measures import MEASURES
from sdclab.methods import METHODS
from sdclab.microdata.attribute import BOUNDS, Attribute, Attributes

REGION = Attribute("region", "nominal", categories=("east", "north", "west"))
INCOME = Attribute("income", low=0, high=100, decimals=1)
VISITS = Attribute("visits", "count", low=0, high=9)


class TestDomain:
    def test_a_number_has_its_decimals_and_keeps_its_bounds(self):
        released = np.array([-3.21, 5.04, 5.06, 104.0])
        assert INCOME.fitted(released).tolist() == [0, 5, 5.1, 100]
        assert INCOME.fitted(released, "reflect").tolist() == [3.2, 5, 5.1, 96]
        assert INCOME.fitted(released, "none").tolist() == [-3.2, 5, 5.1, 104]

    def test_a_gap_lies_inside(self):
        for attribute in (INCOME, VISITS, REGION):
            assert attribute.outside(np.array([np.nan, -7, 1])).tolist() == [False, True, False]

    def test_a_count_is_whole_and_a_category_one_of_its_own(self):
        assert VISITS.fitted(np.array([-0.2, 2.6, 11])).tolist() == [0, 3, 9]
        assert REGION.fitted(np.array([-0.2, 1.6, 7])).tolist() == [0, 2, 2]

    @given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.sampled_from(["balance", "clip", "reflect"]))
    def test_what_is_fitted_lies_inside_and_stays_as_it_is(self, values, bounds):
        for attribute in (INCOME, VISITS, REGION):
            fitted = attribute.fitted(np.array(values), bounds)
            assert not attribute.outside(fitted).any()
            assert np.array_equal(attribute.fitted(fitted, bounds), fitted)
            assert not np.signbit(fitted[fitted == 0]).any()


class TestAttributes:
    def test_categories_of_independents_become_indicators(self):
        both = Attributes((INCOME,), (REGION, VISITS))
        values = np.array([[0, 4], [2, 5], [1, 6], [2, 7.0]])
        assert both.with_indicators(values).tolist() == [[4, 0, 0], [5, 0, 1], [6, 1, 0], [7, 0, 1]]
        assert Attributes((INCOME,)).with_indicators(np.empty((3, 0))).shape == (3, 0)

    def test_who_has_a_category_is_told_by_the_indicators(self):
        grade = Attribute("grade", "ordinal", categories=("low", "high"))
        both = Attributes((INCOME,), (REGION, VISITS, grade))
        values = np.array([[0, 4, 1], [2, 5, 0], [1, 6, 1], [2, 7.0, 1]])
        found = both.by_category(both.with_indicators(values))
        expected = [values[:, 0] == 0, values[:, 0] == 1, values[:, 0] == 2, values[:, 2] == 0, values[:, 2] == 1]
        assert np.array_equal(np.array(list(found)), expected)

    def test_a_method_that_cannot_take_a_type_says_so_before_it_starts(self, rng):
        values = np.column_stack([rng.random(20), rng.integers(0, 3, 20)])
        for method, parameters in (("noise", {"p": 0.1}), ("noise_cov", {})):
            with pytest.raises(SdclabError, match=f"{method}: takes continuous and count attributes, but region is n"):
                methods.release(method, values, values[:, :0], rng, parameters, Attributes((INCOME, REGION)))

    def test_a_method_sees_what_it_asks_for(self, rng):
        assert not any("columns" in METHODS.parameters(name) for name in METHODS)
        assert not any("columns" in MEASURES.parameters(name) for name in MEASURES)

    def test_ipso_c_keeps_means_inside_categories(self, rng):
        """Indicators are regressors, so residuals are orthogonal to them: closed form."""
        region = rng.integers(0, 3, 200).astype(float)
        y = rng.normal(10 * region[:, None], 3, (200, 2))
        both = Attributes((Attribute("income"), Attribute("tax")), (REGION,))
        released = methods.release("ipso_c", y, region[:, None], rng, {}, both).values
        for code in range(3):
            chosen = region == code
            np.testing.assert_allclose(released[chosen].mean(axis=0), y[chosen].mean(axis=0), rtol=1e-9)

    @pytest.mark.parametrize("bounds", BOUNDS)
    def test_what_bounds_do_to_means_inside_categories(self, rng, bounds):
        """Spikes at zero: IPSO-C has a fifth of the numbers below it. Balanced, means stay; clipped, they rise."""
        region = rng.integers(0, 3, 600).astype(float)
        y = np.round(rng.gamma(0.5, 20 * (1 + region)), 1)[:, None]
        both = Attributes((Attribute("income", low=0, decimals=1),), (REGION,))
        raw = methods.release("ipso_c", y, region[:, None], rng, {}, both)
        made = methods.fitted(raw, region[:, None], both, bounds)
        assert made.facts["beyond_bounds"] == (raw.values < 0).sum() > 50
        assert (made.values.min() < 0) == (bounds == "none")
        rises = [made.values[region == code].mean() - y[region == code].mean() for code in range(3)]
        kept = bounds in ("balance", "none")
        assert (np.abs(rises) < 0.02).all() if kept else (np.array(rises) > 0.5).all()
        assert (made.facts["mean_moved"] < 1e-3) == kept

    def test_rounding_is_told_with_what_it_does_to_moments(self, rng):
        raw = methods.Release(np.column_stack([[0.26, 1.0, 2.0, 3.04], [1.4, 2, 3, 4], [0, 1, 2, 1]]))
        columns = (Attribute("a", decimals=1), VISITS, REGION)
        made = methods.fitted(raw, np.empty((4, 0)), Attributes(columns))
        assert made.values.T.tolist() == [[0.3, 1, 2, 3], [1, 2, 3, 4], [0, 1, 2, 1]]
        assert made.facts["rounded"] == 3
        assert made.facts["mean_moved"] == pytest.approx(0.1 / np.std([1.4, 2, 3, 4]))
        assert made.facts["sd_moved"] == pytest.approx(np.std([1, 2, 3, 4]) / np.std([1.4, 2, 3, 4]) - 1)

    def test_a_point_mass_is_not_moved(self, rng):
        income = Attribute("income", low=0, masses=(0.0,))
        values = np.concatenate([np.zeros(50), rng.normal(5, 4, 150)])
        made = income.balanced(values, np.ones((200, 1)))
        assert (made[:50] == 0).all()
        assert made.mean() == pytest.approx(values.mean())

    def test_a_measure_of_numbers_leaves_categories_out(self, rng):
        values = np.column_stack([rng.random((50, 2)), rng.integers(0, 3, 50)])
        released = np.column_stack([values[:, :2] + 0.01, values[::-1, 2]])
        both = Attributes((INCOME, Attribute("tax"), REGION))
        found = measures.measure("pil", values, released, values[:, :0], {}, both)
        assert found == pytest.approx(measures.measure("pil", values[:, :2], released[:, :2], values[:, :0]))
        with pytest.raises(SdclabError, match="measure pil: compares numbers, but no dependent is one"):
            measures.measure("pil", values[:, 2:], released[:, 2:], values[:, :0], {}, Attributes((REGION,)))
