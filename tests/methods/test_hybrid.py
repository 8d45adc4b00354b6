"""Local synthesis by Gaussian mixtures: what it promises, and what it does not."""

from collections.abc import Callable

import numpy as np
import pytest
from conftest import needs_originals
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, kstest
from scipy.stats import f as f_distribution

from sdclab.base.errors import SdclabError
from sdclab.clustering import latent_class
from sdclab.experiment.scenario import Scenario
from sdclab.measures import measure
from sdclab.methods import Release, release
from sdclab.methods.hybrid import clustered, with_least_records
from sdclab.methods.hybrid_micro import synthesise
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.dataset import Dataset

CONTINUOUS = ("age", "TSH", "T3", "T4U", "FTI")


@pytest.fixture(scope="session")
def thyroid(dataset: Callable[[str], Dataset]) -> np.ndarray:
    return dataset("thyroid").select(CONTINUOUS, "test")


@pytest.fixture(scope="session")
def mixed(dataset: Callable[[str], Dataset]) -> np.ndarray:
    data = dataset("thyroid")
    return data.select([*CONTINUOUS, *(column for column in data.columns if column not in CONTINUOUS)], "test")


def hybrid(records: np.ndarray, seed: int = 0, **parameters: object) -> Release:
    return release("hybrid", records, records[:, :0], np.random.default_rng(seed), parameters)


def groups(rng: np.random.Generator, sizes: tuple[int, ...] = (40, 60, 100)) -> np.ndarray:
    return np.vstack([rng.normal(10 * i, 1 + i, (size, 2)) for i, size in enumerate(sizes)])


@pytest.mark.slow
class TestWhatIsKept:
    def test_means_and_covariances_of_the_file_and_of_every_cluster(self, thyroid):
        made = hybrid(thyroid, k=60).values
        labels = clustered(thyroid, 60)[1]
        for members in [np.arange(len(thyroid)), *(np.flatnonzero(labels == i) for i in range(labels.max() + 1))]:
            before, after = thyroid[members], made[members]
            spread = before.std(axis=0)
            assert np.abs((before.mean(axis=0) - after.mean(axis=0)) / spread).max() < 1e-8
            assert np.abs((np.cov(before.T) - np.cov(after.T)) / np.outer(spread, spread)).max() < 1e-8
        assert max(measure("regression", thyroid, made, thyroid[:, :0]).values()) < 1e-6

    def test_no_record_is_released(self, thyroid):
        made = hybrid(thyroid, k=60).values
        assert not set(map(tuple, made)) & set(map(tuple, thyroid))

    def test_an_exact_relation_survives(self, rng):
        records = groups(rng)
        made = hybrid(np.column_stack([records, records.sum(axis=1)]), k=10).values
        np.testing.assert_allclose(made[:, :2].sum(axis=1), made[:, 2], rtol=1e-8)

    def test_replicates_share_the_clusters_and_not_the_draws(self, rng):
        records = groups(rng)
        first, second = hybrid(records, seed=1, k=10), hybrid(records, seed=2, k=10)
        assert dict(first.facts) == pytest.approx(dict(second.facts), nan_ok=True)
        assert not np.isclose(first.values, second.values).all(axis=1).any()


def t_groups(rng: np.random.Generator, degrees: float = 4.0) -> np.ndarray:
    """Groups as above, each record at a length of its own from the centre: multivariate t."""
    lengths = np.sqrt(degrees / rng.chisquare(degrees, 600))[:, None]
    return np.repeat([[0.0, 0.0], [40.0, 30.0]], 300, axis=0) + lengths * rng.standard_normal((600, 2))


