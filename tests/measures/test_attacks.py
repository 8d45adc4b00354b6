"""Attacks with a control: an exact copy, an independent sample, brute force, closed forms."""

from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import binomtest, hypergeom

from sdclab.base.errors import SdclabError
from sdclab.measures import Control, measure
from sdclab.measures._attacks import Rate, beyond
from sdclab.measures.singling_out import alone_among
from sdclab.microdata.attribute import Attribute, Attributes

ATTACKS = ("singling_out", "linkability", "inference")
NUMBERS = Attributes(tuple(Attribute(name) for name in "abcd"))
MIXED = Attributes(
    (
        Attribute("a"),
        Attribute("b", "nominal", categories=tuple("uvwxyz")),
        Attribute("c", "ordinal", categories=tuple("12345")),
        Attribute("d"),
        Attribute("e", "count"),
    )
)


def drawn(rng, n, columns):
    """Related records of a population with numbers, or with all types."""
    common = rng.standard_normal((n, 1))
    y = common + rng.standard_normal((n, len(columns.dependent)))
    for j, each in enumerate(columns.dependent):
        if each.type == "count":
            y[:, j] = np.round(10 * np.exp(y[:, j]))
        elif not each.is_number:
            y[:, j] = np.clip(np.round(y[:, j] + 2.5), 0, len(each.categories) - 1)
    return y


def control(y):
    return Control(y, np.empty((len(y), 0)))


def attack(name, y, released, others, columns=NUMBERS, **options):
    return measure(name, y, released, y[:, :0], options, columns, control=control(others))


@pytest.mark.parametrize("columns", [NUMBERS, MIXED], ids=["numbers", "all types"])
@pytest.mark.parametrize("name", ATTACKS)
class TestEnds:
    def test_an_exact_copy_in_any_order(self, name, columns, rng):
        y, others = drawn(rng, 400, columns), drawn(rng, 400, columns)
        found = attack(name, y, rng.permutation(y), others, columns)
        assert found[name] > 90
        assert found[f"{name}_low"] > 85

    def test_an_independent_sample(self, name, columns):
        """Of 20 fresh files most have an interval that holds 0, and their mean is near 0."""
        found = []
        for seed in range(20):
            rng = np.random.default_rng(seed)
            y, released, others = (drawn(rng, n, columns) for n in (400, 300, 400))
            found.append(attack(name, y, released, others, columns))
        assert sum(each[f"{name}_low"] <= 0 <= each[f"{name}_high"] for each in found) >= 14
        assert abs(np.mean([each[name] for each in found])) < 4

    def test_the_same_seed_gives_the_same_numbers(self, name, columns, rng):
        y, others = drawn(rng, 600, columns), drawn(rng, 600, columns)
        released = np.vstack([y[:300], drawn(rng, 300, columns)])
        found = [attack(name, y, released, others, columns, seed=seed) for seed in (1, 1, 2)]
        assert found[0] == found[1] != found[2]


class TestAgainstBruteForce:
    """All 300 records are attacked, so nothing is left to chance but ties, and numbers have none."""

    @pytest.fixture
    def files(self, rng):
        y = drawn(rng, 300, NUMBERS)
        return y, y + 0.1 * rng.standard_normal(y.shape), drawn(rng, 300, NUMBERS)

    @pytest.mark.parametrize("neighbours", [1, 5])
    def test_linkability(self, files, neighbours):
        y, released, others = files
        for records, key in ((y, "attack"), (others, "control")):
            linked = 0
            for record in records:
                near = [
                    set(np.argsort((((released - record) / y.std(axis=0))[:, side] ** 2).sum(axis=1))[:neighbours])
                    for side in ([0, 2], [1, 3])
                ]
                linked += bool(near[0] & near[1])
            assert attack("linkability", *files, neighbours=neighbours)[f"linkability_{key}"] == 100 * linked / 300

    def test_inference(self, files):
        y, released, others = files
        scale = y.std(axis=0)
        for records, key in ((y, "attack"), (others, "control")):
            right = []
            for target in range(4):
                known = [j for j in range(4) if j != target]
                nearest = cdist(records[:, known] / scale[known], released[:, known] / scale[known]).argmin(axis=1)
                right.append(np.abs(released[nearest, target] - records[:, target]) <= 0.05 * scale[target])
            assert attack("inference", *files)[f"inference_{key}"] == pytest.approx(100 * np.mean(right))

    def test_inference_of_a_target_by_keys(self, files):
        y, released, _ = files
        columns = Attributes(NUMBERS.dependent, keys=("a", "b"), targets=("d",))
        scale = y.std(axis=0)
        nearest = cdist(y[:, :2] / scale[:2], released[:, :2] / scale[:2]).argmin(axis=1)
        right = np.abs(released[nearest, 3] - y[:, 3]) <= 0.05 * scale[3]
        assert attack("inference", *files, columns)["inference_attack"] == pytest.approx(100 * right.mean())

    def test_singling_out_by_all_extremes(self, rng):
        """With one attribute, the only descriptions of one record alone are the least and the largest value."""
        column = Attributes((Attribute("a"),))
        y, others = rng.standard_normal((2, 300, 1))
        released = np.vstack([y[:200], [[y.max() + 1.0]]])  # nobody is as large, and the least may be there
        found = attack("singling_out", y, released, others, column, attributes=1)
        low = released.min()
        assert found["singling_out_attack"] == 50 * (np.sum(y <= low) == 1)
        assert found["singling_out_control"] == 50 * (np.sum(others <= low) == 1)


