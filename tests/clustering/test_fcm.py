"""Fuzzy c-means against scikit-fuzzy, its own invariants, and published objectives."""

import shutil
import subprocess

import numpy as np
import pytest
import skfuzzy
from conftest import needs_originals
from hypothesis import given, settings
from hypothesis import strategies as st

from sdclab.base.errors import SdclabError
from sdclab.clustering import fcm as kernel
from sdclab.clustering.fcm import fcm, memberships, memberships_at, random_records


@pytest.fixture
def records(rng):
    centres = np.array([[0, 0, 0], [8, 0, 1], [0, 9, -3], [5, 5, 5]])
    return np.vstack([rng.normal(centre, 1.0, (60, 3)) for centre in centres]) * [1, 10, 0.1]


@pytest.mark.parametrize("m", [1.5, 2.0, 1.2])
@pytest.mark.parametrize("c", [2, 4, 7])
def test_agrees_with_scikit_fuzzy_from_the_same_start(records, rng, m, c):
    start = random_records(records, c, rng) + 0.01  # off the records: scikit-fuzzy has its own way with zeros
    distances = ((records[None] - start[:, None]) ** 2).sum(axis=2)
    first = memberships(distances[None], m)[0]
    centres, u, _, _, objective, _, _ = skfuzzy.cluster.cmeans(
        records.T, c, m, error=1e-9, maxiter=2000, init=first.copy()
    )
    (ours,) = fcm(records, start[None], rng, m=m, epsilon=1e-9, max_iterations=2000)
    np.testing.assert_allclose(ours.centres, centres, atol=1e-5)
    np.testing.assert_allclose(ours.memberships, u, atol=1e-5)
    assert ours.objective == pytest.approx(objective[-1], rel=1e-6)


def test_many_restarts_at_once_are_the_runs_one_by_one(records, rng, monkeypatch):
    starts = np.stack([random_records(records, 4, rng) for _ in range(12)])
    together = fcm(records, starts, rng)
    monkeypatch.setattr(kernel, "CACHED", 1)
    for one, start in zip(together, starts, strict=True):
        (alone,) = fcm(records, start[None], rng)
        assert one.objective == pytest.approx(alone.objective, rel=1e-9)
        assert one.iterations == alone.iterations
    assert [p.objective for p in fcm(records, starts, rng)] == pytest.approx([p.objective for p in together], rel=1e-9)


def test_long_files_are_gone_through_in_parts_with_the_same_result(records, rng, monkeypatch):
    starts = np.stack([random_records(records, 4, rng) + 0.01 for _ in range(3)])
    whole = fcm(records, starts, rng)
    monkeypatch.setattr(kernel, "FEW", 100)
    monkeypatch.setattr(kernel, "CACHED", 1)  # parts of 64, the last one shorter
    for one, other in zip(whole, fcm(records, starts, rng), strict=True):
        assert one.iterations == other.iterations
        np.testing.assert_allclose(one.memberships, other.memberships, atol=1e-9)
        assert one.objective == pytest.approx(other.objective, rel=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(8, 40), st.sampled_from([1.3, 1.5, 2.0]))
def test_memberships_sum_to_one_and_the_objective_is_stationary(seed, c, n, m):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, (n, 2)).astype(float)  # many records coincide, with each other and with centres
    (found,) = fcm(x, random_records(x, c, rng)[None], rng, m=m, max_iterations=50)
    np.testing.assert_allclose(found.memberships.sum(axis=0), 1)
    assert (found.memberships >= 0).all()
    weights = found.memberships**m
    total = (weights[:, :, None] * (x[None] - found.centres[:, None]) ** 2).sum()
    assert found.objective == pytest.approx(total, abs=1e-9 * (1 + (x**2).sum()))


def test_the_objective_never_increases(records, rng):
    start = random_records(records, 5, rng)[None]
    objectives = [fcm(records, start, rng, epsilon=0, max_iterations=i)[0].objective for i in range(1, 25)]
    assert (np.diff(objectives) <= 1e-9 * objectives[0]).all()


