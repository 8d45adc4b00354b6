"""The whole workflow, as a user runs it, in a copy of the project."""

import csv
import gzip
import re
import signal
import subprocess

import pytest
import yaml
from conftest import METADATA, PROJECT, SMALL, SMOKE, originals, wait_until
from crated import timeless

from sdclab.evidence.verification import verify
from sdclab.microdata.retrieve import substitute


def test_delivers_tables_figures_verdicts_and_a_summary(smoke):
    made = smoke.results()
    for name in (
        "tables/cano_torra_2009/table2.csv",
        "tables/cano_torra_2009/table2.md",
        "tables/cano_torra_2009/table3.csv",
        "figures/cano_torra_2009/table2_ru.svg",
        "figures/cano_torra_2009/table3_ru.png",
        "figures/cano_torra_2009/example.svg",
        "figures/cano_torra_2009/table3_against_c.svg",
        "figures/cano_torra_2009/table8_surface.svg",
        "sensitivity/cano_torra_2009/dr.md",
        "scorecard.csv",
        "audit.csv",
        "summary.txt",
        "report/index.html",
        "report/explorer.html",
        "code/source.zip",
        "article.pdf",
    ):
        assert made[name]
    header = made["scorecard.csv"].decode().splitlines()[0]
    assert tuple(header.split(",")) == (
        *("study", "table", "cell", "quantity", "published", "reproduced", "sd", "replicates", "verdict", "wrong"),
        *("readings", "held_out", "held_out_verdict", "tolerance", "reading", "dataset_kind", "note"),
    )
    assert b"data: replica" in made["figures/cano_torra_2009/table2_ru.svg"]
    assert b"Data: replica." in made["tables/cano_torra_2009/table2.md"]
    rows = list(csv.DictReader(made["scorecard.csv"].decode().splitlines()))
    on_replicas = {row["verdict"] for row in rows if row["dataset_kind"] == "replica"}
    assert on_replicas <= {"not judged", "not reproducible"}


def test_a_second_run_does_nothing(smoke):
    again = smoke.run(*SMALL)
    assert again.returncode == 0
    assert "Nothing to be done" in again.stdout + again.stderr


def test_says_how_long_it_took_and_how_much_of_that_was_work(smoke):
    shown = re.search(r"^Time: (\d+) s; the jobs' own code had (\d+) s of CPU, (\d+)% of 2 cores\.$", smoke.said, re.M)
    wall, work, share = map(int, shown.groups())
    logs = [path.read_text() for path in (smoke.root / "results/smoke/logs").rglob("*.log")]
    assert work == round(sum(float(log.split()[-2]) for log in logs))
    assert share == pytest.approx(100 * work / (2 * wall), abs=3)


def test_the_folder_is_as_its_crate_says(smoke):
    found = verify(smoke.root / "results/smoke")
    assert not found.findings
    assert found.numbers > 0
    assert found.rows > 0


def test_on_one_core_killed_half_way_and_resumed_it_gives_the_same_bytes(smoke, tree):
    process = subprocess.Popen(
        tree.command(*SMALL, cores=1),
        cwd=tree.root,
        env=tree.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )

    def three_cells() -> bool:
        assert process.poll() is None
        return len(list(tree.root.glob("results/smoke/cells/*/*/*/*.csv"))) >= 3

    wait_until(three_cells, "three cells", step=0.02)
    subprocess.run(["kill", "-s", "KILL", "--", f"-{process.pid}"], check=True)
    assert process.wait() == -signal.SIGKILL
    assert not (tree.root / "results/smoke/scorecard.csv").exists()
    resumed = tree.run(*SMALL, cores=1)
    assert resumed.returncode == 0, resumed.stderr
    done = {name: content for name, content in tree.results().items() if not re.search(r"(^|/)\.", name)}
    assert done == smoke.results()
    one, two = (timeless((each.root / "results/smoke" / METADATA).read_text()) for each in (tree, smoke))
    assert one == two


