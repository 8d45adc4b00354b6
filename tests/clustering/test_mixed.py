"""Mixed distances and centres against definitions by hand."""

from statistics import median_low

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_k_member import height, leaves, meet

from sdclab.base.errors import SdclabError
from sdclab.clustering.fuzzy_k_member import FuzzyClusters, nearest
from sdclab.clustering.k_member import Normalised
from sdclab.clustering.mixed import Mixed
from sdclab.clustering.taxonomy import Taxonomy, placed
from sdclab.methods import mdav
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.tree import Node, tree_of
from sdclab.numerics.ties import smallest

COLOUR = Attribute("colour", "nominal", categories=("blue", "green", "red"))
SCHOOL = Attribute("school", "ordinal", categories=("none", "some", "much", "all"))
BOTH = Attributes((Attribute("income"), COLOUR, SCHOOL))
TREES = [[0, 1], [0, [1, 2]], [[0, 1], [2, [3, 4]]], [[[0]], 1, [2, 3]], [[0, [1, [2]]], [[3, 4, 5]]]]


def mixed_records(rng, n=60):
    return np.column_stack([rng.normal(100, 20, n), rng.integers(0, 3, n), rng.integers(0, 4, n)]).astype(float)


class TestTaxonomy:
    @pytest.mark.parametrize("tree", TREES, ids=str)
    def test_squared_distances_of_its_coordinates_are_the_heights_at_which_leaves_meet(self, tree):
        points = Taxonomy(tree).coordinates()
        codes = sorted(leaves(tree))
        for a, first in zip(codes, points, strict=True):
            for b, second in zip(codes, points, strict=True):
                expected = 0 if a == b else meet(tree, {a, b}) / height(tree)
                assert ((first - second) ** 2).sum() == pytest.approx(expected, abs=1e-12)

    @pytest.mark.parametrize("tree", TREES, ids=str)
    def test_a_set_of_leaves_meets_with_another_where_all_of_them_do(self, tree):
        taxonomy, codes = Taxonomy(tree), sorted(leaves(tree))
        for number in range(1, 2 ** len(codes)):
            present = np.array([bool(number >> j & 1) for j in range(len(codes))])
            chosen = {code for code, here in zip(codes, present, strict=True) if here}
            expected = [meet(tree, chosen | {code}) / height(tree) if chosen != {code} else 0 for code in codes]
            np.testing.assert_allclose(taxonomy.heights_with_each(present), expected)

    def test_leaves_may_be_names_and_attributes_too(self):
        by_name = placed(3, {"colour": [["blue", "red"], "green"]}, BOTH)[1]
        by_position = placed(3, {2: [["blue", "red"], "green"]}, BOTH)[1]
        assert by_name.codes.tolist() == by_position.codes.tolist() == [0, 1, 2]
        assert by_name.heights_with_each(np.array([True, False, False])).tolist() == [0, 1, 0.5]

    def test_a_nominal_attribute_has_a_flat_one(self):
        assert list(placed(3, {}, BOTH)) == [1]
        assert placed(3, {}, BOTH)[1].heights_with_each(np.array([True, False, False])).tolist() == [0, 1, 1]

    @pytest.mark.parametrize(
        ("taxonomies", "message"),
        [
            ({"colour": ["blue", "grey"]}, "taxonomies: attribute colour: grey is none of its 3 categories"),
            ({"color": ["blue", "red"]}, "taxonomies: attribute color is unknown"),
            (
                {"4": ["blue", "red"]},
                "taxonomies: attribute 4 is unknown; allowed are 1 to 3, or income, colour, school",
            ),
            ({"income": ["low", "high"]}, "taxonomies: attribute income: a node must be a code or a list"),
        ],
    )
    def test_what_is_wrong_is_said_in_one_sentence(self, taxonomies, message):
        with pytest.raises(SdclabError, match=message):
            placed(3, taxonomies, BOTH)


@st.composite
def trees_with_groups(draw):
    """A tree over 0, 1, 2..., and some groups of its codes."""
    shape = draw(st.recursive(st.just(0), lambda node: st.lists(node, min_size=1, max_size=3), max_leaves=9))
    counter = iter(range(99))

    def numbered(node):
        return [numbered(part) for part in node] if isinstance(node, list) else next(counter)

    tree = numbered(shape if isinstance(shape, list) else [shape])
    size = len(leaves(tree))
    groups = draw(st.lists(st.lists(st.integers(0, size - 1), min_size=1, max_size=5), min_size=1, max_size=6))
    return tree, size, groups


