"""Fuzzy c-regression: ordinary least squares as its simplest case, planted lines, solvers, and Table II."""

import numpy as np
import pytest
from conftest import S1, S2, needs_originals
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from sdclab.base.errors import SdclabError
from sdclab.clustering.solvers import one_inverse, solve
from sdclab.experiment.cell import Cell, run
from sdclab.experiment.scenario import Rotation
from sdclab.methods import fcrm, protect, release


@pytest.fixture
def lines(rng):
    """Two planted lines, y = 1 + 2x and y = 20 - 3x, with a little noise."""
    x = rng.uniform(0, 10, (300, 1))
    first = rng.random(300) < 0.5
    y = np.where(first, 1 + 2 * x[:, 0], 20 - 3 * x[:, 0]) + 0.1 * rng.standard_normal(300)
    return y[:, None], x, first


class TestFcrm:
    @pytest.mark.parametrize("dependents", ["separate", "joint"])
    def test_one_cluster_is_ordinary_least_squares(self, split, rng, dependents):
        y, x = split
        ours = protect("fcrm", y, x, rng, {"c": 1, "dependents": dependents})
        np.testing.assert_allclose(ours, protect("ipso_a", y, x, rng, {}), atol=1e-6 * np.abs(y).max())

    def test_one_cluster_without_intercept_is_least_squares_through_the_origin(self, split, rng):
        y, x = split
        ours = protect("fcrm", y, x, rng, {"c": 1, "intercept": False})
        scale = np.linalg.norm(x, axis=0)
        theirs = x / scale @ np.linalg.lstsq(x / scale, y, rcond=1e-9)[0]
        np.testing.assert_allclose(ours, theirs, atol=1e-6 * np.abs(y).max())

    def test_two_planted_lines_are_recovered(self, lines):
        y, x, first = lines
        basis = fcrm.design(x, True, "inverse")  # ones and x, so that coefficients can be read
        start = fcrm.start_partition(y, x, np.random.default_rng(1), c=2)
        found = fcrm.fit(basis, y[None], start[None], solver="inverse", r_max=100)
        order = np.argsort(found.coefficients[0, :, 1, 0])
        np.testing.assert_allclose(found.coefficients[0, order, :, 0], [[20, -3], [1, 2]], atol=0.1)
        labels = found.memberships[0].argmax(axis=0) == order[1]
        crossing = np.abs(x[:, 0] - 3.8) < 0.3  # where the lines meet nobody can tell
        assert (labels == first)[~crossing].mean() > 0.99

    def test_separate_and_joint_coincide_for_one_dependent(self, split):
        y, x = split
        first, second = (
            protect("fcrm", y[:, :1], x, np.random.default_rng(3), {"c": 4, "dependents": how})
            for how in ("separate", "joint")
        )
        np.testing.assert_allclose(first, second, rtol=1e-9)

    def test_separate_is_each_dependent_alone(self, split):
        y, x = split
        together = protect("fcrm", y, x, np.random.default_rng(3), {"c": 3})
        alone = protect("fcrm", y[:, 1:2], x, np.random.default_rng(3), {"c": 3})
        np.testing.assert_allclose(together[:, 1:2], alone, rtol=1e-6, atol=1e-6 * y.std())

    @pytest.mark.parametrize("dependents", ["separate", "joint"])
    def test_the_objective_never_increases_by_least_squares(self, split, dependents):
        y, x = split
        start = fcrm.start_partition(y, x, np.random.default_rng(5), c=5)
        targets = y.T[:, :, None] if dependents == "separate" else y[None]
        starts = np.broadcast_to(start, (len(targets), *start.shape))
        basis = fcrm.design(x, True, "lstsq")
        objectives = np.array([fcrm.fit(basis, targets, starts, r_max=r, epsilon=0.0).objective for r in range(1, 31)])
        assert (np.diff(objectives, axis=0) <= 1e-9 * objectives[:-1]).all()

    def test_memberships_sum_to_one_and_facts_are_told(self, split):
        y, x = split
        basis = fcrm.design(x, True, "lstsq")
        start = fcrm.start_partition(y, x, np.random.default_rng(1), c=6)
        found = fcrm.fit(basis, y[None], start[None])
        np.testing.assert_allclose(found.memberships.sum(axis=1), 1)
        made = release("fcrm", y, x, np.random.default_rng(1), {"c": 6})
        assert set(made.facts) == {"objective", "last_change", "iterations"}
        assert made.facts["iterations"] <= 30

    @pytest.mark.parametrize("solver", ["lstsq", "one_inverse"])
    @pytest.mark.parametrize("c", [1, 2, 40, 81, 150, 1079])
    def test_many_and_empty_clusters_raise_no_warning(self, census, solver, c):
        """pytest turns every warning into an error; c = 1079 leaves most clusters a record or none."""
        y, x = S2.split(census)
        parameters = {"c": c, "solver": solver, "r_max": 3}
        assert np.isfinite(protect("fcrm", y[:, :1], x, np.random.default_rng(0), parameters)).all()

    def test_a_problem_that_has_stopped_does_not_move(self, lines, rng):
        """Problems stop one by one; each ends where it would have ended alone."""
        y, x, _ = lines
        basis = fcrm.design(x, True, "lstsq")
        targets = np.stack([y, rng.standard_normal(y.shape), y**2])
        starts = np.stack([fcrm.start_partition(t, x, rng, c=2) for t in targets])
        together = fcrm.fit(basis, targets, starts, r_max=60, epsilon=1e-3)
        for i in range(3):
            alone = fcrm.fit(basis, targets[i : i + 1], starts[i : i + 1], r_max=60, epsilon=1e-3)
            assert together.iterations[i] == alone.iterations[0]
            np.testing.assert_allclose(together.memberships[i], alone.memberships[0], atol=1e-6)

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"c": 0}, "c is 0 but must lie between 1 and the number of records, 1080"),
            ({"c": 1081}, "c is 1081 but must lie between 1 and the number of records, 1080"),
            ({"c": 2, "m": 1.0}, "m is 1 but must be greater than 1"),
            ({"c": 2, "r_max": 0}, "r_max is 0 but must be at least 1"),
            ({}, "method fcrm needs the parameter c"),
            ({"c": 2, "solver": "lu"}, "solver is 'lu' but must be one of lstsq, inverse, one_inverse"),
        ],
    )
    def test_bad_parameters_are_named(self, census, rng, parameters, message):
        y, x = S2.split(census)
        with pytest.raises(SdclabError, match=message):
            protect("fcrm", y, x, rng, parameters)

    def test_empty_roles_are_named(self, census, rng):
        y, x = S2.split(census)
        with pytest.raises(SdclabError, match="there is no dependent attribute to protect"):
            protect("fcrm", y[:, :0], x, rng, {"c": 2})
        with pytest.raises(SdclabError, match="without an intercept at least one independent"):
            protect("fcrm", y, x[:, :0], rng, {"c": 2, "intercept": False, "start": "y"})

    def test_without_independents_the_dependents_give_the_first_partition(self, census):
        y, x = S2.split(census)
        made = [protect("fcrm", y, x[:, :0], np.random.default_rng(4), {"c": 3, "start": start}) for start in "xy"]
        np.testing.assert_array_equal(*made)
        # the regression on nothing but an intercept: every dependent is released as one of c constants
        assert [len(np.unique(column.round(6))) for column in made[0].T] == [3] * y.shape[1]


