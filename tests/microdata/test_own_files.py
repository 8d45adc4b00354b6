"""Reading and writing files that a user might have: nothing guessed, nothing told that is not the release's."""

import contextlib
import csv
import html
import io
import json
import os
import re
import shlex
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdclab.base import files
from sdclab.base.errors import MOST_CHARACTERS, MOST_NAMES, SdclabError, listed, unknown
from sdclab.microdata import own
from sdclab.microdata.dataset import Dataset

MDAV = ("--method", "mdav", "--k", 3)


def table(content, **options):
    """A CSV file of this content, read."""
    path = Path("in.csv")
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return own.read(path, **options)


def refusal(content, **options):
    """Why a CSV file of this content is refused; no value of it, all of which hold `Secret`, is told."""
    with pytest.raises(SdclabError) as caught:
        table(content, **options)
    assert "Secret" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


@pytest.fixture
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def people(n=60, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "name": [f"Secret {i}, of Berlin" for i in range(n)],
            "income": rng.normal(900, 100, n).round(2),
            "tax": rng.normal(90, 10, n).round(2),
        }
    )


class TestNames:
    """A list of columns on the command line."""

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("", ()),
            ("a", ("a",)),
            ("a,b", ("a", "b")),
            (" a , b ,", ("a", "b")),
            ('"income, EUR",tax', ("income, EUR", "tax")),
            ('tax , "income, EUR" ', ("tax", "income, EUR")),
            ('"5"" pipe"', ('5" pipe',)),
            ('" a "', (" a ",)),
            ("a b,c", ("a b", "c")),
        ],
    )
    def test_are_read(self, text, names):
        assert own.names_of(text) == names

    @pytest.mark.parametrize("text", ['"a', 'a"', 'a,"b', '"a"b', 'a"b,c', '"a" "b"', '"'])
    def test_bad_quotes(self, text):
        with pytest.raises(SdclabError, match=re.escape(f"the list of names {text} cannot be read; ")):
            own.names_of(text)

    @given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), max_size=5))
    def test_are_read_as_they_were_written(self, names):
        written = own.written(names)
        assert own.names_of(written) == tuple(names)
        assert not written.startswith("-")  # or it were taken for an option


@pytest.mark.usefixtures("here")
class TestQuotes:
    """RFC 4180: a field is bare, without any quote, or in quotes, with every quote in it written twice."""

    @pytest.mark.parametrize("separator", own.SEPARATORS)
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

    def test_a_release_never_holds_records_in_one_field(self, run):
        """A quote too few in the first of 60 records: all up to the next quote stood in one field."""
        content = people().to_csv(index=False)
        for line in (2, 21):
            lines = content.splitlines()
            lines[line - 1] = lines[line - 1].replace('Berlin"', "Berlin")
            Path("bad.csv").write_text("\n".join(lines))
            code, _, err = run("protect", "bad.csv", *MDAV, "--pass-through", "name", "-o", "out.csv")
            assert code == 2
            assert f"bad.csv: line {line} (the header is line 1), field 1 holds a line break" in err
            assert "Secret" not in err
            assert not Path("out.csv").exists()

    @pytest.mark.parametrize("separator", own.SEPARATORS)
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
        from sdclab.microdata import manifest, retrieve

        Path("in.csv").write_text('2019,text\n1,"a\nb"\n2,c\n')
        spec = {"file": "in.csv", "columns": ["2019"]}
        places = retrieve.Places(None, Path("cache"), Path("replicas"))

        def values(**more):
            entry = manifest.own_entry("mine", spec | more, "here")
            return retrieve.retrieve(entry, places, False, said.append).values.tolist()

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
        made = own.read(Path("in.csv"))
        assert made.row_names == "row_names1"
        assert made.columns == ("row_names1", "a", "row_names")
        assert own.Roles.of(made) == own.Roles(("a", "row_names"), (), (), ("row_names1",))
        assert own.Roles.of(made, ["row_names1"], (), ["a", "row_names"]).dropped == ()


def test_a_name_with_a_comma_on_the_command_line(run):
    frame = people().rename(columns={"income": "income, EUR", "tax": '-tax "net"'})
    frame.to_csv("in.csv", index=False)
    dependent = own.written(["income, EUR", '-tax "net"'])
    assert run("protect", "in.csv", *MDAV, "--dependent", dependent, "--drop-columns", "name", "-o", "out.csv")[0] == 0
    made = pd.read_csv("out.csv")
    assert list(made.columns) == ["income, EUR", '-tax "net"']
    np.testing.assert_allclose(made.mean(), frame[made.columns].mean())
    code, _, err = run("protect", "in.csv", *MDAV, "--dependent", '"income, EUR', "-o", "out.csv")
    assert (code, err.count("\n")) == (2, 1)
    assert 'the list of names "income, EUR cannot be read; a name with a comma' in err


