"""Methods on attributes of every type: against definitions by pairs of records, and what each of them keeps."""

import numpy as np
import pytest

from sdclab.clustering.classes import classes
from sdclab.clustering.k_member import Normalised, k_member
from sdclab.clustering.mixed import Mixed
from sdclab.methods import mdav, release
from sdclab.microdata.attribute import Attribute, Attributes

AREA = Attribute("area", "nominal", categories=("city", "coast", "hills", "plain"))
CLASS = Attribute("class", "ordinal", categories=("low", "middle", "high"))
COLUMNS = Attributes((Attribute("income"), AREA, CLASS, Attribute("visits", "count")))
METHODS = ("mdav", "hybrid_micro", "k_member", "fdm")


@pytest.fixture
def records(rng):
    """Attributes that depend on each other, so that clusters are more than chance."""
    area = rng.choice(4, 150, p=[0.5, 0.3, 0.15, 0.05])
    income = rng.gamma(2, 10 + 20 * area)
    level = np.digitize(income + rng.normal(0, 20, 150), [30, 90])
    return np.column_stack([income, area, level, rng.poisson(1 + area)]).astype(float)


def made(method, records, columns=COLUMNS, **parameters):
    return release(method, records, records[:, :0], np.random.default_rng(3), {"k": 5, **parameters}, columns)


def squared_distances(records):
    """By pairs: numbers and ranks in units of SDs; of two areas that differ 1, over half its mean over all pairs."""
    total = np.zeros((len(records), len(records)))
    for j, each in enumerate(COLUMNS.dependent):
        if each.type == "nominal":
            apart = (records[:, None, j] != records[:, j]).astype(float)
            total += apart / (apart.mean() / 2)
        else:
            total += ((records[:, None, j] - records[:, j]) / records[:, j].std()) ** 2
    return total


def mdav_by_pairs(apart, k):
    """MDAV that knows nothing but how far records lie apart. From the mean of some records the farthest is the one
    whose squared distances from all of them have the largest sum.
    """
    rest, found = list(range(len(apart))), []

    def take(centre):
        chosen = sorted(rest, key=lambda i: (round(apart[centre, i], 9), i))[:k]
        for i in chosen:
            rest.remove(i)
        return set(chosen)

    def farthest(far):
        return max(rest, key=lambda i: (round(far[i], 9), -i))

    while len(rest) >= 2 * k:
        first = farthest(apart[:, rest].sum(axis=1))
        second = farthest(apart[first])
        pair = len(rest) >= 3 * k
        found.append(take(first))
        found += [take(second)] if pair else []
    return [*found, set(rest)] if rest else found


