"""A method of another package that fails inside the workflow."""

from pathlib import Path

from conftest import Tree
from tiny import Tiny


def test_in_the_workflow_neither_log_nor_terminal_shows_a_record(tree: Tree):
    tiny = Tiny(tree.root)
    tiny.study["grid"].append({"method": "leaky"})
    tiny.write()
    site = tree.root / "site"
    (site / "leaky-1.0.dist-info").mkdir(parents=True)
    (site / "leaky-1.0.dist-info/entry_points.txt").write_text("[sdclab.methods]\nleaky = leaky\n")
    (site / "leaky-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: leaky\nVersion: 1.0\n")
    (site / "leaky.py").write_text(
        "def protect(dependent, independent, rng):\n    raise ValueError(f'cannot protect {dependent[0]}')\n"
    )
    cell = "results/cells/tiny/S/leaky/default.csv"
    run = tree.run(cell, PYTHONPATH=f"{tree.root / 'src'}:{site}")
    assert run.returncode != 0
    assert "sdclab: cell S/leaky/default: method leaky: stopped with ValueError." in run.stderr
    logs = [path.read_text() for path in (tree.root / "results/logs").rglob("*.log")]
    logs += [path.read_text() for path in (tree.root / ".snakemake/log").glob("*")]
    assert any(f"{site}/leaky.py:2 in protect" in log for log in logs)
    value = Path(tree.root / "mine.csv").read_text().splitlines()[1].split(",")[0]
    for shown in (run.stdout, run.stderr, *logs):
        assert "cannot protect" not in shown
        assert value not in shown
    assert not (tree.root / cell).exists()