class TestComponents:
    @settings(max_examples=25)
    @given(seed=st.integers(0, 2**32), n=st.integers(2, 60), p=st.integers(1, 4), degrees=st.floats(2.1, 200))
    def test_t_records_have_the_mean_and_covariance_of_their_cluster(self, seed, n, p, degrees):
        rng = np.random.default_rng(seed)
        records = rng.standard_normal((2 * n, p)) * 10.0 ** np.arange(p) + 5
        records = np.column_stack([records, records.sum(axis=1)])
        clusters = [np.arange(n), np.arange(n, 2 * n)]
        made = synthesise(records, clusters, rng, np.array([degrees, 5.0]))
        for members in clusters:
            before, after = records[members], made[members]
            spread = before.std(axis=0)
            np.testing.assert_allclose(after.mean(axis=0), before.mean(axis=0), rtol=1e-7, atol=1e-7)
            error = (np.cov(after.T) - np.cov(before.T)) / np.outer(spread, spread)
            assert np.abs(error).max() < 1e-8

    def test_drawn_records_are_t_ones(self, rng):
        """The squares of their Mahalanobis distances over p follow Fisher's F, in units of the t's covariance."""
        n, p, degrees = 20_000, 3, 7.0
        records = rng.standard_normal((n, p)) @ rng.standard_normal((p, p))
        made = synthesise(records, [np.arange(n)], rng, np.array([degrees]))
        apart = made - made.mean(axis=0)
        squares = np.einsum("ij,ij->i", apart @ np.linalg.inv(np.cov(made.T)), apart)
        assert kstest(squares / p * degrees / (degrees - 2), f_distribution(p, degrees).cdf).statistic < 0.012
        assert kstest(squares, chi2(p).cdf).statistic > 0.04  # a normal sample it is not

    def test_groups_with_tails_get_them_back(self, rng):
        records = t_groups(rng)
        normal, t = (hybrid(records, k=20, clusters=2, components=each) for each in ("normal", "t"))
        assert "fewest_degrees" not in normal.facts
        assert 2.5 < t.facts["fewest_degrees"] < 6
        assert t.facts["bic"] > normal.facts["bic"] + 100
        means = np.repeat([records[:300].mean(axis=0), records[300:].mean(axis=0)], 300, axis=0)
        beyond = [(np.abs(made - means) > 5).sum() for made in (records, normal.values, t.values)]
        assert beyond[0] > 4
        assert beyond[1] < beyond[0] / 2 < beyond[2]

    @pytest.mark.slow
    @needs_originals
    def test_on_thyroid_bic_and_moments_are_better(self, thyroid):
        """The bars of the study `beyond`: the same number of clusters, and ten replicates."""
        fits = [clustered(thyroid, 60, 6, components=each)[0] for each in ("normal", "t")]
        assert fits[1].bic > fits[0].bic + 100
        changes = {}
        for each in ("normal", "t"):
            made = [hybrid(thyroid, seed=seed, k=60, components=each) for seed in range(10)]
            assert {release.facts["clusters"] for release in made} == {6}
            told = [measure("moments", thyroid, release.values, thyroid[:, :0]) for release in made]
            changes[each] = {key: np.mean([one[key] for one in told]) for key in ("third_mean", "fourth_mean")}
        assert changes["t"]["third_mean"] < changes["normal"]["third_mean"]
        assert changes["t"]["fourth_mean"] < changes["normal"]["fourth_mean"]


@pytest.mark.slow
class TestTheRealK:
    @needs_originals
    def test_published_clusters(self, thyroid):
        facts = hybrid(thyroid, k=60).facts
        assert [facts[f"cluster_size_{i}"] for i in range(1, 7)] == [179, 232, 440, 325, 708, 63]
        assert np.isnan(facts["cluster_size_7"])
        assert (facts["clusters"], facts["smallest_cluster"], facts["largest_cluster"]) == (6, 63, 708)

    @needs_originals
    @pytest.mark.parametrize("k", [200, 400])
    def test_equations_3_and_4_do_not_keep_clusters_from_being_small(self, k, thyroid):
        assert hybrid(thyroid, k=k).facts["smallest_cluster"] < k
        assert hybrid(thyroid, k=k, enforce=True).facts["smallest_cluster"] >= k

    @settings(max_examples=50)
    @given(seed=st.integers(0, 2**32), clusters=st.integers(1, 6), k=st.integers(1, 40))
    def test_enforced_clusters_have_k_records_each(self, seed, clusters, k):
        shares = np.random.default_rng(seed).dirichlet(np.full(clusters, 0.3), 40)
        labels = with_least_records(shares, k)
        sizes = np.bincount(labels)
        assert sizes[sizes > 0].min() >= k
        if np.bincount(shares.argmax(axis=1), minlength=clusters).min() >= k:
            assert (labels == shares.argmax(axis=1)).all()

    def test_the_smallest_cluster_is_dissolved_and_the_others_keep_their_records(self):
        shares = np.array([[0.9, 0.1, 0.0]] * 4 + [[0.2, 0.8, 0.0]] * 3 + [[0.0, 0.3, 0.7]])
        assert with_least_records(shares, 3).tolist() == [0] * 4 + [1] * 4

    def test_a_dissolved_cluster_goes_where_little_is_most(self):
        """Shares in proportion decide, be they 1e-20 and 1e-15; but for rounding equal ones are a tie."""
        shares = np.repeat(
            [[1.0, 0, 0], [0, 1.0, 0], [1e-20, 1e-15, 1], [1e-15 * (1 + 1e-12), 1e-15, 1]], [4, 4, 1, 1], axis=0
        )
        assert with_least_records(shares, 3).tolist() == [0] * 4 + [1] * 5 + [0]


