"""What `pip install` of a wheel or an sdist gives: a package that works from a clean folder, and the whole project."""

import os
import subprocess
import sys
import tarfile
import zipfile

import numpy as np
import pandas as pd
import pytest
from conftest import PROJECT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the sdist of this tree."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(build, cwd=PROJECT, check=True, capture_output=True)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """A way to run a command of the installed wheel, in a folder where nothing of the project lies."""
    site = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(site)]
    subprocess.run([*pip, str(built[0])], check=True, capture_output=True)

    def run(folder, *command):
        environment = {**os.environ, "PYTHONPATH": str(site)}
        done = subprocess.run(
            [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run(site.parent, "-P", "-c", "import sdclab; print(sdclab.__file__)").startswith(str(site))
    return run


def test_a_wheel_holds_every_file_of_the_package(built):
    inside = {name for name in zipfile.ZipFile(built[0]).namelist() if name.startswith("sdclab/")}
    source = PROJECT / "src"
    tracked = (path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    assert inside == {str(path.relative_to(source)) for path in tracked}
    assert {"sdclab/py.typed", "sdclab/output/pages/assets/style.css"} <= inside


def test_an_sdist_is_the_whole_project(built):
    with tarfile.open(built[1]) as archive:
        inside = {name.split("/", 1)[1] for name in archive.getnames()}
    assert {"Snakefile", "Makefile", "README.md", "requirements.lock", "config/config.yaml", "LICENSE"} <= inside
    assert {"workflow/schemas/study.schema.yaml", "resources/datasets.yaml", "scripts/cells.py"} <= inside
    assert not [name for name in inside if name.startswith(("results/", ".venv/", ".snakemake/"))]


def test_the_installed_package_protects_measures_and_draws(installed, tmp_path):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(50, 9, (200, 3)), columns=["income", "tax", "age"]).round(1)
    frame.to_csv(tmp_path / "data.csv", index=False)
    verb = ("-P", "-m", "sdclab.cli.main")
    installed(tmp_path, *verb, "protect", "data.csv", "--method", "mdav", "--k", "5", "-o", "protected.csv")
    assert len(pd.read_csv(tmp_path / "protected.csv")) == len(frame)
    assert "pil" in installed(tmp_path, *verb, "measure", "data.csv", "protected.csv", "--measures", "pil")
    installed(tmp_path, *verb, "map", "data.csv", "--methods", "mdav,noise", "-o", "map")
    assert "<svg" in (tmp_path / "map/owner/index.html").read_text()  # style sheet, scripts and templates are inside
