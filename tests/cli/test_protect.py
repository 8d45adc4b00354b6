"""sdclab protect: files in, files out, and what is told before one leaves the house."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from samples import MEANS, PAIRS, attributes, named_people, records, rows_of, text, with_outlier

from sdclab import methods
from sdclab.base.names import written
from sdclab.cli.main import main
from sdclab.methods import METHODS
from sdclab.microdata import parquet

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

    def test_numbers_keep_their_decimals(self, run):
        """Of 1 and 2 the mean is 1.5: whole numbers stay whole, and what has one decimal keeps one."""
        Path("in.csv").write_text(text([(1, "1.0"), (11, "3.0"), (2, "2.5"), (13, "4.3")]))
        run("protect", "in.csv", *MDAV, "-o", "out.csv")
        assert rows_of("out.csv")[1:] == [["2", "1.8"], ["12", "3.6"], ["2", "1.8"], ["12", "3.6"]]

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
        assert rows_of("out.csv")[1] == ["2", str(big), "15.0"]  # floats stay floats
        again = ("--allow-unchanged", "-o", "again.parquet")  # means of means
        assert run("protect", "out.csv", *MDAV, "--pass-through", "id", *again)[0] == 0
        Path("bad.parquet").write_bytes(b"PAR1")
        assert "bad.parquet: is not a Parquet file" in run("protect", "bad.parquet", *MDAV, "-o", "o.csv")[2]
        pd.DataFrame({"a": [1.0, None, 2.0]}).to_parquet("gap.parquet")
        refused = run("protect", "gap.parquet", *MDAV, "--missing", "refuse", "-o", "o.csv")[2]
        assert "row 2, column a is missing" in refused

    def test_parquet_without_pyarrow(self, run, monkeypatch):
        def absent(name):
            raise ImportError(name)

        monkeypatch.setattr(parquet, "import_module", absent)
        Path("in.parquet").write_bytes(b"PAR1")
        Path("in.csv").write_text(text(PAIRS))
        for arguments in (("in.parquet", *MDAV, "-o", "out.csv"), ("in.csv", *MDAV, "-o", "out.parquet")):
            code, _, err = run("protect", *arguments)
            assert code == 2
            assert "pip install 'sdclab[parquet]'" in err
        assert sorted(path.name for path in Path().iterdir()) == ["in.csv", "in.parquet"]


PEAK = """
import re, sys
from sdclab.cli.main import main
assert main(sys.argv[1:]) == 0
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
@pytest.mark.parametrize("method", ["noise", "mdav"])
@pytest.mark.slow
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


class TestWarnings:
    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            (("--method", "noise", "--p", "0"), "income, tax, savings, age"),
            (("--method", "noise", "--p", "1e-6"), "income, tax, savings, age"),
            (("--method", "rotation", "--planes", "1-2"), "savings, age"),
            (("--method", "mdav", "--k", "1"), "income, tax, savings, age"),
        ],
    )
    def test_an_unchanged_dependent_is_refused_unless_asked_for(self, run, arguments, named):
        attributes().to_csv("in.csv", index=False)
        code, _, err = run("protect", "in.csv", *arguments, "-o", "out.csv")
        assert code == 2
        assert err.count("\n") == 1
        assert f"{named} would be released unchanged" in err
        assert "--independent or --pass-through" in err
        assert not Path("out.csv").exists()
        code, _, err = run("protect", "in.csv", *arguments, "--allow-unchanged", "-o", "out.csv")
        assert code == 0
        left = [name for name in attributes().columns if name not in named]
        assert f"; protected {', '.join(left) or 'nothing'}\n" in err
        assert all(f"WARNING: {name} is released unchanged\n" in err for name in named.split(", "))

    def test_named_as_independent_it_passes(self, run):
        attributes().to_csv("in.csv", index=False)
        roles = ("--independent", "savings,age")
        code, _, err = run("protect", "in.csv", "--method", "rotation", "--planes", "1-2", *roles, "-o", "out.csv")
        assert code == 0
        assert "unchanged" not in err

    @pytest.mark.parametrize(
        ("arguments", "how"),
        [
            (("--method", "mdav", "--k", "3"), "(0 within 1% from their own released value, 1 within 10% as the mean"),
            (("--method", "noise", "--p", "0.001"), "(1 within 1% from their own released value, 0 within"),
        ],
    )
    def test_what_came_through_is_told_loudly_and_without_a_value(self, run, arguments, how):
        with_outlier(47110815).to_csv("in.csv", index=False)
        code, out, err = run("protect", "in.csv", *arguments, "--seed", 2**40, "-o", "out.csv")
        assert code == 0
        (line,) = [line for line in err.splitlines() if line.startswith("WARNING")]
        assert line.startswith("WARNING: income: 1 of 1 values that stand out can be read off the release " + how)
        assert "4711" not in out + err

    def test_records_that_came_through(self, run):
        """Each of ten far apart pairs of twins is a cluster of its own, and comes out as it went in."""
        places = np.repeat(100.0 * np.arange(10), 2)
        frame = pd.DataFrame({"a": np.append(places, [5000, 5001]), "b": np.append(places, [7000, 7002])})
        frame.to_csv("in.csv", index=False)
        code, _, err = run("protect", "in.csv", "--method", "mdav", "--k", 2, "-o", "out.csv")
        assert code == 0
        assert "WARNING: records that are released as they were, in all dependents: 20\n" in err

    def test_a_control_protects_nobody(self, run):
        attributes().to_csv("in.csv", index=False)
        assert (
            "WARNING: permute is a control, no protection"
            in run("protect", "in.csv", "--method", "permute", "-o", "out.csv")[2]
        )


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
    named_people().to_csv("in.csv", index=False)
    code, _, err = run(
        "protect", "in.csv", "--drop-columns", "name", "--method", *method, "--seed", seed, "-o", "o.csv"
    )
    assert code == 0
    assert ("WARNING: the seed is below 2^32, and so few can all be tried" in err) == warned


