"""What a run is told: every kind of change reaches the tasks that it concerns, and no others."""

import os
import shutil
from pathlib import Path

import pytest
import yaml
from conftest import PROJECT
from tiny import PUBLISHED, Tiny

from sdclab.base import documents
from sdclab.base.errors import SdclabError
from sdclab.experiment import plan, provenance
from sdclab.experiment.plan import CITATION, TEMPLATE
from sdclab.output.plots import PLOTS

CELLS = {"cells/tiny/S/mdav/k=3..k=5", "cells/tiny/S/noise/p=0.1"}
MDAV, NOISE = sorted(CELLS)
TABLES, FIGURES = "tables/tiny", "figures/tiny"
"""One job each."""
VERDICTS = {"scorecard", "report", "article"}
"""They are told all about every study."""
ROLES = {*CELLS, "sensitivity/tiny/dr", FIGURES, *VERDICTS}


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """The study in a folder with all that a plan looks at."""
    for part in ("workflow/schemas", "resources", "src/sdclab/output/pages/assets", "config/studies"):
        shutil.copytree(PROJECT / part, tmp_path / part)
    for part in (TEMPLATE, CITATION):
        (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / part, tmp_path / part)
    monkeypatch.chdir(tmp_path)
    return Tiny(tmp_path)


def told(tiny: Tiny) -> dict[str, str]:
    """By every task but the crate, which any change concerns."""
    tiny.write()
    return {name: task.told for name, task in tiny.plan().tasks.items() if name != "crate"}


def rewritten(path: str, old: str, new: str) -> None:
    """Another file under the same name, with the old one's time stamp."""
    file, times = Path(path), os.stat(path)
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def of(part, key, value):
    """A change of one entry of the study, by its path."""

    def change(tiny: Tiny) -> None:
        target = tiny.study
        for step in part:
            target = target[step]
        target[key] = value

    return change


def limit(key, value):
    return lambda tiny: tiny.config["limits"].update({key: value})


