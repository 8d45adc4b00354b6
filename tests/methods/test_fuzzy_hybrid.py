"""k-member releases, fuzzy data modification, rotation and their hybrid, against guarantees and brute force."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from scipy.stats import kstest

from sdclab.base.errors import SdclabError
from sdclab.clustering.classes import anonymity, classes
from sdclab.clustering.fuzzy_k_member import Function, fuzzy_k_member
from sdclab.clustering.k_member import Normalised, k_member
from sdclab.methods import fitted, protect, release
from sdclab.methods.rotation import rotation_matrix, turned
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.tree import tree_of

NONE = np.empty((0, 0))


@pytest.fixture
def records(rng):
    """Three attributes in different units, with copies among the records."""
    return np.column_stack([rng.integers(17, 90, 300), rng.lognormal(11, 1, 300).round(-3), rng.integers(1, 17, 300)])


def made(method, records, rng, **parameters):
    return release(method, records, NONE, rng, parameters)


def minmax(x):
    return (x - x.min(axis=0)) / np.ptp(x, axis=0)


class TestClasses:
    def test_are_the_records_released_alike(self):
        released = np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0], [1.0, 3.0], [1.0, 2.0]])
        assert [list(members) for members in classes(released)] == [[1], [0, 2, 4], [3]]
        assert anonymity(released, 3) == {"smallest_class": 1.0, "below_k": pytest.approx(40.0)}
        assert anonymity(released, 1)["below_k"] == 0


class TestKMember:
    @pytest.mark.parametrize("k", [2, 7, 300])
    def test_releases_the_means_of_its_clusters(self, records, rng, k):
        one = made("k_member", records, rng, k=k)
        for members in k_member(Normalised.of(records), k):
            np.testing.assert_allclose(one.values[members], np.tile(records[members].mean(axis=0), (len(members), 1)))
        assert one.facts["smallest_class"] >= k
        assert one.facts["below_k"] == 0

    def test_releases_the_most_frequent_category(self, rng):
        mixed = np.array([[0.0, 1], [0.1, 2], [0.2, 2], [9.0, 3], [9.1, 3], [9.2, 1]])
        values = made("k_member", mixed, rng, k=3, taxonomies={"2": [[1, 2], 3]}).values
        np.testing.assert_array_equal(values[:, 1], [2, 2, 2, 3, 3, 3])
        np.testing.assert_allclose(values[:, 0], [0.1, 0.1, 0.1, 9.1, 9.1, 9.1])


class TestFdm:
    @pytest.mark.parametrize("k", [2, 5, 40])
    @pytest.mark.parametrize("released", ["largest", "weighted"])
    @pytest.mark.parametrize("membership", ["exponential", "bell", "triangular"])
    def test_strict_keeps_k_anonymity_and_plain_says_how_far_it_does_not(self, records, rng, k, released, membership):
        plain, strict = (
            made("fdm", records, rng, k=k, released=released, membership=membership, strict=strict)
            for strict in (False, True)
        )
        assert strict.facts["below_k"] == 0
        assert strict.facts["smallest_class"] >= k
        sizes = np.unique(plain.values, axis=0, return_counts=True)[1]
        assert plain.facts["below_k"] == pytest.approx(100 * sizes[sizes < k].sum() / 300)
        assert plain.facts["below_k"] > 0
        assert plain.facts["cluster_loss"] == strict.facts["cluster_loss"]

    def test_strict_leaves_classes_that_are_large_enough_alone(self, records, rng):
        plain, strict = (made("fdm", records, rng, k=2, strict=strict).values for strict in (False, True))
        large = np.concatenate([members for members in classes(plain) if len(members) >= 2])
        assert len(large) > 50
        np.testing.assert_array_equal(plain[large], strict[large])

    def test_strict_with_fewer_than_k_records_to_place_puts_them_in_other_classes(self, rng):
        groups = np.repeat([[0.0, 0.0], [10.0, 10.0]], 4, axis=0)
        lone = np.vstack([groups, [[6.0, 6.0]]])
        values = made("fdm", lone, rng, k=2, sigma=0.01, strict=True).values
        np.testing.assert_array_equal(values, np.vstack([groups, [[10.0, 10.0]]]))

    def test_releases_a_centre_of_the_fuzzy_clusters(self, records, rng):
        found = fuzzy_k_member(Normalised.of(records), 4, Function("bell", 0.02))
        centres = found.centres(records)
        values = made("fdm", records, rng, k=4, membership="bell", sigma=0.02).values
        assert {tuple(row) for row in values} <= {tuple(row) for row in centres}
        weighted = made("fdm", records, rng, k=4, membership="bell", sigma=0.02, released="weighted").values
        np.testing.assert_allclose(weighted.mean(axis=0), records.mean(axis=0))

    def test_readings_differ_in_clusters_or_in_the_loss_alone(self, records, rng):
        shared, own, counted = (made("fdm", records, rng, k=4, reading=each) for each in ("shared", "own", "counted"))
        np.testing.assert_array_equal(counted.values, shared.values)
        assert counted.facts["cluster_loss"] > shared.facts["cluster_loss"]
        found = fuzzy_k_member(Normalised.of(records), 4, Function("exponential", 0.185), reading="own")
        np.testing.assert_array_equal(own.values, found.centres(records)[found.largest()])
        assert own.facts["cluster_loss"] == found.loss(Normalised.of(records))
        assert (own.values != shared.values).any()

    def test_does_not_depend_on_units(self, records, rng):
        one = made("fdm", records, rng, k=5)
        other = made("fdm", records * [7, 1e-4, 100] - [3, 2, 1], rng, k=5)
        np.testing.assert_allclose(other.values, one.values * [7, 1e-4, 100] - [3, 2, 1])
        assert other.facts == pytest.approx(one.facts)

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"k": 1}, "k is 1 but must lie between 2 and the number of records, 300"),
            ({"k": 301}, "k is 301 but must lie between 2 and the number of records, 300"),
            ({"sigma": 0}, "sigma is 0.0 but must be positive"),
            ({"alpha": -1, "membership": "triangular"}, "alpha is -1.0 but must be positive"),
            ({"membership": "gauss"}, "membership is 'gauss' but must be one of exponential, bell, triangular"),
            ({"reading": "crisp"}, "reading is 'crisp' but must be one of shared, own, counted"),
            ({"released": "all"}, "released is 'all' but must be one of largest, weighted"),
        ],
    )
    @pytest.mark.parametrize("method", ["fdm", "fuzzy_hybrid"])
    def test_refuses_what_it_cannot_do(self, records, rng, method, parameters, message):
        with pytest.raises(SdclabError, match=message):
            made(method, records, rng, **parameters)

    @pytest.mark.parametrize("method", ["fdm", "fuzzy_hybrid", "k_member", "rotation"])
    def test_refuses_a_constant_attribute(self, records, rng, method):
        with pytest.raises(SdclabError, match="attribute 2 is constant"):
            made(method, records * [1, 0, 1], rng)


class TestRotation:
    @settings(max_examples=50)
    @given(st.integers(0, 2**32), st.integers(2, 9), st.sampled_from(["haar", "planes"]))
    def test_matrices_are_orthogonal(self, seed, p, kind):
        matrix = rotation_matrix(p, kind, "all", np.random.default_rng(seed))
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(p), rtol=0, atol=1e-12)
        np.testing.assert_allclose(matrix.T @ matrix, np.eye(p), rtol=0, atol=1e-12)
        if kind == "planes":
            assert np.linalg.det(matrix) == pytest.approx(1)

    def test_a_plane_is_turned_by_an_angle_uniform_on_the_circle(self):
        rng = np.random.default_rng(5)
        matrices = [rotation_matrix(3, "planes", "1-2", rng) for _ in range(1000)]
        angles = []
        for matrix in matrices:
            assert (matrix[2] == [0, 0, 1]).all()
            cosine, sine = matrix[0, 0], matrix[1, 0]
            np.testing.assert_allclose(matrix[:2, :2], [[cosine, -sine], [sine, cosine]])  # as printed
            angles.append(np.arctan2(sine, cosine) % (2 * np.pi) / (2 * np.pi))
        assert kstest(angles, "uniform").pvalue > 1e-3

    def test_haar_columns_are_uniform_on_the_sphere(self):
        """Archimedes: on a sphere in space each coordinate is uniform on [-1, 1]; both signs of det occur."""
        rng = np.random.default_rng(5)
        matrices = np.array([rotation_matrix(3, "haar", "all", rng) for _ in range(1000)])
        for i in range(3):
            for j in range(3):
                assert kstest(matrices[:, i, j], "uniform", args=(-1, 2)).pvalue > 1e-3
        assert 400 < np.sum(np.linalg.det(matrices) > 0) < 600

    def test_named_planes_are_composed_in_order(self):
        both = rotation_matrix(4, "planes", "2-4+1-3", np.random.default_rng(3))
        rng = np.random.default_rng(3)
        one_by_one = rotation_matrix(4, "planes", "2-4", rng) @ rotation_matrix(4, "planes", "1-3", rng)
        np.testing.assert_allclose(both, one_by_one)
        assert both[1, 0] == 0  # the two planes share no attribute

    @pytest.mark.parametrize("rotation", ["planes", "haar"])
    def test_keeps_all_distances_of_the_normalised_records(self, records, rng, rotation):
        values = made("rotation", records, rng, rotation=rotation, planes="all").values
        back = (values - records.min(axis=0)) / np.ptp(records, axis=0)
        np.testing.assert_allclose(pdist(back), pdist(minmax(records)), atol=1e-9)
        assert np.abs(values - records).max() > 1

    def test_on_standardised_records_keeps_their_means(self, records, rng):
        values = made("rotation", records, rng, planes="all", scale="standardised").values
        np.testing.assert_allclose(values.mean(axis=0), records.mean(axis=0))
        np.testing.assert_allclose(
            pdist((values - records.mean(axis=0)) / records.std(axis=0)),
            pdist((records - records.mean(axis=0)) / records.std(axis=0)),
            atol=1e-9,
        )

    def test_equals_the_matrix_product_and_keeps_equal_records_equal(self, rng):
        rows = rng.random((7, 5))[rng.integers(0, 7, 101)]
        matrix = rotation_matrix(5, "haar", "all", rng)
        np.testing.assert_allclose(turned(rows, matrix), rows @ matrix)
        assert len(np.unique(turned(rows, matrix), axis=0)) == len(np.unique(rows, axis=0))

    @pytest.mark.parametrize("planes", ["1-4", "2-2", "2-1", "age-sex", "", "1-2+", "1-2,2-3"])
    def test_an_unknown_plane_is_refused(self, records, rng, planes):
        with pytest.raises(SdclabError, match="is unknown; allowed are all, or pairs of attributes from 1-2 to 2-3"):
            made("rotation", records, rng, planes=planes)

    @pytest.mark.parametrize("angle", [0, 30, 90, -45.5, 360])
    def test_a_given_angle_is_that_of_every_plane(self, records, rng, angle):
        """Whatever the generator says; as a product of the printed matrices."""
        a = np.deg2rad(angle)
        block = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        expected = np.eye(3)
        for plane in ([0, 1], [0, 2], [1, 2]):
            one = np.eye(3)
            one[np.ix_(plane, plane)] = block
            expected = expected @ one
        np.testing.assert_allclose(rotation_matrix(3, "planes", "all", rng, angle), expected, atol=1e-12)
        values = made("rotation", records, rng, angle=angle).values
        back = (values - records.min(axis=0)) / np.ptp(records, axis=0)
        np.testing.assert_allclose(back, minmax(records) @ expected, atol=1e-9)

    def test_a_given_angle_may_only_be_one_of_planes(self, records, rng):
        for method in ("rotation", "fuzzy_hybrid"):
            with pytest.raises(SdclabError, match=r"angle is 30.0 but must be empty where rotation is haar"):
                made(method, records, rng, rotation="haar", angle=30)
            with pytest.raises(SdclabError, match="angle is 'right' but must be a number or empty: degrees"):
                made(method, records, rng, angle="right")

    def test_one_attribute_cannot_be_turned(self, records, rng):
        with pytest.raises(SdclabError, match="at least two attributes, but there is 1"):
            made("rotation", records[:, :1], rng)


class TestFuzzyHybrid:
    def test_rotation_first_is_fdm_of_the_rotated_file(self, records):
        """Nothing is lost or added in between: the two methods one after the other release the same."""
        turned_first = protect("rotation", records, NONE, np.random.default_rng(8), {"planes": "all"})
        expected = made("fdm", turned_first, np.random.default_rng(8), k=4)
        ours = made("fuzzy_hybrid", records, np.random.default_rng(8), k=4, planes="all")
        np.testing.assert_allclose(ours.values, expected.values)
        assert ours.facts["cluster_loss_remeasured"] == pytest.approx(expected.facts["cluster_loss"])

    def test_without_an_angle_it_is_fdm_on_any_reading(self, records, rng):
        """Turned by 0 or by a full circle the file is what it was; turned by 30 degrees it is not."""
        for reading in ("shared", "own", "counted"):
            plain = made("fdm", records, rng, k=4, reading=reading)
            for angle in (0, 360):
                ours = made("fuzzy_hybrid", records, rng, k=4, reading=reading, angle=angle)
                np.testing.assert_allclose(ours.values, plain.values)
                assert ours.facts["cluster_loss"] == pytest.approx(plain.facts["cluster_loss"])
            assert made("fuzzy_hybrid", records, rng, k=4, reading=reading, angle=30).facts["cluster_loss"] != (
                pytest.approx(plain.facts["cluster_loss"])
            )

    def test_fdm_first_is_the_rotation_of_what_fdm_released(self, records):
        parameters = {"k": 4, "order": "fdm_first"}
        ours = made("fuzzy_hybrid", records, np.random.default_rng(8), **parameters)
        modified = (made("fdm", records, np.random.default_rng(8), k=4).values - records.min(axis=0)) / np.ptp(
            records, axis=0
        )
        matrix = rotation_matrix(3, "planes", "1-2", np.random.default_rng(8))
        expected = records.min(axis=0) + np.ptp(records, axis=0) * (modified @ matrix)
        np.testing.assert_allclose(ours.values, expected)

    @pytest.mark.parametrize("order", ["rotation_first", "fdm_first"])
    def test_losses_differ_by_their_denominators_alone(self, records, order):
        """Every cluster's range on an attribute, over 1 and over that of the rotated attribute, summed by hand."""
        ours = made("fuzzy_hybrid", records, np.random.default_rng(8), k=4, order=order)
        points = minmax(records)
        rotated = points @ rotation_matrix(3, "planes", "1-2", np.random.default_rng(8))
        clustered = minmax(rotated if order == "rotation_first" else points)
        found = fuzzy_k_member(Normalised(clustered), 4, Function("exponential", 0.185))
        wide = np.array([np.ptp(rotated[members], axis=0) for members in found.members])
        by_attribute = found.memberships.sum(axis=1) @ wide
        assert ours.facts["cluster_loss"] == pytest.approx(by_attribute.sum())
        assert ours.facts["cluster_loss_remeasured"] == pytest.approx((by_attribute / np.ptp(rotated, axis=0)).sum())

    @pytest.mark.parametrize("order", ["rotation_first", "fdm_first"])
    def test_strict_keeps_k_anonymity_through_the_rotation(self, records, rng, order):
        ours = made("fuzzy_hybrid", records, rng, k=6, strict=True, order=order, rotation="haar")
        assert ours.facts["below_k"] == 0
        assert np.unique(ours.values, axis=0, return_counts=True)[1].min() >= 6


