"""Statistics of parts of a file add up, and what methods make of them is what they make of the file in one piece."""

from functools import reduce
from inspect import signature
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdclab import methods
from sdclab.base.errors import SdclabError
from sdclab.numerics.scatter import Joint, Scatter

PARTITIONINGS = ([], [1], [299], [1, 2, 3, 4], [7, 150, 151, 290], list(range(10, 300, 10)))
"""Where 300 records are cut: in one piece, a record alone at either end, records alone, uneven, even."""


def records(n=300, offset=0.0, seed=1):
    """Dependents and independents that hang together; the third dependent and the fourth independent follow."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, 3)) * [1, 100, 1e-3]
    y = x @ rng.standard_normal((3, 2)) + rng.gamma(2.0, 3.0, (n, 2))
    return np.column_stack([y, y.sum(axis=1)]) + offset, np.column_stack([x, x[:, 0] - x[:, 1]]) + offset


def joint(y, x, draws, cuts):
    parts = np.split(np.column_stack([y, draws, x]), cuts)
    return Joint(reduce(add, map(Scatter.of, parts)), y.shape[1])


def mapped(method, cuts, y, x, parameters, seed=3):
    """A release part by part, by the statistics of all parts."""
    draws = np.random.default_rng(seed).standard_normal(y.shape)
    found = methods.affine(method, joint(y, x, draws, cuts), parameters)
    parts = zip(*(np.split(each, cuts) for each in (y, draws, x)), strict=True)
    return np.concatenate([found(*part) for part in parts])


def assert_same_moments(one, other, beside):
    """Means, and covariances with each other and with what stands beside, in units of the SDs, to 1e-9."""
    assert np.abs((one.mean(axis=0) - other.mean(axis=0)) / other.std(axis=0)).max() < 1e-9
    size = np.sqrt(np.outer(other.var(axis=0, ddof=1), np.column_stack([other, beside]).var(axis=0, ddof=1)))
    p = one.shape[1]
    first, then = (np.cov(np.column_stack([each, beside]), rowvar=False)[:p] for each in (one, other))
    assert (np.abs(first - then) / size).max() < 1e-9


@given(
    values=st.lists(st.tuples(*[st.integers(-(10**6), 10**6)] * 3), min_size=2, max_size=40),
    cuts=st.lists(st.integers(1, 39), max_size=6, unique=True),
)
def test_parts_add_up_to_the_covariance_of_all(values, cuts):
    values = np.array(values) / 7
    found = reduce(add, (Scatter.of(part) for part in np.split(values, sorted(cuts)) if len(part)))
    size = np.abs(values).max() or 1.0
    assert found.count == len(values)
    assert np.allclose(found.mean / size, values.mean(axis=0) / size, rtol=0, atol=1e-13)
    expected = np.cov(values / size, rowvar=False) * (len(values) - 1)
    assert np.allclose(found.products / size**2, expected, rtol=0, atol=1e-12 * len(values))


@pytest.mark.parametrize("cuts", PARTITIONINGS, ids=str)
def test_a_large_mean_does_not_blur_a_small_variance(cuts):
    """Means of 1e9 beside SDs of 1: taken from moments about zero, nothing would be left of the variance."""
    small = np.round(np.random.default_rng(2).standard_normal((300, 2)), 3)
    values = np.round((small + 1e9) * 1024) / 1024  # numbers that can be held exactly
    found = reduce(add, map(Scatter.of, np.split(values, cuts)))
    exact = values - 1e9
    assert np.allclose(found.products, np.cov(exact, rowvar=False) * 299, rtol=1e-10)
    assert np.allclose((found.mean - 1e9) + found.rest, exact.mean(axis=0), rtol=0, atol=1e-12)


def test_columns_that_a_part_lacks_are_zero_in_it():
    values = np.random.default_rng(4).standard_normal((30, 2))
    whole = np.column_stack([np.append(values[:20, 0], np.zeros(10)), np.append(np.zeros(20), values[20:, 1])])
    first, then = Scatter.of(values[:20, :1]).among([0], 2), Scatter.of(values[20:, 1:]).among([1], 2)
    assert np.allclose((first + then).products, np.cov(whole, rowvar=False) * 29)


@pytest.mark.parametrize("cuts", PARTITIONINGS, ids=str)
class TestReleases:
    """The closed forms of the methods hold for a release made in parts, whatever the parts."""

    def test_ipso_c_keeps_all_moments(self, cuts):
        y, x = records()
        assert_same_moments(mapped("ipso_c", cuts, y, x, {}), y, x)

    def test_ipso_c_keeps_them_beside_a_large_mean(self, cuts):
        y, x = records(offset=1e5)
        made = mapped("ipso_c", cuts, y, x, {})
        assert_same_moments(made - 1e5, y - 1e5, x - 1e5)

    def test_noise_cov_keeps_means_and_covariances(self, cuts):
        y, x = records()
        made = mapped("noise_cov", cuts, y, x, {"c": 0.3})
        assert_same_moments(made, y, np.empty((len(y), 0)))

    def test_noise_is_the_same_as_in_one_piece(self, cuts):
        y, x = records()
        draws = np.random.default_rng(3)
        made = methods.protect("noise", y, x, draws, {"p": 0.2})
        assert np.allclose(mapped("noise", cuts, y, x, {"p": 0.2}), made, rtol=1e-11)

    def test_noise_cov_that_is_not_exact_has_the_covariances_it_should(self, cuts):
        """Given the draws, Xm = E + (D + sqrt(c) Z F) / sqrt(1 + c) with F'F the covariances, for any root F."""
        y, x = records()
        c = 0.3
        made = mapped("noise_cov", cuts, y, x, {"c": c, "exact": False})
        draws = np.random.default_rng(3).standard_normal(y.shape)
        noise = ((made - y.mean(axis=0)) * np.sqrt(1 + c) - (y - y.mean(axis=0))) / np.sqrt(c)
        factor = np.linalg.lstsq(draws, noise, rcond=None)[0]
        assert np.allclose(draws @ factor, noise, atol=1e-9)
        assert np.allclose(factor.T @ factor, np.cov(y, rowvar=False), rtol=1e-8)

    def test_ipso_a_is_the_same_as_in_one_piece(self, cuts):
        y, x = records()
        made = methods.protect("ipso_a", y, x, np.random.default_rng(0), {})
        assert np.allclose(mapped("ipso_a", cuts, y, x, {}), made, rtol=1e-8, atol=1e-9)

    @pytest.mark.parametrize("reading", ["burridge", "thesis"])
    def test_ipso_b_keeps_the_regression(self, cuts, reading):
        y, x = records()
        made = mapped("ipso_b", cuts, y, x, {"reading": reading})
        ones = np.column_stack([np.ones(len(x)), x[:, :3]])
        was, now = (np.linalg.lstsq(ones, each, rcond=None)[0] for each in (y, made))
        assert np.allclose(now, was, rtol=1e-8, atol=1e-8)

    def test_ipso_b_of_the_thesis_is_the_same_as_in_one_piece(self, cuts):
        y, x = records()
        made = methods.protect("ipso_b", y, x, np.random.default_rng(3), {"reading": "thesis"})
        assert np.allclose(mapped("ipso_b", cuts, y, x, {"reading": "thesis"}), made, rtol=1e-7, atol=1e-7)

    def test_an_identity_of_dependents_holds(self, cuts):
        y, x = records()
        made = mapped("ipso_c", cuts, y, x, {})
        assert np.abs(made[:, 0] + made[:, 1] - made[:, 2]).max() < 1e-5 * y.std()


