"""Reading files that a user might have: nothing guessed, nothing told that is not the release's."""

import csv
import io
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from samples import MDAV

from sdclab.base.errors import SdclabError
from sdclab.experiment.data import dataset_of
from sdclab.microdata import manifest, reading, retrieve
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.reading import SEPARATORS, _parsed, read
from sdclab.microdata.roles import Roles
from sdclab.microdata.writing import write


def table(content, **options):
    """A CSV file of this content, read."""
    path = Path("in.csv")
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read(path, **options)


def refusal(content, **options):
    """Why a CSV file of this content is refused; no value of it, all of which hold `Secret`, is told."""
    with pytest.raises(SdclabError) as caught:
        table(content, **options)
    assert "Secret" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


@pytest.mark.usefixtures("here")
class TestQuotes:
    """RFC 4180: a field is bare, without any quote, or in quotes, with every quote in it written twice."""

    @pytest.mark.parametrize("separator", SEPARATORS)
    @pytest.mark.parametrize(
        ("field", "problem"),
        [
            ('"Secret', "line 3 (the header is line 1), field 2 begins with a quote that is never closed"),
            ('"Secret""', "line 3 (the header is line 1), field 2 begins with a quote that is never closed"),
            ('Secret"', "line 3 (the header is line 1), field 2 has a quote but is not in quotes"),
            ('5" Secret', "line 3 (the header is line 1), field 2 has a quote but is not in quotes"),
            (' "Secret"', "line 3 (the header is line 1), field 2 has a quote but is not in quotes"),
            ('Secret""', "line 3 (the header is line 1), field 2 has a quote but is not in quotes"),
            ('"Secret" ', "line 3 (the header is line 1), field 2 goes on after its closing quote"),
            ('"a \\"Secret\\" b"', "line 3 (the header is line 1), field 2 goes on after its closing quote"),
            ('"" Secret', "line 3 (the header is line 1), field 2 goes on after its closing quote"),
            ('"Secret\nSecret"', "line 3 (the header is line 1), field 2 holds a line break, or a quote is missing"),
            ('"Secret\rSecret"', "line 3 (the header is line 1), field 2 holds a line break, or a quote is missing"),
        ],
    )
    def test_misplaced(self, separator, field, problem):
        lines = ["a,name,b", "1,x,2", f"3,{field},4", "5,y,6", "7,z,8"]
        assert problem in refusal("\n".join(lines).replace(",", separator) + "\n")

    @pytest.mark.parametrize("separator", SEPARATORS)
    def test_one_quote_more_or_less_anywhere(self, separator):
        """By brute force: the file is refused, or its records are as many as before, each with its own numbers."""
        rows = [("1", 'a "b"', "2.5"), ("3", f"c{separator}d", "4.5"), ("5", "", "6.5"), ("7", "e", "8.5")]
        right = io.StringIO()
        csv.writer(right, delimiter=separator, lineterminator="\n").writerows([("x", "text", "y"), *rows])
        content = right.getvalue()
        assert table(content).frame.to_numpy().tolist() == [list(row) for row in rows]
        wrong = [content[:i] + '"' + content[i:] for i in range(len(content) + 1)]
        wrong += [content[:i] + content[i + 1 :] for i in range(len(content)) if content[i] == '"']
        accepted = 0
        for changed in wrong:
            try:
                made = table(changed)
            except SdclabError:
                continue
            accepted += 1
            assert [(row[0], row[2]) for row in made.frame.to_numpy()] == [(row[0], row[2]) for row in rows]
        assert accepted < len(wrong) / 5

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_line_ends(self, end):
        made = table(end.join(['a,"b"', "1,2", '"3",4', ""]))
        assert made.frame.to_numpy().tolist() == [["1", "2"], ["3", "4"]]
        assert made.columns == ("a", "b")

    def test_line_ends_that_disagree(self):
        assert "in.csv: some lines end with a carriage return alone" in refusal("a\n1\r2\n3\n")
        assert table("a\n1\r\n2\n").frame["a"].tolist() == ["1", "2"]

    def test_line_breaks_that_were_asked_for_are_told(self):
        said = []
        content = '"a\nb",text\n1,"x\ny\nz"\n2,u\n'
        assert "line 1 (the header is line 1), field 1 holds a line break" in refusal(content)
        made = table(content, line_breaks=True, say=said.append)
        assert made.columns == ("a b", "text")
        assert made.frame["text"].tolist() == ["x\ny\nz", "u"]
        assert said == ["in.csv: 1 fields hold line breaks, the longest 3 lines"]
        assert "never closed" in refusal('a,text\n1,"Secret\n2,u\n', line_breaks=True)

    def test_other_bytes(self):
        assert "in.csv: line 3 holds a null character" in refusal("a\n1\n\0\n")
        assert "in.csv: is not UTF-8 text, first in line 3; save it as UTF-8" in refusal(b"a\n1\nSecr\xe9t\n")
        assert "is not UTF-8" in refusal("a,b\n1,2\n".encode("utf-16"))
        assert "line 3 has a field of more than 131072 characters" in refusal("a,b\n1,2\n3," + "Secret" * 30_000)


