"""Types for a prepared table of numbers."""

import json
from math import inf
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdclab.base.errors import SdclabError
from sdclab.microdata.attribute import TYPES, Attribute
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.declaration import types_of
from sdclab.microdata.typed import typed

VALUES = np.column_stack([np.arange(40) % 3 + 1, np.arange(40) % 2, np.arange(40) ** 2 / 4])
RAW = Dataset("d", "original", "d.csv", ("grade", "flag", "x"), VALUES)


def test_numbers_that_are_categories_become_codes():
    found = typed(RAW, RAW.columns, types_of({"grade": "ordinal", "flag": "nominal", "x": "continuous"}, "here"))
    grade, flag, x = found.attributes
    assert (grade.type, grade.categories, flag.categories, x.decimals) == ("ordinal", ("1", "2", "3"), ("0", "1"), 2)
    np.testing.assert_array_equal(found.values, VALUES - [1, 0, 0])
    np.testing.assert_array_equal(RAW.values[:, 0], np.arange(40) % 3 + 1)  # untouched
    assert found.fingerprint == RAW.fingerprint
    assert found.head(20).fingerprint != RAW.fingerprint


def test_what_is_not_said_is_seen():
    found = typed(RAW, ("grade", "x"), {})
    assert {each.name: each.type for each in found.attributes} == {"grade": "count", "x": "continuous"}
    assert typed(found, ("grade", "x"), {}) is found


def test_what_does_not_fit_is_refused():
    with pytest.raises(SdclabError, match="column x is a count, but 20 of its values are not whole"):
        typed(RAW, ("x",), types_of({"x": "count"}, "here"))
    with pytest.raises(SdclabError, match="values of column grade are not among its categories"):
        typed(RAW, ("grade",), types_of({"grade": {"type": "nominal", "categories": [1, 2]}}, "here"))


BOUND = st.floats(allow_nan=False)


@given(
    st.builds(
        Attribute,
        st.just("a"),
        st.sampled_from(TYPES),
        BOUND | st.just(-inf),
        BOUND | st.just(inf),
        st.none() | st.integers(0, 15),
        st.lists(st.text()).map(tuple),
        st.lists(st.floats(allow_nan=False, allow_infinity=False)).map(tuple),
        st.booleans(),
    )
)
def test_attributes_are_read_as_they_were_written(tmp_path_factory, attribute):
    """But for an infinite low bound that is positive, or a high one that is negative, which nothing could fit."""
    folder = tmp_path_factory.mktemp("facts")
    files = folder / "d.csv", folder / "d.json"
    Dataset("d", "own", "d", ("a",), np.ones((2, 1)), (attribute,)).write(*files)
    if attribute.low < inf and attribute.high > -inf:
        assert Dataset.read(*files).attributes == (attribute,)
    json.loads(Path(files[1]).read_text(), parse_constant=pytest.fail)  # JSON to the letter


def test_a_table_of_numbers_tells_of_no_attributes(tmp_path):
    files = tmp_path / "d.csv", tmp_path / "d.json"
    RAW.write(*files)
    assert "attributes" not in json.loads(files[1].read_text())
    assert Dataset.read(*files).attributes == ()
