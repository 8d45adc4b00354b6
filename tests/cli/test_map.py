"""sdclab map: what it delivers, to whom, and that its commands work."""

import html
import re
import shlex
import subprocess
import sys
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import HANGING, PROJECT
from samples import attributes, named_people, records, with_outlier

from sdclab import methods
from sdclab.experiment import choice
from sdclab.methods import METHODS


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
        assert done.stderr == "people.csv: 1 of 150 rows dropped, a value is missing in them\n"  # no terminal, no bar

    def test_the_page_needs_nothing_else(self, mapped):
        page = (mapped[0] / "chosen/owner/index.html").read_text()
        assert not re.search(r"<(link|img|iframe)|<script src|(src|href)=\"(?!#)|url\((?!#)|@import", page)

    def test_every_method_is_ranked_or_its_reason_given(self, mapped):
        folder, _, done = mapped
        ranked = pd.read_csv(folder / "chosen/owner/ranking.csv")
        refused = {line.split()[1].rstrip(":") for line in done.stdout.splitlines() if line.startswith("     -")}
        assert set(ranked["method"]) | refused == set(METHODS)
        assert "hybrid_micro (k=200): k is 200 but must lie between 1 and the number of records, 149." in done.stdout
        choices = ranked[ranked["remark"].isna() & (ranked["membership"] <= 60)]
        assert (np.diff(choices["tables"]) > -1e-6).all()  # equals up to rounding stand in the order of the grids
        assert choices["rank"].tolist() == list(range(1, len(choices) + 1))
        assert ranked["rank"].isna().tolist() == (ranked["method"] == "permute").tolist()
        np.testing.assert_allclose(ranked["score"], (ranked["pil"] + ranked["dr"]) / 2)
        tried = ranked.loc[ranked["method"] == "mdav", "parameters"]
        assert sorted(tried) == sorted(f"k={k}" for k in methods.grid("mdav")["k"])

    def test_copying_is_no_recommendation(self, mapped):
        folder, _, done = mapped
        ranked = pd.read_csv(folder / "chosen/owner/ranking.csv").fillna({"remark": ""})
        assert ranked["method"][ranked["score"].argmin()] == "permute"  # the best by score
        assert ranked["method"].iloc[-1] == "permute"
        assert ranked["remark"].iloc[-1].startswith("a control, no protection")
        assert "Not permute" in done.stdout.split("\n\n")[0]
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

    def test_a_long_file_is_sampled_and_the_page_says_so(self, run):
        records(choice.SAMPLE_SIZE + 500).to_csv("long.csv", index=False)
        assert run("map", "long.csv", "--methods", "permute")[0] == 0
        page = Path("long_map/owner/index.html").read_text()
        assert "5500 records" in page
        assert "random sample of 5000 records" in page

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
        monkeypatch.setattr("sdclab.cli.progress.SILENT", 0.0)
        monkeypatch.setattr("sdclab.cli.progress.EVERY", 0.001)
        said = run("map", "people.csv", "--methods", "permute")[2]
        assert "cells, permute" in said


ODD = ("income, EUR", 'the "tax"', "$HOME", "-x", "`id`", "größe", "a'b", "<b>&amp;")


class TestPage:
    def test_every_command_of_the_page_works(self, run):
        """Whatever the columns and the file are called; each command is split as a shell splits it."""
        attributes(60, ODD).to_csv("my $file.csv", index=False)
        roles = ("--independent", '"income, EUR"', "--pass-through", "$HOME", "--drop-columns", "größe")
        code, _, _ = run("map", "my $file.csv", *roles, "--methods", "mdav,noise,ipso_a", "-o", "the map")
        assert code == 0
        page = Path("the map/owner/index.html").read_text()
        commands = [shlex.split(unescape(text)) for text in re.findall(r"<pre>(.*?)</pre>", page)]
        assert len(commands) in (3, 4)  # one a method, and that of the verdict, if there is a choice
        assert {tuple(command[:2]) for command in commands} == {("sdclab", "protect")}
        for command in commands:
            code, _, err = run(*command[1:])
            assert code == 0, err
            made = pd.read_csv(command[-1])
            assert list(made.columns) == [name for name in ODD if name != "größe"]
            kept = ["income, EUR", "$HOME"]
            pd.testing.assert_frame_equal(made[kept], pd.read_csv("my $file.csv")[kept])

    def test_dropped_rows_stand_on_the_page(self, run):
        frame = attributes(60)
        frame.loc[:9, "tax"] = np.nan
        frame.to_csv("gaps.csv", index=False)
        code, _, err = run("map", "gaps.csv", "--missing", "drop", "--methods", "noise")
        assert code == 0
        said = "gaps.csv: 10 of 60 rows dropped, a value is missing in them"
        assert said in err
        assert said in Path("gaps_map/owner/index.html").read_text()

    def test_what_leaves_a_dependent_as_it_is_is_not_recommended(self, run, monkeypatch):
        monkeypatch.setattr(METHODS.load("rotation"), "GRID", {"planes": ["1-2", "all"]})
        attributes(80).to_csv("in.csv", index=False)
        code, out, _ = run("map", "in.csv", "--methods", "rotation")
        assert code == 0
        assert re.search(r"rotation planes=all: loses", out)
        page = Path("in_map/owner/index.html").read_text()
        assert "no protection: leaves 50 % of the dependents as they are" in page
        assert "--planes all" in page
        monkeypatch.setattr(METHODS.load("rotation"), "GRID", {"planes": ["1-2"]})
        assert run("map", "in.csv", "--methods", "rotation")[0] == 0
        assert "<pre>" not in Path("in_map/owner/index.html").read_text()  # protect would refuse

    def test_values_that_stand_out_are_told(self, run):
        with_outlier().to_csv("in.csv", index=False)
        code, out, _ = run("map", "in.csv", "--methods", "mdav")
        assert code == 0
        assert "shows 100 % of the values that stand out" in out
        assert "shows 100 % of the values that stand out" in Path("in_map/owner/index.html").read_text()


