"""The report and the explorer: what is on the pages, and what must not be."""

import json
import re
import shutil
import sys
from collections import Counter
from html.parser import HTMLParser

import pandas as pd
import pytest
from conftest import PROJECT
from finished import RUN, SECRET, STUDY, rows
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from sdclab.evidence.scorecard import HOLDS, MEANINGS, NOT_RUN
from sdclab.output.pages.markup import tag
from sdclab.output.plots import PLOTS

VERDICTS = [verdict for verdict in MEANINGS if verdict != NOT_RUN]


@pytest.fixture(scope="session")
def index(tiny):
    return (tiny / "report/index.html").read_text()


class Parsed(HTMLParser):
    """The elements of a page; an unbalanced one is an error."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.text = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        if name not in ("meta", "input"):
            self.open.append(name)

    def handle_startendtag(self, name, attributes):
        self.elements.append((name, dict(attributes)))

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, data):
        self.text.append(data)

    def values(self, attribute):
        return [given[attribute] for _, given in self.elements if attribute in given]


@given(text=st.text(), attribute=st.text())
def test_text_cannot_become_markup(text, attribute):
    parsed = Parsed(tag("p", text, title=attribute))
    assert [name for name, _ in parsed.elements] == ["p"]
    as_read = "".join(parsed.text), parsed.elements[0][1]["title"]
    assert as_read == (text, attribute)


@pytest.mark.slow
class TestPage:
    def test_is_well_formed_and_needs_nothing_else(self, tiny, index):
        for text in (index, (tiny / "report/explorer.html").read_text()):
            parsed = Parsed(text)
            ids = parsed.values("id")
            assert len(ids) == len(set(ids))
            assert all(target[1:] in ids for target in parsed.values("xlink:href"))
            assert not parsed.values("src")
            local = {target for target in parsed.values("href") if not target.startswith("#")}
            assert local <= {"index.html", "explorer.html"}
            assert not re.search(r"@import|url\((?!#)", text)

    def test_names_every_study_table_and_figure(self, index):
        ids = set(Parsed(index).values("id"))
        assert {"headline", "tiny", "audit", "data", "folders", "versions", "run-time"} <= ids
        assert {"table-tiny-table", "table-tiny-unpublished", "sensitivity-tiny-dr"} <= ids
        assert {"figure-tiny-map", "figure-tiny-curve", "figure-tiny-plane", "figure-tiny-records"} <= ids
        assert "A study &lt;of its own&gt; &amp; small" in index

    def test_asks_the_question_of_a_table_and_shows_its_correlations(self, tiny, index):
        part = index.split('id="table-tiny-unpublished"')[1].split("</details>")[0]
        assert '<p class="question">Does &lt;more&gt; lose less?</p>' in part
        table = pd.read_csv(tiny / "tables/tiny/unpublished.csv")
        expected = [spearmanr(table["score"], table[name]).statistic for name in ("pil", "copy")]
        shown = re.findall(r'<td class="number">([+-]\d\.\d\d)</td>', part)
        assert [float(text) for text in shown] == pytest.approx(expected, abs=0.005)

    def test_has_every_verdict_of_the_scorecard_in_its_place(self, tiny, index):
        judged = Counter(row["verdict"] for row in rows(tiny / "scorecard.csv"))
        assert {"close", "not reproducible"} <= set(judged)
        shown = Counter(
            verdict
            for name, given in Parsed(index).elements
            for verdict in VERDICTS
            if name == "td" and f"verdict {verdict.replace(' ', '-')}" in given.get("class", "")
        )
        assert shown == judged
        counts = dict(
            re.findall(r'title="([a-z ]+)" role="img">.</span> [a-z ]+</span><span class="count">(\d+)<', index)
        )
        assert {verdict: int(counts[verdict]) for verdict in VERDICTS} == {v: judged[v] for v in VERDICTS}

    def test_says_how_weak_a_verdict_is(self, tiny, index):
        judged = [row for row in rows(tiny / "scorecard.csv") if row["wrong"]]
        assert judged
        for row in judged:
            assert f"{row['verdict']}, and {100 * float(row['wrong']):.0f} % of wrong answers would be: " in index

    def test_tells_of_every_published_table_at_one_look_whether_it_is_met(self, tiny, index):
        judged = [row["verdict"] in HOLDS for row in rows(tiny / "scorecard.csv") if row["verdict"] != "not judged"]
        expected = "met" if all(judged) else "partly" if any(judged) else "not"
        looks = re.findall(r'<li><span class="look ([a-z-]+)".*?<span class="told">(.*?)</span></li>', index)
        assert looks == [(expected, f"{expected}: {sum(judged)} of {len(rows(tiny / 'scorecard.csv'))} hold")]

    def test_lists_every_published_number(self, tiny, index):
        part = index.split('class="narrowed"')[1].split("</table>")[0]
        found = re.findall(r"<tr>(<td>tiny</td>.*?)</tr>", part)
        told = [re.sub(r"<[^>]+>", "|", row) for row in found]
        scorecard = rows(tiny / "scorecard.csv")
        assert len(told) == len(scorecard)
        for line, text in zip(scorecard, told, strict=True):
            assert all(f"|{line[name]}|" in text for name in ("cell", "quantity", "published"))
            assert f" {line['verdict']}|" in text

    def test_says_first_what_was_found_and_where(self, tiny, index):
        part = index.split('<ol class="strongest">')[1].split("</ol>")[0]
        best = min(rows(tiny / "tables/tiny/unpublished.csv"), key=lambda row: float(row["score"]))
        assert best["method"] == "permute"  # which the tables' copy exposes
        assert f"least score, {float(best['score']):.5g}, is that of permute" in part
        assert {"#table-tiny-unpublished", "#audit"} <= set(re.findall(r'href="(#[^"]+)"', part))
        failed = sum(row["holds"] == "no" for row in rows(tiny / "audit.csv"))
        assert f"do not bear out {failed} of {len(rows(tiny / 'audit.csv'))} claims" in part

    def test_prints_published_numbers_as_they_were(self, tiny, index):
        for row in rows(tiny / "tables/tiny/table.csv"):
            assert f'<td class="number">{row["pil_published"]}</td>' in index

    def test_tells_kinds_fingerprints_findings_and_versions(self, tiny, index):
        for path in (tiny / "data").glob("*.json"):
            fact = json.loads(path.read_text())
            assert f"<td>{fact['kind']}</td>" in index
            assert fact["fingerprint"] in index
        assert index.count("✗ no") == sum(row["holds"] == "no" for row in rows(tiny / "audit.csv")) > 0
        cell = rows(tiny / "cells/tiny/census/ipso_a/default.csv")[0]
        assert cell["versions"] in index

    def test_says_what_is_for_the_owner_and_what_for_release(self, index):
        said = dict(re.findall(r"<td><code>([^<]+)</code></td><td>([^<]+)</td>", index))
        assert said["cells/"] == said["tables/, sensitivity/"] == "the owner of the data"
        assert said["protected/"] == "release"

    def test_differs_between_runs_in_the_run_time_alone(self, tiny, index, tmp_path):
        again = shutil.copytree(tiny, tmp_path / "again")
        for path in (again / "benchmarks").rglob("*.tsv"):
            head, line = path.read_text().splitlines()
            path.write_text(f"{head}\n{line.replace(line.split()[0], '1234.5', 1)}\n")
        text = remade(again)
        assert text != index
        parts = [re.split(r'(?=<section id="run-time">)|(?<=</section>)', page) for page in (index, text)]
        changed = [one for one, other in zip(*parts, strict=True) if one != other]
        assert [part[:23] for part in changed] == ['<section id="run-time">'[:23]]

    def test_is_made_whatever_became_of_the_benchmarks(self, tiny, tmp_path):
        again = shutil.copytree(tiny, tmp_path / "again")
        paths = sorted((again / "benchmarks").rglob("*.tsv"))
        for i, path in enumerate(paths):
            path.write_bytes(path.read_bytes()[: [0, 5, -7][i % 3]])
        assert '<section id="run-time">' in remade(again)


def remade(folder):
    """The page made once more from a folder of results."""
    sys.path.insert(0, str(PROJECT / "scripts"))
    from report import main

    from sdclab.experiment.study import load
    from sdclab.microdata import manifest

    root = folder.parent
    (root / "tiny.yaml").write_text(STUDY)
    schemas = PROJECT / "workflow/schemas"
    datasets = manifest.load(PROJECT / "resources/datasets.yaml", schemas / "datasets.schema.yaml")
    study = load(root / "tiny.yaml", schemas / "study.schema.yaml", datasets, PLOTS)
    figures = [figure for name, figure in study.figures.items() if name != "records"]
    given = {
        "studies": [study],
        "tables": list(study.tables.values()),
        "sensitivities": list(study.sensitivities.values()),
        "figures": figures,
        "multiverses": [],
        "curves": [],
    }
    inputs = {
        "scorecard": [folder / "scorecard.csv"],
        "audit": [folder / "audit.csv"],
        "tables": [folder / f"tables/tiny/{name}.csv" for name in study.tables],
        "sensitivities": [folder / f"sensitivity/tiny/{name}.csv" for name in study.sensitivities],
        "figures": [folder / f"figures/tiny/{figure.name}.svg" for figure in figures],
        "datasets": sorted((folder / "data").glob("*.json")),
        "cells": sorted((folder / "cells").rglob("*.csv")),
        **{name: [] for name in ("summary", "readings", "axes", "curves")},
    }
    main(given, inputs, folder / "benchmarks", root / "index.html", root / "explorer.html")
    return (root / "index.html").read_text()


@pytest.mark.slow
class TestSafety:
    def test_no_value_of_a_record_is_on_a_page_or_in_a_log(self, tiny):
        planted = re.compile(r"(?<![0-9a-f.])3141[56]")  # in any rounding; not inside a fingerprint
        assert planted.search(f" {SECRET:.5g} ")
        checked = [*(tiny / "report").iterdir(), *(tiny / "logs").rglob("*.log"), *(tiny / "tables/tiny").iterdir()]
        assert len(checked) > 10
        for path in checked:
            assert not planted.search(path.read_text()), path.name

    def test_a_figure_of_records_is_named_but_not_shown(self, tiny, index):
        drawn = (tiny / "figures/tiny/records.svg").read_text()
        assert "<image" in drawn  # its dots
        assert "<image" not in index
        place = re.search(r'<p class="withheld" id="figure-tiny-records">.*?</p>', index)
        assert place
        assert "figures/tiny/records.svg" in place[0]
        assert '<figure id="figure-tiny-curve">' in index

    def test_snakemakes_own_report_has_all_but_the_figure_of_records(self, tree_of_tiny):
        done = tree_of_tiny.run("--report", "own.html", *RUN)
        assert done.returncode == 0, done.stderr
        text = (tree_of_tiny.root / "own.html").read_text()
        assert embedded(text, "categories").keys() == {"Tables", "Figures", "Scorecard"}
        results = embedded(text, "results")
        assert {result["name"] for result in results.values()} == {
            *("table.csv", "unpublished.csv", "dr.csv", "scorecard.csv", "audit.csv"),
            *("map.svg", "curve.svg", "plane.svg"),
        }
        assert all(result["caption"] for result in results.values())

    def test_every_plot_that_sees_records_is_known(self):
        """A new plot that is given a scenario's records must be judged: does it draw them one by one?"""
        sees = {name for name in PLOTS if re.search(r"\bsplit(\[0\]| is|\))", source_of(PLOTS.module(name)))}
        draws = {name for name in PLOTS if PLOTS.declared(name, "DRAWS_RECORDS", False)}
        assert sees == draws | {"restarts"}  # restarts draws objectives of whole runs


def embedded(text, name):
    """A variable of the script in Snakemake's report."""
    return json.loads(re.search(rf"^ *var {name} = (\{{.*\}});?$", text, re.MULTILINE)[1])


def source_of(module):
    return (PROJECT / "src" / (module.replace(".", "/") + ".py")).read_text()
