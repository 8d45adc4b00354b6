"""Pages of one's own file: what they say first, and that no name of a column becomes more than a name."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pandas as pd
import pytest
import yaml
from conftest import PROJECT, SCHEMAS
from hypothesis import given
from hypothesis import strategies as st

from sdclab.base.errors import SdclabError
from sdclab.evidence import published, scorecard
from sdclab.evidence.side_by_side import side_by_side
from sdclab.experiment import study as studies
from sdclab.experiment.limits import Limits
from sdclab.output.pages.explorer import explorer
from sdclab.output.pages.svg import drawing
from sdclab.output.plots import PLOTS
from sdclab.output.summary import summary

SPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


class Elements(HTMLParser):
    """Names and attributes of all elements, and the text of scripts and style sheets."""

    def __init__(self, text):
        super().__init__()
        self.found, self.inside, self._open = [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, name, attributes):
        self.found.append((name, dict(attributes)))
        self._open = None if dict(attributes).get("type") == "application/json" else name  # data, which nothing runs
        if self._open in ("script", "style"):
            self.inside.append((name, ""))

    def handle_data(self, data):
        if self._open in ("script", "style"):
            self.inside[-1] = (self._open, self.inside[-1][1] + data)

    def handle_endtag(self, name):
        self._open = None


def check_policy(text):
    """The policy allows the page's own script and style sheet by their hashes, and no inline handler or style."""
    parsed = Elements(text)
    (policy,) = (given["content"] for name, given in parsed.found if "http-equiv" in given)
    allowed = dict(part.split(" ", 1) for part in policy.split("; "))
    assert allowed["default-src"] == "'none'"
    assert "unsafe" not in policy
    for kind, content in parsed.inside:
        assert allowed[f"{kind}-src"] == f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"
    assert len(parsed.inside) == len({kind for kind, _ in parsed.inside})
    assert not [key for _, given in parsed.found for key in given if key == "style" or key.startswith("on")]


class TestDrawing:
    def test_takes_over_what_draws(self):
        svg = (
            f'<?xml version="1.0"?><!DOCTYPE svg><svg {SPACES} width="72pt" height="36pt"><defs><path id="p" d="M0 0"/>'
            '<clipPath id="c"><rect width="9" height="9"/></clipPath></defs><g clip-path="url(#c)">'
            '<g id="patch_1"><use xlink:href="#p" style="fill: #ff0000; stroke-width: 2"/></g>'
            '<text x="1">a &lt;b&gt;</text></g></svg>'
        )
        drawn, wide, high = drawing(svg, "f")
        assert (wide, high) == (72, 36)
        assert drawn == (
            '<defs><path id="f-1" d="M0 0"/>'
            '<clipPath id="f-0"><rect width="9" height="9"/></clipPath></defs>'
            '<g clip-path="url(#f-0)"><use fill="#ff0000" stroke-width="2" href="#f-1"/>'
            '<text x="1">a &lt;b&gt;</text></g>'
        )

    def test_marks_say_once_what_they_share(self):
        svg = (
            f'<svg {SPACES} width="9pt" height="9pt"><defs><path id="p" d="M0 0L0 3M1 1L4 1"/></defs>'
            '<g><use xlink:href="#p" x="1" style="fill: #f00; opacity: 0.5"/>'
            '<use xlink:href="#p" x="2" style="fill: #f00; opacity: 0.5; stroke: #00f"/></g></svg>'
        )
        drawn, *_ = drawing(svg, "f")
        assert drawn == (
            '<defs><path id="f-0" d="M0 0V3M1 1H4"/></defs><g fill="#f00"><use x="1" opacity="0.5" href="#f-0"/>'
            '<use x="2" opacity="0.5" stroke="#00f" href="#f-0"/></g>'
        )

    @pytest.mark.parametrize(
        "evil",
        [
            "<script>bad()</script>",
            '<script xlink:href="bad.js"/>',
            '<g onload="bad()" onclick="bad()"/>',
            '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="bad"/></body></foreignObject>',
            '<a xlink:href="javascript:bad()"><text>x</text></a>',
            '<use xlink:href="bad.svg#x"/>',
            '<use href="https://bad/"/>',
            '<image xlink:href="https://bad/x.png"/>',
            '<image href="data:image/svg+xml;base64,bad="/>',
            "<style>@import url(bad)</style>",
            '<rect style="fill: url(https://bad/); behavior: url(bad)"/>',
            '<rect fill="URL( https://bad/ )"/>',
            '<animate attributeName="href" to="javascript:bad()"/>',
            '<set attributeName="onclick" to="bad()"/>',
            '<iframe xmlns="http://www.w3.org/1999/xhtml" srcdoc="bad"/>',
        ],
    )
    def test_and_nothing_else(self, evil):
        drawn, *_ = drawing(f'<svg {SPACES} width="1pt" height="1pt"><g>{evil}</g></svg>', "f")
        assert "bad" not in drawn
        assert "javascript" not in drawn

    @given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=40))
    def test_text_stays_text(self, text):
        from xml.sax.saxutils import escape

        drawn, *_ = drawing(f'<svg {SPACES} width="1pt" height="1pt"><text>{escape(text)}</text></svg>', "f")
        assert [name for name, _ in Elements(drawn).found] == ["text"]

    @pytest.mark.parametrize(
        "svg", ["", "no drawing", "<svg", "<svg/>", '<svg width="1" height="x"/>', f"<svg {SPACES}>&lol;</svg>"]
    )
    def test_no_drawing_is_said(self, svg):
        with pytest.raises(SdclabError, match="the drawing f is not an SVG file"):
            drawing(svg, "f")


