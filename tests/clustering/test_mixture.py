"""Gaussian mixtures against scikit-learn, R's mclust, brute force and their own guarantees."""

import shutil
import subprocess
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from conftest import needs_originals
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn import datasets
from sklearn.mixture import GaussianMixture

from sdclab.base.errors import SdclabError
from sdclab.clustering import hierarchical, mixture
from sdclab.clustering.covariances import COVARIANCES, CollapsedError
from sdclab.clustering.starts import SAMPLE, starting_labels
from sdclab.microdata.dataset import Dataset

CONTINUOUS = ("age", "TSH", "T3", "T4U", "FTI")


def has_mclust() -> bool:
    command = ["Rscript", "-e", "library(mclust)"]
    return shutil.which("Rscript") is not None and subprocess.run(command, capture_output=True).returncode == 0


needs_mclust = pytest.mark.skipif(
    not has_mclust(), reason="R WITH MCLUST IS ABSENT: install r-cran-mclust to compare mixtures with it"
)


def planted(rng: np.random.Generator, sizes: tuple[int, ...] = (80, 120, 60), attributes: int = 3) -> np.ndarray:
    """Normal groups that overlap a little, in units that differ by powers of ten."""
    groups = []
    for size in sizes:
        shape = rng.standard_normal((attributes, attributes))
        groups.append(rng.normal(0, 4, attributes) + rng.standard_normal((size, attributes)) @ shape)
    return np.vstack(groups) * 10.0 ** np.arange(-1, attributes - 1)


def shares(labels: np.ndarray) -> np.ndarray:
    return np.eye(labels.max() + 1)[labels]


@pytest.fixture
def points(rng: np.random.Generator) -> np.ndarray:
    return planted(rng)


