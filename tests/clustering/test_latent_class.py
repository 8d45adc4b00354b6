"""Latent class regression against closed forms, brute force and other people's logistic regression."""

from itertools import pairwise, product

import numpy as np
import pytest
import statsmodels.api as sm
from conftest import needs_originals
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from sdclab.base.errors import SdclabError
from sdclab.clustering import latent_class
from sdclab.clustering.constraint import constrained
from sdclab.clustering.latent_class import LatentClasses, fit, with_least
from sdclab.numerics.linalg import Terms

weights = st.lists(st.floats(0.001, 1), min_size=2, max_size=9).map(lambda w: np.array(w) / sum(w))
bounds = st.floats(0.01, 0.99)
"""least = k/n as a share of the largest that is possible, 1/G"""


class TestConstraint:
    @given(weights, bounds)
    def test_equations_3_to_5(self, before, bound):
        least = bound / len(before)
        after = constrained(before, least)
        assert after.sum() == pytest.approx(1)
        if before.min() >= least:
            assert after is before
            return
        assert after.min() == pytest.approx(least)
        order = np.argsort(before, kind="stable")
        assert (np.diff(after[order]) >= -1e-15).all()
        # small weights rise and large ones fall towards 1/G
        assert ((after - before) * (1 / len(before) - before) >= -1e-15).all()

    def test_a_weight_of_1_over_g_stays(self):
        after = constrained(np.array([0.01, 0.25, 0.25, 0.49]), 0.1)
        np.testing.assert_allclose(after[1:3], 0.25)
        np.testing.assert_allclose(after, [0.1, 0.25, 0.25, 0.4])  # by hand: delta = .09 / .6, sum 1.6

    def test_too_many_clusters_get_one_sentence(self):
        with pytest.raises(SdclabError, match="the number of clusters G is 4 but must be below n/k, which is 4"):
            constrained(np.full(4, 0.25), 0.25)

    @given(st.integers(0, 2**32), st.integers(2, 6), st.integers(5, 60), bounds, st.sampled_from([0.02, 0.3, 5.0]))
    def test_posteriors_obey_it_however_hard_they_are(self, seed, classes, n, bound, softness):
        rng = np.random.default_rng(seed)
        z = rng.dirichlet(softness * rng.random(classes) + 1e-2, n)
        least = bound / classes
        after = with_least(z, least)
        assert (after >= 0).all()
        np.testing.assert_allclose(after.sum(axis=1), 1)
        assert after.mean(axis=0).min() >= least - 1e-12
        if z.mean(axis=0).min() >= least:
            assert after is z

    def test_equation_15_moves_the_mean_to_that_of_equation_3(self, rng):
        z = rng.dirichlet([2, 20, 20], 50)
        after = with_least(z, 0.1)
        np.testing.assert_allclose(after - z, np.tile(constrained(z.mean(axis=0), 0.1) - z.mean(axis=0), (50, 1)))


