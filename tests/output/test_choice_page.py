"""The page of `sdclab map`: the report's look, whatever is on it."""

import re

import pytest
from conftest import width
from samples import attributes

from sdclab.cli.main import main
from sdclab.experiment.ranking import CARRIED
from sdclab.output.pages.explorer import explorer
from sdclab.output.pages.markup import asset, document


@pytest.fixture(scope="module")
def mapped(tmp_path_factory):
    pytest.importorskip("matplotlib")
    folder = tmp_path_factory.mktemp("page")
    attributes(60, ("a column with quite a long name", "tax", "savings")).to_csv(folder / "in.csv", index=False)
    assert main(["map", str(folder / "in.csv"), "--methods", "mdav,noise,hybrid", "-o", str(folder / "map")]) == 0
    return folder / "map/owner"


def test_pages_share_style_sheet_and_frame(mapped):
    """One style sheet and one head; the report adds the widths of its bars."""
    frames = []
    for page in ((mapped / "index.html").read_text(), explorer(), document("a title")):
        (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
        assert style == asset("style.css")
        head = page.partition("</head>")[0].replace(style, "")
        frames.append(re.sub(r"<title>.*?</title>|<meta http-equiv.*?>", "", head))
    assert len(set(frames)) == 1


def test_tables_are_those_of_the_report(mapped):
    page = (mapped / "index.html").read_text()
    assert page.count("<table>") == page.count('<caption class="hidden">Ranking</caption>') == 1
    assert re.search(r'<div class="box" tabindex="0" role="region" aria-label="Ranking"><table>', page)
    assert re.search(r'<td class="number">1</td><td>\w+</td>', page)


def test_a_ranking_holds_what_a_table_can(mapped):
    head = (mapped / "ranking.csv").read_text().partition("\n")[0].split(",")
    assert not set(head) & set(CARRIED)
    assert head[:4] == ["rank", "method", "parameters", "score"]


@pytest.mark.parametrize("pixels", [1280, 390])
def test_nothing_sticks_out(mapped, browser, pixels):
    """What is wider than the page, a command or the ranking, scrolls in a box of its own."""
    width(browser, pixels)
    browser.get((mapped / "index.html").as_uri())
    assert browser.execute_script("return document.documentElement.scrollWidth") <= pixels
    heights = "return [...document.querySelectorAll('pre')].map((pre) => pre.getBoundingClientRect().height)"
    assert len({round(height) for height in browser.execute_script(heights)}) == 1  # each command is one line
