"""ci_overlap against statsmodels' intervals and closed forms."""

import numpy as np
import pytest
import statsmodels.api as sm

from sdclab.measures import measure
from sdclab.measures.ci_overlap import overlaps
from sdclab.methods import protect
from sdclab.microdata.attribute import Attribute, Attributes

REGION = Attribute("region", "nominal", categories=("east", "north", "west"))
NUMBER = Attribute("number")


def overlap(original, protected, independent=None, columns=None):
    beside = np.empty((len(original), 0)) if independent is None else independent
    found = measure("ci_overlap", original, protected, beside, {}, columns)
    assert found["ci_loss"] == pytest.approx(100 - found["ci_overlap"], nan_ok=True)
    return found["ci_overlap"]


def by_statsmodels(before, after, responses):
    """The mean over all slopes, from printed intervals, one by one."""
    found = []
    for j in responses:
        first, second = (
            sm.OLS(x[:, j], sm.add_constant(np.delete(x, j, axis=1))).fit().conf_int()[1:] for x in (before, after)
        )
        for (low, high), (new_low, new_high) in zip(first, second, strict=True):
            common = max(0.0, min(high, new_high) - max(low, new_low))
            found.append((common / (high - low) + common / (new_high - new_low)) / 2)
    return 100 * np.mean(found)


def related(rng, n=200, p=4):
    return rng.lognormal(0, 0.5, (n, p)) @ (np.eye(p) + rng.random((p, p)))


class TestIntervals:
    @pytest.mark.parametrize(
        ("slope", "error", "share"),
        [(0, 1, 1), (1, 1, 0.5), (2, 1, 0), (5, 1, 0), (0, 0.5, 0.75), (1, 0.5, 3 / 8), (0, 0, 0.5), (3, 0, 0)],
        ids="same half touching apart inside partly point outside".split(),
    )
    def test_by_hand(self, slope, error, share):
        """Beside the interval from -1 to 1."""
        assert overlaps(*np.array([[0.0], [1.0], [slope], [error]]), reach=1.0) == pytest.approx([share])

    def test_two_points(self):
        assert overlaps(*np.array([[2.0, 2.0], [0, 0], [2.0, 2.1], [0, 0]]), reach=2.0).tolist() == [1, 0]


class TestValues:
    def test_equals_statsmodels(self, rng):
        original, x = np.split(related(rng), 2, axis=1)
        protected = original + 0.3 * rng.standard_normal(original.shape)
        expected = by_statsmodels(np.hstack([original, x]), np.hstack([protected, x]), [0, 1])
        assert overlap(original, protected, x) == pytest.approx(expected)
        assert 20 < expected < 90

    def test_of_categories_equals_that_of_indicators(self, rng):
        """Of all but the most frequent one, here the last."""
        codes = np.repeat([0.0, 1, 2], [40, 60, 100])
        y = np.column_stack([codes, rng.normal(codes, 1), rng.normal(0, 1, 200)])
        released = np.column_stack([rng.permutation(codes), y[:, 1:] + 0.3 * rng.standard_normal((200, 2))])

        def by_hand(x):
            return np.column_stack([x[:, 0] == 0, x[:, 0] == 1, x[:, 1:]]).astype(float)

        expected = by_statsmodels(by_hand(y), by_hand(released), [2, 3])
        assert overlap(y, released, columns=Attributes((REGION, NUMBER, NUMBER))) == pytest.approx(expected)

    @pytest.mark.parametrize("units", [1.0, np.array([1e-9, 1e6, 3.0, 1e12])])
    def test_does_not_depend_on_units(self, rng, units):
        original = related(rng)
        protected = original + 0.2 * rng.standard_normal(original.shape)
        found = overlap(original * units + 5 * units, protected * units + 5 * units)
        assert found == pytest.approx(overlap(original, protected), rel=1e-6)

    def test_two_samples_overlap_by_71_per_cent(self):
        """Equal widths of 2 × 1.96 errors, shifted by |N(0, 2)| errors: 1 - sqrt(4/pi) / 3.92, with rare ones apart."""
        rng = np.random.default_rng(4)
        found = [overlap(*rng.standard_normal((2, 500, 4))) for _ in range(40)]
        assert np.mean(found) == pytest.approx(100 * (1 - np.sqrt(4 / np.pi) / 3.92), abs=4)

    def test_what_keeps_means_and_covariances_has_all(self, rng):
        x = related(rng)
        assert overlap(x[:, :2], protect("ipso_c", x[:, :2], x[:, 2:], rng, {}), x[:, 2:]) == pytest.approx(100)

    def test_an_exact_relation_is_left_out(self, rng):
        x = related(rng, p=3)
        released = x + 0.2 * rng.standard_normal(x.shape)
        both = (np.column_stack([each, each[:, 0] - each[:, 1]]) for each in (x, released))
        assert overlap(*both) == pytest.approx(overlap(x, released))

    @pytest.mark.parametrize("shape", [(30, 1), (2, 2)])
    def test_is_not_defined_without_other_attributes_or_with_two_records(self, rng, shape):
        assert np.isnan(overlap(*rng.standard_normal((2, *shape))))

    def test_is_not_defined_where_no_dependent_is_a_number(self, rng):
        codes = rng.integers(0, 3, (50, 1)).astype(float)
        assert np.isnan(overlap(codes, codes, rng.standard_normal((50, 2)), Attributes((REGION,), (NUMBER, NUMBER))))
