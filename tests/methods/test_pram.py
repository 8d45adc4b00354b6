"""Post-randomisation against its closed forms, and over many releases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdclab.base.errors import SdclabError
from sdclab.methods import protect, release
from sdclab.methods.pram import transitions
from sdclab.microdata.attribute import Attribute, Attributes

AREA = Attribute("area", "nominal", categories=("city", "coast", "hills", "desert"))
CLASS = Attribute("class", "ordinal", categories=("lowest", "low", "middle", "high", "highest"))
BOTH = Attributes((AREA, CLASS))
COUNTS = ([300, 150, 50, 0], [40, 100, 200, 159, 1])
RELEASES = 400


@pytest.fixture(scope="module")
def records():
    """No record is in the desert, one is in the highest class."""
    rng = np.random.default_rng(11)
    columns = [np.repeat(np.arange(len(each)), each) for each in COUNTS]
    return np.column_stack([rng.permutation(column) for column in columns]).astype(float)


@pytest.fixture(scope="module")
def many(records):
    """The records, many releases of them, and the share that each says it kept."""
    made = [
        release("pram", records, records[:, :0], np.random.default_rng(seed), {"p": 0.7}, BOTH)
        for seed in range(RELEASES)
    ]
    return records, np.stack([each.values for each in made]), [each.facts["kept"] for each in made]


frequencies = st.lists(st.integers(1, 1000), min_size=1, max_size=12).map(lambda each: np.array(each) / sum(each))


class TestTransitions:
    @given(frequencies, st.floats(0, 1), st.booleans())
    def test_frequencies_are_invariant(self, t, p, ordinal):
        matrix = transitions(t, p, ordinal)
        assert (matrix >= 0).all()
        np.testing.assert_allclose(matrix.sum(axis=1), 1, atol=1e-12)
        np.testing.assert_allclose(t @ matrix, t, atol=1e-12)

    @given(frequencies, st.floats(0, 1))
    def test_a_nominal_category_is_left_alone_or_drawn_from_the_file(self, t, p):
        np.testing.assert_allclose(transitions(t, p), p * np.eye(len(t)) + (1 - p) * t, atol=1e-12)

    @given(st.lists(st.lists(st.integers(1, 50), min_size=3, max_size=3), min_size=2, max_size=5), st.floats(0, 1))
    def test_a_table_comes_nearer_to_independence_by_p_for_each_attribute(self, counts, p):
        table = np.array(counts) / np.sum(counts)
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        expected = transitions(rows, p).T @ table @ transitions(columns, p)
        independent = np.outer(rows, columns)
        np.testing.assert_allclose(expected - independent, p**2 * (table - independent), atol=1e-12)

    @given(frequencies, st.floats(0, 1))
    def test_an_ordinal_category_stays_near(self, t, p):
        matrix = transitions(t, p, ordinal=True)
        places = np.arange(len(t))
        assert not matrix[np.abs(places[:, None] - places) > 2].any()

    def test_two_stages_by_hand(self):
        """t = (1/2, 1/4, 1/4) and sqrt(p) = 1/2: P, then the chance that a record seen in l came from k."""
        first = np.array([[1 / 2, 1 / 2, 0], [1 / 4, 1 / 2, 1 / 4], [0, 1 / 2, 1 / 2]])
        seen = [5 / 16, 8 / 16, 3 / 16]
        back = np.array([[4 / 16, 1 / 16, 0], [4 / 16, 2 / 16, 2 / 16], [0, 1 / 16, 2 / 16]]) / np.reshape(seen, (3, 1))
        np.testing.assert_allclose(transitions(np.array([0.5, 0.25, 0.25]), 0.25, ordinal=True), first @ back)

    @pytest.mark.parametrize("ordinal", [False, True])
    def test_all_are_left_alone_at_1(self, ordinal):
        np.testing.assert_allclose(transitions(np.array([0.5, 0.3, 0.2]), 1.0, ordinal), np.eye(3), atol=1e-12)


class TestReleases:
    @pytest.mark.parametrize("place", [0, 1])
    def test_every_category_goes_where_its_row_says(self, many, place):
        """The share of its values that end in each category, within four standard errors of the row."""
        original, values, _ = many
        counts = np.array([count for count in COUNTS[place] if count])
        matrix = transitions(counts / counts.sum(), 0.7, ordinal=place == 1)
        for k, row in enumerate(matrix):
            ended = np.bincount(values[:, original[:, place] == k, place].astype(int).ravel(), minlength=len(row))
            trials = RELEASES * counts[k]
            error = np.sqrt(row * (1 - row) / trials)
            assert (np.abs(ended / trials - row) <= 4 * error + 1e-12).all()

    @pytest.mark.parametrize("place", [0, 1])
    def test_expected_frequencies_are_the_originals(self, many, place):
        _, values, _ = many
        size = len(BOTH.dependent[place].categories)
        found = np.array([np.bincount(each[:, place].astype(int), minlength=size) for each in values])
        error = found.std(axis=0, ddof=1) / np.sqrt(RELEASES)
        assert (np.abs(found.mean(axis=0) - COUNTS[place]) <= 4 * error).all()
        assert not found[:, np.array(COUNTS[place]) == 0].any()  # nobody is put where nobody was

    def test_the_share_kept_is_the_one_expected(self, many):
        original, values, kept = many
        t = [np.array([count for count in each if count]) / 500 for each in COUNTS]
        expected = 50 * sum(each @ np.diag(transitions(each, 0.7, ordinal=bool(j))) for j, each in enumerate(t))
        assert abs(np.mean(kept) - expected) <= 4 * np.std(kept) / np.sqrt(RELEASES)
        assert kept[0] == pytest.approx(100 * (values[0] == original).mean())

    def test_the_same_seed_gives_the_same_release(self, records):
        a, b, c = (
            release("pram", records, records[:, :0], np.random.default_rng(seed), {}, BOTH).values for seed in (1, 1, 2)
        )
        assert np.array_equal(a, b)
        assert not np.array_equal(a, c)


class TestRefusals:
    def test_numbers(self, records, rng):
        typed = Attributes((AREA, Attribute("income")))
        with pytest.raises(SdclabError, match="method pram: takes nominal and ordinal attributes, but income is cont"):
            release("pram", records, records[:, :0], rng, {}, typed)

    def test_no_types(self, records, rng):
        with pytest.raises(SdclabError, match="method pram: takes nominal and ordinal attributes, but columns without"):
            protect("pram", records, records[:, :0], rng, {})

    @pytest.mark.parametrize("p", [-0.1, 1.1])
    def test_no_probability(self, records, rng, p):
        with pytest.raises(SdclabError, match=f"method pram: p is {p} but must lie between 0 and 1"):
            release("pram", records, records[:, :0], rng, {"p": p}, BOTH)
