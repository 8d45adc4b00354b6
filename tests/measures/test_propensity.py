"""The propensity measure against statsmodels, closed forms and invariants, and where plain IRLS fails."""

from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from conftest import needs_originals
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.preprocessing import PolynomialFeatures

from sdclab.base.errors import SdclabError
from sdclab.measures import measure
from sdclab.methods import protect
from sdclab.numerics.linalg import centred_basis

ALL = ["literal", "cubic", "powers", "mixed"]


def propensity(original, protected, models, independent=None):
    beside = np.empty((len(original), 0)) if independent is None else independent
    return measure("propensity", original, protected, beside, {"models": models})


def without(x):
    return np.empty((len(x), 0))


def heavy(seed, n=200, p=3):
    """A heavy-tailed original and a normal release: what makes Newton steps overshoot."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, p)) ** 3, rng.standard_normal((n, p))


def polynomials(x, model):
    """The columns of a model, made by other means than the measure's."""
    if model in ("literal", "cubic"):
        return PolynomialFeatures(3, interaction_only=model == "literal", include_bias=False).fit_transform(x)
    if model == "mixed":
        return PolynomialFeatures(2, interaction_only=True, include_bias=False).fit_transform(x)
    powers = [x[:, [j]] ** [1, 2, 3] for j in range(x.shape[1])]
    products = [(a[:, :, None] * b[:, None, :]).reshape(len(x), 9) for a, b in combinations(powers, 2)]
    return np.hstack(powers + products)


def stacked(original, protected):
    return np.vstack([original, protected]), np.repeat([0.0, 1.0], len(original))


class TestModels:
    @pytest.mark.parametrize(
        ("model", "terms"), [("main", 5), ("literal", 25), ("cubic", 55), ("powers", 105), ("mixed", 15)]
    )
    def test_five_attributes_have_the_known_numbers_of_terms(self, rng, model, terms):
        values = propensity(*rng.standard_normal((2, 400, 5)), [model])
        assert values[f"terms_{model}"] == terms
        assert values[f"floor_{model}"] == terms / 4

    @pytest.mark.parametrize("model", ALL)
    def test_the_sum_is_that_of_statsmodels(self, rng, model):
        original = rng.standard_normal((500, 2))
        protected = original * 0.9 + 0.4 * rng.standard_normal((500, 2)) ** 2
        x, t = stacked(original, protected)
        fitted = sm.Logit(t, sm.add_constant(polynomials(x, model))).fit(disp=0, method="newton", tol=1e-12)
        expected = np.sum((fitted.predict() - 0.5) ** 2)
        assert propensity(original, protected, [model])[f"propensity_{model}"] == pytest.approx(expected, rel=1e-6)

    def test_a_dichotomous_attribute_has_no_powers(self, rng):
        original, protected = rng.standard_normal((2, 300, 3))
        for x in (original, protected):
            x[:, 2] = x[:, 2] > 0
        values = propensity(original, protected, ALL)
        # of the continuous a and b alone 9 or 15; times the flag 1, a, b, aa, ab, bb or 1 and the six powers
        assert [values[f"terms_{model}"] for model in ALL] == [7, 9 + 6, 15 + 7, 6]
        assert [values[f"floor_{model}"] for model in ALL] == [7 / 4, 15 / 4, 22 / 4, 6 / 4]

    def test_a_masked_dichotomy_is_a_number_like_any_other(self, rng):
        original = (rng.random((300, 2)) < 0.5).astype(float)
        protected = original + 0.1 * rng.standard_normal(original.shape)
        assert propensity(original, protected, ["cubic"])["terms_cubic"] == 9

    def test_mixed_pairs_dichotomies_that_meet_in_one_per_cent_of_the_originals(self):
        flags = np.zeros((1000, 3))
        flags[:100, 0] = flags[90:200, 1] = flags[91:300, 2] = 1  # 10 records in 0 and 1, 9 in 0 and 2, 109 in 1 and 2
        assert propensity(flags, flags[::-1], ["mixed"])["terms_mixed"] == 3 + 2
        x = np.linspace(-1, 1, 1000)[:, None]
        assert propensity(flags, flags[::-1], ["mixed"], x)["terms_mixed"] == 4 + 2 + 3

    def test_independents_are_in_the_model(self, rng):
        """A shuffled dependent is told apart only by its relation to what was released unchanged."""
        x = rng.standard_normal((500, 1))
        y = x + 0.1 * rng.standard_normal((500, 1))
        shuffled = rng.permutation(y)
        assert propensity(y, shuffled, ["literal"])["propensity_literal"] == pytest.approx(0, abs=1e-9)
        assert propensity(y, shuffled, ["literal"], x)["propensity_literal"] > 1
        whole = propensity(np.hstack([y, x]), np.hstack([shuffled, x]), ALL)
        assert propensity(y, shuffled, ALL, x) == pytest.approx(whole)