def test_a_release_of_classes_is_described_by_its_distinct_records(rng):
    """Microaggregated, every record is there three times; three equal ones are one to describe."""
    y, others = rng.standard_normal((2, 300, 3))
    once = np.sort(y, axis=0)[1::3]
    columns = Attributes(NUMBERS.dependent[:3])
    found = [attack("singling_out", y, each, others, columns) for each in (np.repeat(once, 3, axis=0), once)]
    assert all(np.isfinite(list(each.values())).all() for each in found)


class TestHowManyWouldBeAlone:
    @pytest.mark.parametrize("n", [1, 7, 20])
    def test_of_fewer_records_is_hypergeometric(self, n):
        fits = np.array([0, 1, 1, 2, 5, 20])
        expected = sum(hypergeom.pmf(1, 20, k, n) for k in fits)
        assert alone_among(fits, 20, n) == pytest.approx(expected)
        every = list(combinations(range(20), n)) if n < 8 else []
        if n == 1:
            assert alone_among(fits, 20, n) == pytest.approx(
                sum(np.mean([place[0] < k for place in every]) for k in fits)
            )

    def test_of_as_many_is_a_count(self):
        assert alone_among(np.array([0, 1, 1, 2, 5, 20]), 20, 20) == pytest.approx(2)

    @pytest.mark.parametrize("top", [0.02, 0.002])
    def test_of_more_records_carries_on_what_evenly_spread_shares_would_give(self, top):
        """Shares from 0 to `top`, of 400 and of 1,600 records: within 5 % of what is expected."""
        rng = np.random.default_rng(1)
        shares = rng.uniform(0, top, 40_000)
        fits = rng.binomial(400, shares)
        expected = np.sum(1600 * shares * (1 - shares) ** 1599)
        assert alone_among(fits, 400, 1600) == pytest.approx(expected, rel=0.1)

    def test_none_stays_none(self):
        assert alone_among(np.array([0, 0, 3]), 50, 500) == 0


class TestInterval:
    @pytest.mark.parametrize(("successes", "trials"), [(0, 50), (13, 50), (50, 50), (499, 500)])
    def test_of_a_rate_is_wilsons(self, successes, trials):
        expected = binomtest(successes, trials).proportion_ci(method="wilson")
        assert Rate(successes, trials).interval == pytest.approx((expected.low, expected.high))

    def test_covers_the_truth(self):
        """Nominal 95 %: of 2,000 simulated attacks at least 92 % cover, in an easy and in a hard corner."""
        rng = np.random.default_rng(1)
        for a, c, n in ((0.3, 0.2, 200), (0.05, 0.02, 100), (0.99, 0.5, 100)):
            truth = 100 * (a - c) / (1 - c)
            drawn = zip(rng.binomial(n, a, 2000), rng.binomial(n, c, 2000), strict=True)
            found = [beyond("x", Rate(int(i), n), Rate(int(j), n)) for i, j in drawn]
            assert np.mean([each["x_low"] - 1e-9 <= truth <= each["x_high"] + 1e-9 for each in found]) > 0.92

    def test_is_not_defined_where_the_control_always_succeeds(self):
        found = beyond("x", Rate(10, 10), Rate(10, 10))
        assert np.isnan([found["x"], found["x_low"], found["x_high"]]).all()
        assert found["x_attack"] == found["x_control"] == 100


@pytest.mark.parametrize("name", [*ATTACKS, "membership"])
def test_without_a_control_nothing_is_said(name, rng):
    y = drawn(rng, 60, NUMBERS)
    with pytest.raises(SdclabError, match=f"measure {name}: needs records that the release was not made from; give th"):
        measure(name, y, y, y[:, :0])


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("linkability", {"neighbours": 0}, "neighbours is 0 but must be at least 1"),
        ("linkability", {"attacks": 0}, "attacks is 0 but must be at least 1"),
        ("inference", {"tolerance": -0.1}, "tolerance is -0.1 but must be at least 0"),
        ("singling_out", {"attributes": 0}, "attributes is 0 but must be at least 1"),
        ("membership", {"splits": 1}, "splits is 1 but must be at least 2"),
    ],
)
def test_bad_options(name, options, message, rng):
    y = drawn(rng, 60, NUMBERS)
    with pytest.raises(SdclabError, match=message):
        attack(name, y, y, y, **options)
