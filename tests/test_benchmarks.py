"""The benchmarks run; how fast is not for a test to say."""

import csv
import subprocess
import sys

import numpy as np
import pytest
from conftest import PROJECT

sys.path.insert(0, str(PROJECT / "benchmarks"))

import former
import fresh
import growth
import kernels
import marked
import million
import peers
import run

from sdclab.base.files import csv_text, write
from sdclab.measures import MEASURES
from sdclab.methods import METHODS


def command(script, *arguments):
    done = subprocess.run(
        [sys.executable, PROJECT / "benchmarks" / script, *map(str, arguments)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_peers_are_measured_and_written(tmp_path):
    command("run.py", "--to", tmp_path, "--only", "em", "--scale", 0.05)
    rows = list(csv.DictReader((tmp_path / "peers.csv").read_text().splitlines()))
    assert [row["name"] for row in rows] == ["em"] * 2
    for row in rows:
        assert float(row["ours_s"]) > 0
        if row["ratio"]:
            assert float(row["ratio"]) == pytest.approx(float(row["theirs_s"]) / float(row["ours_s"]))
    assert {path.name for path in tmp_path.iterdir()} == {"peers.csv", "peers.md", "peers.svg", "peers.png"}


def saved_run(path, seconds, processor):
    write(
        path, csv_text(("name", "n", "s", "processor"), [{"name": "a", "n": 9, "s": seconds, "processor": processor}])
    )
    return former.Former(path, ("name", "n"), "s")


@pytest.mark.parametrize(("now", "slower"), [(2.4, 0), (2.6, 1), (1.0, 0)])
def test_what_takes_a_quarter_longer_than_in_the_last_run_is_told(now, slower, tmp_path):
    before = saved_run(tmp_path / "run.csv", 2.0, former.processor())
    row, new = (before.beside({"name": "a", "n": n, "s": now}) for n in (9, 10))
    assert (row["before"], row["change"]) == (2.0, pytest.approx(now / 2 - 1))
    assert new["before"] is new["change"] is None  # another size is another line
    assert len(before.slower([row, new])) == slower
    assert all("a, 9: 2 s before, 2.6 s now (+30%)" in line for line in before.slower([row, new]))


def test_a_run_on_another_kind_of_processor_or_none_says_nothing(tmp_path):
    for path, processor in ((tmp_path / "run.csv", "an abacus"), (tmp_path / "none", former.processor())):
        before = saved_run(tmp_path / "run.csv", 2.0, processor)
        before = former.Former(path, ("name", "n"), "s") if path.name == "none" else before
        assert before.beside({"name": "a", "n": 9, "s": 5.0})["before"] is None


def test_what_takes_too_long_is_stopped(tmp_path):
    endless = tmp_path / "endless.py"
    endless.write_text("while True: pass")
    with pytest.raises(fresh.StoppedError):
        fresh.in_fresh_process(str(endless), most=1)


@pytest.mark.slow
def test_a_million_records_are_measured_and_written(tmp_path):
    asked = ("--to", tmp_path, "--n", 3000, "--only")
    first = command("million.py", *asked, "noise", "mdav in C", "synthetic")
    assert "| noise | sdclab | 3,000 |" in first
    rows = list(csv.DictReader((tmp_path / "million.csv").read_text().splitlines()))
    assert [row["name"] for row in rows] == ["noise", "mdav in C", "synthetic"]
    assert all(row["note"] == "absent" or 40 < float(row["auc"]) <= 100 for row in rows)
    again = command("million.py", *asked, "noise")
    assert again.startswith((tmp_path / "million.md").read_text().split("\n\n")[0])
    (row,) = csv.DictReader((tmp_path / "million.csv").read_text().splitlines())
    assert float(row["before"]) > 0


def test_clusters_in_c_are_released_by_their_means():
    data = peers.mdav_data({"n": 300, "p": 3})
    if "compiled" not in data:
        pytest.skip("cc is absent")
    made = million.mdav_in_c(data)
    np.testing.assert_allclose(made.mean(axis=0), data["records"].mean(axis=0))
    assert np.unique(made, axis=0, return_counts=True)[1].min() >= peers.K


def test_a_peer_that_is_not_installed_is_absent_and_no_error(monkeypatch):
    monkeypatch.setattr(run, "find_spec", lambda name: None)
    row = run.compare("fcm", {"n": 200, "p": 2, "c": 3, "restarts": 1})
    assert row["peer"] == "scikit-fuzzy (absent)"
    assert row["ours_s"] > 0
    assert row["theirs_s"] is row["ratio"] is row["difference"] is None


@pytest.mark.parametrize("name", [name for name, contest in peers.CONTESTS.items() if run.installed(contest.needs)])
def test_both_sides_agree(name):
    contest = peers.CONTESTS[name]
    if contest.peer.startswith("python-synthpop"):
        pytest.skip("two synthesisers need not agree")
    size = {**contest.sizes[0], "n": 200}
    ours, theirs = (
        contest.result(data, side(data)) for side in (contest.ours, contest.theirs) for data in [contest.data(size)]
    )
    # recordlinkage estimates from another start
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=0.02 if name == "fellegi-sunter" else 1e-6)


@pytest.mark.slow
def test_growth_covers_every_method_and_measure():
    registered = {*METHODS, *MEASURES}
    assert set(growth.QUADRATIC) == set(growth.LINEAR) <= registered
    assert set(growth.NEEDED) <= registered
    found = growth.subjects(registered)
    assert {subject.name for subject in found if not subject.linear} == registered
    for subject in found:
        growth.prepared(subject, growth.LEAST)()


@pytest.mark.slow
def test_long_files_are_made_and_measured(tmp_path):
    command("long.py", "--to", tmp_path, "--sizes", 400, "--only", "noise", "pram")
    rows = list(csv.DictReader((tmp_path / "long.csv").read_text().splitlines()))
    assert [(row["method"], row["problem"]) for row in rows] == [("noise", ""), ("pram", "")]
    assert all(float(row["seconds"]) > 0 and float(row["peak_mb"]) > 0 for row in rows)
    assert {path.name for path in tmp_path.iterdir()} == {"long.csv", "long.md"}
    command("long.py", "--to", tmp_path, "--sizes", 400, "--only", "noise", "--ending", "parquet")
    assert len((tmp_path / "long.md").read_text().splitlines()) == 2 + len(rows) + 1


@pytest.mark.slow
def test_growth_is_measured_and_written(tmp_path):
    said = command("growth.py", "--to", tmp_path, "--only", "noise", "pil", "--sizes", 500, 1000)
    assert "noise" in said
    rows = list(csv.DictReader((tmp_path / "growth.csv").read_text().splitlines()))
    assert [(row["name"], int(row["n"])) for row in rows] == [(a, n) for a in ("noise", "pil") for n in (500, 1000)]
    assert {path.name for path in tmp_path.iterdir()} == {"growth.csv", "growth.md", "growth.svg", "growth.png"}


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_the_exponent_is_the_slope_of_the_logarithms(power):
    rows = [{"n": n, "seconds": 1e-3 * n**power} for n in (1000, 5000, 10_000, 20_000)]
    rows[0]["seconds"] = 50.0  # what a call costs at least does not count
    assert growth.exponent(rows) == pytest.approx(power)


@pytest.mark.slow
def test_kernels_are_compared_cell_by_cell(monkeypatch, tmp_path, capsys):
    """Under two kinds of processor the release by regression agrees, and the table says how far."""
    few = {kind: kernels.KINDS[kind] for kind in ("this processor", "BLAS of Prescott")}
    monkeypatch.setattr(kernels, "KINDS", few)
    monkeypatch.setattr(sys, "argv", ["kernels.py", "--to", str(tmp_path), "--data", "", "--only", "ipso_a"])
    kernels.main()
    (row, *others) = list(csv.DictReader((tmp_path / "kernels.csv").read_text().splitlines()))
    assert (row["study"], row["cell"], row["kind"]) == ("cano_torra_2009", "S1/ipso_a/default", "BLAS of Prescott")
    assert all(float(each["difference"]) <= kernels.SAME for each in (row, *others))
    cells = str(1 + len(others))
    assert f"| ipso_a | {cells} |" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"kernels.csv", "kernels.md"}


