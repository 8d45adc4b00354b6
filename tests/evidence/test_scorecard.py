"""Verdicts, side-by-side tables, and the audit of the published ones."""

import numpy as np
import pandas as pd
import pytest
from conftest import PROJECT, SCHEMAS
from scipy.stats import kendalltau

from sdclab.base import documents
from sdclab.base.errors import SdclabError
from sdclab.evidence import published
from sdclab.evidence.agreement import rank_agreement
from sdclab.evidence.audit import audit
from sdclab.evidence.published import Published
from sdclab.evidence.scorecard import held_out_words, judge
from sdclab.evidence.side_by_side import markdown, side_by_side
from sdclab.experiment.cell import Cell
from sdclab.experiment.judgement import parse_judgement, parse_note
from sdclab.experiment.study import Study
from sdclab.experiment.table import Table, parse_tables
from sdclab.output.summary import summary

PRINTED = Published(
    "x_2009_table1",
    ("method", "c", "pil"),
    (
        {"method": "fcrm", "c": "2", "pil": "44.68"},
        {"method": "fcrm", "c": "3", "pil": "32.6"},
        {"method": "ipso_b", "c": "", "pil": "49.2"},
        {"method": "ipso_c", "c": "", "pil": "9.5"},
    ),
)
SPEC = {
    "title": "Table",
    "scenario": "S1",
    "keys": ["method", "c"],
    "quantities": ["pil"],
    "readings": [{"method": "ipso_b", "parameters": {"reading": "thesis"}, "because": "it fits"}],
}
TOLERANCE = {"tables": ["t"], "quantities": ["pil"], "rule": "tolerance", "tolerance": 3, "because": ""}
TREND = {"tables": ["t"], "quantities": ["pil"], "rule": "trend", "resolution": 0.5, "at_least": 0.9, "because": ""}


def parsed(spec) -> Table:
    return parse_tables("s", {"t": spec}, {}, "s.yaml")["t"]


def study_with(rules, notes=(), left_out=()) -> Study:
    """A study of nothing but judgements and notes."""
    nothing = {key: {} for key in ("datasets", "scenarios", "measured", "tables", "figures")}
    nothing |= {"sensitivities": {}, "multiverses": {}}
    judgements, remarks = tuple(map(parse_judgement, rules)), tuple(map(parse_note, notes))
    return Study("s", "", cells=(), left_out=left_out, judgements=judgements, notes=remarks, **nothing)


TABLE = parsed(SPEC)


def cells(*ours, kind="original"):
    """Cells with two replicates each, one above and one below the mean."""
    return [
        (cell, pd.DataFrame({"pil": [mean - 0.5, mean + 0.5], "dataset_kind": kind, "fingerprint": "f"}))
        for cell, mean in ours
    ]


def table(*ours, kind="original"):
    return side_by_side(PRINTED, cells(*ours, kind=kind), TABLE)


FCRM2 = Cell("s", "S1", "fcrm", {"c": 2})
FCRM3 = Cell("s", "S1", "fcrm", {"c": 3})
THESIS = Cell("s", "S1", "ipso_b", {"reading": "thesis"})
BURRIDGE = Cell("s", "S1", "ipso_b", {"reading": "burridge"})


def verdicts(rules, *ours, kind="original", notes=()):
    frame = table(*ours, kind=kind)
    text = frame.astype(object).where(frame.notna(), "").astype(str).to_dict("records")
    return judge(study_with(rules, notes), TABLE, text)


class TestPrintedNumbers:
    @pytest.mark.parametrize("path", sorted((PROJECT / "resources" / "published").glob("*.csv")), ids=lambda p: p.stem)
    def test_every_published_table_fits_its_schema(self, path):
        assert published.load(path, SCHEMAS / "published.schema.yaml").rows

    def test_a_broken_one_is_named(self, tmp_path):
        path = tmp_path / "x_2009_table1.csv"
        path.write_text("method,pil\nfcrm,12..3\n")
        with pytest.raises(SdclabError, match=r"x_2009_table1\.csv: rows\.0\.pil is '12\.\.3' but must be a text that"):
            published.load(path, SCHEMAS / "published.schema.yaml")