def deficient(seed, m, n, rank):
    """An integer matrix of a given rank at most, exact in floating point."""
    rng = np.random.default_rng(seed)
    return (rng.integers(-3, 4, (m, rank)) @ rng.integers(-3, 4, (rank, n))).astype(float)


class TestSolvers:
    @settings(max_examples=150)
    @given(st.integers(0, 2**32), st.integers(1, 7), st.integers(1, 7), st.integers(0, 5))
    def test_the_one_inverse_is_one(self, seed, m, n, rank):
        """A A⁻ A = A for rectangular and rank-deficient matrices (Cano 2009, section 2.6)."""
        a = deficient(seed, m, n, rank)
        g = one_inverse(a[None])[0]
        assert g.shape == (n, m)
        np.testing.assert_allclose(a @ g @ a, a, atol=1e-8 * max(1, np.abs(a).max()))
        assert np.linalg.matrix_rank(g) == np.linalg.matrix_rank(a)

    @settings(max_examples=40)
    @given(st.integers(0, 2**32), st.integers(1, 6))
    def test_of_a_regular_matrix_it_is_the_inverse(self, seed, n):
        a = np.random.default_rng(seed).standard_normal((3, n, n)) + 3 * np.eye(n)
        for zero_test in ("relative", "exact"):
            np.testing.assert_allclose(one_inverse(a, zero_test), np.linalg.inv(a), atol=1e-6)

    def test_the_exact_zero_test_takes_rounding_noise_for_a_pivot(self):
        """The artefact of Table III in small: on paper X'X = [[3, 5], [5, 25/3]] has rank one.

        Its second pivot 25/3 - 5 (5 (1/3)) is noise on every processor: 5 times the rounded 1/3 lies below 5/3, and
        whether the last product is rounded or fused with the sum, 1e-15 is left.
        """
        gram = np.array([[3.0, 5.0], [5.0, 25 / 3]])
        safe, printed = (one_inverse(gram[None], zero_test)[0] for zero_test in ("relative", "exact"))
        np.testing.assert_allclose(safe, [[1 / 3, 0], [0, 0]])
        assert np.abs(printed).min() > 1e14

    def test_the_relative_zero_test_finds_the_rank_of_a_file(self, census, rng):
        """In S2 the nine independents have rank eight."""
        _, x = S2.split(census)
        gram = x.T * rng.random(len(x)) @ x
        safe = one_inverse(gram[None])[0]
        assert (np.diag(safe) != 0).sum() == 8
        scale = np.sqrt(np.outer(np.diag(gram), np.diag(gram)))  # free of units
        np.testing.assert_allclose((gram @ safe @ gram) / scale, gram / scale, atol=1e-8)

    def test_solvers_agree_where_x_is_not_singular(self, census):
        y, x = S1.split(census)
        made = [
            protect("fcrm", y, x, np.random.default_rng(2), {"c": 3, "r_max": 5, **how})
            for how in (
                {},
                {"solver": "inverse"},
                {"solver": "one_inverse"},
                {"solver": "one_inverse", "zero_test": "exact"},
            )
        ]
        for other in made[1:]:
            np.testing.assert_allclose(other, made[0], atol=1e-4 * y.std(axis=0).max())

    def test_an_exactly_singular_matrix_gives_no_infinity(self):
        grams = np.array([[[1.0, 1.0], [1.0, 1.0]], [[2.0, 0.0], [0.0, 4.0]]])
        sides = np.array([[[2.0], [2.0]], [[2.0], [4.0]]])
        np.testing.assert_allclose(solve(grams, sides, "inverse", "exact")[:, :, 0], [[0, 0], [1, 1]])
        np.testing.assert_allclose(solve(grams, sides, "lstsq", "exact")[:, :, 0], [[1, 1], [1, 1]])


