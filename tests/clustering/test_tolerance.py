"""Fuzzy c-means with tolerance, and the search for optima."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdclab.base.errors import SdclabError
from sdclab.clustering import tolerance
from sdclab.clustering.fcm import fcm, random_records
from sdclab.clustering.search import Search, spread_records
from sdclab.clustering.tolerance import fcm_with_tolerance
from sdclab.numerics.digits import cuts_to
from sdclab.numerics.linalg import standardised


@pytest.fixture
def records(rng):
    centres = rng.normal(0, 3, (5, 3))
    return standardised(np.vstack([rng.normal(centre, 0.7, (40, 3)) for centre in centres]))


class TestTolerance:
    def test_kappa_zero_is_fuzzy_c_means_bit_for_bit(self, records, rng):
        starts = np.stack([random_records(records, 4, rng) for _ in range(3)])
        for reading in ("corrected", "literal", "as_published"):
            plain = fcm(records, starts, np.random.default_rng(1))
            with_tolerance = fcm_with_tolerance(records, starts, np.random.default_rng(1), kappa=0.0, reading=reading)
            for a, b in zip(plain, with_tolerance, strict=True):
                assert a.memberships.tobytes() == b.memberships.tobytes()
                assert a.objective == b.objective

    @settings(max_examples=40)
    @given(st.integers(0, 2**32), st.sampled_from(["corrected", "literal", "as_published"]))
    def test_no_record_moves_further_than_its_kappa(self, seed, reading):
        rng = np.random.default_rng(seed)
        x, v = rng.standard_normal((30, 2)), rng.standard_normal((3, 2))
        bounds = rng.random(30)
        weights = rng.dirichlet(np.ones(3), 30).T ** 1.5
        data = tolerance._Data(x.T, bounds, reading, 1.5, rng)
        moved, _ = data.updated(v[None], weights[None])
        rounding = 4 * np.finfo(float).eps * np.abs(x).max(axis=1)  # of x + d - x, however small the move d
        assert (np.linalg.norm(moved[0, :2].T - x, axis=1) <= bounds * (1 + 1e-12) + rounding).all()

    def test_the_corrected_objective_never_rises(self, records, rng):
        start = random_records(records, 4, rng)[None]
        for kappa in (0.1, 0.5):
            objectives = [
                fcm_with_tolerance(records, start, rng, kappa=kappa, epsilon=0, max_iterations=i)[0].objective
                for i in range(1, 40)
            ]
            assert (np.diff(objectives) <= 1e-9 * objectives[0]).all()

    def test_corrected_is_the_better_minimiser_and_tolerance_lowers_the_objective(self, records, rng):
        start = random_records(records, 4, rng)[None]
        found = {
            reading: fcm_with_tolerance(records, start, rng, kappa=0.3, reading=reading)[0].objective
            for reading in ("corrected", "literal", "as_published")
        }
        (plain,) = fcm(records, start, rng)
        assert found["corrected"] <= found["literal"] * (1 + 1e-9)
        assert found["literal"] < plain.objective < found["as_published"]

    @pytest.mark.parametrize("reading", ["corrected", "literal", "as_published"])
    def test_empty_clusters_leave_no_nan(self, reading):
        rng = np.random.default_rng(2)
        records = np.repeat(np.eye(4), 5, axis=0)
        starts = np.stack([random_records(records, 6, rng) for _ in range(10)])
        found = fcm_with_tolerance(records, starts, rng, kappa=0.1, reading=reading)
        assert all(np.isfinite(one.centres).all() and np.isfinite(one.objective) for one in found)

    @pytest.mark.parametrize("reading", ["corrected", "literal", "as_published"])
    def test_a_far_record_hides_no_cluster(self, rng, reading):
        """The clusters are those found without it, to rounding of their own size."""
        near = np.vstack([rng.normal(centre, 1.0, (50, 2)) for centre in ([0, 0], [12, 0], [0, 12])])
        x = np.vstack([near, [[1e10, -1e10]]])
        kappa = np.append(np.full(150, 0.3), 0.0)
        (alone,) = fcm_with_tolerance(near, near[None, [0, 50, 100]], rng, kappa=kappa[:-1], reading="corrected")
        (found,) = fcm_with_tolerance(x, x[None, [0, 50, 100, 150]], rng, kappa=kappa, reading=reading)
        assert found.memberships.argmax(axis=0).tolist() == [0] * 50 + [1] * 50 + [2] * 50 + [3]
        if reading == "corrected":  # the others pull towards the mean of the centres, which the far one shifts
            np.testing.assert_allclose(found.centres[:3], alone.centres, atol=1e-5)
            assert found.objective == pytest.approx(alone.objective, rel=1e-6)

    def test_one_kappa_for_all_is_the_same_kappa_for_each(self, records, rng):
        start = random_records(records, 4, rng)[None]
        (one,) = fcm_with_tolerance(records, start, rng, kappa=0.2)
        (each,) = fcm_with_tolerance(records, start, rng, kappa=np.full(len(records), 0.2))
        assert one.objective == each.objective

    @pytest.mark.parametrize(
        ("kappa", "m", "c", "message"),
        [(-0.1, 1.5, 2, "kappa is -0.1 but"), (0.1, 1.0, 2, "m is 1 but"), (0.1, 1.5, 99, "c is 99 but")],
    )
    def test_bad_parameters_are_named(self, rng, kappa, m, c, message):
        x = rng.random((20, 2))
        with pytest.raises(SdclabError, match=message):
            fcm_with_tolerance(x, np.zeros((1, c, 2)), rng, kappa=kappa, m=m)


class TestSearch:
    def test_spread_records_are_records_and_spread(self, records):
        chosen = spread_records(records, 5, np.random.default_rng(0))
        assert all((records == one).all(axis=1).any() for one in chosen)

        def nearest_gap(x):
            gaps = ((x[:, None] - x[None]) ** 2).sum(axis=2) + 1e9 * np.eye(len(x))
            return gaps.min()

        spread, random = (
            np.mean([nearest_gap(choose(records, 5, np.random.default_rng(i))) for i in range(60)])
            for choose in (spread_records, random_records)
        )
        assert spread > 1.5 * random

    def test_the_stronger_search_is_never_worse(self, records):
        weak, strong = (
            Search(records, 8, np.random.default_rng(0)).best(protocol, 5).objective for protocol in ("paper", "best")
        )
        assert strong <= weak * (1 + 1e-9)

    def test_objectives_are_cut_not_rounded(self):
        assert cuts_to(2829.627, "2829")
        assert not cuts_to(2830.1, "2829")
        assert cuts_to(107.0658, "107.06")
        assert cuts_to(0.3, "0.3")  # in binary it is a little less
        assert cuts_to(-0.3, "-0.3")
        assert not cuts_to(0.2999, "0.3")

    def test_a_named_optimum_that_does_not_exist_is_reported(self, records, monkeypatch):
        monkeypatch.setattr("sdclab.clustering.search.MAX_RUNS", 20)
        with pytest.raises(SdclabError, match="no optimum with the objective 1 was found"):
            Search(records, 4, np.random.default_rng(0)).printed("1")
