"""Measures of files with categories: against brute force, hand-made indicators and the same file of numbers."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from sdclab.base.describe import described
from sdclab.base.errors import SdclabError
from sdclab.measures import MEASURES, Control, intact, measure, numbers, prl, propensity
from sdclab.measures.copy import crowding
from sdclab.microdata.attribute import Attribute, Attributes

REGION = Attribute("region", "nominal", categories=("east", "north", "south", "west"))
GRADE = Attribute("grade", "ordinal", categories=("low", "middle", "high"))
SEX = Attribute("sex", "nominal", categories=("f", "m"))
INCOME, AGE = Attribute("income", low=0), Attribute("age", "count")
MIXED = Attributes((REGION, INCOME, GRADE, AGE), (SEX, AGE))
OPTIONS = {
    "clusters": {"c": 3, "runs": 2},
    "propensity": {"models": ["main", "literal", "cubic", "powers", "mixed"]},
}


def files(n=80, seed=5):
    """Original, protected and independent of MIXED; related, and not all of the release is changed."""
    rng = np.random.default_rng(seed)
    sex, age = rng.integers(0, 2, n), rng.integers(18, 80, n)
    region, grade = (rng.integers(0, 4, n) + sex) % 4, np.minimum(rng.integers(0, 3, n) + sex, 2)
    original = np.column_stack([region, rng.lognormal(3 + 0.2 * region, 1, n), grade, rng.poisson(4, n)])
    noise = np.column_stack([0 * region, rng.normal(0, 3, n), 0 * region, rng.integers(-1, 2, n)])
    released = original + noise
    for j in (0, 2):
        chosen = rng.random(n) < 0.4
        released[chosen, j] = rng.permutation(original[:, j])[chosen]
    return original, released, np.column_stack([sex, age]).astype(float)


def mixed(name, columns=MIXED, **options):
    return measure(name, *files(), {**OPTIONS.get(name, {}), **options}, columns, control())


def control():
    """Others of the same population, for measures that need some."""
    dependent, _, independent = files(seed=6)
    return Control(dependent, independent)


def only(chosen, columns=MIXED):
    """Some dependents of the mixed files, and what they hold."""
    original, protected, independent = files()
    kept = tuple(columns.dependent[j] for j in chosen)
    return (original[:, chosen], protected[:, chosen], independent), Attributes(kept, columns.independent)


class TestEveryMeasure:
    @pytest.mark.parametrize("name", MEASURES.present)
    def test_takes_or_leaves_out_categories_and_stays_in_its_range(self, name):
        original, protected, independent = files()
        for release in (protected, original, original[::-1], np.tile(original[0], (len(original), 1))):
            found = measure(name, original, release, independent, OPTIONS.get(name, {}), MIXED, control())
            for key, value in found.items():
                about = described(key, numbers(name))
                assert np.isnan(value) or about.low - 1e-9 <= value <= about.high + 1e-9, key
                if release is original and about.measures == "loss":
                    assert abs(value) <= 1e-6 or key.startswith("information_loss"), key

    @pytest.mark.parametrize("name", MEASURES.present)
    def test_of_numbers_alone_is_what_it_was(self, name):
        original, protected, independent = files()
        told = Attributes((INCOME, AGE, AGE, INCOME), (AGE, INCOME))
        if name == "impossible":  # it is about the domain that is told
            told = Attributes.of_numbers(original, independent)
            assert measure(name, original, protected, independent, {}, told)[name] == 0
            return
        given = OPTIONS.get(name, {})
        found = measure(name, original, protected, independent, given, told, control())
        assert found == measure(name, original, protected, independent, given, control=control())

    @pytest.mark.parametrize("name", MEASURES.present)
    def test_does_not_depend_on_the_order_of_nominal_categories(self, name):
        original, protected, independent = (each.copy() for each in files())
        plain = mixed(name)
        codes = np.array([2, 0, 3, 1.0])
        others = control()
        for values in (original, protected, others.dependent):
            values[:, 0] = codes[values[:, 0].astype(int)]
        for values in (independent, others.independent):
            values[:, 0] = 1 - values[:, 0]
        found = measure(name, original, protected, independent, OPTIONS.get(name, {}), MIXED, others)
        if name in ("moments", "regression"):  # they see the second category of an independent, whichever it is
            assert found.keys() == plain.keys()
            return
        for key, value in plain.items():
            if not key.startswith("terms"):  # `mixed` leaves out pairs that are rare
                assert found[key] == pytest.approx(value, rel=0.02 if key.endswith("_mixed") else 1e-6, nan_ok=True)

    @pytest.mark.parametrize("name", ["pil", "interval", "clusters", "moments", "regression"])
    def test_of_numbers_says_so_where_there_are_none(self, name):
        given, columns = only([0, 2])
        with pytest.raises(SdclabError, match=f"measure {name}: compares numbers, but no dependent is one"):
            measure(name, *given, OPTIONS.get(name, {}), columns)


class TestPropensity:
    """A model of categories is the model of their indicators, made by hand and told as numbers."""

    @pytest.mark.parametrize("model", OPTIONS["propensity"]["models"])
    def test_equals_that_of_indicators(self, model):
        original, protected, independent = files()

        def by_hand(values):
            region = [values[:, 0] == code for code in (1, 2, 3)]
            grade = [values[:, 2] == code for code in (1, 2)]
            return np.column_stack([*region, values[:, 1], *grade, values[:, 3]]).astype(float)

        found = mixed("propensity", models=[model])
        theirs = measure("propensity", by_hand(original), by_hand(protected), independent, {"models": [model]})
        for key in (f"propensity_{model}", f"floor_{model}"):
            assert found[key] == pytest.approx(theirs[key], rel=1e-6), key
        assert found[f"propensity_{model}"] > 0.1

    def test_two_categories_of_one_attribute_have_no_product_and_none_has_a_power(self):
        """Columns 3 + 1 + 2 + 1 + 1 + 1, of which 6 are indicators and 3 numbers."""
        found = mixed("propensity")
        sizes, powers = [3, 1, 2, 1, 1, 1], [3, 3, 2, 3, 1, 3]
        two = sum(a * b for i, a in enumerate(sizes) for b in sizes[:i])
        three = sum(a * b * c for i, a in enumerate(sizes) for j, b in enumerate(sizes[:i]) for c in sizes[:j])
        squares, cubes, square_times_other = 3, 3, 3 * (9 - 1)
        assert found["terms_main"] == 9
        assert found["terms_literal"] == 9 + two + three
        assert found["terms_cubic"] == 9 + two + three + squares + cubes + square_times_other
        assert found["terms_powers"] == sum(powers) + sum(a * b for i, a in enumerate(powers) for b in powers[:i])

    def test_a_category_that_only_the_release_has_is_seen(self):
        original = np.repeat([[0.0], [1.0]], 50, axis=0)
        protected = np.where(np.arange(100)[:, None] % 2, 2, original)
        found = measure("propensity", original, protected, original[:, :0], {"models": ["main"]}, Attributes((REGION,)))
        # half of the release is told for sure, 50 records by 1/2 each; the others are 1/3 of those alike
        assert found["propensity_main"] == pytest.approx(50 / 4 + 150 * (1 / 3 - 1 / 2) ** 2, rel=1e-3)

    @pytest.mark.parametrize("model", ["main", "cubic", "mixed"])
    def test_too_many_terms_are_refused_before_they_are_made(self, model, monkeypatch):
        monkeypatch.setattr("sdclab.measures.propensity.Stacked.columns", None)
        many = Attribute("place", "nominal", categories=tuple(map(str, range(2000))))
        codes = np.random.default_rng(0).integers(0, 2000, (5000, 3)).astype(float)
        told = f"model {model} has more than 5000 terms, the most that are fitted to 10000 records of both files"
        with pytest.raises(SdclabError, match=told):
            measure("propensity", codes, codes, codes[:, :0], {"models": [model]}, Attributes((many,) * 3))

    @pytest.mark.parametrize(("sizes", "model"), [((3, 3), "cubic"), ((900, 9), "mixed"), ((2000, 2000), "main")])
    def test_by_default_the_largest_model_that_is_not_too_large(self, sizes, model, monkeypatch):
        monkeypatch.setattr("sdclab.measures.propensity.MAX_NUMBERS", 10_000_000)
        rng = np.random.default_rng(0)
        codes = np.column_stack([rng.integers(0, size, 1000) for size in sizes] + [rng.random(1000)])
        kinds = [Attribute(f"a{size}", "nominal", categories=tuple(map(str, range(size)))) for size in sizes]
        both = propensity.Stacked(np.vstack([codes, codes]), (*kinds, Attribute("x")))
        assert both.largest_model() == model


def squares_apart(before, after, attributes, scale):
    """Squared distances of all pairs, attribute by attribute, as dbrl says them."""
    total = np.zeros((len(before), len(before)))
    for each, a, b in zip(attributes, before.T, after.T, strict=True):
        if each.type == "nominal":
            differ = np.mean([[x != y for x in a] for y in a])
            total += 2 / differ * (a[:, None] != b)
        else:
            reference = b if scale == "own" else a
            total += ((a[:, None] - a.mean()) / a.std() - (b - reference.mean()) / reference.std()) ** 2
    return total


def linked(distance):
    """Per cent of the diagonal that is least in its row; ties share."""
    credit = []
    for i, row in enumerate(distance):
        tied = np.isclose(row, row.min(), rtol=1e-9, atol=1e-9)
        credit.append(tied[i] / tied.sum())
    return 100 * np.mean(credit)


class TestDbrl:
    @pytest.mark.parametrize("scale", ["own", "original"])
    @pytest.mark.parametrize("direction", ["original", "protected"])
    @pytest.mark.parametrize("most", [1, 50])
    def test_equals_brute_force(self, scale, direction, most, monkeypatch):
        """By a tree, and by all pairs in blocks of some."""
        monkeypatch.setattr("sdclab.measures.dbrl.MAX_COLUMNS", most)
        monkeypatch.setattr("sdclab.measures.dbrl.BLOCK", 1000)
        original, protected, _ = files()
        shares = []
        for k in (1, 2, 3, 4):
            apart = squares_apart(original[:, :k], protected[:, :k], MIXED.dependent[:k], scale)
            shares.append(linked(apart if direction == "original" else apart.T))
        options = {"scale": scale, "direction": direction}
        assert mixed("dbrl", **options)["dbrl"] == pytest.approx(np.mean(shares))
        assert mixed("dbrl", attributes="all", **options)["dbrl"] == pytest.approx(shares[-1])
        assert 20 < shares[-1] < 95

    def test_two_categories_are_as_far_apart_as_zero_and_one(self):
        rng = np.random.default_rng(0)
        original = np.column_stack([rng.normal(size=100), rng.random(100) < 0.2]).astype(float)
        protected = np.column_stack([original[:, 0] + rng.normal(size=100), rng.permutation(original[:, 1])])
        given = original, protected, original[:, :0], {"scale": "original", "attributes": "all"}
        assert measure("dbrl", *given, Attributes((INCOME, SEX))) == measure("dbrl", *given)

    @pytest.mark.parametrize("most", [1, 50])
    def test_many_ties_are_shared(self, most, monkeypatch):
        """Ten records in each of four categories: a guess is right once in ten, and never if all are mistaken."""
        monkeypatch.setattr("sdclab.measures.dbrl.MAX_COLUMNS", most)
        codes = np.repeat(np.arange(4.0), 10)[:, None]
        found = [measure("dbrl", codes, each, codes[:, :0], {}, Attributes((REGION,))) for each in (codes, codes[::-1])]
        assert found == [{"dbrl": pytest.approx(10)}, {"dbrl": 0}]

    def test_two_originals_are_as_far_apart_on_every_attribute(self):
        """The mean of the squares is 2 for each: no attribute links more because of its type."""
        original, _, _ = files()
        for j, each in enumerate(MIXED.dependent):
            apart = squares_apart(original[:, [j]], original[:, [j]], [each], "original")
            assert apart.mean() == pytest.approx(2)

    def test_a_single_category_tells_nothing(self):
        original, protected, independent = files()
        constant = np.zeros((len(original), 1))
        columns = Attributes((INCOME, REGION))
        found = measure(
            "dbrl",
            np.hstack([original[:, [1]], constant]),
            np.hstack([protected[:, [1]], constant + 1]),
            independent,
            {"attributes": "all"},
            columns,
        )
        assert found == measure("dbrl", original[:, [1]], protected[:, [1]], independent)


class TestPrl:
    def test_equals_brute_force(self):
        """Fellegi-Sunter weights of all pairs, agreement by agreement."""
        original, protected, _ = files()
        n = len(original)

        def bins(column):
            return np.clip(np.floor((column - column.min()) / np.ptp(column) * 10 + 1e-9), 0, 9)

        agree = []
        for each, a, b in zip(MIXED.dependent, original.T, protected.T, strict=True):
            a, b = (bins(a), bins(b)) if each.is_number else (a, b)
            agree.append(np.array([[x == y for y in b] for x in a]))
        weight = np.zeros((n, n))
        for flags in agree:
            m = np.clip(np.diag(flags).mean(), 1e-6, 1 - 1e-6)
            u = np.clip(flags[~np.eye(n, dtype=bool)].mean(), 1e-6, 1 - 1e-6)
            weight += np.where(flags, np.log(m / u), np.log((1 - m) / (1 - u)))
        expected = linked(-weight)
        assert mixed("prl")["prl"] == pytest.approx(expected)
        assert 5 < expected < 95

    @pytest.mark.parametrize("probabilities", ["counted", "em"])
    def test_categories_agree_as_numbers_do_that_have_a_bin_each(self, probabilities):
        codes = np.random.default_rng(1).integers(0, 4, (60, 3)).astype(float)
        codes[:4] = np.arange(4)[:, None]
        released = np.where(np.random.default_rng(2).random(codes.shape) < 0.2, codes[::-1], codes)
        given = codes, released, codes[:, :0], {"probabilities": probabilities}
        assert measure("prl", *given, Attributes((REGION,) * 3)) == measure("prl", *given)

    def test_bins_are_for_numbers(self):
        """Two bins would take four categories for two."""
        given, columns = only([0, 2])
        assert measure("prl", *given, {"bins": 2}, columns) == measure("prl", *given, {"bins": 9}, columns)
        assert measure("prl", *given, {"bins": 2}) != measure("prl", *given, {"bins": 9})

    def test_the_informative_are_those_that_agree_least_by_chance_whatever_their_type(self):
        rng = np.random.default_rng(0)
        codes = np.column_stack([rng.integers(0, 40, (200, 14)), 39 * (rng.random((200, 8)) < 0.05)]).astype(float)
        many = Attribute("place", "nominal", categories=tuple(map(str, range(40))))
        assert prl.informative(codes, columns=Attributes((many,) * 22)).tolist() == list(range(14))


class TestParts:
    def test_dr_is_that_of_its_parts_each_with_the_columns_that_it_compares(self):
        given, found = files(), mixed("dr", prl={"bins": 5}, interval={"window": "rank"})
        assert found["dbrl"] == mixed("dbrl")["dbrl"]
        assert found["prl"] == mixed("prl", bins=5)["prl"]
        (original, protected, independent), _ = only([1, 3])
        assert (
            found["interval"] == measure("interval", original, protected, independent, {"window": "rank"})["interval"]
        )
        assert found["dr"] == pytest.approx(0.25 * found["dbrl"] + 0.25 * found["prl"] + 0.5 * found["interval"])
        assert found != measure("dr", *given, {"prl": {"bins": 5}, "interval": {"window": "rank"}})

    def test_score_is_that_of_pil_of_the_numbers_and_dr(self):
        found = mixed("score", dr={"prl": {"bins": 5}})
        (original, protected, independent), _ = only([1, 3])
        assert found["pil"] == pytest.approx(measure("pil", original, protected, independent)["pil"])
        assert found["dr"] == mixed("dr", prl={"bins": 5})["dr"]
        assert found["score"] == pytest.approx((found["pil"] + found["dr"]) / 2)

    def test_without_numbers_linkage_is_the_risk_and_there_is_no_pil(self):
        given, columns = only([0, 2])
        found = measure("score", *given, {}, columns)
        undefined = {key for key, value in found.items() if np.isnan(value)}
        assert undefined == {*numbers("pil"), *numbers("interval")}
        distance = measure("tables", *given, {}, columns)["tables"]
        assert found["score"] == pytest.approx((distance + found["dr"]) / 2)
        assert found["dr"] == pytest.approx((found["dbrl"] + found["prl"]) / 2)
        assert found.keys() == mixed("score").keys()


class TestCopy:
    def near(self, first, second, percent):
        """Who is near whom on all dependents: numbers within a share of an SD, categories if equal."""
        spread = files()[0].std(axis=0)
        flags = np.ones((len(first), len(second)), dtype=bool)
        for j, each in enumerate(MIXED.dependent):
            apart = np.abs(first[:, [j]] - second[:, j])
            flags &= apart <= (percent / 100 * spread[j] + 1e-9 if each.is_number else 0)
        return flags

    def test_equals_brute_force(self):
        original, _, independent = files()
        rng = np.random.default_rng(3)
        released = original[rng.permutation(len(original))]
        released[:, 1] += rng.uniform(-0.1, 0.1, len(released)) * original[:, 1].std()
        moved = rng.random(len(released)) < 0.3
        released[moved, 0] = (released[moved, 0] + 1) % 4
        found = measure("copy", original, released, independent, {}, MIXED)
        shares = [100 * self.near(original, released, p).any(axis=1).mean() for p in range(1, 11)]
        assert found["copy"] == pytest.approx(np.mean(shares))
        assert (found["copy_1"], found["copy_10"]) == pytest.approx((shares[0], shares[-1]))
        others = [self.near(original, original, p).sum(axis=1) > 1 for p in range(1, 11)]
        assert found["crowding"] == pytest.approx(100 * np.mean(others)) == crowding(original, MIXED)
        assert shares[0] < shares[-1] < 90

    def test_near_codes_are_not_near_categories(self):
        """In SDs of a wide code two neighbours would lie close."""
        many = Attribute("place", "nominal", categories=tuple(map(str, range(1000))))
        codes = np.arange(0, 1000, 2.0)[:, None]
        given = codes, codes + 1, codes[:, :0]
        assert measure("copy", *given, {}, Attributes((many,)))["copy"] == 0
        assert measure("copy", *given)["copy"] > 90
        assert measure("copy", codes, codes[::-1], codes[:, :0], {}, Attributes((many,)))["copy"] == 100


class TestIntact:
    def test_a_category_is_unchanged_if_it_is_the_same(self):
        """One code of 5000, which a number might move by, makes the attribute a changed one."""
        many = Attribute("place", "nominal", categories=tuple(map(str, range(5000))))
        codes = np.arange(5000.0)[:, None]
        released = codes.copy()
        released[7] = 8
        assert intact.compare(codes, released).unchanged == (0,)
        assert intact.compare(codes, released, Attributes((many,))) == intact.Intact(
            (), 4999, (intact.Extremes(0, 0, 0),)
        )
        assert intact.compare(codes, codes, Attributes((many,))).unchanged == (0,)

    def test_by_hand(self):
        """Who is released as it was is equal in both categories, and hardly moved in both numbers."""
        original, protected, independent = files()
        same = (original[:, [0, 2, 3]] == protected[:, [0, 2, 3]]).all(axis=1)
        protected[same.nonzero()[0][:5], 1] = original[same.nonzero()[0][:5], 1]
        assert mixed("intact")["intact_records"] == 0
        found = measure("intact", original, protected, independent, {}, MIXED)
        assert found["intact_records"] == pytest.approx(100 * 5 / len(original))
        protected[:, 2] = original[:, 2]
        assert measure("intact", original, protected, independent, {}, MIXED)["intact"] == 25

    def test_no_category_stands_out(self):
        codes = np.append(np.zeros(99), 3)[:, None]
        assert intact.compare(codes, codes).extremes[0].number == 1
        assert np.isnan(measure("intact", codes, codes, codes[:, :0], {}, Attributes((REGION,)))["intact_extremes"])


class TestXy:
    def loss(self, a, b, released):
        """PIL's loss of one covariance, by its definition."""
        n = len(a)
        deviations = (a - a.mean()) * (b - b.mean())
        change = np.mean((released - released.mean()) * (b - b.mean())) - deviations.mean()
        variance = max(deviations.var() / n, (a.var() * b.var() + deviations.mean() ** 2) / n**2)
        return 2 * norm.cdf(abs(change) / np.sqrt(variance)) - 1

    def test_equals_the_mean_over_pairs_of_the_mean_over_their_indicators(self):
        original, protected, independent = files()

        def columns(each, before, after):
            if each.is_number:
                return [(before, after)]
            return [((before == code).astype(float), (after == code).astype(float)) for code in np.unique(before)]

        pairs = []
        for (i, dependent), (j, beside) in product(enumerate(MIXED.dependent), enumerate(MIXED.independent)):
            x = [first for first, _ in columns(beside, independent[:, j], independent[:, j])]
            y = columns(dependent, original[:, i], protected[:, i])
            pairs.append(np.mean([self.loss(before, b, after) for (before, after), b in product(y, x)]))
        assert mixed("xy")["xy"] == pytest.approx(100 * np.mean(pairs))
        assert len(pairs) == 8

    def test_two_categories_are_zero_and_one(self):
        rng = np.random.default_rng(0)
        y, x = rng.integers(0, 2, (2, 90, 1)).astype(float)
        given = y, rng.permutation(y), x
        assert measure("xy", *given, {}, Attributes((SEX,), (SEX,))) == pytest.approx(measure("xy", *given))