@pytest.fixture
def start(rng: np.random.Generator, points: np.ndarray) -> np.ndarray:
    return shares(np.arange(len(points)) * 3 // len(points))


@pytest.fixture(scope="session")
def thyroid(dataset: Callable[[str], Dataset]) -> np.ndarray:
    return dataset("thyroid").select(CONTINUOUS, "test")


@pytest.fixture(scope="session")
def thyroid_tree(thyroid: np.ndarray) -> np.ndarray:
    return hierarchical.tree(thyroid, "mclust")


class TestEm:
    @pytest.mark.parametrize(
        ("model", "theirs"), [("VVV", "full"), ("EEE", "tied"), ("VVI", "diag"), ("VII", "spherical")]
    )
    def test_iterations_are_those_of_scikit_learn(self, model, theirs, points, start):
        ours = mixture.fit(points, model, start, tolerance=0.0, iterations=6)
        peer = GaussianMixture(3, covariance_type=theirs, reg_covar=0.0, max_iter=5, tol=0.0)
        peer._initialize(points, start)
        peer.warm_start, peer.converged_, peer.lower_bound_ = True, False, -np.inf
        for _ in range(6):
            log_likelihood, log_shares = peer._e_step(points)
            peer._m_step(points, log_shares)
        np.testing.assert_allclose(ours.shares, np.exp(log_shares), atol=1e-8)
        np.testing.assert_allclose(ours.weights, peer.weights_, rtol=1e-8)
        np.testing.assert_allclose(ours.means, peer.means_, rtol=1e-7, atol=1e-9)
        assert ours.log_likelihood == pytest.approx(log_likelihood * len(points), rel=1e-10)
        assert ours.bic == pytest.approx(-peer.bic(points), rel=0.01)

    @pytest.mark.parametrize("model", list(COVARIANCES))
    def test_the_likelihood_never_falls(self, model, points, start):
        path = [
            mixture.fit(points, model, start, tolerance=0.0, iterations=steps).log_likelihood for steps in range(1, 30)
        ]
        assert np.diff(path).min() > -1e-7
        assert path[-1] > path[0]

    def test_models_share_what_their_letters_say(self, points, start):
        volume, shape = {}, {}
        for model in COVARIANCES:
            covariances = mixture.fit(points, model, start).covariances
            lengths = np.linalg.eigvalsh(covariances)
            volume[model] = np.exp(np.log(lengths).mean(axis=1))
            shape[model] = lengths / volume[model][:, None]
        for model in COVARIANCES:
            assert (np.ptp(volume[model]) < 1e-6 * volume[model].max()) == (model[0] == "E"), model
            assert (np.ptp(shape[model], axis=0).max() < 1e-5 * shape[model].max()) == (model[1] in "EI"), model

    @pytest.mark.parametrize("model", [name for name, model in COVARIANCES.items() if model.any_units])
    def test_units_do_not_matter_where_they_need_not(self, model, points, start):
        units = np.array([1e-3, 1.0, 1e4])
        raw, scaled = (mixture.fit(x, model, start, tolerance=0.0, iterations=20) for x in (points, points * units))
        np.testing.assert_allclose(raw.shares, scaled.shares, atol=1e-6)
        np.testing.assert_allclose(scaled.covariances, raw.covariances * np.outer(units, units), rtol=1e-6)

    @pytest.mark.parametrize("size", [1, 7, 100])
    @pytest.mark.parametrize("components", ["normal", "t"])
    def test_parts_of_any_size_add_up_to_the_whole_file(self, components, size, points, start, monkeypatch):
        whole = mixture.fit(points, "VVV", start, components=components, iterations=5)
        monkeypatch.setattr(mixture, "PART", size)
        found = mixture.fit(points, "VVV", start, components=components, iterations=5)
        assert found.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-9)
        np.testing.assert_allclose(found.shares, whole.shares, atol=1e-8)
        np.testing.assert_allclose(found.means, whole.means, rtol=1e-7, atol=1e-9)

    @pytest.mark.parametrize("size", [1, 50, 1000])
    def test_what_the_m_step_needs_is_a_sum_over_records(self, size, points, monkeypatch):
        monkeypatch.setattr(mixture, "PART", size)
        covariances = np.stack([np.cov(points.T)] * 3)
        points = points - points.mean(axis=0)
        density = mixture._Density(np.array([0.2, 0.5, 0.3]), points[:3], covariances, points.std(axis=0), None)
        found = mixture.Points(points, any_units=False).expected(density)
        np.testing.assert_allclose(found.shares.sum(axis=0), 1)
        sums = np.einsum("ck,ka,kb->cab", found.shares, *[np.column_stack([np.ones(len(points)), points])] * 2)
        a, b = np.triu_indices(4)
        np.testing.assert_allclose(found.moments, sums[:, a, b], rtol=1e-9, atol=1e-7 * np.abs(sums).max())
        np.testing.assert_allclose(found.size, sums[:, 0, 0])

    def test_a_fit_is_given_up_only_if_it_cannot_win(self, points, start):
        found = mixture.fit(points, "VVV", start, tolerance=1e-9)
        assert mixture.fit(points, "VVV", start, tolerance=1e-9, beat=found.bic).bic == found.bic
        with pytest.raises(mixture.BeatenError):
            mixture.fit(points, "VVV", start, tolerance=1e-12, beat=found.bic + 1e6)

    def test_of_a_long_file_a_sample_chooses_and_all_records_are_fitted(self, rng, monkeypatch):
        points = rng.permutation(planted(rng, (800, 1200, 600)))
        whole = mixture.choose(points, ("EEE", "VVV"), (2, 3, 4), "mclust", 20)
        monkeypatch.setattr(mixture, "SAMPLE", 900)
        monkeypatch.setattr(mixture, "PART", 250)
        found = mixture.choose(points.copy("F"), ("EEE", "VVV"), (2, 3, 4), "mclust", 20)
        assert (found.model, found.clusters, found.shares.shape) == (whole.model, whole.clusters, whole.shares.shape)
        assert found.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-4)
        names = np.array([np.abs(whole.means - mean).sum(axis=1).argmin() for mean in found.means])
        assert (names[found.labels] == whole.labels).mean() > 0.99

    def test_the_floor_under_the_weights_is_met(self, points, start):
        assert mixture.fit(points, "VVV", start).weights.min() < 0.3
        assert mixture.fit(points, "VVV", start, least=0.3).weights.min() == pytest.approx(0.3)

    def test_a_cluster_of_equal_values_is_said_to_collapse(self, points, start):
        points[:90, 1] = 7.0
        with pytest.raises(CollapsedError, match="one of 3 clusters collapses onto fewer dimensions"):
            mixture.fit(points, "VVV", start)

    @pytest.fixture
    def flat(self, points) -> np.ndarray:
        """The first of three groups lies in a plane, but not along the axes."""
        flat = (points - points.mean(axis=0)) / points.std(axis=0)
        flat[:80, 2] = flat[:80, 0] - 2 * flat[:80, 1]
        return flat

    def test_one_shape_serves_a_cluster_on_fewer_dimensions(self, flat):
        """Celeux & Govaert (1995), model VEV: no other volumes and shape make the normal likelihood larger."""
        groups = [flat[:80], flat[80:200], flat[200:]]
        size = np.array([len(group) for group in groups], dtype=float)
        scatter = np.array([np.cov(group.T, bias=True) * len(group) for group in groups])
        lengths = np.maximum(np.linalg.eigvalsh(scatter), 0)
        assert lengths[0, 0] < 1e-10 * lengths[0, 2]

        def loss(logs: np.ndarray) -> float:
            volume, shape = np.exp(logs[:3]), np.exp(np.append(logs[3:], -logs[3:].sum()))
            return float((3 * size * np.log(volume)).sum() + (lengths / np.outer(volume, shape)).sum())

        made = COVARIANCES["VEV"].estimate(scatter, size)
        ours = (size * np.linalg.slogdet(made)[1]).sum() + np.trace(
            np.linalg.solve(made, scatter), axis1=1, axis2=2
        ).sum()
        assert ours == pytest.approx(minimize(loss, np.zeros(5), method="BFGS").fun, abs=1e-6)

    def test_the_likelihood_of_one_shape_never_falls_with_a_cluster_on_fewer_dimensions(self, flat):
        start = shares(np.repeat([0, 1, 2], [80, 120, 60]))
        with pytest.raises(CollapsedError):
            mixture.fit(flat, "VVV", start)
        path = [mixture.fit(flat, "VEV", start, tolerance=0.0, iterations=i).log_likelihood for i in range(1, 20)]
        assert np.diff(path).min() > -1e-7
        assert path[-1] > path[0]

    @pytest.mark.parametrize("change", ["one point", "one plane"])
    def test_one_shape_that_no_cluster_has_is_refused(self, change, flat):
        if change == "one point":
            flat[:80] = 1.0
        else:
            flat[:, 2] = flat[:, 0]
        with pytest.raises(CollapsedError, match="one of 3 clusters collapses"):
            mixture.fit(flat, "VEV", shares(np.repeat([0, 1, 2], [80, 120, 60])))


