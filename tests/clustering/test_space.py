"""Records of all types as points: their distances by definition, and neighbours with and without a tree."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sdclab.clustering import space
from sdclab.clustering.space import Space, nearest, squares, within
from sdclab.microdata.attribute import Attribute

ATTRIBUTES = (
    Attribute("income"),
    Attribute("region", "nominal", categories=("a", "b", "c", "d")),
    Attribute("grade", "ordinal", categories=("1", "2", "3")),
    Attribute("one", "nominal", categories=("x", "y")),
    Attribute("constant"),
)


def records(rng, n):
    """A nominal attribute of which only one category occurs, and a constant, tell nothing."""
    columns = (rng.lognormal(9, 1, n), rng.integers(0, 3, n), rng.integers(0, 3, n), np.zeros(n), np.full(n, 0.1))
    return np.column_stack(columns).astype(float)


def test_distances_are_those_of_the_definition(rng):
    ours, theirs = records(rng, 60), records(rng, 40)
    theirs[:, 1] = rng.integers(0, 4, 40)  # a category that the first have not
    theirs[:, 4] = 7.0
    found = Space.of(ours, ATTRIBUTES)
    shares = np.bincount(ours[:, 1].astype(int)) / 60
    expected = 2 / (1 - shares @ shares) * (ours[:, None, 1] != theirs[None, :, 1])
    for j in (0, 2):
        expected = expected + ((ours[:, None, j] - theirs[None, :, j]) / ours[:, j].std()) ** 2
    np.testing.assert_allclose(cdist(found(ours), found(theirs), "sqeuclidean"), expected, atol=1e-9)
    ((_, apart),) = found.squares(ours, theirs)
    np.testing.assert_allclose(apart, expected, atol=1e-9)
    (((_, apart)),) = Space.of(ours[:, [1]], ATTRIBUTES[1:2]).squares(ours[:, [1]], ours[:, [1]])
    assert set(np.unique(apart).round(9)) == {0, round(2 / (1 - shares @ shares), 9)}


def test_every_attribute_counts_the_same(rng):
    """The squares of the differences of two records are 2 in the mean, whatever the type."""
    ours = records(rng, 300)[:, :3]
    for j in range(3):
        points = Space.of(ours[:, [j]], ATTRIBUTES[j : j + 1])(ours[:, [j]])
        assert cdist(points, points, "sqeuclidean").mean() == pytest.approx(2)


def test_blocks_hold_all_pairs(rng, monkeypatch):
    ours, theirs = rng.standard_normal((2, 50, 3))
    monkeypatch.setattr(space, "BLOCK", 170)
    blocks = list(squares(ours, theirs))
    assert len(blocks) == 17
    np.testing.assert_array_equal(np.vstack([apart for _, apart in blocks]), cdist(ours, theirs, "sqeuclidean"))
    np.testing.assert_array_equal(ours[blocks[3][0]], ours[9:12])


@pytest.mark.parametrize("columns", [0, 20], ids=["all pairs", "a tree"])
def test_neighbours(rng, monkeypatch, columns):
    monkeypatch.setattr(space, "MAX_COLUMNS", columns)
    ours, theirs = rng.standard_normal((2, 50, 3))
    apart = cdist(ours, theirs)
    for count in (1, 2):
        np.testing.assert_allclose(nearest(ours, theirs, count), np.sort(apart, axis=1)[:, count - 1])
    reach = rng.uniform(0.5, 2, 50)
    np.testing.assert_array_equal(within(ours, theirs, reach), (apart <= reach[:, None]).sum(axis=1))