def test_ipso_b_of_burridge_has_the_estimated_residual_covariance():
    """Over many draws: the noise's covariances are those of the residuals over their degrees of freedom."""
    y, x = records(400)
    fit = methods.protect("ipso_a", y, x, np.random.default_rng(0), {})
    left = y - fit
    expected = left.T @ left / (400 - 4)
    found = [np.cov(mapped("ipso_b", [100], y, x, {}, seed) - fit, rowvar=False) for seed in range(60)]
    assert np.allclose(np.mean(found, axis=0), expected, rtol=0.1, atol=0.05 * expected.max())


def test_no_independents():
    y, _ = records()
    x = np.empty((300, 0))
    assert_same_moments(mapped("ipso_c", [5], y, x, {}), y, x)


def test_a_constant_takes_no_part():
    y, x = records()
    constant = np.column_stack([x, np.full(300, 1e6)])
    assert np.allclose(mapped("ipso_a", [5], y, constant, {}), mapped("ipso_a", [5], y, x, {}))


def test_too_few_records_are_refused():
    y, x = records(7)
    with pytest.raises(SdclabError, match="7 records are too few: 3 attributes beside a model of 5 terms"):
        mapped("ipso_c", [2], y, np.column_stack([x[:, :3], np.arange(7.0) ** 2]), {})


def test_what_adds_up():
    found = [name for name in methods.METHODS if methods.adds_up(name)]
    assert found == ["ipso_a", "ipso_b", "ipso_c", "noise", "noise_cov"]
    for name in found:
        parameters = signature(methods.METHODS.declared(name, "affine", None)).parameters
        assert {*methods.METHODS.parameters(name)} == {*parameters} - {"joint"}
