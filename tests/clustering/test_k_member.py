"""k-member clustering, crisp and fuzzy, against brute force, closed forms and the numbers of the Adult file."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from conftest import needs_originals
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from sdclab.base.errors import SdclabError
from sdclab.clustering.fuzzy_k_member import Function, fuzzy_k_member, nearest
from sdclab.clustering.k_member import Normalised, joined, k_member, loss, widths
from sdclab.clustering.taxonomy import Taxonomy
from sdclab.methods import release
from sdclab.numerics.ties import equated, smallest

OCCUPATION = [[1, 2], [3, [4, 5]]]  # office, manual with outdoors below


def naive_width(rows, members, trees):
    """Range or height, attribute by attribute, as a fraction; a tree's height by walking up from every leaf."""
    total = Fraction(0)
    for j in range(rows.shape[1]):
        values = rows[members, j]
        if j in trees:
            total += Fraction(meet(trees[j], {float(v) for v in values}), meet(trees[j], leaves(trees[j])))
        else:
            low, high, least, most = map(Fraction, (values.min(), values.max(), rows[:, j].min(), rows[:, j].max()))
            total += (high - low) / (most - least)
    return total


def leaves(node):
    return {float(node)} if not isinstance(node, list) else set().union(*map(leaves, node))


def height(node):
    return 0 if not isinstance(node, list) else 1 + max(map(height, node))


def meet(node, wanted):
    """The height of the lowest node that holds all wanted leaves."""
    for part in node if isinstance(node, list) else ():
        if wanted <= leaves(part):
            return meet(part, wanted)
    return height(node)


def naive_k_member(rows, k, trees={}):
    """The algorithm as printed, with lists; costs are fractions, so that ties are ties."""
    rest, found, last = list(range(len(rows))), [], 0

    def width(members):
        return naive_width(rows, members, trees)

    while len(rest) >= k:
        seed = max(rest, key=lambda i: (width([last, i]), -i))
        rest.remove(seed)
        cluster = [seed]
        while len(cluster) < k:
            best = min(rest, key=lambda i: (width([*cluster, i]), i))
            rest.remove(best)
            cluster.append(best)
        last = cluster[-1]
        found.append(cluster)
    for i in rest:
        rise = [(len(c) + 1) * width([*c, i]) - len(c) * width(c) for c in found]
        found[rise.index(min(rise))].append(i)
    return found


class TestKMember:
    @settings(max_examples=40)
    @given(st.integers(0, 2**32), st.integers(4, 40), st.integers(1, 3), st.data())
    def test_agrees_with_the_algorithm_as_printed(self, seed, n, p, data):
        k = data.draw(st.integers(2, n))
        rows = np.random.default_rng(seed).integers(0, 8, (n, p)).astype(float)  # many ties
        rows[0], rows[1] = 0, 7  # no constant attribute
        ours = k_member(Normalised.of(rows), k)
        assert [list(map(int, members)) for members in ours] == naive_k_member(rows, k)
        assert sorted(np.concatenate(ours)) == list(range(n))
        assert min(map(len, ours)) >= k

    @pytest.mark.parametrize("k", [2, 3, 7])
    def test_agrees_with_it_on_mixed_attributes(self, rng, k):
        rows = np.column_stack([rng.integers(0, 9, 40), rng.integers(1, 6, 40), rng.random(40)]).astype(float)
        ours = k_member(Normalised.of(rows, {"2": OCCUPATION}), k)
        assert [list(map(int, members)) for members in ours] == naive_k_member(rows, k, {1: OCCUPATION})

    def test_works_on_categories_alone(self, rng):
        rows = rng.integers(1, 6, (30, 2)).astype(float)
        ours = k_member(Normalised.of(rows, {1: OCCUPATION, 2: OCCUPATION}), 4)
        assert [list(map(int, members)) for members in ours] == naive_k_member(rows, 4, {0: OCCUPATION, 1: OCCUPATION})

    def test_does_not_depend_on_units(self, rng):
        rows = rng.integers(0, 30, (200, 3)).astype(float)  # ties that rounding would break
        plain, scaled = (k_member(Normalised.of(x), 5) for x in (rows, rows * [1e-3, 7.3, 1e5] + [5, -1 / 3, 1e4]))
        assert [list(a) for a in plain] == [list(b) for b in scaled]

    def test_is_no_better_than_the_best_pairs_and_no_worse_than_twice_the_file(self, rng):
        rows = rng.random((6, 2))
        records = Normalised.of(rows)
        best = min(
            loss(records, [np.array(pair) for pair in pairs])
            for pairs in combinations(list(combinations(range(6), 2)), 3)
            if len({i for pair in pairs for i in pair}) == 6
        )
        assert best - 1e-12 <= loss(records, k_member(records, 2)) <= loss(records, [np.arange(6)])

    @pytest.mark.parametrize("k", [1, 0, -3, 11])
    def test_refuses_a_k_that_no_cluster_can_have(self, rng, k):
        with pytest.raises(SdclabError, match=f"k is {k} but must lie between 2 and the number of records, 10"):
            k_member(Normalised.of(rng.random((10, 2))), k)

    def test_refuses_a_constant_attribute(self, rng):
        with pytest.raises(SdclabError, match="attribute 2 is constant"):
            Normalised.of(np.column_stack([rng.random(9), np.full(9, 3.0)]))

    def test_leftovers_join_the_cluster_whose_loss_they_raise_least(self):
        records = Normalised(np.array([[0.0], [0.1], [0.5], [1.0], [0.2]]))
        # 0.2 would raise the loss of {0, 0.1} from 0.2 to 0.6, of {0.5, 1} from 1 to 2.4
        assert [list(c) for c in joined(records, [np.array([0, 1]), np.array([2, 3])], np.array([4]))] == [
            [0, 1, 4],
            [2, 3],
        ]