@pytest.mark.slow
class TestMixedData:
    def test_dichotomous_attributes_stay_so_and_keep_their_shares(self, mixed):
        made = hybrid(mixed, k=60).values
        assert set(np.unique(made[:, 5:])) == {0.0, 1.0}
        before, after = mixed[:, 5:].mean(axis=0), made[:, 5:].mean(axis=0)
        allowed = 4 * np.sqrt(before * (1 - before) / len(mixed)) + 0.003
        assert (np.abs(before - after) < allowed).all()

    def test_continuous_attributes_are_those_of_continuous_data(self, mixed):
        np.testing.assert_array_equal(hybrid(mixed, k=60).values[:, :5], hybrid(mixed[:, :5], k=60).values)

    @needs_originals
    def test_the_clusters_are_the_best_start_of_the_latent_classes(self, mixed):
        labels = clustered(mixed[:, :5], 60)[1]
        fitted = latent_class.fit(mixed[:, 5:], mixed[:, :5], labels, np.random.default_rng(0), k=60)
        assert fitted.log_likelihood >= -4138.2

    def test_hybrid_is_nearer_to_the_original_than_sequential_synthesis(self, mixed):
        """Section 7: under main effects alone and with interactions."""
        options = {"models": ["main", "mixed"]}
        ours = measure("propensity", mixed, hybrid(mixed, k=60).values, mixed[:, :0], options)
        made = release("synthetic", mixed, mixed[:, :0], np.random.default_rng(0), {}).values
        theirs = measure("propensity", mixed, made, mixed[:, :0], options)
        assert ours["propensity_mixed"] < theirs["propensity_mixed"]


REGION = Attribute("region", "nominal", categories=("east", "north", "south", "west"))
GRADE = Attribute("grade", "ordinal", categories=("low", "middle", "high"))
AGE, INCOME = Attribute("age", "count"), Attribute("income", low=0, masses=(0.0,))


def people(rng: np.random.Generator, n: int) -> np.ndarray:
    """Three regions of four, a grade by region, and two numbers by region."""
    region = rng.choice(4, n, p=[0.4, 0.4, 0.2, 0])
    grade = (rng.random((n, 1)) > np.array([[0.6, 0.8], [0.2, 0.6], [0.1, 0.2], [0, 0]])[region]).sum(axis=1)
    age = 30 + 12.0 * region + rng.normal(0, 3, n)
    return np.column_stack([region, grade, age, 20 * age + rng.normal(0, 50, n)]).astype(float)


PEOPLE = Attributes((REGION, GRADE, AGE, Attribute("income")))


def typed(y: np.ndarray, attributes: Attributes, count: int, x: np.ndarray | None = None, **parameters) -> np.ndarray:
    x = y[:, :0] if x is None else x
    streams = map(np.random.default_rng, range(count))
    return np.array([release("hybrid", y, x, rng, {"k": 20} | parameters, attributes).values for rng in streams])


