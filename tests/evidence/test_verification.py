"""Results against their crate: whatever was changed is named, and nothing outside of the folder is looked at."""

import json
import os
import shutil
from pathlib import Path

import pytest
from crated import FINGERPRINT, TABLE, entities, made, results, seal

from sdclab.base.errors import SdclabError
from sdclab.base.files import checksum
from sdclab.evidence.verification import METADATA, RECORD, verify
from sdclab.output.crate import crate

CELLS = "cells/s/S/mdav/k=3..k=5.csv"


@pytest.fixture
def folder(tmp_path):
    return results(tmp_path / "results")


def findings(folder):
    """What is said, also where the crate has been altered so that it is none."""
    try:
        return verify(folder).findings
    except SdclabError as error:
        return [str(error)]


def named(folder):
    return {finding.split(": ")[0] for finding in verify(folder).findings}


def rewritten(folder: Path, change) -> None:
    """The crate with a change, and a record that agrees with it."""
    document = json.loads((folder / METADATA).read_text())
    change({each["@id"]: each for each in document["@graph"]}, document["@graph"])
    seal(folder, json.dumps(document))


def test_as_it_was_made(folder):
    found = verify(folder)
    assert not found.findings
    assert (found.files, found.rows, found.numbers) == (7, 3, 3)


def test_a_copy_elsewhere_too(folder, tmp_path, monkeypatch):
    shutil.copytree(folder, tmp_path / "copy")
    shutil.rmtree(folder)
    monkeypatch.chdir(tmp_path / "copy")
    assert not verify(Path()).findings


