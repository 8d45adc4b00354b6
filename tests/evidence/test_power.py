"""How weak a verdict is: what share of wrong answers it would let pass."""

from itertools import permutations

import pytest
from scipy.stats import kendalltau
from test_scorecard import FCRM2, FCRM3, TOLERANCE, TREND, Cell, verdicts

from sdclab.evidence.power import is_weak, shuffles_that_pass, words

IPSO_C = Cell("s", "S1", "ipso_c")
OURS = ((FCRM2, 45.0), (FCRM3, 32.0), (IPSO_C, 10.0))


def wrong(rules, *ours):
    return {line.published: line.wrong for line in verdicts(rules, *ours) if line.verdict != "not reproducible"}


def test_a_tolerance_that_separates_the_rows_lets_no_wrong_answer_pass():
    assert wrong([TOLERANCE], *OURS) == {"44.68": 0, "32.6": 0, "9.5": 0}


def test_one_as_wide_as_the_column_lets_all_pass_and_is_weak():
    lines = verdicts([{**TOLERANCE, "tolerance": 40}], *OURS)
    held = [line for line in lines if line.verdict == "close"]
    assert [line.wrong for line in held] == [1, 1, 1]
    assert all(line.weak for line in held)


def test_counts_the_answers_to_other_rows_one_by_one():
    """44.68 ± 13 takes in 32 but not 10; 32.6 ± 13 takes in 45 but not 10; 9.5 ± 13 neither."""
    assert wrong([{**TOLERANCE, "tolerance": 13}], *OURS) == {"44.68": 0.5, "32.6": 0.5, "9.5": 0}


def test_a_spread_is_that_of_the_wrong_answer():
    """Replicates have an SD of .71: 20 of them reach from 45 and 32 to each other's number, 10 of them do not."""
    rule = {**TOLERANCE, "rule": "spread", "because": ""}
    assert wrong([{**rule, "sds": 20}], *OURS) == {"44.68": 0.5, "32.6": 0.5, "9.5": 0}
    assert wrong([{**rule, "sds": 10}], *OURS) == {"44.68": 0, "32.6": 0, "9.5": 0}


def test_a_single_number_has_no_wrong_answer():
    assert [line.wrong != line.wrong for line in verdicts([TOLERANCE], (FCRM2, 45.0))] == [True] * 4


def test_of_three_rows_in_order_no_other_order_agrees():
    assert wrong([TREND], *OURS) == {"44.68": 0, "32.6": 0, "9.5": 0}
    assert wrong([{**TREND, "at_least": 0.3}], *OURS)["32.6"] == pytest.approx(2 / 5)  # two swap neighbours


@pytest.mark.parametrize("at_least", [-1, 0, 0.4, 0.9])
def test_all_orders_are_counted_where_there_are_few(at_least):
    published, ours = [1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 3.0, 5.0, 7.0, 11.0]
    others = [order for order in permutations(ours) if list(order) != ours]
    expected = sum(kendalltau(published, order).statistic >= at_least - 1e-12 for order in others) / len(others)
    assert shuffles_that_pass(published, ours, 0, at_least) == pytest.approx(expected)


def test_random_orders_estimate_it_where_there_are_many():
    numbers = [float(i) for i in range(9)]
    found = shuffles_that_pass(numbers, numbers, 0, 0.0)
    assert found == pytest.approx(0.5, abs=0.06)  # tau is symmetric about 0; four standard errors
    assert found == shuffles_that_pass(numbers, numbers, 0, 0.0)


def test_is_said_with_the_verdict():
    assert words("close", 0.123) == "close, and 12 % of wrong answers would be"
    assert words("close", float("nan")) == "close"
    assert (is_weak(0.5), is_weak(0.499), is_weak(float("nan"))) == (True, False, False)
