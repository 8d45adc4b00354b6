"""Clustering inside blocks of neighbours: what is kept, and what it costs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdclab.base.errors import SdclabError
from sdclab.clustering.blocks import blocks
from sdclab.clustering.classes import classes
from sdclab.clustering.fuzzy_k_member import Function, fuzzy_k_member
from sdclab.clustering.k_member import Normalised, k_member, loss
from sdclab.methods import mdav, protect

METHODS = ("mdav", "hybrid_micro", "k_member", "fdm", "fuzzy_hybrid")
"""All that search every record for every cluster."""


@given(st.integers(0, 2**32), st.integers(1, 200), st.integers(1, 4), st.integers(1, 250))
def test_blocks_part_the_file_into_equal_halves_of_halves(seed, n, p, most):
    points = np.random.default_rng(seed).normal(size=(n, p)).round(1)
    parts = blocks(points, most)
    assert sorted(np.concatenate(parts)) == list(range(n))
    sizes = [len(part) for part in parts]
    assert max(sizes) <= most
    assert max(sizes) - min(sizes) <= 1
    assert len(parts) == 1 or max(sizes) > most / 2 - 1
    assert all((np.diff(part) > 0).all() for part in parts)


def test_a_block_is_cut_at_the_median_of_its_widest_attribute():
    points = np.array([[0, 5.0], [9, 4], [1, 6], [8, 5]])
    assert [list(part) for part in blocks(points, 2)] == [[0, 2], [1, 3]]


@pytest.fixture
def records(rng):
    return rng.normal(0, [1, 10, 0.1], (600, 3))


@pytest.mark.parametrize("method", METHODS)
def test_one_block_is_the_whole_file(method, records):
    whole, one = (
        protect(method, records, records[:, :0], np.random.default_rng(1), {"k": 5, **more})
        for more in ({}, {"block": len(records)})
    )
    assert np.array_equal(whole, one)


@pytest.mark.parametrize("method", ["mdav", "k_member"])
def test_every_class_has_k_records_in_blocks_too(method, records):
    released = protect(method, records, records[:, :0], None, {"k": 7, "block": 50})
    assert min(len(members) for members in classes(released)) >= 7


def test_no_cluster_reaches_over_a_border(records):
    inside = [set(map(int, part)) for part in blocks((records - records.mean(axis=0)) / records.std(axis=0), 100)]
    assert len(inside) == 8
    for members in mdav.clusters(records, 4, block=100):
        assert any(set(map(int, members)) <= part for part in inside)


def test_memberships_still_add_up_to_one(records):
    found = fuzzy_k_member(Normalised.of(records), 4, Function("exponential", 0.185), block=100)
    totals = np.bincount(found.members.ravel(), found.memberships.ravel(), minlength=len(records))
    np.testing.assert_allclose(totals, 1)


def test_blocks_of_neighbours_cost_little_information(records):
    """Far less than blocks of records picked at random would."""
    normalised = Normalised.of(records)
    whole, in_blocks = (loss(normalised, k_member(normalised, 4, block)) for block in (None, 75))
    at_random = np.random.default_rng(0).permutation(len(records)).reshape(8, 75)
    scattered = sum(loss(normalised.only(part), k_member(normalised.only(part), 4)) for part in at_random)
    assert in_blocks < 1.15 * whole
    assert scattered > 1.5 * whole


def test_categories_alone_make_blocks(rng):
    codes = rng.integers(1, 9, (200, 1)).astype(float)
    tree = {"1": [[1, 2, 3, 4], [5, 6, 7, 8]]}
    released = protect("k_member", codes, codes[:, :0], None, {"k": 3, "taxonomies": tree, "block": 25})
    assert np.mean(released == codes) > 0.9


@pytest.mark.parametrize("method", METHODS)
def test_a_block_must_hold_two_clusters(method, records):
    with pytest.raises(SdclabError, match=r"block is 9 but must be at least 2k, 10, so that no block has fewer"):
        protect(method, records, records[:, :0], np.random.default_rng(1), {"k": 5, "block": 9})