def shared(distances, rng):
    """The memberships of a single problem, their weights being their power 1.5."""
    least, zero = distances.min(axis=1, keepdims=True), np.zeros(distances.shape[2])
    shares, total, weights = kernel.weighed_or_shared(distances.copy(), least, 1.5, zero, rng, kernel.Room())
    u = (shares / total)[0]
    np.testing.assert_allclose(weights[0], u**1.5, rtol=1e-12)
    return u


def test_a_record_that_is_a_centre_belongs_to_it(rng):
    x = np.array([[0.0], [1.0], [5.0], [9.0]])
    (found,) = fcm(x, np.array([[[0.0], [9.0]]]), rng, max_iterations=1)
    start = shared((x.T[None] - [[[0.0], [9.0]]]) ** 2, rng)
    np.testing.assert_array_equal(start[:, [0, 3]], [[1, 0], [0, 1]])
    assert found.iterations == 1


def test_coincident_centres_share_their_record_at_random(rng):
    shares = []
    for _ in range(200):
        u = shared(np.array([[[0.0, 4.0], [0.0, 4.0], [9.0, 1.0]]]), rng)
        np.testing.assert_allclose(u.sum(axis=0), 1)
        assert u[2, 0] == 0
        shares.append(u[0, 0])
    assert 0.4 < np.mean(shares) < 0.6
    assert np.std(shares) > 0.1


@pytest.mark.parametrize(
    ("c", "m", "message"), [(0, 1.5, "c is 0 but"), (9, 1.5, "c is 9 but"), (2, 1.0, "m is 1 but")]
)
def test_bad_parameters_are_named(rng, c, m, message):
    x = rng.random((8, 2))
    with pytest.raises(SdclabError, match=message):
        fcm(x, random_records(x, c, rng)[None], rng, m=m)


class TestMembershipsAt:
    @pytest.mark.parametrize("m", [1.5, 2.0, 1.2])
    def test_agree_with_scikit_fuzzy(self, records, rng, m):
        centres = random_records(records, 4, rng) + 0.01
        others = records[::3] + rng.normal(size=(len(records[::3]), 3))
        # its first pass from a given partition is its formula; one pass, no more
        u = skfuzzy.cluster.cmeans_predict(others.T, centres, m, error=1, maxiter=1, seed=1)[0]
        np.testing.assert_allclose(memberships_at(others, centres, m), u, atol=1e-9)

    def test_of_the_clustered_records_are_where_a_run_ended(self, records, rng):
        (found,) = fcm(records, random_records(records, 4, rng)[None], rng)
        np.testing.assert_allclose(memberships_at(records, found.centres, 1.5), found.memberships, atol=1e-9)

    @pytest.mark.parametrize("m", [1.5, 9.0])
    def test_a_record_that_is_a_centre_belongs_to_it_and_to_equal_ones_in_equal_parts(self, m):
        x = np.array([[0.1, 5.0], [3.0, 4.0], [7.0, 0.2], [1.0, 1.0]])
        u = memberships_at(x, x[[1, 2, 2]], m)
        np.testing.assert_array_equal(u[:, 1:3], [[1, 0], [0, 0.5], [0, 0.5]])
        np.testing.assert_allclose(u.sum(axis=0), 1)


FAR = [1e4, 1e8, 1e12]


def with_a_far_record(rng, far):
    """Three clusters in the plane and a record far from all of them; as a start, a point near one record of each."""
    x = np.vstack([rng.normal(centre, 1.0, (50, 2)) for centre in ([0, 0], [12, 0], [0, 12])] + [[[far, -far]]])
    return x, x[[0, 50, 100, 150]] * (1 + 1e-3)


