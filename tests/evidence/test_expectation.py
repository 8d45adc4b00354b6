"""Numbers against an expectation: what has moved, what is worse, what is better, on scorecards with planted changes."""

from dataclasses import replace
from math import nan, sqrt
from pathlib import Path

import pytest
from conftest import PROJECT
from hypothesis import given
from hypothesis import strategies as st

from sdclab.base.errors import SdclabError
from sdclab.base.files import csv_text
from sdclab.evidence.expectation import (
    COLUMNS,
    DIGITS,
    Number,
    Scorecard,
    allowed,
    compare,
    expectation,
    has_moved,
    read_expected,
    read_scorecard,
)
from sdclab.evidence.published import load
from sdclab.experiment import plan
from sdclab.output.plots import PLOTS

ONE = Number("s", "t", "S/mdav/k=3", "pil", 40.0, 2.0, 16, "close")
"""With a standard error of 0.5."""
EXACT = Number("s", "t", "S/mdav/k=3", "objective", 2826.25, nan, 1, "exact")
CHAOTIC = Number("s", "t3", "S/fcrm/c=81", "pil", 55.0, 3.0, 10, "not reproducible")
EXPECTED = (ONE, EXACT, CHAOTIC)


def scorecard(*numbers, unjudged=()):
    return Scorecard({each.name: each for each in numbers}, frozenset(each.name for each in unjudged), bool(numbers))


def compared(*numbers, **more):
    return compare(EXPECTED, scorecard(*numbers, **more))


def test_nothing_changed():
    found = compared(*EXPECTED)
    assert found.held == 3
    assert (found.moved, found.worse, found.better, found.absent, found.unjudged, found.new) == ([], [], [], [], 0, 0)


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [
        (ONE, replace(ONE, reproduced=40 + 3 * 0.5 * sqrt(2) - 1e-6), False),  # SE 0.5 on both sides
        (ONE, replace(ONE, reproduced=40 + 3 * 0.5 * sqrt(2) + 1e-6), True),
        (ONE, replace(ONE, reproduced=40 - 3 * 0.5 * sqrt(2) - 1e-6), True),
        (ONE, replace(ONE, reproduced=42, sd=0.0), True),
        (ONE, replace(ONE, reproduced=42, sd=6.0), False),  # SE 0.5 and 1.5: three of 1.58
        (ONE, replace(ONE, reproduced=42, replicates=1), False),  # SE 0.5 and 2
        (EXACT, replace(EXACT, reproduced=2826.25 + 2826.25e-6 * 0.9), False),
        (EXACT, replace(EXACT, reproduced=2826.25 + 2826.25e-6 * 1.1), True),
        (replace(EXACT, reproduced=0.0), replace(EXACT, reproduced=0.9e-6), False),
        (replace(EXACT, reproduced=0.0), replace(EXACT, reproduced=1.1e-6), True),
        (CHAOTIC, replace(CHAOTIC, reproduced=99.0), False),  # only its verdict counts
        (CHAOTIC, replace(CHAOTIC, reproduced=nan), False),
        (ONE, replace(ONE, reproduced=nan), True),
    ],
)
def test_what_has_moved(old, new, moved):
    assert has_moved(old, new) == moved


NUMBERS, SPREADS, COUNTS = st.floats(-1e6, 1e6), st.floats(0, 1e3), st.integers(1, 50)


@given(NUMBERS, NUMBERS, SPREADS, SPREADS, COUNTS, COUNTS)
def test_moving_there_and_back_is_the_same(a, b, sd, other, n, m):
    one, two = replace(ONE, reproduced=a, sd=sd, replicates=n), replace(ONE, reproduced=b, sd=other, replicates=m)
    assert has_moved(one, two) == has_moved(two, one)
    assert not has_moved(one, one)
    assert allowed(one, two) >= DIGITS


def test_a_moved_number_is_named_with_what_it_was_is_and_may_be():
    found = compared(replace(ONE, reproduced=45.0), EXACT, CHAOTIC)
    assert found.moved == ["s, t, S/mdav/k=3, pil: moved from 40 to 45, by 5 where 2.1 is its spread."]
    assert (found.held, found.worse, found.better) == (2, [], [])


@pytest.mark.parametrize(
    ("was", "now", "how"),
    [
        ("exact", "close", "worse"),
        ("close", "trend", "worse"),
        ("trend", "differs", "worse"),
        ("differs", "not reproducible", "worse"),
        ("close", "not judged", "worse"),
        ("differs", "close", "better"),
        ("close", "exact", "better"),
        ("not reproducible", "differs", "better"),
    ],
)
def test_verdicts_have_an_order(was, now, how):
    found = compare([replace(ONE, verdict=was)], scorecard(replace(ONE, verdict=now)))
    sentence = [f"s, t, S/mdav/k=3, pil: the verdict is {how}, {now} for {was}."]
    assert (found.worse, found.better) == ((sentence, []) if how == "worse" else ([], sentence))
    assert found.held == 0


def test_a_better_number_that_moved_is_both():
    found = compare([replace(ONE, verdict="differs")], scorecard(replace(ONE, reproduced=99.0)))
    assert (len(found.moved), len(found.better), found.held) == (1, 1, 0)


def test_what_was_not_run_is_told_by_its_table():
    found = compared(CHAOTIC)
    assert found.absent == ["s, t: 2 expected numbers were not run."]
    assert found.held == 1