class TestValues:
    def test_of_identical_files_is_zero(self, rng):
        x = rng.lognormal(0, 1, (300, 3))
        values = propensity(x, x[::-1], ALL)
        assert [values[f"propensity_{model}"] for model in ALL] == pytest.approx([0] * 4, abs=1e-12)

    @pytest.mark.parametrize("method", ["hybrid_micro", "noise_cov"])
    def test_what_keeps_means_and_covariances_cannot_be_told_apart_by_them(self, rng, method):
        """The score of `mixed` is then zero at p = 1/2; that of `cubic` is not."""
        x = rng.lognormal(0, 1, (400, 4))
        values = propensity(x, protect(method, x, without(x), rng, {}), ["mixed", "cubic"])
        assert values["propensity_mixed"] == pytest.approx(0, abs=1e-12)
        assert values["propensity_cubic"] > 1

    def test_of_files_apart_is_a_quarter_of_their_records(self, rng):
        x = rng.random((250, 2))
        assert propensity(x, x + 2, ["cubic"])["propensity_cubic"] == pytest.approx(500 / 4, abs=1e-3)

    @pytest.mark.parametrize(("model", "terms"), [("mixed", 3), ("cubic", 9)])
    def test_the_floor_is_what_two_samples_of_one_distribution_give(self, rng, model, terms):
        draws = [propensity(*rng.standard_normal((2, 1000, 2)), [model]) for _ in range(200)]
        values = np.array([draw[f"propensity_{model}"] for draw in draws])
        assert draws[0][f"floor_{model}"] == terms / 4
        assert values.mean() == pytest.approx(terms / 4, abs=4 * values.std() / np.sqrt(200))
        # the likelihood ratio, four times the sum, is chi-square: so is its variance
        assert values.std() == pytest.approx(np.sqrt(2 * terms) / 4, rel=0.25)

    @settings(max_examples=25)
    @given(seed=st.integers(0, 2**32), model=st.sampled_from(ALL))
    def test_units_order_and_direction_do_not_matter(self, seed, model):
        rng = np.random.default_rng(seed)
        original = rng.standard_normal((120, 2))
        protected = original + 0.5 * rng.standard_normal(original.shape)
        expected = propensity(original, protected, [model])[f"propensity_{model}"]
        scale, shift = 10.0 ** rng.integers(-4, 5, 2), rng.normal(0, 3, 2)
        for before, after in [
            (original * scale + shift * scale, protected * scale + shift * scale),
            (rng.permutation(original), protected),
            (original[:, ::-1], protected[:, ::-1]),
            (protected, original),
        ]:
            assert propensity(before, after, [model])[f"propensity_{model}"] == pytest.approx(expected, rel=1e-5)


class TestRank:
    def test_an_attribute_that_others_determine_adds_nothing_to_a_full_polynomial(self, rng):
        original, protected = rng.lognormal(0, 0.5, (2, 400, 2)) * [1, 1000]
        with_sum = [np.column_stack([x, x @ [1, 0.001]]) for x in (original, protected)]
        plain, redundant = propensity(original, protected, ["cubic"]), propensity(*with_sum, ["cubic"])
        assert redundant["terms_cubic"] == 19
        assert redundant["floor_cubic"] == plain["floor_cubic"] == 9 / 4
        assert redundant["propensity_cubic"] == pytest.approx(plain["propensity_cubic"], rel=1e-6)

    def test_the_floor_counts_the_rank(self, rng):
        """Of products of different attributes, e - a - b = 0 takes as many as 1, c, d and cd can multiply it."""
        original, protected = (np.column_stack([x, x[:, 0] + x[:, 1]]) for x in rng.lognormal(0, 1, (2, 300, 4)))
        values = propensity(original, protected, ["literal"])
        assert values["terms_literal"] == 25
        assert values["floor_literal"] == (25 - 4) / 4


def deviance(x, t, b):
    return 2 * np.logaddexp(0, -(2 * t - 1) * (x @ b)).sum()


def plain_irls(x, t, steps=25):
    """Iteratively reweighted least squares as statistical packages start it, without any damping."""
    b = np.zeros(x.shape[1])
    for _ in range(steps):
        p = expit(x @ b)
        weight = np.maximum(p * (1 - p), 1e-10)
        root = np.sqrt(weight)
        b = np.linalg.lstsq(root[:, None] * x, root * (x @ b + (t - p) / weight), rcond=None)[0]
    return b