def lowest(node, wanted):
    """The labels from the root down to the lowest node above all wanted labels, by walking down the tree."""
    for part in node.below:
        if wanted <= {each.label for each in part.walk()}:
            return lowest(part, wanted)
    return node


class TestGeneralised:
    @given(trees_with_groups())
    def test_is_the_lowest_common_ancestor(self, drawn):
        tree, size, groups = drawn
        root = tree_of(tree, "drawn")
        unique = {id(node): f"node {number}" for number, node in enumerate(root.walk())}

        def renamed(node):
            return Node(unique[id(node)] if node.below else node.label, tuple(map(renamed, node.below)))

        root = renamed(root)
        names = (*map(str, range(size)), *root.inner)
        taxonomy = Taxonomy(root, "drawn", names)
        assert taxonomy.can_generalise
        codes = np.concatenate(groups).astype(float)
        which = np.repeat(np.arange(len(groups)), list(map(len, groups)))
        ours = taxonomy.generalised(codes, which)
        assert [names[int(code)] for code in ours] == [lowest(root, set(map(str, group))).label for group in groups]
        # and of the nodes that came out, all together and with themselves
        again = taxonomy.generalised(ours, np.zeros(len(ours), dtype=int))
        assert names[int(again[0])] == lowest(root, {names[int(code)] for code in ours}).label
        assert taxonomy.generalised(ours, np.arange(len(ours))).tolist() == ours.tolist()

    def test_as_high_as_its_loss_says(self, rng):
        """The height of the label that a cluster is released with is the cluster's term in equation 5."""
        codes = rng.integers(0, 5, 60)
        clusters = np.split(rng.permutation(60), 12)
        tree = tree_of([["0", "1"], ["2", ["3", "4"]]], "t")
        names = (*"01234", *tree.inner)
        taxonomy = Taxonomy(tree, "t", names)
        groups = np.repeat(np.arange(12), 5)
        labels = taxonomy.generalised(codes[np.concatenate(clusters)].astype(float), groups)
        heights = {node.label: node.height for node in tree.walk()}
        present = np.array([np.isin(np.arange(5), codes[members]) for members in clusters])
        np.testing.assert_allclose([heights[names[int(code)]] / 3 for code in labels], taxonomy.heights(present))

    def test_centres_by_hand(self):
        tree = tree_of([{"cold": ["blue", "green"]}, "red"], "colour")
        colour = Attribute("colour", "nominal", categories=("blue", "green", "red", "cold", "*"), taxonomy=tree)
        columns = Attributes((Attribute("income"), colour, SCHOOL))
        mixed = Mixed.of(3, columns, {}, "generalised")
        records = np.array([[1, 0, 0], [3, 1, 1], [5, 1, 3], [7, 2, 3], [0, 1, 2], [2, 1, 3.0]])
        values = mixed.at_centres(records, [np.array([0, 1]), np.array([2, 3]), np.array([4, 5])])
        # ordered categories have no tree here, and the lower one of two stands for both
        assert values.tolist() == [[2, 3, 0]] * 2 + [[6, 4, 3]] * 2 + [[1, 1, 2]] * 2
        clusters = FuzzyClusters(np.array([[0, 1, 2], [3, 2, 4]]), np.array([[1, 1, 0.3], [1, 0.7, 0.0]]))
        assert clusters.centres(records, mixed)[:, 1].tolist() == [3, 4]
        # the third gave to both and so is any; the last gave nothing to the second, and must give elsewhere
        more = FuzzyClusters(
            np.array([[0, 1, 2], [3, 2, 4], [4, 5, 1]]), np.array([[1, 1, 0.3], [1, 0.7, 0], [1, 1, 0]])
        )
        assert more.weighted(more.centres(records, mixed), mixed)[:, 1].tolist() == [3, 3, 4, 4, 1, 1]


