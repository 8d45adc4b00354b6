"""Watching one membership of each run: what is quiet, and what changed most."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdclab.clustering.fcm import fcm, parts_of, random_records
from sdclab.clustering.watch import Watch


def plain(x, centres, m, epsilon, most):
    """Fuzzy c-means that compares all memberships in every step."""

    def at(centres):
        distances = ((x[None] - centres[:, None]) ** 2).sum(axis=2)
        u = distances ** (-1 / (m - 1))
        return u / u.sum(axis=0)

    u = at(centres)
    iteration, change = 0, np.inf
    while change >= epsilon and iteration < most:
        iteration += 1
        centres = u**m @ x / (u**m).sum(axis=1, keepdims=True)
        before, u = u, at(centres)
        change = np.abs(u - before).max()
    return u, centres, iteration, change


@given(st.integers(0, 2**32), st.integers(1, 5), st.sampled_from([1.5, 2.0]))
def test_runs_that_are_watched_end_where_all_memberships_are_quiet(seed, c, m):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, 3)) + 4 * rng.integers(0, 2, (60, 3))
    starts = np.stack([random_records(x, c, rng) + 0.01 for _ in range(3)])
    for found, start in zip(fcm(x, starts, rng, m=m, epsilon=1e-5, max_iterations=40), starts, strict=True):
        u, centres, iterations, change = plain(x, start, m, 1e-5, 40)
        assert found.iterations == iterations
        np.testing.assert_allclose(found.last_change, change, rtol=1e-4, atol=1e-12)
        np.testing.assert_allclose(found.memberships, u, atol=1e-8)
        np.testing.assert_allclose(found.centres, centres, atol=1e-7)


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(2, 300))
def test_the_largest_change_is_found_in_any_part_and_watched(seed, c, n):
    rng = np.random.default_rng(seed)
    before, now = rng.random((2, 3, c, n))
    parts = parts_of(n, c) if n < 100 else [slice(first, first + 64) for first in range(0, n, 64)]
    watch, runs = Watch(5), np.array([0, 2, 3])
    pairs = [(part, before[:, :, part].copy(), now[:, :, part]) for part in parts]
    np.testing.assert_array_equal(watch.largest_change(runs, pairs), np.abs(now - before).max(axis=(1, 2)))
    for part in parts:
        everyone = np.zeros((5, c, n))
        everyone[runs] = now
        watch.see(2 * everyone[:, :, part], np.full((5, 1, len(range(n)[part])), 2.0), part)
    place = np.abs(now - before).reshape(3, -1).argmax(axis=1)
    np.testing.assert_array_equal(watch.value[runs], now.reshape(3, -1)[[0, 1, 2], place])


def test_what_was_never_seen_or_hardly_changed_is_quiet():
    watch = Watch(3)
    watch.value[:] = [0.5, 0.5, np.nan]
    assert watch.quiet(np.array([0.4, 0.5 + 1e-7, 0.2]), 1e-5).tolist() == [1, 2]
