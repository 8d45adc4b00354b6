"""Gaussian mixtures against scikit-learn, R's mclust, brute force and their own guarantees."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import needs_originals
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture

from sdclab.clustering import hierarchical, mixture
from sdclab.clustering.covariances import COVARIANCES, CollapsedError
from sdclab.clustering.starts import MOST, starting_labels
from sdclab.data.dataset import Dataset

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

    def test_the_floor_under_the_weights_is_met(self, points, start):
        assert mixture.fit(points, "VVV", start).weights.min() < 0.3
        assert mixture.fit(points, "VVV", start, least=0.3).weights.min() == pytest.approx(0.3)

    def test_a_cluster_of_equal_values_is_said_to_collapse(self, points, start):
        points[:90, 1] = 7.0
        with pytest.raises(CollapsedError, match="one of 3 clusters collapses onto fewer dimensions"):
            mixture.fit(points, "VVV", start)


class TestHierarchical:
    @settings(max_examples=15, deadline=None)
    @given(seed=st.integers(0, 2**32), n=st.integers(6, 16))
    def test_the_textbook_merges_are_those_of_brute_force(self, seed, n):
        records = np.random.default_rng(seed).standard_normal((n, 2)) * [1, 30]
        assert hierarchical.tree(records, "textbook").tolist() == brute_force(records)

    def test_the_labels_follow_the_merges(self):
        tree = np.array([[1, 3], [0, 2], [0, 1]])
        assert hierarchical.labels(tree, 2).tolist() == [0, 1, 0, 1]
        assert hierarchical.labels(tree, 3).tolist() == [0, 1, 2, 1]
        assert hierarchical.labels(tree, 4).tolist() == [0, 1, 2, 3]

    def test_a_large_file_is_sampled_evenly(self, rng):
        records = rng.standard_normal((2 * MOST + 1, 2))
        used, labels = starting_labels(records, "textbook")
        assert len(used) == len(labels(3)) == MOST
        assert (used[0], used[-1]) == (0, 2 * MOST)
        assert set(np.diff(used)) <= {2, 3}

    def test_k_means_recovers_groups_that_are_far_apart(self, rng):
        group = np.repeat(np.arange(3), 30)
        records = rng.standard_normal((90, 2)) + 50 * np.column_stack([group == 1, group == 2])
        labels = starting_labels(records, "kmeans++")[1](3)
        assert len({(a, b) for a, b in zip(group, labels, strict=True)}) == 3


def brute_force(records: np.ndarray) -> list[list[int]]:
    """Every union of two clusters priced from its members, at every step."""
    n, p = records.shape
    offset = np.trace(np.cov(records.T, bias=True)) / p

    def term(members: list[int]) -> float:
        size = len(members)
        scatter = np.atleast_2d(np.cov(records[members].T, bias=True)) * size if size > 1 else np.zeros((p, p))
        determinant = np.linalg.det(scatter / size) if size > p else 0.0
        return size * np.log(determinant + (np.trace(scatter) + offset) / size)

    clusters = {i: [i] for i in range(n)}
    merges = []
    while len(clusters) > 1:
        pairs = [(a, b) for a in clusters for b in clusters if a < b]
        cost = {(a, b): term(clusters[a] + clusters[b]) - term(clusters[a]) - term(clusters[b]) for a, b in pairs}
        kept, dropped = min(pairs, key=cost.__getitem__)
        clusters[kept] += clusters.pop(dropped)
        merges.append([kept, dropped])
    return merges


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
