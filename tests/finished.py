"""Finished runs and pages that tests of the output and tests in a browser look at."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from sdclab.cli.main import main
from sdclab.microdata.retrieve import substitute

SECRET = 31415.92653
"""Planted as every value of one record; whatever its rounding, it must be found nowhere."""

STUDY = """
study: tiny
title: A study <of its own> & small
scenarios:
  census: {dataset: census, dependent: [FEDTAX, TAXINC, WSALVAL, ERNVAL], independent: [AGI, FICA]}
  plane: {dataset: example, dependent: [y], independent: [x]}
measures: {score: {}, copy: {}}
replicates: 2
grid:
  - {method: ipso_a, scenarios: [census], replicates: 1}
  - {method: permute, scenarios: [census]}
  - {method: fcrm, scenarios: [census], parameters: {c: [2, 3, 4, 5]}}
tables:
  table:
    title: Published and ours
    scenario: census
    published: cano_torra_2009_table2
    keys: [method, c]
    quantities: [pil, dr]
    beside: [copy]
  unpublished:
    title: Ours alone
    question: Does <more> lose less?
    scenario: census
    published: null
    keys: [method, c]
    quantities: [score]
    beside: [pil, copy]
    correlations: {of: [score], with: [pil, copy]}
figures:
  map: {plot: ru_map, tables: [table], title: The map}
  curve: {plot: against_c, tables: [table], title: Against c}
  plane: {plot: regression_lines, scenario: plane, options: {c: [2]}, title: Points of our own making}
  records: {plot: pairs, scenario: census, options: {columns: [FEDTAX, TAXINC], k: 200}, title: Records as dots}
sensitivities:
  dr:
    title: What decides DR
    scenario: census
    table: table
    cells: [{method: ipso_a}]
    measure: dr
    quantity: dr
    options: {prl: {bins: [5]}}
judgements:
  - {tables: [table], quantities: [pil], kinds: [replica], rule: tolerance, tolerance: 30, because: a test}
  - {tables: [table], quantities: [dr], rule: not_reproducible, because: a test}
"""


RUN = ("--config", "studies=[tiny]", "download=false", "results=results/smoke")
"""What the run of that study is asked for."""

HOSTILE = ("<script>window.pwned = 1</script>", '"><img src=x onerror="window.pwned = 1">', "a$b", "income")
"""Columns that are called like markup."""


def run_study(tree, entries, places):
    """Run the small study on a replica in which one record has a value that is easy to find."""
    (tree.root / "config/studies/tiny.yaml").write_text(STUDY)
    replica = substitute(entries["census"], places)
    values = replica.values.copy()
    values[7] = SECRET
    planted = replica.with_values("replica", replica.source, values)
    (tree.root / "resources/replicas/census.csv.gz").write_bytes(gzip.compress(planted.text.encode()))
    tree.edit("resources/datasets.yaml", replica.fingerprint, planted.fingerprint)
    done = tree.run(*RUN)
    assert done.returncode == 0, done.stderr
    assert str(SECRET) in (tree.root / "results/smoke/data/census.csv").read_text()


def hostile(n=80):
    rng = np.random.default_rng(3)
    return pd.DataFrame(100 + 9 * rng.normal(size=(n, len(HOSTILE))), columns=list(HOSTILE)).round(2)


def map_hostile(folder: Path) -> Path:
    """The page of a map of a file whose columns are called like markup."""
    hostile().to_csv(folder / "x.csv", index=False)
    assert main(["map", str(folder / "x.csv"), "--methods", "mdav,noise", "-o", str(folder / "map")]) == 0
    return folder / "map/owner/index.html"


def run_hostile(tree):
    """Run the template for one's own file, with such columns, and let Snakemake report on it."""
    frame = hostile()
    frame.loc[4, "income"] = np.nan
    frame.to_csv(tree.root / "x.csv", index=False)
    path = tree.root / "config/studies/own.yaml"
    study = yaml.safe_load(path.read_text())
    study["title"] = "Mine </script><script>window.pwned = 1</script>"
    study["datasets"]["mine"] = {"file": "x.csv", "columns": list(HOSTILE), "missing": "drop"}
    study["scenarios"]["mine"] = {"dataset": "mine", "dependent": list(HOSTILE[:3]), "independent": [HOSTILE[3]]}
    study["tables"]["releases"]["title"] = "`x <javascript:pwned=1>`_\n\n.. raw:: html\n\n   <img src=x>"
    study["figures"]["map"]["title"] = HOSTILE[0]
    study["replicates"] = 1
    study["grid"] = [
        {"method": "permute"},
        {"method": "rotation", "parameters": {"planes": "1-2"}},
        {"method": "mdav", "parameters": {"k": [3, 10]}},
    ]
    path.write_text(yaml.safe_dump(study))
    asked = ("--config", "studies=[own]", "results=results/own")
    for more in ((), ("--report", "snakemake.html")):
        done = tree.run(*more, *asked)
        assert done.returncode == 0, done.stderr


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))
