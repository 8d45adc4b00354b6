"""A user's file as a dataset of a study: types, gaps, and the columns that are left out."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from samples import mixed

from sdclab.base.errors import SdclabError
from sdclab.experiment.data import dataset_of, read
from sdclab.experiment.file import prepare
from sdclab.experiment.scenario import Rotation, Scenario
from sdclab.microdata.dataset import PATTERN, Dataset
from sdclab.microdata.declaration import types_of
from sdclab.microdata.manifest import file_entry
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.retrieve import Places
from sdclab.microdata.roles import Roles

USED = ("region", "children", "wage", "bonus")


def made(frame, said=None, **spec):
    frame.to_csv("in.csv", index=False)
    entry = file_entry("mine", {"file": "in.csv", **spec}, "here")
    return dataset_of(
        entry, Places(None, Path("cache"), Path("replicas")), False, ([] if said is None else said).append
    )


def again(dataset):
    dataset.write(Path("mine.csv"), Path("mine.json"))
    return Dataset.read(Path("mine.csv"), Path("mine.json"))


def test_text_becomes_codes_and_its_labels_come_back(here):
    frame = mixed()
    found = again(made(frame, columns=list(USED)))
    region, children, wage, bonus = found.attributes
    assert (region.type, region.categories) == ("nominal", ("Bonn", "Jena", "Ulm"))
    assert [region.categories[int(code)] for code in found.values[:, 0]] == frame["region"].tolist()
    assert (children.type, wage.type, wage.decimals, bonus.masses) == ("count", "continuous", 2, (0.0,))
    np.testing.assert_array_equal(found.values[:, 1:], frame[list(USED[1:])])
    assert found.kind == "own"


def test_it_is_what_the_command_line_takes(here):
    """The same columns, types, filled gaps and pattern as `sdclab map` works on."""
    frame = mixed(gaps=0.1)
    found = again(made(frame, columns=list(USED), missing="keep"))
    frame.to_csv("out.csv", index=False)
    table = Microdata("in.csv", pd.read_csv("out.csv", dtype=str, keep_default_na=False))
    prepared = prepare(table, Roles(USED, ()), missing="keep")
    assert found.columns == (*USED, PATTERN)
    assert found.attributes == prepared.dataset.attributes
    np.testing.assert_array_equal(found.values, prepared.dataset.values)
    assert len(found.values) == len(frame)
    scenario = Scenario("S", "mine", USED[1:], USED[:1])
    np.testing.assert_array_equal(scenario.split(found)[1], found.select((USED[0], PATTERN), "test"))
    assert [each.name for each in scenario.attributes(found).independent] == [USED[0], PATTERN]


def test_gaps_are_refused_or_dropped_as_well(here):
    frame, said = mixed(gaps=0.1), []
    with pytest.raises(SdclabError, match=r"column .* is missing; gaps are kept, or .* missing: drop in a study"):
        made(frame, columns=list(USED), missing="refuse")
    found = made(frame, said, columns=list(USED), missing="drop")
    complete = frame[list(USED)].dropna()
    assert len(found.values) == len(complete) < len(frame)
    assert said == [f"in.csv: {len(frame) - len(complete)} of {len(frame)} rows dropped, a value is missing in them"]
    assert found.source == said[0]


def test_without_columns_all_that_can_be_used(here):
    said = []
    frame = mixed().assign(name=[f"Secret {i}" for i in range(120)], one=1)
    assert made(frame, said).columns == USED
    assert said == ["in.csv: left out: name holds text that names the records, one is constant"]
    with pytest.raises(SdclabError, match=r"in\.csv: no column can be used"):
        made(frame[["one"]].assign(two=2))


def test_types_of_the_study_go_before_those_beside_the_file(here):
    Path("in.sdclab.yaml").write_text("types:\n  children: nominal\n  wage: {decimals: 1, low: -5}\n")
    found = {each.name: each for each in made(mixed(), types={"wage": {"low": -7}}).attributes}
    assert found["children"].type == "nominal"
    assert (found["wage"].low, found["wage"].decimals) == (-7, 2)


def test_a_column_called_like_the_pattern_is_refused(here):
    with pytest.raises(SdclabError, match="column pattern of gaps must have another name"):
        made(mixed().rename(columns={"bonus": PATTERN}))


def test_another_file_than_expected_is_refused(here):
    found = made(mixed())
    assert made(mixed(), sha256=found.fingerprint).fingerprint == found.fingerprint
    with pytest.raises(SdclabError, match="this is not the known mine data"):
        made(mixed(seed=2), sha256=found.fingerprint)


def test_a_scenario_may_say_otherwise(here):
    made(mixed(), columns=list(USED)).write(Path("mine.csv"), Path("mine.json"))
    order = {"type": "ordinal", "categories": ["Ulm", "Bonn", "Jena"]}
    types = types_of({"region": order, "children": "nominal"}, "here")
    plain, told = (
        read(Scenario("S", "mine", USED[1:], USED[:1], said), Path("mine.csv"), Path("mine.json"))
        for said in ({}, types)
    )
    assert [each.type for each in told.attributes] == ["ordinal", "nominal", "continuous", "continuous"]
    for j in (0, 1):
        assert _labels(told, j) == (_labels(plain, j) if j == 0 else [str(int(each)) for each in plain.values[:, j]])
    np.testing.assert_array_equal(told.values[:, 2:], plain.values[:, 2:])
    assert told.fingerprint == plain.fingerprint == json.loads(Path("mine.json").read_text())["fingerprint"]


def _labels(dataset, j):
    return [dataset.attributes[j].categories[int(code)] for code in dataset.values[:, j]]


def test_a_rotation_is_of_numbers(here):
    found = made(mixed(), columns=list(USED))
    assert len(list(Rotation("R", "mine", USED[1:]).splits(found, {"n_independent": 1}))) == 3
    with pytest.raises(SdclabError, match="scenario R: rotates numbers, but region is nominal"):
        list(Rotation("R", "mine", USED).splits(found, {"n_independent": 1}))
    kept = made(mixed(gaps=0.1), columns=list(USED), missing="keep")
    with pytest.raises(SdclabError, match="scenario R: rotates numbers, but pattern of gaps is nominal"):
        list(Rotation("R", "mine", USED[1:]).splits(kept, {"n_independent": 1}))


def test_a_column_that_was_left_out_is_named(here):
    found = made(mixed())
    for ask in (Scenario("S", "mine", ("wages",)).split, Scenario("S", "mine", ("wages",)).attributes):
        with pytest.raises(SdclabError, match="scenario S: unknown column 'wages': did you mean wage"):
            ask(found)
