"""The verbs of the command line on files that a user might have."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import HANGING, PROJECT, SCHEMAS, Tree
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sdclab import measures, methods
from sdclab.base import registry
from sdclab.base.errors import SdclabError
from sdclab.cli.main import main
from sdclab.experiment import choice
from sdclab.experiment import study as studies
from sdclab.experiment.provenance import code_fingerprint
from sdclab.measures import MEASURES
from sdclab.measures.copy import crowding
from sdclab.methods import METHODS
from sdclab.microdata import own
from sdclab.microdata.dataset import Dataset

# two pairs of near records: MDAV with k = 2 releases (2, 15) twice and (12, 35) twice
PAIRS = [(1, 10), (11, 30), (3, 20), (13, 40)]
MEANS = [(2, 15), (12, 35), (2, 15), (12, 35)]


def text(rows, header="a,b", separator=","):
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    return "\n".join(lines).replace(",", separator) + "\n"


def rows_of(path, separator=","):
    return list(csv.reader(io.StringIO(Path(path).read_text(), newline=""), delimiter=separator))


def records(n, seed=1):
    """A file with an independent attribute and two dependents that follow it; every value is unmistakable."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 80, n)
    income = 900 + 25 * age + rng.normal(0, 300, n)
    return pd.DataFrame({"age": age, "income": income, "tax": 0.3 * income + rng.normal(0, 90, n)})


@pytest.fixture
def people(run, tmp_path):
    frame = records(150)
    frame.to_csv(tmp_path / "people.csv", index=False)
    return frame


MDAV = ("--method", "mdav", "--k", 2)


