"""The crate: what the profiles require, and what a run knows."""

import io
import json
import zipfile
from dataclasses import replace

import pytest
from crated import CELL, FINGERPRINT, TOLD, check_profiles, entities, listed, made

from sdclab.output.crate import archive, crate


@pytest.fixture
def run(tmp_path):
    return made(tmp_path)


def values(found, entity, key="additionalProperty"):
    """The named values that a property leads to."""
    return {found[each["@id"]]["name"]: found[each["@id"]]["value"] for each in listed(entity[key])}


def test_has_what_the_profiles_require(run):
    check_profiles(crate(run))


@pytest.mark.parametrize(
    ("identifier", "key"),
    [
        ("./", "license"),
        ("./", "mainEntity"),
        ("./", "conformsTo"),
        ("./", "mentions"),
        ("code/Snakefile", "programmingLanguage"),
        (f"#run-{TOLD}", "instrument"),
        (f"#run-{TOLD}", "result"),
        ("#parameter-download", "additionalType"),
        ("#setting-download", "exampleOfWork"),
        ("ro-crate-metadata.json", "conformsTo"),
    ],
)
def test_the_check_of_the_profiles_can_fail(run, identifier, key):
    document = json.loads(crate(run))
    (entity,) = (each for each in document["@graph"] if each["@id"] == identifier)
    del entity[key]
    with pytest.raises((AssertionError, KeyError, ValueError)):
        check_profiles(json.dumps(document))


def test_says_when_and_how_long(run):
    """The first job ended at 1000 s after 10 s, the last result was written at 1010 s."""
    found = entities(crate(run))
    action = found[f"#run-{TOLD}"]
    assert (action["startTime"], action["endTime"]) == ("1970-01-01T00:16:30+00:00", "1970-01-01T00:16:50+00:00")
    assert values(found, action) == {"seconds of all jobs": 14.5}
    unmeasured = entities(crate(replace(run, jobs=[])))[f"#run-{TOLD}"]
    assert "startTime" not in unmeasured
    assert unmeasured["endTime"] == action["endTime"]


def test_says_what_was_asked_for_and_leaves_out_what_is_not_set(run):
    found = entities(crate(run))
    settings = {each["name"]: each["value"] for name, each in found.items() if name.startswith("#setting-")}
    assert settings == {"studies": "s, t", "download": False, "limits.values": 2}


def test_says_what_data_it_was_made_from(run):
    found = entities(crate(run))
    table, source = found["data/mine.csv"], found["#source-mine"]
    assert table["sha256"] == FINGERPRINT
    assert values(found, table) == {"kind": "own"}
    assert table["isBasedOn"] == {"@id": "#source-mine"}
    assert (source["name"], source["sha256"], source["license"]) == ("mine.csv", "ab" * 32, "mine alone")
    assert {"@id": "#source-mine"} in found[f"#run-{TOLD}"]["object"]
    unknown = [replace(each, sha256="") for each in run.sources]
    assert "sha256" not in entities(crate(replace(run, sources=unknown)))["#source-mine"]


def test_says_what_it_was_computed_with(run):
    other = {**CELL, "versions": "sdclab 0.1.0 numpy 2.4.5", "processor": "x86_64 AVX512F SkylakeX"}
    found = entities(crate(replace(run, cells=[CELL, other])))
    assert {each["@id"] for each in found["code/Snakefile"]["softwareRequirements"]} >= {
        "https://pypi.org/project/numpy/2.4.5/",
        "https://pypi.org/project/numpy/2.4.6/",
    }
    assert "x86_64 AVX2 Haswell" in found[f"#run-{TOLD}"]["description"]
    assert "2 KINDS OF PROCESSOR" in found[f"#run-{TOLD}"]["description"]


def test_counts_the_verdicts(run):
    found = entities(crate(run))
    assert values(found, found["scorecard.csv"]) == {"close": 2, "not judged": 1}


def test_names_are_addresses(run):
    assert "cells/s/S/mdav/k%3D3..k%3D5.csv" in entities(crate(run))


def test_is_the_same_text_for_the_same_run(run):
    assert crate(run) == crate(run)


def test_an_archive_is_the_same_bytes_in_any_order_and_gives_back_its_files():
    one, other = archive({"b/c": b"2", "a": b"1"}), archive({"a": b"1", "b/c": b"2"})
    assert one == other
    with zipfile.ZipFile(io.BytesIO(one)) as packed:
        assert {name: packed.read(name) for name in packed.namelist()} == {"a": b"1", "b/c": b"2"}