def test_what_was_made_from_something_else_is_neither_held_nor_absent():
    found = compared(CHAOTIC, unjudged=(ONE, EXACT))
    assert (found.held, found.unjudged, found.absent) == (1, 2, [])


def test_a_number_that_nothing_is_expected_of_is_new():
    assert compared(*EXPECTED, replace(ONE, quantity="dr")).new == 1


def line(number, kind="original"):
    return {**{key: getattr(number, key) for key in COLUMNS}, "dataset_kind": kind, "note": "more"}


class TestFiles:
    @pytest.fixture
    def write(self, here):
        def write(*rows, columns=(*COLUMNS, "dataset_kind", "note")):
            Path("scorecard.csv").write_text(csv_text(columns, rows))
            return Path("scorecard.csv")

        return write

    def test_what_is_written_is_expected(self, write):
        path = write(*map(line, EXPECTED))
        found = read_scorecard(path)
        text = expectation(found, path)
        Path("expected.csv").write_text(text)
        again = read_expected(Path("expected.csv"))
        assert [str(each) for each in again] == [str(each) for each in EXPECTED]
        assert compare(again, found).held == 3
        assert text.splitlines()[0] == ",".join(COLUMNS)

    def test_last_bits_are_not_kept(self, write):
        """They are the processor's, and would be differences in every new expectation."""
        texts = [
            expectation(read_scorecard(path), path)
            for path in (write(line(replace(ONE, reproduced=value, sd=value))) for value in (1 / 3, 1 / 3 + 1e-16))
        ]
        assert texts[0] == texts[1]
        assert "0.333333333," in texts[0]

    def test_what_nothing_is_judged_of_is_not_expected(self, write):
        """Numbers made from stand-ins, and those without a spread; those that no cell answers have a verdict."""
        rows = [line(ONE), line(replace(EXACT, verdict="not judged"))]
        rows += [line(replace(ONE, cell="a", verdict="not judged"), "stand-in"), line(replace(CHAOTIC, cell="b"), "")]
        rows += [line(replace(ONE, cell="c"), "stand-in")]  # points of our own, which a study may judge
        path = write(*rows)
        names = [row.split(",")[2] for row in expectation(read_scorecard(path), path).splitlines()[1:]]
        assert names == ["S/mdav/k=3", "b", "c"]

    def test_replicas_give_nothing_to_expect(self, write):
        path = write(line(replace(ONE, verdict="not judged"), "replica"), line(CHAOTIC, "replica"))
        found = read_scorecard(path)
        assert not found.on_originals
        assert found.unjudged == {ONE.name, CHAOTIC.name}
        with pytest.raises(SdclabError, match=r"scorecard.csv: was not made from the originals"):
            expectation(found, path)

    def test_a_thinned_run_is_refused(self, write):
        path = write(line(ONE), line(replace(EXACT, reproduced=nan, verdict="not run")))
        with pytest.raises(SdclabError, match=r"scorecard.csv: is of a thinned run, whose numbers are not comparable"):
            read_scorecard(path)

    @pytest.mark.parametrize(
        ("rows", "columns", "message"),
        [
            ([line(ONE), line(ONE)], None, "has the number s, t, S/mdav/k=3, pil twice"),
            ([line(ONE)], COLUMNS[:-1], "the column 'verdict' is missing"),
            ([{**line(ONE), "reproduced": "many"}], None, "a line has no numbers where there must be some"),
            ([{**line(ONE), "replicates": ""}], None, "a line has no numbers where there must be some"),
            ([{**line(ONE), "verdict": "fine"}], None, "has the verdict 'fine', which it cannot have"),
            ([{**line(ONE), "reproduced": nan}], None, "has the verdict 'close', which it cannot have"),
        ],
    )
    def test_a_file_that_is_no_scorecard_is_refused(self, write, rows, columns, message):
        path = write(*rows, **({"columns": columns} if columns else {}))
        with pytest.raises(SdclabError, match=message):
            read_scorecard(path)

    def test_nor_is_one_that_cannot_be_read(self, here):
        with pytest.raises(SdclabError, match=r"none.csv: cannot be read"):
            read_scorecard(Path("none.csv"))
        Path("x.csv").write_bytes(b"\xff\xfe")
        with pytest.raises(SdclabError, match="is not a CSV file in UTF-8"):
            read_expected(Path("x.csv"))


def test_the_committed_expectation_is_of_every_judged_table_and_of_numbers_that_are_printed(monkeypatch):
    """One line a published number, of which `make numbers` knows its tables, too."""
    monkeypatch.chdir(PROJECT)
    expected = read_expected(Path("resources/expected.csv"))
    run = plan.load({}, PLOTS)
    judged = {(table.study, table.name): table for table in run.tables if table.in_judgement}
    assert {number.name[:2] for number in expected} == set(judged)
    for (study, name), table in judged.items():
        printed = load(f"resources/published/{table.published}.csv", plan.PUBLISHED_SCHEMA)
        filled = sum(bool(row[quantity]) for row in printed.rows for quantity in table.quantities)
        numbers = [number for number in expected if number.name[:2] == (study, name)]
        assert 0 < len(numbers) <= filled
        assert {number.quantity for number in numbers} <= set(table.quantities)