class TestSideBySide:
    def test_puts_each_published_row_beside_the_cell_that_answers_it(self):
        made = table((FCRM2, 45.0), (THESIS, 62.0), (BURRIDGE, 24.0))
        beside = dict(zip(made["cell"], made["pil_published"], strict=True))
        assert beside["S1/fcrm/c=2"] == "44.68"
        assert beside["S1/ipso_b/reading=thesis"] == "49.2"
        assert beside["S1/ipso_b/reading=burridge"] == ""
        assert list(made["pil_published"][made["cell"] == ""]) == ["32.6", "9.5"]  # nobody answers these

    def test_panels_answer_one_table_from_several_columns_and_scenarios(self):
        """Torra et al.'s tables: runs side by side, and noise printed as ten times its parameter."""
        printed = Published(
            "x_2009_table2",
            ("run", "noise_label", "d1"),
            tuple(
                {"run": run, "noise_label": noise, "d1": d1}
                for run, noise, d1 in (("a", "0.6", "1"), ("b", "0.6", "2"))
            ),
        )
        cell = Cell("s", "v13", "noise", {"p": 0.06})
        frame = pd.DataFrame({"d1_a": [5.0], "d1_b": [7.0], "dataset_kind": "original", "fingerprint": "f"})
        spec = {
            "title": "Two runs",
            "scenario": "v13",
            "keys": ["run", "noise_label"],
            "scaled": {"noise_label": {"parameter": "p", "times": 10}},
            "quantities": ["d1"],
            "panels": [{"fixed": {"run": run}, "suffix": f"_{run}"} for run in ("a", "b")],
        }
        made = side_by_side(printed, [(cell, frame)], parsed(spec))
        assert list(made["run"]) == ["a", "b"]
        assert list(made["d1"]) == [5.0, 7.0]
        assert list(made["d1_published"]) == ["1", "2"]

    def test_reports_mean_and_standard_deviation(self):
        row = table((FCRM2, 45.0)).iloc[0]
        assert (row["pil"], row["replicates"]) == (45.0, 2)
        assert row["pil_sd"] == pytest.approx(np.sqrt(0.5))

    def test_two_answers_to_one_row_are_refused(self):
        with pytest.raises(SdclabError, match="several cells answer one published row"):
            table((FCRM2, 45.0), (Cell("s", "S1", "fcrm", {"c": 2.0}), 44.0))

    def test_an_unknown_quantity_is_named(self):
        with pytest.raises(SdclabError, match="unknown quantity 'pill': did you mean pil"):
            side_by_side(PRINTED, cells((FCRM2, 45.0)), parsed({**SPEC, "beside": ["pill"]}))

    def test_markdown_prints_the_trend_over_the_last_key(self):
        rising = [(Cell("s", "S1", "fcrm", {"c": c}), 50.0 - c) for c in (2, 3, 4, 5)]
        assert "- Spearman's correlation with c, fcrm: pil -1.000 (3 descents)" in markdown(table(*rising), TABLE)
        assert "Spearman" not in markdown(table(*rising[:3]), TABLE)

    def test_markdown_shows_the_kind_of_data(self):
        text = markdown(table((FCRM2, 45.0), kind="replica"), TABLE)
        assert "Data: replica." in text
        assert "| fcrm | 2 |  | 44.68 | 45.000 ± 0.707 |" in text