def textbook(x, centres, m, iterations):
    """Fuzzy c-means with every distance taken from differences."""
    for _ in range(iterations):
        distances = np.maximum(((x[None] - centres[:, None]) ** 2).sum(axis=2), 1e-30)
        u = 1 / ((distances[:, None] / distances[None]) ** (1 / (m - 1))).sum(axis=1)
        centres = u**m @ x / (u**m).sum(axis=1, keepdims=True)
    return centres, u


@pytest.mark.parametrize("far", FAR)
def test_a_far_record_hides_no_cluster(rng, far):
    x, start = with_a_far_record(rng, far)
    (found,) = fcm(x, start[None], rng, epsilon=1e-9)
    centres, u = textbook(x, start, 1.5, 6)
    np.testing.assert_allclose(found.centres[:3], centres[:3], atol=1e-6)
    np.testing.assert_allclose(found.memberships, u, atol=1e-6)
    assert found.memberships.argmax(axis=0).tolist() == [0] * 50 + [1] * 50 + [2] * 50 + [3]


@pytest.mark.skipif(not shutil.which("Rscript"), reason="needs R with e1071")
@pytest.mark.parametrize("far", FAR)
def test_a_far_record_leaves_the_clusters_of_e1071(rng, far, tmp_path):
    x, start = with_a_far_record(rng, far)
    for name, table in (("x", x), ("start", start)):
        np.savetxt(tmp_path / name, table, fmt="%.17g")
    code = """if (!requireNamespace("e1071", quietly = TRUE)) quit(status = 77)
    x <- as.matrix(read.table("x")); start <- as.matrix(read.table("start"))
    found <- e1071::cmeans(x, start, iter.max = 300, m = 1.5, control = list(reltol = 1e-14))
    cat(format(found$centers, digits = 17), found$cluster)"""
    ran = subprocess.run(["Rscript", "-e", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    if ran.returncode == 77:
        pytest.skip("needs R's e1071")
    numbers = np.array(ran.stdout.split(), dtype=float)
    (ours,) = fcm(x, start[None], rng, epsilon=1e-9)
    np.testing.assert_allclose(ours.centres[:3], numbers[:8].reshape(2, 4).T[:3], atol=1e-4)
    assert (ours.memberships.argmax(axis=0) + 1).tolist() == numbers[8:].tolist()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 1e3, 1e8]), st.sampled_from([1e-6, 1e-3, 1.0]))
def test_distances_are_right_however_far_the_records_lie_from_the_origin(seed, far, near):
    """Relative to each distance, not to the largest; the truth by differences."""
    rng = np.random.default_rng(seed)
    records = rng.standard_normal((30, 4)) + far * rng.integers(-1, 2, (30, 1))
    centres = records[rng.integers(0, 30, (2, 5))] + near * rng.standard_normal((2, 5, 4))
    centres[0, 0] = records[0]
    expected = ((centres[:, :, None] - records) ** 2).sum(axis=3)
    np.testing.assert_allclose(kernel.squared_distances(kernel.augment(records), centres), expected, rtol=1e-7)


@needs_originals
def test_the_published_optimum_of_two_census_variables(census, rng):
    """Torra, Endo & Miyamoto (2009), Table 3: v1 and v2 standardised, c = 10, best of 20 runs: 225.26."""
    x = census.select(("AFNLWGT", "AGI"), "test")
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    starts = np.stack([random_records(x, 10, rng) for _ in range(40)])
    best = min(p.objective for p in fcm(x, starts, rng, epsilon=1e-6, max_iterations=1000))
    assert np.floor(100 * best) / 100 == 225.26


def test_where_all_records_are_one_a_run_ends_at_once(rng):
    """All centres are that record, among which its memberships are drawn anew each time: they would never be quiet."""
    records = np.tile([1.3, 2.7, 3.1], (45, 1))
    found = fcm(records, np.stack([random_records(records, 3, rng) for _ in range(3)]), rng)
    assert [each.iterations for each in found] == [1, 1, 1]
    assert all(each.objective == 0 for each in found)
