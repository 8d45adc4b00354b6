"""Exactness where the data are rank-deficient, badly scaled or few."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import lstsq

from sdclab.base.errors import SdclabError
from sdclab.numerics.linalg import Terms, centred, centred_basis, fitted, residuals, same_gram, standardised, upright


def deficient(seed: int, n: int, p: int, rank: int) -> np.ndarray:
    """n records of p attributes with a given rank, in units that differ by powers of ten."""
    rng = np.random.default_rng(seed)
    units = 10.0 ** rng.integers(-3, 6, p)
    return rng.standard_normal((n, rank)) @ rng.standard_normal((rank, p)) * units + 5 * units


matrices = st.builds(
    deficient,
    seed=st.integers(0, 2**32),
    n=st.integers(20, 60),
    p=st.integers(1, 6),
    rank=st.integers(1, 4),
)


@settings(max_examples=60)
@given(matrices, st.integers(0, 2**32))
def test_same_gram_keeps_the_gram_matrix_and_avoids_the_basis(pattern, seed):
    basis = centred_basis(np.random.default_rng(seed).standard_normal((len(pattern), 3)))
    made = same_gram(pattern, basis, np.random.default_rng(seed + 1), within=False)
    size = np.linalg.norm(pattern, axis=0)
    gram = pattern.T @ pattern
    assert np.abs(made.T @ made - gram).max() <= 1e-8 * np.abs(gram).max()
    assert np.abs(basis.T @ made / size).max() < 1e-8


@settings(max_examples=40)
@given(matrices, st.integers(0, 2**32))
def test_fitted_values_are_those_of_ordinary_least_squares(x, seed):
    y = np.random.default_rng(seed).standard_normal((len(x), 2))
    ours = fitted(centred_basis(x), y)
    scaled = np.column_stack([np.ones(len(x)), (x - x.mean(axis=0)) / x.std(axis=0)])
    theirs = scaled @ lstsq(scaled, y, cond=1e-9)[0]
    np.testing.assert_allclose(ours, theirs, atol=1e-7)


def test_residuals_are_orthogonal_to_the_regressors_in_raw_units(rng):
    x = rng.normal(1e6, 10, (200, 3))
    errors = residuals(centred_basis(x), rng.standard_normal((200, 2)))
    assert np.abs(errors.T @ (x - x.mean(axis=0))).max() < 1e-8
    assert np.abs(errors.sum(axis=0)).max() < 1e-10


def test_the_sign_of_the_first_record_is_drawn():
    """LAPACK's QR fixes signs by the first record; the sampler must undo that."""
    basis = centred_basis(np.empty((8, 0)))
    pattern = residuals(basis, np.random.default_rng(0).standard_normal((8, 2)))
    signs = [np.sign(same_gram(pattern, basis, np.random.default_rng(i))[0]) for i in range(400)]
    assert np.abs(np.mean(signs, axis=0)).max() < 0.2  # four standard errors


def test_the_units_of_a_column_do_not_decide_its_rank(rng):
    pattern = residuals(centred_basis(np.empty((200, 0))), rng.standard_normal((200, 2)) * [1e12, 1])
    made = same_gram(pattern, centred_basis(np.empty((200, 0))), rng)
    np.testing.assert_allclose(made.std(axis=0), pattern.std(axis=0), rtol=1e-8)


def test_rounding_beside_a_large_mean_is_no_rank(rng):
    """Two records have one difference; centred in floating point they seem to have two."""
    records = 1234567.991 + 1e-2 * rng.standard_normal((2, 3))
    made = same_gram(records - records.mean(axis=0), centred_basis(np.empty((2, 0))), rng)
    np.testing.assert_allclose(np.abs(made), np.abs(records - records.mean(axis=0)), atol=1e-8)


def test_deviations_are_right_however_large_the_mean(rng):
    """Multiples of 2^-8 beside 2^40: sums of them are exact, so the true deviations are known."""
    small = rng.integers(-500, 500, (1024, 2)) / 256
    expected = small - small.mean(axis=0)
    np.testing.assert_allclose(centred(small + 2.0**40), expected, atol=1e-12)
    assert (centred(np.full((1000, 1), 0.1)) == 0).all()


def test_too_few_records_are_refused(rng):
    with pytest.raises(SdclabError, match=r"4 records are too few.*at least 6"):
        same_gram(rng.standard_normal((4, 3)), centred_basis(rng.standard_normal((4, 2))), rng, within=False)


def test_a_constant_is_standardised_to_zero():
    x = np.column_stack([np.full(1000, 0.1) * 3, np.arange(1000.0)])
    assert (standardised(x)[:, 0] == 0).all()
    np.testing.assert_allclose(standardised(x)[:, 1].std(), 1)


def test_terms_are_uncorrelated_and_span_the_attributes(census):
    terms = Terms.of(census.values)(census.values)
    assert terms.shape[1] == 13  # an intercept, and 12 for the rank of 12
    np.testing.assert_allclose(terms.T @ terms / len(terms), np.eye(13), atol=1e-9)
    left = census.values - terms @ np.linalg.lstsq(terms, census.values)[0]
    assert (np.abs(left) < 1e-9 * np.abs(census.values).max(axis=0)).all()


def test_a_release_does_not_depend_on_the_signs_of_singular_vectors(rng, monkeypatch):
    """LAPACK may return any axis reversed, and does so for a singular pattern by the kernel that it runs on."""
    pattern = rng.standard_normal((40, 3)) @ rng.standard_normal((3, 5))
    ones = centred_basis(np.empty((40, 0)))
    expected = same_gram(pattern, ones, np.random.default_rng(1))
    svd = np.linalg.svd

    def reversed_axes(x, full_matrices):
        u, s, axes = svd(x, full_matrices=full_matrices)
        return -u, s, -axes

    monkeypatch.setattr(np.linalg, "svd", reversed_axes)
    np.testing.assert_allclose(same_gram(pattern, ones, np.random.default_rng(1)), expected, atol=1e-12)


def test_an_upright_axis_has_its_largest_component_first_of_equals_positive():
    half = np.sqrt(0.5)
    axes = np.array([[half, -half], [-half, np.nextafter(half, 1)], [0.6, -0.8]])
    np.testing.assert_allclose(upright(axes), [[half, -half], [half, -half], [-0.6, 0.8]])
    assert upright(np.empty((0, 0))).shape == (0, 0)