class TestVerdicts:
    @pytest.mark.parametrize(
        ("ours", "verdict"), [(44.681, "exact"), (44.69, "close"), (47.68, "close"), (47.69, "differs")]
    )
    def test_by_tolerance(self, ours, verdict):
        assert verdicts([TOLERANCE], (FCRM2, ours))[0].verdict == verdict

    def test_a_distance_equal_to_the_tolerance_is_within_it(self):
        """|44.78 - 44.68| and |44.58 - 44.68| are 0.1 on paper."""
        for ours in (44.78, 44.58):
            assert verdicts([{**TOLERANCE, "tolerance": 0.1}], (FCRM2, ours))[0].verdict == "close"

    def test_by_trend(self):
        rising = verdicts([TREND], (FCRM2, 60.0), (FCRM3, 50.0), (THESIS, 70.0))
        assert {line.verdict for line in rising if line.cell.startswith("S1")} == {"trend"}
        assert "rank agreement 1.00 over 3 pairs" in rising[0].tolerance
        falling = verdicts([TREND], (FCRM2, 50.0), (FCRM3, 60.0), (THESIS, 70.0))
        assert falling[0].verdict == "differs"

    @pytest.mark.parametrize(("ours", "verdict"), [(46.7, "close"), (47.0, "differs")])
    def test_by_spread(self, ours, verdict):
        """Three standard deviations of the replicates (0.707 each) and the last printed place: 2.13."""
        rule = {**TOLERANCE, "rule": "spread", "sds": 3}
        assert verdicts([rule], (FCRM2, ours))[0].verdict == verdict

    def test_one_replicate_has_no_spread_to_judge_by(self):
        row = {"cell": "x", "method": "fcrm", "c": "2", "dataset_kind": "original", "replicates": "1"}
        row |= {"pil": "45", "pil_sd": "", "pil_published": "44.68"}
        (line,) = judge(study_with([{**TOLERANCE, "rule": "spread", "sds": 3}]), TABLE, [row])
        assert (line.verdict, line.tolerance) == ("not judged", "no spread: one replicate")

    @pytest.mark.parametrize(("ours", "verdict"), [(46.9, "close"), (47.0, "differs")])
    def test_by_relative_tolerance(self, ours, verdict):
        assert verdicts([{**TOLERANCE, "tolerance": 0.05, "relative": True}], (FCRM2, ours))[0].verdict == verdict

    def test_truncated_digits(self):
        cut = {**TOLERANCE, "digits": "truncated"}
        for rule, verdict in ((TOLERANCE, "close"), (cut, "exact")):
            assert verdicts([rule], (FCRM2, 44.688))[0].verdict == verdict
        row = {"cell": "x", "method": "fcrm", "c": "2", "dataset_kind": "original", "replicates": "1"}
        row |= {"pil": "2826.298", "pil_sd": "", "pil_published": "2826.0"}  # a whole number in print
        assert judge(study_with([cut]), TABLE, [row])[0].verdict == "exact"

    def test_a_number_that_nobody_computes_is_not_reproducible(self):
        lines = verdicts([TOLERANCE], (FCRM2, 44.0))
        assert [line.verdict for line in lines] == ["close"] + 3 * ["not reproducible"]

    def test_nothing_is_judged_on_a_replica(self):
        line = verdicts([TOLERANCE], (FCRM2, 44.68), kind="replica")[0]
        assert line.verdict == "not judged"
        assert "replica" in line.note

    def test_the_reading_and_its_reason_are_shown(self):
        lines = verdicts([TOLERANCE], (THESIS, 49.0))
        assert {line.cell: line.reading for line in lines}["S1/ipso_b/reading=thesis"] == "reading=thesis: it fits"

    def test_a_reading_of_a_panel_is_shown_with_its_rows_alone(self):
        parts = [{"fixed": {"c": ""}}, {"fixed": {"c": 2}, "readings": []}]
        made = parsed({**SPEC, "panels": parts})
        assert str(made.reading_of({"method": "ipso_b", "c": ""})) == "reading=thesis: it fits"
        assert made.reading_of({"method": "ipso_b", "c": "2"}) is None

    def test_notes_and_spread_are_shown(self):
        note = {"tables": ["t"], "rows": {"c": [2]}, "note": "why"}
        line = verdicts([TOLERANCE], (FCRM2, 40.0), notes=[note])[0]
        assert (line.note, line.sd, line.replicates) == ("why", pytest.approx(np.sqrt(0.5)), 2)

    def test_a_quantity_without_a_rule_is_refused(self):
        with pytest.raises(SdclabError, match=r"study s: tables\.t: no judgement covers pil of S1/fcrm/c=2"):
            verdicts([{**TOLERANCE, "rows": {"method": ["ipso_b"]}}], (FCRM2, 44.0))

    def test_rank_agreement_is_kendalls_tau(self):
        rng = np.random.default_rng(0)
        a, b = rng.random((2, 30))
        assert rank_agreement(a, b, 0)[0] == pytest.approx(kendalltau(a, b).statistic)

    def test_what_differs_by_rounding_alone_has_no_order(self):
        assert 0.1 + 0.2 > 0.3
        assert rank_agreement([1, 2], [0.3, 0.1 + 0.2], 0) == rank_agreement([1, 2], [0.1 + 0.2, 0.3], 0) == (-1, 1)
        assert 0.3 - 0.2 < 0.1 < 1.1 - 1.0
        assert rank_agreement([0.3, 0.2], [1, 2], 0.1)[1] == rank_agreement([1.1, 1.0], [1, 2], 0.1)[1] == 0

    def test_pairs_too_close_in_print_do_not_count(self):
        assert rank_agreement([10.04, 10.0, 6.4], [12.0, 12.1, 5.0], 0.5) == (1.0, 2)

    def test_the_summary_counts(self):
        text = summary(verdicts([TOLERANCE], (FCRM2, 44.68), (FCRM3, 90.0)), 3, {"census": "original"}, "results")
        assert "exact: 1  close: 0  trend: 0  differs: 1  not reproducible: 2" in text
        assert "census (original)" in text