class TestEndless:
    """What is no regular file, or too long, is refused before it is read."""

    def test_pipes_and_devices(self, run):
        os.mkfifo("pipe.csv")
        Path("zero.csv").symlink_to("/dev/zero")
        for name in ("pipe.csv", "zero.csv"):
            code, _, err = run("protect", name, *MDAV, "-o", "out.csv")
            assert (code, err) == (
                2,
                f"sdclab: {name}: cannot be read (it is a pipe or a device, which may never end).\n",
            )

    def test_a_size(self, run):
        with Path("long.csv").open("wb") as file:
            file.truncate(files.MOST_BYTES + 1)  # takes no room on the disk
        code, _, err = run("protect", "long.csv", *MDAV, "-o", "out.csv")
        assert (code, err) == (2, "sdclab: long.csv: has 4294967297 bytes, but at most 4294967296 are read.\n")

    def test_a_loop(self, here):
        Path("a.csv").symlink_to("b.csv")
        Path("b.csv").symlink_to("a.csv")
        with pytest.raises(SdclabError, match="cannot be read"):
            own.read(Path("a.csv"))

    def test_a_dollar(self, run):
        people().to_csv("$HOME $1$.csv", index=False)
        assert run("protect", "$HOME $1$.csv", *MDAV, "--drop-columns", "name", "-o", "$out$.csv")[0] == 0
        assert len(pd.read_csv("$out$.csv")) == 60


class TestParquet:
    @pytest.fixture(autouse=True)
    def pyarrow(self):
        self.arrow = pytest.importorskip("pyarrow")
        self.parquet = pytest.importorskip("pyarrow.parquet")

    def held(self, path, columns):
        """All text that a file holds: in its pages, its lists of codes and its footer."""
        again = path.with_name("plain.parquet")
        coded = self.parquet.read_table(path, read_dictionary=columns)
        found = [str(self.parquet.read_schema(path).to_string(show_field_metadata=True, truncate_metadata=False))]
        found += [str(chunk.dictionary.to_pylist()) for column in columns for chunk in coded.column(column).chunks]
        self.parquet.write_table(self.parquet.read_table(path), again, compression="none", use_dictionary=False)
        return path.read_bytes() + again.read_bytes() + "".join(found).encode()

    def test_no_text_of_what_was_left_out(self, run):
        """Levels without a record, those of dropped records, and whatever stood in the original's footer."""
        n = 40
        frame = people(n).drop(columns="name")
        town = ["Bonn"] * 20 + ["Jena"] * 19 + ["SecretGone"]
        frame["town"] = pd.Categorical(town, categories=["Bonn", "Jena", "SecretGone", "SecretNever"])
        frame.loc[n - 1, "income"] = np.nan
        frame.index = pd.Index([f"SecretRow{i}" for i in range(n)], name="key")
        stored = self.arrow.Table.from_pandas(frame)
        fields = [field.with_metadata({"note": "SecretNote"}) for field in stored.schema]
        stored = stored.cast(self.arrow.schema(fields, {**stored.schema.metadata, b"by": b"SecretAuthor"}))
        self.parquet.write_table(stored, "in.parquet", compression="none")
        whole = self.held(Path("in.parquet"), ["town"])
        assert all(f"Secret{word}".encode() in whole for word in ("Gone", "Never", "Row3", "Note", "Author"))
        roles = ("--pass-through", "town", "--drop-columns", "key", "--missing", "drop")
        for name in ("out.parquet", "out.csv"):
            assert run("protect", "in.parquet", *MDAV, *roles, "-o", name)[0] == 0
        assert b"Secret" not in self.held(Path("out.parquet"), ["town"])
        assert "Secret" not in Path("out.csv").read_text()
        made = self.parquet.read_table("out.parquet")
        assert made.schema.metadata is None
        assert made.column("town").to_pylist() == town[:-1]
        assert self.arrow.types.is_string(made.schema.field("town").type) or self.arrow.types.is_large_string(
            made.schema.field("town").type
        )

    def test_codes_of_numbers_are_numbers(self, here):
        column = self.arrow.array([3, 5, None, 3]).dictionary_encode()
        self.parquet.write_table(self.arrow.table({"a": column}), "in.parquet")
        np.testing.assert_array_equal(own.read(Path("in.parquet")).numbers("a"), [3, 5, np.nan, 3])

    def test_a_table_of_categories_is_decoded_when_written(self, here):
        frame = pd.DataFrame({"a": [1, 2], "b": pd.Categorical(["x", "y"], categories=["x", "y", "Secret"])})
        own.Table("t", frame).rows(np.array([True, False])).write(Path("out.parquet"))
        held = self.held(Path("out.parquet"), ["b"])
        assert b"Secret" not in held
        assert self.parquet.read_table("out.parquet").to_pydict() == {"a": [1], "b": ["x"]}

    def test_what_cannot_be_seen_through_is_not_released(self, run):
        frame = people().assign(more=[["Secret"]] * 60)
        frame.to_parquet("in.parquet")
        code, _, err = run("protect", "in.parquet", *MDAV, "--pass-through", "more,name", "-o", "out.parquet")
        assert (code, err) == (2, "sdclab: in.parquet: column more holds lists or structures; leave it out.\n")
        assert run("protect", "in.parquet", *MDAV, "--drop-columns", "more,name", "-o", "out.parquet")[0] == 0

    def test_a_small_file_of_many_rows(self, here, monkeypatch):
        self.parquet.write_table(self.arrow.table({"a": np.zeros(100_000)}), "in.parquet")
        assert Path("in.parquet").stat().st_size < 100_000 / 8
        monkeypatch.setattr(files.check_size, "__defaults__", (2**19,))
        with pytest.raises(SdclabError, match=r"in\.parquet: has 8\d+ bytes, but at most 524288 are read"):
            own.read(Path("in.parquet"))

    @settings(max_examples=60, derandomize=True)
    @given(st.integers(0, 10_000), st.binary(min_size=1, max_size=3))
    def test_a_damaged_file_is_a_sentence(self, tmp_path_factory, place, damage):
        path = tmp_path_factory.mktemp("damaged") / "in.parquet"
        people(5).to_parquet(path, index=False)
        content = bytearray(path.read_bytes())
        place %= len(content)
        content[place : place + len(damage)] = damage
        path.write_bytes(content)
        with contextlib.suppress(SdclabError):
            read = own.read(path)
            for column in read.columns:
                read.is_text(column)