SECTOR = tree_of([{"public": ["federal", "local"], "private": ["firm", "self"]}, "none"], "sector")
MIXED = Attributes(
    (
        Attribute("age"),
        Attribute("sector", "nominal", categories=(*SECTOR.leaves, *SECTOR.inner), taxonomy=SECTOR),
        Attribute("income"),
        Attribute("sex", "nominal", categories=("f", "m")),
        Attribute("grade", "ordinal", categories=("low", "middle", "high")),
    )
)
COVERED = {node.label: set(node.leaves) for node in SECTOR.walk()}
NUMERIC = [0, 2]


@pytest.fixture
def mixed(rng):
    numbers = np.column_stack([rng.integers(17, 90, 250), rng.lognormal(11, 1, 250).round(-3)])
    codes = [rng.choice(5, 250, p=[0.1, 0.2, 0.4, 0.2, 0.1]), rng.integers(0, 2, 250), rng.integers(0, 3, 250)]
    return np.column_stack([numbers[:, 0], codes[0], numbers[:, 1], *codes[1:]]).astype(float)


def typed(method, records, seed=8, **parameters):
    return release(method, records, NONE, np.random.default_rng(seed), parameters, MIXED)


def is_true(records, values):
    """Whether every released sector is above the one that the record had, or is it."""
    names = MIXED.dependent[1].categories
    pairs = zip(records[:, 1].astype(int), values[:, 1].astype(int), strict=True)
    return all(names[before] in COVERED[names[after]] for before, after in pairs)


