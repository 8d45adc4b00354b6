"""What others cite and check: true of the tree."""

import tomllib

import pytest
import yaml
from conftest import PROJECT

from sdclab.experiment import plan
from sdclab.output.plots import PLOTS

CITATION = yaml.safe_load((PROJECT / "CITATION.cff").read_text())
NEEDED = {
    "software": (),
    "article": ("journal", "volume"),
    "conference-paper": ("collection-title", "conference"),
    "thesis": ("thesis-type", "institution"),
}
"""What a reference of a type cannot be found without."""
UNKNOWN = {("Privacy preserving data using fuzzy hybrid data transformation technique", "journal"),
           ("Privacy preserving data using fuzzy hybrid data transformation technique", "volume")}  # fmt: skip
"""What the copy at hand does not say."""


def test_the_citation_has_what_its_format_requires():
    """Citation File Format 1.2.0; whoever is named is in it as a person or as a group."""
    assert {"cff-version", "message", "title", "authors"} <= set(CITATION)
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    for entry in (CITATION, *CITATION["references"]):
        assert entry["title"]
        assert all(set(each) in ({"name"}, {"family-names", "given-names"}) for each in entry["authors"])


@pytest.mark.parametrize("entry", CITATION["references"], ids=lambda entry: entry["title"][:30])
def test_a_reference_can_be_found(entry):
    assert isinstance(entry["year"], int)
    missing = {key for key in NEEDED[entry["type"]] if key not in entry}
    assert {(entry["title"], key) for key in missing} <= UNKNOWN


def test_the_citation_is_of_this_version():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert (CITATION["version"], CITATION["license"]) == (project["version"], project["license"])


def test_what_is_to_be_checked_is_what_a_run_makes(monkeypatch):
    """Every published table is in the manifest, and nothing that a run does not deliver."""
    monkeypatch.chdir(PROJECT)
    text = (PROJECT / "codecheck.yml").read_text()
    assert text.startswith("---\n")
    manifest = yaml.safe_load(text)["manifest"]
    listed = [each["file"] for each in manifest]
    assert len(set(listed)) == len(listed)
    assert all(each["comment"] for each in manifest)
    made = plan.load({}, PLOTS)
    assert set(listed) <= set(made.files)
    judged = {f"results/tables/{table.study}/{table.name}.csv" for table in made.tables if table.in_judgement}
    assert {"results/scorecard.csv", "results/audit.csv", *judged} <= set(listed)