class TestInformationLoss:
    def test_a_nominal_attribute_has_a_taxonomy_of_height_one(self):
        original = np.array([[0, 4, 0], [1, 5, 2], [2, 1, 1], [2, 3, 1.0]])
        protected = np.array([[0, 4.5, 1], [0, 4.5, 1], [2, 2, 1], [2, 2, 1.0]])
        columns = Attributes((REGION, INCOME, GRADE))
        # ranges 4 and 2 ranks: 2 (1 + 1/4 + 2/2) + 2 (0 + 2/4 + 0)
        found = measure("information_loss", original, protected, original[:, :0], {}, columns)
        assert found["information_loss"] == pytest.approx(2 * 2.25 + 2 * 0.5)
        assert found["information_loss_remeasured"] == np.inf  # all have one rank

    def test_and_another_one_if_it_is_given(self):
        original = np.array([[0, 1], [1, 2], [2, 3], [3, 4.0]])
        protected = np.array([[0, 1], [0, 1], [2, 3], [2, 3.0]])
        given = original, protected, original[:, :0]
        tree = {"taxonomies": {1: [[0, 1], [2, 3]]}}
        assert measure("information_loss", *given, tree, Attributes((REGION, INCOME))) == measure(
            "information_loss", *given, tree
        )
        flat = {"taxonomies": {"1": [0, 1, 2, 3]}}
        assert measure("information_loss", *given, {}, Attributes((REGION, INCOME))) == measure(
            "information_loss", *given, flat
        )
