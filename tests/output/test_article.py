"""The article: its numbers are those of the results, its words hold none, and it is the same bytes every time."""

import ast
import copy
import json
import re
from pathlib import Path

import pytest
import typst
from conftest import PROJECT, SCHEMAS
from finished import HOSTILE, STUDY

from sdclab.base import documents
from sdclab.base.errors import SdclabError
from sdclab.evidence.scorecard import COLUMNS, MEANINGS, NOT_RUN
from sdclab.experiment.multiverse import Multiverse
from sdclab.experiment.study import load as load_study
from sdclab.microdata import manifest
from sdclab.output.article import references
from sdclab.output.article.article import article
from sdclab.output.article.typesetting import TEMPLATE, pdf, source, typeset
from sdclab.output.pages.run import Run
from sdclab.output.plots import PLOTS

FOLDER = PROJECT / "src/sdclab/output/article"
MODULES = sorted(FOLDER.glob("*.py"))
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="30pt" height="20pt" viewBox="0 0 30 20"><text>12345</text></svg>'


@pytest.fixture(scope="module")
def citation():
    return references.load(PROJECT / "CITATION.cff", SCHEMAS / "citation.schema.yaml")


@pytest.fixture
def study(tmp_path, request):
    """The small study of finished runs, with a title or column of whatever kind is asked for."""
    given = documents.value(STUDY, "tiny")
    given |= {"papers": ["cano_torra_2009"], "claim": "Loss & risk can be told."}
    change = getattr(request, "param", None)
    given["title"] = change or given["title"]
    path = tmp_path / "tiny.yaml"
    path.write_text(json.dumps(given))  # which is YAML, too
    datasets = manifest.load(PROJECT / "resources/datasets.yaml", SCHEMAS / "datasets.schema.yaml")
    return load_study(path, SCHEMAS / "study.schema.yaml", datasets, PLOTS)


def line(**changes):
    """A line of the scorecard."""
    about = {"study": "tiny", "table": "table", "cell": "census/ipso_a/default", "quantity": "pil"}
    about |= {"published": "49.163", "reproduced": "61.955", "sd": "0.25", "replicates": "2", "verdict": "close"}
    about |= {"wrong": "0.75", "readings": "1", "tolerance": "within 30", "reading": "default", "note": ""}
    return dict.fromkeys(COLUMNS, "") | about | {"dataset_kind": "original"} | changes


def row(method, c, **numbers):
    about = {"cell": f"census/{method}/{f'c={c}' if c else 'default'}", "method": method, "c": c, "parameters": ""}
    return about | {"replicates": "2", "dataset_kind": "original", "fingerprint": "f"} | numbers


def finished(study, scorecard, kind="original", **changes):
    """A run of that study that has left these lines."""
    rows = [
        row("ipso_a", "", pil_published="49.163", pil="61.955", pil_sd="0.25", dr_published="10.044", dr="", dr_sd=""),
        row("fcrm", "2", pil_published="44.677", pil="45.5", pil_sd="", dr_published="9.583", dr="26.4", dr_sd="0.5"),
    ]
    ours = [
        row(method, c, score=score, score_sd="", pil="1.5", copy=copied)
        for method, c, score, copied in (("ipso_a", "", "1", "4"), ("fcrm", "2", "2", "5"), ("fcrm", "3", "4", "6"))
    ]
    cells = [
        {"study": "tiny", "scenario": "census", "cell": f"c{i // 2}", "method": "fcrm", "dataset": "census"}
        | {"dataset_kind": kind, "versions": "sdclab 0", "processor": "x"}
        for i in range(6)
    ]
    fact = {"name": "census", "kind": kind, "rows": 1080, "columns": ["a"], "source": "s", "fingerprint": "0af" * 20}
    given = {
        "studies": [study],
        "scorecard": scorecard,
        "audit": [{"table": "cano_torra_2009_table2", "claim": "small & fine", "holds": "no", "detail": "it is 77.5"}],
        "tables": {("tiny", "table"): rows, ("tiny", "unpublished"): ours},
        "sensitivities": {},
        "figures": {("tiny", "curve"): SVG},
        "datasets": [fact],
        "versions": ["cells: sdclab 0"],
        "costs": (),
        "cells": cells,
    }
    return Run(**(given | changes))


