"""What is told about a table: what holds in it, and no value of a record."""

import shlex

import numpy as np
import pandas as pd
import pytest

from sdclab.base.names import names_of
from sdclab.microdata import description
from sdclab.microdata.declaration import Declared
from sdclab.microdata.description import describe, identities
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.roles import Roles

N = 200


def described(columns, **declared):
    return describe(Microdata.of_frame(pd.DataFrame(columns), "t.csv"), declared)


class TestIdentities:
    rng = np.random.default_rng(1)
    a, b, c, d = rng.lognormal(8, 1, (4, N)).round(2)

    @pytest.mark.parametrize(
        ("columns", "found"),
        [
            ({"a": a, "b": b, "total": a + b}, ("total = a + b",)),
            ({"a": a, "b": b, "c": c, "total": a + b + c}, ("total = a + b + c",)),
            ({"a": a, "b": b, "c": c, "net": a - b - c}, ("a = b + c + net",)),
            ({"a": a, "same": a, "b": b}, ("a = same",)),
            ({"a": a, "less": -a, "b": b}, ("a = - less",)),
            ({"a": a, "b": b, "c": c, "d": a + b - c}, ("a = c + d - b",)),
            ({"a": a, "b": b, "c": a + b, "d": d, "e": a + b + d}, ("c = a + b", "e = c + d", "e = a + b + d")),
            ({"a": a, "b": b, "half": a / 2 + b / 2}, ()),
            ({"a": a, "b": b, "c": c, "d": d}, ()),
            ({"a": a, "b": b, "nearly": np.append((a + b)[:-1], 1.5)}, ()),
        ],
    )
    def test_are_found_by_rank(self, columns, found):
        assert set(described(columns).identities) == set(found)

    def test_hold_in_every_record_not_only_in_those_looked_at(self):
        rng = np.random.default_rng(2)
        values = rng.integers(1, 1000, (10_001, 2)).astype(float)
        whole = np.column_stack([values, values.sum(axis=1)])
        assert identities(whole) == [{0: 1, 1: 1, 2: -1}]
        whole[1, 2] += 1
        assert identities(whole) == []

    def test_few_records_show_nothing(self):
        assert identities(np.array([[1.0, 2, 3], [3, 4, 7]])) == []

    def test_equalities_do_not_count_zeros_in_common(self):
        one = np.where(np.arange(N) < 100, 0, self.a)
        other = one.copy()
        other[180:] = self.b[180:]
        (line,) = described({"one": one, "other": other}).equalities
        assert line == "in 80 % of the records in which they are not both 0: one = other"
        other[120:] = self.b[120:]
        assert described({"one": one, "other": other}).equalities == ()


class TestOneToOne:
    grade = np.arange(N) % 4
    names = np.array(["one", "two", "three", "four"])[grade]

    @pytest.mark.parametrize(
        ("other", "found"),
        [
            (np.array([9.5, 3, 7, 1])[grade], True),
            (np.array(["d", "a", "c", "b"])[grade], True),
            (np.where(np.arange(N) < 20, np.nan, grade * 2.0), True),
            (np.array([9.5, 3, 7, 7])[grade], False),
            (np.append(np.array([9.5, 3, 7, 1])[grade[:-1]], 9.5), False),
            (np.arange(N) % 5, False),
        ],
        ids=["a number", "a category", "with gaps", "told one way", "but for a record", "unrelated"],
    )
    def test_a_category_and_its_code(self, other, found):
        lines = described({"name": self.names, "code": other}).equalities
        assert lines == (("in every record each tells the other: name and code",) if found else ())

    def test_not_of_numbers_alone_nor_of_few_records(self):
        assert described({"a": self.grade, "b": 3.5 * self.grade**2}).equalities == ()
        few = {"name": self.names[:30], "code": self.grade[:30] * 2.5}
        assert described(few).equalities == ()


