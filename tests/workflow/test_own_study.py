"""A study of a user's file: config/studies/own.yaml, the template, in the workflow."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from conftest import PROJECT, SCHEMAS, Tree
from samples import mixed, records

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
            method: methods.grid(method) for method in METHODS
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

    def test_runs_on_a_file_of_text_counts_spikes_and_gaps(self, tree: Tree):
        """Nothing is deleted from the grid by hand, no row is lost, and no label of a category is on a page."""
        frame = mixed(n=150, gaps=0.08)
        frame.to_csv(tree.root / "my_data.csv", index=False)
        template = tree.root / "config/studies/own.yaml"
        study = yaml.safe_load(template.read_text())
        roles = {"dependent": ["region", "wage", "bonus"], "independent": ["children"]}
        study |= {
            "datasets": {"mine": {"file": "my_data.csv", "missing": "keep"}},
            "scenarios": {"mine": {"dataset": "mine", **roles}},
            "replicates": 1,
            "grid": [
                {"method": "mdav", "parameters": {"k": [3, 10]}},
                {"method": "ipso_c"},
                {"method": "synthetic"},
                {"method": "permute"},
            ],
        }
        template.write_text(yaml.safe_dump(study))
        asked = ("--config", "studies=[own]", "results=results/own")
        done = tree.run(*asked)
        assert done.returncode == 0, done.stderr
        why = "scenario mine: method ipso_c: takes continuous and count attributes, but region is nominal."
        assert f"sdclab: {why}" in done.stderr
        made = tree.results("results/own")
        data = Dataset.read(*(tree.root / f"results/own/data/mine.{ending}" for ending in ("csv", "json")))
        assert len(data.values) == 150
        there = frame["region"].notna()
        labels = [data.attributes[0].categories[int(code)] for code in data.values[there, 0]]
        assert labels == frame["region"][there].tolist()
        page = made["report/index.html"].decode()
        assert f"<li>{why}</li>" in page
        assert "4 points of 3 methods" in page
        for name, content in made.items():
            if not name.startswith("data/") and not name.endswith(".png"):  # packed bytes may spell anything
                assert not [label for label in ("Bonn", "Jena", "Ulm") if label.encode() in content], name
        self.runs_anew_what_types_concern(tree, asked)

    def runs_anew_what_types_concern(self, tree: Tree, asked):
        """A type that is declared beside the file reaches every cell, although the prepared table is the same."""
        files = [tree.root / f"results/own/{name}" for name in ("data/mine.csv", "cells/own/mine/mdav/k=3..k=10.csv")]
        table, cells = (path.read_bytes() for path in files)
        (tree.root / "my_data.sdclab.yaml").write_text("types: {wage: {decimals: 0}}\n")
        done = tree.run(*asked)
        assert done.returncode == 0, done.stderr
        assert files[0].read_bytes() == table
        assert files[1].read_bytes() != cells

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({}, "own.yaml: datasets.mine: file is my_data.csv, but there is no such file"),
            ({"datasets": {"mine": {"columns": ["age"]}}}, "datasets.mine: the key 'file' is missing"),
            (
                {"datasets": {"mine": {"file": "own.yaml", "types": {"age": "number"}}}},
                "own.yaml: datasets.mine.types: age: unknown type 'number'",
            ),
            (
                {"datasets": {"mine": {"file": "own.yaml", "columns": ["age"], "types": {"aeg": "count"}}}},
                "own.yaml: datasets.mine.types: unknown column 'aeg': did you mean age",
            ),
            (
                {"datasets": {"mine": {"file": "own.yaml", "missing": "fill"}}},
                "datasets.mine.missing is 'fill' but must be one of refuse, drop, keep",
            ),
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
