"""Attributes: what a released value must be, and what reaches a method."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdclab import measures, methods
from sdclab.base.errors import SdclabError
from sdclab.measures import MEASURES
from sdclab.methods import METHODS
from sdclab.microdata.attribute import Attribute, Attributes

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

    @given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.sampled_from(["clip", "reflect"]))
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

    def test_a_measure_of_numbers_leaves_categories_out(self, rng):
        values = np.column_stack([rng.random((50, 2)), rng.integers(0, 3, 50)])
        released = np.column_stack([values[:, :2] + 0.01, values[::-1, 2]])
        both = Attributes((INCOME, Attribute("tax"), REGION))
        found = measures.measure("pil", values, released, values[:, :0], {}, both)
        assert found == pytest.approx(measures.measure("pil", values[:, :2], released[:, :2], values[:, :0]))
        with pytest.raises(SdclabError, match="measure pil: compares numbers, but no dependent is one"):
            measures.measure("pil", values[:, 2:], released[:, 2:], values[:, :0], {}, Attributes((REGION,)))
