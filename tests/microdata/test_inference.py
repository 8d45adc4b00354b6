"""Types and domains by what columns hold: nothing in them gives a record away."""

from math import inf

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdclab.base.errors import SdclabError
from sdclab.microdata.attribute import Attribute
from sdclab.microdata.declaration import Declared, types_of
from sdclab.microdata.inference import SHARED, attributes
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.roles import Roles, unfit

N = 120


def table(**columns):
    return Microdata.of_frame(pd.DataFrame(columns), "t")


def texts(values):
    """A column as a CSV file has it."""
    return pd.Series([str(value) for value in values], dtype=object)


def seen(values, **said):
    (found,) = attributes(table(x=values), ["x"], types_of({"x": said}, "here") if said else {})
    return found


def refusal(values, **said):
    with pytest.raises(SdclabError) as caught:
        seen(values, **said)
    assert "Secret" not in str(caught.value)
    return str(caught.value)


class TestTypes:
    @pytest.mark.parametrize(
        ("values", "type", "categories"),
        [
            (texts(["west", "east", " east "] * 40), "nominal", ("east", "west")),
            (pd.Series(["b", "a", None] * 40), "nominal", ("a", "b")),
            (pd.Series([True, False] * 60), "nominal", ("False", "True")),
            (pd.Series([0, 1, 1] * 40), "nominal", ("0", "1")),
            (pd.Series([0.0, 1.0, np.nan] * 40), "nominal", ("0", "1")),
            (texts(["1", "1.0", "2"] * 40), "nominal", ("1", "2")),
            (texts(["010", "002", "011"] * 40), "nominal", ("002", "010", "011")),
            (pd.Categorical(["y", "x", "z"] * 40, categories=["z", "y", "x", "w"]), "nominal", ("x", "y", "z")),
            (pd.Categorical(["mid", "low"] * 60, ["low", "mid", "top"], ordered=True), "ordinal", ("low", "mid")),
            (pd.Series([1, 2, 5] * 40), "count", ()),
            (texts([1, 2, 5] * 40), "count", ()),
            (texts(range(5, 2 * N, 2)), "count", ()),
            (texts([0.5, 2, 5] * 40), "continuous", ()),
        ],
    )
    def test_by_what_a_column_holds(self, values, type, categories):
        found = seen(values)
        assert (found.type, found.categories) == (type, categories)

    def test_gaps(self):
        for values in (["a", "", "b"], ["a", "?", "b"], ["1.5", "NA", "2"], ["0", "nan", "1"]):
            assert seen(texts(values * 40)).gaps
        assert not seen(texts(["a", "b"] * 40)).gaps

    @pytest.mark.parametrize(
        ("values", "decimals"),
        [
            (texts([0.5, 0.25, 3] * 40), 2),
            (texts(["1.50", "2.00"] * 60), 2),
            (texts(["1.5", "2.25", "1e-4"] * 40), 4),
            (pd.Series([0.1, 0.2, 0.7] * 40), 1),
            (pd.Series([0.1, 0.23, 0.7] * 40, dtype="float32"), 2),
            (pd.Series(np.sqrt(np.arange(N) + 2.0)), None),
            (pd.Series(np.sqrt(np.arange(N) + 2.0), dtype="float32"), None),
        ],
    )
    def test_decimals(self, values, decimals):
        found = seen(values)
        assert found.decimals == decimals
        assert not found.outside(table(x=values).numbers("x")).any() or values.dtype == "float32"


class TestBounds:
    @pytest.mark.parametrize(
        ("values", "bounds"),
        [
            (np.linspace(3.3, 977.7, N), (0, inf)),
            (np.linspace(-3.3, 977.7, N), (-inf, inf)),
            (np.linspace(0.013, 0.717, N), (0, 1)),
            (np.linspace(0.3, 97.7, N), (0, 100)),
            (np.linspace(0.3, 77.7, N), (0, inf)),
            (np.tile([1, 2, 3, 4, 5], 24), (1, 5)),
            (np.concatenate([np.full(9, 18), np.arange(19, 90), np.full(10, 90)]), (0, 90)),
        ],
    )
    def test_are_natural(self, values, bounds):
        found = seen(pd.Series(values))
        assert (found.low, found.high) == bounds

    @given(st.lists(st.integers(-5, 105), min_size=3, max_size=60), st.sampled_from([1.0, 0.01, 0.7]))
    def test_are_no_records(self, whole, unit):
        """An extreme is told only if many records share it, or it is a bound that any file might have."""
        values = unit * np.array(whole)
        found = attributes(table(x=values), ["x"], {"x": Declared("continuous")})[0]
        assert found.low <= values.min()
        assert values.max() <= found.high
        for bound in (found.low, found.high):
            assert bound in (-inf, 0, 1, 100, inf) or np.count_nonzero(values == bound) >= SHARED

    def test_masses(self):
        rng = np.random.default_rng(1)
        income = rng.lognormal(8, 1, 300).round(2)
        income[:120] = 0
        hours = np.concatenate([np.full(150, 40), rng.integers(10, 80, 150)])
        assert seen(pd.Series(income)).masses == (0,)
        assert seen(pd.Series(hours)).masses == (40,)
        assert seen(pd.Series(rng.poisson(30, 300))).masses == ()
        assert seen(pd.Series([1, 2, 3, 4, 5] * 40)).masses == ()