def planted(rng: np.random.Generator, n: int, responses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two classes; the log odds of the second are x - 1, and another attribute has nothing to do with it."""
    x = np.column_stack([rng.standard_normal(n), rng.normal(100, 20, n)])
    classes = (rng.random(n) < expit(x[:, 0] - 1)).astype(int)
    return (rng.random((n, responses.shape[1])) < responses[classes]).astype(float), x, classes


RESPONSES = np.array([[0.1, 0.2, 0.8, 0.1, 0.3], [0.8, 0.9, 0.2, 0.5, 0.3]])


def with_a_small_class(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A thousand records, of which a few have an attribute of their own, and labels by x."""
    y, x, _ = planted(rng, 1000, RESPONSES)
    few = x[:, 0] > 2.2
    y[:, 4] = few & (rng.random(1000) < 0.9)
    return y, x, np.where(few, 2, (x[:, 0] > 0).astype(int))


def brute_force(model: LatentClasses, y: np.ndarray, x: np.ndarray) -> float:
    """Equation 12, factor by factor."""
    total = 0.0
    for record, priors in zip(y, model.priors(x), strict=True):
        likelihood = 0.0
        for prior, responses in zip(priors, model.responses, strict=True):
            likelihood += prior * np.prod([p if value else 1 - p for value, p in zip(record, responses, strict=True)])
        total += np.log(likelihood)
    return total


class TestFit:
    def test_one_class_is_independence(self, rng):
        y, x, _ = planted(rng, 400, RESPONSES)
        found = fit(y, x, np.zeros(400, int), rng, k=5)
        p = y.mean(axis=0)
        np.testing.assert_allclose(found.responses[0], p)
        np.testing.assert_allclose(found.priors(x), 1)
        assert found.log_likelihood == pytest.approx(400 * (p * np.log(p) + (1 - p) * np.log(1 - p)).sum())

    @pytest.mark.parametrize("classes", [2, 4])
    def test_the_likelihood_is_that_of_equation_12_and_never_falls(self, rng, classes):
        y, x, _ = planted(rng, 300, RESPONSES)
        found = fit(y, x, rng.integers(0, classes, 300), rng, k=1, starts=0)
        assert found.log_likelihood == pytest.approx(brute_force(found, y, x))
        assert len(found.log_likelihoods) > 10
        assert all(after >= before - 1e-9 for before, after in pairwise(found.log_likelihoods))

    def test_three_attributes_and_two_classes_fit_perfectly(self, rng):
        """Without covariates that model is just identified: its maximum is the saturated likelihood."""
        y, x, _ = planted(rng, 5000, RESPONSES[:, :3])
        found = fit(y, x[:, :0], (y.sum(axis=1) > 1).astype(int), rng, k=1)
        _, counts = np.unique(y, axis=0, return_counts=True)
        assert found.log_likelihood == pytest.approx((counts * np.log(counts / 5000)).sum(), abs=1e-3)

    @pytest.mark.parametrize("seed", range(3))
    def test_nothing_is_left_to_gain(self, seed):
        """Without covariates EM is a few lines; it is run here until the likelihood stands still."""
        rng = np.random.default_rng(seed)
        y = (rng.random((400, 6)) < rng.uniform(0.2, 0.8, (3, 6))[rng.integers(0, 3, 400)]).astype(float)
        labels = rng.integers(0, 3, 400)
        found = fit(y, np.empty((400, 0)), labels, rng, k=1, starts=0)
        z, last, value = np.eye(3)[labels], -np.inf, -1e9
        while value > last + 1e-10:
            last = value
            p = np.clip(z.T @ y / z.sum(axis=0)[:, None], 1e-9, 1 - 1e-9)
            joint = z.mean(axis=0) * np.exp(y @ np.log(p).T + (1 - y) @ np.log1p(-p).T)
            z, value = joint / joint.sum(axis=1, keepdims=True), np.log(joint.sum(axis=1)).sum()
        assert found.log_likelihood == pytest.approx(value, abs=1e-3)

    def test_where_the_class_is_seen_the_priors_are_a_logistic_regression(self, rng):
        y, x, classes = planted(rng, 500, np.array([[0.0] * 4, [1.0] * 4]))
        found = fit(y, x, rng.integers(0, 2, 500), rng, k=5)
        theirs = sm.Logit(classes, sm.add_constant(x)).fit(disp=0).predict()
        ones = int(found.responses[:, 0].argmax())
        np.testing.assert_allclose(found.priors(x)[:, ones], theirs, atol=1e-5)
        np.testing.assert_allclose(found.responses[ones], 1, atol=1e-6)

    def test_a_planted_model_is_found(self, rng):
        y, x, classes = planted(rng, 6000, RESPONSES)
        found = fit(y, x, rng.integers(0, 2, 6000), rng, k=60)
        order = found.responses[:, 0].argsort()
        np.testing.assert_allclose(found.responses[order], RESPONSES, atol=0.05)
        np.testing.assert_allclose(found.priors(x)[:, order[1]], expit(x[:, 0] - 1), atol=0.1)
        assert found.log_likelihood >= fit(y, x, classes, rng, k=60, starts=0).log_likelihood - 0.1

    def test_random_starts_can_only_help(self, rng):
        y, x, _ = planted(rng, 300, RESPONSES)
        labels = rng.integers(0, 4, 300)
        few, many = (fit(y, x, labels, rng, k=1, starts=starts).log_likelihood for starts in (0, 6))
        assert many >= few

    @pytest.mark.slow
    @pytest.mark.parametrize("k", [150, 250, 330])
    def test_no_class_is_expected_to_hold_fewer_than_k_records(self, rng, k):
        y, x, labels = with_a_small_class(rng)
        free, bound = (fit(y, x, labels, rng, k=least, starts=0) for least in (1, k))
        assert 1000 * free.priors(x).mean(axis=0).min() < 100  # so the constraint has something to do
        assert 1000 * bound.priors(x).mean(axis=0).min() >= k - 1e-6
        assert bound.log_likelihood < free.log_likelihood

    def test_the_constraint_binds_however_early_em_stops(self, rng):
        y, x, labels = with_a_small_class(rng)
        found = fit(y, x, labels, rng, k=150, starts=0, iterations=0)
        assert 1000 * found.priors(x).mean(axis=0).min() == pytest.approx(150, abs=1e-6)

    def test_singular_covariates_constants_and_any_labels_will_do(self, rng):
        y, x, _ = planted(rng, 300, RESPONSES)
        y[:, 0] = 0
        labels = np.where(x[:, 0] > 0, 7, 3)
        plain = fit(y, x, labels, rng, k=10, starts=0)
        singular = fit(y, np.column_stack([x, x.sum(axis=1), np.ones(300)]), labels, rng, k=10, starts=0)
        assert singular.log_likelihood == pytest.approx(plain.log_likelihood)
        assert (plain.draw(x, rng)[:, 0] == 0).all()

    def test_the_same_stream_gives_the_same_classes(self, rng):
        y, x, _ = planted(rng, 200, RESPONSES)
        labels = rng.integers(0, 3, 200)
        a, b = (fit(y, x, labels, np.random.default_rng(3), k=5) for _ in range(2))
        assert a.responses.tobytes() == b.responses.tobytes()
        draws = [a.draw(x, np.random.default_rng(4)).tobytes() for _ in range(2)]
        assert draws[0] == draws[1]

    @needs_originals  # the replica does not keep the relations of dichotomous attributes
    def test_thyroid_is_better_explained_by_six_classes_than_by_one(self, dataset, entries, rng):
        """By BIC, although six have 105 more parameters; and every attribute is drawn as often as it was."""
        columns = (entries["thyroid"].categories, entries["thyroid"].numbers)
        y, x = (dataset("thyroid").select(names, "test") for names in columns)
        one, six = (fit(y, x, labels, rng, k=60, starts=0) for labels in (np.zeros(len(y), int), _bands(x)))
        assert six.log_likelihood - one.log_likelihood > 105 * np.log(len(y)) / 2
        assert len(y) * six.priors(x).mean(axis=0).min() >= 60 - 1e-6
        drawn = np.mean([six.draw(x, rng).sum(axis=0) for _ in range(40)], axis=0)
        assert (np.abs(drawn - y.sum(axis=0)) < 5 * np.sqrt(y.sum(axis=0) / 40) + 2).all()


def _bands(x: np.ndarray) -> np.ndarray:
    """Six equal groups by the second attribute."""
    return x[:, 1].argsort(kind="stable").argsort(kind="stable") * 6 // len(x)


def test_draws_have_the_joint_distribution_of_the_model(rng):
    """Every pattern of three attributes at two values of x, against the sum over the classes."""
    x = np.repeat([[-1.0], [1.0]], 20_000, axis=0)
    responses = np.array([[0.1, 0.7, 0.2], [0.9, 0.5, 0.4], [0.3, 0.2, 0.95]])
    model = LatentClasses(Terms.of(x), np.array([[0.2, -0.5], [1.0, -1.5]]), responses, np.full(3, 2), np.zeros(1))
    y = model.draw(x, rng)
    for half, value in ((slice(0, 20_000), -1), (slice(20_000, None), 1)):
        scores = np.exp([0, 0.2 + value, -0.5 - 1.5 * value])
        for pattern in product([0, 1], repeat=3):
            chosen = np.where(pattern, responses, 1 - responses).prod(axis=1)
            expected = scores @ chosen / scores.sum()
            seen = (y[half] == pattern).all(axis=1).mean()
            assert abs(seen - expected) < 4.5 * np.sqrt(expected / 20_000)


SEVERAL = {
    "of three": np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]]),
    "of five": np.array([[0.4, 0.3, 0.15, 0.1, 0.05], [0.05, 0.05, 0.2, 0.2, 0.5]]),
    "of two": np.array([[0.8, 0.2], [0.3, 0.7]]),
    "of three, too": np.array([[0.1, 0.8, 0.1], [0.45, 0.1, 0.45]]),
}
"""Class × category, by attribute."""
SIZES = np.array([p.shape[1] for p in SEVERAL.values()])


