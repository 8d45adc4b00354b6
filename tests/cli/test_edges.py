"""What a command does at the edges of the machine: full disks, closed streams, odd paths, signals, defects."""

import os
import resource
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from conftest import HANGING, PROJECT, SCHEMAS

from sdclab.base import documents, files
from sdclab.base.errors import SdclabError
from sdclab.cli.main import main
from sdclab.evidence import audit, published
from sdclab.experiment.grid import MOST_CELLS, expand, values_of
from sdclab.microdata import retrieve

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

    def test_a_file_too_large_to_be_read_is_not(self, home):
        size = (home / "in.csv").stat().st_size
        assert len(files.read("in.csv", most=size)) == size
        with pytest.raises(SdclabError, match=f"in.csv: has {size} bytes, but at most {size - 1} are read"):
            files.read("in.csv", most=size - 1)

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

    def test_the_root_is_no_folder_for_results(self, capsys):
        with pytest.raises(SdclabError, match="is the root of the file system"):
            files.check_writable("/")
        with pytest.raises(SdclabError, match="is not a folder that can be written to"):
            files.check_writable("/proc/nothing")
        with pytest.raises(SdclabError, match="is not a folder that can be written to"):
            files.check_writable("a\0b")

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

    def test_a_user_without_a_home_is_told_what_to_do(self, monkeypatch):
        def homeless():
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(Path, "home", homeless)
        with pytest.raises(SdclabError, match="no home folder for a cache; name one by cache_dir or XDG_CACHE_HOME"):
            retrieve.default_cache()


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

    def test_a_command_that_cannot_tell_its_progress_has_not_done_its_work(self, home):
        pytest.importorskip("matplotlib")
        command = [sys.executable, "-m", "sdclab.cli.main", "map", "in.csv", "--methods", "mdav", "-o", "map"]
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
            from sdclab.microdata import own

            def half(frame, path, **options):
                path.write_text("half")
                os.kill(os.getpid(), {int(number)})

            own.pd.DataFrame.to_csv = half
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


class TestWriting:
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


class TestDefects:
    @pytest.fixture
    def broken(self, home, monkeypatch):
        from sdclab.cli import verbs

        def fail(options):
            raise KeyError("4711: the income of one record")

        monkeypatch.setattr(verbs, "_measure", fail)

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
        from sdclab.cli import verbs

        monkeypatch.setattr(verbs, "_measure", lambda options: bytearray(1 << 62))
        assert main(["measure", "in.csv", "in.csv"]) == 1
        assert capsys.readouterr().err == "sdclab: there is not enough memory for this.\n"


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
    assert said.endswith("but must be a number.\n")
    assert len(said) < 200


def test_numbers_that_overflow_are_one_sentence(home):
    done = sdclab("protect", "in.csv", "--method", "noise", "--p", "1e308", "-o", "out.csv")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "finite" in done.stderr
    assert names(home) == {"in.csv"}


