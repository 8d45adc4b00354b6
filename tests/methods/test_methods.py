"""Methods against closed forms, independent implementations and their guarantees."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from sdclab.base.errors import SdclabError
from sdclab.methods import mdav, protect
from sdclab.methods.hybrid_micro import synthesise
from sdclab.numerics.linalg import centred_basis, residuals


def covariance_error(a: np.ndarray, b: np.ndarray) -> float:
    """The largest change of a covariance, in units of the two standard deviations."""
    spread = a.std(axis=0)
    return float(np.abs((np.cov(a.T) - np.cov(b.T)) / np.outer(spread, spread)).max())


def mean_error(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs((a.mean(axis=0) - b.mean(axis=0)) / a.std(axis=0)).max())


def coefficients(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Regression coefficients on standardised, linearly independent columns of x."""
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    return np.column_stack([sm.OLS(column, sm.add_constant(x)).fit().params for column in y.T])


class TestIpso:
    def test_a_is_the_ordinary_least_squares_fit(self, split, rng):
        y, x = split
        ours = protect("ipso_a", y, x, rng, {})
        x = np.delete(x, 3, axis=1) if x.shape[1] == 9 else x  # without v5 = v8 + v10 the fit is the same
        scaled = sm.add_constant((x - x.mean(axis=0)) / x.std(axis=0))
        for column, prediction in zip(y.T, ours.T, strict=True):
            theirs = sm.OLS(column, scaled).fit().fittedvalues
            np.testing.assert_allclose(prediction, theirs, atol=1e-8 * column.std())

    def test_a_with_a_redundant_independent_is_a_without_it(self, census, rng):
        y = census.select(("FEDTAX", "TAXINC"), "test")
        singular = census.select(("AGI", "PTOTVAL", "POTHVAL", "PEARNVAL"), "test")
        a, b = (protect("ipso_a", y, x, rng, {}) for x in (singular, singular[:, [0, 2, 3]]))
        np.testing.assert_allclose(a, b, atol=1e-8 * y.std())

    def test_b_keeps_the_coefficients_but_not_the_covariances(self, split, rng):
        y, x = split
        x = np.delete(x, 3, axis=1) if x.shape[1] == 9 else x  # without v5, so that coefficients are unique
        protected = protect("ipso_b", y, x, rng, {})
        np.testing.assert_allclose(coefficients(protected, x), coefficients(y, x), atol=1e-8 * np.abs(y).max())
        assert covariance_error(y, protected) > 1e-3

    def test_b_draws_residuals_with_the_estimated_covariance(self, split):
        """Averaged over many releases the residual covariance is the one of the data."""
        y, x = split
        basis = centred_basis(x)
        truth = residuals(basis, y)
        total = np.zeros((y.shape[1],) * 2)
        for seed in range(200):
            errors = residuals(basis, protect("ipso_b", y, x, np.random.default_rng(seed), {}))
            total += errors.T @ errors / 200
        spread = np.sqrt(np.diag(truth.T @ truth))
        assert np.abs((total - truth.T @ truth) / np.outer(spread, spread)).max() < 0.02

    def test_b_of_the_thesis_adds_noise_of_variance_at_most_one(self, split, rng):
        y, x = split
        noise = protect("ipso_b", y, x, rng, {"reading": "thesis"}) - protect("ipso_a", y, x, rng, {})
        assert 0.9 < noise.var(axis=0, ddof=1).max() <= 1.0
        correlation = np.corrcoef(np.column_stack([noise, x, y]).T)[: y.shape[1], y.shape[1] :]
        assert np.abs(correlation).max() < 1e-6  # the noise is a residual of both X and Y

    def test_c_keeps_means_covariances_and_coefficients(self, split, rng):
        y, x = split
        protected = protect("ipso_c", y, x, rng, {})
        together, released = np.column_stack([y, x]), np.column_stack([protected, x])
        assert mean_error(together, released) < 1e-8
        assert covariance_error(together, released) < 1e-8
        assert np.abs(protected - y).max() > y.std()  # and yet the records are new

    @settings(max_examples=25)
    @given(st.integers(0, 2**32), st.integers(1, 4), st.integers(0, 4), st.integers(12, 40))
    def test_c_works_for_any_dependents_and_independents(self, seed, p, q, n):
        rng = np.random.default_rng(seed)
        y, x = rng.normal(3, 2, (n, p)), rng.normal(-1, 5, (n, q))
        x = np.column_stack([x, x.sum(axis=1)]) if q else x  # singular
        protected = protect("ipso_c", y, x, rng, {})
        assert mean_error(y, protected) < 1e-8
        assert np.abs(np.cov(y.T) - np.cov(protected.T)).max() < 1e-8


