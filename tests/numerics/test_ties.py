"""What is equal on paper is equal: files with exact ties, in units that round them, and with every last bit nudged."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from sdclab.base.errors import SdclabError
from sdclab.clustering import mixture
from sdclab.clustering.blocks import blocks
from sdclab.clustering.constraint import constrained
from sdclab.clustering.fuzzy_k_member import Function, fuzzy_k_member
from sdclab.clustering.k_member import Normalised, k_member
from sdclab.evidence.sensitivity import _order
from sdclab.experiment.ranking import ranking
from sdclab.measures import measure
from sdclab.methods import mdav
from sdclab.numerics import ties
from sdclab.numerics.arrays import Matrix

A_BIT_MORE = 0.1 + 0.2
"""0.3 on paper."""


def nudged(x: Matrix, seed: int) -> Matrix:
    """Every number one step up or down: what another order of additions makes of it at the least."""
    up = np.random.default_rng(seed).random(x.shape) < 0.5
    return np.nextafter(x, np.where(up, np.inf, -np.inf))


class TestDefinition:
    @given(st.lists(st.integers(-3, 3).map(float), max_size=12))
    def test_equals_share_a_rank_as_in_scipy(self, values):
        np.testing.assert_array_equal(ties.mean_ranks(np.array(values)), rankdata(values))

    def test_a_limit_holds_what_is_equal_to_it(self):
        assert A_BIT_MORE > 0.3
        assert ties.at_most(A_BIT_MORE, 0.3)
        assert not ties.at_most(0.3 + 1e-8, 0.3)
        assert not ties.at_most(1e-9, 0.0)
        assert ties.at_most(1e-9, 0.0, scale=1e4)  # a difference of numbers of that size is no better known

    def test_of_equals_the_first_counts(self):
        assert ties.smallest_of([0.7, A_BIT_MORE, 0.3]) == ties.smallest_of([0.7, 0.3, A_BIT_MORE]) == 1
        assert ties.largest_of([0.1, 0.3, A_BIT_MORE]) == ties.largest_of([0.1, A_BIT_MORE, 0.3]) == 1
        assert ties.largest_of([0.1, 0.3, 0.30001]) == 2
        rows = np.array([[0.3, A_BIT_MORE], [A_BIT_MORE, 0.3], [0.2, 0.3]])
        assert list(ties.largest_of(rows)) == [0, 0, 1]
        assert list(ties.smallest_of(rows, axis=0)) == [2, 0]

    def test_the_smallest_come_by_position_and_the_largest_of_them_last(self):
        values = np.array([A_BIT_MORE, 0.1, 0.3, 0.0, 0.3, 0.9])
        assert list(ties.smallest(values, 4)) == [1, 3, 0, 2]
        assert list(ties.smallest(-values[::-1], 1)) == [0]

    def test_equated_values_are_the_same_number_if_they_are_equal(self):
        values = np.array([A_BIT_MORE, 5.0, 0.3, np.inf, 0.30001, np.nan, np.inf])
        np.testing.assert_array_equal(ties.equated(values), [0.3, 5.0, 0.3, np.inf, 0.30001, np.nan, np.inf])
        assert len(ties.equated([])) == 0

    def test_a_difference_of_rounding_is_none(self):
        assert ties.difference(A_BIT_MORE, 0.3) == ties.difference(0.3, A_BIT_MORE) == 0
        assert ties.difference(0.4, 0.3) == pytest.approx(0.1)


def _mdav(x: Matrix) -> list[list[int]]:
    return [sorted(map(int, members)) for k in (1, 3, 7) for members in mdav.clusters(x, k)]


def _k_member(x: Matrix) -> list[list[int]]:
    return [list(map(int, members)) for k in (2, 5) for members in k_member(Normalised.of(x), k)]


def _fuzzy(x: Matrix) -> list[list[int]]:
    """Members and the cluster of each record; at alpha = 1/2 many memberships end at exactly LEAST or 0."""
    function, readings = Function("triangular", 0.5), ("shared", "own")
    found = [fuzzy_k_member(Normalised.of(x), k, function, reading=each) for k in (2, 5) for each in readings]
    return [row for clusters in found for row in [*clusters.members.tolist(), clusters.largest().tolist()]]


def _blocks(x: Matrix) -> list[list[int]]:
    return [list(map(int, part)) for part in blocks(Normalised.of(x).points, 9)]


@pytest.fixture(scope="module")
def whole() -> Matrix:
    """Whole numbers from 0 to 5, hence many ties, and none of them rounded."""
    records = np.random.default_rng(5).integers(0, 6, (150, 3)).astype(float)
    records[:2] = [[0], [5]]
    return records


UNITS = [(0.1, 0.0), (0.1, 0.7), (1 / 3, 1 / 7), (7e4, 1e5)]


@pytest.mark.parametrize("clustered", [_mdav, _k_member, _fuzzy, _blocks])
@pytest.mark.parametrize(("unit", "zero"), UNITS)
def test_clusters_do_not_depend_on_the_last_bit(clustered: Callable[[Matrix], list[list[int]]], whole, unit, zero):
    rounded = unit * whole + zero
    expected = clustered(whole)
    assert clustered(rounded) == expected
    assert clustered(nudged(rounded, 1)) == clustered(nudged(rounded, 2)) == expected


@pytest.mark.parametrize("name", ["score", "copy", "information_loss"])
@pytest.mark.parametrize(("unit", "zero"), UNITS)
def test_measures_do_not_depend_on_the_last_bit(name, whole, unit, zero):
    """A single record that changes sides would change a share by 1/1500 at the least."""
    released = np.clip(whole + np.random.default_rng(6).integers(-1, 2, whole.shape), 0, 5)
    beside = whole[:, :0]
    expected = measure(name, whole, released, beside)
    rounded = [unit * each + zero for each in (whole, released)]
    assert measure(name, *rounded, beside) == pytest.approx(expected, rel=1e-6)
    if name == "information_loss":  # classes are of records that are the same to the bit
        return
    moved = [nudged(each, seed) for seed, each in enumerate(rounded)]
    assert measure(name, *moved, beside) == pytest.approx(expected, rel=1e-6)


def test_of_models_that_coincide_the_first_is_chosen(rng):
    """With one attribute a common sphere is a common covariance: EII and EEE have one likelihood."""
    records = np.concatenate([rng.normal(0, 1, 80), rng.normal(9, 1, 70)])[:, None]
    for models in (("EII", "EEE"), ("EEE", "EII"), ("VVV", "VII", "VVI"), ("VVI", "VVV", "VII")):
        assert mixture.choose(records, models, (2, 3), "kmeans++", 1).model == models[0]


def test_as_many_clusters_as_k_allows_are_refused_whatever_n_over_k_rounds_to():
    assert 1 / 49 * 49 < 1
    with pytest.raises(SdclabError, match="must be below n/k"):
        constrained(np.full(49, 1 / 49), 1 / 49)


def test_equal_scores_rank_in_the_order_of_the_grid():
    plain = {"method": "mdav", "remark": "", "membership": 50.0, "intact": 0.0}
    lines = [{**plain, "tables": loss, "at": at} for at, loss in enumerate([A_BIT_MORE, 0.3, 0.1, 0.3])]
    assert [row["at"] for row in ranking(lines)] == [2, 0, 1, 3]
    assert _order({"b": A_BIT_MORE, "a": 0.3, "c": 0.1}) == "c < b < a"


def test_random_starts_do_not_hang_on_the_last_bit(rng):
    """Uniform records have no clusters, so that other starts end elsewhere; a nudged release has the same ones."""
    original = rng.random((120, 3)) * [1, 1e3, 1e-3]
    released = original + 0.2 * rng.standard_normal(original.shape) * [1, 1e3, 1e-3]
    options = {"c": 8, "runs": 1}
    found = [
        measure("clusters", original, each, original[:, :0], options)
        for each in (released, nudged(released, 1), nudged(released, 2), released[::-1])
    ]
    for other in found[1:3]:
        assert other == pytest.approx(found[0], rel=1e-3)
    assert found[3]["objective_protected"] != pytest.approx(found[0]["objective_protected"], rel=1e-3)