class TestWidths:
    @settings(max_examples=50)
    @given(st.integers(0, 2**32))
    def test_equal_their_definition_attribute_by_attribute(self, seed):
        rng = np.random.default_rng(seed)
        rows = np.column_stack([rng.random(30), rng.integers(1, 6, 30), rng.integers(0, 5, 30)]).astype(float)
        rows[:2, 2] = 0, 4
        records = Normalised.of(rows, {"2": OCCUPATION})
        clusters = np.split(rng.permutation(30), np.sort(rng.choice(np.arange(1, 30), 5, replace=False)))
        expected = [float(naive_width(rows, members, {1: OCCUPATION})) for members in clusters]
        np.testing.assert_allclose(widths(records, clusters), expected, atol=1e-12)
        assert loss(records, clusters) == pytest.approx(np.dot(expected, [len(c) for c in clusters]))
        with_each = records.widths_with(records.only(clusters[0]))
        expected = [float(naive_width(rows, [*clusters[0], i], {1: OCCUPATION})) for i in range(30)]
        np.testing.assert_allclose(with_each, expected, atol=1e-12)

    def test_of_two_records_is_their_l1_distance(self, rng):
        points = rng.random((20, 4))
        records = Normalised(points)
        np.testing.assert_allclose(records.widths_with(records.only([3])), cdist(points[[3]], points, "cityblock")[0])


class TestTaxonomy:
    def test_heights_of_a_tree_drawn_by_hand(self):
        tree = Taxonomy(OCCUPATION)
        assert tree.height == 3
        sets = {(1,): 0, (4, 5): 1, (1, 2): 1, (3, 4): 2, (3, 4, 5): 2, (2, 3): 3, (1, 2, 3, 4, 5): 3}
        present = np.array([np.isin([1, 2, 3, 4, 5], members) for members in sets])
        np.testing.assert_allclose(tree.heights(present), np.array(list(sets.values())) / 3)

    def test_of_height_one_tells_only_same_from_different(self):
        tree = Taxonomy([10, 20, 30])
        np.testing.assert_array_equal(tree.heights_with_each(np.array([False, True, False])), [1, 0, 1])

    @pytest.mark.parametrize(
        ("tree", "message"),
        [
            (7, "must be a list of categories"),
            ([1, []], "that is not empty"),
            ([1, "two"], "a node must be a code or a list"),
            ([[1, 2], [2]], "a category stands in the taxonomy twice"),
            ([1, 2], r"attribute 1: 1 records have a category that is missing from the taxonomy"),
        ],
    )
    def test_what_is_wrong_with_it_is_said_in_one_sentence(self, tree, message):
        with pytest.raises(SdclabError, match=message) as refused:
            Normalised.of(np.array([[1.0, 0.0], [2.0, 1.0], [3.0, 2.0]]), {"1": tree})
        assert "3" not in str(refused.value)  # the category itself may be confidential

    @pytest.mark.parametrize("place", ["0", "3", "age"])
    def test_of_an_unknown_attribute_is_refused(self, place):
        with pytest.raises(SdclabError, match=f"attribute {place} is unknown; allowed are 1 to 2"):
            Normalised.of(np.eye(2), {place: [0, 1]})


def as_sets(neighbours):
    return [set(map(int, row)) for row in neighbours]