def words(made):
    """All text of an article, without the drawings."""
    found = []

    def walk(part, key=""):
        if isinstance(part, dict):
            for name, each in part.items():
                walk(each, name)
        elif isinstance(part, list):
            for each in part:
                walk(each, key)
        elif isinstance(part, str) and part and key not in ("svg", "kind", "style", "align", "verdict"):
            found.append(part)

    walk(json.loads(source(made)))
    return " ".join(found)


def pages(content):
    """How many pages a PDF has."""
    return len(re.findall(rb"/Type\s*/Page[^s]", content))


class TestNumbers:
    def test_follow_the_results(self, study, citation):
        """Every number of a line that changes is found in the text, and the old one no more."""
        before = words(article(finished(study, [line()]), citation))
        assert "75 %" in before
        assert "81 %" not in before
        after = words(article(finished(study, [line(wrong="0.81")]), citation))
        assert "81 %" in after
        assert "75 %" not in after

    @pytest.mark.parametrize("verdict", [verdict for verdict in MEANINGS if verdict != NOT_RUN])
    def test_of_the_abstract_are_counts(self, study, citation, verdict):
        lines = [line(cell=str(i), verdict=verdict if i < 23 else "trend") for i in range(41)]
        abstract = "".join(span.text for span in article(finished(study, lines), citation).abstract)
        assert abstract.startswith("41 numbers")
        total = 41 if verdict == "trend" else 23
        assert re.search(rf"\b{total}\b", abstract)

    def test_of_a_table_stand_as_printed_and_as_measured(self, study, citation):
        text = words(article(finished(study, [line()]), citation))
        for number in ("49.163", "61.955\u00a0±\u00a00.25", "9.583", "26.4\u00a0±\u00a00.5", "77.5"):
            assert number in text

    def test_of_open_questions_are_ranges(self, study, citation):
        made = article(finished(study, [line()]), citation)
        text = words(made)
        assert "Does <more> lose less?" in text
        assert "Spearman" in text  # the question of this study is answered by correlations
        assert "+0.87" in text or "+1.00" in text

    def test_a_long_table_is_told_by_its_largest_misses(self, study, citation):
        rows = [
            row("fcrm", str(c), pil_published=str(c), pil=str(c + (9 if c == 31 else 0.5)), pil_sd="")
            | {"dr_published": "", "dr": "", "dr_sd": ""}
            for c in range(2, 40)
        ]
        lines = [
            line(cell=each["cell"], published=each["pil_published"], reproduced=each["pil"], sd="") for each in rows
        ]
        made = article(finished(study, lines, tables={("tiny", "table"): rows, ("tiny", "unpublished"): []}), citation)
        text = words(made)
        assert "largest miss at" in text
        assert "census/fcrm/c=31 31 40" in text
        assert "census/fcrm/c=30" not in text

    def test_of_all_readings_stand_there_if_they_were_gone_through(self, study, citation):
        without = words(article(finished(study, [line()]), citation))
        assert "make multiverse" in without
        table = study.tables["table"]
        nothing = {"chosen": None, "measures": None, "known": (), "axes": (), "exclude": ()}
        tried = Multiverse(
            study="tiny", name="m", title="All of it", table=table, quantities={"pil": {"pil": 1}}, logarithmic=(),
            at_most=1, replicates=1, **nothing,
        )  # fmt: skip
        summary = {"quantity": "pil", "readings": "1234", "default_distance": "3.25", "best_distance": "2.125"}
        summary |= {"luck": "8.5", "p_value": "0.017", "distance_held_out": ""}
        run = finished(study, [line()], multiverses=[tried], summaries={("tiny", "m"): [summary]})
        text = words(article(run, citation))
        for number in ("1234", "3.25", "2.125", "8.5", "0.017"):
            assert number in text
        assert "make multiverse" not in text


