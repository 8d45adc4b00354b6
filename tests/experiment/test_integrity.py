"""Results that are not as they were made, or were made from something else, never pass for results."""

import csv
import hashlib
import json
import os
import re
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import METADATA, Tree
from crated import check_profiles
from tiny import Tiny

from sdclab.base.errors import SdclabError
from sdclab.evidence.verification import verify
from sdclab.experiment import integrity
from sdclab.experiment.integrity import Task
from sdclab.experiment.provenance import fingerprint
from sdclab.experiment.scenario import Scenario
from sdclab.microdata.dataset import Dataset, read_facts


def altered(content: bytes) -> bytes:
    """One digit or letter, in the middle, is another one."""
    at = next(i for i in range(len(content) // 2, len(content)) if content[i : i + 1].isalnum())
    return content[:at] + (b"7" if content[at : at + 1] != b"7" else b"8") + content[at + 1 :]


def with_old_time(path: Path, content: bytes) -> None:
    times = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


TAMPER = {
    "altered": lambda path: path.write_bytes(altered(path.read_bytes())),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-7]),
    "emptied": lambda path: path.write_bytes(b""),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\n"),
    "altered with its old time": lambda path: with_old_time(path, altered(path.read_bytes())),
}


def switched_off() -> str:
    """All that NumPy uses of this processor and can do without."""
    return " ".join(np.show_config(mode="dicts")["SIMD Extensions"]["found"]) or pytest.skip("nothing to switch off")


class TestFingerprint:
    def test_sees_every_change_of_plain_data(self):
        values = [1, 1.0, True, "1", None, 0, "", False, [1], [[1]], {}, [], {"a": 1}, {"a": 2}, {"b": 1}]
        values += [{1: 1}, {"1": 1}]
        values += [{"a": 1, "b": 2}, {"b": 2, "a": 1}, ["a", ["b"]], [["a"], "b"], float("nan"), float("inf")]
        assert len({fingerprint(value) for value in values}) == len(values)

    def test_sees_into_objects(self):
        one = Scenario("S", "mine", ("a",), ("b",))
        changed = [replace(one, **{key: value}) for key, value in
                   {"name": "T", "dataset": "x", "dependent": ("b",), "independent": ()}.items()]  # fmt: skip
        assert len({fingerprint(each) for each in (one, *changed)}) == 5
        assert fingerprint(one) == fingerprint(replace(one))

    def test_is_the_same_in_every_version(self):
        """Computed by hand: SHA-256 of the text that Python prints for plain data."""
        roles = "'dependent': ['a'], 'independent': [], 'types': None, 'keys': [], 'targets': []"
        rules = "'rules': [], 'keep_rules': True, 'rounded': False"
        text = f"{{'Scenario': {{'name': 'S', 'dataset': 'm', {roles}, {rules}}}}}"
        assert fingerprint(Scenario("S", "m", ("a",))) == hashlib.sha256(text.encode()).hexdigest()[:16]

    def test_refuses_what_it_could_not_see_into(self):
        with pytest.raises(TypeError, match="object has no plain form"):
            fingerprint({"a": [object()]})


class TestRecord:
    @pytest.fixture
    def task(self, tmp_path) -> Task:
        results = tmp_path / "results"
        (results / "data").mkdir(parents=True)
        files = tuple(f"{results}/data/{name}" for name in ("x.csv", "x.json"))
        for file in files:
            Path(file).write_text(f"{file}\n")
        (tmp_path / "source.csv").write_text("a\n1\n")
        inputs = {"source": (f"{tmp_path}/source.csv",), "result": (f"{results}/not there",)}
        return Task(str(results), "data/x", files, inputs, {"limit": 3, "places": "here"}, aside=("places",))

    def test_is_believed_once_kept(self, task):
        assert task.altered() == list(task.files)
        task = replace(task)
        task.keep_record()
        task = replace(task)
        assert task.altered() == task.outdated() == []
        lines = task.record.read_text().splitlines()
        assert lines[1] == f"{hashlib.sha256(Path(task.files[0]).read_bytes()).hexdigest()}  data/x.csv"

    @pytest.mark.parametrize("tamper", TAMPER.values(), ids=TAMPER)
    @pytest.mark.parametrize("which", [0, 1])
    def test_sees_a_file_that_is_not_as_it_was_made(self, task, which, tamper):
        task.keep_record()
        tamper(Path(task.files[which]))
        assert replace(task).altered() == [task.files[which]]
        assert replace(task).outdated() == []

    @pytest.mark.parametrize("record", [None, b"", b"\xff\xfe", b"# told nothing\n"])
    def test_a_bad_record_vouches_for_nothing(self, task, record):
        task.keep_record()
        task.record.unlink() if record is None else task.record.write_bytes(record)
        assert replace(task).altered() == replace(task).outdated() == list(task.files)

    def test_two_files_that_changed_places_are_altered(self, task):
        task.keep_record()
        one, other = map(Path, task.files)
        first = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(first)
        assert replace(task).altered() == list(task.files)

    def test_a_missing_file_is_for_snakemake(self, task):
        task.keep_record()
        Path(task.files[0]).unlink()
        assert replace(task).altered() == []

    def test_what_was_told_counts_and_what_is_aside_does_not(self, task, tmp_path):
        task.keep_record()
        assert replace(task, given={"limit": 3, "places": "there"}).outdated() == []
        assert replace(task, given={"limit": 4, "places": "here"}).outdated() == list(task.files)
        with_old_time(tmp_path / "source.csv", b"a\n2\n")
        assert replace(task).outdated() == list(task.files)
        assert replace(task).altered() == []

    def test_the_sentence_is_one_line_however_many_there_are(self):
        assert integrity.sentence(["a"]).startswith("a does not agree with its record and will be made anew")
        assert integrity.sentence(list("abcdefgh")).startswith("a, b, c, d, e and 3 more do not agree")


