"""sdclab check-release: two files and limits in, pass or fail out."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from conftest import PROJECT
from samples import records

from sdclab.base import documents

# 10 of the 300 records are alone with their keys, and a copy has them all (rep_u 3.33). Somebody else's record stands
# alone in such a cell with a chance of at most 1/e (Poisson): 3.7 of the 10, or rep_u 1.2, are replicated by chance.
LIMITS = "limits:\n  - membership <= 60\n  - rep_u <= 2.5\n  - copy_1 <= 20\nkey: [age, income]\ntarget: [tax]\n"


@pytest.fixture
def files(here):
    records(300).to_csv("data.csv", index=False)
    records(300, seed=2).to_csv("holdout.csv", index=False)
    records(300, seed=3).to_csv("fresh.csv", index=False)
    Path("limits.yaml").write_text(LIMITS)


CONTROL = ("--control", "holdout.csv")
ASKED = ("--limits", "limits.yaml", *CONTROL)


def verdicts(out):
    """Pass or fail by limit, from what is printed as text."""
    lines = [line.split(maxsplit=4) for line in out.split("\n\n")[0].splitlines()]
    return {" ".join(words[1:4]): words[0] for words in lines}


class TestGate:
    def test_a_copy_fails(self, run, files):
        code, out, _ = run("check-release", "data.csv", "data.csv", *ASKED)
        assert code == 1
        assert verdicts(out) == {"membership <= 60": "FAIL", "rep_u <= 2.5": "FAIL", "copy_1 <= 20": "FAIL"}
        assert out.endswith("\n3 of 3 failed\n")

    def test_an_independent_sample_passes(self, run, files):
        code, out, _ = run("check-release", "data.csv", "fresh.csv", *ASKED)
        assert set(verdicts(out).values()) == {"pass"}
        assert out.endswith("\nall 3 passed\n")
        assert code == 0

    def test_one_failure_among_others_is_enough(self, run, files):
        code, out, _ = run("check-release", "data.csv", "fresh.csv", *ASKED, "--limit", "pil >= 99.9")
        assert code == 1
        assert verdicts(out)["pil >= 99.9"] == "FAIL"
        assert out.endswith("\n1 of 4 failed\n")

    def test_json(self, run, files):
        code, out, _ = run("check-release", "data.csv", "data.csv", *ASKED, "--limit", "copy_1 <= 100", "--json")
        told = json.loads(out)
        assert (code, told["passed"], told["records"]) == (1, False, 300)
        by_limit = {each["limit"]: each for each in told["limits"]}
        assert by_limit["copy_1 <= 20"] == {"limit": "copy_1 <= 20", "value": 100, "passed": False, "reason": ""}
        assert by_limit["copy_1 <= 100"]["passed"]
        again = json.loads(run("check-release", "data.csv", "fresh.csv", *ASKED, "--json")[1])
        assert again["passed"] is True

    def test_the_values_are_those_of_measure(self, run, files):
        asked = ("data.csv", "fresh.csv", "--key", "age,income", "--target", "tax", *CONTROL, "--json")
        told = json.loads(run("measure", *asked, "--measures", "membership,disclosure,copy")[1])["measures"]
        numbers = {name: value for each in told.values() for name, value in each.items()}
        found = json.loads(run("check-release", *asked, "--limits", "limits.yaml")[1])["limits"]
        assert [each["value"] for each in found] == [numbers[name] for name in ("membership", "rep_u", "copy_1")]

    def test_what_cannot_be_measured_fails_with_the_reason(self, run, files):
        code, out, _ = run("check-release", "data.csv", "fresh.csv", "--limits", "limits.yaml")
        assert code == 1
        assert verdicts(out) == {"membership <= 60": "FAIL", "rep_u <= 2.5": "pass", "copy_1 <= 20": "pass"}
        assert "no value  measure membership: needs records that the release was not made from" in out
        told = json.loads(run("check-release", "data.csv", "fresh.csv", "--limit", "membership >= 0", "--json")[1])
        assert told["limits"][0]["value"] is None
        code, out, _ = run("check-release", "data.csv", "fresh.csv", "--limit", "propensity_x <= 1")
        assert code == 1
        assert "measure propensity: tells no propensity_x, but propensity_" in out

    def test_the_command_line_goes_before_the_file(self, run, files):
        """With a single key of the file's two, other people are unique."""
        values = [
            json.loads(run("check-release", "data.csv", "data.csv", *more, "--limit", "rep_u <= 2.5", "--json")[1])
            for more in (("--limits", "limits.yaml"), ("--limits", "limits.yaml", "--key", "age"), ("--key", "age"))
        ]
        both, first, alone = (
            {each["limit"]: each["value"] for each in told["limits"]}["rep_u <= 2.5"] for told in values
        )
        assert first == alone
        assert both != first

    @pytest.mark.parametrize("beside", [False, True])
    def test_a_rule_that_the_release_breaks_more_often_fails(self, run, files, beside):
        frame = pd.read_csv("fresh.csv")
        rule = () if beside else ("--rule", "tax <= income")
        if beside:
            Path("data.sdclab.yaml").write_text("rules: [tax <= income]\n")
        code, out, _ = run("check-release", "data.csv", "fresh.csv", "--limit", "copy <= 50", *rule)
        assert (code, verdicts(out)["tax <= income"]) == (0, "pass")
        frame.loc[:6, "tax"] += 1e5
        frame.to_csv("broken.csv", index=False)
        code, out, _ = run("check-release", "data.csv", "broken.csv", "--limit", "copy <= 50", *rule)
        assert (code, verdicts(out)) == (1, {"copy <= 50": "pass", "tax <= income": "FAIL"})
        assert "7 of 300 released records break it, 0 of 300 originals do." in out

    def test_columns_that_are_not_compared_are_named(self, run, files):
        pd.read_csv("fresh.csv").assign(extra=4711).to_csv("more.csv", index=False)
        code, out, _ = run("check-release", "data.csv", "more.csv", "--limit", "copy <= 50")
        assert code == 0
        assert "not compared, so nothing is said about them: extra\n" in out
        assert "4711" not in out

    @pytest.mark.parametrize("unbuffered", ["", "1"])
    @pytest.mark.parametrize(("release", "code"), [("data.csv", 1), ("fresh.csv", 0)])
    def test_a_reader_that_has_gone_does_not_open_it(self, files, release, code, unbuffered):
        """Be it missed while printing or at the end."""
        command = [
            sys.executable,
            "-m",
            "sdclab.cli.main",
            "check-release",
            "data.csv",
            release,
            "--limit",
            "copy <= 50",
        ]
        environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "env": environment}
        with subprocess.Popen(command, **how) as started:
            started.stdout.close()
            assert started.wait() == code


