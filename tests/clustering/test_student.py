"""t components against scipy, brute force, the normal mixture that they tend to, and their own guarantees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import multivariate_t

from sdclab.clustering import mixture, student
from sdclab.clustering.covariances import COVARIANCES
from sdclab.numerics.ties import largest_of


def shares(labels: np.ndarray) -> np.ndarray:
    return np.eye(labels.max() + 1)[labels]


def t_records(rng: np.random.Generator, n: int, mean: object, scale: object, degrees: float) -> np.ndarray:
    return np.asarray(multivariate_t.rvs(mean, scale, degrees, n, random_state=rng))


NARROW, WIDE = [[1.0, 0.6], [0.6, 2.0]], [[3.0, -1.0], [-1.0, 1.0]]


@pytest.fixture
def planted(rng: np.random.Generator) -> np.ndarray:
    """Two groups in units that differ; the first, of 1500, has 4 degrees of freedom and the second, of 2500, 20."""
    groups = t_records(rng, 1500, [0, 0], NARROW, 4), t_records(rng, 2500, [12, -9], WIDE, 20)
    return np.vstack(groups) * [1.0, 100.0]


@pytest.fixture
def points(rng: np.random.Generator) -> np.ndarray:
    """Three groups with heavy tails that overlap."""
    return np.vstack([t_records(rng, 150, rng.normal(0, 4, 3), np.diag([1, 2, 1 + i]), 5) for i in range(3)])


START = shares(np.arange(450) * 3 // 450)


class TestDensity:
    @settings(max_examples=50)
    @given(seed=st.integers(0, 2**32), attributes=st.integers(1, 5), degrees=st.floats(0.5, 500))
    def test_it_is_that_of_scipy(self, seed, attributes, degrees):
        rng = np.random.default_rng(seed)
        factor = rng.standard_normal((attributes, attributes)) + 3 * np.eye(attributes)
        scale, mean = factor @ factor.T, rng.standard_normal(attributes)
        records = mean + 5 * rng.standard_normal((20, attributes))
        squares = np.einsum("ij,ij->i", (records - mean) @ np.linalg.inv(scale), records - mean)
        ours = student.log_densities(squares[:, None], np.array([degrees]), attributes)[:, 0]
        theirs = multivariate_t.logpdf(records, mean, scale, degrees)
        np.testing.assert_allclose(ours - np.linalg.slogdet(scale)[1] / 2, theirs, rtol=1e-9, atol=1e-9)

    def test_the_pull_of_a_record_is_the_slope_of_its_density(self):
        """d log f / d(square) = -u / 2: what makes weighted means and scatters climb."""
        squares, nu, step = np.linspace(0.1, 30, 40)[:, None], np.array([3.0, 50.0]), 1e-5
        up, down = (student.log_densities(squares + by, nu, 4) for by in (step, -step))
        np.testing.assert_allclose(student.pulls(squares, nu, 4), -(up - down) / step, rtol=1e-6)


class TestDegrees:
    @settings(max_examples=30)
    @given(seed=st.integers(0, 2**32), degrees=st.floats(2, 60), first=st.floats(2.1, 200))
    def test_they_end_where_a_grid_has_its_top(self, seed, degrees, first):
        rng = np.random.default_rng(seed)
        squares = 3 * rng.f(3, degrees, (400, 1))
        weights = rng.random((400, 1))
        found = np.array([first])
        for _ in range(20):
            found = student.likelier_degrees(squares, weights, found, 3)
        grid = 1 / np.linspace(1 / student.MOST, 1 / student.FEWEST, 2000)
        heights = (weights * student.log_densities(squares, grid, 3)).sum(axis=0)
        reached = (weights * student.log_densities(squares, found, 3)).sum()
        assert student.FEWEST <= found[0] <= student.MOST * (1 + 1e-12)
        assert reached >= heights.max() - 1e-6

    @settings(max_examples=50)
    @given(seed=st.integers(0, 2**32), first=st.floats(2.1, 200))
    def test_no_step_loses(self, seed, first):
        rng = np.random.default_rng(seed)
        squares = rng.exponential(10.0 ** rng.uniform(-2, 3), (30, 2))  # as far as can be from any t
        weights, before = rng.random((30, 2)), np.full(2, first)
        after = student.likelier_degrees(squares, weights, before, 2)
        old, new = ((weights * student.log_densities(squares, nu, 2)).sum(axis=0) for nu in (before, after))
        assert (new >= old - 1e-9 * np.abs(old)).all()


class TestFit:
    @pytest.mark.parametrize("model", list(COVARIANCES))
    def test_with_endless_degrees_it_is_the_normal_mixture(self, model, points):
        normal = mixture.fit(points, model, START, tolerance=0.0, iterations=30)
        t = mixture.fit(points, model, START, tolerance=0.0, iterations=30, components="t", degrees=1e8)
        assert t.log_likelihood == pytest.approx(normal.log_likelihood, rel=1e-6)
        np.testing.assert_allclose(t.shares, normal.shares, atol=1e-4)
        np.testing.assert_array_equal(t.labels, normal.labels)
        np.testing.assert_allclose(t.covariances, normal.covariances, rtol=1e-3, atol=1e-4)

    @pytest.mark.parametrize("model", list(COVARIANCES))
    def test_the_likelihood_never_falls(self, model, points):
        path = [
            mixture.fit(points, model, START, tolerance=0.0, iterations=steps, components="t").log_likelihood
            for steps in range(1, 40)
        ]
        assert np.diff(path).min() > -1e-7
        assert path[-1] > path[0]

    def test_a_step_is_that_of_the_papers(self, points):
        """Peel & McLachlan (2000), equations 26 to 30, record by record."""
        nu = 6.0
        first = mixture.fit(points, "VVV", START, iterations=1, components="t", degrees=nu)
        second = mixture.fit(points, "VVV", START, tolerance=0.0, iterations=2, components="t", degrees=nu)
        parts = list(zip(first.weights, first.means, first.covariances, strict=True))
        joint = np.array([[w * multivariate_t.pdf(x, mean, scale, nu) for w, mean, scale in parts] for x in points])
        np.testing.assert_allclose(second.shares, joint / joint.sum(axis=1, keepdims=True), atol=1e-9)
        assert second.log_likelihood == pytest.approx(np.log(joint.sum(axis=1)).sum(), rel=1e-10)
        for g, (_, mean, scale) in enumerate(parts):
            apart = points - mean
            u = (nu + 3) / (nu + np.array([each @ np.linalg.solve(scale, each) for each in apart]))
            z = second.shares[:, g]
            expected = (z * u) @ points / (z * u).sum()
            scatter = sum(w * np.outer(x - expected, x - expected) for w, x in zip(z * u, points, strict=True))
            np.testing.assert_allclose(second.means[g], expected, rtol=1e-8, atol=1e-9)
            np.testing.assert_allclose(second.covariances[g], scatter / z.sum(), rtol=1e-8, atol=1e-9)
            assert second.weights[g] == pytest.approx(z.mean())

    def test_planted_groups_are_found_with_their_degrees(self, planted):
        found = mixture.fit(planted, "VVV", shares(np.arange(4000) // 2000), tolerance=1e-9, components="t")
        np.testing.assert_allclose(found.weights, [0.375, 0.625], atol=0.01)
        np.testing.assert_allclose(found.means / [1, 100], [[0, 0], [12, -9]], atol=0.15)
        scales = found.covariances / np.outer([1, 100], [1, 100])
        np.testing.assert_allclose(scales, [NARROW, WIDE], atol=0.25)
        assert found.degrees is not None
        assert 3.4 < found.degrees[0] < 4.8
        assert 13 < found.degrees[1] < 40

    def test_one_cluster_is_where_a_general_optimiser_ends(self, rng):
        records = t_records(rng, 600, [1, -2], NARROW, 5)

        def loss(theta: np.ndarray) -> float:
            factor = np.array([[np.exp(theta[2]), 0], [theta[3], np.exp(theta[4])]])
            return -float(multivariate_t.logpdf(records, theta[:2], factor @ factor.T, np.exp(theta[5])).sum())

        best = minimize(loss, np.array([0, 0, 0, 0, 0, 2.0]), method="BFGS")
        found = mixture.fit(records, "VVV", np.ones((600, 1)), tolerance=1e-12, components="t")
        assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-5)
        np.testing.assert_allclose(found.means[0], best.x[:2], atol=1e-4)
        np.testing.assert_allclose(found.degrees, np.exp(best.x[5]), rtol=1e-3)

    def test_a_normal_cluster_is_told_from_one_with_tails(self, rng):
        records = np.vstack([t_records(rng, 800, [0, 0], NARROW, 3), rng.multivariate_normal([15, 15], WIDE, 800)])
        found = mixture.fit(records, "VVV", shares(np.arange(1600) // 800), tolerance=1e-8, components="t")
        assert found.degrees is not None
        assert found.degrees[0] < 5
        assert found.degrees[1] > 30

    @pytest.mark.parametrize("model", [name for name, model in COVARIANCES.items() if model.any_units])
    def test_units_do_not_matter_where_they_need_not(self, model, points):
        units = np.array([1e-3, 1.0, 1e4])
        raw, scaled = (
            mixture.fit(x, model, START, tolerance=0.0, iterations=20, components="t") for x in (points, points * units)
        )
        np.testing.assert_allclose(raw.shares, scaled.shares, atol=1e-6)
        np.testing.assert_allclose(raw.degrees, scaled.degrees, rtol=1e-4)

    def test_the_floor_under_the_weights_is_met(self, points):
        found = mixture.fit(points, "VVV", shares(np.minimum(np.arange(450) // 30, 2)), least=0.3, components="t")
        assert found.weights.min() >= 0.3 - 1e-12

    def test_degrees_count_as_parameters(self, points):
        normal, t = (mixture.fit(points, "VVV", START, components=each) for each in ("normal", "t"))
        free = [(2 * fit.log_likelihood - fit.bic) / np.log(450) for fit in (normal, t)]
        np.testing.assert_allclose(free, [3 * 3 + 2 + 3 * 6, 3 * 3 + 2 + 3 * 6 + 3])

    def test_bic_prefers_the_components_that_made_the_file(self, rng):
        heavy = t_records(rng, 1000, [0, 0], NARROW, 4)
        light = rng.multivariate_normal([0, 0], NARROW, 1000)
        for records, better in ((heavy, 1), (light, 0)):
            fits = [mixture.fit(records, "VVV", np.ones((1000, 1)), components=each) for each in ("normal", "t")]
            assert largest_of([fit.bic for fit in fits]) == better