class TestDataset:
    @pytest.fixture
    def files(self, tmp_path) -> tuple[Path, Path]:
        paths = tmp_path / "x.csv", tmp_path / "x.json"
        values = np.random.default_rng(0).normal(size=(20, 2))
        Dataset("x", "replica", "x.csv.gz", ("a", "b"), values).write(*paths, title="X")
        return paths

    def test_is_read_as_it_was_written(self, files):
        dataset = Dataset.read(*files)
        assert (dataset.kind, dataset.columns) == ("replica", ("a", "b"))
        assert dataset.fingerprint == json.loads(files[1].read_text())["fingerprint"]
        assert read_facts(files[1])["title"] == "X"

    @pytest.mark.parametrize("tamper", TAMPER.values(), ids=TAMPER)
    def test_an_altered_table_is_refused(self, files, tamper):
        tamper(files[0])
        with pytest.raises(SdclabError, match="this is not the table that x"):
            Dataset.read(*files)

    @pytest.mark.parametrize(
        ("key", "value"), [("kind", "original"), ("name", "y"), ("rows", 21), ("fingerprint", "0"), ("checksum", "0")]
    )
    def test_edited_facts_are_refused(self, files, key, value):
        facts = json.loads(files[1].read_text())
        files[1].write_text(json.dumps({**facts, key: value}))
        with pytest.raises(SdclabError, match="these are not the facts that were written"):
            Dataset.read(*files)

    @pytest.mark.parametrize("content", ["", "{", "[]", "3", "null", '{"kind": "original"}'])
    def test_facts_that_are_none_are_refused(self, files, content):
        files[1].write_text(content)
        with pytest.raises(SdclabError, match="these are not the facts"):
            read_facts(files[1])


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tree, Tiny, dict[str, bytes]]:
    """A finished run of the tiny study and what it delivered."""
    tree = Tree(tmp_path_factory.mktemp("tiny"))
    tiny = Tiny(tree.root)
    run = tree.run()
    assert run.returncode == 0, run.stderr
    made = tree.results("results")
    assert len(made) == 22
    return tree, tiny, made


def noticed(folder: Path, name: str) -> bool:
    """Whether `verify` names a file; the crate itself may have become no crate at all, which is refused by its name."""
    try:
        return any(each.startswith(f"{name}: ") for each in verify(folder).findings)
    except SdclabError as error:
        return name == METADATA and str(error) == f"{folder / METADATA}: is not the crate of a run of sdclab."