def readme_blocks() -> list[tuple[str, str]]:
    """The README's code blocks that say in their first line where they belong."""
    blocks = re.findall(r"```(?:python|yaml)\n# ([^\n]+)\n(.*?)```", (PROJECT / "README.md").read_text(), re.DOTALL)
    assert len(blocks) == 4
    return blocks


def test_the_readme_shows_how_to_add_a_method_and_a_measure(tree):
    """No rule, script or table code changes."""
    anchors = {
        "in config/studies/cano_torra_2009.yaml, under grid:": "grid:\n",
        "in config/studies/cano_torra_2009.yaml, under measures:": "  xy: {}\n",
    }
    for where, block in readme_blocks():
        if where in anchors:
            file = where.removeprefix("in ").split(",")[0]
            tree.edit(file, anchors[where], anchors[where] + block)
        else:
            (tree.root / where).write_text(block)
    done = tree.run(*SMALL, "tables=[cano_torra_2009/table2]")
    assert done.returncode == 0, done.stderr
    made = tree.results()
    (file,) = (name for name in made if name.startswith("cells/cano_torra_2009/S1/rounding/"))
    rows = [row for row in csv.DictReader(made[file].decode().splitlines()) if row["parameters"] == "base=0.5"]
    assert 10 < float(rows[0]["distance"]) < 13  # a uniform error of ±0.25 SD has mean 0.125
    assert "| rounding |  | base=0.5 |" in made["tables/cano_torra_2009/table2.md"].decode()
    assert b"rounding base=0.5" in made["figures/cano_torra_2009/table2_ru.svg"]


def test_a_new_method_leaves_the_other_cells_alone(smoke):
    """One more file in the folder is no reason to compute anything again."""
    file = smoke.root / "src/sdclab/methods/other.py"
    try:
        file.write_text((smoke.root / "src/sdclab/methods/noise.py").read_text())
        planned = smoke.run(*SMALL, "-n", "--quiet", "host")
        shown = planned.stdout + planned.stderr
        assert re.search(r"^crate +1$", shown, re.M)  # which holds the whole code
        assert re.search(r"^total +2$", shown, re.M)  # `all` counts as a job
    finally:
        file.unlink()


def test_changed_code_is_run_again(smoke):
    """Only what can be affected: the cells of that method and what is made from them."""
    file = smoke.root / "src/sdclab/methods/permute.py"
    before = file.read_text()
    try:
        file.write_text(before + "\n# changed\n")
        planned = smoke.run(*SMALL, "-n", "--quiet", "host")
        shown = planned.stdout + planned.stderr
        assert "cells/cano_torra_2009/S1/permute/default.csv" in shown
        assert not re.search(r"output: \S*cells/cano_torra_2009/S1/ipso_a", shown)
    finally:
        file.write_text(before)


def test_every_study_runs(tree):
    """On the originals if they are at hand, else on replicas: all tables and figures of all studies."""
    data = {"SDCLAB_DATA": str(originals())} if originals() else {}
    done = tree.run(*SMOKE, **data)
    assert done.returncode == 0, done.stderr
    made = tree.results()
    for file in (PROJECT / "config" / "studies").glob("*.yaml"):
        study = yaml.safe_load(file.read_text())
        if study["study"] in yaml.safe_load((PROJECT / "config/config.yaml").read_text())["studies"]:
            assert all(made[f"tables/{file.stem}/{table}.md"] for table in study["tables"])
            assert all(made[f"figures/{file.stem}/{figure}.png"] for figure in study["figures"])
    assert b"Data: stand-in." in made["tables/ahmed_rauf_2016/text.md"]  # a smoke run cuts long files short
    rows = list(csv.DictReader(made["scorecard.csv"].decode().splitlines()))
    if originals():
        check_originals({(row["cell"], row["quantity"]): row["verdict"] for row in rows})
        unjudged = {
            row["tolerance"] for row in rows if row["dataset_kind"] == "original" and row["verdict"] == "not judged"
        }
        assert unjudged == {"no spread: one replicate"}  # a smoke run has but one