class TestPoints:
    def test_every_attribute_has_variance_1_and_categories_lie_equally_far_apart(self, rng):
        records = mixed_records(rng)
        for j, each in enumerate(BOTH.dependent):
            points = Mixed.of(1, Attributes((each,))).points(records[:, [j]])
            assert points.var(axis=0).sum() == pytest.approx(1)
        points = Mixed.of(1, Attributes((COLOUR,))).points(np.array([[0.0], [1], [2], [2]]))
        apart = ((points[:, None] - points) ** 2).sum(axis=2)
        # by hand: half the mean squared distance of two records is 1/2 · 10/16 if colours lie 1 apart
        np.testing.assert_allclose(apart, (1 - np.eye(4)) * 16 / 5 * (np.array([0, 1, 2, 2])[:, None] != [0, 1, 2, 2]))

    def test_numbers_alone_are_standardised_as_they_were(self, rng):
        records = rng.normal(5, 2, (50, 3))
        numbers = Attributes(tuple(map(Attribute, "abc")))
        assert np.array_equal(Mixed.of(3, numbers).points(records), Mixed().points(records))

    @pytest.mark.parametrize("k", [2, 3, 8])
    def test_two_categories_count_as_zeros_and_ones_do(self, rng, k):
        records = np.column_stack([rng.normal(0, 1, (90, 2)), rng.random(90) < 0.3])
        flag = Attribute("flag", "nominal", categories=("no", "yes"))
        mixed = Mixed.of(3, Attributes((Attribute("a"), Attribute("b"), flag)))
        for ours, theirs in zip(mdav.clusters(records, k, None, mixed), mdav.clusters(records, k), strict=True):
            assert ours.tolist() == theirs.tolist()

    def test_a_constant_category_is_no_obstacle(self):
        assert not Mixed.of(1, Attributes((COLOUR,))).points(np.ones((5, 1))).any()


class TestCentres:
    def test_by_hand(self):
        records = np.array([[1, 2, 0], [3, 1, 1], [5, 1, 3], [7, 2, 3], [0, 0, 2], [2, 2, 3.0]])
        values = Mixed.of(3, BOTH).at_centres(records, [np.arange(4), np.array([4, 5])])
        # of equals the first category, and the lower one of the two in the middle
        assert values.tolist() == [[4, 1, 1]] * 4 + [[1, 0, 2]] * 2

    @settings(max_examples=50)
    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(1, 4)), min_size=1))
    def test_weights_count_as_copies_do(self, entries):
        codes, groups, weights = (np.array(each) for each in zip(*entries, strict=True))
        by_mode, by_median = Mixed.of(3, BOTH), Mixed.of(3, BOTH)
        ours = {
            "mode": by_mode.middles(1, codes.astype(float), groups, weights / 10),
            "median": by_median.middles(2, codes.astype(float), groups, weights / 10),
        }
        for group in set(groups.tolist()):
            copies = np.repeat(codes, weights)[np.repeat(groups, weights) == group].tolist()
            assert ours["mode"][group] == max(sorted(set(copies)), key=copies.count)
            assert ours["median"][group] == median_low(copies)

    def test_of_fuzzy_clusters_by_hand(self):
        clusters = FuzzyClusters(np.array([[0, 1, 2], [2, 1, 0]]), np.array([[1, 0.3, 0.2], [0.8, 0.7, 0.0]]))
        records = np.array([[10, 0, 0], [20, 1, 1], [30, 1, 3.0]])
        mixed = Mixed.of(3, BOTH)
        centres = clusters.centres(records, mixed)
        np.testing.assert_allclose(centres, [[22 / 1.5, 0, 0], [38 / 1.5, 1, 3]])
        released = clusters.weighted(centres, mixed)
        np.testing.assert_array_equal(released[:, 1:], [[0, 0], [1, 3], [1, 3]])
        np.testing.assert_allclose(released[:, 0], [22 / 1.5, 0.3 * 22 / 1.5 + 0.7 * 38 / 1.5, 34.8 / 1.5])


def test_nearest_by_the_sum_of_what_attributes_differ(rng):
    records = mixed_records(rng)
    neighbours, distances = nearest(Normalised.of(records, {}, BOTH), 5)
    numbers = np.abs(records[:, None] - records) / np.ptp(records, axis=0)
    apart = numbers[:, :, 0] + (records[:, None, 1] != records[:, 1]) + numbers[:, :, 2]
    np.fill_diagonal(apart, np.inf)
    for i, far in enumerate(apart):
        assert neighbours[i].tolist() == smallest(far, 5).tolist()
        np.testing.assert_allclose(distances[i], far[neighbours[i]])
