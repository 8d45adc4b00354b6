"""Radial basis functions: by hand for a few points, and what holds for any."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.metrics.pairwise import rbf_kernel

from sdclab.clustering.radial import _centres, nearness
from sdclab.numerics.linalg import standardised


def test_of_two_places_it_is_a_logistic_function():
    """Standardised they are -1 and 1, each a centre; 2 apart, so the width is 2 and the log of the ratio 4/8."""
    x = np.repeat([[10.0], [30.0]], 20, axis=0)
    near = nearness(x, 5)
    np.testing.assert_allclose(np.sort(near[0]), [expit(-0.5), expit(0.5)], atol=1e-6)
    np.testing.assert_allclose(np.sort(nearness(x, 5, 0.5)[0]), [expit(-2), expit(2)], atol=1e-6)


def test_they_are_scikit_learns_gaussians_normalised(rng):
    x = rng.standard_normal((300, 2)) * [1, 50]
    near = nearness(x, 6, 1.5)
    points, centres = standardised(x), _centres(standardised(x), 6)
    apart = np.sort(np.linalg.norm(centres[:, None] - centres, axis=2), axis=1)[:, 1]
    heights = rbf_kernel(points, centres, gamma=1 / (2 * (1.5 * apart.mean()) ** 2))
    np.testing.assert_allclose(near, heights / heights.sum(axis=1, keepdims=True), atol=1e-9)


def test_centres_stand_where_the_records_are(rng):
    """Five groups in the plane, far apart: a centre in each, and its records belong to it."""
    places = np.array([[0, 0], [9, 0], [0, 9], [9, 9], [20, 20.0]])
    which = np.arange(200) % 5
    near = nearness(places[which] + 0.1 * rng.standard_normal((200, 2)), 5, 0.3)
    assert len(np.unique(near.argmax(axis=1))) == 5
    assert all(len(set(near.argmax(axis=1)[which == i])) == 1 for i in range(5))


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 4))
def test_every_record_is_shared_among_the_centres(seed, centres, columns):
    """Also of few distinct records, constants and far ones; units and places of the columns do not matter."""
    x = np.random.default_rng(seed).integers(0, 3, (40, columns)).astype(float)
    x[0] = 1e3
    near = nearness(x, centres)
    assert 1 <= near.shape[1] <= min(centres, len(np.unique(x, axis=0)))
    assert (near >= 0).all()
    np.testing.assert_allclose(near.sum(axis=1), 1)
    np.testing.assert_allclose(nearness(64 * x + 8, centres), near, atol=1e-6)


@pytest.mark.parametrize("x", [np.zeros((20, 0)), np.full((20, 2), 7.0)])
def test_where_nothing_tells_records_apart_there_is_one_function(x):
    np.testing.assert_array_equal(nearness(x, 4), np.ones((20, 1)))
