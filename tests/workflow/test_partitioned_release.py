"""A release in partitions, in the workflow: the same bytes on one core, on two and resumed; nothing old gets out."""

import json

import numpy as np
import pytest
import yaml
from conftest import Tree
from samples import records

parquet = pytest.importorskip("pyarrow.parquet")

ASKED = ("--config", "studies=[]", "releases=[own]", "results=results/own")
MADE = "releases/own"


def ordered(tree: Tree, **changes: object) -> None:
    """The template with a seed and a method, for three uneven partitions; one is a single record."""
    frame = records(400).assign(income=lambda each: each["income"] - 2000, tax=lambda each: each["tax"] - 600)
    (tree.root / "my_data").mkdir(exist_ok=True)
    for i, part in enumerate(np.split(np.arange(400), [1, 150])):
        frame.iloc[part].to_parquet(tree.root / f"my_data/{i}.parquet", index=False)
    template = tree.root / "config/releases/own.yaml"
    template.write_text(yaml.safe_dump({**yaml.safe_load(template.read_text()), "seed": 2**50 + 1, **changes}))


def run(tree: Tree, cores: int, *more: str) -> dict[str, bytes]:
    done = tree.run(*more, *ASKED, cores=cores)
    assert done.returncode == 0, done.stdout + done.stderr
    return tree.results("results/own")


def test_the_same_bytes_on_any_cores_and_resumed(tree: Tree):
    ordered(tree)
    made = run(tree, 2)
    tables = [f"{MADE}/protected/part-0000{i}.parquet" for i in range(3)]
    assert [name for name in made if "/protected/" in name] == tables
    told = json.loads(made[f"{MADE}/owner/summary.json"])
    assert told["records"] == 400
    assert max(told["moments"][key] for key in ("mean_moved", "sd_moved", "covariance_moved")) < 1e-9
    original, released = (
        np.concatenate([parquet.read_table(tree.root / path).to_pandas().to_numpy() for path in paths])
        for paths in ([f"my_data/{i}.parquet" for i in range(3)], [f"results/own/{table}" for table in tables])
    )
    assert np.array_equal(original[:, 0], released[:, 0])
    assert not np.isclose(original[:, 1:], released[:, 1:], rtol=1e-9).any()
    scale = original.std(axis=0)
    covs = [np.cov(each[:, 1:] / scale[1:], rowvar=False) for each in (original, released)]
    assert np.abs(covs[0] - covs[1]).max() < 1e-9

    (tree.root / "results/own" / tables[1]).unlink()  # as a run that was stopped
    with (tree.root / "results/own" / tables[2]).open("ab") as file:
        file.write(b"altered")
    assert run(tree, 1) == made

    ordered(tree, method="mdav", parameters={"k": 3}, scope="partition")
    done = tree.run(*ASKED)
    assert done.returncode != 0
    assert "0.parquet has 1 records for 3 attributes" in done.stdout + done.stderr


def test_what_is_refused_before_any_job(tree: Tree):
    ordered(tree, seed=5)
    done = tree.run("-n", *ASKED)
    assert done.returncode != 0
    assert "seed is 5 but must be at least 4294967296" in done.stderr
    ordered(tree)
    old = tree.root / f"results/own/{MADE}/protected/part-00003.parquet"
    old.parent.mkdir(parents=True)
    old.touch()
    done = tree.run("-n", *ASKED)
    assert done.returncode != 0
    assert "part-00003.parquet, which this release does not make" in done.stderr
