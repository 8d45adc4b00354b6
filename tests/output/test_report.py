"""The report and the explorer: what is on the pages, what must not be, and how they behave in a browser."""

import csv
import gzip
import json
import re
import shutil
import sys
import time
from collections import Counter
from html.parser import HTMLParser

import numpy as np
import pytest
from conftest import PROJECT, Tree, wait_until, width
from hypothesis import given
from hypothesis import strategies as st

from sdclab.clustering.fcm import fcm
from sdclab.evidence.scorecard import MEANINGS, NOT_RUN
from sdclab.measures import measure
from sdclab.methods import fcrm
from sdclab.microdata.retrieve import substitute
from sdclab.output.pages.explorer import explorer
from sdclab.output.pages.markup import tag
from sdclab.output.plots import PLOTS

VERDICTS = [verdict for verdict in MEANINGS if verdict != NOT_RUN]

SECRET = 31415.92653
"""Planted as every value of one record; whatever its rounding, it must be found nowhere."""

STUDY = """
study: tiny
title: A study <of its own> & small
scenarios:
  census: {dataset: census, dependent: [FEDTAX, TAXINC, WSALVAL, ERNVAL], independent: [AGI, FICA]}
  plane: {dataset: example, dependent: [y], independent: [x]}
measures: {score: {}, copy: {}}
replicates: 2
grid:
  - {method: ipso_a, scenarios: [census], replicates: 1}
  - {method: permute, scenarios: [census]}
  - {method: fcrm, scenarios: [census], parameters: {c: [2, 3, 4, 5]}}
tables:
  table:
    title: Published and ours
    scenario: census
    published: cano_torra_2009_table2
    keys: [method, c]
    quantities: [pil, dr]
    beside: [copy]
  unpublished: {title: Ours alone, scenario: census, published: null, keys: [method, c], quantities: [score]}
figures:
  map: {plot: ru_map, tables: [table], title: The map}
  curve: {plot: against_c, tables: [table], title: Against c}
  plane: {plot: regression_lines, scenario: plane, options: {c: [2]}, title: Points of our own making}
  records: {plot: pairs, scenario: census, options: {columns: [FEDTAX, TAXINC], k: 200}, title: Records as dots}
sensitivities:
  dr:
    title: What decides DR
    scenario: census
    table: table
    cells: [{method: ipso_a}]
    measure: dr
    quantity: dr
    options: {prl: {bins: [5]}}
judgements:
  - {tables: [table], quantities: [pil], kinds: [replica], rule: tolerance, tolerance: 30, because: a test}
  - {tables: [table], quantities: [dr], rule: not_reproducible, because: a test}
"""


RUN = ("--config", "studies=[tiny]", "download=false", "results=results/smoke")


@pytest.fixture(scope="session")
def tree_of_tiny(tmp_path_factory, entries, places):
    """A finished run of a small study on a replica in which one record has a value that is easy to find."""
    tree = Tree(tmp_path_factory.mktemp("tiny"))
    (tree.root / "config/studies/tiny.yaml").write_text(STUDY)
    replica = substitute(entries["census"], places)
    values = replica.values.copy()
    values[7] = SECRET
    planted = replica.with_values("replica", replica.source, values)
    (tree.root / "resources/replicas/census.csv.gz").write_bytes(gzip.compress(planted.text.encode()))
    tree.edit("resources/datasets.yaml", replica.fingerprint, planted.fingerprint)
    done = tree.run(*RUN)
    assert done.returncode == 0, done.stderr
    assert str(SECRET) in (tree.root / "results/smoke/data/census.csv").read_text()
    return tree


@pytest.fixture(scope="session")
def tiny(tree_of_tiny):
    return tree_of_tiny.root / "results/smoke"


