"""Logistic regression against statsmodels where it converges, and where plain IRLS does not."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from sdclab.numerics.linalg import Terms, centred_basis, with_intercept
from sdclab.numerics.logistic import PRIOR, Ridge, firth, fit, intercepts, raked, reweighted, ridge, softmax


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


def planted(rng: np.random.Generator, n: int, categories: int, terms: int) -> tuple[np.ndarray, np.ndarray]:
    """Uncorrelated terms after an intercept, and a category by utilities linear in them."""
    z = rng.standard_normal((n, terms))
    x = Terms.of(z)(z)
    utility = x @ rng.standard_normal((terms + 1, categories)) + rng.gumbel(size=(n, categories))
    return x, utility.argmax(axis=1)


def dense_information(model: Ridge) -> np.ndarray:
    """Category after category, by the definition: the sum of (diag(p) - p p') x x', and the ridge on slopes."""
    x, p = model.terms, model.probabilities
    whole = sum(np.kron(np.diag(q) - np.outer(q, q), np.outer(row, row)) for row, q in zip(x, p, strict=True))
    return whole + np.kron(np.eye(p.shape[1]), np.diag([0.0] + [PRIOR] * (x.shape[1] - 1)))


class TestRidge:
    @pytest.mark.parametrize("categories", [3, 7])
    def test_it_is_that_of_scikit_learn(self, rng, categories):
        x, category = planted(rng, 300, categories, 4)
        theirs = LogisticRegression(C=1 / PRIOR, tol=1e-10, max_iter=5000).fit(x[:, 1:], category)
        ours = ridge(x, one_hot(category))
        np.testing.assert_allclose(ours.probabilities, theirs.predict_proba(x[:, 1:]), atol=1e-4)
        np.testing.assert_allclose(ours.coefficients.sum(axis=1), 0, atol=1e-9)
        np.testing.assert_allclose(ours.coefficients[1:], theirs.coef_.T, atol=1e-3)

    def test_with_many_records_it_is_maximum_likelihood(self, rng):
        x, category = planted(rng, 20_000, 4, 2)
        theirs = sm.MNLogit(category, x).fit(disp=0, method="newton", maxiter=100, tol=1e-12)
        ours = ridge(x, one_hot(category)).coefficients
        np.testing.assert_allclose(ours[:, 1:] - ours[:, :1], np.asarray(theirs.params), atol=0.01)

    def test_the_gradient_vanishes_at_the_end(self, rng):
        """Rare categories overshoot: Newton steps must not creep there."""
        x, category = planted(rng, 1000, 3, 5)
        category[:3] = [3, 4, 5]  # one record each
        x = Terms.of(rare := np.column_stack([x[:, 1:], np.eye(1000)[:, :2]]))(rare)
        shares = one_hot(category)
        made = ridge(x, shares)
        slopes = made.coefficients * (np.arange(x.shape[1]) > 0)[:, None]
        assert np.abs(x.T @ (shares - made.probabilities) - PRIOR * slopes).max() < 0.01

    def test_complete_separation_leaves_finite_coefficients(self):
        category = np.repeat(np.arange(4), 25)
        z = category[:, None] + np.linspace(-0.2, 0.2, 100)[:, None]
        made = ridge(Terms.of(z)(z), one_hot(category))
        assert np.abs(made.coefficients).max() < 100
        assert (made.probabilities.argmax(axis=1) == category).all()

    def test_what_it_solves_is_the_penalised_information(self, rng):
        x, category = planted(rng, 80, 4, 3)
        made = ridge(x, one_hot(category))
        right = rng.standard_normal(made.coefficients.shape)
        right -= right.mean(axis=1, keepdims=True)
        theirs = np.linalg.pinv(dense_information(made)) @ right.T.ravel()
        theirs = theirs.reshape(right.T.shape).T
        np.testing.assert_allclose(made.solved(right), theirs - theirs.mean(axis=1, keepdims=True), atol=1e-6)

    def test_draws_have_the_inverse_information_as_covariance(self, rng):
        x, category = planted(rng, 80, 3, 2)
        made = ridge(x, one_hot(category))
        draws = np.array([(made.draw(rng) - made.coefficients).T.ravel() for _ in range(4000)])
        contrasts = np.kron(np.eye(3) - 1 / 3, np.eye(3))
        theirs = contrasts @ np.linalg.pinv(dense_information(made)) @ contrasts
        np.testing.assert_allclose(np.cov(draws.T), theirs, atol=0.12 * np.abs(theirs).max())
        np.testing.assert_allclose(draws.mean(axis=0), 0, atol=5 * np.sqrt(theirs.max() / 4000))

    def test_how_terms_are_turned_changes_no_draw(self, rng):
        z = rng.standard_normal((100, 3))
        category = (z @ rng.standard_normal((3, 4))).argmax(axis=1)
        turned = z @ np.linalg.qr(rng.standard_normal((3, 3)))[0]
        a, b = (
            Terms.of(each)(each) @ ridge(Terms.of(each)(each), one_hot(category)).draw(np.random.default_rng(1))
            for each in (z, turned)
        )
        np.testing.assert_allclose(a, b, atol=1e-3)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), categories=st.integers(2, 9), spread=st.sampled_from([0.1, 2.0, 30.0]))
def test_intercepts_give_the_frequencies(seed, categories, spread):
    rng = np.random.default_rng(seed)
    scores = spread * rng.standard_normal((200, categories))
    frequencies = rng.dirichlet(np.full(categories, 0.5)) + 1e-6
    frequencies /= frequencies.sum()
    found = softmax(scores + intercepts(frequencies, scores)).mean(axis=0)
    np.testing.assert_allclose(found, frequencies, atol=1e-7)


class TestRaking:
    @pytest.fixture
    def made(self, rng):
        """Probabilities, and the categories that records have."""
        shares = (rng.integers(0, 3, 500)[:, None] == np.arange(3)).astype(float)
        return softmax(rng.standard_normal((500, 3))), shares

    def test_every_group_has_the_frequencies_of_its_shares(self, made):
        p, shares = made
        groups = [np.ones(500, dtype=bool), np.arange(500) < 200]
        found = raked(p, shares, groups)
        np.testing.assert_allclose(found.sum(axis=1), 1)
        for group in (*groups, ~groups[1]):
            np.testing.assert_allclose(found[group].mean(axis=0), shares[group].mean(axis=0), atol=1e-4)

    def test_it_is_where_intercepts_would_bring_it(self, made):
        """One group: the same as solving for the intercepts of a multinomial logit."""
        p, shares = made
        scores = np.log(p)
        expected = softmax(scores + intercepts(shares.mean(axis=0), scores))
        np.testing.assert_allclose(raked(p, shares, [np.ones(500, dtype=bool)]), expected, atol=1e-5)

    def test_a_category_that_a_group_lacks_stays_away(self, made):
        p, shares = made
        group = shares[:, 2] == 0
        assert (raked(p, shares, [group])[group, 2] == 0).all()


class TestReweighted:
    """Plain IRLS. Whether it diverges on a file on the edge may hang on rounding, so nothing here does."""

    @settings(max_examples=25)
    @given(seed=st.integers(0, 2**32), terms=st.integers(1, 5))
    def test_where_it_converges_it_ends_at_the_maximum_as_statsmodels_does(self, seed, terms):
        rng = np.random.default_rng(seed)
        x = with_intercept(rng.standard_normal((400, terms)))
        y = (rng.random(400) < expit(x @ rng.uniform(-0.7, 0.7, terms + 1))).astype(float)
        ours = reweighted(x, y)
        np.testing.assert_allclose(ours, sm.GLM(y, x, family=sm.families.Binomial()).fit().fittedvalues, atol=1e-6)
        np.testing.assert_allclose(ours, fit(x, one_hot(y.astype(int))).probabilities[:, 1], atol=1e-6)

    def test_its_first_step_is_a_plain_regression(self, rng):
        """At (y + 1/2) / 2 all weights are 3/16, and the working response is the score, ± log 3, with ± 4/3 more."""
        x = with_intercept(rng.standard_normal((60, 2)))
        y = (rng.random(60) < 0.5).astype(float)
        scores = sm.OLS((2 * y - 1) * (np.log(3) + 4 / 3), x).fit().fittedvalues
        np.testing.assert_allclose(reweighted(x, y, iterations=1), expit(scores), atol=1e-12)

    def test_a_term_that_says_nothing_new_changes_nothing(self, rng):
        x = with_intercept(rng.standard_normal((200, 2)))
        y = (rng.random(200) < expit(x[:, 1])).astype(float)
        np.testing.assert_allclose(reweighted(np.column_stack([x, x[:, 1]]), y), reweighted(x, y), atol=1e-9)

    @pytest.mark.filterwarnings("error")
    @pytest.mark.parametrize("iterations", [1, 25, 400])
    @pytest.mark.parametrize("wrong", [0, 1, 3])
    def test_near_separation_it_is_finite(self, wrong, iterations):
        x = with_intercept(centred_basis(np.arange(60.0)[:, None] ** [1, 2, 3])[:, 1:] * np.sqrt(60))
        y = (np.arange(60) >= 30).astype(float)
        y[:wrong] = 1
        p = reweighted(x, y, iterations)
        assert ((p > 0) & (p < 1)).all()

    @pytest.mark.filterwarnings("error")
    @settings(max_examples=40)
    @given(seed=st.integers(0, 2**32), shape=st.sampled_from([3, 9, 25]))
    def test_so_it_is_on_the_heaviest_tails(self, seed, shape):
        rng = np.random.default_rng(seed)
        x = centred_basis(rng.standard_normal((80, 3)) ** shape) * np.sqrt(80)
        p = reweighted(x, np.repeat([0.0, 1.0], 40))
        assert ((p > 0) & (p < 1)).all()
