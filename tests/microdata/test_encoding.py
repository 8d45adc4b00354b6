"""Categories as codes and back: what was not changed comes back as it was, in type, order and text."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdclab.base.errors import SdclabError
from sdclab.microdata.attribute import Attribute
from sdclab.microdata.inference import attributes
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.reading import read
from sdclab.microdata.roles import unfit
from sdclab.microdata.writing import write

N = 120


def frame():
    rng = np.random.default_rng(3)
    made = pd.DataFrame(
        {
            "int8": rng.integers(1, 6, N).astype("int8"),
            "Int64": pd.array([*rng.integers(0, 50, N - 1), None], dtype="Int64"),
            "float32": rng.random(N).round(2).astype("float32"),
            "float64": rng.random(N),
            "gaps": np.where(rng.random(N) < 0.1, np.nan, rng.integers(0, 50, N)),
            "bool": rng.random(N) > 0.5,
            "boolean": pd.array([True, False, None] * 40, dtype="boolean"),
            "flag": rng.integers(0, 2, N),
            "category": pd.Categorical(rng.choice(["x", "y", "z"], N), categories=["z", "y", "x", "unused"]),
            "ordered": pd.Categorical(["low", "top", None] * 40, categories=["low", "mid", "top"], ordered=True),
            "numbers": pd.Categorical(rng.integers(1, 4, N)),
            "text": rng.choice([" a", "b"], N),
            "object": pd.Series(rng.choice(["a", "b"], N), dtype=object),
            7: rng.random(N).round(1),
        }
    )
    return made.set_axis(pd.Index([f"key {i}" for i in range(N)], name="key"))


def test_a_frame_comes_back_as_it_was():
    original = frame()
    table = Microdata.of_frame(original)
    about = attributes(table, table.columns)
    values = table.encoded(table.columns, about)
    assert values.shape == (N, 14)
    again = table.released(table.columns, values, (), about).as_frame()
    pd.testing.assert_frame_equal(again, original)
    fewer = table.rows(np.arange(N) % 3 == 0).released(["7"], values[::3, -1:], ["text"], about[-1:]).as_frame()
    pd.testing.assert_frame_equal(fewer, original.iloc[::3].drop(columns="text"))


def test_arrow_types_come_back():
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(3)
    columns = {"int32[pyarrow]": rng.integers(0, 90, N), "float[pyarrow]": rng.random(N)}
    original = pd.DataFrame({kind: pd.Series(values, dtype=kind) for kind, values in columns.items()})
    original["words"] = pd.Series(["q", "r", None] * 40, dtype="string[pyarrow]")
    original["flags"] = pd.Series([True, False, None] * 40, dtype="bool[pyarrow]")
    table = Microdata.of_frame(original)
    about = attributes(table, table.columns)
    again = table.released(table.columns, table.encoded(table.columns, about), (), about).as_frame()
    assert again.dtypes.tolist() == original.dtypes.tolist()
    assert again[["flags", "int32[pyarrow]"]].equals(original[["flags", "int32[pyarrow]"]])
    assert again["words"].fillna("").tolist() == original["words"].fillna("").tolist()


def test_codes_are_places_among_the_categories():
    table = Microdata.of_frame(pd.DataFrame({"x": ["b", "a", None, " b", "?"]}))
    attribute = Attribute("x", "nominal", categories=("a", "b", "c"), gaps=True)
    np.testing.assert_array_equal(table.encoded(["x"], [attribute])[:, 0], [1, 0, np.nan, 1, np.nan])
    assert table.gaps(["x"]).tolist() == [False, False, True, False, True]
    codes = np.array([[2], [1], [0], [np.nan], [np.nan]])
    assert table.released(["x"], codes, (), [attribute]).frame["x"].tolist() == ["c", "b", "a", "", "?"]
    with pytest.raises(SdclabError, match="2 values of column x are not among its categories"):
        table.encoded(["x"], [Attribute("x", "nominal", categories=("a", "c"))])


def test_a_category_that_no_record_has():
    for cells, label, expected in (
        (pd.Series([1, 2] * 5), "3", 3),
        (pd.Series([True, True]), "False", False),
        (pd.Series(pd.Categorical(["a", "a"], categories=["a", "b"])), "b", "b"),
    ):
        table = Microdata.of_frame(pd.DataFrame({"x": cells}))
        attribute = Attribute("x", "nominal", categories=(*table.levels("x").labels, label))
        made = table.released(["x"], np.full((len(cells), 1), len(attribute.categories) - 1.0), (), [attribute])
        assert made.frame["x"].tolist() == [expected] * len(cells)
        assert made.frame["x"].dtype == cells.dtype


def test_whole_numbers_that_became_broken_stay_so():
    """Nothing is rounded here; that is for whoever fits values to a domain."""
    table = Microdata.of_frame(pd.DataFrame({"x": np.arange(4, dtype="int8")}))
    attribute = Attribute("x", "count")
    assert table.released(["x"], np.full((4, 1), 0.5), (), [attribute]).frame["x"].tolist() == [0.5] * 4
    assert table.released(["x"], np.full((4, 1), 1000.0), (), [attribute]).frame["x"].tolist() == [1000] * 4
    assert table.released(["x"], np.full((4, 1), 7.0), (), [attribute]).frame["x"].dtype == "int8"


CSV = """name,sex,region,price,count,score,flag
Ann ,f,01,1.50,3,0.5,1
Bob, m,02,2.00,,1.25,0
Cem,f,01,0.25,5,1.0,1
Dan,?,02,4.00,8,7.75,0
"""


def test_a_file_comes_back_to_the_byte(here):
    Path("in.csv").write_text(CSV)
    table = read(Path("in.csv"))
    columns = [column for column in table.columns if column != "name"]
    about = attributes(table, columns)
    assert [each.type for each in about] == ["nominal", "nominal", "continuous", "count", "continuous", "nominal"]
    write(table.released(columns, table.encoded(columns, about), (), about), Path("out.csv"))
    assert Path("out.csv").read_text() == CSV


def test_decimals_are_those_of_the_file(here):
    """Zeros at the end if the file has them; none is cut off that a number has."""
    Path("in.csv").write_text(CSV)
    table = read(Path("in.csv"))
    columns = ["price", "score"]
    about = attributes(table, columns)
    assert [each.decimals for each in about] == [2, 2]
    values = np.array([[1.5, 1.5], [2, 2], [0.125, 3], [np.nan, 4]])
    write(table.released(columns, values, [c for c in table.columns if c not in columns], about), Path("out.csv"))
    assert Path("out.csv").read_text() == "price,score\n1.50,1.5\n2.00,2.0\n0.125,3.0\n,4.0\n"


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (pd.DataFrame([[1, 2]], columns=["Secret", "Secret"]), "t: columns 1 and 2 have the same name"),
        (pd.DataFrame([[1, 2]], columns=["1", 1]), "t: columns 1 and 2 have the same name"),
        (
            pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])),
            "t: a MultiIndex is not taken as its columns",
        ),
        (
            pd.DataFrame({"a": [1]}, index=pd.MultiIndex.from_tuples([(1, 2)])),
            "t: a MultiIndex is not taken as its index",
        ),
        (pd.DataFrame({"a": []}), "t: holds no records"),
    ],
)
def test_frames_that_are_none(made, message):
    with pytest.raises(SdclabError, match=message):
        Microdata.of_frame(made, "t")


def test_infinity():
    table = Microdata.of_frame(pd.DataFrame({"a": [1.5, np.inf, np.nan]}))
    with pytest.raises(SdclabError, match="row 2, column a is infinite"):
        table.encoded(["a"], [Attribute("a")])


def test_an_original_is_left_alone():
    original = frame()
    kept = original.copy()
    table = Microdata.of_frame(original)
    assert [unfit(table, column) for column in table.columns] == [""] * 14
    about = attributes(table, ["int8"])
    table.released(["int8"], np.ones((N, 1)), (), about)
    pd.testing.assert_frame_equal(original, kept)