@pytest.fixture(scope="session")
def index(tiny):
    return (tiny / "report/index.html").read_text()


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


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
        counts = dict(re.findall(r'aria-label="([a-z ]+)">.</span> [a-z ]+</span><span class="count">(\d+)<', index))
        assert {verdict: int(counts[verdict]) for verdict in VERDICTS} == {v: judged[v] for v in VERDICTS}

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
    }
    inputs = {
        "scorecard": [folder / "scorecard.csv"],
        "audit": [folder / "audit.csv"],
        "tables": [folder / f"tables/tiny/{name}.csv" for name in study.tables],
        "sensitivities": [folder / f"sensitivity/tiny/{name}.csv" for name in study.sensitivities],
        "figures": [folder / f"figures/tiny/{figure.name}.svg" for figure in figures],
        "datasets": sorted((folder / "data").glob("*.json")),
        "cells": sorted((folder / "cells").rglob("*.csv")),
    }
    main(given, inputs, folder / "benchmarks", root / "index.html", root / "explorer.html")
    return (root / "index.html").read_text()


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


# --- in a browser ------------------------------------------------------------------------------------------------


@pytest.fixture(params=["index", "explorer"])
def either(request, browser, tiny):
    """Each of the two pages, opened as by a double click."""
    browser.get_log("performance")
    width(browser, 1280)
    browser.get((tiny / f"report/{request.param}.html").as_uri())
    return browser


@pytest.fixture
def report(browser, tiny):
    width(browser, 1280)
    browser.get((tiny / "report/index.html").as_uri())
    return browser


class TestInABrowser:
    def test_no_complaint_and_no_request(self, either):
        assert either.get_log("browser") == []
        messages = [json.loads(entry["message"])["message"] for entry in either.get_log("performance")]
        asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        assert [url for url in asked if not url.startswith("file:")] == []
        assert asked

    def test_nothing_sticks_out_on_a_phone(self, either):
        for pixels in (390, 1280):
            width(either, pixels)
            wide, room = either.execute_script(
                "const e = document.documentElement; return [e.scrollWidth, e.clientWidth]"
            )
            assert wide <= room <= pixels

    def test_sections_and_figures_are_visible(self, report):
        for name in ("tiny", "audit", "data", "figure-tiny-map", "figure-tiny-curve", "figure-tiny-plane"):
            shown = report.execute_script("return document.getElementById(arguments[0]).getBoundingClientRect()", name)
            assert shown["height"] > 100, name
            assert shown["width"] > 300, name

    def test_a_point_tells_what_it_is(self, report, tiny):
        """By mouse, and by Tab and arrow keys."""
        from selenium.webdriver import ActionChains, Keys

        row = next(row for row in rows(tiny / "tables/tiny/table.csv") if row["method"] == "fcrm" and row["c"] == "4")
        told = [
            "fcrm c=4",
            "ours",
            f"information loss PIL {float(row['pil']):.5g} ",
            f"disclosure risk DR {float(row['dr']):.5g} ",
            "data: replica",
        ]
        point = report.find_element("css selector", "#figure-tiny-map .point[aria-label^='fcrm c=4; ours']")
        card = report.find_element("id", "card")
        assert not card.is_displayed()
        report.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", point)

        def shown_at(element) -> bool:
            ActionChains(report).move_to_element(element).perform()
            return card.is_displayed()

        wait_until(lambda: shown_at(point), "the card")
        assert all(word in card.text for word in told)
        caption = report.find_element("css selector", "#figure-tiny-map figcaption")
        wait_until(lambda: not shown_at(caption), "the card to go")
        points = report.find_elements("css selector", "#figure-tiny-map .point")
        assert [p.get_attribute("tabindex") for p in points] == ["0"] + ["-1"] * (len(points) - 1)
        report.execute_script("arguments[0].focus()", points[0])
        assert points[0].get_attribute("aria-label").split("; ")[0] in card.text
        seen = {report.switch_to.active_element.get_attribute("aria-label")}
        for key in [Keys.ARROW_LEFT] * len(points) + [Keys.ARROW_RIGHT] * len(points):
            ActionChains(report).send_keys(key).perform()
            seen.add(report.switch_to.active_element.get_attribute("aria-label"))
        assert seen == {p.get_attribute("aria-label") for p in points}

    def test_folded_tables_unfold_for_the_printer(self, report):
        closed = "return document.querySelectorAll('details:not([open])').length"
        before = report.execute_script(closed)
        assert before > 0
        assert report.execute_script(f"dispatchEvent(new Event('beforeprint')); {closed}") == 0
        assert report.execute_script(f"dispatchEvent(new Event('afterprint')); {closed}") == before