def planted_categories(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    _, x, classes = planted(rng, n, RESPONSES)
    y = [(rng.random((n, 1)) >= p[classes].cumsum(axis=1)[:, :-1]).sum(axis=1) for p in SEVERAL.values()]
    return np.column_stack(y).astype(float), x


def by_attribute(model: LatentClasses) -> list[np.ndarray]:
    """Class × category, the first included."""
    parts = np.split(model.responses, np.cumsum(model.sizes - 1)[:-1], axis=1)
    return [np.column_stack([1 - part.sum(axis=1), part]) for part in parts]


STEPS = {"iterations": 40, "tolerance": -1.0}
"""So many steps of EM, and no fewer."""


class TestSeveralCategories:
    def test_a_planted_model_of_two_three_and_five_categories_is_found(self, rng):
        y, x = planted_categories(rng, 8000)
        found = fit(y, x, rng.integers(0, 2, 8000), rng, k=60, sizes=SIZES)
        responses = by_attribute(found)
        order = responses[0][:, 0].argsort()[::-1]
        for made, truth in zip(responses, SEVERAL.values(), strict=True):
            np.testing.assert_allclose(made[order], truth, atol=0.04)
        np.testing.assert_allclose(found.priors(x)[:, order[1]], expit(x[:, 0] - 1), atol=0.08)

    def test_the_likelihood_is_that_of_equation_12_and_never_falls(self, rng):
        y, x = planted_categories(rng, 300)
        found = fit(y, x, rng.integers(0, 3, 300), rng, k=1, starts=0, sizes=SIZES)
        responses, total = by_attribute(found), 0.0
        for record, priors in zip(y.astype(int), found.priors(x), strict=True):
            chosen = [table[:, code] for table, code in zip(responses, record, strict=True)]
            total += np.log(priors @ np.prod(chosen, axis=0))
        assert found.log_likelihood == pytest.approx(total)
        assert all(after >= before - 1e-9 for before, after in pairwise(found.log_likelihoods))

    def test_dichotomous_data_have_the_same_classes_beside_an_attribute_of_more_categories(self, rng):
        """One that is always the first of its three categories says nothing, but takes them out of the special case.

        After as many steps: when EM stops, the last bit decides.
        """
        y, x, _ = planted(rng, 500, RESPONSES)
        labels = rng.integers(0, 3, 500)
        beside = np.column_stack([y, np.zeros(500)])
        plain = fit(y, x, labels, np.random.default_rng(1), k=20, **STEPS)
        general = fit(beside, x, labels, np.random.default_rng(1), k=20, sizes=np.array([2] * 5 + [3]), **STEPS)
        np.testing.assert_allclose(general.responses[:, :5], plain.responses, atol=1e-8)
        np.testing.assert_allclose(general.priors(x), plain.priors(x), atol=1e-8)

    def test_which_category_comes_first_makes_no_difference(self, rng):
        y, x = planted_categories(rng, 500)
        labels = (x[:, 0] > 0).astype(int)
        a, b = (fit(codes, x, labels, rng, k=10, starts=0, sizes=SIZES) for codes in (y, SIZES - 1 - y))
        assert a.log_likelihood == pytest.approx(b.log_likelihood, abs=1e-4)
        for one, other in zip(by_attribute(a), by_attribute(b), strict=True):
            np.testing.assert_allclose(one, other[:, ::-1], atol=1e-3)

    def test_draws_have_the_probabilities_of_the_model(self, rng):
        x = np.repeat([[-1.0], [1.0]], 20_000, axis=0)
        responses = np.array([[0.2, 0.5, 0.6], [0.1, 0.1, 0.3]])  # of categories 1 and 2, and of 1
        model = LatentClasses(Terms.of(x), np.array([[0.2], [1.0]]), responses, np.array([3, 2]), np.zeros(1))
        y = model.draw(x, rng)
        for half, value in ((y[:20_000], -1), (y[20_000:], 1)):
            prior = np.array([1, np.exp(0.2 + value)]) / (1 + np.exp(0.2 + value))
            for a, b in product(range(3), range(2)):
                first = np.array([[0.3, 0.2, 0.5], [0.8, 0.1, 0.1]])[:, a]
                expected = prior @ (first * np.array([[0.4, 0.6], [0.7, 0.3]])[:, b])
                seen = (half == [a, b]).all(axis=1).mean()
                assert abs(seen - expected) < 4.5 * np.sqrt(expected / 20_000)

    def test_priors_may_be_held_to_a_mean(self, rng):
        y, x = planted_categories(rng, 500)
        found = fit(y, x, (x[:, 0] > 0).astype(int), rng, k=10, starts=0, sizes=SIZES)
        mean = found.priors(x).mean(axis=0)
        moved = x + np.array([1, 0])
        assert np.abs(found.priors(moved).mean(axis=0) - mean).max() > 0.05
        np.testing.assert_allclose(found.priors(moved, mean).mean(axis=0), mean, atol=1e-8)

    def test_many_covariates_are_no_obstacle(self, rng, monkeypatch):
        """A ridge takes the place of Newton steps, and finds nearly the same priors."""
        y, x = planted_categories(rng, 3000)
        labels = (x[:, 0] > 0).astype(int)
        plain = fit(y, x, labels, rng, k=10, starts=0, sizes=SIZES)
        monkeypatch.setattr(latent_class, "MANY", 0)
        np.testing.assert_allclose(
            fit(y, x, labels, rng, k=10, starts=0, sizes=SIZES).priors(x), plain.priors(x), atol=0.02
        )

    def test_without_labels_a_number_of_classes_will_do(self, rng):
        """Two attributes of three categories and two classes: nothing is left of their dependence."""
        classes = rng.integers(0, 2, 4000)
        y = np.column_stack([(rng.random(4000) < 0.9) * (1 + classes) for _ in range(3)]).astype(float)
        found = fit(y, np.empty((4000, 0)), 2, rng, k=10, sizes=np.full(3, 3))
        np.testing.assert_allclose(np.sort(found.priors(np.empty((1, 0)))[0]), [0.5, 0.5], atol=0.03)
        np.testing.assert_allclose(np.sort(found.responses[:, :2], axis=None), [0, 0, 0.9, 0.9], atol=0.03)


class TestBadInput:
    def test_a_code_outside_the_categories(self, rng):
        y = np.column_stack([np.zeros(20), np.arange(20) % 4])
        with pytest.raises(SdclabError, match="attribute 2 has other values than the codes 0 to 2"):
            fit(y, rng.random((20, 1)), np.arange(20) % 2, rng, k=3, sizes=np.array([2, 3]))

    def test_more_classes_than_k_allows(self, rng):
        with pytest.raises(SdclabError, match="G is 4 but must be below n/k, which is 3"):
            fit(np.zeros((90, 2)), rng.random((90, 1)), np.arange(90) % 4, rng, k=30)

    def test_values_that_are_not_dichotomous(self, rng):
        y = np.column_stack([np.zeros(20), np.arange(20)])
        with pytest.raises(SdclabError, match="attribute 2 has other values than 0 and 1"):
            fit(y, rng.random((20, 1)), np.arange(20) % 2, rng, k=3)

    def test_a_k_below_one(self, rng):
        with pytest.raises(SdclabError, match="k is 0 but must be at least 1"):
            fit(np.zeros((20, 2)), rng.random((20, 1)), np.arange(20) % 2, rng, k=0)