class TestNoise:
    def test_independent_noise_has_the_stated_spread(self, rng):
        y = rng.normal(0, [1, 10, 100], (20_000, 3))
        noise = protect("noise", y, y[:, :0], rng, {"p": 0.2}) - y
        np.testing.assert_allclose(noise.std(axis=0) / y.std(axis=0), 0.2, rtol=0.03)
        assert np.abs(np.corrcoef(np.column_stack([noise, y]).T) - np.eye(6))[:3].max() < 0.03

    @pytest.mark.parametrize("ratio", [1e-9, 1e-11, 1e-12, 1e-13])
    def test_noise_cov_keeps_covariances_beside_a_large_mean(self, rng, ratio):
        """To what floating point can hold: a spacing of 2e-16 of the mean in every record."""
        y = rng.standard_normal((400, 2)) @ [[1, 0.6], [0, 0.8]] + 1 / ratio
        protected = protect("noise_cov", y, y[:, :0], rng, {"c": 1.0})
        covariances = np.cov((y - 1 / ratio).T)
        np.testing.assert_allclose(np.cov((protected - 1 / ratio).T), covariances, atol=1e-9 + 1e-16 / ratio)

    def test_noise_cov_says_where_floating_point_holds_no_covariance(self, rng):
        y = np.column_stack([rng.standard_normal(50), 1 + rng.integers(0, 3, 50) * np.finfo(float).eps])
        with pytest.raises(SdclabError, match="dependent 2 varies only in the last digits that its values can hold"):
            protect("noise_cov", y, y[:, :0], rng, {})

    def test_covariance_preserving_noise_is_exact_in_every_release(self, split, rng):
        y, x = split
        protected = protect("noise_cov", y, x, rng, {"c": 0.15})
        assert mean_error(y, protected) < 1e-8
        assert covariance_error(y, protected) < 1e-8
        # eq. 10: each attribute correlates with its original by 1 / sqrt(1 + c)
        for before, after in zip(y.T, protected.T, strict=True):
            assert np.corrcoef(before, after)[0, 1] == pytest.approx(1.15**-0.5, abs=1e-8)

    def test_the_papers_noise_keeps_moments_in_expectation_only(self, rng):
        y = rng.standard_normal((400, 2)) @ np.array([[2.0, 1.0], [0.0, 1.0]]) + 5
        made = [protect("noise_cov", y, y[:, :0], rng, {"c": 0.5, "exact": False}) for _ in range(400)]
        assert covariance_error(y, made[0]) > 1e-3
        means = np.array([x.mean(axis=0) for x in made])
        covariances = np.array([np.cov(x.T) for x in made])
        for values, target in ((means, y.mean(axis=0)), (covariances, np.cov(y.T))):
            assert (np.abs(values.mean(axis=0) - target) < 4 * values.std(axis=0) / 20).all()

    def test_on_the_whole_singular_census_file(self, census, rng):
        protected = protect("noise_cov", census.values, census.values[:, :0], rng, {})
        assert covariance_error(census.values, protected) < 1e-8


def naive_mdav(records: np.ndarray, k: int) -> list[set[int]]:
    """Domingo-Ferrer & Torra's text, word by word, with sorted lists."""
    points = (records - records.mean(axis=0)) / records.std(axis=0)
    rest = list(range(len(points)))

    def distance(i, centre):
        return float(((points[i] - centre) ** 2).sum())

    def take(centre):
        chosen = sorted(rest, key=lambda i: (distance(i, centre), i))[:k]
        for i in chosen:
            rest.remove(i)
        return set(chosen)

    def farthest(centre):
        return max(rest, key=lambda i: (distance(i, centre), -i))

    found = []
    while len(rest) >= 3 * k:
        first = farthest(points[rest].mean(axis=0))
        second = farthest(points[first])
        found += [take(points[first]), take(points[second])]
    if len(rest) >= 2 * k:
        found.append(take(points[farthest(points[rest].mean(axis=0))]))
    if rest:
        found.append(set(rest))
    return found


