"""sdclab check: a scorecard in, what has moved out."""

from math import nan
from pathlib import Path

import pytest

from sdclab.base.files import csv_text

COLUMNS = ("study", "table", "cell", "quantity", "published", "reproduced", "sd", "replicates", "verdict")


def line(cell, reproduced=40.0, sd=2.0, verdict="close", kind="original"):
    values = ("s", "t", cell, "pil", "41", reproduced, sd, 16, verdict)
    return {**dict(zip(COLUMNS, values, strict=True)), "dataset_kind": kind}


def write(*rows):
    Path("scorecard.csv").write_text(csv_text((*COLUMNS, "dataset_kind"), rows))


@pytest.fixture
def expected(run):
    """What is expected of three numbers."""
    write(line("a"), line("b", 7.25, nan, "exact"), line("c", verdict="differs"))
    assert run("check", "scorecard.csv", "--write") == (0, "resources/expected.csv: 3 numbers to expect.\n", "")


def test_what_was_written_is_as_expected(run, expected):
    assert run("check", "scorecard.csv") == (0, "scorecard.csv: 3 as expected.\n", "")


def test_each_number_that_moved_or_is_worse_is_named_and_better_ones_are_told(run, expected):
    write(line("a", 44.0), line("b", 7.26, nan, "close"), line("c"))
    code, out, err = run("check", "scorecard.csv")
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        "s, t, a, pil: moved from 40 to 44, by 4 where 2.1 is its spread.",
        "s, t, b, pil: moved from 7.25 to 7.26, by 0.01 where 7.3e-06 is its spread.",
        "s, t, b, pil: the verdict is worse, close for exact.",
        "s, t, c, pil: the verdict is better, close for differs.",
        "scorecard.csv: 2 moved, 1 worse, 1 better.",
    ]


def test_better_is_no_failure(run, expected):
    write(line("a"), line("b", 7.25, nan, "exact"), line("c"))
    code, out, _ = run("check", "scorecard.csv")
    assert (code, out.splitlines()[-1]) == (0, "scorecard.csv: 2 as expected, 1 better.")


def test_what_was_not_run_is_a_failure_unless_some_tables_were_asked_for(run, expected):
    write(line("a"))
    code, out, _ = run("check", "scorecard.csv")
    assert code == 1
    assert out.splitlines()[0] == "s, t: 2 expected numbers were not run."
    code, out, _ = run("check", "scorecard.csv", "--partial")
    assert (code, out) == (0, "scorecard.csv: 1 as expected, 1 tables not run or not whole.\n")


def test_a_number_that_moved_fails_in_a_part_too(run, expected):
    write(line("a", 50.0))
    assert run("check", "scorecard.csv", "--partial")[0] == 1


def test_without_the_originals_nothing_is_judged(run, expected):
    write(*(line(cell, 99.0, verdict="not judged", kind="replica") for cell in "abc"))
    code, out, err = run("check", "scorecard.csv")
    assert (code, err) == (0, "")
    assert out == "scorecard.csv: nothing is judged, since no number was made from the originals.\n"
    before = Path("resources/expected.csv").read_text()
    code, out, err = run("check", "scorecard.csv", "--write")
    assert (code, out) == (2, "")
    assert "was not made from the originals" in err
    assert Path("resources/expected.csv").read_text() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.csv",), "none.csv: cannot be read (No such file or directory)"),
        (("scorecard.csv", "--expected", "none.csv"), "none.csv: cannot be read (No such file or directory)"),
        (("thinned.csv",), "thinned.csv: is of a thinned run"),
    ],
)
def test_bad_input_is_one_sentence(run, expected, arguments, message):
    Path("thinned.csv").write_text(csv_text((*COLUMNS, "dataset_kind"), [line("a", nan, nan, "not run", "")]))
    code, out, err = run("check", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
