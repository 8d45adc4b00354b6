"""The tables of docs/ say what the code says."""

import pytest
from conftest import PROJECT

from sdclab.measures import MEASURES, numbers
from sdclab.methods import METHODS
from sdclab.output.reference import MARKED, TABLES, filled

PAGES = {"methods": ["methods", "parameters of methods"], "measures": ["options of measures", "numbers of measures"]}


@pytest.mark.parametrize("page", PAGES)
def test_the_docs_are_up_to_date(page):
    text = (PROJECT / f"docs/{page}.md").read_text()
    assert [found[2] for found in MARKED.finditer(text)] == PAGES[page]
    assert filled(text) == text, "make reference writes the tables anew"


def test_what_stands_between_two_marks_is_written_anew_and_nothing_else():
    page = "before\n<!-- options of measures -->\nold\n<!-- end -->\nbetween\n<!-- end -->\n"
    made = filled(page)
    assert made == page.replace("old\n", TABLES["options of measures"]())
    assert filled(made) == made


@pytest.mark.parametrize(("registry", "table"), [(METHODS, "parameters of methods"), (MEASURES, "options of measures")])
def test_every_parameter_is_there(registry, table):
    lines = TABLES[table]().splitlines()
    for name in registry.present:
        for parameter in registry.parameters(name).values():
            (line,) = (line for line in lines if line.startswith(f"| `{name}` | `{parameter.name}` |"))
            assert line.endswith(f" | {parameter.allowed} | {parameter.meaning} |")


def test_every_method_says_what_it_releases_and_keeps():
    lines = TABLES["methods"]().splitlines()[2:]
    assert [line.split("`")[1] for line in lines] == list(METHODS.present)
    assert not [line for line in lines if "|  |" in line]


def test_every_number_is_there_once():
    lines = TABLES["numbers of measures"]().splitlines()
    for name in {each for measure in MEASURES.present for each in numbers(measure)}:
        assert sum(f" | `{name}` | " in line for line in lines) == 1
    assert "| `dr` | `dr` | disclosure risk DR | risk | 0 to 100 |  | less |" in lines
