"""Logistic regression against statsmodels where it converges, and where plain IRLS does not."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from sdclab.linalg import centred_basis, with_intercept
from sdclab.logistic import fit


def one_hot(category: np.ndarray) -> np.ndarray:
    return (category[:, None] == np.arange(category.max() + 1)).astype(float)


def null_log_likelihood(shares: np.ndarray) -> float:
    return float((shares * np.log(shares.mean(axis=0))).sum())


def test_two_categories_are_those_of_statsmodels(rng):
    x = with_intercept(rng.standard_normal((500, 4)))
    t = (rng.random(500) < 1 / (1 + np.exp(-x @ [0.3, 1, -2, 0.5, 0]))).astype(int)
    theirs = sm.Logit(t, x).fit(disp=0, tol=1e-12)
    ours = fit(x, one_hot(t))
    assert ours.converged
    np.testing.assert_allclose(ours.coefficients[:, 0], theirs.params, atol=1e-6)
    np.testing.assert_allclose(ours.covariance, theirs.cov_params(), rtol=1e-4, atol=1e-8)
    np.testing.assert_allclose(ours.log_likelihood, theirs.llf, atol=1e-8)


def test_several_categories_are_those_of_statsmodels(rng):
    x = with_intercept(rng.standard_normal((800, 2)))
    utility = x @ rng.standard_normal((3, 4)) + rng.gumbel(size=(800, 4))
    category = utility.argmax(axis=1)
    theirs = sm.MNLogit(category, x).fit(disp=0, method="newton", maxiter=100, tol=1e-12)
    ours = fit(x, one_hot(category))
    np.testing.assert_allclose(ours.coefficients, np.asarray(theirs.params), atol=1e-5)
    np.testing.assert_allclose(ours.probabilities, theirs.predict(x), atol=1e-6)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), n=st.integers(30, 120), shape=st.sampled_from([1.0, 3.0, 6.0]))
def test_it_never_ends_below_the_null_model(seed, n, shape):
    """Heavy tails are what makes plain IRLS overshoot."""
    rng = np.random.default_rng(seed)
    x = centred_basis(rng.standard_normal((n, 3)) ** shape) * np.sqrt(n)
    shares = one_hot(np.concatenate([np.zeros(n // 2, int), np.ones(n - n // 2, int)]))
    made = fit(x, shares)
    assert made.log_likelihood >= null_log_likelihood(shares) - 1e-9
    assert np.isfinite(made.probabilities).all()
    gradient = x.T @ (shares - made.probabilities)
    assert np.abs(gradient).max() < 1e-2


def test_perfect_separation_ends_with_every_record_told_apart():
    x = with_intercept(np.arange(20.0)[:, None] / 20)
    made = fit(x, one_hot((np.arange(20) >= 10).astype(int)))
    assert made.converged
    assert np.isfinite(made.coefficients).all()
    assert made.log_likelihood > -1e-6


def test_a_prior_bounds_the_coefficients_under_separation():
    x = with_intercept(np.linspace(-1, 1, 40)[:, None])
    made = fit(x, one_hot((x[:, 1] > 0).astype(int)), precision=1.0)
    score = x[:, 1] @ ((x[:, 1] > 0) - made.probabilities[:, 1])
    assert score == pytest.approx(made.coefficients[1, 0], rel=1e-6)  # likelihood and prior balance
    assert made.coefficients[1, 0] < 10


def test_a_repeated_term_changes_no_probability(rng):
    x = with_intercept(rng.standard_normal((100, 2)))
    shares = one_hot((rng.random(100) < 0.4).astype(int))
    twice = fit(np.column_stack([x, x[:, 1]]), shares)
    np.testing.assert_allclose(twice.probabilities, fit(x, shares).probabilities, atol=1e-5)


def test_many_categories_far_apart_leave_an_information_that_rounding_makes_indefinite(rng, monkeypatch):
    """With nearly all probabilities at 0 or 1 Cholesky fails, and the eigenvalues take over."""
    category = np.repeat(np.arange(10), 30)
    x = with_intercept(np.column_stack([category / 10, (category / 10) ** 2, rng.standard_normal((300, 3))]))
    indefinite = []
    eigh = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda a: indefinite.append(len(a)) or eigh(a))
    made = fit(x, one_hot(category))
    assert indefinite
    assert np.isfinite(made.coefficients).all()
    assert made.log_likelihood > -1e-3
