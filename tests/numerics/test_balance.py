"""Numbers inside bounds that keep their sums of products: by the equation itself, and beside a general optimiser."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from sdclab.numerics.balance import balanced
from sdclab.numerics.linalg import centred_basis


def released(rng, n=300, areas=3):
    """Numbers of which one in five is negative, and a basis of areas: their originals were positive."""
    area = rng.integers(0, areas, n)
    original = rng.gamma(0.8, 10 * (1 + area))
    basis = centred_basis((area[:, None] == np.arange(1, areas)).astype(float))
    noise = rng.standard_normal(n)
    noise -= basis @ (basis.T @ noise)
    fit = basis @ (basis.T @ original)
    return fit + noise * (original - fit).std() / noise.std(), basis, area


@given(st.integers(0, 2**32))
@settings(deadline=None)
def test_what_is_released_lies_inside_and_has_the_products_that_it_had(seed):
    values, basis, area = released(np.random.default_rng(seed))
    made = balanced(values, basis, 0, np.inf)
    assert made.min() >= 0
    np.testing.assert_allclose(basis.T @ made, basis.T @ values, atol=1e-8 * np.linalg.norm(values))
    for code in range(3):
        assert made[area == code].mean() == pytest.approx(values[area == code].mean())


def test_numbers_inside_their_bounds_stay_as_they_are(rng):
    values = rng.random(50)
    assert np.array_equal(balanced(values, centred_basis(rng.random((50, 2))), 0, 1), values)


def test_it_is_where_the_convex_function_has_its_least_value(rng):
    """The sum of the integrals of clip(v + b x), less b times the products: its gradient is what is solved for."""
    values, basis, _ = released(rng, 80)

    def integral(b):
        moved = values + basis @ b
        return 0.5 * np.sum(np.maximum(moved, 0) ** 2) - b @ (basis.T @ values)

    found = minimize(integral, np.zeros(basis.shape[1]), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    expected = np.maximum(values + basis @ found.x, 0)
    np.testing.assert_allclose(balanced(values, basis, 0, np.inf), expected, atol=1e-4 * values.std())


def test_a_mean_beyond_a_bound_cannot_be_kept():
    made = balanced(np.array([-5.0, -3, -1, -2]), centred_basis(np.empty((4, 0))), 0, np.inf)
    assert made.tolist() == [0, 0, 0, 0]


def test_two_bounds(rng):
    values = rng.normal(0.5, 0.6, 400)
    basis = centred_basis(rng.standard_normal((400, 2)))
    made = balanced(values, basis, 0, 1)
    assert made.min() == 0
    assert made.max() == 1
    np.testing.assert_allclose(basis.T @ made, basis.T @ values, atol=1e-8)