class TestProse:
    """No number is typed: neither into the template nor into the words around the results."""

    @pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
    def test_of_the_code_has_no_digit(self, path):
        tree = ast.parse(path.read_text())
        for text in prose(tree):
            assert not re.search(r"\d", text), text

    def test_of_the_template_there_is_none(self):
        """It has no text of its own: what it writes between brackets or quotes are marks, and no digit is there."""
        code = re.sub(r"//.*", "", (FOLDER / TEMPLATE).read_text())
        code = re.sub(r'rgb\("#[0-9a-f]{6}"\)', "", code)
        for text in (*re.findall(r'"([^"]*)"', code), *re.findall(r"\[([^\[\]]*)\]", code)):
            written = re.sub(r"u\{200b\}", "", text)
            assert not re.search(r"\d", written) or written in PARTS_OF_CODE, text

    def test_a_number_in_it_would_be_found(self):
        assert [text for text in prose(ast.parse('x = f"of 653 numbers {y}"')) if re.search(r"\d", text)]

    def test_of_a_study_has_no_digit(self, study, tmp_path):
        given = documents.value(STUDY, "tiny") | {"claim": "The score is 16.5."}
        (tmp_path / "tiny.yaml").write_text(json.dumps(given))
        datasets = manifest.load(PROJECT / "resources/datasets.yaml", SCHEMAS / "datasets.schema.yaml")
        with pytest.raises(SdclabError, match=r"claim .* must be a text without digits"):
            load_study(tmp_path / "tiny.yaml", SCHEMAS / "study.schema.yaml", datasets, PLOTS)


PARTS_OF_CODE = ("1", "a4")
"""The pattern of a heading's number, and the paper."""


def prose(tree):
    """The text constants of a module: not what documents it, nor formats and patterns."""
    documented = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    aside = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node.format_spec:
            aside |= {id(each) for each in ast.walk(node.format_spec)}
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
            aside |= {id(each) for each in node.args}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented | aside:
            yield node.value


class TestNotices:
    def test_on_replicas_nothing_is_judged(self, study, citation):
        lines = [line(verdict="not judged", dataset_kind="replica"), line(verdict="not reproducible")]
        made = article(finished(study, lines, kind="replica"), citation)
        assert [notice[0].text for notice in made.notices] == ["Nothing is judged."]
        assert "census" in made.notices[0][1].text

    def test_what_is_judged_beside_replicas_is_said(self, study, citation):
        lines = [line(verdict="not judged", dataset_kind="replica"), line(verdict="trend", dataset_kind="stand-in")]
        made = article(finished(study, lines, kind="replica"), citation)
        assert made.notices[0][0].text == "Nothing is judged on replicas."
        assert "1 numbers that are judged were made from other data" in made.notices[0][1].text

    def test_a_study_that_judges_replicas_is_told_of(self, study, citation):
        made = article(finished(study, [line(dataset_kind="replica")], kind="replica"), citation)
        assert made.notices[0][0].text.startswith("1 numbers are judged on replicas")

    def test_a_thinned_run_says_so_on_every_page(self, study, citation):
        made = article(finished(study, [line(), line(cell="x", verdict=NOT_RUN, reproduced="")]), citation)
        assert made.notices[0][0].text == "This is a thinned run."
        assert "not for quoting" in made.running

    def test_on_originals_there_is_none(self, study, citation):
        made = article(finished(study, [line()]), citation)
        assert not made.notices
        assert not made.running