class TestNearest:
    def test_agrees_with_brute_force(self, rng):
        points = rng.random((200, 3))
        finder = NearestNeighbors(n_neighbors=6, metric="manhattan", algorithm="brute").fit(points)
        theirs, who = finder.kneighbors()
        neighbours, distances = nearest(Normalised(points), 6)
        assert as_sets(neighbours) == as_sets(who)
        np.testing.assert_allclose(distances.max(axis=1), theirs[:, -1])

    @settings(max_examples=40)
    @given(st.integers(0, 2**32), st.integers(2, 40), st.data())
    def test_ties_go_by_position(self, seed, n, data):
        count = data.draw(st.integers(1, n - 1))
        points = np.random.default_rng(seed).integers(0, 4, (n, 2)) / 3  # many copies, many ties
        neighbours, distances = nearest(Normalised(points), count)
        for i in range(n):
            far = equated(np.abs(points - points[i]).sum(axis=1))
            others = sorted((far[j], j) for j in range(n) if j != i)[:count]
            assert set(map(int, neighbours[i])) == {j for _, j in others}
            assert far[neighbours[i, -1]] == others[-1][0]
            np.testing.assert_allclose(distances[i], np.abs(points[neighbours[i]] - points[i]).sum(axis=1), atol=1e-12)

    def test_smallest_of_none_is_none(self):
        assert len(smallest(np.ones(3), 0)) == 0


FUNCTIONS = ["exponential", "bell", "triangular"]


def own_by_hand(points, k, f):
    """The loss and every record's clusters on the reading `own`, one record at a time, for points without ties."""

    def far(i, j):
        return np.abs(points[i] - points[j]).sum()

    def wide(cluster):
        return np.ptp(points[list(cluster)], axis=0).sum()

    left, last, clusters = dict.fromkeys(range(len(points)), 1.0), 0, []
    while len(left) >= k:
        core = max(left, key=lambda i: far(i, last))
        near = sorted(set(left) - {core}, key=lambda i: far(i, core))[: k - 1]
        cluster = {core: left.pop(core)}
        for i in near:
            rest = left[i] * (1 - f(far(i, core)))
            cluster[i] = left[i] if rest <= 0.01 else left[i] - rest
            left[i] -= cluster[i]
            if not left[i]:
                del left[i]
        clusters.append(cluster)
        last = near[-1]
    for i in sorted(left):
        before = [sum(each.values()) * wide(each) for each in clusters]
        after = [(sum(each.values()) + left[i]) * wide({*each, i}) for each in clusters]
        rises = np.subtract(after, before)
        best = clusters[int(np.argmax(rises <= rises.min() + 1e-9))]  # clusters of one box are equally good
        best[i] = best.get(i, 0) + left[i]
    return sum(sum(each.values()) * wide(each) for each in clusters), clusters