def test_many_columns(here):
    """3,000 of them, by name: nothing is asked of all columns for each."""
    n, p = 4, 3_000
    values = np.random.default_rng(1).normal(size=(n, p)).round(3)
    names = [f"c{j}" for j in range(p)]
    pd.DataFrame(values, columns=names).to_csv("in.csv", index=False)
    read = own.read(Path("in.csv"))
    assert read.columns is read.columns  # made once, not at each use
    roles = own.Roles.of(read, dropped=names[1::3])
    assert roles.dependent == tuple(name for j, name in enumerate(names) if j % 3 != 1)
    kept = np.array([j for j in range(p) if j % 3 != 1])
    np.testing.assert_array_equal(read.matrix(roles.dependent), values[:, kept])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # pandas warns of a frame that was put together column by column
        read.released(roles.dependent, 2 * values[:, kept], roles.dropped).write(Path("out.csv"))
    np.testing.assert_array_equal(pd.read_csv("out.csv").to_numpy(), 2 * values[:, kept])


def test_messages_do_not_list_thousands_of_names(run):
    pd.DataFrame({f"column {j}": ["x", "y"] for j in range(5_000)} | {"z": [1, 2]}).to_csv("in.csv", index=False)
    for more in ((), ("--dependent", "colum"), ("--dependent", "z" * 5_000)):
        code, _, err = run("protect", "in.csv", *MDAV, *more, "-o", "out.csv")
        assert code == 2
        assert len(err) < 2_000
        assert re.search(r" and 49\d\d more", err)
    assert len(str(unknown("column", "a" * 10**6, ["a" * 10**4] * 99))) < (MOST_NAMES + 5) * (MOST_CHARACTERS + 2)
    assert listed(["a", "b"]) == "a, b"


