"""Files are read whole or not at all, and written whole or not at all."""

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from sdclab.base import files
from sdclab.base.errors import SdclabError


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_file_too_large_to_be_read_is_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("a\n1\n")
    size = Path("in.csv").stat().st_size
    assert len(files.read("in.csv", limit=size)) == size
    with pytest.raises(SdclabError, match=f"in.csv: has {size} bytes, but at most {size - 1} are read"):
        files.read("in.csv", limit=size - 1)


def test_the_root_is_no_folder_for_results():
    with pytest.raises(SdclabError, match="is the root of the file system"):
        files.check_writable("/")
    with pytest.raises(SdclabError, match="is not a folder that can be written to"):
        files.check_writable("/proc/nothing")
    with pytest.raises(SdclabError, match="is not a folder that can be written to"):
        files.check_writable("a\0b")


class TestWriting:
    def killed_writer(self, path: Path) -> None:
        """A process that dies in the middle of writing a file."""
        code = f"""
            import os, signal
            from sdclab.base.files import replacing
            with replacing({str(path)!r}) as temporary:
                temporary.write_text("half")
                os.kill(os.getpid(), signal.SIGKILL)
        """
        assert subprocess.run([sys.executable, "-c", textwrap.dedent(code)]).returncode == -signal.SIGKILL

    def test_what_a_killed_process_left_is_swept_when_the_file_is_written_again(self, tmp_path):
        target = tmp_path / "x.csv"
        self.killed_writer(target)
        self.killed_writer(tmp_path / "y.csv")
        assert len(names(tmp_path)) == 2
        assert not target.exists()
        files.write(target, "whole")
        left = names(tmp_path) - {"x.csv"}
        assert target.read_text() == "whole"
        assert len(left) == 1  # of the other file, until that is written
        files.write(tmp_path / "y.csv", "whole")
        assert names(tmp_path) == {"x.csv", "y.csv"}

    def test_a_living_writer_is_not_swept(self, tmp_path):
        target = tmp_path / "x.csv"
        with files.replacing(target) as mine:
            mine.write_text("first")
            files.write(target, "second")
            assert mine.exists()
            assert target.read_text() == "second"
        assert target.read_text() == "first"
        assert names(tmp_path) == {"x.csv"}

    def test_writers_side_by_side_do_not_harm_each_other(self, tmp_path):
        code = f"""
            from sdclab.base import files
            for i in range(200):
                files.write({str(tmp_path / "x.csv")!r}, "whole" * 1000)
        """
        writers = [subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)]) for _ in range(3)]
        assert [writer.wait(300) for writer in writers] == [0, 0, 0]
        assert names(tmp_path) == {"x.csv"}
        assert (tmp_path / "x.csv").read_text() == "whole" * 1000

    def test_a_failed_write_keeps_what_was_there(self, tmp_path):
        target = tmp_path / "x.csv"
        files.write(target, "old")

        def half() -> None:
            with files.replacing(target) as temporary:
                temporary.write_text("half")
                raise OSError(28, "No space left on device")

        with pytest.raises(SdclabError, match=r"x\.csv: cannot be written \(No space left on device\)"):
            half()
        assert target.read_text() == "old"
        assert names(tmp_path) == {"x.csv"}