TABLE = ("tables", "table1")
CHANGES = {
    "dependent": (of(("scenarios", "S"), "dependent", ["b"]), ROLES),
    "order of dependents": (of(("scenarios", "S"), "dependent", ["b", "a"]), ROLES),
    "independent": (of(("scenarios", "S"), "independent", ["c", "d"]), ROLES),
    "no independent": (of(("scenarios", "S"), "independent", []), ROLES),
    "columns": (of(("datasets", "mine"), "columns", ["a", "b", "c"]), {"data/mine", *VERDICTS}),
    "sha256": (of(("datasets", "mine"), "sha256", "0" * 64), {"data/mine", *VERDICTS}),
    "missing": (of(("datasets", "mine"), "missing", "drop"), {"data/mine", *VERDICTS}),
    "title of the data": (of(("datasets", "mine"), "title", "Mine"), {"data/mine", *VERDICTS}),
    "data with an old time": (lambda tiny: rewritten("mine.csv", tiny.data[8:16], "123.456,"), {"data/mine"}),
    "replicates": (of((), "replicates", 3), {NOISE, TABLES, *VERDICTS}),
    "replicates of an entry": (of(("grid", 0), "replicates", 2), {MDAV, TABLES, *VERDICTS}),
    "grid in the middle": (of(("grid", 0, "parameters"), "k", [3, 5]), {MDAV, TABLES, *VERDICTS}),
    "another measure": (of((), "measures", {"score": {}}), {*CELLS, *VERDICTS}),
    "option of a measure": (of(("measures", "dbrl"), "attributes", "all"), {*CELLS, *VERDICTS}),
    "measures of a scenario": (of(("scenarios", "S"), "measures", {"score": {}}), {*CELLS, *VERDICTS}),
    "measures on the original": (
        of(("scenarios", "S"), "measures_on_original", {"score": {}}),
        {*CELLS, *VERDICTS},
    ),
    "title of a table": (of(TABLE, "title", "Another"), {TABLES, *VERDICTS}),
    "quantities": (of(TABLE, "quantities", ["pil"]), {TABLES, "sensitivity/tiny/dr", *VERDICTS}),
    "reading": (
        of(TABLE, "readings", [{"method": "mdav", "parameters": {"block": 50}, "because": "x"}]),
        {TABLES, "sensitivity/tiny/dr", *VERDICTS},
    ),
    "judged": (of(TABLE, "judged", False), {TABLES, *VERDICTS}),
    "title of a figure": (of(("figures", "map"), "title", "Another"), {FIGURES, *VERDICTS}),
    "option of a figure": (of(("figures", "map", "options"), "by", "c"), {FIGURES, *VERDICTS}),
    "option of a sensitivity": (
        of(("sensitivities", "dr"), "options", {"dbrl": {"scale": ["original"]}}),
        {"sensitivity/tiny/dr", *VERDICTS},
    ),
    "judgement": (of(("judgements", 0), "tolerance", 6), VERDICTS),
    "kinds judged": (of(("judgements", 0), "kinds", ["original", "replica"]), VERDICTS),
    "note": (of(("notes", 0), "note", "another"), VERDICTS),
    "title of the study": (of((), "title", "Another"), VERDICTS),
    "claim": (lambda tiny: tiny.claims[0].update(bound=30), {"audit"}),
    "published number with an old time": (
        lambda tiny: rewritten("resources/published/tiny_2026_table1.csv", "10.5", "10.6"),
        {TABLES, "sensitivity/tiny/dr", "audit"},
    ),
    "another published table": (
        lambda tiny: Path("resources/published/tiny_2026_table2.csv").write_text(PUBLISHED),
        {"audit"},
    ),
    "a style sheet": (lambda tiny: rewritten("src/sdclab/output/pages/assets/style.css", "{", "{ "), {"report"}),
    "the article's template": (lambda tiny: rewritten(TEMPLATE, "{", "{ "), {"article"}),
    "what is cited": (lambda tiny: rewritten(CITATION, "version: ", "version: 1"), {"article"}),
    "most records": (limit("records", 50), {"data/mine"}),
    "most replicates": (limit("replicates", 1), {NOISE, TABLES, *VERDICTS}),
    "most values": (limit("values", 2), {MDAV, TABLES, *VERDICTS}),
    "download": (lambda tiny: tiny.config.update(download=True), {"data/mine"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_is_told_to_whom_it_concerns(tiny, kind):
    change, concerned = CHANGES[kind]
    before = told(tiny)
    change(tiny)
    after = told(tiny)
    assert set(before) == set(after)
    assert {name for name in before if before[name] != after[name]} == concerned


def test_runs_are_bounded_by_the_config(tiny):
    tiny.study["measures"]["clusters"] = {"c": 3, "runs": 5}
    before = told(tiny)
    tiny.config["limits"]["runs"] = 2
    after = told(tiny)
    assert {name for name in before if before[name] != after[name]} == {*CELLS, *VERDICTS}
    assert {tiny.plan().tasks[name].given["measured"].always["clusters"]["runs"] for name in CELLS} == {2}


def test_what_changes_no_result_is_no_reason(tiny):
    before = told(tiny)
    tiny.study = dict(reversed(tiny.study.items()))
    tiny.config = {**dict(reversed(tiny.config.items())), "cache_dir": "elsewhere"}
    assert told(tiny) == before


def test_a_batch_of_another_size_is_another_file(tiny):
    tiny.config["cells_per_job"] = 1
    assert {name for name in told(tiny) if name.startswith("cells")} == {
        *(f"cells/tiny/S/mdav/k={k}" for k in (3, 4, 5)),
        NOISE,
    }


def test_a_job_for_several_methods_is_told_what_concerns_any_of_them(tiny, monkeypatch):
    tiny.config["mix_methods"] = True
    before = told(tiny)
    (mixed,) = (name for name in before if name.startswith("cells"))
    assert mixed == "cells/tiny/S/mdav..noise/k=3..p=0.1"
    source = provenance._source
    monkeypatch.setattr(provenance, "_source", lambda name: source(name) + b"#" * (name == "sdclab.methods.noise"))
    assert told(tiny)[mixed] != before[mixed]
    codes = tiny.plan().tasks[mixed].given["code"]
    assert set(codes) == {"mdav", "noise"}
    monkeypatch.undo()
    monkeypatch.chdir(tiny.root)
    assert tiny.plan().tasks[mixed].given["code"]["mdav"] == codes["mdav"]


def test_an_original_at_hand_takes_the_place_of_the_replica_and_back(tiny):
    tiny.study["scenarios"]["R"] = {"dataset": "census", "dependent": ["FEDTAX", "TAXINC"], "independent": ["AGI"]}
    replica = told(tiny)["data/census"]
    assert tiny.plan().tasks["data/census"].inputs == {"source": ("resources/replicas/census.csv.gz",)}
    Path("data").mkdir()
    Path("data/census.csv").write_text("AFNLWGT\n1\n")
    tiny.config["data_dir"] = "data"
    original = told(tiny)["data/census"]
    assert tiny.plan().tasks["data/census"].inputs == {"source": ("data/census.csv",)}
    Path("data").rename("moved")
    tiny.config["data_dir"] = "moved"
    assert told(tiny)["data/census"] == original != replica
    tiny.config["data_dir"] = None
    assert told(tiny)["data/census"] == replica


def test_types_and_replicas_are_told(tiny):
    tiny.study["scenarios"]["R"] = {"dataset": "thyroid", "dependent": ["TSH", "T3"], "independent": ["age"]}
    before = told(tiny)
    rewritten("resources/datasets.yaml", "sick: *flag", "sick: count")
    after = told(tiny)
    assert {name for name in before if before[name] != after[name]} == {"data/thyroid"}


def test_types_are_told_to_whom_they_concern(tiny):
    """Those of a user's file to its dataset, of which all else is made; those of a scenario to what is made of it."""
    scenarios = tiny.study["scenarios"]
    scenarios["R"] = {"dataset": "thyroid", "dependent": ["TSH", "T3"], "independent": ["age"], "typed": True}
    of_r = {name.replace("/S/", "/R/") for name in CELLS}

    def changed(before):
        after = told(tiny)
        return {name for name in before if before[name] != after[name]}, after

    before = told(tiny)
    tiny.study["datasets"]["mine"]["types"] = {"a": "continuous"}
    found, before = changed(before)
    assert found == {"data/mine", *VERDICTS}
    Path("mine.sdclab.yaml").write_text("types: {b: {low: 0}}\n")
    found, before = changed(before)
    assert found == {"data/mine", *VERDICTS}
    scenarios["S"]["types"] = {"a": {"decimals": 2}}
    found, before = changed(before)
    assert found == ROLES
    rewritten("resources/datasets.yaml", "T3: continuous", "T3: {type: continuous, decimals: 1}")
    found, before = changed(before)
    assert found == {"data/thyroid", *of_r, *VERDICTS}


def test_how_types_are_seen_concerns_no_raw_scenario(tiny, monkeypatch):
    tiny.study["scenarios"]["R"] = {"dataset": "thyroid", "dependent": ["TSH", "T3"], "independent": ["age"]}
    before = told(tiny)
    source = provenance._source
    monkeypatch.setattr(
        provenance, "_source", lambda name: source(name) + b"#" * (name == "sdclab.microdata.inference")
    )
    after = told(tiny)
    assert {name for name in before if before[name] != after[name]} == {
        "data/mine",
        *CELLS,
        "sensitivity/tiny/dr",
        FIGURES,
        "report",  # which ranks points as `sdclab map` does
        "article",  # which tells what cells tell
    }


def test_a_run_delivers_all_that_its_tasks_make(tiny):
    plan = tiny.plan()
    made = [file.removeprefix("results/") for file in plan.files]
    assert sorted(made) == sorted(
        [f"{name}.{ending}" for name in ("data/mine",) for ending in ("csv", "json")]
        + [f"{name}.csv" for name in CELLS]
        + [f"tables/tiny/{name}.{ending}" for name in ("table1", "noise") for ending in ("csv", "md")]
        + [f"sensitivity/tiny/dr.{ending}" for ending in ("csv", "md")]
        + [f"figures/tiny/{name}.{ending}" for name in ("map", "pairs") for ending in ("svg", "png")]
        + ["audit.csv", "scorecard.csv", "summary.txt", "report/index.html", "report/explorer.html"]
        + ["ro-crate-metadata.json", "code/Snakefile", "code/source.zip"]
        + ["article.pdf"]
    )
    assert "results/figures/tiny/pairs.svg" not in plan.tasks["report"].inputs["figures"]  # it draws records


def test_the_crate_tells_of_all_that_the_others_make(tiny):
    """Also of what is added later: nothing is named one by one."""
    plan = tiny.plan()
    crate = plan.tasks["crate"]
    assert [*plan.tasks][-1] == "crate"
    assert [*crate.inputs["results"], *crate.files] == plan.files
    assert crate.given["records"] == [str(task.record) for task in plan.tasks.values() if task is not crate]


@pytest.mark.parametrize("kind", CHANGES)
def test_every_change_concerns_the_crate(tiny, kind):
    """It holds the code and the settings, and the sources' checksums."""
    before = tiny.plan().tasks["crate"].told
    CHANGES[kind][0](tiny)
    tiny.write()
    assert tiny.plan().tasks["crate"].told != before


def test_the_code_is_what_belongs_to_the_project(tiny):
    """Not what others keep there: data beside the replicas, bytecode, hidden files, links."""
    before = tiny.plan().tasks["crate"].inputs["code"]
    assert {"config/studies/tiny.yaml", "resources/published/tiny_2026_table1.csv"} < {*before}
    for name in ("resources/mine.csv", "src/__pycache__/x.pyc", "src/.secret", "src/a.egg-info/x", "mine2.csv"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("1\n")
    Path("config/link.csv").symlink_to(Path("mine.csv").resolve())
    assert tiny.plan().tasks["crate"].inputs["code"] == before


class TestSomeTables:
    """A run may make some tables alone: whole, as a run of everything makes them."""

    def asked_for(self, tiny, *tables):
        tiny.config["tables"] = list(tables)
        return tiny.plan()

    def test_what_they_need_is_made_as_ever_and_nothing_else(self, tiny):
        whole = tiny.plan()
        some = self.asked_for(tiny, "tiny/table1")
        made = {name for name in some.tasks if name not in ("crate", "audit", *VERDICTS)}
        assert made == {"data/mine", MDAV, TABLES, FIGURES}
        assert all(some.tasks[name].told == whole.tasks[name].told for name in ("data/mine", MDAV))
        assert set(some.tasks[TABLES].files) == {f"results/tables/tiny/table1.{ending}" for ending in ("csv", "md")}

    def test_figures_come_with_all_of_their_tables(self, tiny):
        drawn = {f"results/figures/tiny/map.{ending}" for ending in ("svg", "png")}
        assert set(self.asked_for(tiny, "tiny/table1").tasks[FIGURES].files) == drawn
        noise = self.asked_for(tiny, "tiny/noise").tasks
        assert not drawn & {file for task in noise.values() for file in task.files}

    def test_a_study_without_one_of_them_is_left_out(self, tiny):
        tiny.config["studies"] = ["tiny", "cano_torra_2009"]
        assert set(self.asked_for(tiny, "tiny/table1").studies) == {"tiny"}

    @pytest.mark.parametrize("name", ["tiny/tabel1", "table1", "tinny/table1"])
    def test_a_table_that_is_none_is_named(self, tiny, name):
        with pytest.raises(SdclabError, match=f"config: tables: unknown table '{name}': did you mean tiny/table1"):
            self.asked_for(tiny, name)

    def test_the_shipped_list_is_of_published_tables(self, monkeypatch):
        """What `make numbers` runs."""
        monkeypatch.chdir(PROJECT)
        run = plan.load(documents.parse("config/check.yaml"), PLOTS)
        assert run.tables
        assert all(table.in_judgement for table in run.tables)


@pytest.mark.parametrize("results", ["results/", "./results", "results/../results"])
def test_results_have_one_name(tiny, results):
    before = told(tiny)
    tiny.config["results"] = results
    assert told(tiny) == before
    assert all(file.startswith("results/") and "//" not in file for file in tiny.plan().files)


def test_studies_with_equal_names_do_not_meet(tiny):
    """A table, figure or sensitivity is named inside its study."""
    twin = {**tiny.study, "study": "twin", "datasets": {"other": tiny.study["datasets"]["mine"]}}
    twin["scenarios"] = {"S": {**tiny.study["scenarios"]["S"], "dataset": "other"}}
    Path("config/studies/twin.yaml").write_text(yaml.safe_dump(twin, sort_keys=False))
    alone = set(tiny.plan().files)
    tiny.config["studies"] = ["tiny", "twin"]
    together = tiny.plan()
    assert alone < set(together.files)
    of_twin = {file.replace("/twin/", "/tiny/").replace("other", "mine") for file in set(together.files) - alone}
    assert of_twin == {file for file in alone if "/tiny/" in file or "/data/" in file}
    assert len(together.tasks["scorecard"].inputs["tables"]) == 2
    assert len(together.tasks["report"].inputs["tables"]) == 4


def test_rewording_a_summary_computes_nothing_again(tiny, monkeypatch):
    before = told(tiny)
    real = provenance._source
    for module in ("sdclab.evidence.scorecard", "sdclab.output.summary"):
        monkeypatch.setattr(provenance, "_source", lambda m, module=module: b"" if m == module else real(m))
        after = told(tiny)
        assert {name for name in before if before[name] != after[name]} <= VERDICTS
        assert before["scorecard"] != after["scorecard"]


def test_what_a_measure_says_of_its_numbers_reaches_the_report_and_what_is_measured_by_it(tiny, monkeypatch):
    before = told(tiny)
    source = provenance._source
    monkeypatch.setattr(provenance, "_source", lambda name: source(name) + b"#" * (name == "sdclab.measures.moments"))
    after = told(tiny)
    assert {name for name in before if before[name] != after[name]} == {"report", "article"}  # no such measure there