class TestProtect:
    @pytest.mark.parametrize(
        ("content", "separator"),
        [
            (text(PAIRS).encode(), ","),
            (text(PAIRS, separator=";").encode(), ";"),
            (text(PAIRS, separator="\t").encode(), "\t"),
            (b"\xef\xbb\xbf" + text(PAIRS).encode(), ","),
            (text([(f'"{a}"', f'" {b}"') for a, b in PAIRS], '"a","b"').encode(), ","),
            (text([(f"{a}.0", f"{b}e0") for a, b in PAIRS]).encode(), ","),
            (text(PAIRS).replace("\n", "\r\n").encode(), ","),
            (text(PAIRS).strip().encode(), ","),
        ],
        ids=["comma", "semicolon", "tab", "byte order mark", "quoted", "floats", "windows", "no last newline"],
    )
    def test_reads_what_people_have(self, run, content, separator):
        Path("in.csv").write_bytes(content)
        assert run("protect", "in.csv", *MDAV, "-o", "out/out.csv")[0] == 0
        header, *rows = rows_of("out/out.csv", separator)
        assert header == ["a", "b"]
        assert rows == [[str(a), str(b)] for a, b in MEANS]  # whole numbers stay so

    def test_whole_numbers_are_never_rounded(self, run):
        Path("in.csv").write_text(text([(1, 10), (11, 30), (2, 20), (13, 40)]))
        run("protect", "in.csv", *MDAV, "-o", "out.csv")
        assert rows_of("out.csv")[1:] == [["1.5", "15"], ["12.0", "35"], ["1.5", "15"], ["12.0", "35"]]

    def test_columns_keep_their_order_and_all_but_the_dependents_their_text(self, run):
        rows = [("007", "x, y", a, "1.50", b) for a, b in PAIRS]
        frame = pd.DataFrame(rows, columns=["id", "name", "a", "c", "b"], dtype=object)
        frame["c"] = ["1.50", "2.0", "+3", "1e1"]
        frame.to_csv("in.csv", index=False)
        arguments = ("--independent", "c", "--pass-through", "name,id")
        assert run("protect", "in.csv", *MDAV, *arguments, "-o", "out.csv")[0] == 0
        expected = frame.assign(a=[str(a) for a, _ in MEANS], b=[str(b) for _, b in MEANS])
        assert rows_of("out.csv") == [list(frame.columns), *expected.to_numpy().tolist()]
        assert run("protect", "in.csv", *MDAV, *arguments[:2], "--drop-columns", "id,name", "-o", "out.csv")[0] == 0
        assert rows_of("out.csv")[0] == ["a", "c", "b"]

    def test_one_column(self, run):
        Path("in.csv").write_text("a\n1\n11\n3\n13\n")
        run("protect", "in.csv", *MDAV, "-o", "out.csv")
        assert Path("out.csv").read_text() == "a\n2\n12\n2\n12\n"

    def test_missing_values_are_dropped_when_asked_for(self, run):
        rows = [(1, 10), ("", 77), (11, 30), (3, 20), (99, "NA"), (88, "?"), (13, 40), (66, "nan")]
        Path("in.csv").write_text(text(rows))
        code, out, err = run("protect", "in.csv", *MDAV, "--missing", "drop", "--seed", 1, "-o", "out.csv")
        assert code == 0
        assert "in.csv: 4 of 8 rows dropped" in err
        assert not re.search("77|99|88|66", out + err)
        assert rows_of("out.csv")[1:] == [[str(a), str(b)] for a, b in MEANS]

    def test_a_gap_in_a_column_passed_through_stays(self, run):
        Path("in.csv").write_text(
            text([(*pair, gap) for pair, gap in zip(PAIRS, ["", "x", "NA", ""], strict=True)], "a,b,c")
        )
        assert run("protect", "in.csv", *MDAV, "--pass-through", "c", "-o", "out.csv")[0] == 0
        assert [row[2] for row in rows_of("out.csv")[1:]] == ["", "x", "NA", ""]

    def test_the_same_seed_gives_the_same_bytes(self, run, people):
        made = []
        for seed in (("--seed", 5), ("--seed", 5), ("--seed", 6), (), ()):
            assert run("protect", "people.csv", "--method", "noise", "--p", "0.1", *seed, "-o", "out.csv")[0] == 0
            made.append(Path("out.csv").read_bytes())
        assert made[0] == made[1]
        assert len(set(made)) == 4  # without a seed no two releases are alike

    def test_a_fresh_seed_is_told_and_gives_the_release_again(self, run, people):
        arguments = ("protect", "people.csv", "--method", "noise", "--p", "0.1", "-o", "out.csv")
        seed = re.search(r"seed: (\d+)", run(*arguments)[2])[1]
        first = Path("out.csv").read_bytes()
        run(*arguments, "--seed", seed)
        assert Path("out.csv").read_bytes() == first

    def test_parameters_of_every_type(self, run, people):
        """As text on the command line, the same release as from Python."""
        asked = {"c": 3, "intercept": False, "m": 2.0, "epsilon": 1e-4, "start": "both"}
        words = [word for key, value in asked.items() for word in (f"--{key}", json.dumps(value).strip('"'))]
        arguments = ("--independent", "age", "--seed", 7, "-o", "out.csv")
        code, _, err = run("protect", "people.csv", "--method", "fcrm", *words, *arguments)
        assert code == 0
        made = methods.release(
            "fcrm", people[["income", "tax"]].to_numpy(), people[["age"]].to_numpy(), np.random.default_rng(7), asked
        )
        assert pd.read_csv("out.csv")[["income", "tax"]].to_numpy().tolist() == made.values.tolist()
        assert f"objective: {made.facts['objective']:g}" in err

    def test_help(self, capsys):
        with pytest.raises(SystemExit):
            main(["protect", "--help"])
        shown = capsys.readouterr().out
        assert all(f"\n  {name} " in shown for name in METHODS)
        assert "examples:" in shown
        for method in METHODS:
            with pytest.raises(SystemExit):
                main(["protect", "--method", method, "--help"])
            shown = capsys.readouterr().out
            for parameter in METHODS.parameters(method).values():
                assert f"--{parameter.name} V" in shown
                assert parameter.required or "(default: " in shown

    def test_parquet(self, run):
        pytest.importorskip("pyarrow")
        big = 2**53 + 1  # no float holds it
        frame = pd.DataFrame({"a": [a for a, _ in PAIRS], "id": [big, 1, 2, 3], "b": [float(b) for _, b in PAIRS]})
        frame.to_parquet("in.parquet")
        assert run("protect", "in.parquet", *MDAV, "--pass-through", "id", "-o", "out.parquet")[0] == 0
        made = pd.read_parquet("out.parquet")
        assert list(made.columns) == ["a", "id", "b"]
        assert made["id"].tolist() == [big, 1, 2, 3]
        assert made[["a", "b"]].to_numpy().tolist() == [list(map(float, pair)) for pair in MEANS]
        assert run("protect", "in.parquet", *MDAV, "--pass-through", "id", "-o", "out.csv")[0] == 0
        assert rows_of("out.csv")[1] == ["2", str(big), "15"]
        again = ("--allow-unchanged", "-o", "again.parquet")  # means of means
        assert run("protect", "out.csv", *MDAV, "--pass-through", "id", *again)[0] == 0
        Path("bad.parquet").write_bytes(b"PAR1")
        assert "bad.parquet: is not a Parquet file" in run("protect", "bad.parquet", *MDAV, "-o", "o.csv")[2]
        pd.DataFrame({"a": [1.0, None, 2.0]}).to_parquet("gap.parquet")
        assert "row 2, column a is missing" in run("protect", "gap.parquet", *MDAV, "-o", "o.csv")[2]

    def test_parquet_without_pyarrow(self, run, monkeypatch):
        def absent(name):
            raise ImportError(name)

        monkeypatch.setattr(own, "import_module", absent)
        Path("in.parquet").write_bytes(b"PAR1")
        Path("in.csv").write_text(text(PAIRS))
        for arguments in (("in.parquet", *MDAV, "-o", "out.csv"), ("in.csv", *MDAV, "-o", "out.parquet")):
            code, _, err = run("protect", *arguments)
            assert code == 2
            assert "pip install 'sdclab[parquet]'" in err
        assert sorted(path.name for path in Path().iterdir()) == ["in.csv", "in.parquet"]


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
    "text": (b"a,b\n4711,Smith47\n4712,Jones47\n", "in.csv: b holds text; name such columns in --pass-through"),
    "some text": (b"a,b\n4711,4712\n4712,<4713\n", "in.csv: b holds text"),
    "a constant": (b"a,b\n4711,4712\n4713,4712\n", "in.csv: b is constant; name such"),
    "numbered": (b"b,a\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(4711, 4731)), "b numbers the records"),
    "an empty column": (b"a,b\n4711,\n4712,\n", "in.csv: b is empty"),
    "decimal commas": (b"a;b\n4711;4712,5\n4711,25;4713\n", "row 2, column a has a comma in a number"),
    "underscores": (b"a,b\n4711,4_712\n4712,3\n", "in.csv: b holds text"),
    "a gap": (b"a,b\n4711,4712\n4713,\n4712,1\n", "row 2, column b is missing; incomplete rows are dropped only if"),
    "an empty line in one column": (b"a\n4711\n\n4712\n", "row 2, column a is missing"),
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
        assert "in.csv has 4 records and short.csv 3; they must agree" in self.refused(
            run, "measure", "in.csv", "short.csv"
        )
        assert "share no column of numbers" in self.refused(run, "measure", "in.csv", "other.csv")
        named = ("--dependent", "a")
        assert "other.csv: there is no column a" in self.refused(run, "measure", "in.csv", "other.csv", *named)
        assert "unknown measure 'pill'" in self.refused(run, "measure", "in.csv", "in.csv", "--measures", "pill")


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@settings(max_examples=40)
@example(",", ["a\rb", "\r"])
@given(st.sampled_from(",;\t"), st.lists(CELLS, min_size=2, max_size=6))
def test_text_passed_through_comes_back_as_it_was(tmp_path_factory, separator, cells):
    folder = tmp_path_factory.mktemp("text")
    frame = pd.DataFrame({"number": range(len(cells)), "words": cells}, dtype=object)
    own.Table("in.csv", frame, separator).write(folder / "in.csv")
    again = own.read(folder / "in.csv", line_breaks=True)
    assert again.separator == separator
    assert again.frame["words"].tolist() == cells
    assert again.numbers("number").tolist() == list(range(len(cells)))


PEAK = """
import re, sys
from sdclab.cli.main import main
assert main(sys.argv[1:]) == 0
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
@pytest.mark.parametrize("method", ["noise", "mdav"])
def test_memory_is_linear_in_the_records(tmp_path, method):
    """From 50,000 to 200,000 rows every record adds less than a kilobyte; one bit a pair would add 30."""
    peaks, sizes = [], (50_000, 200_000)
    for n in sizes:
        records(n).round(3).to_csv(tmp_path / "in.csv", index=False)
        parameters = ["--p", "0.1"] if method == "noise" else ["--k", str(n // 10)]
        arguments = [
            "protect",
            str(tmp_path / "in.csv"),
            "--method",
            method,
            *parameters,
            "-o",
            str(tmp_path / "out.csv"),
        ]
        done = subprocess.run([sys.executable, "-c", PEAK, *arguments], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout))
        with (tmp_path / "out.csv").open() as file:
            assert sum(1 for _ in file) == n + 1
    assert peaks[1] - peaks[0] < sizes[1] - sizes[0]


class TestMeasure:
    def test_tells_what_the_measures_tell(self, run, people):
        arguments = ("--independent", "age", "--seed", 3, "-o", "out.csv")
        run("protect", "people.csv", "--method", "noise", "--p", "0.3", *arguments)
        code, out, _ = run("measure", "people.csv", "out.csv", "--json")
        assert code == 0
        told = json.loads(out)
        assert told["dependent"] == ["income", "tax"]  # those that were changed
        assert told["independent"] == ["age"]
        assert told["records"] == 150
        assert told["not_measured"] == {}
        numbers = {name: value for each in told["measures"].values() for name, value in each.items()}
        before, after = (frame[["income", "tax"]].to_numpy() for frame in (people, pd.read_csv("out.csv")))
        for name in MEASURES:
            for key, value in measures.measure(name, before, after, people[["age"]].to_numpy()).items():
                assert numbers[key] == (pytest.approx(value) if np.isfinite(value) else None)
        shown = run("measure", "people.csv", "out.csv", "--measures", "pil,copy")[1]
        assert re.search(rf"^  pil +{numbers['pil']:.3f}$", shown, re.MULTILINE)
        assert "dbrl" not in shown

    def test_roles_order_and_gaps(self, run, people):
        """Named roles; columns in another order; rows that protect dropped are dropped here, too."""
        people.loc[3, "income"] = np.nan
        people.assign(name="x").to_csv("gaps.csv", index=False)
        arguments = ("--missing", "drop", "--drop-columns", "name", "--seed", 1, "-o", "out.csv")
        run("protect", "gaps.csv", "--method", "noise", "--p", "0.3", *arguments)
        pd.read_csv("out.csv")[["tax", "age", "income"]].to_csv("out.csv", index=False)
        asked = (
            "--missing",
            "drop",
            "--dependent",
            "tax,income",
            "--independent",
            "age",
            "--measures",
            "interval",
            "--json",
        )
        told = json.loads(run("measure", "gaps.csv", "out.csv", *asked)[1])
        assert told["records"] == 149
        before, after = (frame[["tax", "income"]].dropna().to_numpy() for frame in (people, pd.read_csv("out.csv")))
        distance = np.abs(before - after) / before.std(axis=0)
        assert told["measures"]["interval"]["interval"] == pytest.approx(
            100 * np.mean([distance <= percent / 100 for percent in range(1, 11)])
        )

    def test_an_unchanged_file(self, run, people):
        told = json.loads(run("measure", "people.csv", "people.csv", "--measures", "pil,dbrl,copy", "--json")[1])
        assert told["dependent"] == ["age", "income", "tax"]
        numbers = told["measures"]
        assert (numbers["pil"]["pil"], numbers["dbrl"]["dbrl"], numbers["copy"]["copy"]) == (0, 100, 100)

    def test_what_cannot_be_measured_is_said(self, run):
        """PRL takes at most 20 attributes; the others are measured all the same."""
        frame = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 21))).rename(columns="v{}".format)
        frame.to_csv("wide.csv", index=False)
        told = json.loads(run("measure", "wide.csv", "wide.csv", "--measures", "prl,pil", "--json")[1])
        assert told["not_measured"] == {"prl": "measure prl: 21 attributes, but at most 20 are allowed."}
        assert "pil" in told["measures"]
        assert "at most 20" in run("measure", "wide.csv", "wide.csv", "--measures", "prl")[2]


@pytest.fixture(scope="module")
def mapped(tmp_path_factory):
    """A finished map of 150 records, made as a user does it."""
    folder = tmp_path_factory.mktemp("map")
    frame = records(150).assign(name="Mustermann", row=range(150))
    frame.loc[100, "tax"] = np.nan
    frame.to_csv(folder / "people.csv", index=False)
    roles = ["--dependent", "income,tax", "--independent", "age", "--pass-through", "name", "--drop-columns", "row"]
    roles += ["--missing", "drop"]
    command = [sys.executable, "-m", "sdclab.cli.main", "map", "people.csv", *roles, "-o", "chosen"]
    return folder, frame, subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=HANGING)


class TestMap:
    def test_delivers_a_map_a_ranking_and_a_page_for_the_owner(self, mapped):
        folder, _, done = mapped
        assert done.returncode == 0, done.stderr
        made = {path.name for path in (folder / "chosen/owner").iterdir()}
        assert made == {"index.html", "map.png", "map.svg", "ranking.csv", "ranking.md"}
        page = (folder / "chosen/owner/index.html").read_text()
        assert "Nothing in this folder is for release" in page
        assert "go to the folder <code>protected</code>" in page
        assert "-o chosen/protected/mdav.csv" in page
        assert re.search(r"^1 of \d+: fcrm c=2$", done.stderr, re.MULTILINE)  # plain lines where there is no terminal

    def test_the_page_needs_nothing_else(self, mapped):
        page = (mapped[0] / "chosen/owner/index.html").read_text()
        assert not re.search(r"<(script|link|img|iframe)|(src|href)=\"(?!#)|url\((?!#)|@import", page)

    def test_every_method_is_ranked_or_its_reason_given(self, mapped):
        folder, _, done = mapped
        ranked = pd.read_csv(folder / "chosen/owner/ranking.csv")
        refused = {line.split()[1].rstrip(":") for line in done.stdout.splitlines() if line.startswith("     -")}
        assert set(ranked["method"]) | refused == set(METHODS)
        assert "hybrid_micro (k=200): k is 200 but must lie between 1 and the number of records, 149." in done.stdout
        assert (np.diff(ranked["score"]) > -1e-6).all()  # equals up to rounding stand in the order of the grids
        assert ranked["rank"].tolist() == list(range(1, len(ranked) + 1))
        np.testing.assert_allclose(ranked["score"], (ranked["pil"] + ranked["dr"]) / 2)
        tried = ranked.loc[ranked["method"] == "mdav", "parameters"]
        assert sorted(tried) == sorted(f"k={k}" for k in methods.grid("mdav")["k"])

    def test_copying_is_no_recommendation(self, mapped):
        folder, _, done = mapped
        ranked = pd.read_csv(folder / "chosen/owner/ranking.csv").fillna({"remark": ""})
        assert ranked["method"].iloc[0] == "permute"  # the best by score
        assert ranked["remark"].iloc[0].startswith("a control, no protection")
        named = [line.split()[1].rstrip(":") for line in done.stdout.splitlines() if re.match(r" +[\d.]+  ", line)]
        assert named[0] != "permute"
        assert named.index("permute") == len(named) - 1
        page = (folder / "chosen/owner/index.html").read_text()
        assert "--method permute" not in page

    def test_the_command_of_the_page_works(self, mapped):
        folder, frame, _ = mapped
        page = (folder / "chosen/owner/index.html").read_text()
        command = re.search(r"<pre>sdclab (protect people.csv --method mdav .*?)</pre>", page)[1].split()
        subprocess.run([sys.executable, "-m", "sdclab.cli.main", *command], cwd=folder, check=True, capture_output=True)
        made = pd.read_csv(folder / "chosen/protected/mdav.csv")
        assert list(made.columns) == ["age", "income", "tax", "name"]
        np.testing.assert_allclose(made["income"].mean(), frame.dropna()["income"].mean())

    def test_no_value_of_a_record_is_shown(self, mapped):
        folder, frame, done = mapped
        shown = [done.stdout, done.stderr]
        shown += [path.read_text() for path in (folder / "chosen/owner").iterdir() if path.suffix != ".png"]
        values = frame[["age", "income", "tax"]].dropna().to_numpy().ravel()
        for content in shown:
            assert "Mustermann" not in content
            numbers = np.array([float(number) for number in re.findall(r"\d+\.\d{4,}", content)] or [0.0])
            # none agrees with a value to seven digits, as hardly any would by chance
            assert np.all(np.abs(values[:, None] - numbers) > 1e-7 * values[:, None])

    def test_the_best_of_a_method_and_its_trade_off(self):
        """By hand: among three points the copy has the best score and is passed over."""
        numbers = {3: (1.0, 9.0, 90.0), 5: (8.0, 6.0, 5.0), 10: (30.0, 2.0, 1.0)}
        rows = [
            {"method": "mdav", "parameters": f"k={k}", "score": (pil + dr) / 2, "pil": pil, "dr": dr, "copy": copied,
             "xy": 60.0, "dataset_kind": "own", "crowding": 20.0, "intact": 0, "intact_records": 0,
             "intact_extremes": np.nan}
            for k, (pil, dr, copied) in numbers.items()
        ]  # fmt: skip
        ranked = choice.ranking(choice.points(rows))
        assert [row["parameters"] for row in ranked] == ["k=3", "k=5", "k=10"]
        (row,) = choice.best(ranked)
        assert row["parameters"] == "k=5"
        assert choice.trade_off(row, ranked) == (
            "balanced: loses 8.0 (PIL) and gives away 6.0 (DR); breaks the relations with the independents (xy 60); "
            "k=3 would change PIL -7.0, DR +3.0; k=10 would change PIL +22.0, DR -4.0"
        )
        crowded = [{**row, "crowding": 95.0} for row in rows]
        assert choice.best(choice.ranking(choice.points(crowded)))[0]["parameters"] == "k=3"
        intact = [{**row, "intact": 50.0 * (row["parameters"] == "k=3")} for row in crowded]
        (row,) = choice.best(choice.ranking(choice.points(intact)))
        assert row["parameters"] == "k=5"

    def test_crowding(self):
        """Half the records have a twin within 1 % of an SD, and half none within 10 %."""
        x = np.array([0.0, 0.001, 5.0, 9.0])[:, None]
        assert crowding(x) == 50
        assert crowding(np.arange(10.0)[:, None]) == 0

    def test_a_long_file_is_sampled_and_the_page_says_so(self, run):
        records(choice.MOST_RECORDS + 500).to_csv("long.csv", index=False)
        assert run("map", "long.csv", "--methods", "permute")[0] == 0
        page = Path("long_map/owner/index.html").read_text()
        assert "5500 records" in page
        assert "random sample of 5000 records" in page

    def test_a_sample_is_a_sample(self):
        whole = Dataset("d", "own", "d", ("a",), np.arange(1000.0)[:, None])
        part = choice.sampled(whole, 100).values[:, 0]
        assert len(set(part)) == 100
        assert np.all(np.diff(part) > 0)
        assert abs(part.mean() - 499.5) < 90  # three standard errors
        assert choice.sampled(whole, 1000) is whole

    def test_the_same_bytes_twice_and_a_spread_over_replicates(self, run, people):
        made = []
        for folder in ("one", "two"):
            assert run("map", "people.csv", "--methods", "noise", "--replicates", 2, "-o", folder)[0] == 0
            made.append(
                [path.read_bytes() for path in sorted(Path(folder, "owner").iterdir()) if path.suffix != ".html"]
            )
        assert made[0] == made[1]
        assert (pd.read_csv("one/owner/ranking.csv")["pil_sd"] > 0).all()

    def test_without_independents_and_with_one_column(self, run, people):
        people[["income"]].to_csv("one.csv", index=False)
        code, out, _ = run("map", "one.csv", "--methods", "fcrm,rotation,noise")
        assert code == 0
        tried = pd.read_csv("one_map/owner/ranking.csv")
        assert set(tried.loc[tried["method"] == "fcrm", "parameters"]) == {f"c={c}" for c in methods.grid("fcrm")["c"]}
        assert "a rotation needs at least two attributes, but there is 1" in out
        code, _, err = run("map", "one.csv", "--methods", "rotation")
        assert code == 2
        assert "one.csv: no method could run" in err

    def test_a_bar_on_a_terminal(self, run, people, monkeypatch):
        monkeypatch.setattr(sys.stderr.__class__, "isatty", lambda self: True, raising=False)
        assert "] 1/1 \n" in run("map", "people.csv", "--methods", "permute")[2]


TOY = '''"""Rounding to a grid: an example."""

import numpy as np

GRID = {"base": [0.1, 0.5]}


def protect(dependent, independent, rng, *, base: float = 0.5):
    step = base * dependent.std(axis=0)
    return np.round(dependent / step) * step
'''


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """An installed package that brings a method, a measure, and a method that is broken."""
    site = tmp_path / "site"
    (site / "toybox").mkdir(parents=True)
    (site / "toybox/__init__.py").touch()
    (site / "toybox/rounding.py").write_text(TOY)
    (site / "toybox/broken.py").write_text("import nowhere_to_be_found\n")
    (site / "toybox/leaky.py").write_text(
        "def protect(dependent, independent, rng):\n    raise ValueError(f'cannot protect {dependent[0]}')\n"
    )
    (site / "toybox/change.py").write_text(
        "def measure(original, protected, independent):\n    return {'change': abs(original - protected).max()}\n"
    )
    info = site / "toybox-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toybox\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[sdclab.methods]\ntoy-rounding = toybox.rounding\ntoy-broken = toybox.broken\n"
        "toy-leaky = toybox.leaky\nmdav = toybox.broken\n"
        "[sdclab.measures]\ntoy-change = toybox.change\n"
    )
    monkeypatch.syspath_prepend(str(site))
    registry._entry_points.cache_clear()
    yield site
    registry._entry_points.cache_clear()
    for name in [name for name in sys.modules if name.startswith("toybox")]:
        del sys.modules[name]


class TestEntryPoint:
    def test_shows_up_in_help_and_on_the_map(self, toy, run, people, capsys):
        with pytest.raises(SystemExit):
            main(["protect", "--help"])
        shown = capsys.readouterr().out
        assert "  toy-rounding  Rounding to a grid: an example." in shown
        assert "method toy-broken: toybox.broken cannot be imported (ModuleNotFoundError)." in shown
        code, out, _ = run("map", "people.csv", "--methods", "toy-rounding,toy-broken,toy-leaky,mdav")
        assert code == 0
        assert "toy-leaky: stopped with ValueError." in out  # and not its words, which hold a record
        assert "toy-broken: toybox.broken cannot be imported" in out
        ranked = pd.read_csv("people_map/owner/ranking.csv")
        assert set(ranked.loc[ranked["method"] == "toy-rounding", "parameters"]) == {"base=0.1", "base=0.5"}
        assert "mdav" in set(ranked["method"])  # a name that is here already cannot be replaced

    def test_its_error_shows_no_record(self, toy, run, people):
        code, _, err = run("protect", "people.csv", "--method", "toy-leaky", "-o", "out.csv")
        assert (code, err) == (2, "sdclab: method toy-leaky: stopped with ValueError.\n")
        assert not Path("out.csv").exists()

    def test_protects_and_measures(self, toy, run, people):
        assert run("protect", "people.csv", "--method", "toy-rounding", "--base", "1", "-o", "out.csv")[0] == 0
        steps = pd.read_csv("out.csv")["tax"] / people["tax"].std(ddof=0)
        np.testing.assert_allclose(steps, np.round(people["tax"] / people["tax"].std(ddof=0)))
        told = json.loads(run("measure", "people.csv", "out.csv", "--measures", "toy-change", "--json")[1])
        largest = np.abs(people - pd.read_csv("out.csv")).to_numpy().max()
        assert told["measures"]["toy-change"]["change"] == pytest.approx(largest)

    def test_its_code_is_part_of_a_cells_fingerprint(self, toy):
        code = (
            "from sdclab.methods import METHODS; from sdclab.experiment.provenance import code_fingerprint as f;"
            "print(f([METHODS.module('toy-rounding')]))"
        )
        prints = []
        for source in (TOY, TOY + "\n# changed\n"):
            (toy / "toybox/rounding.py").write_text(source)
            path = f"{toy}:{PROJECT / 'src'}"
            done = subprocess.run(
                [sys.executable, "-c", code], env={"PYTHONPATH": path}, capture_output=True, text=True
            )
            prints.append(done.stdout)
        assert len(set(prints)) == 2
        assert code_fingerprint(["sdclab.methods.mdav"]) not in prints


class TestOwnStudy:
    """config/studies/own.yaml, the template, in the workflow."""

    def test_the_template_holds_the_grid_of_the_map(self):
        study = yaml.safe_load((PROJECT / "config/studies/own.yaml").read_text())
        assert {entry["method"]: entry.get("parameters", {}) for entry in study["grid"]} == {
            method: methods.grid(method) for method in METHODS
        }

    def test_it_is_not_run_unless_asked_for(self):
        assert "own" not in yaml.safe_load((PROJECT / "config/config.yaml").read_text())["studies"]

    @pytest.mark.slow
    def test_runs_on_a_users_file(self, tree: Tree):
        frame = records(60).assign(savings=np.arange(60.0) ** 2)
        frame.loc[2, "tax"] = np.nan
        (tree.root / "my_data.csv").write_text("\ufeff" + frame.to_csv(index=False, sep=";"))
        spec = {"file": "my_data.csv", "columns": ["income", "tax", "savings", "age"], "missing": "drop"}
        template = tree.root / "config/studies/own.yaml"
        changes = {"datasets": {"mine": spec}, "grid": [{"method": "mdav", "parameters": {"k": 3}, "replicates": 1}]}
        template.write_text(yaml.safe_dump({**yaml.safe_load(template.read_text()), **changes}))
        done = tree.run("--config", "studies=[own]", "results=results/own")
        assert done.returncode == 0, done.stderr
        assert "my_data.csv: 1 of 60 rows dropped" in done.stderr
        made = tree.results("results/own")
        assert made["figures/own_map.svg"]
        rows = list(csv.DictReader(made["cells/own/mine/mdav/k=3.csv"].decode().splitlines()))
        kept = frame[spec["columns"]].dropna()
        expected = Dataset("mine", "own", "", tuple(spec["columns"]), kept.to_numpy())
        assert [(row["dataset_kind"], row["fingerprint"]) for row in rows] == [("own", expected.fingerprint)]
        protected = methods.protect(
            "mdav", kept[["income", "tax", "savings"]].to_numpy(), kept[["age"]].to_numpy(), None, {"k": 3}
        )
        dbrl = measures.measure("dbrl", kept[["income", "tax", "savings"]].to_numpy(), protected, np.empty((59, 0)))
        assert float(rows[0]["dbrl"]) == pytest.approx(dbrl["dbrl"])
        assert "Data: mine (own)" in made["summary.txt"].decode()
        assert made["scorecard.csv"].decode().count("\n") == 1  # nothing published, nothing judged

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({}, "own.yaml: datasets.mine: file is my_data.csv, but there is no such file"),
            ({"datasets": {"mine": {"file": "own.yaml"}}}, "datasets.mine: the key 'columns' is missing"),
            ({"datasets": {"census": {"file": "own.yaml", "columns": ["age"]}}}, "another dataset has this name"),
            (
                {"datasets": {"mine": {"file": "own.yaml", "columns": ["age"]}}},
                "scenarios.mine: unknown column 'income'",
            ),
        ],
    )
    def test_bad_input(self, tmp_path, monkeypatch, entries, changes, message):
        monkeypatch.chdir(tmp_path)
        template = yaml.safe_load((PROJECT / "config/studies/own.yaml").read_text())
        Path("own.yaml").write_text(yaml.safe_dump({**template, **changes}))
        with pytest.raises(SdclabError, match=re.escape(message)):
            studies.load(Path("own.yaml"), SCHEMAS / "study.schema.yaml", entries)


def test_the_commands_of_the_readme(run, people):
    """The section on one's own data, line by line, on a file with the columns it speaks of."""
    section = (PROJECT / "README.md").read_text().split("## Your own data")[1].split("\n## ")[0]
    lines = [line.split("#")[0].split() for line in re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1].splitlines()]
    people.assign(name="x").to_csv("data.csv", index=False)
    commands = [line[1:] for line in lines if line and line[0] == "sdclab"]
    assert [command[0] for command in commands] == ["map", "protect", "measure"]
    for command in commands:
        more = ["--methods", "mdav,noise"] if command[0] == "map" else []  # all methods: `mapped`, above
        assert run(*command, *more)[0] == 0