class TestChoice:
    def test_a_start_that_fails_for_many_clusters_leaves_the_few(self, rng):
        corners = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
        records = np.repeat(corners, 20, axis=0) + np.tile(rng.standard_normal((4, 2)) / 9, (15, 1))
        for start in ("kmeans++", "mclust"):
            chosen = mixture.choose(records, ("EII",), (3, 13), start, 1)
            assert np.bincount(chosen.labels).tolist() == [20, 20, 20]

    def test_records_that_do_not_vary_are_refused(self):
        with pytest.raises(SdclabError, match="no attribute varies"):
            mixture.choose(np.full((40, 3), 7.1), ("VVV",), (2,), "mclust", 1)


class TestRace:
    """What is given up early could not have won: the full search chooses the same."""

    @staticmethod
    def chosen(records: np.ndarray, k: int, sizes: tuple[int, ...]) -> mixture.Mixture:
        return mixture.choose.__wrapped__(records, tuple(COVARIANCES), sizes, "mclust", k)  # not from memory

    def as_the_full_search(self, monkeypatch, records: np.ndarray, k: int, sizes: tuple[int, ...]) -> mixture.Mixture:
        raced = self.chosen(records, k, sizes)
        fits, fit = [], mixture.fit
        with monkeypatch.context() as patch:
            patch.setattr(mixture, "LEAST_STEPS", 10**9)
            patch.setattr(mixture, "fit", lambda *args, **options: fits.append(1) or fit(*args, **options))
            full = self.chosen(records, k, sizes)
        assert len(fits) == len(COVARIANCES) * len(sizes)
        assert (raced.model, raced.clusters, raced.bic) == (full.model, full.clusters, full.bic)
        np.testing.assert_array_equal(raced.labels, full.labels)
        return raced

    @pytest.mark.parametrize("seed", range(3))
    def test_planted_groups_are_found(self, seed, monkeypatch):
        rng = np.random.default_rng(seed)
        records = planted(rng) + np.repeat([[-2.0, 0, 0], [0, 0, 0], [2.0, 0, 0]], [80, 120, 60], axis=0)
        chosen = self.as_the_full_search(monkeypatch, records, 5, (2, 3, 4, 5))
        assert chosen.clusters == 3

    @pytest.mark.parametrize("name", ["iris", "wine", "diabetes", "breast_cancer"])
    def test_on_public_files(self, name, monkeypatch):
        records = getattr(datasets, f"load_{name}")().data[:, :4]
        self.as_the_full_search(monkeypatch, records, 5, tuple(range(2, 11)))

    @pytest.mark.parametrize("n", [400, 1000])
    def test_on_groups_with_heavy_tails(self, n, monkeypatch):
        """Of 400 records EM gains more than it seems to: without the rule for few, a fit that wins is given up."""
        rng = np.random.default_rng(3)
        group, axes = rng.integers(4, size=n), rng.standard_normal((4, 3, 3))
        records = rng.normal(0, 2, (4, 3))[group] + np.einsum("nj,nij->ni", rng.standard_t(4, (n, 3)), axes[group])
        self.as_the_full_search(monkeypatch, records, 5, tuple(range(2, 11)))

    @pytest.mark.slow
    @pytest.mark.parametrize("k", [60, 200, 400])
    def test_on_thyroid(self, k, thyroid, monkeypatch):
        self.as_the_full_search(monkeypatch, thyroid, k, tuple(c for c in range(2, 11) if c * k < len(thyroid)))


