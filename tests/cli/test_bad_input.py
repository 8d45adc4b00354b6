"""Bad input on the command line is one sentence."""

import os
import re
from pathlib import Path

import pandas as pd
import pytest
from samples import PAIRS, named_people, text

from sdclab.base import files
from sdclab.base.errors import CHARACTERS_SHOWN, NAMES_SHOWN, listed, unknown

MDAV = ("--method", "mdav", "--k", 2)


BAD_FILES = {
    "missing file": (None, "in.csv: cannot be read (No such file or directory)"),
    "empty": (b"", "in.csv: holds no records"),
    "a header alone": (b"a,b\n", "in.csv: holds no records"),
    "one row": (b"a,b\n4711,4712\n", "has 1 records for 2 attributes; more records than attributes are needed"),
    "latin 1": (b"a,b\n4711,\xe9\n", "in.csv: is not UTF-8 text, first in line 2"),
    "a null byte": (b"a,b\n4711,\x00\n", "in.csv: line 2 holds a null character"),
    "too few fields": (b"a,b\n4711,4712\n4713\n", "row 2 has 1 fields, but there are 2 columns"),
    "too many fields": (b"a,b\n4711,4712\n1,2,3\n", "row 2 has 3 fields, but there are 2 columns"),
    "no header": (b"4711,4712\n4713,4714\n", "the first line must name the columns, but field 1 of it looks like"),
    "half a header": (b"a,\n4711,4712\n", "column 2 has no name"),
    "the same name twice": (b"a,a\n4711,4712\n", "columns 1 and 2 have the same name"),
    "text": (b"a,b\n4711,Smith47\n4712,Jones47\n", "b holds text that names the records; name such columns in"),
    "some text": (b"a,b\n4711,4712\n4712,<4713\n", "in.csv: b holds text"),
    "free text": (
        b"a,b\n4711,x47\n4712,x47\n4713,y47\n4714,z47\n4717,u\n",
        "in.csv: b holds text of all kinds; name such",
    ),
    "numbers and text": (b"a,b\n4711,4712\n4712,<4713\n4,47\n", "in.csv: b holds text among its numbers; name such"),
    "a constant": (b"a,b\n4711,4712\n4713,4712\n", "in.csv: b is constant; name such"),
    "numbered": (b"b,a\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(4711, 4731)), "b numbers the records"),
    "an empty column": (b"a,b\n4711,\n4712,\n", "in.csv: b is empty"),
    "decimal commas": (b"a;b\n4711;4712,5\n4711,25;4713\n", "row 2, column a has a comma in a number"),
    "underscores": (b"a,b\n4711,4_712\n4712,3\n", "in.csv: b holds text"),
    "infinity": (b"a,b\n4711,4712\n4712,inf\n4713,1\n", "row 2, column b is infinite"),
}


class TestBadInput:
    """One sentence, exit code 2, no file, and never a value of a record."""

    def refused(self, run, *arguments):
        before = sorted(Path().rglob("*"))
        code, out, err = run(*arguments)
        assert code == 2
        assert out == ""
        assert err.startswith("sdclab: ")
        assert err.count("\n") == 1
        assert "47" not in err
        assert sorted(Path().rglob("*")) == before
        return err

    @pytest.mark.parametrize(("content", "message"), BAD_FILES.values(), ids=BAD_FILES)
    @pytest.mark.parametrize("verb", ["protect", "map"])
    def test_files(self, run, verb, content, message):
        if content is not None:
            Path("in.csv").write_bytes(content)
        more = (*MDAV, "-o", "out.csv") if verb == "protect" else ()
        assert message in self.refused(run, verb, "in.csv", *more)

    def test_a_directory(self, run):
        Path("in.csv").mkdir()
        assert "in.csv: cannot be read (Is a directory)" in self.refused(run, "protect", "in.csv", *MDAV, "-o", "o.csv")

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("--method", "mdv"), "unknown method 'mdv': did you mean mdav?"),
            (("--method", "noise"), "method noise needs the parameter p"),
            (("--method", "mdav", "--k", "many"), "method mdav: k is 'many' but must be a whole number"),
            (("--method", "mdav", "--k", "2.5"), "method mdav: k is 2.5 but must be a whole number"),
            (("--method", "mdav", "--k", "9"), "k is 9 but must lie between 1 and the number of records, 4"),
            ((*MDAV, "--dependent", "A"), "in.csv: unknown column 'A': did you mean a?"),
            ((*MDAV, "--dependent", "a"), "in.csv: b has no role; name such columns in"),
            ((*MDAV, "--dependent", "a,b", "--independent", "b"), "column b is named more than once"),
            ((*MDAV, "--drop-columns", "a,b"), "no column is left to protect"),
            ((*MDAV, "--seed", "-1"), "--seed is -1 but must not be negative"),
            (("--method", "noise", "--p", "nan"), "method noise: p is nan but must be a number"),
        ],
    )
    def test_arguments(self, run, arguments, message):
        Path("in.csv").write_text(text(PAIRS))
        assert message in self.refused(run, "protect", "in.csv", *arguments, "-o", "out.csv")

    def test_the_original_is_not_overwritten(self, run):
        Path("in.csv").write_text(text(PAIRS))
        assert "would be overwritten" in self.refused(
            run, "protect", "in.csv", *MDAV, "-o", "../" + Path.cwd().name + "/in.csv"
        )
        assert Path("in.csv").read_text() == text(PAIRS)

    def test_an_unknown_ending(self, run):
        Path("in.csv").write_text(text(PAIRS))
        assert "out.xlsx: the ending must be .csv" in self.refused(run, "protect", "in.csv", *MDAV, "-o", "out.xlsx")
        assert "in.sav: the ending must be .csv" in self.refused(run, "protect", "in.sav", *MDAV, "-o", "out.csv")

    def test_a_folder_that_cannot_be_written_to(self, run):
        Path("in.csv").write_text(text(PAIRS))
        assert "cannot write here" in self.refused(run, "protect", "in.csv", *MDAV, "-o", "in.csv/out.csv")

    def test_a_constant_that_was_asked_for(self, run):
        Path("in.csv").write_text("a,b\n1,4\n2,4\n3,4\n5,4\n")
        arguments = ("--dependent", "a,b", "-o", "out.csv")
        assert "column b of in.csv is constant" in self.refused(run, "protect", "in.csv", *MDAV, *arguments)

    def test_files_that_do_not_match(self, run):
        Path("in.csv").write_text(text(PAIRS))
        Path("short.csv").write_text(text(PAIRS[:3]))
        Path("other.csv").write_text(text(PAIRS, "c,d"))
        code, _, err = run("measure", "in.csv", "short.csv", "--measures", "pil")
        assert code == 2
        assert "in.csv has 4 records and short.csv 3: they are compared as sets, not record by record" in err
        assert "the protected file 3 of 2; they must agree" in err
        assert "in.csv has 4 records and short.csv 3; they must agree where --independent" in self.refused(
            run, "measure", "in.csv", "short.csv", "--independent", "a"
        )
        assert "share no column that could be compared" in self.refused(run, "measure", "in.csv", "other.csv")
        named = ("--dependent", "a")
        assert "other.csv: there is no column a" in self.refused(run, "measure", "in.csv", "other.csv", *named)
        assert "unknown measure 'pill'" in self.refused(run, "measure", "in.csv", "in.csv", "--measures", "pill")


