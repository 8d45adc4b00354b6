"""A study that names attacks among its measures gets a table of them."""

import csv

import pytest
import yaml
from conftest import Tree
from samples import records


def test_a_table_of_membership(tree: Tree):
    records(300).to_csv(tree.root / "people.csv", index=False)
    study = {
        "study": "risk",
        "title": "Who was inside",
        "datasets": {"people": {"file": "people.csv", "columns": ["age", "income", "tax"]}},
        "scenarios": {"own": {"dataset": "people", "dependent": ["income", "tax"], "independent": ["age"]}},
        "measures": {"pil": {}, "membership": {"splits": 4}, "linkability": {}},
        "replicates": 2,
        "grid": [{"method": "permute"}, {"method": "ipso_c"}],
        "tables": {
            "attacks": {
                "title": "Attacks",
                "scenario": "own",
                "published": None,
                "keys": ["method"],
                "quantities": ["pil", "membership", "membership_tpr", "linkability"],
            }
        },
    }
    (tree.root / "config/studies/risk.yaml").write_text(yaml.safe_dump(study))
    done = tree.run("--config", "studies=[risk]", "results=results/risk")
    assert done.returncode == 0, done.stderr
    made = tree.results("results/risk")
    rows = {row["method"]: row for row in csv.DictReader(made["tables/risk/attacks.csv"].decode().splitlines())}
    assert float(rows["permute"]["membership"]) == float(rows["permute"]["linkability"]) == 100
    assert float(rows["ipso_c"]["membership"]) == pytest.approx(52, abs=8)
    assert float(rows["ipso_c"]["linkability"]) < 20
