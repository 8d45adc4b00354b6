"""A multiverse through the whole workflow, in a copy of the project."""

import csv
import re

import pytest
from conftest import Tree
from tiny import MULTIVERSE, Tiny

ALL = ("--config", "multiverse=true")


def rows(tree, path):
    return list(csv.DictReader((tree.root / "results" / path).read_text().splitlines()))


def with_readings(tree):
    """The tiny study with all readings of its table; the judgement takes its own file for an original."""
    tiny = Tiny(tree.root)
    tiny.study["multiverses"] = {"table1": MULTIVERSE}
    tiny.write()
    return tree


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A finished run of it without other readings."""
    tree = with_readings(Tree(tmp_path_factory.mktemp("plain")))
    done = tree.run()
    assert done.returncode == 0, done.stderr
    return tree


@pytest.fixture(scope="module")
def all_read(plain, tmp_path_factory):
    """The same with all readings, on two cores."""
    tree = plain.copied(tmp_path_factory.mktemp("read"))
    done = tree.run(*ALL)
    assert done.returncode == 0, done.stderr
    return tree


def test_it_is_made_where_it_is_asked_for_kept_and_shown(plain, all_read, tmp_path):
    """First without, then with all readings, then again without asking: nothing is lost and nothing made again. On one
    core it gives the bytes of two.
    """
    tiny = plain.copied(tmp_path)
    assert not (tiny.root / "results/multiverse").exists()
    assert {row["readings"] for row in rows(tiny, "scorecard.csv")} == {"1"}
    asked = tiny.run(*ALL, cores=1)
    assert asked.returncode == 0, asked.stderr
    assert tiny.results("results/multiverse") == all_read.results("results/multiverse")
    summary = {row["quantity"]: row for row in rows(tiny, "multiverse/tiny/table1/summary.csv")}
    assert {quantity: row["readings"] for quantity, row in summary.items()} == {"pil": "2", "dr": "4"}
    readings = rows(tiny, "multiverse/tiny/table1/readings.csv")
    assert [float(row["distance"]) for row in readings] == sorted(
        [float(row["distance"]) for row in readings if row["quantity"] == "pil"]
    ) + sorted([float(row["distance"]) for row in readings if row["quantity"] == "dr"])
    for name in ("table1_pil", "table1_dr", "table1_plane"):
        assert (tiny.root / f"results/multiverse/figures/tiny/{name}.svg").stat().st_size > 1000
    card = rows(tiny, "scorecard.csv")
    assert {(row["quantity"], row["readings"]) for row in card} == {("pil", "2"), ("dr", "4")}
    assert "chosen on the rows it is judged on: known first" in {row["reading"] for row in card if "dr" in row.values()}
    page = (tiny.root / "results/report/index.html").read_text()
    assert "Readings of The table" in page
    assert re.search("4 readings of 2 published numbers", page)
    again = tiny.run()
    assert "Nothing to be done" in again.stdout + again.stderr


def test_what_was_made_by_other_readings_is_in_no_report(all_read, tmp_path):
    """Once an axis has changed, a plain run says nothing of readings until they are made anew."""
    tiny = all_read.copied(tmp_path)
    tiny.edit("config/studies/tiny.yaml", "thirty: 30", "thirty: 35")
    done = tiny.run()
    assert done.returncode == 0, done.stderr
    assert "Readings of The table" not in (tiny.root / "results/report/index.html").read_text()
    assert {row["readings"] for row in rows(tiny, "scorecard.csv")} == {"1"}