class TestDeclared:
    def test_goes_before_what_is_seen(self):
        assert seen(pd.Series([1, 2, 4] * 40), type="nominal").categories == ("1", "2", "4")
        assert seen(pd.Series([3, 1, 2] * 40), type="ordinal").categories == ("1", "2", "3")
        sizes = seen(texts(["S", "L", "M"] * 40), type="ordinal", categories=["S", "M", "L", "XL"])
        assert sizes == Attribute("x", "ordinal", categories=("S", "M", "L", "XL"))
        assert seen(pd.Series([0, 1] * 60), type="count").type == "count"
        assert seen(pd.Series([7.5, 9.25] * 60), low=5, high=10, decimals=3, masses=[7.5]) == Attribute(
            "x", "continuous", 5, 10, 3, masses=(7.5,)
        )

    @pytest.mark.parametrize(
        ("values", "said", "message"),
        [
            (
                ["S", "L", "Secret"],
                {"type": "ordinal", "categories": ["S", "L"]},
                "40 values of column x are not among",
            ),
            (["S", "L"], {"type": "ordinal"}, "column x is ordinal, but has no order; list its categories"),
            ([1, 2, 4], {"type": "ordinal"}, "column x is ordinal, but its numbers have gaps between them; list its"),
            ([1, 2, 2.5], {"type": "count"}, "column x is a count, but 40 of its values are not whole"),
            ([1, 2, -4], {"low": 0}, "40 values of column x lie beyond its bounds"),
            (["Secret", "1"], {"type": "count"}, "row 1, column x is not a number"),
            (["Secret"], {"type": "nominal"}, "column x is nominal, but has fewer than two categories; leave it out"),
        ],
    )
    def test_what_does_not_fit(self, values, said, message):
        assert message in refusal(texts(values * 40) if isinstance(values[0], str) else pd.Series(values * 40), **said)

    def test_as_many_categories_as_records(self):
        assert "is nominal, but has as many categories as records" in refusal(texts([f"Secret{i}" for i in range(9)]))

    def test_a_column_that_is_not_there(self):
        with pytest.raises(SdclabError, match="t: unknown column 'regoin': did you mean region"):
            attributes(table(region=["a", "b"] * 9), ["region"], {"regoin": Declared("nominal")})


class TestRoles:
    def test_text_is_protected_unless_it_names_the_records(self):
        assert Roles.of(table(x=np.arange(0, N, 1.5), town=["Bonn", "Jena"] * 40)).dependent == ("x", "town")
        for words, problem in (
            ([f"Secret{i}" for i in range(N)], "names the records"),
            ([f"Secret{i // 2 if i < 80 else i}" for i in range(N)], "of all kinds"),
            (["Secret"] * N, "is constant"),
        ):
            with pytest.raises(SdclabError, match=f"words .*{problem}; name such columns in --pass-through") as caught:
                Roles.of(table(x=np.sqrt(np.arange(N)), words=words))
            assert "Secret" not in str(caught.value)

    @pytest.mark.parametrize(
        ("values", "problem"),
        [
            (pd.date_range("2020-01-01", periods=N), "holds time stamps"),
            ([pd.Timestamp("2020-01-01").date()] * N, "holds time stamps"),
            (pd.timedelta_range("1h", periods=N), "holds time stamps"),
            (1j * np.arange(N), "holds complex numbers"),
            (pd.Series(["a", 1] * 60, dtype=object), "holds values of mixed types"),
            (pd.Series([True, "a"] * 60, dtype=object), "holds values of mixed types"),
            (pd.Series([b"a"] * N, dtype=object), "holds values of mixed types"),
        ],
    )
    def test_what_is_neither_number_nor_category(self, values, problem):
        assert unfit(table(x=values), "x") == problem
        assert f"t: column x {problem}; make numbers or categories of it" in refusal(values)