class TestCategories:
    def test_they_come_from_the_domain_and_as_often_as_before(self, rng):
        y = people(rng, 500)
        made = typed(y, PEOPLE, 40)
        for j, size in ((0, 4), (1, 3)):
            before = np.bincount(y[:, j].astype(int), minlength=size) / 500
            after = np.array([np.bincount(each[:, j].astype(int), minlength=size) / 500 for each in made])
            assert after.shape[1] == size
            assert (np.abs(after.mean(axis=0) - before) <= 4 * np.sqrt(before * (1 - before) / 500 / 40) + 1e-3).all()

    def test_means_by_category_are_kept(self, rng):
        y = people(rng, 500)
        made = typed(y, PEOPLE, 40)
        for number in (2, 3):
            for code in range(3):
                before = y[y[:, 0] == code, number]
                after = np.mean([each[each[:, 0] == code, number].mean() for each in made])
                assert abs(after - before.mean()) < 2 * before.std() / np.sqrt(len(before))

    def test_numbers_are_those_of_a_file_without_categories(self, rng):
        y = people(rng, 300)
        alone = typed(y[:, 2:], Attributes(PEOPLE.dependent[2:]), 2)
        np.testing.assert_array_equal(typed(y, PEOPLE, 2)[:, :, 2:], alone)

    def test_the_same_seed_gives_the_same_release_and_another_another(self, rng):
        y = people(rng, 300)
        (a, b), again = typed(y, PEOPLE, 2), typed(y, PEOPLE, 1)[0]
        assert a.tobytes() == again.tobytes()
        assert (a[:, :2] != b[:, :2]).any()

    def test_alone_they_are_drawn_from_plain_latent_classes(self, rng):
        """Two-way tables are kept, and every class is expected to hold k records."""
        y = people(rng, 1000)[:, [0, 1, 1]]
        y[:, 2] = np.where(rng.random(1000) < 0.8, y[:, 0], rng.integers(0, 3, 1000))
        attributes = Attributes((REGION, GRADE, REGION))
        made = typed(y, attributes, 20)
        for a, b in ((0, 1), (0, 2), (1, 2)):
            before, after = (
                np.histogram2d(each[:, a], each[:, b], bins=[range(5), range(5)])[0] / len(each)
                for each in (y, made.reshape(-1, 3))
            )
            apart = np.outer(before.sum(axis=1), before.sum(axis=0))
            assert np.abs(after - before).sum() < 0.25 * np.abs(apart - before).sum()
            np.testing.assert_allclose(after.sum(axis=1), before.sum(axis=1), atol=0.015)
        facts = release("hybrid", y, y[:, :0], rng, {"k": 150}, attributes).facts
        assert facts["smallest_cluster"] >= 150 - 1e-6


def agreement(flags: np.ndarray) -> np.ndarray:
    """In what share of records the two flags of a pair agree."""
    return np.array([(flags[..., i] == flags[..., i + 1]).mean() for i in (0, 2, 4)])


class TestPairs:
    """Three pairs of flags that agree in nine of ten records, and two groups of numbers that tell nothing of them."""

    TYPES = Attributes(
        (*(Attribute(name, "nominal", categories=("no", "yes")) for name in "abcdef"), Attribute("x"), Attribute("y"))
    )

    @pytest.fixture
    def flags(self, rng) -> np.ndarray:
        first = (rng.random((400, 3)) < 0.4).astype(float)
        second = np.where(rng.random((400, 3)) < 0.9, first, 1 - first)
        return np.column_stack([np.dstack([first, second]).reshape(400, 6), groups(rng, (200, 200))])

    def test_what_two_classes_lose_pairs_keep(self, flags):
        kept, lost = (typed(flags, self.TYPES, 20, clusters=2, **each) for each in DEPENDENCE[::-1])
        np.testing.assert_allclose(agreement(kept), agreement(flags), atol=0.02)
        assert np.sort(agreement(lost))[1] < 0.7
        for made in (kept, lost):
            np.testing.assert_allclose(made[:, :, :6].mean(axis=(0, 1)), flags[:, :6].mean(axis=0), atol=0.02)

    def test_they_are_the_default_where_columns_have_types_and_nowhere_else(self, flags):
        np.testing.assert_array_equal(typed(flags, self.TYPES, 2), typed(flags, self.TYPES, 2, dependence="pairs"))
        plain, classes, pairs = (hybrid(flags, k=20, **more) for more in ({}, *DEPENDENCE))
        np.testing.assert_array_equal(plain.values, classes.values)
        assert (plain.values != pairs.values).any()
        assert pairs.facts == plain.facts

    def test_a_number_that_a_category_tells_it_still_tells(self, rng):
        """If at least k records say so: years of school by the name of the school, but not those of a few."""
        school = np.r_[np.full(5, 3), rng.integers(0, 3, 295)].astype(float)
        years = np.array([9.0, 12, 16, 21])[school.astype(int)]
        names = Attribute("school", "nominal", categories=tuple("abcd"))
        y = np.column_stack([school, years, rng.standard_normal(300)])
        made = typed(y, Attributes((names, Attribute("years", "count", 0), AGE)), 10, clusters=2, model="EEE")
        for code, number in enumerate((9.0, 12.0, 16.0)):
            assert (made[:, :, 1][made[:, :, 0] == code] == number).all()
        few = made[:, :, 1][made[:, :, 0] == 3]
        assert len(few)
        assert (few != 21).all()

    def test_a_number_without_variance_in_a_group_has_none(self, rng):
        region = rng.integers(0, 4, 400).astype(float)
        y = np.column_stack([np.where(region == 1, 7.0, rng.normal(7, 1, 400)), rng.standard_normal(400)])
        made = typed(y, Attributes((Attribute("a"), Attribute("b")), (REGION,)), 3, region[:, None], clusters=2)
        assert (made[:, region == 1, 0] == 7).all()
        assert (made[:, region != 1, 0] != 7).all()


