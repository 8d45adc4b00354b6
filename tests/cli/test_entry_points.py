"""Methods and measures of other packages on the command line."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import PROJECT

from sdclab.base import registry
from sdclab.cli.main import main
from sdclab.experiment.provenance import code_fingerprint

TOY = '''"""Rounding to a grid: an example."""

import numpy as np

GRID = {"base": [0.1, 0.5]}


def protect(dependent, independent, rng, *, base: float = 0.5):
    step = base * dependent.std(axis=0)
    return np.round(dependent / step) * step
'''


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """An installed package that brings a method, a measure, and a method that is broken."""
    site = tmp_path / "site"
    (site / "toybox").mkdir(parents=True)
    (site / "toybox/__init__.py").touch()
    (site / "toybox/rounding.py").write_text(TOY)
    (site / "toybox/broken.py").write_text("import nowhere_to_be_found\n")
    (site / "toybox/leaky.py").write_text(
        "def protect(dependent, independent, rng):\n    raise ValueError(f'cannot protect {dependent[0]}')\n"
    )
    (site / "toybox/change.py").write_text(
        "def measure(original, protected, independent):\n    return {'change': abs(original - protected).max()}\n"
    )
    info = site / "toybox-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toybox\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[sdclab.methods]\ntoy-rounding = toybox.rounding\ntoy-broken = toybox.broken\n"
        "toy-leaky = toybox.leaky\nmdav = toybox.broken\n"
        "[sdclab.measures]\ntoy-change = toybox.change\n"
    )
    monkeypatch.syspath_prepend(str(site))
    registry._entry_points.cache_clear()
    yield site
    registry._entry_points.cache_clear()
    for name in [name for name in sys.modules if name.startswith("toybox")]:
        del sys.modules[name]


class TestEntryPoint:
    def test_shows_up_in_help_and_on_the_map(self, toy, run, people, capsys):
        with pytest.raises(SystemExit):
            main(["protect", "--help"])
        shown = capsys.readouterr().out
        assert "  toy-rounding  Rounding to a grid: an example." in shown
        assert "method toy-broken: toybox.broken cannot be imported (ModuleNotFoundError)." in shown
        code, out, _ = run("map", "people.csv", "--methods", "toy-rounding,toy-broken,toy-leaky,mdav")
        assert code == 0
        assert "toy-leaky: stopped with ValueError." in out  # and not its words, which hold a record
        assert "toy-broken: toybox.broken cannot be imported" in out
        ranked = pd.read_csv("people_map/owner/ranking.csv")
        assert set(ranked.loc[ranked["method"] == "toy-rounding", "parameters"]) == {"base=0.1", "base=0.5"}
        assert "mdav" in set(ranked["method"])  # a name that is here already cannot be replaced

    def test_its_error_shows_no_record(self, toy, run, people):
        code, _, err = run("protect", "people.csv", "--method", "toy-leaky", "-o", "out.csv")
        assert (code, err) == (2, "sdclab: method toy-leaky: stopped with ValueError.\n")
        assert not Path("out.csv").exists()

    def test_protects_and_measures(self, toy, run, people):
        assert run("protect", "people.csv", "--method", "toy-rounding", "--base", "1", "-o", "out.csv")[0] == 0
        steps = pd.read_csv("out.csv")["tax"] / people["tax"].std(ddof=0)
        np.testing.assert_allclose(steps, np.round(people["tax"] / people["tax"].std(ddof=0)))
        told = json.loads(run("measure", "people.csv", "out.csv", "--measures", "toy-change", "--json")[1])
        largest = np.abs(people - pd.read_csv("out.csv")).to_numpy().max()
        assert told["measures"]["toy-change"]["change"] == pytest.approx(largest)

    def test_its_code_is_part_of_a_cells_fingerprint(self, toy):
        code = (
            "from sdclab.methods import METHODS; from sdclab.experiment.provenance import code_fingerprint as f;"
            "print(f([METHODS.module('toy-rounding')]))"
        )
        prints = []
        for source in (TOY, TOY + "\n# changed\n"):
            (toy / "toybox/rounding.py").write_text(source)
            path = f"{toy}:{PROJECT / 'src'}"
            done = subprocess.run(
                [sys.executable, "-c", code], env={"PYTHONPATH": path}, capture_output=True, text=True
            )
            prints.append(done.stdout)
        assert len(set(prints)) == 2
        assert code_fingerprint(["sdclab.methods.mdav"]) not in prints
