"""Searching in blocks and trees against looking at every record."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdclab.clustering import remaining
from sdclab.clustering.remaining import Remaining
from sdclab.methods import mdav


@pytest.fixture(autouse=True, scope="module")
def small_blocks():
    """Blocks of a few records, so that small files have many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remaining, "FEW", 16)
        patch.setattr(remaining, "BLOCK", 4)
        yield


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(10, 300), st.integers(1, 3), st.booleans())
def test_finds_what_looking_everywhere_finds(seed, n, p, whole):
    rng = np.random.default_rng(seed)
    points = rng.normal(0, 3, (n, p))
    points = points.round() if whole else points  # whole numbers have many ties, and their distances no rounding
    rest, among = list(range(n)), Remaining(points)
    while len(rest) > 6:
        assert list(among.all()) == rest
        assert len(among) == len(rest)
        np.testing.assert_allclose(among.mean(), points[rest].mean(axis=0), atol=1e-12)
        far = rng.normal(0, 9, p)
        assert among.farthest(far) == farthest(points, rest, far)
        first = among.farthest(among.mean())
        second = among.farthest(points[first])
        assert second == farthest(points, rest, points[first])
        count = int(rng.integers(1, 4))
        for centre, taken in zip((first, second), among.take([first, second], count), strict=True):
            distances = squares(points, rest, points[centre])
            assert sorted(taken) == sorted(sorted(rest, key=lambda i: (distances[i], i))[:count])
            assert distances[int(taken[-1])] == max(distances[i] for i in taken)
            rest = [i for i in rest if i not in taken]


def squares(points, rest, centre):
    return {i: float(((points[i] - centre) ** 2).sum()) for i in rest}


def farthest(points, rest, centre):
    distances = squares(points, rest, centre)
    return max(rest, key=lambda i: (distances[i], -i))


@pytest.mark.parametrize("k", [1, 3, 40])
def test_mdav_does_not_depend_on_the_size_of_blocks(k, rng, monkeypatch):
    records = rng.normal(0, [1, 10, 0.1], (2000, 3))
    in_blocks = mdav.clusters(records, k)
    monkeypatch.setattr(remaining, "FEW", len(records))
    at_once = mdav.clusters(records, k)
    assert all(np.array_equal(a, b) for a, b in zip(in_blocks, at_once, strict=True))