NAMES = pd.DataFrame(
    {
        "name": ["Secret Ann", "Secret Bob", "Secret Cem", "Secret Dan"],
        "town": ["Secret Bonn", "Secret Jena", "Secret Bonn", "Secret Kiel"],
        "income": [4711.5, 4712.5, 4713.5, 4714.5],
    }
)


@pytest.mark.usefixtures("here")
class TestHeader:
    """A record in place of the names is not shown as such."""

    @pytest.mark.parametrize(
        ("columns", "problem"),
        [
            (["name", "town", "income"], "field 3 of it looks like a value"),
            (["name", "town"], "field 2 of it is a value in its column, too"),
            (["name"], "no column of numbers tells it from the records"),
        ],
    )
    def test_a_file_without_one(self, columns, problem):
        content = NAMES[columns].to_csv(index=False, header=False)
        assert f"in.csv: the first line must name the columns, but {problem}; if it does" in refusal(content)
        assert refusal(content.replace(",", ";")) == refusal(content)

    @pytest.mark.parametrize(
        "value",
        [
            "4711",
            "4711.5",
            "4,711.5",
            "$4711",
            "<5",
            "12 %",
            "1e5",
            "NA",
            "?",
            "NaN",
            "2020-02-29",
            "29.2.2020",
            "10:30",
            "2020-02-29T10:30Z",
            "29-Feb-2020",
            "+49 30 4711",
            "ann@example.org",
        ],
    )
    def test_what_looks_like_a_value(self, value):
        quoted = f'"{value}"'
        assert "field 2 of it looks like a value" in refusal(f"Secret,{quoted}\nSecret,1\nSecret,2\n")

    @pytest.mark.parametrize("name", ["x1", "1st", "#", "%", "income (EUR)", "a.b", "Größe", "年", "2nd income", "Na"])
    def test_what_is_a_name(self, name):
        assert table(f"{name},y\n1,2\n3,4\n").columns == (name, "y")

    def test_the_way_out(self, run):
        """Years as names; a name that is a value in its column; nothing but text."""
        content = "2019,2020,smoker\n4,5,smoker\n6,8,no\n7,3,no\n2,1,smoker\n9,9,no\n"
        assert "field 1 of it looks like a value" in refusal(content)
        made = table(content, header=True)
        assert made.columns == ("2019", "2020", "smoker")
        arguments = ("--method", "mdav", "--k", 2, "--drop-columns", "smoker", "-o", "out.csv")
        assert run("protect", "in.csv", *arguments)[0] == 2
        assert run("protect", "in.csv", *arguments, "--header")[0] == 0
        assert Path("out.csv").read_text().startswith("2019,2020\n")
        assert table("name\nAnn\nBob\n", header=True).columns == ("name",)

    def test_names_that_cannot_be_told_apart(self):
        assert refusal("Secret,b,Secret\n1,2,3\n") == "in.csv: columns 1 and 3 have the same name."
        assert refusal("a,,b\n1,2,3\n") == "in.csv: column 2 has no name."
        assert "the name of column 2 is longer than 1000 characters" in refusal(f"a,{'Secret' * 200}\n1,2\n")
        assert "the name of column 1 is longer than 1000 characters or holds a control" in refusal("\x9b31m,b\n1,2\n")

    def test_a_study_may_say_so_too(self, entries):
        Path("in.csv").write_text('2019,text\n1,"a\nb"\n2,c\n')
        spec = {"file": "in.csv", "columns": ["2019"]}
        places = retrieve.Places(None, Path("cache"), Path("replicas"))

        def values(**more):
            entry = manifest.file_entry("mine", spec | more, "here")
            return dataset_of(entry, places, False, said.append).values.tolist()

        said = []
        with pytest.raises(SdclabError, match="line_breaks: true in a study"):
            values()
        with pytest.raises(SdclabError, match="header: true in a study"):
            values(line_breaks=True)
        said.clear()
        assert values(line_breaks=True, header=True) == [[1], [2]]
        assert said == ["in.csv: 1 fields hold line breaks, the longest 2 lines"]