class TestAims:
    def test_limits_decide_what_is_first(self, run):
        attributes(120).to_csv("in.csv", index=False)
        firsts = []
        for limit in ("membership <= 100", "membership <= 55"):
            code, out, _ = run("map", "in.csv", "--methods", "noise", "--x", "pil", "--limit", limit, "-o", "made")
            assert code == 0
            ranked = pd.read_csv("made/owner/ranking.csv")
            assert f"within {limit}" in out
            assert f"within {limit}" in html.unescape(Path("made/owner/index.html").read_text())
            firsts.append(ranked["parameters"].iloc[0])
        assert firsts[0] == "p=0.05"  # the least loss of all
        assert firsts[1] != "p=0.05"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("--key", "tax", "--drop-columns", "tax"), "column tax is a key, but it is left out; name it in"),
            (("--target", "tax", "--pass-through", "tax"), "column tax is a target, but it is passed through"),
            (("--key", "tax", "--target", "tax"), "column tax is named twice among keys and targets"),
            (("--key", "taxx"), "in.csv: unknown column 'taxx': did you mean tax?"),
            (("--limit", "membrship <= 5"), "unknown quantity 'membrship': did you mean membership"),
            (("--limit", "dr <= -1"), "cannot be met"),
            (("--limit", "dr 5"), "must be a quantity, <= or >=, and a number"),
            (("--x", "dr"), "the loss of a map cannot be dr"),
            (("--y", "nothing"), "the risk of a map: unknown quantity 'nothing'"),
        ],
    )
    def test_bad_ones(self, run, arguments, message):
        attributes(40).to_csv("in.csv", index=False)
        code, out, err = run("map", "in.csv", "--methods", "noise", *arguments)
        assert (code, out) == (2, "")
        assert message in err
        assert not Path("in_map").exists()

    def test_types_and_rules_are_repeated_by_the_commands(self, run):
        frame = attributes(80).round(1)
        frame = frame.assign(total=(frame.iloc[:, 0] + frame.iloc[:, 1]).round(1), size=np.arange(80) % 3)
        frame.to_csv("in.csv", index=False)
        first, second = frame.columns[:2]
        said = ("--rule", f"total = {first} + {second}", "--type", "size=ordinal")
        assert run("map", "in.csv", "--methods", "hybrid_micro", *said)[0] == 0
        command = re.search(r"<pre>sdclab (.*?)</pre>", Path("in_map/owner/index.html").read_text())[1]
        assert run(*shlex.split(html.unescape(command)))[0] == 0
        made = pd.read_csv("in_map/protected/hybrid_micro.csv")
        np.testing.assert_allclose(made["total"], made[first] + made[second], atol=1e-9)
        assert set(made["size"]) <= {0, 1, 2}


def test_a_map_of_more_than_twenty_columns(run):
    attributes(80, [f"v{i}" for i in range(31)]).to_csv("wide.csv", index=False)
    code, _, err = run("map", "wide.csv", "--methods", "mdav,noise")
    assert code == 0
    said = "probabilistic linkage (PRL, a part of DR) looks at 14 of 31 dependents"
    assert said in err
    assert said in Path("wide_map/owner/index.html").read_text()


def test_the_command_of_a_map_reads_the_file_as_the_map_did(run):
    pytest.importorskip("matplotlib")
    named_people().assign(name='two\nlines, "quoted"').rename(columns={"income": "2019"}).to_csv("in.csv", index=False)
    options = ("--line-breaks", "--header", "--drop-columns", "name")
    assert run("map", "in.csv", "--methods", "mdav", "-o", "map", *options)[0] == 0
    shown = re.search(r"<pre>sdclab (.*?)</pre>", Path("map/owner/index.html").read_text())[1]
    assert run(*shlex.split(html.unescape(shown)))[0] == 0
    assert list(pd.read_csv("map/protected/mdav.csv").columns) == ["2019", "tax"]


def test_the_commands_of_the_readme(run, people):
    """The section on one's own data, line by line, on a file with the columns it speaks of."""
    section = (PROJECT / "README.md").read_text().split("## Your own data")[1].split("\n## ")[0]
    lines = [line.split("#")[0].split() for line in re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1].splitlines()]
    people.assign(name="x").to_csv("data.csv", index=False)
    Path("limits.yaml").write_text("limits: [intact <= 0]\n")
    commands = [line[1:] for line in lines if line and line[0] == "sdclab"]
    assert [command[0] for command in commands] == ["describe", "map", "protect", "measure", "check-release"]
    for command in commands:
        more = ["--methods", "mdav,noise"] if command[0] == "map" else []  # all methods: `mapped`, above
        assert run(*command, *more)[0] == 0