def test_one_digit_of_any_file_is_named_with_the_file(folder):
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if not path.is_file() or name.startswith("logs/"):
            continue
        before = path.read_bytes()
        digits = [i for i, byte in enumerate(before) if chr(byte).isdigit()] or [0]
        for i in digits[:: max(1, len(digits) // 20)]:
            path.write_bytes(before[:i] + (b"7" if before[i : i + 1] != b"7" else b"8") + before[i + 1 :])
            # the crate and its record vouch for each other, so one sentence names both
            assert any(name in finding for finding in findings(folder)), (name, i)
        path.write_bytes(before)
    assert not named(folder)


@pytest.mark.parametrize("name", ["data/mine.csv", CELLS, "scorecard.csv", "code/source.zip", RECORD])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    (finding, *_) = [each for each in verify(folder).findings if each.startswith(f"{name}: ")]
    assert "is missing" in finding


@pytest.mark.parametrize("name", ["tables/s/more.csv", "more.txt", ".hidden", "a b/new\nline", "code/x/y/z"])
def test_an_extra_file_is_named(folder, name):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("1\n")
    assert verify(folder).findings == [f"{name}: is not in the crate."]


@pytest.mark.parametrize("name", ["logs/more.log", "benchmarks/x.tsv", "peers/a.csv", "growth/b.csv"])
def test_logs_and_benchmarks_are_no_results(folder, name):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("1\n")
    assert not verify(folder).findings


def test_results_of_another_run_in_the_folder_have_their_own_crate(folder):
    results(folder / "smoke")
    assert not verify(folder).findings
    (folder / "smoke" / METADATA).unlink()
    assert "smoke/scorecard.csv" in named(folder)


class TestPaths:
    """A path in a crate is data: it may be anything."""

    @pytest.mark.parametrize("name", ["../secret.txt", "cells/../../secret.txt", "%2E%2E/secret.txt", "/etc/passwd"])
    def test_that_lead_out_are_not_followed(self, folder, name):
        secret = folder.parent / "secret.txt"
        secret.write_text("1\n")

        def add(_, graph):
            graph.append({"@id": name, "@type": "File", "sha256": checksum(secret)})

        rewritten(folder, add)
        (finding,) = verify(folder).findings
        assert "leads out of the folder, where nothing is looked at" in finding

    def test_an_absolute_path_into_the_folder_is_not_followed_either(self, folder):
        name = str(folder / "scorecard.csv")
        rewritten(folder, lambda _, graph: graph.append({"@id": name, "@type": "File", "sha256": "0" * 64}))
        assert named(folder) == {name}

    def test_links_are_not_followed(self, folder, tmp_path):
        """Be it the file or a folder above it, even if what it leads to is as it was made."""
        for name in ("scorecard.csv", "cells"):
            moved = tmp_path / f"moved-{name}"
            (folder / name).rename(moved)
            (folder / name).symlink_to(moved)
        found = verify(folder)
        assert {"scorecard.csv", CELLS} <= {finding.split(": ")[0] for finding in found.findings}
        assert sum("links are not followed" in finding for finding in found.findings) == 2
        assert (found.rows, found.numbers) == (1, 0)

    @pytest.mark.parametrize("name", ["x" * 5000 + ".csv", "scorecard.csv/x.csv", "a\ud800.csv"])
    def test_that_no_file_can_have_are_missing(self, folder, name):
        rewritten(folder, lambda _, graph: graph.append({"@id": name, "@type": "File", "sha256": "0" * 64}))
        assert verify(folder).findings == [f"{name}: is missing."]

    def test_a_pipe_is_not_waited_for(self, folder):
        (folder / "scorecard.csv").unlink()
        os.mkfifo(folder / "scorecard.csv")
        assert named(folder) == {"scorecard.csv"}


class TestMeaning:
    """A crate made anew for altered results still has to agree with what they say."""

    def resealed(self, folder, name, old, new):
        """Results with other words in a file, whose checksums agree."""
        path = folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

        def change(found, _):
            found[name.replace("=", "%3D")]["sha256"] = checksum(path)

        rewritten(folder, change)

    def test_a_row_of_another_dataset_is_named(self, folder):
        self.resealed(folder, CELLS, FINGERPRINT, "0" * 64)
        (finding,) = verify(folder).findings
        assert finding.startswith(f"{CELLS}: 1 row tells of a dataset with a fingerprint that is not in the crate")

    def test_a_row_that_calls_its_dataset_by_another_name_is_named(self, folder):
        self.resealed(folder, CELLS, ",mine,", ",yours,")
        assert named(folder) == {CELLS}

    def test_a_row_of_a_table_too(self, folder):
        self.resealed(folder, "tables/s/table1.csv", FINGERPRINT, "0" * 64)
        assert named(folder) == {"tables/s/table1.csv"}

    def test_other_data_are_named_by_every_file_made_from_the_old_ones(self, folder):
        self.resealed(folder, "data/mine.csv", "3", "5")
        assert named(folder) == {CELLS, "tables/s/table1.csv"}

    def test_other_counts_of_the_scorecard_are_told(self, folder):
        self.resealed(folder, "scorecard.csv", "not judged", "exact")
        assert verify(folder).findings == [
            "scorecard.csv: has 1 numbers with the verdict 'exact', but the crate says 0.",
            "scorecard.csv: has 0 numbers with the verdict 'not judged', but the crate says 1.",
        ]

    def test_columns_of_somebodys_data_are_none_of_ours(self, tmp_path):
        """They may be called anything."""
        folder = tmp_path / "results"
        run = made(folder)
        assert "fingerprint" not in TABLE
        (folder / "data/mine.csv").write_text("fingerprint,b\n1,2\n")
        again = type(run.results[0]).read(folder, "data/mine.csv")
        seal(folder, crate(type(run)(**{**run.__dict__, "results": [again, *run.results[1:]]})))
        assert "data/mine.csv" not in named(folder)


def test_the_crate_of_another_run_is_told(folder):
    text = (folder / METADATA).read_text().replace("0123456789abcdef", "fedcba9876543210")
    (folder / METADATA).write_text(text)
    assert named(folder) == {METADATA, RECORD}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"3",
        b'{"@graph": 3}',
        b'{"@graph": [3]}',
        b'{"@graph": [{"@id": 3}]}',
        b'{"@graph": [{"@id": "./", "@type": "Dataset"}]}',
        b'{"@graph": [{"@id": "#run-1"}, {"@id": "a", "@type": "File", "sha256": 3}]}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_what_is_no_crate_of_ours_is_refused(folder, content):
    (folder / METADATA).write_bytes(content)
    with pytest.raises(SdclabError, match="is not the crate of a run of sdclab"):
        verify(folder)


def test_a_folder_without_a_crate_is_refused(tmp_path):
    with pytest.raises(SdclabError, match="is not there, so that there is nothing to verify by"):
        verify(tmp_path)
    with pytest.raises(SdclabError, match="is not there"):
        verify(tmp_path / "nowhere")


def test_every_file_of_the_folder_is_in_the_crate(folder):
    found = entities((folder / METADATA).read_text())
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    told = {name.replace("%3D", "=") for name, each in found.items() if "File" in each["@type"]}
    assert there == {*told, METADATA, RECORD, "logs/scorecard.log"}
