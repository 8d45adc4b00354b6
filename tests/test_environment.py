"""Every way to install gives the versions of the lock file, for the same numbers."""

import os
import re
import tomllib

import pytest
import yaml
from conftest import PROJECT

PINNED = re.compile(r"^([a-z0-9-]+)==(\S+)(?: ; (.+?))? \\$", re.MULTILINE)


def name(requirement: str) -> str:
    return re.split(r"[<>=~! ]", requirement)[0]


def test_conda_gets_the_locked_versions_of_all_that_a_run_needs():
    environment = yaml.safe_load((PROJECT / "environment.yml").read_text())["dependencies"]
    assert "python =3.11" in environment
    given = dict(line.split("==") for line in environment[-1]["pip"])
    locked = {
        package: version
        for package, version, condition in PINNED.findall((PROJECT / "requirements.lock").read_text())
        if not condition or "python_full_version < '3.12'" in condition
    }
    assert given == {package: locked[package] for package in given}
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    needed = [*project["project"]["dependencies"], *project["project"]["optional-dependencies"]["workflow"]]
    needed += [*project["build-system"]["requires"], "editables"]
    assert set(given) == {name(requirement) for requirement in needed}


def test_the_container_is_built_from_the_lock_file_for_the_same_python():
    recipe = (PROJECT / "Containerfile").read_text()
    assert "FROM docker.io/library/python:3.11-" in recipe
    assert "pip install --quiet --require-hashes --requirement requirements.lock" in recipe


def test_make_says_what_it_installs_before_it_does():
    """Installing takes minutes, in which nothing else is printed."""
    rules = (PROJECT / "Makefile").read_text().splitlines()
    before = [rules[i - 1] for i, line in enumerate(rules) if "pip install" in line]
    assert len(before) == 5
    assert all('echo "Installing ' in line for line in before)


@pytest.mark.parametrize("path", sorted((PROJECT / ".github/workflows").glob("*.yml")), ids=lambda path: path.stem)
def test_hosted_checks_run_what_there_is_on_the_same_python(path):
    (job,) = yaml.safe_load(path.read_text())["jobs"].values()
    given = [step["with"]["python-version"] for step in job["steps"] if "setup-python" in step.get("uses", "")]
    assert given == ["3.11"] or job["container"].startswith("python:3.11-")
    targets = re.findall(r"^(\w+):", (PROJECT / "Makefile").read_text(), re.MULTILINE)
    (command,) = (step["run"] for step in job["steps"] if "run" in step)
    assert command.removeprefix("make ") in targets or os.access(PROJECT / command, os.X_OK)


def test_tests_that_share_something_are_told_to_stay_together(request):
    """By the end of their ids. A pytest that pytest-xdist does not know yet drops it, and says nothing."""
    if not hasattr(request.config, "workerinput"):
        pytest.skip("all tests are in one process")
    assert request.node.nodeid.endswith("@test_environment")
