"""Rank correlations over the rows of a table, against scipy's."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from sdclab.base.errors import SdclabError
from sdclab.evidence.correlation import rank_correlation, rank_correlations
from sdclab.evidence.side_by_side import markdown
from sdclab.experiment.table import parse_tables

NUMBERS = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=3, max_size=20)
TABLE = {
    "title": "Measures",
    "question": "Do they agree?",
    "published": None,
    "keys": ["part", "method"],
    "quantities": ["d1", "pil"],
    "beside": ["dr"],
    "correlations": {"of": ["d1"], "with": ["pil", "dr"]},
    "panels": [{"scenario": "S", "fixed": {"part": "first"}}, {"scenario": "T", "fixed": {"part": "second"}}],
}


def parsed(**changed):
    return parse_tables("s", {"t": {**TABLE, **changed}}, {}, "s.yaml")["t"]


def rows():
    parts = [("first", 1, 5, 1), ("first", 2, 6, 1), ("first", 3, 7, 0), ("second", 1, 3, 1), ("second", 2, 2, 2)]
    made = pd.DataFrame([*parts, ("second", 3, 1, 3)], columns=["part", "d1", "pil", "dr"]).astype({"d1": float})
    spreads = {f"{name}_sd": np.nan for name in ("d1", "pil", "dr")}
    return made.assign(cell="x", method="mdav", parameters="", dataset_kind="original", **spreads)


@given(NUMBERS)
def test_is_scipys(pairs):
    a, b = (pd.Series(column, dtype=float) for column in zip(*pairs, strict=True))
    found = rank_correlation(a, b)
    if a.nunique() == 1 or b.nunique() == 1:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)


def test_rounding_makes_no_order_and_a_gap_is_no_row():
    a, b = pd.Series([1, 1 + 1e-15, 2, 3]), pd.Series([2, 1, 3, 4])
    assert rank_correlation(a, b) == pytest.approx(spearmanr([1, 1, 2, 3], b).statistic)
    assert rank_correlation(pd.Series([1, 2, 3, np.nan]), pd.Series([1, 2, 3, 0])) == pytest.approx(1)
    assert np.isnan(rank_correlation(pd.Series([1.0, 2.0]), pd.Series([1.0, 2.0])))


def test_each_panel_is_compared_by_itself():
    found = rank_correlations(rows(), parsed()).to_dict("records")
    assert [(line["part"], line["number"], line["rows"]) for line in found] == [("first", "d1", 3), ("second", "d1", 3)]
    assert [line["pil"] for line in found] == pytest.approx([1, -1])
    assert [line["dr"] for line in found] == pytest.approx([-np.sqrt(0.75), 1])


def test_stands_below_the_table_and_the_question_above():
    text = markdown(rows(), parsed())
    assert text.splitlines()[2] == "Do they agree?"
    assert "| first | d1 | 3 | +1.00 | -0.87 |" in text


def test_a_number_that_the_table_does_not_hold_is_refused():
    with pytest.raises(SdclabError, match=r"tables\.t: correlations: unknown quantity 'dre': did you mean dr"):
        parsed(correlations={"of": ["d1"], "with": ["dre"]})
