"""What a command does at the edges of the machine: full disks, closed streams, odd paths, signals, defects."""

import os
import resource
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from conftest import HANGING

from sdclab.base import files
from sdclab.cli.main import main

PROTECT = ("protect", "in.csv", "--method", "mdav", "--k", "3", "--seed", "1", "-o")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with a small file in it, to work in."""
    rows = [f"{(i * 37) % 101},{(i * 53) % 97 + 0.5}" for i in range(60)]
    (tmp_path / "in.csv").write_text("income,tax\n" + "\n".join(rows) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sdclab(*arguments: str | Path, **options):
    return subprocess.run(
        [sys.executable, "-m", "sdclab.cli.main", *map(os.fspath, arguments)],
        **{"capture_output": True, "text": True, "timeout": HANGING, **options},
    )


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def refused(capsys, *arguments: str | Path) -> str:
    """The one line by which a command refuses, with exit code 2."""
    assert main(list(map(os.fspath, arguments))) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


class TestPaths:
    def test_a_folder_is_not_replaced(self, home, capsys):
        (home / "out.csv").mkdir()
        assert "out.csv: is a folder" in refused(capsys, *PROTECT, "out.csv")

    def test_links_that_lead_nowhere_are_refused(self, home, capsys):
        (home / "loop.csv").symlink_to("loop.csv")
        before = names(home)
        for arguments in (
            (*PROTECT, "loop.csv"),
            (*PROTECT, "loop.csv/out.csv"),
            ("protect", "loop.csv", "--method", "mdav", "--k", "3", "-o", "out.csv"),
            ("measure", "in.csv", "loop.csv"),
        ):
            assert "Too many levels of symbolic links" in refused(capsys, *arguments)
        assert "loop.csv is not a folder" in refused(capsys, "map", "in.csv", "-o", "loop.csv")
        assert names(home) == before

    def test_the_original_is_not_overwritten_by_whatever_link(self, home, capsys):
        (home / "soft.csv").symlink_to("in.csv")
        (home / "hard.csv").hardlink_to("in.csv")
        for name in ("soft.csv", "hard.csv", "./in.csv"):
            assert "this is the original" in refused(capsys, *PROTECT, name)

    def test_a_pipe_or_device_is_neither_read_nor_replaced(self, home, capsys):
        os.mkfifo(home / "pipe.csv")
        (home / "zero.csv").symlink_to("/dev/zero")
        for name in ("pipe.csv", "zero.csv"):
            assert f"{name}: cannot be read (it is a pipe or a device" in refused(capsys, "measure", name, "in.csv")
            assert f"{name}: is a pipe or a device" in refused(capsys, *PROTECT, name)

    def test_a_name_may_be_as_long_as_names_can_be(self, home, capsys):
        name = "a" * 251 + ".csv"
        assert main([*PROTECT, name]) == 0
        assert names(home) == {"in.csv", name}
        capsys.readouterr()
        assert "(File name too long)" in refused(capsys, *PROTECT, "a" + name)

    @pytest.mark.parametrize("name", [b"a$\\frac$.csv", b"\xff.csv", "ü.csv".encode()])
    def test_any_name_may_stand_in_a_figure_and_on_a_page(self, home, name):
        pytest.importorskip("matplotlib")
        source = os.fsdecode(name)
        (home / "in.csv").rename(source)
        assert main(["map", source, "--methods", "ipso_a", "-o", "map"]) == 0
        assert files.shown(source) in (home / "map" / "owner" / "map.svg").read_text()

    def test_a_line_break_in_a_name_makes_no_second_line(self, home, capsys):
        assert "no\\nfile.csv: cannot be read" in refused(capsys, "measure", "no\nfile.csv", "in.csv")

    def test_a_folder_that_was_removed_under_our_feet(self, home, capsys):
        gone = home / "gone"
        gone.mkdir()
        os.chdir(gone)
        gone.rmdir()
        assert "cannot write here" in refused(capsys, "map", home / "in.csv", "-o", "map")
        assert "cannot write here" in refused(capsys, *PROTECT[:1], home / "in.csv", *PROTECT[2:], "out.csv")

    def test_a_place_that_cannot_be_written_to_is_told_before_the_work(self, home, capsys, monkeypatch):
        monkeypatch.setattr("sdclab.methods.release", lambda *_: pytest.fail("worked in vain"))
        assert "cannot write here" in refused(capsys, *PROTECT, "in.csv/folder/out.csv")

    @pytest.mark.parametrize("count", ["0", "1001", "1" + "0" * 400])
    def test_a_map_has_a_countable_number_of_replicates(self, home, capsys, count):
        assert "but must lie between 1 and 1000" in refused(capsys, "map", "in.csv", "--replicates", count)


class TestStreams:
    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
    def test_a_full_disk_behind_standard_output(self, home):
        with open("/dev/full", "w") as full:
            done = sdclab("measure", "in.csv", "in.csv", capture_output=False, stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 2
        assert done.stderr == "sdclab: standard output: cannot be written (No space left on device).\n"

    def test_closed_streams(self, home):
        """Who asked for numbers and cannot be given them is told; who asked for a file gets it."""
        command = f"exec {sys.executable} -m sdclab.cli.main"
        done = subprocess.run(f"{command} measure in.csv in.csv >&-", shell=True, capture_output=True, text=True)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "standard output: cannot be written" in done.stderr
        done = subprocess.run(f"{command} {' '.join(PROTECT)} out.csv >&- 2>&-", shell=True, capture_output=True)
        assert done.returncode == 0
        assert names(home) == {"in.csv", "out.csv"}
        done = subprocess.run(f"{command} measure in.csv x.csv 2>&-", shell=True, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (2, "")

    @pytest.mark.parametrize("arguments", [("measure", "in.csv", "in.csv"), ("protect", "--help")])
    def test_a_reader_who_has_seen_enough(self, home, arguments):
        command = [sys.executable, "-m", "sdclab.cli.main", *arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            running.stdout.close()
            said = running.stderr.read()
        assert (running.returncode, said) == (0, "")

    def test_a_command_that_cannot_tell_what_it_does_has_not_done_its_work(self, home):
        pytest.importorskip("matplotlib")
        with (home / "in.csv").open("a") as file:
            file.write(",\n")  # a record that is dropped, which is said
        command = [sys.executable, "-m", "sdclab.cli.main", "map", "in.csv", "--methods", "mdav", "-o", "map"]
        command += ["--missing", "drop"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            running.stderr.close()
            said = running.stdout.read()
        assert (running.returncode, said) == (128 + signal.SIGPIPE, "")
        assert names(home) == {"in.csv"}

    def test_a_terminal_that_knows_only_ascii(self, home):
        (home / "in.csv").write_text((home / "in.csv").read_text().replace("income", "größe"))
        done = sdclab("measure", "in.csv", "in.csv", env={**os.environ, "PYTHONIOENCODING": "ascii"})
        assert (done.returncode, done.stderr) == (0, "")
        assert "gr\\xf6\\xdfe" in done.stdout


class TestSignals:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("number", "code", "said"),
        [(signal.SIGINT, 130, "sdclab: interrupted.\n"), (signal.SIGTERM, 143, "")],
    )
    def test_a_command_that_is_stopped_leaves_nothing(self, home, number, code, said):
        """Stopped in the middle of writing, by itself, since no other process can know when that is."""
        stopped = textwrap.dedent(f"""
            import os, signal, sys
            signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored if the tests run in the background
            from sdclab.cli.main import main
            from sdclab.microdata import writing

            def half(table, path):
                path.write_text("half")
                os.kill(os.getpid(), {int(number)})

            writing._write_csv = half
            sys.argv = ["sdclab", *{[*PROTECT, "new.csv"]!r}]
            sys.exit(main())
        """)
        done = subprocess.run([sys.executable, "-c", stopped], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (code, said)
        assert names(home) == {"in.csv"}

    def test_ctrl_c_while_the_libraries_are_imported(self, home):
        """Importing is the first second of a command, and the likeliest one for second thoughts."""
        stopped = textwrap.dedent("""
            import builtins, sys
            from sdclab.cli.main import main

            real = builtins.__import__

            def interrupted(name, *arguments):
                if name == "numpy":
                    raise KeyboardInterrupt
                return real(name, *arguments)

            builtins.__import__ = interrupted
            sys.exit(main(["data"]))
        """)
        done = subprocess.run([sys.executable, "-c", stopped], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (130, "sdclab: interrupted.\n")


class TestFullDisk:
    def limited(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))  # as if the disk were full after 300 bytes

    @pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
    def test_a_disk_that_is_full_leaves_nothing(self, home, name):
        if name.endswith("parquet"):
            pytest.importorskip("pyarrow")
        done = sdclab(*PROTECT, f"new/folder/{name}", preexec_fn=self.limited)
        assert done.returncode == 2
        assert done.stderr.startswith(f"sdclab: new/folder/{name}: cannot be written (")
        assert done.stderr.count("\n") == 1
        assert names(home) == {"in.csv"}


class TestDefects:
    @pytest.fixture
    def broken(self, home, monkeypatch):
        from sdclab.cli import measure

        def fail(options):
            raise KeyError("4711: the income of one record")

        monkeypatch.setattr(measure, "run", fail)

    def test_are_told_by_kind_and_place_alone(self, broken, capsys):
        assert main(["measure", "in.csv", "in.csv"]) == 1
        said = capsys.readouterr().err
        assert said.startswith("sdclab: stopped with KeyError in cli/main.py, line ")
        assert "4711" not in said
        assert said.count("\n") == 1

    def test_show_their_traceback_if_asked(self, broken, capsys, monkeypatch):
        monkeypatch.setenv("SDCLAB_DEBUG", "1")
        assert main(["measure", "in.csv", "in.csv"]) == 1
        assert "Traceback (most recent call last)" in capsys.readouterr().err

    def test_too_little_memory_is_none(self, home, monkeypatch, capsys):
        from sdclab.cli import measure

        monkeypatch.setattr(measure, "run", lambda options: bytearray(1 << 62))
        assert main(["measure", "in.csv", "in.csv"]) == 1
        assert capsys.readouterr().err == "sdclab: there is not enough memory for this.\n"


def test_numbers_that_overflow_are_one_sentence(home):
    done = sdclab("protect", "in.csv", "--method", "noise", "--p", "1e308", "-o", "out.csv")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "finite" in done.stderr
    assert names(home) == {"in.csv"}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("nan", "nan"),
        (".inf", "'.inf'"),
        ("1e999", "inf"),
        ("1" + "0" * 400, "'1000"),
        ("9" * 5000, "'9999"),
        ("[" * 3000, "'[[[["),
        ("!!timestamp x", "'!!timestamp x'"),
        ("&a [*a]", "'&a [*a]'"),
        ("", "None"),
    ],
)
def test_a_parameter_that_is_no_number_is_named(home, capsys, value, shown):
    said = refused(capsys, "protect", "in.csv", "--method", "noise", f"--p={value}", "-o", "out.csv")
    assert said.startswith(f"sdclab: method noise: p is {shown}")
    assert said.endswith("but must be a number: the noise's SD, in units of the attribute's.\n")
    assert len(said) < 200
