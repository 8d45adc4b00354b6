"""Samples of a file."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdclab.numerics.draws import parts, some


@given(st.integers(1, 300), st.integers(1, 300))
def test_some_are_distinct_places_in_order_and_the_same_ones_again(n, size):
    drawn = some(n, size)
    assert len(drawn) == min(n, size)
    assert (np.diff(drawn) > 0).all()
    assert 0 <= drawn[0] <= drawn[-1] < n
    assert (drawn == some(n, size)).all()


@given(st.integers(1, 60), st.integers(1, 6), st.integers(0, 50))
def test_parts_have_nothing_in_common(size, count, more):
    drawn = parts(size * count + more, size, count)
    assert drawn.shape == (count, size)
    assert len(np.unique(drawn)) == drawn.size
    assert (np.diff(drawn, axis=1) > 0).all()


def test_a_file_that_repeats_itself_is_drawn_from_evenly():
    """Of 5,000 among 20,000, 2,500 in the mean are at even places, with an SD of √(5,000 / 4 · 3 / 4) = 31."""
    even = int((some(20_000, 5_000) % 2 == 0).sum())
    assert abs(even - 2_500) < 5 * 31
    assert even != 2_500
