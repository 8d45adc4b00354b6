"""tables: against closed forms on tiny tables and pandas' cross-tabulation."""

from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from sdclab.measures import measure
from sdclab.microdata.attribute import Attribute, Attributes

REGION = Attribute("region", "nominal", categories=("east", "north", "west"))
GRADE = Attribute("grade", "ordinal", categories=("low", "middle", "high", "top"))
INCOME = Attribute("income")


def tables(original, protected, independent=None, columns=None):
    beside = np.empty((len(original), 0)) if independent is None else independent
    return measure("tables", original, protected, beside, {}, columns)


def column(*values):
    return np.array(values, dtype=float)[:, None]


class TestByHand:
    def test_of_one_nominal_attribute(self):
        """1/2, 1/4, 1/4 become 1/4, 1/4, 1/2: a quarter of the records would have to change."""
        found = tables(column(0, 0, 1, 2), column(0, 1, 2, 2), columns=Attributes((REGION,)))
        assert found == {"tables": 25, "tables_one": 25, "tables_two": pytest.approx(np.nan, nan_ok=True)}

    def test_what_is_kept_by_itself_may_be_lost_together(self):
        """Margins stay; of four cells two are emptied and two are filled."""
        x = np.array([[0, 0], [0, 0], [1, 1], [1, 1.0]])
        released = np.column_stack([x[:, 0], [1, 1, 0, 0]])
        both = Attributes((REGION, GRADE))
        assert tables(x, released, columns=both) == {
            "tables": pytest.approx(100 / 3), "tables_one": 0, "tables_two": 100
        }  # fmt: skip
        assert tables(x[:, 1:], released[:, 1:], x[:, :1], Attributes((GRADE,), (REGION,))) == {
            "tables": 50, "tables_one": 0, "tables_two": 100
        }  # fmt: skip

    @pytest.mark.parametrize("columns", [None, Attributes((REGION, GRADE))])
    def test_disjoint_supports_are_as_far_apart_as_can_be(self, columns):
        x = np.array([[0, 0], [0, 1], [1, 1], [1, 0.0]])
        assert set(tables(x, x + 2, columns=columns).values()) == {100}

    def test_numbers_that_change_places_change_no_table_and_other_deciles_do(self, rng):
        x = np.arange(100.0)[:, None]
        assert tables(x, rng.permutation(x))["tables"] == 0
        assert tables(x, np.where(x < 10, 15, x))["tables"] == 10  # the lowest tenth joins the next
        assert tables(x, np.where(x < 10, 5, x))["tables"] == 0  # inside a decile nothing is seen
        assert tables(x, x // 10 * 10 + 4)["tables"] == 0


class TestTies:
    def test_a_spike_does_not_hide_among_its_neighbours(self):
        """80 % zeros: a release near zero has lost them all, one below zero as well."""
        x = np.append(np.zeros(80), np.arange(1, 21))[:, None]
        assert tables(x, x)["tables"] == 0
        for moved in (0.01, -0.01):
            assert tables(x, np.where(x == 0, moved, x))["tables"] == 80

    def test_a_rare_value_beside_a_spike_counts(self):
        flags = np.repeat([[0.0], [1.0]], [95, 5], axis=0)
        assert tables(flags, 0 * flags)["tables"] == 5
        assert tables(flags, 1 - flags)["tables"] == 90

    def test_what_lies_outside_the_original_counts(self):
        x = np.arange(100.0)[:, None]
        assert tables(x, np.where(x < 32, -1 - x, x))["tables"] == 32
        assert tables(x, np.where(x < 32, 200 + x, x))["tables"] == 32

    def test_of_a_constant_only_equality_counts(self):
        x = np.full((10, 1), 0.1 * 3)
        assert tables(x, np.full((10, 1), 0.3))["tables"] == 0  # but for rounding
        assert tables(x, x + 1e-6)["tables"] == 100

    @pytest.mark.parametrize("unit", [0.1, 1 / 3, 1e-7, 1e5])
    def test_units_do_not_decide_on_which_side_of_a_border_a_value_lies(self, unit, rng):
        x, released = rng.integers(0, 11, (2, 101, 2)).astype(float)
        plain = tables(x, released)
        assert tables(unit * x, unit * released) == plain
        assert tables(x, released + 1e-13) == plain


def cut(values, original):
    """Parts of the original's range by comparing with one border after the other."""
    borders = [np.quantile(original, level / 10) for level in range(11)]
    names = []
    for value in values:
        spike = [b for b in borders if b == value and borders.count(b) > 1]
        if value > borders[-1]:
            names.append("above")
        elif spike:
            names.append(f"at {spike[0]}")
        else:
            below = {b for b in borders[:-1] if b <= value} | {b for b in borders if b < value}
            names.append(f"from {max(below)}" if below else "below")
    return names


def test_equals_the_cross_tabulations_of_pandas(rng):
    """All tables with a dependent, of four types, with a spike, ties and values outside."""
    n = 400
    spike = np.where(rng.random(n) < 0.4, 0, rng.exponential(10, n))
    y = np.column_stack([spike, rng.integers(0, 3, n), rng.integers(0, 4, n), rng.poisson(2, n)])
    x = np.column_stack([rng.normal(size=n), rng.integers(0, 3, n)])
    released = np.column_stack([spike * rng.lognormal(0, 0.2, n) - 0.1, *np.minimum(rng.permutation(y[:, 1:]).T, 2)])
    both = Attributes((INCOME, REGION, GRADE, Attribute("visits", "count")), (INCOME, REGION))

    def frame(values):
        parts = {}
        for j, (column, reference) in enumerate(zip(values.T, np.column_stack([y, x]).T, strict=True)):
            parts[j] = column if j in (1, 2, 5) else cut(column, reference)
        return pd.DataFrame(parts)

    before, after = frame(np.column_stack([y, x])), frame(np.column_stack([released, x]))

    def distance(*names):
        a, b = (each.groupby(list(names)).size() / n for each in (before, after))
        return 50 * a.sub(b, fill_value=0).abs().sum()

    def crossed(first, second):
        a, b = (pd.crosstab(each[first], each[second], normalize=True) for each in (before, after))
        return 50 * a.sub(b, fill_value=0).fillna(0).abs().to_numpy().sum()

    one = [distance(j) for j in range(4)]
    two = [crossed(i, j) for i, j in combinations(range(6), 2) if i < 4]
    assert len(two) == 6 + 8
    assert two == pytest.approx([distance(i, j) for i, j in combinations(range(6), 2) if i < 4])
    assert tables(y, released, x, both) == pytest.approx(
        {"tables": np.mean(one + two), "tables_one": np.mean(one), "tables_two": np.mean(two)}
    )


def test_a_table_of_many_cells_is_counted_as_any(rng):
    """10,000 cells, of which 60 records fill few."""
    many = Attribute("place", "nominal", categories=tuple(map(str, range(100))))
    x = np.column_stack([rng.integers(0, 100, 60), rng.integers(0, 100, 60)]).astype(float)
    x[:2] = [[0, 0], [99, 99]]
    released = np.where(rng.random(60)[:, None] < 0.5, x, x[::-1, ::-1])
    first, second = (Counter(map(tuple, each.tolist())) for each in (x, released))
    expected = 100 * sum(abs(first[each] - second[each]) for each in first | second) / 2 / 60
    assert 20 < expected < 80
    assert tables(x, released, columns=Attributes((many, many)))["tables_two"] == pytest.approx(expected)