class TestNumbersAndCategories:
    def test_rotation_first_turns_the_numbers_and_modifies_all(self, mixed):
        """The two methods one after the other, the first on the numbers alone."""
        turned_first = mixed.copy()
        turned_first[:, NUMERIC] = protect("rotation", mixed[:, NUMERIC], NONE, np.random.default_rng(8), {})
        expected = typed("fdm", turned_first, k=4, categories="generalised")
        ours = typed("fuzzy_hybrid", mixed, k=4, categories="generalised")
        np.testing.assert_allclose(ours.values, expected.values)
        assert ours.facts["cluster_loss_categories"] == pytest.approx(expected.facts["cluster_loss_categories"])
        assert ours.facts["cluster_loss_remeasured"] == pytest.approx(expected.facts["cluster_loss"])

    def test_fdm_first_leaves_the_categories_as_fdm_releases_them(self, mixed):
        ours, expected = (
            typed(method, mixed, k=4, categories="generalised", **more)
            for method, more in (("fuzzy_hybrid", {"order": "fdm_first"}), ("fdm", {}))
        )
        np.testing.assert_array_equal(
            np.delete(ours.values, NUMERIC, axis=1), np.delete(expected.values, NUMERIC, axis=1)
        )
        matrix = rotation_matrix(2, "planes", "1-2", np.random.default_rng(8))
        low, wide = mixed[:, NUMERIC].min(axis=0), np.ptp(mixed[:, NUMERIC], axis=0)
        np.testing.assert_allclose(
            ours.values[:, NUMERIC], low + wide * ((expected.values[:, NUMERIC] - low) / wide @ matrix)
        )
        assert ours.facts["below_k"] == expected.facts["below_k"]  # a rotation keeps classes

    @pytest.mark.parametrize("method", ["k_member", "fdm", "fuzzy_hybrid"])
    def test_the_terms_of_the_loss_add_up_and_generalising_does_not_change_it(self, mixed, method):
        middle, generalised = (typed(method, mixed, k=5, categories=each) for each in ("middle", "generalised"))
        losses = [name for name in middle.facts if name.startswith("cluster_loss")]
        assert {name: middle.facts[name] for name in losses} == {name: generalised.facts[name] for name in losses}
        parts = generalised.facts["cluster_loss_numbers"] + generalised.facts["cluster_loss_categories"]
        assert generalised.facts["cluster_loss"] == pytest.approx(parts)
        assert generalised.facts["cluster_loss_categories"] > 0

    @pytest.mark.parametrize("released", ["largest", "weighted"])
    @pytest.mark.parametrize("order", ["rotation_first", "fdm_first"])
    @pytest.mark.parametrize(("k", "sigma"), [(2, 0.185), (7, 0.185), (7, 50.0), (40, 1e-4)])
    def test_strict_keeps_k_anonymity_and_says_nothing_false(self, mixed, k, sigma, order, released):
        plain, strict = (
            typed(
                "fuzzy_hybrid", mixed, k=k, sigma=sigma, order=order, released=released, strict=strict,
                categories="generalised",
            )
            for strict in (False, True)
        )  # fmt: skip
        assert is_true(mixed, plain.values)
        assert is_true(mixed, strict.values)
        assert strict.facts["below_k"] == 0
        assert np.unique(strict.values, axis=0, return_counts=True)[1].min() == strict.facts["smallest_class"] >= k

    def test_who_joins_a_class_makes_its_label_wider(self):
        """Four federal and four self-employed, and a firm between them, for whom no class is left."""
        groups = np.repeat([[0.0, 0, 0.0, 0, 0], [10.0, 3, 10.0, 0, 2]], 4, axis=0)
        lone = np.vstack([groups, [[9.0, 2, 9.0, 0, 2]]])
        values = typed("fdm", lone, k=2, sigma=0.01, strict=True, categories="generalised").values
        names = MIXED.dependent[1].categories
        assert [names[int(code)] for code in values[:, 1]] == ["federal"] * 4 + ["private"] * 5

    @pytest.mark.parametrize("k", [2, 9])
    def test_k_member_has_classes_of_k_and_labels_that_are_no_wider_than_they_must_be(self, mixed, k):
        one = typed("k_member", mixed, k=k, categories="generalised")
        assert one.facts["smallest_class"] >= k
        names = MIXED.dependent[1].categories
        for members in k_member(Normalised.of(mixed, {}, MIXED), k):
            seen = {names[int(code)] for code in mixed[members, 1]}
            smallest = min((each for each in SECTOR.walk() if seen <= set(each.leaves)), key=lambda each: each.height)
            assert {names[int(code)] for code in one.values[members, 1]} == {smallest.label}

    def test_classes_are_counted_again_once_values_fit_their_domains(self, mixed):
        """Counts are rounded, so that classes fall together."""
        whole = Attributes(tuple(replace(each, type="count") if each.is_number else each for each in MIXED.dependent))
        rough = mixed / [20, 1, 50_000, 1, 1]
        made = release("fdm", rough, NONE, np.random.default_rng(0), {"k": 3}, whole)
        fit = fitted(made, np.empty((250, 0)), whole)
        sizes = np.unique(fit.values, axis=0, return_counts=True)[1]
        assert fit.facts["smallest_class_released"] == sizes.min()
        assert fit.facts["below_k_released"] == pytest.approx(100 * sizes[sizes < 3].sum() / 250)
        assert fit.facts["below_k_released"] < fit.facts["below_k"]

    @pytest.mark.parametrize("columns", [[1, 3], [0, 1, 3]])
    def test_fewer_than_two_numbers_cannot_be_turned(self, mixed, columns):
        types = Attributes(tuple(MIXED.dependent[j] for j in columns))
        numbers = len(set(columns) & set(NUMERIC))
        with pytest.raises(SdclabError, match=f"a rotation needs at least two attributes, but there is {numbers}"):
            release("fuzzy_hybrid", mixed[:, columns], NONE, np.random.default_rng(0), {}, types)