class TestFuzzy:
    @pytest.mark.parametrize(
        ("name", "value"), [("exponential", np.exp(-0.5)), ("bell", np.exp(-0.125)), ("triangular", 0.5)]
    )
    def test_functions_are_those_of_equations_1_to_3(self, name, value):
        """At d = 0.25: exp(-d / 0.5), exp(-d² / 0.5), 1 - d / 0.5."""
        at = Function(name, 0.5)(np.array([0.25, 0.0, 2.0]))
        assert at[0] == pytest.approx(value)
        assert at[1] == 1
        assert at[2] == pytest.approx({"exponential": np.exp(-4), "bell": np.exp(-8), "triangular": 0}[name])

    @settings(max_examples=60)
    @given(st.integers(0, 2**32), st.integers(3, 50), st.sampled_from(FUNCTIONS), st.floats(0.01, 5), st.data())
    def test_every_record_gives_away_exactly_one(self, seed, n, name, reach, data):
        k = data.draw(st.integers(2, n))
        points = np.random.default_rng(seed).integers(0, 6, (n, 2)) / 5
        found = fuzzy_k_member(Normalised(points), k, Function(name, reach))
        assert found.memberships.min() >= 0
        given_away = np.bincount(found.members.ravel(), found.memberships.ravel(), minlength=n)
        np.testing.assert_allclose(given_away, 1, atol=1e-12)
        assert (found.memberships[:, 0] > 0).all()  # a core has something left
        assert all(len(set(row)) == k for row in found.members.tolist())

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_without_reach_every_record_is_a_core_by_itself(self, rng, name):
        """sigma -> 0: the loss is the sum over the records of the width of each with its k - 1 nearest."""
        points = rng.random((150, 3))
        records = Normalised.of(points)
        finder = NearestNeighbors(n_neighbors=4, metric="manhattan", algorithm="brute").fit(records.points)
        own = [np.ptp(records.points[row], axis=0).sum() for row in finder.kneighbors(records.points)[1]]
        found = fuzzy_k_member(records, 4, Function(name, 1e-9))
        assert found.loss(records) == pytest.approx(sum(own))
        np.testing.assert_array_equal(found.memberships[:, 1:], 0)

    @pytest.mark.parametrize("name", FUNCTIONS)
    @pytest.mark.parametrize("k", [2, 5])
    def test_with_endless_reach_a_cluster_takes_all_that_its_neighbours_have(self, rng, name, k):
        """sigma -> infinity: crisp clusters of those of the core's k nearest that are still there, as wide as all k."""
        points = Normalised.of(rng.random((120, 2))).points
        rest, last, expected = set(range(120)), 0, 0.0
        while rest:
            core = max(rest, key=lambda i: (np.abs(points[i] - points[last]).sum(), -i))
            near = np.argsort(np.abs(points - points[core]).sum(axis=1), kind="stable")[:k]
            expected += len(rest & set(near.tolist())) * np.ptp(points[near], axis=0).sum()
            rest -= set(near.tolist())
            last = near[-1]
        found = fuzzy_k_member(Normalised(points), k, Function(name, 1e9))
        assert found.loss(Normalised(points)) == pytest.approx(expected)
        assert set(np.unique(found.memberships)) <= {0.0, 1.0}

    @settings(max_examples=40)
    @given(st.integers(0, 2**32), st.integers(3, 40), st.floats(0.02, 3), st.data())
    def test_own_is_what_one_finds_by_hand(self, seed, n, reach, data):
        k = data.draw(st.integers(2, n))
        points = np.random.default_rng(seed).random((n, 3))
        found = fuzzy_k_member(Normalised(points), k, Function("exponential", reach), reading="own")
        loss, clusters = own_by_hand(points, k, lambda d: np.exp(-d / reach))
        assert found.loss(Normalised(points)) == pytest.approx(loss)
        for members, memberships, expected in zip(found.members, found.memberships, clusters, strict=True):
            assert set(members.tolist()) == set(expected)
            gave = np.bincount(members, memberships, n)[list(expected)]
            np.testing.assert_allclose(gave, list(expected.values()), atol=1e-12)

    @settings(max_examples=40)
    @given(st.integers(0, 2**32), st.integers(3, 50), st.sampled_from(FUNCTIONS), st.floats(0.01, 5), st.data())
    def test_own_takes_from_those_who_have_something_until_nobody_has(self, seed, n, name, reach, data):
        k = data.draw(st.integers(2, n))
        points = np.random.default_rng(seed).integers(0, 6, (n, 2)) / 5  # many ties
        found = fuzzy_k_member(Normalised(points), k, Function(name, reach), reading="own")
        given_away = np.bincount(found.members.ravel(), found.memberships.ravel(), minlength=n)
        np.testing.assert_allclose(given_away, 1, atol=1e-12)
        assert all(len(set(row)) >= k for row in found.members.tolist())
        cores = found.members[:, 0].tolist()
        for i, row in enumerate(found.members[:, 1:k].tolist()):  # a core has nothing left for later clusters
            assert not set(cores[: i + 1]) & set(row)

    @pytest.mark.parametrize("k", [2, 7])
    def test_own_with_endless_reach_is_a_partition(self, rng, k):
        """k to a cluster, and those who are left over join one: 121 records leave one and two."""
        points = rng.random((121, 2))
        found = fuzzy_k_member(Normalised(points), k, Function("exponential", 1e9), reading="own")
        sizes = found.memberships.sum(axis=1)
        assert len(sizes) == 121 // k
        assert sizes.min() == k
        assert sizes.sum() == 121
        assert set(np.unique(found.memberships)) == {0.0, 1.0}
        expected = [
            points[row[gave > 0]].mean(axis=0) for row, gave in zip(found.members, found.memberships, strict=True)
        ]
        np.testing.assert_allclose(found.centres(points), expected)
        width = [
            np.ptp(points[row[gave > 0]], axis=0).sum()
            for row, gave in zip(found.members, found.memberships, strict=True)
        ]
        assert found.loss(Normalised(points)) == pytest.approx(sizes @ width)

    def test_own_in_blocks_is_own_in_each_of_them(self, rng):
        """Two groups far apart, of which one leaves a record over and one does not."""
        points = np.vstack([rng.random((21, 2)), 100 + rng.random((22, 2))])
        whole = fuzzy_k_member(Normalised(points), 2, Function("bell", 0.1), block=22, reading="own")
        parts = [
            fuzzy_k_member(Normalised(part), 2, Function("bell", 0.1), reading="own")
            for part in (points[:21], points[21:])
        ]
        losses = [each.loss(Normalised(part)) for each, part in zip(parts, (points[:21], points[21:]), strict=True)]
        assert whole.loss(Normalised(points)) == pytest.approx(sum(losses))
        np.testing.assert_allclose(np.bincount(whole.members.ravel(), whole.memberships.ravel()), 1)

    @pytest.mark.parametrize("k", [2, 6])
    def test_counted_has_the_shared_clusters_and_k_for_their_sizes(self, rng, k):
        records = Normalised.of(rng.random((90, 3)))
        shared, counted = (
            fuzzy_k_member(records, k, Function("exponential", 0.3), reading=reading)
            for reading in ("shared", "counted")
        )
        np.testing.assert_array_equal(counted.members, shared.members)
        np.testing.assert_array_equal(counted.memberships, shared.memberships)
        wide = sum(np.ptp(records.points[row], axis=0).sum() for row in counted.members)
        assert counted.loss(records) == pytest.approx(k * wide)
        assert counted.loss(records) > shared.loss(records)

    def test_weighted_centres_keep_the_means(self, rng):
        points = rng.random((80, 3))
        found = fuzzy_k_member(Normalised(points), 5, Function("exponential", 0.3))
        weighted = found.weighted(found.centres(points))
        np.testing.assert_allclose(weighted.mean(axis=0), points.mean(axis=0), atol=1e-12)

    def test_largest_membership_and_centres_by_hand(self, rng):
        points = rng.random((60, 2))
        found = fuzzy_k_member(Normalised(points), 4, Function("bell", 0.05))
        table = np.zeros((len(found.members), 60))
        for row, members, how_much in zip(table, found.members, found.memberships, strict=True):
            row[members] = how_much
        np.testing.assert_array_equal(found.largest(), table.argmax(axis=0))
        np.testing.assert_allclose(found.centres(points), table @ points / table.sum(axis=1, keepdims=True))

    @pytest.mark.parametrize(("name", "parameter"), [("bell", "sigma"), ("triangular", "alpha")])
    @pytest.mark.parametrize("reach", [0.0, -1.0, float("nan")])
    def test_a_reach_that_is_not_positive_is_refused(self, name, parameter, reach):
        with pytest.raises(SdclabError, match=f"{parameter} is {reach} but must be positive"):
            Function(name, reach)