DEPENDENCE = ({"dependence": "independent"}, {"dependence": "pairs"})


class TestIndependentsWithCategories:
    def test_means_by_their_categories_are_kept(self, rng):
        """Clusters cannot tell these groups apart: what is kept, the independents keep."""
        region = rng.integers(0, 4, 600).astype(float)
        y = np.column_stack([rng.normal(0.5 * region, 1), rng.normal(-0.3 * region, 1)])
        y = np.column_stack([y, rng.random(600) < 0.2 + 0.2 * region])
        flag = Attribute("flag", "nominal", categories=("no", "yes"))
        made = typed(y, Attributes((Attribute("a"), Attribute("b"), flag), (REGION,)), 30, region[:, None])
        for code in range(4):
            chosen = region == code
            error = y[chosen].std(axis=0) / np.sqrt(chosen.sum())
            assert (np.abs(made[:, chosen].mean(axis=(0, 1)) - y[chosen].mean(axis=0)) < 2 * error).all()

    def test_means_of_the_file_are_kept_and_covariances_on_average(self, rng):
        region = rng.integers(0, 4, 300).astype(float)
        y = rng.normal(region[:, None], 1, (300, 2))
        made = typed(y, Attributes((Attribute("a"), Attribute("b")), (REGION,)), 40, region[:, None])
        np.testing.assert_allclose(made.mean(axis=1), np.tile(y.mean(axis=0), (40, 1)), atol=1e-8)
        covariances = np.array([np.cov(each.T) for each in made])
        error = covariances.std(axis=0) / np.sqrt(40)
        assert (np.abs(covariances.mean(axis=0) - np.cov(y.T)) < 4 * error).all()

    def test_a_category_that_one_of_theirs_excludes_stays_away(self, rng):
        """Classes, which are found by numbers, do not know that nobody in the east has the highest grade."""
        region = rng.integers(0, 4, 500).astype(float)
        grade = np.where(region == 0, rng.integers(0, 2, 500), rng.integers(0, 3, 500))
        y = np.column_stack([rng.standard_normal((500, 2)), grade])
        made = typed(y, Attributes((Attribute("a"), Attribute("b"), GRADE), (REGION,)), 20, region[:, None])[:, :, 2]
        assert (made[:, region == 0] < 2).all()
        for code in range(4):
            before = np.bincount(grade[region == code], minlength=3) / (region == code).sum()
            after = np.array([(made[:, region == code] == each).mean() for each in range(3)])
            np.testing.assert_allclose(after, before, atol=0.05)

    def test_a_category_that_few_have_shows_nothing_of_them(self, rng):
        """Raked to its own frequencies, a region of one record would be released with that record's grade."""
        region = np.r_[3, rng.integers(0, 3, 299)].astype(float)
        y = np.column_stack([rng.standard_normal((300, 2)), rng.integers(0, 3, 300)])
        made = typed(y, Attributes((Attribute("a"), Attribute("b"), GRADE), (REGION,)), 40, region[:, None])
        assert len(np.unique(made[:, 0, 2])) > 1

    def test_who_is_alone_with_a_category_is_not_released(self, rng):
        """A regression inside every cluster would predict such a record by itself."""
        region = np.r_[3, rng.integers(0, 3, 299)].astype(float)
        y = rng.normal(0, 1, (300, 2))
        made = typed(y, Attributes((Attribute("a"), Attribute("b")), (REGION,)), 20, region[:, None])
        assert (np.abs(made[:, 0] - y[0]) > 1e-3).any(axis=1).all()
        assert made[:, 0].std(axis=0).min() > 0.3