@pytest.fixture
def plane(browser, tmp_path):
    """The explorer, afresh."""
    (tmp_path / "explorer.html").write_text(explorer())
    width(browser, 1280)
    browser.get((tmp_path / "explorer.html").as_uri())
    return browser


def press(browser, *names):
    for name in names:
        browser.execute_script("document.getElementById(arguments[0]).click()", name)


def text(browser, name):
    return browser.execute_script("return document.getElementById(arguments[0]).textContent", name)


def wait_for(browser, word):
    wait_until(lambda: word in text(browser, "said"), lambda: text(browser, "said"))


FIT = """
const [x, y, centres] = arguments;
let u = fcm(x, centres, seeded(1)), result, iterations = 0;
const start = u;
do {
  result = iterate(x, y, u);
  u = result.u;
  iterations++;
} while (result.change > EPSILON && iterations < MOST_ITERATIONS);
const released = release(x, result.lines, u);
const measured = Object.fromEntries([pil, dr, dbrl, prl, interval].map((f) => [f.name, f(y, released)]));
return {start, iterations, released, measured, lines: result.lines, objective: result.objective};
"""


def planted(seed):
    """Points around three lines, some in whole numbers, and records as first centres."""
    rng = np.random.default_rng(seed)
    n, c = int(rng.integers(12, 200)), 1 + seed % 5
    x, group = rng.uniform(0, 100, n), rng.integers(0, 3, n)
    y = np.array([5, 80, 20])[group] + np.array([0.6, -0.5, 0.1])[group] * x + rng.normal(0, 3, n)
    if c > 1 and seed % 3 == 0:  # a single line through whole numbers has values on the edges of bins: rounding decides
        x, y = x.round(), y.round()
    return x, y, rng.choice(np.unique(x), c, replace=False)


