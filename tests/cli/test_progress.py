"""What a terminal is shown while something takes long."""

import io
import logging
import time

import pytest

from sdclab.base.progress import doing, each_of
from sdclab.cli import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "SILENT", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.001)


def until(said):
    for _ in range(10_000):
        if said():
            return
        time.sleep(0.001)
    raise AssertionError("nothing was shown")


def test_a_bar_and_what_is_left_by_what_is_done():
    with doing("mdav"), doing("blocks", 4) as loop:
        loop.done = 1
        line = progress.line(loop.begun + 30, 80)
    filled = progress.WIDTH // 4
    assert line == f"[{'#' * filled}{'.' * (progress.WIDTH - filled)}]  25%, 1 min 30 s left: mdav, blocks"


def test_where_nothing_is_counted_the_time_is_told():
    with doing("reading data.csv") as stage:
        assert progress.line(stage.begun + 5, 80) == "reading data.csv: 5 s"
        assert progress.line(stage.begun + 5, 10) == "reading d"
    assert progress.line(5.0, 80) == ""


@pytest.mark.parametrize(("count", "words"), [(0.4, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3_700, "1 h 1 min")])
def test_seconds_in_words(count, words):
    assert progress.seconds(count) == words


def test_a_terminal_is_shown_the_bar_which_goes_in_the_end(monkeypatch, impatient):
    monkeypatch.setattr("sys.stderr", screen := Terminal())
    with progress.shown():
        for _ in each_of(range(2), "halves"):
            until(lambda: "50%" in screen.getvalue() or "halves: 0 s" in screen.getvalue())
    assert screen.getvalue().endswith(progress.CLEAR)
    assert "halves" in screen.getvalue()


def test_what_is_quick_and_what_is_no_terminal_see_nothing(monkeypatch, impatient):
    monkeypatch.setattr(progress, "SILENT", 3600.0)
    monkeypatch.setattr("sys.stderr", screen := Terminal())
    with progress.shown():
        time.sleep(0.01)
    assert screen.getvalue() == ""
    monkeypatch.setattr("sys.stderr", pipe := io.StringIO())
    with progress.shown():
        progress.say("a line")
    assert pipe.getvalue() == "a line\n"


def test_a_terminal_that_is_gone_stops_nothing(monkeypatch, impatient):
    monkeypatch.setattr("sys.stderr", screen := Terminal())
    with progress.shown():
        screen.close()
        time.sleep(0.01)


def record(event, **more):
    told = logging.LogRecord("jobs", logging.INFO, "", 0, event, None, None)
    vars(told).update(event=event, **more)
    return told


class TestJobs:
    @pytest.fixture
    def logger(self):
        logger, self.said = logging.Logger("jobs"), []
        handler = logging.Handler()
        handler.emit = lambda each: self.said.append(each.event)
        logger.addHandler(handler)
        return logger

    def test_the_bar_takes_the_place_of_lines(self, monkeypatch, logger):
        monkeypatch.setattr("sys.stderr", screen := Terminal())
        progress.follow(logger)
        for each in (record("job_error"), record("job_finished"), record("progress", done=1, total=3)):
            logger.handle(each)
        assert self.said == ["job_error"]
        assert "]  33%, 0 s left: 1 of 3 jobs" in screen.getvalue()
        logger.handle(record("progress", done=3, total=3))
        assert screen.getvalue().endswith(f"{progress.CLEAR}\r")

    def test_elsewhere_lines_stay(self, monkeypatch, logger):
        monkeypatch.setattr("sys.stderr", pipe := io.StringIO())
        progress.follow(logger)
        logger.handle(record("progress", done=1, total=3))
        assert (self.said, pipe.getvalue()) == (["progress"], "")

    def test_the_events_are_those_of_snakemake(self):
        events = pytest.importorskip("snakemake_interface_logger_plugins.common").LogEvent
        assert progress.Jobs().emit(record(events.JOB_INFO)) is None
        assert {events.PROGRESS.value, events.JOB_FINISHED.value} == {"progress", "job_finished"}