@pytest.mark.slow
def test_attacks_are_compared_with_the_score(tmp_path):
    """On the replica as on the original: a shuffle has the best score of these, and gives everybody away."""
    asked = ("--data", "", "--replicates", 1, "--only", "ipso_c", "permute")
    shown = command("attacks.py", "--to", tmp_path, *asked)
    assert shown.endswith((tmp_path / "attacks.md").read_text())
    rows = list(csv.DictReader((tmp_path / "attacks.csv").read_text().splitlines()))
    by_score, by_membership = (
        [row["method"] for row in sorted(rows, key=lambda row: int(row[rank]))]
        for rank in ("rank_by_score", "rank_by_membership")
    )
    assert by_score[0] == "permute"
    assert by_membership[0] == "ipso_c"
    assert all(float(row["linkability"]) > 95 for row in rows if row["method"] != "ipso_c")


@pytest.mark.slow
def test_calibrated_is_compared_with_ipso_c():
    said = command("calibrated.py", "--data", "", "--replicates", 1, "--only", "wine").splitlines()
    ours, theirs = (
        float(next(line for line in said if f"`{name}`" in line).split("|")[3]) for name in ("calibrated", "ipso_c")
    )
    assert ours < 3.4 < theirs
    assert [line for line in said if line.startswith("| error of moments | wine") and line.endswith("| met |")]


def test_a_table_replaces_the_one_between_its_marks(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("a\n<!-- b: begin -->\nold\n<!-- b: end -->\nc\n<!-- d: begin -->\n<!-- d: end -->\n")
    marked.put(path, "b", ["new", r"\1"])
    made = "a\n<!-- b: begin -->\nnew\n\\1\n<!-- b: end -->\nc\n<!-- d: begin -->\n<!-- d: end -->\n"
    assert path.read_text() == made


def test_the_difference_of_two_numbers_is_relative_to_the_larger_or_to_one():
    assert kernels.difference(200.0, 198.0) == pytest.approx(0.01)
    assert kernels.difference(1e-9, 3e-9) == pytest.approx(2e-9)
    assert kernels.difference(np.nan, np.nan) == kernels.difference(np.inf, np.inf) == 0
    assert kernels.difference(np.nan, 1.0) == kernels.difference(np.inf, 1.0) == np.inf


@pytest.mark.slow
def test_estimators_are_simulated_and_written(tmp_path):
    shown = command("estimators.py", "--to", tmp_path, "--scale", 0.01)
    assert shown == (tmp_path / "estimators.md").read_text()
    slopes, links = (
        list(csv.DictReader((tmp_path / name).read_text().splitlines())) for name in ("slopes.csv", "links.csv")
    )
    assert {(row["n"], row["terms"]) for row in slopes} >= {("200", "1"), ("2000", "10")}
    assert all(abs(float(row["ratio"]) - 1) < 5 * float(row["standard_error"]) for row in slopes)
    assert len(links) == 72
