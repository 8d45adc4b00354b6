"""A study of sixty records with one of everything, for tests that run the workflow often."""

import copy
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import yaml

from sdclab.experiment import plan
from sdclab.experiment.plan import Plan
from sdclab.output.plots import PLOTS

STUDY: dict[str, Any] = {
    "study": "tiny",
    "title": "A tiny study",
    "datasets": {"mine": {"file": "mine.csv", "columns": ["a", "b", "c", "d"]}},
    "scenarios": {"S": {"dataset": "mine", "dependent": ["a", "b"], "independent": ["c"]}},
    "measures": {"score": {}, "copy": {}, "dbrl": {}},
    "replicates": 2,
    "grid": [
        {"method": "mdav", "parameters": {"k": [3, 4, 5]}, "replicates": 1},
        {"method": "noise", "parameters": {"p": [0.1]}},
    ],
    "tables": {
        "table1": {
            "title": "The table",
            "published": "tiny_2026_table1",
            "scenario": "S",
            "keys": ["method", "k"],
            "quantities": ["pil", "dr"],
            "cells": {"method": ["mdav"]},
        },
        "noise": {"title": "Noise", "scenario": "S", "published": None, "keys": ["method"], "quantities": ["pil"]},
    },
    "figures": {
        "map": {"plot": "ru_map", "tables": ["table1"], "title": "The map", "options": {"by": "k"}},
        "pairs": {
            "plot": "pairs",
            "scenario": "S",
            "title": "Records",
            "options": {"columns": ["a", "b"], "k": 20},
        },
    },
    "sensitivities": {
        "dr": {
            "title": "What decides DR",
            "scenario": "S",
            "table": "table1",
            "cells": [{"method": "mdav", "parameters": {"k": [3, 5]}, "replicates": 1}],
            "measure": "dr",
            "quantity": "dr",
            "options": {"dbrl": {"attributes": ["all"]}},
        }
    },
    "judgements": [
        {
            "tables": ["table1"],
            "quantities": ["pil", "dr"],
            "rule": "tolerance",
            "tolerance": 5,
            "because": "x",
        }
    ],
    "notes": [{"tables": ["table1"], "note": "printed small"}],
}
MULTIVERSE: dict[str, Any] = {
    "title": "The table",
    "table": "table1",
    "replicates": 1,
    "at_most": 100,
    "measures": {"pil": {}, "dbrl": {}, "interval": {}},
    "quantities": {"pil": {"pil": 1}, "dr": {"dbrl": 0.5, "interval": 0.5}},
    "axes": {
        "known": {
            "sets": "measure.dbrl.attributes",
            "options": ["first", "all"],
            "default": "first",
            "after": ["first"],
            "open": "not said",
        },
        "block": {
            "sets": "method.mdav.block",
            "options": {"none": None, "thirty": 30},
            "default": "none",
            "open": "not said",
        },
    },
}
"""All readings of the table, for those who want them."""

PUBLISHED = "method,k,pil,dr\nmdav,3,10.5,40.2\nmdav,5,15.5,30.2\n"
CLAIM = {"table": "tiny_2026_table1", "check": "exceeds", "quantity": "dr", "bound": 20, "claim": "DR is large"}
CONFIG: dict[str, Any] = {
    "studies": ["tiny"],
    "tables": None,
    "results": "results",
    "data_dir": None,
    "cache_dir": "cache",
    "download": False,
    "cells_per_job": 4,
    "mix_methods": False,
    "multiverse": False,
    "limits": {"records": None, "replicates": None, "runs": None, "values": None},
}


class Tiny:
    """The tiny study in a folder; a test changes `study`, `config` or `claims` and writes it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.study, self.config, self.claims = copy.deepcopy((STUDY, CONFIG, [CLAIM]))
        values = np.random.default_rng(1).normal(100, 20, (60, 4)).round(3)
        self.data = "a,b,c,d\n" + "\n".join(",".join(map(repr, row)) for row in values.tolist()) + "\n"
        self.write()
        (root / "mine.csv").write_text(self.data)
        for old in (root / "resources/published").glob("*.csv"):
            old.unlink()
        (root / "resources/published/tiny_2026_table1.csv").write_text(PUBLISHED)

    def write(self) -> None:
        for name, content in (
            ("studies/tiny", self.study),
            ("config", self.config),
            ("audit", {"claims": self.claims}),
        ):
            (self.root / f"config/{name}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))

    def plan(self) -> Plan:
        """What the workflow would plan, without the originals; the working directory must be the folder."""
        with patch.dict(os.environ):
            os.environ.pop("SDCLAB_DATA", None)
            return plan.load(self.config, PLOTS)