class TestDocuments:
    """What would grow without bound, or mean two things, is refused before anything is made of it."""

    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 30))
    chain = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 100))
    merges = "a0: &a0 {k: 1}\n" + "".join(f"a{i}: &a{i} {{<<: *a{i - 1}, k{i}: 1}}\n" for i in range(1, 600))

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a: 1\nb: {c: 1, c: 2}", r"x\.yaml, line 2, column 11: .*the key 'c' stands here twice"),
            ("a: 1\nb: [2, .inf]", r"x\.yaml, line 2, column 8: .*\.inf is not a number between"),
            ("a: -.INF", r"line 1, column 4: .*-\.INF is not a number"),
            ("a: .nan", r"line 1, column 4: .*\.nan is not a number"),
            ("a: 1.0e+400", r"1\.0e\+400 is not a number"),
            ("a: " + "9" * 5000, r"9\.\.\. is not a number"),
            ("a: " + "[" * 5000, r"line 1, column 33: .*nested more than 30 deep"),
            ("a: " + "{b: " * 5000, "nested more than 30 deep"),
            (bomb, r"x\.yaml: a5: holds more than 100000 values"),
            (chain, r"x\.yaml: a29\.0: is nested more than 30 deep"),
            (merges, "more than 100000 keys, merged ones included"),
            ("a: &a [*a]", "is nested more than 30 deep"),
            ("a: {5.5: x}", r"line 1, column 5: .*a key must be a text; quote it"),
            ("on: 1", "a key must be a text; quote it"),
            ("? [a]\n: 1", "a key must be a text; quote it"),
            ("a: !!bool x", "a tag is not taken here"),
            ("a: !!python/object:os.system x", "a tag is not taken here"),
            ("a: x\n" * 40_000 + "b: x", "has 200004 bytes, but at most 200000 are read"),
        ],
        ids=lambda text: text[:20],
    )
    def test_are_refused_with_the_place(self, tmp_path, text, message):
        path = tmp_path / "x.yaml"
        path.write_text(text)
        with pytest.raises(SdclabError, match=message):
            documents.parse(path)

    def test_a_key_that_is_a_number_is_its_text(self):
        assert documents.value("{2: [[1, 2], 3]}", "x") == {"2": [[1, 2], 3]}
        with pytest.raises(SdclabError, match="the key '2' stands here twice"):
            documents.value("{2: a, '2': b}", "x")

    def test_aliases_and_merges_are_taken_as_they_are_meant(self):
        text = "base: &base {k: 1, l: 2}\nlist: [&own {<<: *base, k: 3}]\nagain: {<<: *own}\nwhen: 2009-08-20"
        found = documents.value(text, "x")
        assert found["list"] == [{"k": 3, "l": 2}]
        assert found["again"] == {"k": 3, "l": 2}
        assert found["when"] == "2009-08-20"

    def test_what_another_has_read_is_checked_too(self, tmp_path):
        schema = tmp_path / "schema.yaml"
        schema.write_text("type: object\nproperties: {n: {type: integer}}")
        shared: list = ["x"]
        for _ in range(20):
            shared = [shared, shared]
        for document, message in (
            ({"a": {"b": [1, float("nan")]}}, r"config: a\.b\.1 is nan but must be a finite number"),
            ({"a": shared}, "config: a.*: holds more than 100000 values"),
            ({"n": 3.0}, r"config: n is 3\.0 but must be of type integer"),
            ({"n": "x" * 10_000}, r"config: n is '[x]{96}\.\.\. but must be of type integer"),
        ):
            with pytest.raises(SdclabError, match=message):
                documents.validate(document, schema, "config")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("results", "", "config: results is '' but must be the path of a folder other than this one and the root"),
        ("results", "/", "config: results is '/' but must be the path of a folder"),
        ("results", "..", "config: results is '..' but must be the path of a folder"),
        ("results", "a{b}", r"config: results is 'a\{b\}' but must be a path without braces"),
        ("results", "a\nb", "but must be a path without braces and control characters"),
        ("results", None, "config: results is None but must be of type string"),
        ("cache_dir", "{home}", "cache_dir is '{home}' but must be a path without braces"),
        ("studies", ["a", "a"], "studies is .* but must be a list in which nothing stands twice"),
        ("most_values", 2.0, r"most_values is 2\.0 but must be of type integer, null"),
        ("most_values", float("inf"), "most_values is inf but must be a finite number"),
    ],
)
def test_a_config_that_would_plan_nonsense_is_refused(key, value, message):
    config = documents.parse(PROJECT / "config" / "config.yaml")
    with pytest.raises(SdclabError, match=message):
        documents.validate({**config, key: value}, SCHEMAS / "config.schema.yaml", "config")


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda t: t["grid"][0].update(parameters={"a": "../x"}), r"parameters\.a is '\.\./x' but must be letters"),
        (lambda t: t["grid"][0].update(parameters={"a": ["{x}"]}), r"a\.0 is '\{x\}' but must be letters, digits and"),
        (
            lambda t: t["scenarios"].update({"a/b": t["scenarios"]["S1"]}),
            "scenarios: a name in it is .a/b. but must",
        ),
        (lambda t: t["tables"].update({"../x": {}}), r"tables: a name in it is '\.\./x' but must be small letters"),
        (lambda t: t.update(datasets={"x": {"file": "a{b}.csv", "columns": ["a"]}}), "file is 'a{b}.csv' but must be"),
        (lambda t: t.update(replicates=10**9), "replicates is 1000000000 but must be at most 100000"),
        (lambda t: t.update(replicates=2.0), r"replicates is 2\.0 but must be of type integer"),
    ],
)
def test_what_becomes_part_of_a_path_or_a_count_is_refused_in_a_study(edit, message):
    study = documents.parse(PROJECT / "config" / "studies" / "cano_torra_2009.yaml")
    edit(study)
    with pytest.raises(SdclabError, match=message):
        documents.validate(study, SCHEMAS / "study.schema.yaml", "study.yaml")