class TestRowNames:
    """As R and pandas write a table by default."""

    @pytest.mark.parametrize("first", ["", '""'])
    def test_are_named_told_and_left_out(self, run, first):
        rows = [f'"Secret {i}",{i * i},{(7 * i) % 12 * i}.5' for i in range(12)]
        Path("in.csv").write_text("\n".join([f'{first},"a","b"', *rows]))
        code, _, err = run("protect", "in.csv", *MDAV, "-o", "out.csv")
        assert code == 0
        assert "in.csv: the first column has no name; it is called row_names, and left out unless" in err
        assert Path("out.csv").read_text().startswith("a,b\n")
        assert "Secret" not in Path("out.csv").read_text() + err
        assert run("protect", "in.csv", *MDAV, "--pass-through", "row_names", "-o", "out.csv")[0] == 0
        assert pd.read_csv("out.csv")["row_names"].tolist() == [f"Secret {i}" for i in range(12)]
        code, out, err = run("measure", "in.csv", "out.csv", "--measures", "pil", "--json")
        assert json.loads(out)["not_compared"] == {"row_names": "names the rows"}
        assert json.loads(out)["dependent"] == ["a", "b"]

    def test_of_pandas(self, here):
        frame = pd.DataFrame({"a": [1.5, 2.5], "row_names": [3, 4]})
        frame.to_csv("in.csv")
        made = read(Path("in.csv"))
        assert made.row_names == "row_names1"
        assert made.columns == ("row_names1", "a", "row_names")
        assert Roles.of(made) == Roles(("a", "row_names"), (), (), ("row_names1",))
        assert Roles.of(made, ["row_names1"], (), ["a", "row_names"]).dropped == ()


def test_a_loop(here):
    Path("a.csv").symlink_to("b.csv")
    Path("b.csv").symlink_to("a.csv")
    with pytest.raises(SdclabError, match="cannot be read"):
        read(Path("a.csv"))


@pytest.mark.parametrize("start", [b"", "\ufeff".encode()])
def test_where_the_first_line_ends_is_counted_in_bytes(here, start):
    Path("in.csv").write_bytes(start + 'größe,"a,ü"\r\n1.5,äx\r\n2.5,y\r\n'.encode())
    table = read(Path("in.csv"), header=True)
    assert table.columns == ("größe", "a,ü")
    assert [list(table.frame[name]) for name in table.columns] == [["1.5", "2.5"], ["äx", "y"]]


def test_lines_longer_than_a_part_of_the_file(here):
    """pyarrow parses a megabyte at a time unless it is told otherwise, and must see a line whole."""
    n, p = 3, 100_000
    line = ",".join(["1.23456789012"] * p) + "\n"
    Path("in.csv").write_text(",".join(f"c{j}" for j in range(p)) + "\n" + line * n)
    content = Path("in.csv").read_bytes()
    found = _parsed(content, content.index(b"\n") + 1, p, ",", False)
    assert found is not None
    assert (len(found), list(found[p - 1])) == (p, ["1.23456789012"] * n)


def test_many_columns(here):
    """3,000 of them, by name: nothing is asked of all columns for each."""
    n, p = 4, 3_000
    values = np.random.default_rng(1).normal(size=(n, p)).round(3)
    names = [f"c{j}" for j in range(p)]
    pd.DataFrame(values, columns=names).to_csv("in.csv", index=False)
    table = read(Path("in.csv"))
    assert table.columns is table.columns  # made once, not at each use
    roles = Roles.of(table, dropped=names[1::3])
    assert roles.dependent == tuple(name for j, name in enumerate(names) if j % 3 != 1)
    kept = np.array([j for j in range(p) if j % 3 != 1])
    np.testing.assert_array_equal(
        np.column_stack([table.numbers(column) for column in roles.dependent]), values[:, kept]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # pandas warns of a frame that was put together column by column
        write(table.released(roles.dependent, 2 * values[:, kept], roles.dropped), Path("out.csv"))
    np.testing.assert_array_equal(pd.read_csv("out.csv").to_numpy(), 2 * values[:, kept])


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@settings(max_examples=40)
@example(",", ["a\rb", "\r"])
@given(st.sampled_from(",;\t"), st.lists(CELLS, min_size=2, max_size=6))
def test_text_passed_through_comes_back_as_it_was(tmp_path_factory, separator, cells):
    folder = tmp_path_factory.mktemp("text")
    frame = pd.DataFrame({"number": range(len(cells)), "words": cells}, dtype=object)
    write(Microdata("in.csv", frame, separator), folder / "in.csv")
    again = read(folder / "in.csv", line_breaks=True)
    assert again.separator == separator
    assert again.frame["words"].tolist() == cells
    assert again.numbers("number").tolist() == list(range(len(cells)))


NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers().map(str),
    st.from_regex(r"\A[+-]?[0-9]{0,20}\.?[0-9]{0,20}([eE][+-]?[0-9]{1,3})?\Z"),
    st.sampled_from(
        ["", "NA", " 1 ", "1_0", "inf", "nan", "nan(1)", "1,5", "0x1", "1d5", "x", "\u0661", "-0", "00.50"]
    ),
)