@pytest.mark.slow
class TestRun:
    """The workflow itself. The tests follow each other on the same results; the last ones leave others behind."""

    def test_every_file_tampered_with_is_noticed(self, done, monkeypatch):
        """Every result in every way, one at a time: what the start of a run would find."""
        tree, tiny, made = done
        monkeypatch.chdir(tree.root)
        tasks = tiny.plan().tasks.values()
        assert integrity.altered(tasks) == integrity.outdated(tasks) == []
        for name in made:
            path = Path("results", name)
            before, times = path.read_bytes(), path.stat()
            for kind, tamper in TAMPER.items():
                tamper(path)
                assert integrity.altered(tasks) == [str(path)], kind
                path.write_bytes(before)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def test_the_crate_has_what_its_profiles_require_and_the_folder_what_the_crate_says(self, done, tmp_path):
        """Here and wherever the folder is copied to; every file that is altered is named."""
        tree, _, made = done
        check_profiles((tree.root / "results" / METADATA).read_text())
        copy = shutil.copytree(tree.root / "results", tmp_path / "copy")
        found = verify(copy)
        assert not found.findings
        assert (found.numbers, found.rows) == (4, 12)
        with zipfile.ZipFile(copy / "code/source.zip") as code:
            assert code.read("config/studies/tiny.yaml") == (tree.root / "config/studies/tiny.yaml").read_bytes()
        for name in (*made, METADATA):
            path = copy / name
            before = path.read_bytes()
            for kind, tamper in TAMPER.items():
                tamper(path)
                assert noticed(copy, name), kind
                path.write_bytes(before)

    @pytest.mark.parametrize(
        "changes",
        [
            {
                "figures/tiny/map.png": "altered with its old time",
                "figures/tiny/pairs.svg": "truncated",
                "sensitivity/tiny/dr.md": "emptied",
                "report/explorer.html": "altered with its old time",
                "article.pdf": "truncated",
                "summary.txt": "deleted",
                "audit.csv": "deleted",
            },
            {"data/mine.csv": "altered with its old time"},
            {
                "data/mine.json": "deleted",
                "cells/tiny/S/noise/p=0.1.csv": "truncated",
                "tables/tiny/table1.md": "altered with its old time",
                "scorecard.csv": "emptied",
            },
        ],
        ids=["last files", "the data", "files between"],
    )
    def test_what_was_tampered_with_is_made_anew(self, done, changes):
        tree, _, made = done
        for name, kind in changes.items():
            path = tree.root / "results" / name
            path.unlink() if kind == "deleted" else TAMPER[kind](path)
        run = tree.run()
        assert run.returncode == 0, run.stderr
        assert tree.results("results") == made
        seen = [name for name, kind in changes.items() if kind != "deleted"]
        (line,) = re.findall(r"^sdclab: (.* will be made anew.*)$", run.stderr, re.M)
        assert all(f"results/{name}" in line for name in seen)
        assert not any(f"results/{name}" in line for name in set(made) - set(seen))

    def test_a_dry_run_says_what_would_be_made_anew_and_touches_nothing(self, done):
        tree, _, made = done
        path = tree.root / "results/tables/tiny/noise.csv"
        before, times = path.read_bytes(), path.stat()
        with_old_time(path, altered(before))
        run = tree.run("-n")
        assert "results/tables/tiny/noise.csv does not agree with its record and will be made anew" in run.stderr
        assert re.search(r"^tables__tiny +1$", run.stdout + run.stderr, re.M)
        assert path.read_bytes() == altered(before)
        path.write_bytes(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        again = tree.run("-n")
        assert "Nothing to be done" in again.stdout + again.stderr
        assert "anew" not in again.stderr
        assert tree.results("results") == made

    def test_a_wrong_sha256_given_later_is_refused(self, done):
        tree, tiny, _ = done
        tiny.study["datasets"]["mine"]["sha256"] = "0" * 64
        tiny.write()
        try:
            run = tree.run()
            assert run.returncode != 0
            assert "mine.csv: this is not the known mine data" in run.stderr
        finally:
            del tiny.study["datasets"]["mine"]["sha256"]
            tiny.write()

    def test_other_roles_numbers_and_words_give_what_a_fresh_run_gives(self, done, tree):
        """Also when Snakemake has forgotten all, as in a container that keeps only the results."""
        old, tiny, _ = done
        tiny.study["scenarios"]["S"] = {"dataset": "mine", "dependent": ["b", "d"], "independent": ["a"]}
        tiny.study["tables"]["table1"]["title"] = "Other words"
        tiny.study["judgements"][0]["rule"] = "not_reproducible"
        tiny.claims[0]["bound"] = 60
        shutil.rmtree(old.root / ".snakemake")
        tiny.write()
        fresh = Tiny(tree.root)
        fresh.study, fresh.claims = tiny.study, tiny.claims
        fresh.write()
        for each in (old, tree):
            run = each.run()
            assert run.returncode == 0, run.stderr
        assert old.results("results") == tree.results("results")
        rows = csv.DictReader((old.root / "results/scorecard.csv").read_text().splitlines())
        assert {row["verdict"] for row in rows} == {"not reproducible"}

    def test_cells_from_several_kinds_of_processor_are_told_loudly(self, done):
        """A run that was resumed on another machine; the tables say nothing of it."""
        tree, _, _ = done
        table = tree.root / "results/tables/tiny/noise.csv"
        header = table.read_text().splitlines()[0]
        (tree.root / "results/cells/tiny/S/noise/p=0.1.csv").unlink()
        run = tree.run(NPY_DISABLE_CPU_FEATURES=switched_off())
        assert run.returncode == 0, run.stderr
        (line,) = re.findall(r"^CELLS WERE COMPUTED ON 2 KINDS OF PROCESSOR.*$", run.stdout + run.stderr, re.M)
        assert line in (tree.root / "results/report/index.html").read_text()
        assert table.read_text().splitlines()[0] == header
        assert "processor" not in header