def pil(scenario, dataset, c, replicates, **parameters):
    cell = Cell("test", scenario.name, "fcrm", {"c": c, **parameters}, replicates)
    return float(np.mean([row["pil"] for row in run(cell, scenario, dataset, {"pil": {}})]))


PUBLISHED = dict(
    zip(
        range(2, 16),
        [44.677, 32.614, 26.668, 21.797, 18.357, 16.249, 13.495, 12.941, 11.424, 10.249, 9.104, 8.449, 8.551, 7.164],
        strict=True,
    )
)


@pytest.mark.slow
class TestPublished:
    def test_table_2(self, census):
        """PIL in scenario S1 over c = 2..15, means of 10 replicates; on a replica the same curve, more loosely."""
        ours = {c: pil(S1, census, c, 10) for c in PUBLISHED}
        errors = np.array([ours[c] - PUBLISHED[c] for c in PUBLISHED])
        original = census.kind == "original"
        assert np.sqrt(np.mean(errors**2)) <= (1.5 if original else 4)
        assert np.abs(errors).max() <= (3 if original else 8)

    def test_loss_falls_and_risk_rises_with_c(self, census):
        rows = [run(Cell("t", "S1", "fcrm", {"c": c}, 2), S1, census, {"score": {}}) for c in PUBLISHED]
        means = {q: [np.mean([row[q] for row in each]) for each in rows] for q in ("pil", "dr")}
        assert spearmanr(list(PUBLISHED), means["pil"]).statistic < -0.95
        assert spearmanr(list(PUBLISHED), means["dr"]).statistic > 0.95

    @needs_originals  # a replica has a level of its own (28.2): nothing published or calibrated speaks of it
    def test_table_3_by_least_squares(self, census):
        assert pil(S2, census, 2, 10) == pytest.approx(20.3, abs=0.5)

    def test_table_3_is_an_artefact_of_inverting_a_singular_matrix(self, census):
        """Published: 94.1, 39.0, 31.4 at c = 2, 9, 20; least squares is far below, an inverse on rounding noise not.

        How far the latter is up, the processor decides: from 55 to 78 at c = 20 on four kernels, where ours has 4.
        """
        for c in (2, 9, 20):
            proper, literal = pil(S2, census, c, 3), pil(S2, census, c, 3, solver="inverse")
            assert literal > proper + 40

    def test_scenario_3_falls_with_the_number_of_independents(self, census):
        rotation = Rotation("S3", "census", census.columns)
        values = [
            run(Cell("t", "S3", "fcrm", {"c": 2, "n_independent": n}, 1), rotation, census, {"score": {}})[0]
            for n in (1, 4, 8, 12)
        ]
        assert [row["pil"] for row in values] == sorted((row["pil"] for row in values), reverse=True)
        assert values[0]["dr"] < values[-1]["dr"]


class TestRotation:
    def test_takes_the_next_attributes_and_wraps_round(self, census):
        rotation = Rotation("S3", "census", census.columns)
        splits = list(rotation.splits(census, {"n_independent": 2}))
        assert len(splits) == 13
        y, x = splits[12]
        np.testing.assert_array_equal(y, census.values[:, [12]])
        np.testing.assert_array_equal(x, census.values[:, [0, 1]])

    @pytest.mark.parametrize("n", [0, 13, None, 2.5])
    def test_refuses_a_number_that_the_file_cannot_give(self, census, n):
        rotation = Rotation("S3", "census", census.columns)
        with pytest.raises(SdclabError, match=r"n_independent is .* but must lie between 1 and 12"):
            list(rotation.splits(census, {"n_independent": n}))