@settings(max_examples=200)
@given(st.lists(NUMBERS, min_size=1, max_size=4))
def test_a_number_is_what_it_is_to_python_whoever_parses_it(cells):
    """Arrow takes whole columns at once; to the last bit they are what Python makes of them, cell by cell."""
    arrow = pytest.importorskip("pyarrow")
    one = Microdata("t", pd.DataFrame({"x": pd.Series(cells, dtype=pd.ArrowDtype(arrow.string()))}))
    other = Microdata("t", pd.DataFrame({"x": pd.Series([*cells, "?"], dtype=object)}))  # a gap: cell by cell
    assert one.first_text("x") == other.first_text("x")
    if one.first_text("x") is None:
        np.testing.assert_array_equal(one.numbers("x"), other.numbers("x")[:-1])
        np.testing.assert_array_equal(np.signbit(one.numbers("x")), np.signbit(other.numbers("x")[:-1]))


PIECES = st.sampled_from(
    ["a", "1", "2.5", ",", ";", "\n", "\n\n", "\r\n", "\r", '"', '""', " ", "é", "\u2028", "x" * 9]
)


@settings(max_examples=300)
@example(list('"a\r\nb",2\n'), True)
@example(list("1,2\n\n3,4"), False)
@example(list("1,2\n \n3,4"), False)
@given(st.lists(PIECES, max_size=16), st.booleans())
def test_a_file_is_what_it_is_whoever_parses_it(tmp_path_factory, pieces, line_breaks):
    """With pyarrow and without: the same fields, or the same sentence."""
    pytest.importorskip("pyarrow")
    path = tmp_path_factory.mktemp("both") / "in.csv"
    path.write_bytes(("a,b\n1,2\n" + "".join(pieces)).encode())

    def found():
        try:
            return read(path, line_breaks, header=True).frame.to_numpy(dtype=object).tolist()
        except SdclabError as error:
            return str(error)

    with_arrow = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "find_spec", lambda name: None)
        assert found() == with_arrow


def test_pyarrow_is_used_where_it_is_installed(here):
    pytest.importorskip("pyarrow")
    assert table("a,b\n1,2\n").frame["a"].dtype == "string[pyarrow]"


PLAIN = st.text(st.characters(codec="utf-8", exclude_characters='\0,;\t"\r\n'), max_size=8)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(PLAIN, st.floats(), st.integers(-9, 9), st.sampled_from([1, None])), min_size=1, max_size=5),
    st.sampled_from(["x", "a,b", 'a"b', "a\nb"]),
)
def test_plain_fields_are_written_as_pandas_writes_them(tmp_path_factory, rows, word):
    folder = tmp_path_factory.mktemp("plain")
    frame = pd.DataFrame(rows, columns=["words", "float", "int", "gap"]).astype({"gap": "Int64"})
    frame.loc[0, "words"] = word
    write(Microdata("in.csv", frame), folder / "out.csv")
    frame.to_csv(folder / "pandas.csv", index=False, lineterminator="\n")
    assert (folder / "out.csv").read_bytes() == (folder / "pandas.csv").read_bytes()


def test_a_study_keeps_a_name_with_a_comma(here):
    """What the workflow keeps of a dataset is read as it was written."""
    made = Dataset("mine", "own", "in.csv", ("income, EUR", '5" pipe', "tax"), np.array([[1, 2.5, 3], [4, 5, 6]]))
    made.write(Path("table.csv"), Path("about.json"))
    again = Dataset.read(Path("table.csv"), Path("about.json"))
    assert again.columns == made.columns
    assert again.fingerprint == made.fingerprint
    np.testing.assert_array_equal(again.values, made.values)
