"""A study of a user's file: config/studies/own.yaml, the template, in the workflow."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from conftest import PROJECT, SCHEMAS, Tree
from samples import records

from sdclab import measures, methods
from sdclab.base.errors import SdclabError
from sdclab.experiment import study as studies
from sdclab.methods import METHODS
from sdclab.microdata.dataset import Dataset
from sdclab.output.plots import PLOTS


class TestOwnStudy:
    """config/studies/own.yaml, the template, in the workflow."""

    def test_the_template_holds_the_grid_of_the_map(self):
        study = yaml.safe_load((PROJECT / "config/studies/own.yaml").read_text())
        assert {entry["method"]: entry.get("parameters", {}) for entry in study["grid"]} == {
            method: methods.grid(method) for method in METHODS if "continuous" in methods.takes(method)
        }

    def test_it_is_not_run_unless_asked_for(self):
        assert "own" not in yaml.safe_load((PROJECT / "config/config.yaml").read_text())["studies"]

    def test_runs_on_a_users_file(self, tree: Tree):
        frame = records(60).assign(savings=np.arange(60.0) ** 2)
        frame.loc[2, "tax"] = np.nan
        (tree.root / "my_data.csv").write_text("\ufeff" + frame.to_csv(index=False, sep=";"))
        spec = {"file": "my_data.csv", "columns": ["income", "tax", "savings", "age"], "missing": "drop"}
        template = tree.root / "config/studies/own.yaml"
        changes = {"datasets": {"mine": spec}, "grid": [{"method": "mdav", "parameters": {"k": 3}, "replicates": 1}]}
        template.write_text(yaml.safe_dump({**yaml.safe_load(template.read_text()), **changes}))
        done = tree.run("--config", "studies=[own]", "results=results/own")
        assert done.returncode == 0, done.stderr
        assert "my_data.csv: 1 of 60 rows dropped" in done.stderr
        made = tree.results("results/own")
        assert made["figures/own/map.svg"]
        rows = list(csv.DictReader(made["cells/own/mine/mdav/k=3.csv"].decode().splitlines()))
        kept = frame[spec["columns"]].dropna()
        expected = Dataset("mine", "own", "", tuple(spec["columns"]), kept.to_numpy())
        assert [(row["dataset_kind"], row["fingerprint"]) for row in rows] == [("own", expected.fingerprint)]
        protected = methods.protect(
            "mdav", kept[["income", "tax", "savings"]].to_numpy(), kept[["age"]].to_numpy(), None, {"k": 3}
        )
        dbrl = measures.measure("dbrl", kept[["income", "tax", "savings"]].to_numpy(), protected, np.empty((59, 0)))
        assert float(rows[0]["dbrl"]) == pytest.approx(dbrl["dbrl"])
        assert "Data: mine (own)" in made["summary.txt"].decode()
        assert made["scorecard.csv"].decode().count("\n") == 1  # nothing published, nothing judged

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({}, "own.yaml: datasets.mine: file is my_data.csv, but there is no such file"),
            ({"datasets": {"mine": {"file": "own.yaml"}}}, "datasets.mine: the key 'columns' is missing"),
            ({"datasets": {"census": {"file": "own.yaml", "columns": ["age"]}}}, "another dataset has this name"),
            (
                {"datasets": {"mine": {"file": "own.yaml", "columns": ["age"]}}},
                "scenarios.mine: unknown column 'income'",
            ),
        ],
    )
    def test_bad_input(self, tmp_path, monkeypatch, entries, changes, message):
        monkeypatch.chdir(tmp_path)
        template = yaml.safe_load((PROJECT / "config/studies/own.yaml").read_text())
        Path("own.yaml").write_text(yaml.safe_dump({**template, **changes}))
        with pytest.raises(SdclabError, match=re.escape(message)):
            studies.load(Path("own.yaml"), SCHEMAS / "study.schema.yaml", entries, PLOTS)