@pytest.fixture(scope="module")
def tables():
    paths = (PROJECT / "resources" / "published").glob("*.csv")
    return {path.stem: published.load(path, SCHEMAS / "published.schema.yaml") for path in paths}


class TestAudit:
    def test_finds_what_is_known_to_be_wrong_and_nothing_else(self, tables):
        claims = documents.load(PROJECT / "config" / "audit.yaml", SCHEMAS / "audit.schema.yaml")["claims"]
        findings = audit(tables, claims)
        scores = [finding for finding in findings if finding.claim == "SCORE is the mean of PIL and DR"]
        assert len(scores) == 4
        assert all(finding.holds for finding in scores)
        wrong = " | ".join(finding.detail for finding in findings if not finding.holds)
        for known in (
            "smallest score is 16.536 at fcrm c 12; the text names fcrm c 13 with 16.912",
            "the largest n_independent is 19, the bound 12",
            "11 of 20 values differ",
            "in all 2 rows",
        ):
            assert known in wrong

    def test_a_wrong_mean_would_be_found(self, tables):
        table = tables["cano_torra_2009_table2"]
        rows = [dict(row) for row in table.rows]
        rows[3]["score"] = "19.376"  # printed 19.374
        claim = {"table": table.stem, "check": "mean_of", "quantity": "score", "parts": ["pil", "dr"], "claim": ""}
        (finding,) = audit({table.stem: Published(table.stem, table.columns, tuple(rows))}, [claim])
        assert not finding.holds
        assert "fcrm c 5 prints 19.376" in finding.detail

    def test_an_unknown_table_is_named(self, tables):
        with pytest.raises(SdclabError, match="unknown published table 'cano_torra_2009_table4': did you mean"):
            audit(tables, [{"table": "cano_torra_2009_table4", "check": "within", "claim": ""}])


def test_numbers_that_hold_are_counted_both_ways():
    """A number that cannot be judged one way is counted in neither."""
    pairs = [("close", "differs"), ("exact", "close"), ("differs", "trend"), ("close", ""), ("not judged", "close")]
    assert held_out_words(pairs).startswith("Of 3 numbers that several readings were tried on, 2 hold as they are read")
    assert "and 2 by a reading" in held_out_words(pairs)
    assert held_out_words([("close", "")]) == ""