def money(n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    """Whole amounts; some attributes are 0, or in proportion to others, in many records."""
    amounts = np.exp(rng.normal(9, 1, (n, p))).round()
    amounts[rng.random(n) < 0.5, 0] = 0
    amounts[: n // 2, -1] = 3 * amounts[: n // 2, -2]
    return amounts


class TestHierarchical:
    @pytest.mark.parametrize("reading", ["textbook", "mclust"])
    @settings(max_examples=5)
    @given(seed=st.integers(0, 2**32), n=st.integers(6, 12))
    def test_the_merges_are_those_of_exact_arithmetic(self, reading, seed, n):
        records = np.random.default_rng(seed).standard_normal((n, 2)).round(3) * [1, 30]
        assert hierarchical.tree(records, reading).tolist() == exact_tree(records, reading)

    @pytest.mark.parametrize("reading", ["textbook", "mclust"])
    def test_so_they_are_with_many_attributes_in_units_of_money(self, reading, rng):
        for p in (3, 5):
            records = money(14, p, rng)
            assert hierarchical.tree(records, reading).tolist() == exact_tree(records, reading)

    @pytest.mark.parametrize("reading", ["textbook", "mclust"])
    def test_so_they_are_with_ties(self, reading, rng):
        for unit in (1.0, 0.1):
            records = rng.integers(0, 4, (12, 2)) * unit
            assert hierarchical.tree(records, reading).tolist() == exact_tree(records.round(1), reading, decimals=1)

    def test_of_equal_costs_the_last_is_taken(self):
        """The R routine: the later of two clusters first, then the earlier; a place left is taken by the last."""
        records = np.array([[0.0], [1.0], [100.0], [101.0], [200.0], [201.0]])
        assert hierarchical.tree(records, "mclust")[:3].tolist() == [[4, 5], [2, 3], [0, 1]]
        assert hierarchical.tree(np.array([[0.0], [1.0], [2.0]]), "mclust").tolist() == [[1, 2], [0, 1]]

    def test_the_last_bit_decides_nothing(self, rng):
        """Tenths are not exact, and each shift rounds them otherwise."""
        records = rng.integers(0, 40, (150, 3)) / 10
        tree = hierarchical.tree(records, "mclust")
        for shift in (0.1, 1000.3):
            np.testing.assert_array_equal(hierarchical.tree(records + shift, "mclust"), tree)
            np.testing.assert_array_equal(hierarchical.tree(-records - shift, "mclust"), tree)

    def test_large_numbers_do_not_overflow(self, rng):
        for reading in ("textbook", "mclust"):
            tree = hierarchical.tree(rng.normal(0, 1e8, (120, 20)), reading)
            assert sorted(tree[:, 1]) == list(range(1, 120))

    def test_the_labels_follow_the_merges(self):
        tree = np.array([[1, 3], [0, 2], [0, 1]])
        assert hierarchical.labels(tree, 2).tolist() == [0, 1, 0, 1]
        assert hierarchical.labels(tree, 3).tolist() == [0, 1, 2, 1]
        assert hierarchical.labels(tree, 4).tolist() == [0, 1, 2, 3]

    @given(seed=st.integers(0, 2**32), n=st.integers(2, 40))
    def test_so_they_do_in_any_tree(self, seed, n):
        rng = np.random.default_rng(seed)
        left, merges = list(range(n)), []
        while len(left) > 1:
            pair = sorted(int(each) for each in rng.choice(left, 2, replace=False))
            merges.append(pair)
            left.remove(pair[1])
        member = np.arange(n)
        for done in range(n):
            found = hierarchical.labels(np.array(merges), n - done)
            np.testing.assert_array_equal(found, np.unique(member, return_inverse=True)[1])
            if done < n - 1:
                member[member == merges[done][1]] = merges[done][0]

    def test_a_large_file_is_sampled_evenly(self, rng):
        records = rng.standard_normal((2 * SAMPLE + 1, 2))
        used, labels = starting_labels(records, "textbook")
        assert len(used) == len(labels(3)) == SAMPLE
        assert (used[0], used[-1]) == (0, 2 * SAMPLE)
        assert set(np.diff(used)) <= {2, 3}

    def test_k_means_recovers_groups_that_are_far_apart(self, rng):
        group = np.repeat(np.arange(3), 30)
        records = rng.standard_normal((90, 2)) + 50 * np.column_stack([group == 1, group == 2])
        labels = starting_labels(records, "kmeans++")[1](3)
        assert len({(a, b) for a, b in zip(group, labels, strict=True)}) == 3


def exact_tree(records: np.ndarray, reading: str, decimals: int | None = None) -> list[list[int]]:
    """Every union priced as soon as there may be one: scatters as fractions, logarithms to 40 decimals."""
    rows = [[Fraction(str(x)) if decimals else Fraction(float(x)) for x in row] for row in records]
    clusters = [Exact(i, row) for i, row in enumerate(rows)]
    n, p = records.shape
    means = [sum(column) / n for column in zip(*rows, strict=True)]
    offset = sum((x - m) ** 2 for row in rows for x, m in zip(row, means, strict=True)) / (n * p)
    merges, last = [], None
    costs: dict[frozenset[Exact], Decimal] = {}
    with localcontext() as context:
        context.prec = 60
        for cluster in clusters:
            cluster.term = log(offset)
        while len(clusters) > 1:
            pairs = {(i, j): frozenset({clusters[j], clusters[i]}) for i in range(len(clusters)) for j in range(i)}
            for pair in set(pairs.values()) - set(costs):
                a, b = pair
                costs[pair] = round(a.joined(b, last).priced(offset, reading) - a.term - b.term, 40)
            least = min(costs[pair] for pair in pairs.values())
            i, j = max(places for places, pair in pairs.items() if costs[pair] == least)
            a, b = clusters[j], clusters[i]
            if reading == "mclust" and last is not None and last not in (a, b):
                last.set_aside()
            merges.append(sorted([a.first, b.first]))
            union = a.joined(b, last)
            union.term = a.term + b.term + least
            clusters[j], clusters[i] = union, clusters[-1]
            clusters.pop()
            last = union
    return merges


class Exact:
    """A cluster in exact arithmetic; of the first row r of its triangular factor the products r_a r_b."""

    def __init__(self, first: int, centre: list[Fraction]):
        zeros = [[Fraction(0)] * len(centre) for _ in centre]
        self.first, self.size, self.centre, self.scatter, self.row, self.trace = (
            first,
            1,
            centre,
            zeros,
            zeros,
            Fraction(0),
        )
        self.term = Decimal(0)

    def joined(self, other: "Exact", last: "Exact | None") -> "Exact":
        """With the centre, scatter and trace of both, as kept; the first row is that of one of them if it may be."""
        size = self.size + other.size
        centre = [(self.size * a + other.size * b) / size for a, b in zip(self.centre, other.centre, strict=True)]
        union = Exact(min(self.first, other.first), centre)
        apart = [b - a for a, b in zip(self.centre, other.centre, strict=True)]
        between = [[Fraction(self.size * other.size, size) * a * b for b in apart] for a in apart]
        p = range(len(centre))
        union.size = size
        union.scatter = [[self.scatter[a][b] + other.scatter[a][b] + between[a][b] for b in p] for a in p]
        union.trace = self.trace + other.trace + sum(between[a][a] for a in p)
        corner = union.scatter[0]
        if corner[0]:
            union.row = [[corner[a] * corner[b] / corner[0] for b in p] for a in p]
        else:
            known = [c.row for c in (last, other, self) if c in (self, other) and c.size > 1]
            union.row = known[0] if known else between
        return union

    def set_aside(self) -> None:
        p = range(len(self.centre))
        self.scatter = [[self.row[a][b] * min(a + 1, b + 1, self.size - 1) for b in p] for a in p]

    def priced(self, offset: Fraction, reading: str) -> Decimal:
        inside = (self.trace + offset) / self.size
        if self.size > len(self.centre):
            inside += self.determinant(reading)
        return self.size * log(inside)

    def determinant(self, reading: str) -> Fraction:
        """By elimination; in the R routine a pivot of 0 is rounding."""
        left = [[value / self.size for value in row] for row in self.scatter]
        product = Fraction(1)
        for k, whole in enumerate([left[k][k] for k in range(len(left))]):
            pivot = left[k][k]
            product *= pivot or (whole * Fraction(2) ** -104 if reading == "mclust" else 0)
            for i in range(k + 1, len(left)) if pivot else ():
                share = left[i][k] / pivot
                left[i] = [x - share * y for x, y in zip(left[i], left[k], strict=True)]
        return product


def log(x: Fraction) -> Decimal:
    return (Decimal(x.numerator) / Decimal(x.denominator)).ln()


@pytest.mark.slow
class TestThyroid:
    """Numbers published by Oganian & Domingo-Ferrer (2017), section 5, and those of mclust behind them."""

    @needs_originals
    def test_bic_chooses_the_published_clusters(self, thyroid):
        chosen = mixture.choose(thyroid, tuple(COVARIANCES), tuple(range(2, 11)), "mclust", 60)
        assert chosen.model == "VVV"
        assert np.bincount(chosen.labels).tolist() == [179, 232, 440, 325, 708, 63]
        assert chosen.log_likelihood == pytest.approx(-22071.8, abs=0.05)

    @needs_originals
    def test_the_weights_are_those_of_mclust_where_nothing_bounds_them(self, thyroid, thyroid_tree):
        """With k = 60 the floor acts on the way and not at the end; EM then stops at weights 0.8 / n apart."""
        made = mixture.fit(thyroid, "VVV", shares(hierarchical.labels(thyroid_tree, 6)))
        assert made.log_likelihood == pytest.approx(-22071.8, abs=0.05)
        np.testing.assert_allclose(made.weights * len(thyroid), [198.1, 266.2, 439.7, 287.6, 690.2, 65.2], atol=0.1)

    @needs_originals
    def test_the_nine_bics(self, thyroid, thyroid_tree):
        ours = [
            mixture.fit(thyroid, "VVV", shares(hierarchical.labels(thyroid_tree, size))).bic for size in range(2, 11)
        ]
        theirs = [-47844.3, -46177.4, -45284.3, -45162.3, -45090.4, -45181.3, -45094.8, -45110.6, -45181.2]
        np.testing.assert_allclose(ours, theirs, atol=0.1)

    @needs_originals
    def test_the_textbook_start_leads_elsewhere(self, thyroid):
        chosen = mixture.choose(thyroid, ("VVV",), (6, 7), "textbook", 1)
        assert chosen.clusters == 7
        assert chosen.bic == pytest.approx(-45033.7, abs=0.1)

    @needs_originals
    @pytest.mark.parametrize(("k", "size", "smallest"), [(200, 6, 74), (400, 4, 117), (60, 8, 34)])
    def test_the_floor_bounds_weights_and_not_clusters(self, k, size, smallest, thyroid, thyroid_tree):
        labels = hierarchical.labels(thyroid_tree, size)
        made = mixture.fit(thyroid, "VVV", shares(labels), least=k / len(thyroid))
        assert made.weights.min() * len(thyroid) == pytest.approx(k)
        assert np.bincount(made.labels).min() == smallest

    @needs_mclust
    def test_trees_and_fits_are_those_of_mclust(self, thyroid, thyroid_tree, tmp_path):
        """On whatever Thyroid file is at hand: all merges, and the BIC of seven models for 2 to 6 clusters."""
        tree, bics = from_mclust(thyroid, tmp_path)
        assert (thyroid_tree == tree).all()
        for model, theirs in bics.items():
            for size, bic in enumerate(theirs, start=2):
                start = shares(hierarchical.labels(thyroid_tree, size))
                if np.isnan(bic):
                    with pytest.raises(CollapsedError):
                        mixture.fit(thyroid, model, start)
                else:
                    assert mixture.fit(thyroid, model, start).bic == pytest.approx(bic, abs=0.02), (model, size)


CENSUS = {
    "census": ("AGI", "FEDTAX", "EMCONTRB", "FICA"),
    "census totals": ("PTOTVAL", "ERNVAL", "STATETAX", "INTVAL"),
}


ORIGINALS = [pytest.param(name, marks=needs_originals) for name in CENSUS]


@pytest.fixture(scope="module")
def chosen_by_mclust(tmp_path_factory: pytest.TempPathFactory, census: Dataset) -> Path:
    folder = tmp_path_factory.mktemp("mclust")
    for name, columns in CENSUS.items():
        np.savetxt(folder / f"{name}.csv", census.select(columns, "test"), delimiter=",", fmt="%.17g")
    (folder / "run.R").write_text(
        f"""
        suppressMessages(library(mclust))
        for (name in c("faithful", "iris", "quakes"))
            write.table(format(Filter(is.numeric, get(name))[, 1:min(4, ncol(get(name)))], digits = 17),
                        paste0(name, ".csv"), sep = ",", quote = FALSE, row.names = FALSE, col.names = FALSE)
        for (name in c("faithful", "iris", "quakes", {", ".join(f'"{name}"' for name in CENSUS)})) {{
            x <- as.matrix(read.csv(paste0(name, ".csv"), header = FALSE))
            tree <- hc(x, modelName = "VVV", use = "VARS")
            models <- strsplit("{" ".join(COVARIANCES)}", " ")[[1]]
            made <- Mclust(x, G = 2:10, modelNames = models, initialization = list(hcPairs = tree), verbose = FALSE)
            writeLines(c(made$modelName, made$bic, made$classification - 1), paste0(name, ".chosen"))
            write.table(hclass(tree, 2:10), paste0(name, ".starts"), row.names = FALSE, col.names = FALSE)
        }}
        """
    )
    subprocess.run(["Rscript", "run.R"], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.slow
@needs_mclust
class TestMclust:
    """The choice among seven models and 2 to 10 clusters, beside that of mclust from the same kind of start."""

    @pytest.mark.parametrize("name", ["faithful", "iris", "quakes", *ORIGINALS])
    def test_model_and_labels_are_those_of_mclust(self, name, chosen_by_mclust):
        records = np.loadtxt(chosen_by_mclust / f"{name}.csv", delimiter=",")
        model, bic, *labels = (chosen_by_mclust / f"{name}.chosen").read_text().split()
        chosen = mixture.choose(records, tuple(COVARIANCES), tuple(range(2, 11)), "mclust", 0)
        assert chosen.model == model
        assert chosen.bic == pytest.approx(float(bic), abs=0.02)
        assert chosen.labels.tolist() == [int(label) for label in labels]

    @pytest.mark.parametrize("name", ["faithful", "quakes", *ORIGINALS])
    def test_starts_are_those_of_mclust(self, name, chosen_by_mclust):
        """Those of iris too, but there mclust's rounding decides between ties."""
        records = np.loadtxt(chosen_by_mclust / f"{name}.csv", delimiter=",")
        theirs = np.loadtxt(chosen_by_mclust / f"{name}.starts", dtype=int)
        tree = hierarchical.tree(records, "mclust")
        for column, clusters in enumerate(range(2, 11)):
            pairs = set(zip(hierarchical.labels(tree, clusters), theirs[:, column], strict=True))
            assert len(pairs) == clusters


def from_mclust(records: np.ndarray, folder: Path) -> tuple[np.ndarray, dict[str, list[float]]]:
    """The merges and BICs of R's mclust."""
    np.savetxt(folder / "records.csv", records, delimiter=",", fmt="%.17g")
    (folder / "run.R").write_text(
        f"""
        suppressMessages(library(mclust))
        x <- as.matrix(read.csv("records.csv", header = FALSE))
        tree <- hc(x, modelName = "VVV", use = "VARS")
        write.table(t(tree), "tree.txt", row.names = FALSE, col.names = FALSE)
        models <- strsplit("{" ".join(COVARIANCES)}", " ")[[1]]
        bic <- mclustBIC(x, G = 2:6, modelNames = models, initialization = list(hcPairs = tree))
        write.table(t(unclass(bic)[, models]), "bic.txt", col.names = FALSE)
        """
    )
    subprocess.run(["Rscript", "run.R"], cwd=folder, check=True, capture_output=True)
    rows = [line.split() for line in (folder / "bic.txt").read_text().splitlines()]
    bics = {row[0].strip('"'): [float(cell) if cell != "NA" else np.nan for cell in row[1:]] for row in rows}
    return np.loadtxt(folder / "tree.txt", dtype=int) - 1, bics
