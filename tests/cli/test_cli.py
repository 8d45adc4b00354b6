"""The command line."""

import os
import subprocess
import sys

import pytest
from conftest import PROJECT

from sdclab import __version__
from sdclab.cli.main import main


@pytest.fixture(autouse=True)
def nowhere(monkeypatch, tmp_path):
    monkeypatch.delenv("SDCLAB_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_data_lists_every_dataset_with_its_facts(capsys, entries, places):
    assert main(["data", "--project", str(PROJECT)]) == 0
    shown = capsys.readouterr().out
    for entry in entries.values():
        assert f"{entry.name}: {entry.title}" in shown
        assert entry.licence in shown
        assert entry.obtain.split(";")[0] in shown
    assert shown.count("kind        replica") == 6  # two of them adult's, for its samples
    assert shown.count("kind        stand-in") == 2
    assert entries["census"].replica.sha256 in shown
    assert "1080 rows, 13 columns" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--project", "nowhere"], "nowhere/resources/datasets.yaml: cannot be read"),
        (["--project", str(PROJECT), "--data-dir", "nowhere"], "nowhere: the data folder"),
    ],
)
def test_bad_input_is_one_sentence(capsys, arguments, message):
    assert main(["data", *arguments]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_the_command_is_installed():
    shown = subprocess.run([sys.executable, "-m", "sdclab.cli.main", "--version"], capture_output=True, text=True)
    assert shown.stdout.strip() == f"sdclab {__version__}"


def test_computes_on_one_thread_unless_told_otherwise():
    """Sums of two threads are rounded otherwise than those of one, and a seed would not give the same bytes."""
    ask = "import sdclab.cli.main, numpy, threadpoolctl as t; print({p['num_threads'] for p in t.threadpool_info()})"
    free = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    for environment, threads in ((free, "{1}"), ({**free, "OPENBLAS_NUM_THREADS": "2"}, "{2}")):
        shown = subprocess.run([sys.executable, "-c", ask], env=environment, capture_output=True, text=True)
        assert shown.stdout.strip() == threads
