"""The documentation: its site builds without a warning, needs nothing from elsewhere, and what it shows can be run."""

import ast
import re
import shlex
from html.parser import HTMLParser

import pytest
from conftest import PROJECT

from sdclab.cli.main import parser_of
from sdclab.measures import MEASURES
from sdclab.methods import METHODS

OTHERS = ("README.md", "config/README.md", "CHANGELOG.md", "CONTRIBUTING.md")
PAGES = [*sorted((PROJECT / "docs").glob("*.md")), *(PROJECT / name for name in OTHERS)]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FETCHED = ("script", "link", "img", "iframe", "source")
WIDE = 120


def blocks(path, language):
    return [text for kind, text in BLOCK.findall(path.read_text(encoding="utf-8")) if kind == language]


def prose(text):
    """Lines that are no table, heading, code or definition of one, by their numbers."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        inside ^= line.lstrip().startswith("```")
        if not (inside or line.lstrip().startswith(("|", "#", "```", "<!--", "![")) or line.startswith("    ")):
            yield number, line


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_python_in_the_docs_is_python(path):
    for text in blocks(path, "python"):
        ast.parse(text)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_commands_in_the_docs_are_commands(path):
    """What is shown of `sdclab` can be typed: verbs, options and methods exist, and nothing required is missing."""
    lines = [line for text in blocks(path, "sh") for line in text.replace("\\\n", " ").splitlines()]
    for line in (line.split("  #")[0].strip() for line in lines):
        if line.startswith("sdclab "):
            words = shlex.split(line)[1:]
            parser_of(words).parse_args(words)


class Fetched(HTMLParser):
    """What a page fetches when it is opened."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, name, attributes):
        given = dict(attributes)
        if name in FETCHED and given.get("rel") not in ("canonical", "next", "prev"):
            self.found.append(given.get("src") or given.get("href") or "")


@pytest.mark.slow
class TestSite:
    def test_has_a_page_and_a_figure_for_every_method_and_a_page_for_every_measure(self, site):
        for name in METHODS.present:
            page = (site / f"methods/{name}.html").read_text()
            assert f'src="{name}.svg"' in page
            assert "released" in (site / f"methods/{name}.svg").read_text()
            assert all(f"<code>{parameter}</code>" in page for parameter in METHODS.parameters(name))
        for name in MEASURES.present:
            page = (site / f"measures/{name}.html").read_text()
            assert all(f"<code>{option}</code>" in page for option in MEASURES.parameters(name))

    def test_needs_nothing_from_elsewhere(self, site):
        fetched = {target for page in site.rglob("*.html") for target in Fetched(page.read_text()).found}
        assert len(fetched) > 20
        assert [target for target in fetched if re.match(r"(https?:)?//", target)] == []

    def test_has_the_api_the_tutorial_and_how_to_cite(self, site):
        for name in ("protect", "measure", "check_release", "describe", "map"):
            assert f"sdclab.{name}" in (site / "api.html").read_text()
        assert "data:image/png;base64," in (site / "tutorial.html").read_text()
        assert "Kybernetika 45(3)" in (site / "citing.html").read_text()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_paragraphs_are_wrapped(path):
    """What cannot be broken, as a long link, may stand alone."""
    long = [
        number for number, line in prose(path.read_text(encoding="utf-8")) if len(line) > WIDE and " " in line.strip()
    ]
    assert long == []