class TestManyColumns:
    """A cheaper look chooses the pairs that are compared; what it finds is what looking at all of them would."""

    def frame(self):
        rng = np.random.default_rng(2)
        values = rng.integers(0, 500, (N, 60)).astype(float)
        values[:, 7] = np.where(rng.random(N) < 0.6, values[:, 3], values[:, 7])
        values[rng.random(N) < 0.7, 20] = 0
        values[:, 21] = np.where(rng.random(N) < 0.8, values[:, 20], 0)
        columns = {f"c{j}": column for j, column in enumerate(values.T)}
        columns["town"] = rng.choice(["Bonn", "Jena", "Kiel"], N)
        columns["code"] = [{"Bonn": 3, "Jena": 1, "Kiel": 7}[town] for town in columns["town"]]
        columns["other"] = rng.choice([1, 2, 5], N)
        return columns

    def test_the_same_is_found(self, monkeypatch):
        columns = self.frame()
        all_pairs = described(columns).equalities
        assert len(all_pairs) == 3
        monkeypatch.setattr(description, "MANY", 2)
        assert described(columns).equalities == all_pairs

    def test_few_pairs_are_compared(self):
        values = np.random.default_rng(1).standard_normal((N, 400))
        values[:, 9] = values[:, 2]
        assert description._alike(values) == [(2, 9)]

    def test_what_a_crowd_shares_says_nothing_of_two(self):
        assert description._alike(np.ones((N, description.CROWD + 1))) == []
        assert len(description._alike(np.ones((N, 3)))) == 3


class TestNoValues:
    def test_rare_categories_and_extremes_are_not_told(self):
        rng = np.random.default_rng(1)
        income = rng.lognormal(8, 1, N).round(2)
        income[7] = 4711471.25
        columns = {
            "town": ["Bonn"] * 120 + ["Jena"] * 60 + ["Kiel"] * 11 + ["Secret"] * 9,
            "income": income,
            "name": [f"Secret{i}" for i in range(N)],
        }
        text = "\n".join(described(columns).lines())
        assert "Secret" not in text
        assert "4711" not in text
        assert "nominal, 4 categories: Bonn 120, Jena 60; 2 rare and not shown" in text  # 9 = 200 - 120 - 60 - 11
        assert "income  continuous, at least 0, decimals: 2" in text
        assert "name    holds text that names the records" in text

    def test_the_smallest_shown_stays_if_others_hide_among_themselves(self):
        found = described(
            {"town": ["Bonn"] * 180 + ["Jena"] * 8 + ["Kiel"] * 7 + ["Ulm"] * 5, "x": np.arange(0, 400, 2)}
        )
        assert found.columns[0].counts == {"Bonn": 180}


def test_all_of_it():
    rng = np.random.default_rng(1)
    columns = {
        "id": np.arange(1, N + 1),
        "case": np.cumsum(rng.integers(1, 9, N)),
        "sex": rng.choice(["f", "m"], N),
        "visits": np.where(rng.random(N) < 0.8, 0, rng.integers(1, 90, N)).astype(float),
        "share": rng.uniform(0.1, 0.9, N),
    }
    columns["visits"][3] = np.nan
    found = described(columns)
    assert [each.unfit for each in found.columns] == ["numbers the records", "", "", "", ""]
    assert [each.suspect for each in found.columns] == [False, True, False, False, False]
    lines = list(found.lines())
    assert lines[0] == "t.csv: 200 records, 5 columns"
    assert lines[2] == "  case    count, at least 0; may be an identifier: it rises from record to record"
    assert lines[4] == "  visits  count, at least 0, many records have 0; missing in 1"
    assert lines[5] == "  share   continuous, at least 0, at most 1, any decimals"
    assert found.command("my file.csv") == "sdclab map 'my file.csv' --drop-columns id"


def test_the_command_leaves_out_what_cannot_be_protected():
    columns = {"a, b": ["x"] * N, "-c": [f"n{i}" for i in range(N)], "d": np.sqrt(np.arange(N))}
    words = shlex.split(described(columns).command("t.csv"))
    left_out = names_of(words[words.index("--drop-columns") + 1])
    assert left_out == ("a, b", "-c")
    assert Roles.of(Microdata.of_frame(pd.DataFrame(columns)), dropped=left_out).dependent == ("d",)


def test_declared_types_are_believed():
    found = described({"grade": [1, 2, 3, 4] * 50, "x": np.sqrt(np.arange(N))}, grade=Declared("ordinal"))
    assert found.columns[0].domain() == "ordinal, 4 categories: 1 50, 2 50, 3 50, 4 50"
