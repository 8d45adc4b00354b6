"""Measures against closed forms, independent implementations, and files made to be caught."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, gaussian_kde, norm, rankdata
from sklearn.neighbors import NearestNeighbors

from sdclab.base.errors import SdclabError
from sdclab.measures import MEASURES, Control, measure
from sdclab.measures.copy import crowding
from sdclab.measures.prl import matching_weights
from sdclab.methods import protect


def evaluate(name, original, protected, independent=None, **options):
    beside = np.empty((len(original), 0)) if independent is None else independent
    return measure(name, original, protected, beside, options)


UNITS = [(1.0, 0.0), (0.1, 0.0), (0.1, 0.7), (1 / 3, -5.0), (1e5, 1e7), (1e-7, 0.0)]
"""Units and zeros in which what is equal on paper is rounded in many ways."""


@pytest.fixture
def pair(rng):
    """A file and a noisy copy, correlated and skewed."""
    original = np.exp(rng.normal(0, [0.3, 0.5, 0.7, 0.4], (300, 4))) @ rng.random((4, 4)) * [1, 10, 100, 1e4]
    return original, original + 0.3 * original.std(axis=0) * rng.standard_normal(original.shape)


def histogram_of(x):
    heights, borders = np.histogram(x, "sturges", density=True)
    one = 1 / len(x) / np.diff(borders)[0]
    return lambda at: np.maximum(heights[np.searchsorted(borders, [at], "right") - 1], one)


HEIGHTS = {
    "kernel": lambda x, ddof: gaussian_kde(x),
    "normal": lambda x, ddof: lambda at: norm(x.mean(), x.std(ddof=ddof)).pdf([at]),
    "histogram": lambda x, ddof: histogram_of(x),
}
"""By the name of a density: the function that has it."""


def pil_by_hand(x, y, ddof=0, density="kernel", step=0.05):
    """PIL as CALIBRATION states it, pair by pair and in its own symbols; of order two all moments have n - ddof."""
    n, p = x.shape

    def mu(data, *powers):
        centred = data - data.mean(axis=0)
        products = np.prod([centred[:, i] ** k for i, k in enumerate(powers)], axis=0)
        return products.sum() / (n - ddof if sum(powers) == 2 else n)

    def loss(z):
        return 2 * norm.cdf(abs(z)) - 1

    parts = {"mean": [], "variance": [], "covariance": [], "correlation": [], "quantiles": []}
    for j in range(p):
        a, b = x[:, [j]], y[:, [j]]
        parts["mean"].append(loss((b.mean() - a.mean()) / np.sqrt(mu(a, 2) / n)))
        parts["variance"].append(loss((mu(b, 2) - mu(a, 2)) / np.sqrt((mu(a, 4) - mu(a, 2) ** 2) / n)))
        height = HEIGHTS[density](a.ravel(), ddof)
        for q in np.arange(step, 1 - step / 2, step):
            before, after = np.quantile(a, q), np.quantile(b, q)
            parts["quantiles"].append(loss((after - before) * height(before)[0] / np.sqrt(q * (1 - q) / n)))
    for i, j in combinations(range(p), 2):
        a, b = x[:, [i, j]], y[:, [i, j]]
        z = (mu(b, 1, 1) - mu(a, 1, 1)) / np.sqrt((mu(a, 2, 2) - mu(a, 1, 1) ** 2) / n)
        parts["covariance"].append(loss(z))
        r, s = (mu(c, 1, 1) / np.sqrt(mu(c, 2, 0) * mu(c, 0, 2)) for c in (a, b))
        v = (r**2 / n) * (
            mu(a, 2, 2) / mu(a, 1, 1) ** 2
            + (
                mu(a, 4, 0) / mu(a, 2, 0) ** 2
                + mu(a, 0, 4) / mu(a, 0, 2) ** 2
                + 2 * mu(a, 2, 2) / (mu(a, 2, 0) * mu(a, 0, 2))
            )
            / 4
            - mu(a, 3, 1) / (mu(a, 1, 1) * mu(a, 2, 0))
            - mu(a, 1, 3) / (mu(a, 1, 1) * mu(a, 0, 2))
        )
        parts["correlation"].append(loss((s - r) / np.sqrt(v)))
    return {f"pil_{name}": 100 * np.mean(values) for name, values in parts.items()}


class TestPil:
    def test_equals_its_definition_written_out(self, pair):
        ours, theirs = evaluate("pil", *pair), pil_by_hand(*pair)
        assert ours.pop("pil") == pytest.approx(np.mean(list(theirs.values())), rel=1e-9)
        assert ours == pytest.approx(theirs, rel=1e-9)

    def test_of_a_copy_is_zero(self, pair):
        assert set(evaluate("pil", pair[0], pair[0]).values()) == {0.0}

    def test_of_a_shift_by_one_standard_error_is_68_per_cent_of_the_mean_part(self, pair):
        original, _ = pair
        shifted = original + original.std(axis=0) / np.sqrt(len(original))
        parts = evaluate("pil", original, shifted)
        assert parts["pil_mean"] == pytest.approx(100 * (2 * norm.cdf(1) - 1))
        assert parts["pil_variance"] == pytest.approx(0, abs=1e-6)
        assert parts["pil_correlation"] == pytest.approx(0, abs=1e-6)

    @settings(max_examples=30)
    @given(st.integers(0, 2**32), st.integers(1, 4))
    def test_does_not_depend_on_units(self, seed, p):
        rng = np.random.default_rng(seed)
        original, protected = rng.standard_normal((2, 40, p))
        scale, shift = 10.0 ** rng.integers(-4, 5, p), rng.normal(0, 3, p)
        first = evaluate("pil", original, protected)["pil"]
        assert evaluate("pil", original * scale + shift, protected * scale + shift)["pil"] == pytest.approx(first)

    def test_of_one_attribute_has_no_pairs(self, pair):
        original, protected = (x[:, :1] for x in pair)
        parts = evaluate("pil", original, protected)
        assert np.isnan(parts["pil_covariance"])
        assert np.isnan(parts["pil_correlation"])
        three = [parts[f"pil_{name}"] for name in ("mean", "variance", "quantiles")]
        assert parts["pil"] == pytest.approx(np.mean(three))

    def test_of_a_constant_release_is_finite(self, pair):
        original, _ = pair
        constant = np.tile(original.mean(axis=0), (len(original), 1))
        parts = evaluate("pil", original, constant)
        assert np.isfinite(list(parts.values())).all()
        assert parts["pil_mean"] == pytest.approx(0, abs=1e-6)
        assert parts["pil_variance"] > 99
        # its correlations are 0, so the part is that of r' = 0 and not of r' = 1
        assert parts["pil_correlation"] == pytest.approx(evaluate("pil", original, 0 * original)["pil_correlation"])

    @pytest.mark.parametrize("n", [100, 1000])
    def test_one_changed_record_of_an_attribute_that_half_have_is_no_loss(self, n):
        """Its variance has a standard error of 0 to first order; the exact one, over all samples, is not 0."""
        original = np.repeat([[0.0], [1.0]], n // 2, axis=0)
        counts = np.arange(n + 1)
        exact = np.sqrt(binom.pmf(counts, n, 0.5) @ (counts / n * (1 - counts / n) - 0.25) ** 2)
        for flipped in (1, n // 10):
            protected = original.copy()
            protected[:flipped] = 1
            share = 0.5 + flipped / n
            parts = evaluate("pil", np.column_stack([original] * 2), np.column_stack([protected] * 2))
            z = (0.25 - share * (1 - share)) / exact
            for part in ("pil_variance", "pil_covariance"):
                assert parts[part] == pytest.approx(100 * (2 * norm.cdf(z) - 1), rel=0.3)

    def test_an_exact_linear_relation_that_is_kept_loses_nothing(self, rng):
        x = rng.standard_normal((200, 2))
        y = x[:, [1, 0]]
        original, protected = (np.column_stack([a, 2 * a[:, 0]]) for a in (x, y))
        assert evaluate("pil", original, original[::-1])["pil_correlation"] == 0
        assert np.isfinite(evaluate("pil", original, protected)["pil"])


PIL_OPTIONS = [
    {"attributes": "all"},
    {"moments": "sample"},
    {"density": "normal"},
    {"density": "histogram"},
    {"levels": "tenths"},
    {"levels": "quarters"},
    {"attributes": "all", "moments": "sample", "density": "normal", "levels": "quarters"},
]


class TestPilOptions:
    @pytest.mark.parametrize("moments", ["population", "sample"])
    @pytest.mark.parametrize("density", ["kernel", "normal", "histogram"])
    @pytest.mark.parametrize("levels", ["twentieths", "tenths", "quarters"])
    def test_equals_its_definition_written_out(self, pair, moments, density, levels):
        """Twenty records, so that n - 1 tells: SDs differ by 2.6 %."""
        few = [file[:20] for file in pair]
        ours = evaluate("pil", *few, moments=moments, density=density, levels=levels)
        step = {"twentieths": 0.05, "tenths": 0.1, "quarters": 0.25}[levels]
        theirs = pil_by_hand(*few, ddof=int(moments == "sample"), density=density, step=step)
        assert ours.pop("pil") == pytest.approx(np.mean(list(theirs.values())), rel=1e-9)
        assert ours == pytest.approx(theirs, rel=1e-9)

    def test_defaults_are_what_they_are_called(self, pair):
        said = {"attributes": "dependent", "moments": "population", "density": "kernel", "levels": "twentieths"}
        assert evaluate("pil", *pair, pair[1][:, :2], **said) == evaluate("pil", *pair)

    @pytest.mark.parametrize("options", PIL_OPTIONS, ids=str)
    def test_of_a_copy_is_zero(self, pair, options):
        assert set(evaluate("pil", pair[0], pair[0], pair[1], **options).values()) == {0.0}

    @pytest.mark.parametrize("options", PIL_OPTIONS, ids=str)
    @settings(max_examples=10)
    @given(seed=st.integers(0, 2**32), p=st.integers(1, 4))
    def test_does_not_depend_on_units(self, options, seed, p):
        rng = np.random.default_rng(seed)
        files = rng.standard_normal((3, 40, p))
        scale, shift = 10.0 ** rng.integers(-4, 5, p), rng.normal(0, 3, p)
        first = evaluate("pil", *files, **options)["pil"]
        assert evaluate("pil", *(file * scale + shift for file in files), **options)["pil"] == pytest.approx(first)

    def test_of_all_attributes_the_independents_lose_nothing_and_count(self, pair, rng):
        """What is of one attribute shrinks by p / (p + q); of the pairs those across are what `xy` looks at."""
        independent = pair[0] @ rng.random((4, 3)) + rng.standard_normal((300, 3))
        dependent, together = (evaluate("pil", *pair, independent, attributes=each) for each in ("dependent", "all"))
        for part in ("pil_mean", "pil_variance", "pil_quantiles"):
            assert together[part] == pytest.approx(dependent[part] * 4 / 7)
        across = evaluate("xy", *pair, independent)["xy"]
        assert together["pil_covariance"] == pytest.approx((6 * dependent["pil_covariance"] + 12 * across) / 21)
        by_hand = pil_by_hand(*(np.column_stack([file, independent]) for file in pair))
        assert together["pil_correlation"] == pytest.approx(by_hand["pil_correlation"])

    def test_of_all_attributes_a_permutation_is_a_loss(self, pair, rng):
        original, _ = pair
        permuted = original[rng.permutation(len(original))]
        assert evaluate("pil", original, permuted, original, attributes="dependent")["pil"] < 1e-6
        together = evaluate("pil", original, permuted, original, attributes="all")
        assert together["pil_covariance"] > 10
        assert together["pil_correlation"] > 10
        assert together["pil_mean"] < 1e-6

    def test_without_independents_all_are_the_dependents(self, pair):
        by_columns = [np.asfortranarray(file) for file in pair]
        assert evaluate("pil", *by_columns, attributes="all") == evaluate("pil", *by_columns)

    def test_a_single_attribute_has_pairs_with_independents_alone(self, pair, rng):
        original, protected = (file[:, :1] for file in pair)
        alone = evaluate("pil", original, protected, attributes="all", moments="sample", density="histogram")
        assert np.isnan([alone["pil_covariance"], alone["pil_correlation"]]).all()
        assert np.isfinite(alone["pil"])
        beside = pair[0][:, 1:2]
        together = evaluate("pil", original, protected, beside, attributes="all")
        assert together["pil_covariance"] == pytest.approx(evaluate("xy", original, protected, beside)["xy"])

    @pytest.mark.parametrize("density", ["kernel", "normal", "histogram"])
    def test_a_constant_independent_loses_nothing(self, pair, density):
        """As the indicator of a category that all have."""
        ones = np.ones((300, 1))
        dependent, together = (
            evaluate("pil", *pair, ones, attributes=each, density=density) for each in ("dependent", "all")
        )
        for part in ("pil_mean", "pil_variance", "pil_quantiles"):
            assert together[part] == pytest.approx(dependent[part] * 4 / 5)
        for part in ("pil_covariance", "pil_correlation"):
            assert together[part] == pytest.approx(dependent[part] * 6 / 10)

    @pytest.mark.parametrize(("moments", "ddof"), [("population", 0), ("sample", 1)])
    def test_of_a_shift_by_one_standard_error_the_mean_loses_68_per_cent(self, rng, moments, ddof):
        original = rng.standard_normal((5, 2))
        shifted = original + original.std(axis=0, ddof=ddof) / np.sqrt(5)
        found = evaluate("pil", original, shifted, moments=moments)["pil_mean"]
        assert found == pytest.approx(100 * (2 * norm.cdf(1) - 1))

    def test_a_spread_of_two_values_half_each_is_finite_in_sample_moments_too(self):
        """On paper mu4 - mu2² is 0 there, and with n - 1 in mu2 alone it is negative."""
        original = np.repeat([[0.0], [1.0]], 50, axis=0)
        protected = original.copy()
        protected[0] = 1
        usual, sample = (
            evaluate("pil", original, protected, moments=moments)["pil_variance"]
            for moments in ("population", "sample")
        )
        assert 0 < usual < 5
        assert sample == pytest.approx(usual)

    @pytest.mark.parametrize(("density", "tolerance"), [("normal", 1e-3), ("kernel", 0.02)])
    def test_of_a_shifted_normal_column_the_closed_form(self, density, tolerance):
        """f(Q) is phi(Phi⁻¹(q)); kernels flatten it a little."""
        n = 4001
        original = norm.ppf((np.arange(n) + 0.5) / n)[:, None]
        shift = 0.8 / np.sqrt(n)
        q = np.arange(1, 20) / 20
        z = 0.8 * norm.pdf(norm.ppf(q)) / np.sqrt(q * (1 - q))
        found = evaluate("pil", original, original + shift, density=density)["pil_quantiles"]
        assert found == pytest.approx(100 * np.mean(2 * norm.cdf(z) - 1), rel=tolerance)

    @pytest.mark.parametrize(("unit", "zero"), UNITS)
    def test_of_a_histogram_a_border_belongs_to_the_upper_bin(self, unit, zero):
        """16 values have five bins, here [0, 1), ..., [4, 5]; the quartiles are 1, 2.5 and 4."""
        values = np.repeat([0.0, 1, 2, 3, 4, 5], [3, 4, 1, 3, 2, 3])[:, None]
        records = [4, 1, 5]
        z = 0.3 * np.array(records) / 16 / np.sqrt(np.array([3, 4, 3]) / 16 / 16)
        files = (unit * file + zero for file in (values, values + 0.3))
        found = evaluate("pil", *files, density="histogram", levels="quarters")["pil_quantiles"]
        assert found == pytest.approx(100 * np.mean(2 * norm.cdf(z) - 1), rel=1e-6)

    def test_of_a_histogram_an_empty_bin_has_one_record(self):
        """The median of five zeros and five ones lies in the third of five bins, which is empty."""
        original = np.repeat([[0.0], [1.0]], 5, axis=0)
        protected = original.copy()
        protected[5] = 0.8  # the median is 0.4 now, the other quartiles are 0 and 1 still
        z = 0.1 * (1 / 10 / 0.2) / np.sqrt(0.25 / 10)
        found = evaluate("pil", original, protected, density="histogram", levels="quarters")["pil_quantiles"]
        assert found == pytest.approx(100 * (2 * norm.cdf(z) - 1) / 3)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"attributes": "x"}, "attributes is 'x' but must be one of dependent, all"),
            ({"moments": "n"}, "moments is 'n' but must be one of population, sample"),
            ({"density": "knn"}, "density is 'knn' but must be one of kernel, normal, histogram"),
            ({"levels": 10}, "levels is 10 but must be one of twentieths, tenths, quarters"),
        ],
    )
    def test_bad_options_are_named(self, pair, options, message):
        with pytest.raises(SdclabError, match=f"measure pil: {message}"):
            evaluate("pil", *pair, **options)


class TestDbrl:
    @pytest.mark.parametrize("direction", ["original", "protected"])
    def test_equals_brute_force_nearest_neighbours(self, pair, direction):
        a, b = ((x - x.mean(axis=0)) / x.std(axis=0) for x in pair)
        known, released = (a, b) if direction == "original" else (b, a)
        shares = []
        for k in range(1, 5):
            finder = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(released[:, :k])
            nearest = finder.kneighbors(known[:, :k], return_distance=False).ravel()
            shares.append(100 * np.mean(nearest == np.arange(len(a))))
        assert evaluate("dbrl", *pair, direction=direction)["dbrl"] == pytest.approx(np.mean(shares))
        assert evaluate("dbrl", *pair, direction=direction, attributes="all")["dbrl"] == pytest.approx(shares[-1])

    def test_a_tie_of_t_counts_one_over_t(self):
        original = np.array([[0.0], [0.0], [1.0], [2.0], [2.0], [2.0]])
        expected = 100 * (2 * 1 / 2 + 1 + 3 * 1 / 3) / 6
        assert evaluate("dbrl", original, original)["dbrl"] == pytest.approx(expected)

    def test_equidistant_candidates_share_the_credit(self):
        original = np.array([[0.0], [10.0], [20.0]])
        protected = np.array([[-1.0], [1.0], [20.0]])  # to the first original, two are equally near
        credit = evaluate("dbrl", original, protected, scale="original")["dbrl"]
        assert credit == pytest.approx(100 * (1 / 2 + 1 + 1) / 3)

    def test_the_scale_matters_when_a_file_was_shrunk(self, pair):
        original, _ = pair
        assert evaluate("dbrl", original, original / 2, scale="own")["dbrl"] == pytest.approx(100)
        assert evaluate("dbrl", original, original / 2, scale="original")["dbrl"] < 50


def naive_em(agrees, n):
    p = agrees.shape[1]
    share, m, u = 1 / n, np.full(p, 0.9), np.clip(agrees.mean(axis=0), 1e-6, 1 - 1e-6)
    for _ in range(1000):
        likely = share * np.prod(np.where(agrees, m, 1 - m), axis=1)
        other = (1 - share) * np.prod(np.where(agrees, u, 1 - u), axis=1)
        g = likely / (likely + other)
        last = m
        m = np.clip(g @ agrees / g.sum(), 1e-6, 1 - 1e-6)
        u = np.clip((1 - g) @ agrees / (1 - g).sum(), 1e-6, 1 - 1e-6)
        share = min(max(g.mean(), 1 / n**2), 1 / n)
        if np.abs(m - last).max() < 1e-6:
            break
    return m, u


def naive_prl(original, protected, bins, probabilities):
    """Fellegi-Sunter on all pairs, one row each, without any grouping."""
    n, p = original.shape

    def binned(x):
        low, high = x.min(axis=0), x.max(axis=0)
        return np.minimum(((x - low) / (high - low) * bins).astype(int), bins - 1)

    a, b = binned(original), binned(protected)
    agrees = (a[:, None, :] == b[None, :, :]).reshape(n * n, p).astype(float)
    mates = np.eye(n, dtype=bool).ravel()
    m, u = naive_em(agrees, n) if probabilities == "em" else (agrees[mates].mean(axis=0), agrees[~mates].mean(axis=0))
    weight = np.log(np.where(agrees, m / u, (1 - m) / (1 - u))).sum(axis=1).reshape(n, n)
    best = weight.max(axis=1, keepdims=True)
    tied = np.isclose(weight, best, rtol=1e-9, atol=1e-9)
    return 100 * np.mean(np.diag(tied) / tied.sum(axis=1))


class TestPrl:
    @pytest.mark.parametrize("probabilities", ["counted", "em"])
    @pytest.mark.parametrize("bins", [4, 10])
    def test_equals_fellegi_sunter_on_all_pairs(self, pair, bins, probabilities):
        original, protected = (x[:120] for x in pair)
        ours = evaluate("prl", original, protected, bins=bins, probabilities=probabilities)["prl"]
        assert ours == pytest.approx(naive_prl(original, protected, bins, probabilities), abs=1e-9)
        assert ours > 100 / 120  # it links better than chance

    def test_of_a_copy_links_all_that_bins_can_tell_apart(self, rng):
        original = rng.random((200, 6))
        assert evaluate("prl", original, original)["prl"] > 95

    def test_of_unrelated_files_is_chance(self, rng):
        shares = [evaluate("prl", *rng.standard_normal((2, 200, 5)))["prl"] for _ in range(20)]
        assert np.mean(shares) == pytest.approx(0.5, abs=0.35)

    def test_links_as_many_as_the_best_weights_can_where_em_goes_astray(self, rng):
        """Attributes with many values in one bin: EM takes those pairs for mates. Truth: the best of many weights."""
        original = np.exp(rng.standard_normal((150, 6)))
        noise = np.array([0, 0, 0.01, 0.05, 0.2, 0.5]) * original.std(axis=0)
        protected = original + noise * rng.standard_normal(original.shape)
        a, b = (np.minimum((x - x.min(axis=0)) / np.ptp(x, axis=0) * 10, 9).astype(int) for x in (original, protected))
        agrees, best = (a[:, None] == b[None]).astype(float), 0.0
        for weights in rng.random((300, 6)):
            score = agrees @ weights
            tied = score >= score.max(axis=1, keepdims=True) - 1e-9
            best = max(best, 100 * np.mean(np.diag(tied) / tied.sum(axis=1)))
        counted, em = (evaluate("prl", original, protected, probabilities=p)["prl"] for p in ("counted", "em"))
        assert counted > 0.9 * best
        assert em < 0.7 * best

    def test_em_recovers_known_agreement_probabilities(self, rng):
        """EM on a tally drawn from known m and u finds the order of the weights."""
        n, p = 400, 4
        m, u = np.array([0.95, 0.9, 0.8, 0.6]), np.array([0.05, 0.1, 0.2, 0.3])
        bits = np.arange(2**p)[:, None] >> np.arange(p) & 1
        chance = [np.prod(np.where(bits, q, 1 - q), axis=1) for q in (m, u)]
        tally = np.round(n * chance[0] + (n * n - n) * chance[1])
        expected = np.log(chance[0] / chance[1])
        assert np.corrcoef(matching_weights(tally, n), expected)[0, 1] > 0.95

    def test_patterns_of_equal_weight_on_paper_have_equal_weight(self, rng):
        """Attributes that are alike: only the number of agreements counts, and it decides ties."""
        p = 6
        agreements = np.array([code.bit_count() for code in range(2**p)])
        tally = 1000.0 * rng.permutation(np.arange(1, p + 2))[agreements] + agreements**5
        weights = matching_weights(tally, 300)
        assert len(set(weights)) == p + 1

    @pytest.mark.parametrize(("unit", "zero"), UNITS)
    def test_a_value_on_the_border_of_two_bins_is_in_the_upper_one(self, rng, unit, zero):
        whole = np.vstack([np.zeros(3), np.full(3, 10), rng.integers(0, 11, (200, 3))]).astype(float)
        moved = np.clip(whole + rng.integers(-1, 2, whole.shape), 0, 10)
        moved[:2] = whole[:2]
        expected = evaluate("prl", whole, moved)["prl"]
        assert evaluate("prl", zero + unit * whole, zero + unit * moved)["prl"] == pytest.approx(expected, rel=1e-6)

    def test_a_constant_release_links_nobody_better_than_chance(self, pair):
        original, _ = pair
        constant = np.tile(original.mean(axis=0), (len(original), 1))
        assert evaluate("prl", original, constant)["prl"] == pytest.approx(100 / len(original))

    def test_of_a_sample_estimates_that_of_all(self, rng):
        original = rng.standard_normal((1000, 5))
        protected = original + 0.1 * rng.standard_normal(original.shape)
        every, some = (evaluate("prl", original, protected, sample=n)["prl"] / 100 for n in (1000, 300))
        assert every == evaluate("prl", original, protected)["prl"] / 100
        assert 0.05 < every < 0.95
        assert some != every
        assert abs(some - every) < 4 * np.sqrt(every * (1 - every) / 300)

    def test_bad_options_are_refused(self, pair, rng):
        with pytest.raises(SdclabError, match="bins is 1 but must be at least 2"):
            evaluate("prl", *pair, bins=1)
        with pytest.raises(SdclabError, match="sample is 0 but must lie between 1 and the number of records"):
            evaluate("prl", *pair, sample=0)
        wide = rng.random((30, 21))
        with pytest.raises(SdclabError, match="21 attributes, but at most 20"):
            evaluate("prl", wide, wide)


class TestInterval:
    def test_closed_form(self):
        original = np.array([[-1.0], [1.0]])  # SD 1
        protected = np.array([[-0.955], [1.5]])  # inside from 5 % on; never
        assert evaluate("interval", original, protected)["interval"] == pytest.approx(100 * 6 / 10 / 2)

    @pytest.mark.parametrize(("unit", "zero"), UNITS)
    def test_a_gap_equal_to_the_limit_is_within(self, unit, zero):
        """Records p % of an SD away, for each p = 1..10: within from p on, whatever the units round to."""
        original = np.tile([[-1.0], [1.0]], (10, 1))
        moved = original + np.repeat(np.arange(1, 11), 2)[:, None] / 100
        assert evaluate("interval", zero + unit * original, zero + unit * moved)["interval"] == pytest.approx(55)

    @pytest.mark.parametrize("window", ["sd", "rank"])
    def test_of_an_identical_release_is_100_also_with_a_constant(self, pair, window):
        """A constant that is released as it is is disclosed; one that is changed is not."""
        original = np.column_stack([pair[0], np.full(300, 0.1)])
        assert evaluate("interval", original, original, window=window)["interval"] == 100
        changed = original + np.array([0, 0, 0, 0, 0.01])
        assert evaluate("interval", original, changed, window=window)["interval"] == pytest.approx(80)

    def test_rank_window_takes_a_value_for_equal_up_to_rounding(self):
        """0.1 + 0.2 is 0.3 on paper, and so in the middle of the ten values of 0.3."""
        original = np.repeat([[0.3], [5.0], [9.0]], 10, axis=0)
        protected = np.where(original == 0.3, 0.1 + 0.2, original)
        assert evaluate("interval", original, protected, window="rank")["interval"] == 100

    def test_rank_window_equals_ranks_by_scipy(self, pair):
        original, protected = pair
        n = len(original)
        hits = []
        for before, after in zip(original.T, protected.T, strict=True):
            own = rankdata(before)
            # rank of one released value put among the originals, ties at the middle
            moved = [rankdata(np.append(before, value))[-1] - 0.5 for value in after]
            moved = np.array(
                [rank + 0.5 if value in before else rank for rank, value in zip(moved, after, strict=True)]
            )
            hits.append([np.mean(np.abs(own - moved) <= p / 100 * n) for p in range(1, 11)])
        ours = evaluate("interval", original, protected, window="rank")["interval"]
        assert ours == pytest.approx(100 * np.mean(hits), abs=0.2)


class TestCopyAndXy:
    def test_copy_equals_brute_force(self, pair):
        original, _ = pair
        protected = original + 0.05 * original.std(axis=0) * np.linspace(-1, 1, len(original))[:, None]
        gap = np.abs(original[:, None] - protected[None]) / original.std(axis=0)
        nearest = gap.max(axis=2).min(axis=1)  # of the first and the last record 0.05 on paper
        shares = [100 * np.mean(nearest < p / 100 + 1e-9) for p in range(1, 11)]
        ours = evaluate("copy", original, protected)
        assert ours["copy"] == pytest.approx(np.mean(shares))
        assert (ours["copy_1"], ours["copy_10"]) == pytest.approx((shares[0], shares[-1]))

    @pytest.mark.parametrize("p", range(1, 11))
    @pytest.mark.parametrize(("unit", "zero"), UNITS)
    def test_a_copy_at_the_very_limit_is_within_it(self, p, unit, zero):
        """Two records two SDs apart, released p % of an SD away: copies for the limits p, p + 1, ..., 10 alone."""
        original = np.array([[-1.0], [1.0]])
        copied = evaluate("copy", zero + unit * original, zero + unit * (original + p / 100))
        assert copied["copy"] == pytest.approx(10 * (11 - p))

    def test_near_a_constant_is_only_what_is_equal_to_it(self, pair):
        original = np.column_stack([pair[0], np.full(300, 0.1), np.zeros(300)])
        for moved, copied in (([0, 0], 100), ([2e-17, 0], 100), ([1e-6, 0], 0), ([0, 1e-6], 0)):
            released = original + np.array([0, 0, 0, 0, *moved])
            assert evaluate("copy", original, released)["copy"] == copied
        assert crowding(original) == pytest.approx(crowding(pair[0]))

    def test_xy_is_the_covariance_part_of_pil_across_the_two_groups(self, pair, rng):
        original, protected = pair
        beside = original @ rng.random((4, 2)) + rng.standard_normal((300, 2))
        losses = []
        for i in range(4):
            for j in range(2):
                before = np.column_stack([original[:, i], beside[:, j]])
                after = np.column_stack([protected[:, i], beside[:, j]])
                losses.append(pil_by_hand(before, after)["pil_covariance"])
        assert evaluate("xy", original, protected, beside)["xy"] == pytest.approx(np.mean(losses))

    def test_xy_without_independents_is_missing(self, pair):
        assert np.isnan(evaluate("xy", *pair)["xy"])

    def test_the_permutation_that_fools_pil_and_dr_is_exposed(self, split, rng):
        y, x = split
        permuted = protect("permute", y, x, rng, {})
        fooled = evaluate("score", y, permuted, x)
        assert fooled["pil"] == 0
        assert fooled["dr"] < 5
        assert evaluate("copy", y, permuted, x)["copy_1"] == 100
        assert evaluate("xy", y, permuted, x)["xy"] > 80

    def test_an_honest_synthetic_file_is_not(self, split, rng):
        y, x = split
        synthetic = protect("ipso_c", y, x, rng, {})
        assert evaluate("copy", y, synthetic, x)["copy"] < 25
        assert evaluate("xy", y, synthetic, x)["xy"] < 1e-6


def test_score_and_dr_are_the_stated_means(pair):
    values = evaluate("score", *pair)
    assert values["dr"] == pytest.approx(0.25 * values["dbrl"] + 0.25 * values["prl"] + 0.5 * values["interval"])
    assert values["score"] == pytest.approx(0.5 * values["pil"] + 0.5 * values["dr"])


def test_options_reach_the_components(pair):
    plain = evaluate("score", *pair)
    other = evaluate("score", *pair, dr={"interval": {"window": "rank"}, "prl": {"bins": 5}})
    assert plain["interval"] != other["interval"]
    assert plain["prl"] != other["prl"]
    assert plain["dbrl"] == other["dbrl"]
    with pytest.raises(SdclabError, match=r"measure interval: window is 'x' but must be one of sd, rank"):
        evaluate("score", *pair, dr={"interval": {"window": "x"}})


@pytest.mark.parametrize("options", PIL_OPTIONS, ids=str)
def test_options_of_pil_reach_it_in_the_score(pair, options):
    files = *pair, pair[0][:, ::-1]
    plain, other = evaluate("score", *files), evaluate("score", *files, pil=options)
    loss = evaluate("pil", *files, **options)
    assert {name: other[name] for name in loss} == loss
    assert other["dr"] == plain["dr"]
    assert other["score"] == pytest.approx((loss["pil"] + plain["dr"]) / 2)
    assert other["score"] != plain["score"]


def test_bad_options_of_pil_are_named_in_the_score(pair):
    with pytest.raises(SdclabError, match=r"measure pil: levels is 'x' but must be one of twentieths, tenths"):
        evaluate("score", *pair, pil={"levels": "x"})


@pytest.mark.slow
@pytest.mark.parametrize("name", list(MEASURES))
def test_twenty_thousand_records_need_no_square_of_memory(name):
    """A matrix of all pairs would take 400 MB as bytes and 3.2 GB as numbers."""
    rng = np.random.default_rng(0)
    original = np.round(rng.lognormal(0, 1, (20_000, 3)), 2)
    protected = original + 0.1 * rng.standard_normal(original.shape)
    others = np.round(rng.lognormal(0, 1, (20_000, 3)), 2)
    tracemalloc.start()
    values = measure(name, original, protected, original[:, :1], control=Control(others, others[:, :1]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.isfinite(list(values.values())).all()
    assert peak < 250e6


class TestBadInput:
    def test_unknown_measure_names_the_nearest(self, pair):
        with pytest.raises(SdclabError, match=r"unknown measure 'pill': did you mean pil"):
            evaluate("pill", *pair)

    def test_files_of_different_size_are_refused(self, pair):
        with pytest.raises(SdclabError, match="300 records of 4 attributes, the protected file 299 of 4"):
            evaluate("pil", pair[0], pair[1][1:])