@pytest.fixture(scope="module")
def records(dataset):
    return Normalised.of(dataset("adult").values)


@pytest.mark.slow
@needs_originals
class TestAdult:
    """The first 10,000 records of the original; the values are those of another implementation, with its own ties."""

    @pytest.mark.parametrize(
        ("k", "value"), [(2, 558.6), (3, 1012.1), (5, 1728.6), (10, 2996.6), (20, 4784.7), (50, 8012.0), (100, 10990.3)]
    )
    def test_crisp_loss(self, records, k, value):
        clusters = k_member(records, k)
        assert loss(records, clusters) == pytest.approx(value, rel=0.01)
        assert min(map(len, clusters)) >= k

    def test_the_floor_is_the_sum_of_nearest_neighbour_distances(self, records):
        _, distances = nearest(records, 1)
        assert distances.sum() == pytest.approx(390.5, abs=0.05)
        assert loss(records, k_member(records, 2)) > distances.sum()
        without_reach = fuzzy_k_member(records, 2, Function("exponential", 1e-9))
        assert without_reach.loss(records) == pytest.approx(distances.sum())

    @pytest.mark.parametrize(("name", "value"), [("exponential", 435.3), ("bell", 457.4), ("triangular", 423.9)])
    def test_fuzzy_loss_at_the_fitted_reach(self, records, name, value):
        found = fuzzy_k_member(records, 2, Function(name, 0.185))
        assert found.loss(records) == pytest.approx(value, abs=0.1)

    def test_more_than_a_third_of_the_records_are_released_alone(self, records):
        labels = fuzzy_k_member(records, 2, Function("exponential", 0.185)).largest()
        assert np.sum(np.bincount(labels)[labels] < 2) == pytest.approx(3628, abs=5)

    @pytest.mark.parametrize("seed", [1, 2])
    def test_the_hybrid_loses_less_only_by_longer_ranges(self, records, dataset, seed):
        values = dataset("adult").values
        hybrid = release("fuzzy_hybrid", values, values[:, :0], np.random.default_rng(seed), {"k": 2}).facts
        plain = fuzzy_k_member(records, 2, Function("exponential", 0.185)).loss(records)
        assert hybrid["cluster_loss_remeasured"] < plain < hybrid["cluster_loss"]