class TestExplorer:
    @pytest.mark.parametrize("seed", range(15))
    def test_computes_what_the_package_computes(self, plane, seed):
        x, y, centres = planted(seed)
        found = plane.execute_script(FIT, x.tolist(), y.tolist(), centres.tolist())
        rng = np.random.default_rng(0)
        first = fcm(x[:, None], centres[None, :, None], rng, m=1.5, epsilon=1e-5, most_iterations=30)[0].memberships
        basis = fcrm.design(x[:, None], True, "lstsq")
        fit = fcrm.fit(basis, y[None, :, None], first[None])
        released = fcrm.generate(basis, fit)[0]
        np.testing.assert_allclose(found["start"], first, rtol=1e-9, atol=1e-12)
        assert found["iterations"] == fit.iterations[0]
        assert found["objective"] == pytest.approx(fit.objective[0], rel=1e-8)
        for line, coefficients in zip(found["lines"], fit.coefficients[0, :, :, 0], strict=True):
            slope, intercept = np.polyfit(x, basis @ coefficients, 1)
            assert line == pytest.approx({"slope": slope, "intercept": intercept}, rel=1e-9)
        np.testing.assert_allclose(found["released"], released[:, 0], rtol=1e-9)
        ours = measure("score", y[:, None], released, x[:, None])
        for name, value in found["measured"].items():
            assert value == pytest.approx(ours[name], abs=1e-6), name

    def test_finds_two_planted_lines(self, plane):
        press(plane, "two", "run")
        assert plane.execute_script("return document.getElementById('run').disabled")
        wait_for(plane, "Converged")
        lines = plane.execute_script("return fit.lines")
        (down, up) = sorted(lines, key=lambda line: line["slope"])
        assert down == pytest.approx({"slope": -0.6, "intercept": 90}, rel=0.05)
        assert up == pytest.approx({"slope": 0.8, "intercept": 10}, rel=0.1)
        drawn = plane.execute_script("return document.querySelectorAll('#plane .fitted').length")
        shapes = plane.execute_script(
            "return new Set([...document.querySelectorAll('#plane .mark')].map(m => m.getAttribute('d'))).size"
        )
        assert (drawn, shapes) == (2, 2)
        score = (float(text(plane, "pil")) + float(text(plane, "dr"))) / 2
        assert float(text(plane, "score")) == pytest.approx(score, abs=1e-3)

    def test_step_stop_and_reset(self, plane):
        press(plane, "five", "step", "step")
        assert text(plane, "iteration") == "2"
        press(plane, "run", "stop")
        stopped = text(plane, "iteration")
        time.sleep(0.4)
        assert text(plane, "iteration") == stopped
        assert int(stopped) >= 3
        press(plane, "reset")
        assert (text(plane, "iteration"), text(plane, "pil"), text(plane, "count")) == ("0", "–", "100")

    def test_the_same_start_gives_the_same_fit(self, plane):
        fits = []
        for seed in (1, 1, 2):
            plane.execute_script("document.getElementById('seed').value = arguments[0]", seed)
            press(plane, "five", "step")
            fits.append(plane.execute_script("return fit.lines"))
        assert fits[0] == fits[1] != fits[2]

    def test_a_click_adds_a_point_where_it_was(self, plane):
        from selenium.webdriver import ActionChains

        ActionChains(plane).move_to_element(plane.find_element("id", "plane")).click().perform()
        (x,), (y,) = plane.execute_script("return [x, y]")
        assert (x, y) == pytest.approx((100 * (300 - 44) / 546, 100 * (422 - 225) / 412), abs=0.5)
        press(plane, "step")
        assert text(plane, "said") == "At least 3 points are needed."
        press(plane, "undo")
        assert text(plane, "count") == "0"

    @pytest.mark.parametrize(
        ("pasted", "said"),
        [
            ("x;y\n1;10\n2;30\n4;-5", "3 points."),
            ('\ufeff"1", "2"\r\n3\t4\r\n\r\n5 6', "3 points."),
            ("1,2\n31415,abc", "Line 2 is not a pair of numbers."),
            ("1,2,3", "Line 1 is not a pair of numbers."),
            ("", "There are no pairs of numbers."),
            ("1,1\n" * 2001, "At most 2000 points are allowed here; there are 2001."),
        ],
    )
    def test_pairs_can_be_pasted(self, plane, pasted, said):
        plane.execute_script("document.getElementById('pairs').value = arguments[0]", pasted)
        press(plane, "use")
        assert text(plane, "said") == said

    def test_pairs_can_be_loaded(self, plane, tmp_path):
        (tmp_path / "pairs.csv").write_text("x,y\n" + "".join(f"{i},{7 * i}\n" for i in range(30)))
        plane.execute_script("document.querySelector('details').open = true")
        plane.find_element("id", "file").send_keys(str(tmp_path / "pairs.csv"))
        wait_for(plane, "30 points.")
        press(plane, "step")
        assert plane.execute_script("return fit.lines[0].slope") == pytest.approx(7, rel=1e-9)
        dbrl, prl, interval = 100, 100 / 3, 100  # every value is released as it is; three share a bin
        assert float(text(plane, "dr")) == pytest.approx((dbrl + prl) / 4 + interval / 2, abs=1e-3)

    @pytest.mark.parametrize(
        ("c", "said"), [("0", "c must be"), ("11", "c must be"), ("2.5", "c must be"), ("", "c must be")]
    )
    def test_a_bad_c_is_refused(self, plane, c, said):
        plane.execute_script("document.getElementById('c').value = arguments[0]", c)
        press(plane, "step")
        assert text(plane, "said").startswith(said)