def check_originals(verdicts: dict[tuple[str, str], str]) -> None:
    assert verdicts["S1/ipso_a/default", "pil"] == "differs"
    assert verdicts["S1/ipso_c/default", "dr"] == "trend"
    assert verdicts["S1/fcrm/c=2", "pil"] == "close"
    assert verdicts["S1/fcrm/c=15", "pil"] == "close"
    assert verdicts["S2/fcrm/c=2", "pil"] == "not reproducible"
    for cell in ("v13/noise/p=0.0 (run=a noise_label=0.0)", "v2c20/noise/p=0.0 (clusters=20 noise_label=0.0)"):
        assert verdicts[cell, "objective"] == "exact"
        assert {verdicts[cell, quantity] for quantity in ("d1", "d2")} == {"close"}
    clusters = "thyroid/hybrid/k=60 (section=5 dataset=thyroid method=hybrid k=60)"
    assert {verdicts[clusters, f"cluster_size_{i}"] for i in range(1, 7)} == {"exact"}


class TestBadInput:
    """One sentence, an exit code, nothing left behind."""

    def refused(self, tree, *arguments, **environment):
        done = tree.run(*arguments, **environment)
        shown = done.stdout + done.stderr
        assert done.returncode != 0
        assert "Traceback" not in shown
        return shown

    @pytest.mark.parametrize(
        ("setting", "message"),
        [
            ("downlaod=true", "config: unknown key 'downlaod': did you mean download?"),
            ("download=perhaps", "config: download is 'perhaps' but must be of type boolean"),
            ("limits={values: two}", "config: limits.values is 'two' but must be of type integer, null"),
            ("studies=[cano_torra_2008]", "unknown study 'cano_torra_2008': did you mean cano_torra_2009?"),
            ("data_dir=nowhere", "nowhere: the data folder (data_dir or SDCLAB_DATA) does not exist"),
            ("results=Snakefile/results", "Snakefile/results: cannot write here"),
            ("results='a{b}'", "must be a path without braces and control characters"),
        ],
    )
    def test_in_the_config(self, smoke, setting, message):
        assert message in self.refused(smoke, "--config", setting)

    def test_a_key_that_stands_twice(self, smoke):
        (smoke.root / "twice.yaml").write_text("results: results/a\nresults: results/b\n")
        assert "twice.yaml, line 2, column 1" in self.refused(smoke, "--configfile", "twice.yaml")

    def test_malformed_yaml(self, tree):
        (tree.root / "config/config.yaml").write_text("studies: [\nresults: {")
        assert "config/config.yaml, line 2, column" in self.refused(tree)

    def test_an_altered_data_file(self, tree, entries, places):
        folder = tree.root / "mine"
        folder.mkdir()
        (folder / "census.csv").write_text(substitute(entries["census"], places).text)
        shown = self.refused(tree, *SMALL, "data_dir=mine")
        assert f"expected {entries['census'].sha256}" in shown
        assert entries["census"].replica.sha256 in shown
        results = tree.root / "results/smoke"
        assert not list(results.glob("data/census.*"))
        assert "this is not the known census data" in (results / "logs/data/census.log").read_text()

    def test_a_constant_column(self, tree, entries, places):
        """Bad only once the data are looked at: the job fails, names the column, and leaves no result."""
        replica = substitute(entries["census"], places)
        values = replica.values.copy()
        values[:, replica.columns.index("FEDTAX")] = 7
        flat = replica.with_values("replica", replica.source, values)
        (tree.root / "resources/replicas/census.csv.gz").write_bytes(gzip.compress(flat.text.encode()))
        tree.edit("resources/datasets.yaml", replica.fingerprint, flat.fingerprint)
        shown = self.refused(tree, *SMALL)
        assert "column FEDTAX of census is constant" in shown
        assert not list(tree.root.glob("results/smoke/cells/*/S*/*/*.csv"))  # the example's cells may be done by then
