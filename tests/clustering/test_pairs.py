"""Categories that depend on each other pair by pair, against scikit-learn, planted tables and brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.linear_model import LogisticRegression

from sdclab.clustering.latent_class import Like
from sdclab.clustering.pairs import Pairs, indicators
from sdclab.numerics.logistic import PRIOR


def everybody(n: int) -> list[np.ndarray]:
    return [np.ones(n, dtype=bool)]


def table(codes: np.ndarray) -> np.ndarray:
    return np.histogram2d(codes[:, 0], codes[:, 1], bins=[range(4), range(4)])[0] / len(codes)


@pytest.fixture
def planted(rng) -> tuple[np.ndarray, np.ndarray]:
    """Two attributes of three categories: a depends on x, and b is mostly the one after a, whatever x is."""
    x = rng.standard_normal((3000, 1))
    a = (rng.random(3000) + 0.2 * x[:, 0] > np.array([[0.3], [0.7]])).sum(axis=0)
    b = np.where(rng.random(3000) < 0.8, (a + 1) % 3, rng.integers(0, 3, 3000))
    return np.column_stack([a, b]).astype(float), x


def test_slopes_are_those_of_a_multinomial_ridge(planted):
    """Of scikit-learn, whose penalty is C / 2 times the squares of the slopes."""
    codes, x = planted
    fit = Pairs.fit(codes, x, least=1)
    beside = np.column_stack([x, codes[:, :1] == np.arange(3)])
    terms = (beside - beside.mean(axis=0)) / beside.std(axis=0)
    other = LogisticRegression(C=1 / PRIOR, tol=1e-10, max_iter=10_000).fit(terms, codes[:, 1])
    slopes = fit.logits[1].coefficients[1:]
    np.testing.assert_allclose(slopes - slopes.mean(axis=1, keepdims=True), other.coef_.T, atol=1e-4)


def test_a_pair_is_kept(planted, rng):
    codes, x = planted
    fit = Pairs.fit(codes, x, least=20)
    made = np.vstack([fit.draw(x, Like(codes, everybody(3000)), rng) for _ in range(20)])
    np.testing.assert_allclose(table(made), table(codes), atol=0.006)
    assert np.abs(table(codes) - np.outer(*(table(codes).sum(axis=axis) for axis in (1, 0)))).max() > 0.1


def test_a_category_depends_on_numbers_as_before(planted, rng):
    codes, x = planted
    fit = Pairs.fit(codes, x, least=20)
    made = [fit.draw(x, Like(codes, everybody(3000)), rng)[:, 0] for _ in range(20)]
    for code in range(3):
        after = np.mean([x[each == code].mean() for each in made])
        assert after == pytest.approx(x[codes[:, 0] == code].mean(), abs=0.02)


def test_frequencies_are_the_originals_wherever_x_moves(planted, rng):
    """Also in groups, and though all x are now where few were."""
    codes, x = planted
    groups = [*everybody(3000), rng.random(3000) < 0.3]
    made = np.array([Pairs.fit(codes, x, 20).draw(x + 2, Like(codes, groups), rng) for _ in range(20)])
    for group in groups:
        for code in range(3):
            np.testing.assert_allclose(
                (made[:, group] == code).mean(axis=(0, 1)), (codes[group] == code).mean(axis=0), atol=0.012
            )


def test_only_categories_that_occur_are_drawn(rng):
    codes = np.column_stack([np.full(50, 3.0), rng.choice([0.0, 4.0], 50)])
    made = Pairs.fit(codes, codes[:, :0], 5).draw(codes[:, :0], Like(codes, everybody(50)), rng)
    assert (made[:, 0] == 3).all()
    assert set(made[:, 1]) == {0.0, 4.0}


@settings(max_examples=200)
@given(arrays.arrays(np.float64, st.integers(1, 40), elements=st.sampled_from([0.0, 1, 2, 3, 4])), st.integers(1, 12))
def test_no_indicators_tell_fewer_than_the_least(codes, least):
    """Who has the same indicators is in a crowd of that size, also who has none; or there are none at all."""
    made = indicators(codes[:, None], codes[:, None], least)
    crowds = np.unique(made, axis=0, return_counts=True)[1]
    assert made.shape[1] == 0 or crowds.min() >= least
    distinct, counts = np.unique(codes, return_counts=True)
    if (counts >= least).all():
        assert made.shape[1] == len(distinct)
