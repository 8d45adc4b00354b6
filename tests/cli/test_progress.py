"""A bar on a terminal, and nothing elsewhere."""

import logging
import sys

import pytest

from sdclab.cli.progress import Jobs, Progress, follow, in_words


@pytest.fixture
def terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr.__class__, "isatty", lambda self: True, raising=False)


def ticking(*times):
    return iter(times).__next__


def test_nothing_where_there_is_no_terminal(capsys):
    show = Progress()
    for done in range(3):
        show(done, 2, "work")
    assert capsys.readouterr() == ("", "")


def test_a_bar_with_the_time_that_is_left(terminal, capsys):
    """A quarter took 30 s: three quarters take 90 s."""
    show = Progress(ticking(100.0, 130.0))
    show(0, 4, "first")
    show(1, 4, "second")
    show(4, 4)
    drawn = capsys.readouterr().err.replace("\x1b[K", "").split("\r")
    assert [line for line in drawn if line] == [
        f"[{'.' * 30}] 0/4 first",
        f"[{'#' * 7}{'.' * 23}] 1/4, about 2 min left second",
    ]
    assert drawn[-1] == ""  # the cursor is in front, and the line is empty


def test_nothing_to_do_is_done(terminal, capsys):
    Progress()(0, 0)
    assert capsys.readouterr().err == "\r\x1b[K\r"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.01, "about 1 s"), (42.4, "about 42 s"), (60, "about 1 min"), (3500, "about 58 min"), (7300, "about 2 h 2 min")],
)
def test_estimates_are_round(seconds, words):
    assert in_words(seconds) == words


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

    def test_the_bar_takes_the_place_of_lines(self, terminal, capsys, logger):
        follow(logger)
        for each in (record("job_error"), record("job_finished"), record("progress", done=1, total=3)):
            logger.handle(each)
        assert self.said == ["job_error"]
        assert "] 1/3, about 1 s left jobs" in capsys.readouterr().err

    def test_elsewhere_lines_stay(self, capsys, logger):
        follow(logger)
        logger.handle(record("progress", done=1, total=3))
        assert (self.said, capsys.readouterr().err) == (["progress"], "")

    def test_the_events_are_those_of_snakemake(self):
        events = pytest.importorskip("snakemake_interface_logger_plugins.common").LogEvent
        assert Jobs(ticking(0.0)).emit(record(events.JOB_INFO)) is None
        assert {events.PROGRESS.value, events.JOB_FINISHED.value} == {"progress", "job_finished"}
