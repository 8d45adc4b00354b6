import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from sdclab.numerics.calibration import Moments, calibrated, moment_error
from sdclab.numerics.linalg import standardised

FREE = np.array([-np.inf, -np.inf]), np.array([np.inf, np.inf])


def problem(seed, n=40, noise=0.05):
    """Dependents, an independent, values near to the dependents, and weights."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, 1))
    y = standardised(x @ [[0.5, -1.0]] + rng.gamma(2.0, 1.0, (n, 2)))
    return y, x, y[rng.permutation(n)] + noise * rng.standard_normal((n, 2)), rng.uniform(0.01, 1, (n, 2))


def moved(y, rng, noise=0.05):
    return y + noise * rng.standard_normal(y.shape)


class TestNearest:
    @given(seed=st.integers(0, 2**32 - 1))
    def test_all_moments_are_exact(self, seed):
        y, x, values, _ = problem(seed)
        made = Moments.of(y, x).nearest(values, np.random.default_rng(0))
        assert moment_error(y, made, x) < 1e-12
        np.testing.assert_allclose(np.cov(made.T, x.T), np.cov(y.T, x.T), atol=1e-12)
        np.testing.assert_allclose(made.mean(axis=0), y.mean(axis=0), atol=1e-12)

    def test_no_other_exact_values_are_nearer(self, rng):
        """Others are turned ones: residuals times a rotation, in the units in which they are uncorrelated."""
        y, x, values, _ = problem(1)
        moments = Moments.of(y, x)
        made = moments.nearest(values, rng)
        root = np.linalg.cholesky(moments.errors.T @ moments.errors).T
        for angle in np.linspace(-3, 3, 13):
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            fitted = moments.basis @ moments.products
            other = fitted + (made - fitted) @ np.linalg.inv(root) @ turn @ root
            assert moment_error(y, other, x) < 1e-12
            assert np.sum((made - values) ** 2) <= np.sum((other - values) ** 2) + 1e-9

    def test_values_that_do_not_vary_are_drawn_anew(self, rng):
        y, x, *_ = problem(2)
        made = Moments.of(y, x).nearest(np.zeros_like(y), rng)
        assert moment_error(y, made, x) < 1e-12


class TestCalibrated:
    @given(seed=st.integers(0, 2**32 - 1))
    def test_moments_are_exact_inside_the_bounds_and_cells_without_weight_stay(self, seed):
        y, x, _, weights = problem(seed, 120)
        start = moved(y, np.random.default_rng(seed))
        weights[::3] = 0
        low, high = start.min(axis=0) - 0.01, start.max(axis=0) + 0.05
        made = calibrated(start, weights, Moments.of(y, x), low, high)
        assert made is not None
        assert moment_error(y, made, x) < 1e-11
        assert (made >= low).all()
        assert (made <= high).all()
        assert (made[::3] == start[::3]).all()

    @pytest.mark.parametrize("bounded", [False, True])
    def test_a_general_optimiser_finds_no_less(self, bounded):
        """SLSQP with the same conditions, from the start and from our solution."""
        y, x, _, weights = problem(3, 20)
        start = moved(y, np.random.default_rng(4), 0.02)
        low, high = FREE
        if bounded:  # what would be the largest of each column, or is it now, must come down
            high = np.maximum(calibrated(start, weights, Moments.of(y, x), *FREE), start).max(axis=0) - 0.02
            start = np.minimum(start, high)
        made = calibrated(start, weights, Moments.of(y, x), low, high)

        def cost(flat):
            return np.sum((flat.reshape(start.shape) - start) ** 2 / weights)

        def missing(flat):
            values = flat.reshape(start.shape)
            off = np.cov(values.T, x.T, bias=True) - np.cov(y.T, x.T, bias=True)
            return np.array([*(values - y).mean(axis=0), *off[np.triu_indices(3)][:-1]])

        bounds = list(zip(np.tile(low, len(y)), np.tile(high, len(y)), strict=True))
        asked = {"bounds": bounds, "constraints": {"type": "eq", "fun": missing}, "options": {"maxiter": 500}}
        found = [minimize(cost, begin.ravel(), method="SLSQP", tol=1e-12, **asked) for begin in (start, made)]
        least = min(each.fun for each in found if np.abs(missing(each.x)).max() < 1e-7)
        assert cost(made.ravel()) == pytest.approx(least, rel=0.01)
        assert np.abs(missing(made.ravel())).max() < 1e-11
        assert (made <= high).all()
        assert (made == high).any() == bounded

    def test_where_nothing_may_move_there_is_no_solution(self):
        y, x, values, weights = problem(5)
        assert calibrated(values, np.zeros_like(weights), Moments.of(y, x), *FREE) is None

    def test_a_variance_that_the_bounds_do_not_allow_has_no_solution(self):
        y, x, _, weights = problem(6)
        low, high = np.full(2, -0.5), np.full(2, 0.5)
        assert calibrated(np.clip(y, low, high), weights, Moments.of(y, x), low, high) is None

    def test_exact_values_stay(self):
        y, x, _, weights = problem(7)
        np.testing.assert_array_equal(calibrated(y, weights, Moments.of(y, x), *FREE), y)

    def test_a_dependent_that_the_independents_nearly_tell(self, rng):
        """What a regression leaves is a millionth of it, and still exact."""
        x = rng.standard_normal((200, 2))
        y = np.column_stack([x[:, 0] + 1e-6 * rng.standard_normal(200), rng.standard_normal(200)])
        made = calibrated(moved(y, rng, 1e-7), np.ones_like(y), Moments.of(y, x), *FREE)
        assert moment_error(y, made, x) < 1e-11


class TestMomentError:
    def test_it_is_the_largest_in_sds(self, rng):
        y, x = 7 * rng.standard_normal((50, 2)), rng.standard_normal((50, 1))
        assert moment_error(y, y, x) == 0
        assert moment_error(y, y + np.array([0.7 * y[:, 0].std(), 0]), x) == pytest.approx(0.7)
        assert moment_error(y, y * [1, 1.1], x) == pytest.approx(0.21)

    def test_a_covariance_with_an_independent_counts(self, rng):
        """Only the second row moves, along x, and the spread of y is kept as good as that goes."""
        y = rng.standard_normal((5000, 1))
        x = rng.standard_normal((5000, 1))
        turned = np.cos(0.3) * y + np.sin(0.3) * x
        r = np.corrcoef(turned.T, x.T)[0, 1] - np.corrcoef(y.T, x.T)[0, 1]
        assert moment_error(y, turned, x) == pytest.approx(r, abs=0.03)

    def test_constants_do_not_count(self):
        y = np.column_stack([np.arange(5.0), np.ones(5)])
        assert moment_error(y, y, np.ones((5, 1))) == 0