def test_a_taxonomy_beside_the_file_generalises_its_text(run):
    """Two clusters of four: federal and local are government, firm and none have nothing in common."""
    rows = [(1, 10, "federal"), (2, 11, "local"), (90, 70, "firm"), (91, 72, "none")]
    Path("in.csv").write_text(text(rows * 2, "a,b,sector"))
    Path("in.sdclab.yaml").write_text(
        "types:\n  sector: {taxonomy: [{government: [federal, local], private: [firm, self]}, none]}\n"
    )
    arguments = ("--method", "k_member", "--k", 4, "--categories", "generalised")
    assert run("protect", "in.csv", *arguments, "-o", "out.csv")[0] == 0
    assert [row[2] for row in rows_of("out.csv")] == ["sector", *["government", "government", "*", "*"] * 2]
    status, printed, _ = run("measure", "in.csv", "out.csv", "--measures", "information_loss", "--json")
    assert status == 0
    told = json.loads(printed)
    assert not told["not_compared"]
    # 4 × 1/2 + 4 × 1, over a tree of height 2
    assert told["measures"]["information_loss"]["information_loss_categories"] == pytest.approx(6)
    Path("in.sdclab.yaml").write_text("types:\n  sector: {taxonomy: [[federal, local], [local, none]]}\n")
    status, _, said = run("protect", "in.csv", *arguments, "-o", "out.csv")
    assert status == 2
    assert "in.sdclab.yaml: types: sector: taxonomy: a category stands in the taxonomy twice" in said


def test_a_name_with_a_comma_on_the_command_line(run):
    frame = named_people().rename(columns={"income": "income, EUR", "tax": '-tax "net"'})
    frame.to_csv("in.csv", index=False)
    dependent = written(["income, EUR", '-tax "net"'])
    assert run("protect", "in.csv", *MDAV, "--dependent", dependent, "--drop-columns", "name", "-o", "out.csv")[0] == 0
    made = pd.read_csv("out.csv")
    assert list(made.columns) == ["income, EUR", '-tax "net"']
    np.testing.assert_allclose(made.mean(), frame[made.columns].mean(), atol=0.0005)  # of three decimals
    code, _, err = run("protect", "in.csv", *MDAV, "--dependent", '"income, EUR', "-o", "out.csv")
    assert (code, err.count("\n")) == (2, 1)
    assert 'the list of names "income, EUR cannot be read; a name with a comma' in err


def test_a_release_never_holds_records_in_one_field(run):
    """A quote too few in the first of 60 records: all up to the next quote stood in one field."""
    content = named_people().to_csv(index=False)
    for line in (2, 21):
        lines = content.splitlines()
        lines[line - 1] = lines[line - 1].replace('Berlin"', "Berlin")
        Path("bad.csv").write_text("\n".join(lines))
        code, _, err = run("protect", "bad.csv", *MDAV, "--pass-through", "name", "-o", "out.csv")
        assert code == 2
        assert f"bad.csv: line {line} (the header is line 1), field 1 holds a line break" in err
        assert "Secret" not in err
        assert not Path("out.csv").exists()
