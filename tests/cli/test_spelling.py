"""Names on the command line: underscores as everywhere, or hyphens; and what they mean."""

import sys
from types import ModuleType

import numpy as np
import pytest

from sdclab.cli.main import main
from sdclab.methods import METHODS

ROLES = ("--independent", "age")


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(4).normal(100, 20, (80, 3)).round(3)
    lines = ["age,income,tax", *(",".join(map(repr, row)) for row in values.tolist())]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def protect(method, *parameters, name):
    given = ("--method", method, *parameters, *ROLES, "--seed", str(2**40), "-o", name)
    assert main(["protect", "people.csv", *given]) == 0


@pytest.mark.parametrize(
    ("with_underscores", "with_hyphens"),
    [
        (("noise_cov", "--c", "0.5"), ("noise-cov", "--c", "0.5")),
        (("fcrm", "--c", "3", "--zero_test", "exact"), ("fcrm", "--c", "3", "--zero-test", "exact")),
        (("fuzzy_hybrid", "--order", "fdm_first"), ("fuzzy-hybrid", "--order", "fdm_first")),
    ],
)
def test_hyphens_will_do_in_the_names_of_methods_and_parameters(people, with_underscores, with_hyphens):
    protect(*with_underscores, name="a.csv")
    protect(*with_hyphens, name="b.csv")
    assert (people / "a.csv").read_bytes() == (people / "b.csv").read_bytes()


def test_and_in_lists_of_measures_and_methods(people, capsys):
    protect("mdav", "--k", "3", name="a.csv")
    assert main(["measure", "people.csv", "a.csv", "--measures", "information-loss,information_loss,xy"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("\ninformation_loss\n") == 1
    assert "information-loss" not in shown
    assert main(["map", "people.csv", "--methods", "noise-cov,mdav", *ROLES]) == 0
    ranking = (people / "people_map/owner/ranking.csv").read_text()
    assert "noise_cov" in ranking
    assert "noise-cov" not in ranking


def test_a_slip_is_answered_with_the_name_as_it_is_spelled(people, capsys):
    assert main(["protect", "people.csv", "--method", "noise-cow", "-o", "a.csv"]) == 2
    assert "unknown method 'noise-cow': did you mean noise_cov" in capsys.readouterr().err


@pytest.mark.parametrize("method", METHODS.present)
def test_help_says_what_every_parameter_means(method, capsys):
    with pytest.raises(SystemExit):
        main(["protect", "--method", method, "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    for parameter in METHODS.parameters(method).values():
        assert f"{parameter.meaning}; {parameter.allowed} (" in shown


def test_a_bad_value_is_answered_with_what_the_parameter_means(people, capsys):
    assert main(["protect", "people.csv", "--method", "fcrm", "--c", "x", "-o", "a.csv"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("sdclab: method fcrm: c is 'x' but must be a whole number: the number of clusters")
    assert said.count("\n") == 1


def test_a_parameter_that_is_an_option_but_for_hyphens_is_refused(people, monkeypatch, capsys):
    def act(dependent, independent, rng, *, drop_columns: int = 0):
        return dependent

    module = ModuleType("fake")
    module.protect = act
    monkeypatch.setitem(sys.modules, "fake", module)
    monkeypatch.setattr("sdclab.base.registry._entry_points", lambda group: {"fake": "fake"})
    assert main(["protect", "people.csv", "--method", "fake", "-o", "a.csv"]) == 2
    assert "method fake: its parameter drop_columns is called like an option" in capsys.readouterr().err