class TestMaximum:
    def test_plain_irls_diverges_where_ours_does_not(self):
        """What it leaves is worse than p = 1/2 and looks like files that are easily told apart."""
        original, protected = heavy(seed=1)
        x, t = stacked(original, protected)
        x = centred_basis(polynomials(x, "cubic")) * np.sqrt(len(t))
        b = plain_irls(x, t)
        null = 2 * len(t) * np.log(2)
        assert deviance(x, t, b) > 1000 * null
        assert np.sum((expit(x @ b) - 0.5) ** 2) > 0.9 * len(t) / 4
        assert propensity(original, protected, ["cubic"])["propensity_cubic"] < 0.3 * len(t) / 4

    @pytest.mark.parametrize("seed", [1, 3, 4])
    @pytest.mark.parametrize("model", ["cubic", "powers"])
    def test_the_maximum_is_that_of_a_trust_region_method(self, seed, model):
        original, protected = heavy(seed)
        x, t = stacked(original, protected)
        x = centred_basis(polynomials(x, model)) * np.sqrt(len(t))

        def gradient(b):
            return -2 * x.T @ (t - expit(x @ b))

        def curvature(b):
            p = expit(x @ b)
            return 2 * x.T @ ((p * (1 - p))[:, None] * x)

        found = minimize(
            lambda b: deviance(x, t, b),
            np.zeros(x.shape[1]),
            jac=gradient,
            hess=curvature,
            method="trust-exact",
            options={"gtol": 1e-6, "maxiter": 2000},
        )
        assert np.abs(gradient(found.x)).max() < 1e-4
        expected = np.sum((expit(x @ found.x) - 0.5) ** 2)
        ours = propensity(original, protected, [model])[f"propensity_{model}"]
        assert ours == pytest.approx(expected, rel=1e-5)

    @needs_originals
    def test_microaggregated_thyroid_has_its_known_values(self, dataset, entries):
        """Literal and cubic as an earlier experiment found them, powers as scipy's trust-exact does in 273 steps."""
        x = dataset("thyroid").select(entries["thyroid"].numbers, "test")
        released = protect("mdav", x, without(x), np.random.default_rng(0), {"k": 20})
        values = propensity(x, released, ["literal", "cubic", "powers"])
        assert values["propensity_literal"] == pytest.approx(5.0, abs=0.05)
        assert values["propensity_cubic"] == pytest.approx(57.0, abs=0.5)
        assert values["propensity_powers"] == pytest.approx(307.7061, abs=1e-3)


class TestFits:
    FITS = ("likelihood", "newton", "irls")

    def fitted(self, original, protected, fit, models=("cubic",)):
        return measure("propensity", original, protected, without(original), {"models": list(models), "fit": fit})

    def test_all_end_at_the_maximum_where_the_way_there_is_short(self, rng):
        original = rng.standard_normal((500, 2))
        protected = original * 0.9 + 0.3 * rng.standard_normal((500, 2))
        likelihood, newton, irls = (self.fitted(original, protected, fit, ["main", "cubic"]) for fit in self.FITS)
        assert likelihood == propensity(original, protected, ["main", "cubic"])
        assert newton == pytest.approx(likelihood, rel=1e-6, abs=1e-9)
        assert irls == pytest.approx(likelihood, rel=1e-6, abs=1e-9)
        x, t = stacked(original, protected)
        theirs = sm.GLM(t, sm.add_constant(polynomials(x, "cubic")), family=sm.families.Binomial()).fit()
        expected = np.sum((theirs.fittedvalues - 0.5) ** 2)
        assert irls["propensity_cubic"] == pytest.approx(expected, rel=1e-6)

    @pytest.mark.parametrize("seed", range(5))
    def test_wherever_they_end_is_within_the_bounds(self, seed):
        """A quarter of the records, and for Newton's steps, which only rise, no less than the null model's 0."""
        original, protected = heavy(seed)
        for fit in self.FITS:
            values = self.fitted(original, protected, fit, ["powers"])
            assert 0 <= values["propensity_powers"] <= 400 / 4
            assert values["floor_powers"] == propensity(original, protected, ["powers"])["floor_powers"]

    @needs_originals
    def test_25_newton_steps_on_microaggregated_thyroid_end_where_an_earlier_experiment_did(self, dataset, entries):
        x = dataset("thyroid").select(entries["thyroid"].numbers, "test")
        released = protect("mdav", x, without(x), np.random.default_rng(0), {"k": 20})
        values = self.fitted(x, released, "newton", ["literal", "powers"])
        assert values["propensity_literal"] == pytest.approx(5.0, abs=0.05)
        assert values["propensity_powers"] == pytest.approx(262.4, abs=0.05)

    def test_another_is_refused(self, rng):
        with pytest.raises(SdclabError, match="fit is 'glm' but must be one of likelihood, newton, irls"):
            self.fitted(*rng.random((2, 20, 2)), "glm")


class TestBadInput:
    def test_models_are_names_of_models(self, rng):
        x = rng.random((20, 2))
        with pytest.raises(SdclabError, match=r"measure propensity: models: unknown model 'cubc': did you mean cubic"):
            propensity(x, x, ["cubc"])
        with pytest.raises(
            SdclabError, match="models is empty but must name some of main, literal, cubic, powers, mixed"
        ):
            propensity(x, x, [])
        with pytest.raises(
            SdclabError, match=r"models is 'cubic' but must be a list, each entry a text or empty: any of main"
        ):
            propensity(x, x, "cubic")
        with pytest.raises(
            SdclabError, match=r"models is \[3\] but must be a list, each entry a text or empty: any of main"
        ):
            propensity(x, x, [3])
