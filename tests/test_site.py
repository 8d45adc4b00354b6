"""The documentation: its site builds without a warning, needs nothing from elsewhere, and what it shows can be run."""

import ast
import re
import shlex
import tomllib
from html.parser import HTMLParser

import pytest
from conftest import PROJECT

from sdclab.base import documents
from sdclab.cli.main import parser_of
from sdclab.measures import MEASURES
from sdclab.methods import METHODS

OTHERS = ("README.md", "config/README.md", "CHANGELOG.md", "CONTRIBUTING.md")
PAGES = [*sorted((PROJECT / "docs").glob("*.md")), *(PROJECT / name for name in OTHERS)]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SET = re.compile(r"^([A-Z_]+=\S+ )+")
FETCHED = ("script", "link", "img", "iframe", "source")
WIDE = 120


def blocks(path, language):
    return [text for kind, text in BLOCK.findall(path.read_text(encoding="utf-8")) if kind == language]


def commands(path):
    """The words of every command that is shown, without what is set for it and what is said of it."""
    lines = [line for text in blocks(path, "sh") for line in text.replace("\\\n", " ").splitlines()]
    shown = [SET.sub("", line.split("  #")[0].strip()) for line in lines]
    return [shlex.split(line) for line in shown if line]


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
def test_configs_in_the_docs_are_configs(path):
    for text in blocks(path, "yaml"):
        assert documents.value(text, path.name)
    for text in blocks(path, "toml"):
        assert tomllib.loads(text)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_commands_in_the_docs_are_commands(path):
    """What is shown of `sdclab` can be typed: verbs, options and methods exist, and nothing required is missing."""
    for program, *words in commands(path):
        if program in ("sdclab", ".venv/bin/sdclab"):
            parser_of(words).parse_args(words)


def test_what_the_docs_make_can_be_made():
    targets = set(re.findall(r"^(\w+):", (PROJECT / "Makefile").read_text(), re.MULTILINE))
    for path in PAGES:
        shown = {words[1] for words in commands(path) if words[0] == "make"}
        assert shown | set(re.findall(r"`make\s+(\w+)", path.read_text(encoding="utf-8"))) <= targets, path.name


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_to_files_of_the_project(path):
    """As they are read where the project is: that they lead somewhere on the site is for its build to see."""
    targets = re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
    own = [target for target in targets if "://" not in target]
    assert [target for target in own if not (path.parent / target).exists()] == []


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
