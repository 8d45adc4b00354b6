"""Logistic regression against statsmodels where it converges, and where plain IRLS does not."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from sdclab.numerics.linalg import centred_basis, with_intercept
from sdclab.numerics.logistic import firth, fit


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


@pytest.mark.parametrize("table", [[[3, 17], [12, 8]], [[0, 20], [5, 300]], [[0, 9], [7, 0]]])
def test_firth_adds_half_a_record_to_every_cell_of_a_table(table):
    """A known closed form, also where a cell is empty and maximum likelihood lies at infinity."""
    x = np.repeat([0.0, 0.0, 1.0, 1.0], np.ravel(table))
    y = np.repeat([1.0, 0.0, 1.0, 0.0], np.ravel(table))
    b, covariance = firth(with_intercept(x[:, None]), y)
    (a, c), (d, e) = np.array(table) + 0.5
    np.testing.assert_allclose(b, [np.log(a / c), np.log(d / e) - np.log(a / c)], atol=1e-4)
    p = np.array([a / (a + c), d / (d + e)])
    weight = np.sum(table, axis=1) * p * (1 - p)
    np.testing.assert_allclose(covariance[1, 1], (1 / weight).sum(), rtol=1e-3)


def test_firth_ends_where_another_optimiser_does(rng):
    x = with_intercept(rng.standard_normal((60, 3)))
    y = (rng.random(60) < expit(x @ [-1.5, 1, 2, 0])).astype(float)

    def loss(b):
        p = expit(x @ b)
        information = x.T @ ((p * (1 - p))[:, None] * x)
        return -(y @ np.log(p) + (1 - y) @ np.log1p(-p) + np.linalg.slogdet(information)[1] / 2)

    theirs = minimize(loss, np.zeros(4), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 9999})
    np.testing.assert_allclose(firth(x, y)[0], theirs.x, atol=1e-4)


def test_firth_has_not_the_bias_of_maximum_likelihood(rng):
    truth = np.array([0.5, 1.0, -1.0])
    plain, penalised = [], []
    for _ in range(400):
        x = rng.standard_normal((60, 3))
        y = (rng.random(60) < expit(x @ truth)).astype(int)
        plain.append(fit(with_intercept(x), one_hot(y)).coefficients[1:, 0] @ truth)
        penalised.append(firth(with_intercept(x), y)[0][1:] @ truth)
    assert np.mean(plain) / (truth @ truth) > 1.08
    assert np.mean(penalised) / (truth @ truth) == pytest.approx(1, abs=0.04)


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