class TestPdf:
    def test_is_the_same_bytes_and_has_no_date(self, study, citation):
        made = article(finished(study, [line()]), citation)
        content = pdf(made)
        assert content.startswith(b"%PDF")
        assert content == pdf(copy.deepcopy(made))
        assert b"CreationDate" not in content
        assert 2 <= pages(content) <= 5

    @pytest.mark.parametrize(
        "study", [*HOSTILE, "#set page(width: 1cm) $x$ *b* _i_ @ref <label> ` \\ //"], indirect=True
    )
    def test_no_name_becomes_markup(self, study, citation):
        """A title of signs that mean something to Typst stays the text that it is."""
        made = article(finished(study, [line(note="`#panic()` $ @nobody <x>")]), citation)
        assert study.title in words(made)
        assert pages(pdf(made)) >= 2

    def test_takes_no_font_of_the_machine(self, study, citation):
        content = pdf(article(finished(study, [line()]), citation))
        fonts = {name.split(b"+")[-1] for name in re.findall(rb"/FontName\s*/([A-Za-z0-9+-]+)", content)}
        assert fonts
        assert all(name.startswith((b"Libertinus", b"NewCM", b"DejaVu")) for name in fonts)

    def test_what_cannot_be_set_is_one_sentence(self, study, citation):
        broken = SVG.replace("</text>", "<")
        made = article(finished(study, [line()]), citation)
        text = source(made).replace(json.dumps(SVG)[1:-1], json.dumps(broken)[1:-1])
        assert text != source(made)
        with pytest.raises(SdclabError, match=r"^the article cannot be set: .*$"):
            typeset(text)

    @pytest.mark.slow
    def test_of_a_finished_run_has_a_few_pages_and_names_every_figure(self, tiny):
        content = (tiny / "article.pdf").read_bytes()
        assert 3 <= pages(content) <= 15
        assert b"CreationDate" not in content


class TestReferences:
    def test_are_those_of_the_citation_file(self, citation):
        assert list(citation.references)[:2] == ["cano_torra_2009", "cano_franco_2009"]
        assert citation.references["oganian_domingo_ferrer_2017"].short == "Oganian & Domingo-Ferrer (2017)"

    def test_every_study_of_a_paper_names_some(self, citation):
        datasets = manifest.load(PROJECT / "resources/datasets.yaml", SCHEMAS / "datasets.schema.yaml")
        for name in documents.parse(PROJECT / "config/config.yaml")["studies"]:
            each = load_study(PROJECT / f"config/studies/{name}.yaml", SCHEMAS / "study.schema.yaml", datasets, PLOTS)
            assert each.claim
            assert bool(each.published) == bool(citation.of(each))

    def test_an_unknown_one_is_refused(self, study, citation):
        wrong = copy.copy(study)
        object.__setattr__(wrong, "papers", ("cano_tora_2009",))
        with pytest.raises(SdclabError, match=r"study tiny: papers.*cano_torra_2009"):
            citation.of(wrong)

    def test_more_of_the_format_is_told(self, tmp_path):
        author = {"family-names": "Núñez", "given-names": "Ana María"}
        work = {"type": "article", "title": "T", "authors": [author, {"name": "A group"}], "year": 2001}
        work |= {"journal": "J", "volume": 4, "issue": "2", "start": 5, "end": 9, "doi": "10.1/x"}
        path: Path = tmp_path / "CITATION.cff"
        path.write_text(json.dumps({"title": "S", "authors": [{"name": "B"}], "references": [work], "version": 1.5}))
        (made,) = references.load(path, SCHEMAS / "citation.schema.yaml").references.values()
        assert made.name == "nunez_a_group_2001"
        assert made.full == "A. M. Núñez, A group. T. J 4(2), 5–9. doi:10.1/x. 2001."


def test_the_template_needs_no_package_and_no_net():
    text = (FOLDER / TEMPLATE).read_text()
    assert "@preview" not in text
    assert "import" not in text
    assert typst.__version__
