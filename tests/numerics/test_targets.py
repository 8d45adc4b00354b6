import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import genpareto, kstest, skew

from sdclab.numerics.targets import HEAVIEST, SHAPES, SKEWNESS, drawn, shaped, target

groups = arrays(float, st.integers(3, 40), elements=st.floats(-1e6, 1e6, width=32)).map(np.sort)


def close(made, group):
    scale = np.abs(group).max()
    assert made.mean() == pytest.approx(group.mean(), abs=1e-12 * scale)
    assert made.std() == pytest.approx(group.std(), abs=1e-9 * scale)


class TestShapes:
    @given(group=groups)
    def test_a_shape_has_the_mean_and_the_variance_of_its_group(self, group):
        close(shaped(group), group)

    @given(group=groups, seed=st.integers(0, 2**32 - 1))
    def test_so_have_draws(self, group, seed):
        assume(np.ptp(group) > 0)
        made = drawn(group, float(group[0]), np.random.default_rng(seed))
        close(made, group)
        assert (np.diff(made) >= 0).all()

    def test_skewness_is_that_of_scipy(self):
        some = SHAPES[5::20]
        np.testing.assert_allclose(SKEWNESS[5::20], [float(genpareto.stats(each, moments="s")) for each in some])

    @pytest.mark.parametrize("shape", [-1.0, -0.5, 0.0])
    def test_a_group_of_a_shape_comes_out_as_it(self, shape):
        """Quantiles of a distribution of the family are given back, whichever way it leans."""
        group = genpareto.ppf((np.arange(500) + 0.5) / 500, shape)
        np.testing.assert_allclose(shaped(group), group, atol=0.02 * group.std() * (1 + 8 * (shape == 0)))
        np.testing.assert_allclose(shaped(-group[::-1]), -shaped(group)[::-1])

    def test_a_group_that_leans_makes_a_shape_that_leans(self, rng):
        group = np.sort(rng.lognormal(0, 1, 40))
        assert 0.5 < skew(shaped(group)) < skew(group) + 0.5

    def test_equal_values_stay_what_they_are(self):
        np.testing.assert_allclose(shaped(np.full(5, 3.25)), 3.25)

    def test_an_end_follows_its_tail(self):
        """Draws from a tail of a known shape have its distribution, and not that of another."""
        tail = genpareto.ppf((np.arange(2000) + 0.5) / 2000, -0.3)
        made = drawn(tail, 0.0, np.random.default_rng(5))
        assert kstest(made, genpareto(-0.3).cdf).pvalue > 0.001
        assert kstest(made, genpareto(0.0, scale=tail.mean()).cdf).pvalue < 0.001

    def test_one_far_record_is_not_drawn_again(self):
        """All variance of the end is one record's: no draw of the heaviest allowed tail comes near."""
        end = np.append(np.linspace(1, 2, 24), 1000.0)
        for seed in range(20):
            assert abs(drawn(end, 1.0, np.random.default_rng(seed)).max() - 1000) > 1
        assert HEAVIEST < 0.5


class TestTarget:
    @given(values=arrays(float, st.integers(25, 200), elements=st.floats(0, 1e4, width=16)), seed=st.integers(0, 99))
    def test_mean_and_variance_stay_and_values_ascend(self, values, seed):
        made = target(values, 5, np.random.default_rng(seed))
        close(made.values, values)
        assert (np.diff(made.values) >= 0).all()
        assert len(made.atoms) == len(values)

    def test_atoms_are_the_values_that_k_records_share(self, rng):
        values = np.concatenate([np.zeros(30), np.full(9, 5.5), np.full(10, 7.5), rng.gamma(2, 3, 151)])
        made = target(values, 10, rng)
        assert set(made.values[made.atoms]) == {0.0, 7.5}
        assert made.atoms.sum() == 40

    def test_nothing_but_atoms_stays_as_it_is(self, rng):
        values = rng.integers(0, 4, 200) * 1.0
        made = target(values, 10, rng)
        np.testing.assert_array_equal(made.values, np.sort(values))
        assert made.atoms.all()

    def test_few_others_dissolve_the_smallest_atom(self, rng):
        """Three other values would be three records; with the atom of 10 they are 13."""
        values = np.concatenate([np.zeros(50), np.ones(10), [2.0, 3.0, 4.0]])
        made = target(values, 10, rng)
        assert made.atoms.sum() == 50
        assert not np.isin([1.0, 2.0, 3.0, 4.0], made.values).any()
        close(made.values, values)

    def test_no_value_of_a_record_stands_in_it(self, rng):
        values = rng.lognormal(3, 1, 1000)
        made = target(values, 10, rng)
        assert np.isin(values, made.values).sum() == 0

    def test_only_the_ends_are_random(self, rng):
        values = rng.lognormal(3, 1, 1000)
        one, two = (target(values, 10, np.random.default_rng(seed)).values for seed in (1, 2))
        np.testing.assert_array_equal(one[40:-40], two[40:-40])
        assert (one[:20] != two[:20]).all()
        assert (one[-20:] != two[-20:]).all()

    def test_a_group_hides_its_records(self, rng):
        """Of what records of one group trade among each other, the target shows less than the file does."""
        values = np.arange(100.0)
        changed = values.copy()
        changed[43:47] += [0.3, -0.3, -0.3, 0.3]
        one, two = (target(each, 20, np.random.default_rng(1)).values for each in (values, changed))
        np.testing.assert_allclose(one, two, atol=0.1)
        assert np.abs(one - two).max() < np.abs(np.sort(changed) - values).max()