class TestBadInput:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((), "there is no limit to check; one is written as membership <= 55."),
            (("--limit", "dr < 5"), "limit 'dr < 5': must be a quantity, <= or >=, and a number"),
            (("--limit", "membershp <= 5"), "unknown quantity 'membershp': did you mean membership"),
            (("--limit", "dr <= -1"), "limit 'dr <= -1': cannot be met, since dr lies between 0 and 100."),
            (("--limits", "none.yaml"), "none.yaml: cannot be read (No such file or directory)"),
            (("--limits", "data.csv"), "data.csv"),
            (("--limit", "copy <= 5", "--key", "sex"), "data.csv: unknown column 'sex'"),
            (("--limit", "copy <= 5", "--rule", "tax <= wage"), "unknown column 'wage'"),
            (("--limit", "copy <= 5", "--control", "data.csv"), "300 of its 300 records are those of data.csv"),
        ],
    )
    def test_is_one_sentence_without_a_value_of_a_record(self, run, files, arguments, message):
        code, out, err = run("check-release", "data.csv", "fresh.csv", *arguments)
        assert (code, out) == (2, "")
        assert message in err
        assert err.startswith("sdclab: ")
        assert err.count("\n") == 1
        for value in pd.read_csv("data.csv").to_numpy().ravel():
            assert str(value) not in err

    def test_a_key_of_the_file_that_is_no_column(self, run, files):
        Path("limits.yaml").write_text("limits: [copy <= 5]\nkey: [agee]\n")
        code, out, err = run("check-release", "data.csv", "fresh.csv", "--limits", "limits.yaml")
        assert (code, out) == (2, "")
        assert "data.csv: unknown column 'agee': did you mean age" in err


def test_the_limits_of_the_docs_can_be_read(run, files):
    text = (PROJECT / "docs" / "own_data.md").read_text().split("## A gate for releases")[1]
    Path("limits.yaml").write_text(text.split("```yaml\n")[1].split("```")[0])
    assert set(documents.parse("limits.yaml")) == {"limits", "key", "target"}
    people = records(300).assign(region=[1.5, 2.5, 3.5] * 100)
    people.to_csv("data.csv", index=False)
    code, out, _ = run("check-release", "data.csv", "data.csv", "--limits", "limits.yaml")
    assert code == 1
    assert verdicts(out)["detection <= 50"] == "pass"  # nothing is lost by a copy
    assert verdicts(out)["copy_1 <= 5"] == "FAIL"