class TestPointMasses:
    @pytest.mark.slow
    def test_a_spike_stays_a_spike_and_no_cluster_collapses_onto_it(self, rng):
        age = rng.uniform(20, 80, 600)
        income = np.where(rng.random(600) < np.where(age > 60, 0.9, 0.5), 0, 900 + 20 * age + rng.normal(0, 100, 600))
        y = np.column_stack([age, income])
        made = typed(y, Attributes((AGE, INCOME)), 30)
        zero = made[:, :, 1] == 0
        assert zero.mean() == pytest.approx((income == 0).mean(), abs=0.01)
        error = age.std() / np.sqrt((income == 0).sum())
        assert abs(made[:, :, 0][zero].mean() - age[income == 0].mean()) < 2 * error
        assert np.corrcoef(made[:, :, 0][~zero], made[:, :, 1][~zero])[0, 1] == pytest.approx(
            np.corrcoef(y[income > 0].T)[0, 1], abs=0.05
        )
        assert made[:, :, 1][~zero].mean() == pytest.approx(income[income > 0].mean(), rel=0.03)


NASTY: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "whole numbers": lambda table: table.round(),
    "heavy tails": lambda table: np.exp(4 * table),
    "an outlier": lambda table: np.where(np.arange(len(table))[:, None] == 0, 1e12, table),
    "a constant column": lambda table: np.column_stack([np.full(len(table), 7.1), table]),
    "constant": lambda table: np.full_like(table, 7.1),
    "duplicates": lambda table: table[np.arange(len(table)) // 4],
    "half duplicates": lambda table: table[np.maximum(np.arange(len(table)) - len(table) // 2, 0)],
    "collinear": lambda table: np.column_stack([table, table.sum(axis=1)]),
    "zeros and ones": lambda table: np.column_stack([table[:, 0], table > 0]),
    "far from 0": lambda table: table + 1e9,
}
"""Tables as methods meet them when nobody has looked at the file."""


def any_column(rng: np.random.Generator, n: int) -> tuple[Attribute, np.ndarray]:
    """One to forty categories, common, rare or absent; counts, numbers of any size, numbers with one or two spikes."""
    kind = rng.choice(["continuous", "count", "nominal", "ordinal", "spike", "spikes"])
    if kind in ("nominal", "ordinal"):
        size = int(rng.choice([1, 2, 3, 5, min(40, n)]))
        shares = rng.dirichlet(np.full(size, rng.choice([0.1, 1, 10])))
        return Attribute("c", kind, categories=tuple(map(str, range(size)))), rng.choice(size, n, p=shares).astype(
            float
        )
    if kind == "count":
        return Attribute("n", "count", 0), rng.poisson(rng.choice([0.3, 3, 30]), n).astype(float)
    if kind == "continuous":
        return Attribute("x"), rng.normal(rng.choice([0, 1e3]), 1, n) * 10.0 ** rng.choice([-9, 0, 9])
    masses = (0.0,) if kind == "spike" else (0.0, 50.0)
    values = np.append(masses, np.nan)[rng.integers(0, len(masses) + 1, n)]
    return Attribute("s", low=0, masses=masses), np.where(np.isnan(values), np.exp(rng.normal(3, 1, n)), values)


def check_meant(error: SdclabError) -> None:
    """That it is no crash in disguise."""
    assert error.__cause__ is None or isinstance(error.__cause__, SdclabError)


class TestNastyTables:
    """A release with the means of the file, or one sentence; a warning of numpy is an error here."""

    @pytest.mark.filterwarnings("error")
    @pytest.mark.parametrize("kind", NASTY)
    @settings(max_examples=12)
    @given(data=st.data())
    def test_a_release_or_a_sentence(self, kind, data):
        n, p = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 6))
        table = NASTY[kind](np.random.default_rng(data.draw(st.integers(0, 2**32))).standard_normal((n, p)))
        table = table * 10.0 ** data.draw(st.sampled_from([-12, 0, 12]))
        parameters: dict[str, object] = {"k": data.draw(st.sampled_from([1, 2, 3, n // 2, n]))}
        method = data.draw(st.sampled_from(["hybrid", "hybrid", "hybrid_micro"]))
        if method == "hybrid":
            parameters["start"] = data.draw(st.sampled_from(["mclust", "textbook", "kmeans++"]))
            parameters["clusters"] = data.draw(st.sampled_from([None, None, 1, 3]))
        try:
            made = release(method, table, table[:, :0], np.random.default_rng(0), parameters).values
        except SdclabError:
            return
        drawn = ~((table == 0) | (table == 1)).all(axis=0)
        off = np.abs(made.mean(axis=0) - table.mean(axis=0)) / (np.abs(table).max(axis=0) + (table == 0).all(axis=0))
        assert off[drawn].max(initial=0.0) < 1e-8

    @pytest.mark.filterwarnings("error")
    @pytest.mark.parametrize("method", ["hybrid", "synthetic"])
    @settings(max_examples=25)
    @given(seed=st.integers(0, 2**32), n=st.sampled_from([4, 12, 45, 130]), p=st.integers(1, 5), q=st.integers(0, 2))
    @pytest.mark.slow
    def test_columns_of_every_type_are_released_inside_their_domain_or_refused(self, method, seed, n, p, q):
        rng = np.random.default_rng(seed)
        dependent, independent = ([any_column(rng, n) for _ in range(count)] for count in (p, q))
        y, x = (np.column_stack([np.empty((n, 0)), *(c for _, c in part)]) for part in (dependent, independent))
        attributes = Attributes(*(tuple(a for a, _ in part) for part in (dependent, independent)))
        parameters = {"k": max(1, min(5, n // 4))} if method == "hybrid" else {}
        try:
            made = release(method, y, x, rng, parameters, attributes).values
        except SdclabError as error:
            check_meant(error)
            return
        for (attribute, _), column in zip(dependent, made.T, strict=True):
            assert attribute.is_number or not attribute.outside(column).any()

    @pytest.mark.parametrize("start", ["mclust", "textbook", "kmeans++"])
    def test_many_attributes_in_large_units(self, start, rng):
        table = rng.normal(0, 1e8, (150, 20))
        made = hybrid(table, k=20, clusters=2, model="EEE", start=start).values
        np.testing.assert_allclose(made.mean(axis=0), table.mean(axis=0), atol=1e-2)

    @pytest.mark.parametrize("start", ["mclust", "textbook", "kmeans++"])
    def test_nothing_varies(self, start):
        with pytest.raises(SdclabError, match="no attribute varies beyond rounding"):
            hybrid(np.full((60, 3), 7.1), k=5, start=start)


class TestBadInput:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"k": 201}, "k is 201 but must lie between 1 and the number of records, 200"),
            ({"k": 0}, "k is 0 but must lie between 1"),
            ({"k": 50, "clusters": 4}, "clusters is 4 but must be at least 1 and below n/k = 4"),
            ({"k": 100}, "k is 100 but must be below 100, or there is room for one cluster only"),
            ({"k": 10, "model": "VVE"}, "model is 'VVE' but must be one of EII"),
            ({"k": 10, "start": "random"}, "start is 'random' but must be one of mclust, textbook, kmeans"),
        ],
    )
    def test_impossible_parameters(self, parameters, message, rng):
        with pytest.raises(SdclabError, match=message):
            hybrid(groups(rng), **parameters)

    def test_a_cluster_that_collapses_is_said_so(self, rng):
        records = groups(rng)
        records[:40] = 3.0
        with pytest.raises(SdclabError, match="one of 3 clusters collapses onto fewer dimensions than there are attr"):
            hybrid(records, k=10, clusters=3, model="VVV")

    def test_nothing_continuous(self, rng):
        with pytest.raises(SdclabError, match="every dependent is dichotomous"):
            hybrid((rng.random((100, 3)) < 0.5).astype(float))

    def test_a_category_with_one_level_is_named(self, mixed, dataset):
        data = dataset("thyroid")
        column = data.columns.index("goitre")
        values = data.values.copy()
        values[:, column] = 0.0
        flat = data.with_values("replica", "test", values)
        with pytest.raises(SdclabError, match="column goitre of thyroid is constant"):
            Scenario("mixed", "thyroid", data.columns).split(flat)