@pytest.mark.slow
def test_messages_do_not_list_thousands_of_names(run):
    pd.DataFrame({f"column {j}": ["x", "y"] for j in range(5_000)} | {"z": [1, 2]}).to_csv("in.csv", index=False)
    for more in ((), ("--dependent", "colum"), ("--dependent", "z" * 5_000)):
        code, _, err = run("protect", "in.csv", *MDAV, *more, "-o", "out.csv")
        assert code == 2
        assert len(err) < 2_000
        assert re.search(r" and 49\d\d more", err)
    assert len(str(unknown("column", "a" * 10**6, ["a" * 10**4] * 99))) < (NAMES_SHOWN + 5) * (CHARACTERS_SHOWN + 2)
    assert listed(["a", "b"]) == "a, b"


@pytest.mark.parametrize("content", ["a,b\n1,2\n,3\n4,5\n", "a\n1\n\n4\n"])
def test_a_missing_value_that_is_refused_says_how_to_keep_it(run, content):
    Path("in.csv").write_text(content)
    for verb, more in (("protect", (*MDAV, "-o", "out.csv")), ("map", ())):
        code, _, err = run(verb, "in.csv", *more, "--missing", "refuse")
        assert code == 2
        assert "row 2, column a is missing; gaps are kept, or incomplete rows dropped, by --missing keep or" in err


def test_a_missing_value_is_told_and_stays_missing(run):
    Path("in.csv").write_text("a,b\n1,2\n,3\n4,5\n3,7\n9,1\n")
    code, _, err = run("protect", "in.csv", "--method", "noise", "--p", "1", "-o", "out.csv")
    assert code == 0
    assert "in.csv: 1 values are missing in 1 rows, and will be in a release" in err
    assert Path("out.csv").read_text().splitlines()[2].startswith(",")


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
            file.truncate(files.MAX_BYTES + 1)  # takes no room on the disk
        code, _, err = run("protect", "long.csv", *MDAV, "-o", "out.csv")
        assert (code, err) == (2, "sdclab: long.csv: has 4294967297 bytes, but at most 4294967296 are read.\n")

    def test_a_dollar(self, run):
        named_people().to_csv("$HOME $1$.csv", index=False)
        assert run("protect", "$HOME $1$.csv", *MDAV, "--drop-columns", "name", "-o", "$out$.csv")[0] == 0
        assert len(pd.read_csv("$out$.csv")) == 60