def test_a_published_table_that_is_no_csv_is_named(tmp_path):
    for content in (b"a,b\n\xff,1\n", b'a,b\n"1,2\n', b"a,b\n1," + b"2" * 200_000):
        path = tmp_path / "x_2009_table1.csv"
        path.write_bytes(content)
        with pytest.raises(SdclabError, match=r"x_2009_table1\.csv: (is not a CSV file|has \d+ bytes)"):
            published.load(path, SCHEMAS / "published.schema.yaml")


def test_an_option_that_a_check_of_the_audit_does_not_take_is_named():
    table = published.Published("x", ("a",), ({"a": "1"},))
    claim = {"table": "x", "claim": "it is small", "check": "exceeds", "quantity": "a"}
    with pytest.raises(SdclabError, match=r"audit: it is small: check exceeds: .*bond"):
        audit.audit({"x": table}, [{**claim, "bound": 1, "bond": 1}])
    with pytest.raises(SdclabError, match="audit: it is small: check mean_of: names a table, column, row or value"):
        audit.audit({"x": table}, [{**claim, "check": "mean_of", "parts": ["b"]}])


def test_a_data_folder_with_braces_is_refused(tmp_path):
    folder = tmp_path / "a{b}"
    folder.mkdir()
    with pytest.raises(SdclabError, match=r"a\{b\}: the path of a data folder or cache must not have braces"):
        retrieve.Places(folder, tmp_path, tmp_path)


class TestGrids:
    @pytest.mark.parametrize(
        ("choice", "message"),
        [
            ({"from": 1, "to": 10**9}, "a range from 1 to 1000000000 by 1 has more than 100000 values"),
            ({"from": 0, "to": 1, "step": 1e-9}, "has more than 100000 values"),
            ({"from": 0, "to": 1e308, "step": 5e-324}, "has more than 100000 values"),
            ({"from": -(10**400), "to": 10**400}, "has more than 100000 values"),
            ({"from": 0, "to": 1e-13, "step": 1e-14}, "has too small a step"),
        ],
    )
    def test_a_range_is_counted_before_it_is_made(self, choice, message):
        with pytest.raises(SdclabError, match=message):
            values_of(choice)
        with pytest.raises(SdclabError, match=f"study s: grid: method a: c: .*{message}"):
            expand("s", ["S1"], [{"method": "a", "parameters": {"c": choice}}], 1)

    def test_cells_are_counted_before_they_are_made(self):
        thousand = {"from": 1, "to": 1000}
        grid = [{"method": "a", "parameters": {"c": thousand, "m": thousand, "n": thousand}}]
        with pytest.raises(SdclabError, match=f"study s: grid: method a: .* more than {MOST_CELLS} cells"):
            expand("s", ["S1"], grid, 1)
        assert len(expand("s", ["S1"], grid, 1, most_values=2)) == 8
        assert len(values_of({"from": 1, "to": MOST_CELLS})) == MOST_CELLS

    def test_a_cells_parameters_fit_into_a_files_name(self):
        with pytest.raises(SdclabError, match=r"cell S1/a/c=x+\.\.\.: its parameters have more than 100 letters"):
            expand("s", ["S1"], [{"method": "a", "parameters": {"c": "x" * 300}}], 1)