class TestMeasure:
    def test_gaps_are_dropped_in_both_files_together(self, run):
        """A gap in one row of the original and in another of the release: rows are compared with their own."""
        before = people(200).drop(columns="name")
        after = before + np.random.default_rng(2).normal(0, 0.5, before.shape)
        both = [5, 150]
        for name, frame in (("before", before), ("after", after)):
            frame.drop(index=both).to_csv(f"{name}_complete.csv", index=False)
        before.loc[both[0], "income"] = after.loc[both[1], "tax"] = np.nan
        before.to_csv("before.csv", index=False)
        after.to_csv("after.csv", index=False)
        asked = ("--measures", "dr,interval,pil", "--json")
        _, expected, _ = run("measure", "before_complete.csv", "after_complete.csv", *asked)
        code, out, err = run("measure", "before.csv", "after.csv", "--missing", "drop", *asked)
        assert code == 0
        assert json.loads(out) == json.loads(expected)
        assert json.loads(out)["records"] == 198
        assert "2 of 200 rows dropped, a value is missing in before.csv or after.csv" in err
        assert run("measure", "before.csv", "after.csv", *asked)[0] == 2

    def test_files_of_different_length(self, run):
        """Paired only if the release is the original without its incomplete records."""
        before = people(20).drop(columns="name")
        before.loc[[3, 7], "income"] = np.nan
        before.to_csv("before.csv", index=False)
        before.dropna().to_csv("after.csv", index=False)
        asked = ("--missing", "drop", "--measures", "interval", "--json")
        code, out, _ = run("measure", "before.csv", "after.csv", *asked)
        assert (code, json.loads(out)["records"]) == (0, 18)
        before.drop(index=[3, 8]).to_csv("after.csv", index=False)  # the gap at 7 is still there
        code, out, err = run("measure", "before.csv", "after.csv", *asked)
        assert (code, out) == (2, "")
        assert "before.csv has 20 records and after.csv 18; they must agree" in err

    def test_what_is_not_compared_is_named(self, run):
        before = people(30).astype(object)
        before["constant"] = 1
        after = before.assign(extra=2)
        after.loc[11, "tax"] = "Secret"
        before.to_csv("before.csv", index=False)
        after.drop(columns="constant").to_csv("after.csv", index=False)
        code, out, err = run("measure", "before.csv", "after.csv", "--measures", "interval", "--json")
        assert code == 0
        assert json.loads(out)["dependent"] == ["income"]
        assert json.loads(out)["not_compared"] == {
            "name": "holds text in before.csv, first in row 1",
            "tax": "holds text in after.csv, first in row 12",
            "constant": "is not in after.csv",
            "extra": "is not in before.csv",
        }
        assert "not compared: name holds text in before.csv, first in row 1, tax holds text in after.csv" in err
        assert "Secret" not in out + err
        code, out, err = run("measure", "before.csv", "before.csv", "--measures", "interval")
        assert "constant is constant" in err


@pytest.mark.parametrize(
    ("method", "seed", "warned"),
    [
        (("noise", "--p", "0.1"), 2**32 - 1, True),
        (("noise", "--p", "0.1"), 2**32, False),
        (("synthetic",), 7, True),
        (("mdav", "--k", 3), 7, False),
    ],
)
def test_a_short_seed_is_warned_of_where_it_protects(run, method, seed, warned):
    people().to_csv("in.csv", index=False)
    code, _, err = run(
        "protect", "in.csv", "--drop-columns", "name", "--method", *method, "--seed", seed, "-o", "o.csv"
    )
    assert code == 0
    assert ("WARNING: the seed is below 2^32, and so few can all be tried" in err) == warned


def test_a_missing_value_says_how_to_drop_it(run):
    Path("in.csv").write_text("a,b\n1,2\n,3\n4,5\n")
    err = run("protect", "in.csv", *MDAV, "-o", "out.csv")[2]
    assert "dropped only if asked for, by --missing drop on the command line or missing: drop in a study." in err


def test_the_command_of_a_map_reads_the_file_as_the_map_did(run):
    pytest.importorskip("matplotlib")
    people().assign(name='two\nlines, "quoted"').rename(columns={"income": "2019"}).to_csv("in.csv", index=False)
    options = ("--line-breaks", "--header", "--drop-columns", "name")
    assert run("map", "in.csv", "--methods", "mdav", "-o", "map", *options)[0] == 0
    shown = re.search(r"<pre>sdclab (.*?)</pre>", Path("map/owner/index.html").read_text())[1]
    assert run(*shlex.split(html.unescape(shown)))[0] == 0
    assert list(pd.read_csv("map/protected/mdav.csv").columns) == ["2019", "tax"]


def test_a_study_keeps_a_name_with_a_comma(here):
    """What the workflow keeps of a dataset is read as it was written."""
    made = Dataset("mine", "own", "in.csv", ("income, EUR", '5" pipe', "tax"), np.array([[1, 2.5, 3], [4, 5, 6]]))
    made.write(Path("table.csv"), Path("about.json"))
    again = Dataset.read(Path("table.csv"), Path("about.json"))
    assert again.columns == made.columns
    assert again.fingerprint == made.fingerprint
    np.testing.assert_array_equal(again.values, made.values)