class TestEveryMethod:
    @pytest.mark.parametrize("method", [*METHODS, "permute"])
    def test_numbers_with_types_are_released_as_they_were_without(self, method, records):
        numbers = records[:, [0, 3]]
        typed = Attributes((COLUMNS.dependent[0], COLUMNS.dependent[3]))
        parameters = {} if method == "permute" else {"k": 5}
        plain, ours = (
            release(method, numbers, numbers[:, :0], np.random.default_rng(1), parameters, about)
            for about in (None, typed)
        )
        assert plain.values.tobytes() == ours.values.tobytes()
        assert plain.facts == ours.facts

    @pytest.mark.parametrize("method", METHODS)
    def test_the_order_of_attributes_makes_no_difference(self, method, records):
        """But for the draws: of hybrid_micro what every cluster keeps is looked at below."""
        order = [2, 0, 3, 1]
        turned = Attributes(tuple(COLUMNS.dependent[j] for j in order))
        ours, theirs = made(method, records).values[:, order], made(method, records[:, order], turned).values
        if method == "hybrid_micro":
            ours, theirs = (np.cov(each.T) * np.eye(4) for each in (ours, theirs))
        np.testing.assert_allclose(ours, theirs)

    @pytest.mark.parametrize("method", METHODS)
    def test_a_tree_brings_areas_together_that_are_near_in_it(self, method, records):
        areas = records[:, [1]]
        tree = {"area": [["city", "coast"], ["hills", "plain"]]}
        values = made(method, areas, Attributes((AREA,)), taxonomies=tree, k=40).values[:, 0]
        flat = made(method, areas, Attributes((AREA,)), k=40).values[:, 0]
        crossed = [np.mean((each // 2) != (areas[:, 0] // 2)) for each in (values, flat)]
        assert crossed[0] <= crossed[1]
        assert set(values) <= set(range(4))

    @pytest.mark.parametrize("method", METHODS)
    def test_blocks_hold_categories_too(self, method, records):
        """One block is the whole file; in smaller ones every class still has k records, and codes are codes."""
        whole, one, small = (made(method, records, **given).values for given in ({}, {"block": 150}, {"block": 20}))
        assert np.array_equal(whole, one)
        assert not any(
            each.outside(small[:, j]).any() for j, each in enumerate(COLUMNS.dependent) if not each.is_number
        )
        assert method not in ("mdav", "k_member") or min(map(len, classes(small))) >= 5


class TestMdav:
    @pytest.mark.parametrize("k", [2, 3, 7, 40])
    def test_agrees_with_the_algorithm_by_pairs(self, records, k):
        ours = mdav.clusters(records, k, None, Mixed.of(4, COLUMNS))
        assert [set(map(int, members)) for members in ours] == mdav_by_pairs(squared_distances(records), k)

    def test_releases_means_modes_and_medians(self, records):
        values = made("mdav", records).values
        for members in mdav.clusters(records, 5, None, Mixed.of(4, COLUMNS)):
            np.testing.assert_allclose(
                values[members][:, [0, 3]], [records[members][:, [0, 3]].mean(axis=0)] * len(members)
            )
            counts = np.bincount(records[members, 1].astype(int))
            assert (values[members, 1] == counts.argmax()).all()
            assert (values[members, 2] == np.sort(records[members, 2])[(len(members) - 1) // 2]).all()
        assert min(map(len, classes(values))) >= 5

    def test_clusters_have_fewer_areas_than_those_of_numbers(self, records):
        """What the distance is for."""
        mixed, numbers = (
            sum(len(np.unique(records[members, 1])) for members in clusters)
            for clusters in (
                mdav.clusters(records, 5, None, Mixed.of(4, COLUMNS)),
                mdav.clusters(records[:, [0, 3]], 5),
            )
        )
        assert mixed < 0.8 * numbers


class TestHybridMicro:
    def test_keeps_frequencies_and_moments_inside_every_cluster(self, records):
        values = made("hybrid_micro", records, k=12).values
        clusters = mdav.clusters(records, 12, None, Mixed.of(4, COLUMNS))
        for members in clusters:
            for j in (1, 2):
                assert sorted(values[members, j]) == sorted(records[members, j])
            a, b = records[members][:, [0, 3]], values[members][:, [0, 3]]
            np.testing.assert_allclose(b.mean(axis=0), a.mean(axis=0))
            np.testing.assert_allclose(np.cov(b.T), np.cov(a.T), atol=1e-9)

    def test_categories_change_hands_each_attribute_by_itself(self, records):
        values = made("hybrid_micro", records, k=60).values
        assert (values[:, 1] != records[:, 1]).mean() > 0.1
        members = mdav.clusters(records, 60, None, Mixed.of(4, COLUMNS))[0]
        pairs = [sorted(map(tuple, each[members][:, [1, 2]].tolist())) for each in (records, values)]
        assert pairs[0] != pairs[1]

    def test_categories_alone_are_permuted(self, records):
        codes = records[:, [1, 2]]
        values = made("hybrid_micro", codes, Attributes((AREA, CLASS))).values
        assert all(sorted(a) == sorted(b) for a, b in zip(values.T, codes.T, strict=True))


class TestKMember:
    def test_without_a_tree_any_two_categories_are_as_far_apart(self, records):
        """Byun et al.: a taxonomy of height one. Ranks are numbers, but of them a median is released."""
        ours = made("k_member", records)
        flat = made("k_member", records, None, taxonomies={"2": [0, 1, 2, 3]})
        assert ours.facts["cluster_loss"] == flat.facts["cluster_loss"]
        np.testing.assert_array_equal(ours.values[:, [0, 1, 3]], flat.values[:, [0, 1, 3]])
        for members in k_member(Normalised.of(records, {}, COLUMNS), 5):
            assert (ours.values[members, 2] == np.sort(records[members, 2])[(len(members) - 1) // 2]).all()
        assert ours.facts["below_k"] == 0

    def test_the_loss_is_that_of_equation_5_by_hand(self):
        rows = np.array([[0, 0, 0], [1, 0, 1], [9, 2, 2], [10, 3, 2.0]])
        typed = Attributes((Attribute("income"), AREA, CLASS))
        found = made("k_member", rows, typed, k=2)
        # two and two: ranges 1/10 each, areas 0 and 1, ranks 1/2 and 0
        assert found.facts["cluster_loss"] == pytest.approx(2 * (0.1 + 0 + 0.5) + 2 * (0.1 + 1 + 0))
        assert found.values.tolist() == [[0.5, 0, 0], [0.5, 0, 0], [9.5, 2, 2], [9.5, 2, 2]]


class TestFdm:
    @pytest.mark.parametrize("released", ["largest", "weighted"])
    def test_strict_keeps_k_anonymity(self, records, released):
        found = made("fdm", records, released=released, strict=True, sigma=1.0)
        assert found.facts["smallest_class"] >= 5
        assert found.facts["below_k"] == 0

    def test_without_reach_every_record_is_its_own_centre(self, records):
        distinct = np.unique(records, axis=0)
        np.testing.assert_allclose(made("fdm", distinct, sigma=1e-9).values, distinct)

    def test_categories_lie_far_beyond_the_default_reach(self, records):
        assert (made("fdm", records).values[:, 1] == records[:, 1]).mean() > 0.95

    def test_with_endless_reach_neighbours_share_a_centre(self, records):
        values = made("fdm", records, sigma=1e9).values
        assert len(np.unique(values, axis=0)) < len(records) / 2


def test_permute_moves_whole_records_of_any_type(records, rng):
    values = release("permute", records, records[:, :0], rng, {}, COLUMNS).values
    assert sorted(map(tuple, values)) == sorted(map(tuple, records))
    assert (values != records).any(axis=1).mean() > 0.9