def test_the_explorer_has_a_policy():
    check_policy(explorer())


@pytest.mark.slow
class TestOwnStudy:
    def test_opens_with_what_it_is(self, own_run):
        page = (own_run.root / "results/own/report/index.html").read_text()
        for word in ("published numbers", "claims", "Audit", "What was reproduced"):
            assert word not in page
        opening = page.split("<section")[1]
        assert "mine: 79 records. Made from: x.csv: 1 of 80 rows dropped, a value is missing in them." in opening
        assert re.search(r"4 points of 3 methods, \d of them with nothing against it. First is mdav k=\d+: ", opening)
        summary = (own_run.root / "results/own/summary.txt").read_text()
        assert "No published number is compared" in summary
        assert "Audit" not in summary

    def test_ranks_its_points_and_marks_what_is_no_choice(self, own_run):
        root = own_run.root / "results/own"
        page = (root / "report/index.html").read_text()
        table = re.search(r'id="ranking-own">.*?<tbody>(.*?)</tbody>', page)[1]
        rows = [re.sub("<[^>]*>", "|", row).split("||") for row in re.findall("<tr>(.*?)</tr>", table)]
        assert [row[1] for row in rows] == ["mdav", "mdav", "rotation", "permute"]
        remarks = {row[1]: row[-1].strip("|") for row in rows}
        assert remarks["permute"].startswith("a control, no protection")
        assert remarks["rotation"] == "no protection: leaves 33 % of the dependents as they are"
        assert remarks["mdav"] in ("", "violates membership &lt;= 60")

    def test_the_policy_holds(self, own_run, hostile_map):
        for page in (own_run.root / "results/own/report/index.html", hostile_map):
            check_policy(page.read_text())


class TestThinnedRun:
    """What a thinned grid leaves out is not run, not irreproducible."""

    @pytest.fixture
    def thin(self, entries):
        folder, schema = PROJECT / "config/studies", SCHEMAS / "study.schema.yaml"
        names = yaml.safe_load((PROJECT / "config/config.yaml").read_text())["studies"]
        return {
            name: [
                studies.load(folder / f"{name}.yaml", schema, entries, PLOTS, Limits(values=most)) for most in (None, 2)
            ]
            for name in names
        }

    def judged(self, study):
        """All verdicts on a study with invented results."""
        lines = []
        for table in study.tables.values():
            if not table.in_judgement:
                continue
            printed = published.load(
                PROJECT / f"resources/published/{table.published}.csv", SCHEMAS / "published.schema.yaml"
            )
            columns = [panel.ours_of(name) for panel in table.panels for name in (*panel.quantities, *panel.beside)]
            frame = pd.DataFrame([{**dict.fromkeys(columns, 1.0), "dataset_kind": "original", "fingerprint": "f"}])
            made = side_by_side(printed, [(cell, frame) for cell in study.cells_of(table)], table)
            rows = made.astype(object).where(made.notna(), "").astype(str).to_dict("records")
            lines += scorecard.judge(study, table, rows)
        return lines

    def test_numbers_without_a_cell_are_those_of_the_whole_grid(self, thin):
        """Whatever the whole run answers and the thinned one does not was not run; the rest has no cell in either."""
        left_out = 0
        for name, (whole, part) in thin.items():
            assert whole.left_out == ()
            full, few = self.judged(whole), self.judged(part)
            assert not [line for line in full if line.verdict == scorecard.NOT_RUN]
            without = [line for line in full if line.dataset_kind == ""]
            still = [line for line in few if line.dataset_kind == "" and line.verdict != scorecard.NOT_RUN]
            key = lambda line: (line.table, line.quantity, line.published, line.cell)  # noqa: E731
            assert sorted(map(key, still)) == sorted(map(key, without)), name
            left_out += len([line for line in few if line.verdict == scorecard.NOT_RUN])
        assert left_out > 300

    def test_the_summary_says_so(self, thin):
        few = self.judged(thin["cano_torra_2009"][1])
        text = summary(few, 3, {"census": "replica"}, "results")
        missing = sum(line.verdict == scorecard.NOT_RUN for line in few)
        assert f"not run: {missing}\n  Thinned run: the cells of {missing} numbers were left out" in text
        whole = summary(self.judged(thin["cano_torra_2009"][0]), 3, {}, "results")
        assert "hinned" not in whole
        assert "not run" not in whole