class TestMdav:
    @settings(max_examples=60)
    @given(st.integers(0, 2**32), st.integers(2, 80), st.integers(1, 4), st.data())
    def test_is_a_partition_into_clusters_of_k_to_2k_minus_1(self, seed, n, p, data):
        k = data.draw(st.integers(1, n))
        records = np.random.default_rng(seed).integers(0, 6, (n, p)).astype(float)  # many ties
        found = mdav.clusters(records, k)
        assert sorted(np.concatenate(found)) == list(range(n))
        assert all(k <= len(members) <= 2 * k - 1 for members in found) or (k == 1 and len(found) == n)

    @pytest.mark.parametrize(("n", "k"), [(30, 3), (47, 5), (60, 20), (61, 20), (100, 7)])
    def test_agrees_with_the_algorithm_as_printed(self, n, k, rng):
        records = rng.normal(0, [1, 10, 0.1], (n, 3))
        ours = [set(map(int, members)) for members in mdav.clusters(records, k)]
        assert ours == naive_mdav(records, k)

    @pytest.mark.parametrize(("k", "clusters"), [(324, 6), (60, 32), (20, 97)])
    def test_thyroid_gives_the_published_numbers_of_clusters(self, dataset, entries, k, clusters):
        """Oganian & Domingo-Ferrer (2017), section 5: 6 clusters at k = 324; 32 and 97 follow from n and k."""
        records = dataset("thyroid").select(entries["thyroid"].numbers, "test")
        sizes = [len(members) for members in mdav.clusters(records, k)]
        assert len(sizes) == clusters
        assert k <= min(sizes) <= max(sizes) <= 2 * k - 1

    def test_releases_cluster_means(self, rng):
        y = rng.standard_normal((50, 2))
        protected = protect("mdav", y, y[:, :0], rng, {"k": 5})
        np.testing.assert_allclose(protected.mean(axis=0), y.mean(axis=0))
        _, counts = np.unique(protected.round(9), axis=0, return_counts=True)
        assert counts.min() >= 5

    @pytest.mark.parametrize("k", [0, 51])
    def test_refuses_a_k_that_no_cluster_can_have(self, rng, k):
        y = rng.standard_normal((50, 2))
        with pytest.raises(SdclabError, match=f"k is {k} but must lie between 1 and the number of records, 50"):
            protect("mdav", y, y[:, :0], rng, {"k": k})


class TestHybridMicro:
    @pytest.mark.parametrize("k", [3, 20, 400])
    def test_keeps_means_covariances_and_exact_relations(self, census, rng, k):
        protected = protect("hybrid_micro", census.values, census.values[:, :0], rng, {"k": k})
        assert mean_error(census.values, protected) < 1e-8
        assert covariance_error(census.values, protected) < 1e-8
        total, other, earned = (protected[:, census.columns.index(c)] for c in ("PTOTVAL", "POTHVAL", "PEARNVAL"))
        np.testing.assert_allclose(total, other + earned, atol=1e-6)

    def test_keeps_them_inside_every_cluster(self, census, rng):
        clusters = mdav.clusters(census.values, 60)
        protected = synthesise(census.values, clusters, rng)
        for members in clusters:
            assert mean_error(census.values[members], protected[members]) < 1e-8
            assert covariance_error(census.values[members], protected[members]) < 1e-8


def test_permute_releases_every_record_in_another_place(split, rng):
    y, x = split
    protected = protect("permute", y, x, rng, {})
    assert sorted(map(tuple, protected)) == sorted(map(tuple, y))
    assert (protected != y).any(axis=1).mean() > 0.9


class TestBadInput:
    def test_unknown_method_names_the_nearest(self, rng):
        with pytest.raises(SdclabError, match=r"unknown method 'ipsoa': did you mean ipso_a"):
            protect("ipsoa", rng.random((9, 2)), rng.random((9, 1)), rng, {})

    @pytest.mark.parametrize(
        ("method", "parameters", "message"),
        [
            ("mdav", {"K": 3}, "unknown parameter 'K': did you mean k"),
            ("mdav", {"k": 2.5}, "k is 2.5 but must be a whole number"),
            ("mdav", {"k": True}, "k is True but must be a whole number"),
            ("noise", {}, "method noise needs the parameter p"),
            ("noise", {"p": "much"}, "p is 'much' but must be a number"),
            ("noise", {"p": -1}, "p is -1.0 but must not be negative"),
            ("noise_cov", {"c": 0}, "c is 0.0 but must be positive"),
            ("ipso_b", {"reading": "x"}, "reading is 'x' but must be one of burridge, thesis"),
            ("ipso_a", {"k": 3}, "takes no parameters, but k was given"),
        ],
    )
    def test_bad_parameters_are_named(self, rng, method, parameters, message):
        with pytest.raises(SdclabError, match=message):
            protect(method, rng.random((9, 2)), rng.random((9, 1)), rng, parameters)
