"""What a run is told by a config, another file or the command line."""

from pathlib import Path

import pytest
from conftest import PROJECT, SCHEMAS

from sdclab.base.errors import SdclabError
from sdclab.experiment import config
from sdclab.experiment.limits import Limits

REPLICAS = PROJECT / "resources" / "replicas"


@pytest.fixture(autouse=True)
def project(monkeypatch):
    monkeypatch.chdir(PROJECT)
    monkeypatch.delenv("SDCLAB_DATA", raising=False)


def load(**given):
    return config.load(given, SCHEMAS / "config.schema.yaml", REPLICAS)


def test_the_shipped_one_bounds_nothing():
    assert load().limits == Limits()
    assert load().results == "results"


@pytest.mark.parametrize("values", [2, "2"])
def test_what_snakemake_leaves_as_text_is_read(values):
    """`--config limits={values: 2} download=false` arrives as text."""
    found = load(limits={"values": values, "records": "null"}, download="false")
    assert (found.limits, found.download) == (Limits(values=2), False)


def test_results_have_one_name():
    assert load(results="./results/../results/").results == "results"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"limits": {"values": "two"}}, "config: limits.values is 'two' but must be of type integer, null"),
        ({"limits": {"values": "0"}}, "config: limits.values is 0 but must be at least 1"),
        ({"limits": {"most": 3}}, "config: limits: unknown key 'most'"),
        ({"download": "perhaps"}, "config: download is 'perhaps' but must be of type boolean"),
        ({"studies": []}, "config: studies and releases name nothing; one of them must"),
        ({"data_dir": "nowhere"}, "nowhere: the data folder"),
    ],
)
def test_a_slip_is_named(given, message):
    with pytest.raises(SdclabError, match=message):
        load(**given)


def test_a_folder_may_be_named_by_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("SDCLAB_DATA", str(tmp_path))
    assert load().places.user == tmp_path
    assert load(data_dir="config").places.user == Path("config")
