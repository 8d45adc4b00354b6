"""impossible: by hand, kind by kind."""

import numpy as np
import pytest

from sdclab import measure as measure_frames
from sdclab.measures import measure
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.rules import Rules, parse

AGE = Attribute("age", "count", low=0, high=100)
SHARE = Attribute("share", low=0, high=1, decimals=2)
DEBT = Attribute("debt", high=0)
REGION = Attribute("region", "nominal", categories=("east", "west"))
GRADE = Attribute("grade", "ordinal", categories=("low", "middle", "high"))


def impossible(original, protected, columns=None):
    found = measure("impossible", original, protected, original[:, :0], {}, columns)
    assert sum(value for name, value in found.items() if name.startswith("impossible_")) == pytest.approx(
        found["impossible"]
    )
    return found


def shares(attribute, before, after):
    """What is not 0, of one attribute."""
    found = impossible(*(np.array(each, dtype=float)[:, None] for each in (before, after)), Attributes((attribute,)))
    return {name.removeprefix("impossible_"): value for name, value in found.items() if value and name != "impossible"}


@pytest.mark.parametrize(
    ("attribute", "released", "expected"),
    [
        (AGE, [0, 100, 30, 7], {}),
        (AGE, [-1, 101, 30.5, 7], {"sign": 25, "bounds": 25, "decimals": 25}),
        (AGE, [-0.5, -3.5, 200.5, 7], {"sign": 50, "bounds": 25}),
        (SHARE, [0.25, 0.333, 1.2, -0.1], {"sign": 25, "bounds": 25, "decimals": 25}),
        (DEBT, [-5, -1e6, 2, 0], {"sign": 25}),
        (REGION, [0, 1, 2, -1], {"categories": 50}),
        (REGION, [0, 1, 0.5, 1], {"categories": 25}),
        (GRADE, [0, 1, 2, 3], {"categories": 25}),
        (Attribute("any"), [-1e9, 0.123456789, 3, 1e9], {}),
        (Attribute("from ten", low=10), [5, -5, 10, 11], {"sign": 25, "bounds": 25}),
    ],
)
def test_by_hand(attribute, released, expected):
    assert shares(attribute, [0, 1, 0, 1], released) == expected


def test_every_value_of_the_file_counts_alike():
    original = np.array([[30, 0], [40, 1.0]])
    found = impossible(original, np.array([[-30, 0], [40, 5.0]]), Attributes((AGE, REGION)))
    assert found["impossible"] == 50
    assert found["impossible_sign"] == found["impossible_categories"] == 25


def test_rounding_and_gaps_are_not_impossible():
    assert shares(SHARE, [0.3, 0.9, 0.2, 1], [0.1 + 0.2, 3 * 0.3, np.nan, 1 + 1e-15]) == {}
    assert shares(SHARE, [0.3, 0.9, 0.2, 1], [0.301, 0.9, 0.2, 1]) == {"decimals": 25}


class TestNumbersOfWhichNothingIsTold:
    def test_have_the_sign_and_the_decimals_of_the_original(self, rng):
        original = np.round(rng.lognormal(0, 1, (50, 1)), 2)
        released = original.copy()
        released[:5], released[5:15] = -1.0, original[5:15] + 0.001
        found = impossible(original, released)
        assert (found["impossible_sign"], found["impossible_decimals"]) == (10, 20)

    def test_have_no_bound_that_a_single_record_gave(self, rng):
        original = rng.standard_normal((50, 1))
        assert impossible(original, 100 * original)["impossible"] == 0

    def test_may_have_gaps(self):
        original = np.array([[1.5, np.nan], [np.nan, np.nan], [2.5, np.nan]])
        released = np.array([[-1.5, np.nan], [2.0, np.nan], [2.25, np.nan]])
        assert impossible(original, released)["impossible"] == pytest.approx(100 * 2 / 6)

    def test_zeros_and_ones_are_bounds(self):
        original = np.repeat([[0.0], [1.0]], 20, axis=0)
        released = original + np.append(np.zeros(38), [0.5, -0.5])[:, None]
        assert impossible(original, released)["impossible"] == 5


def test_a_file_that_another_program_wrote_is_seen_as_it_came(people):
    """Ages of 20 to 80, with all their digits: what is told is the sign."""
    released = people.copy()
    released.loc[:14, "income"] = -1.0
    found = measure_frames(people, released, measures=["impossible"]).set_index("quantity")["value"]
    assert found["impossible_sign"] == pytest.approx(100 * 15 / 150)


def test_a_record_that_breaks_a_rule_counts_in_all_columns_of_the_rule():
    """By hand: one of four records breaks tax <= wage, and its tax lies outside already."""
    names = ("wage", "tax", "age")
    columns = Attributes(tuple(Attribute(name, low=0, high=9) for name in names))
    rules = Rules((parse("tax <= wage", names),), names)
    original = np.array([[5.0, 1, 3], [6, 2, 3], [7, 3, 3], [8, 4, 4]])
    released = original.copy()
    released[0, 1], released[1, 1] = 10.0, 7.0
    found = measure("impossible", original, released, original[:, :0], {}, columns, rules=rules)
    assert found["impossible_bounds"] == pytest.approx(100 / 12)
    assert found["impossible_rules"] == pytest.approx(300 / 12)  # both of the second record, the wage of the first
    assert found["impossible"] == pytest.approx(400 / 12)
    assert found["rules_broken"] == 50


def test_records_that_break_a_rule_are_counted_though_all_their_values_lie_outside():
    """Numbers of which nothing is told but a rule: decimals that the original has not hide no broken rule."""
    names = ("wage", "tax")
    original = np.array([[5.0, 1], [6, 2], [7, 3], [8, 4]])
    released = original + np.array([0.5, 0.25])
    released[0] = 1.5, 9.25
    found = measure(
        "impossible", original, released, original[:, :0], {}, rules=Rules((parse("tax <= wage", names),), names)
    )
    assert (found["impossible_decimals"], found["impossible_rules"], found["rules_broken"]) == (100, 0, 25)
    assert measure("impossible", original, released, original[:, :0])["rules_broken"] == 0
