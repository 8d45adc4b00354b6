"""Shared by all tests: the project, its datasets, and a way to run its workflow in a copy."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

# before numpy is imported: as in the jobs of the workflow, and tests side by side do not wait for each other
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import finished
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from samples import records

from sdclab.cli.main import main
from sdclab.evidence.verification import METADATA
from sdclab.experiment.grid import GridEntry, expand
from sdclab.experiment.limits import UNLIMITED
from sdclab.experiment.scenario import Scenario
from sdclab.microdata import manifest, retrieve
from sdclab.microdata.dataset import Dataset

PROJECT = Path(__file__).resolve().parents[1]
SCHEMAS = PROJECT / "workflow" / "schemas"
HANGING = 3600
"""Seconds after which a test gives up on what it waits for. How fast a machine is, is not for a test to say: this only
keeps one that hangs from hanging for ever."""

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

SLOW = ("workflow", "browser", "cluster")
"""Folders of which every test is slow; others are marked one by one when they take seconds."""


ORDER = ("cluster", "workflow", "browser", "experiment")
"""Folders whose tests begin first; those of `contract`, which are many and short, fill up all workers at the end."""
SHARED = {
    "smoke": "smoke",
    "all_read": "readings",
    "site": "site",
    "tree_of_tiny": "pages",
    "own_run": "pages",
    "hostile_map": "pages",
    "browser": "pages",
}
"""What takes long to make and is made once: the tests that look at it stay together, by the first that they use."""


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers() -> Iterator[int]:
    """Two more than cores: a test that has started a cluster, a browser or a run waits for it most of its time."""
    return (yield) + 2


@pytest.hookimpl(tryfirst=True)  # before the groups are read
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name in SLOW:
            item.add_marker(pytest.mark.slow)
        if group := group_of(item):
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=lambda item: turn(item.path.parent.name))


def group_of(item: pytest.Item) -> str | None:
    """Whose tests stay in one process: those of a file, but those of whole runs and of the contract each by itself."""
    shared = [group for fixture, group in SHARED.items() if fixture in getattr(item, "fixturenames", ())]
    alone = item.path.parent.name in ("workflow", "contract")
    return shared[0] if shared else None if alone else item.path.stem


def turn(folder: str) -> int:
    if folder in ORDER:
        return ORDER.index(folder)
    return len(ORDER) + (folder == "contract")


PARTS = ("Snakefile", "workflow", "scripts", "config", "resources", "environment.yml", "CITATION.cff", "src")


def wait_until(done: Callable[[], object], what: Callable[[], str] | str, step: float = 0.05) -> None:
    """Until something holds; `what` is still missing when it never does."""
    until = time.monotonic() + HANGING
    while not done():
        assert time.monotonic() < until, what if isinstance(what, str) else what()
        time.sleep(step)


def originals() -> Path | None:
    """The folder with the originals, when SDCLAB_DATA names one."""
    folder = os.environ.get("SDCLAB_DATA")
    return (PROJECT / folder).resolve() if folder else None


needs_originals = pytest.mark.skipif(originals() is None, reason="SDCLAB_DATA names no folder with the originals")


@pytest.fixture(scope="session")
def entries() -> dict[str, manifest.Entry]:
    return manifest.load(PROJECT / "resources" / "datasets.yaml", SCHEMAS / "datasets.schema.yaml")


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> retrieve.Places:
    return retrieve.Places(originals(), tmp_path_factory.mktemp("cache"), PROJECT / "resources" / "replicas")


@pytest.fixture(scope="session")
def dataset(entries: dict[str, manifest.Entry], places: retrieve.Places) -> Callable[[str], Dataset]:
    """A dataset by name: the original if it is at hand, else what stands in for it."""
    return lambda name: retrieve.retrieve(entries[name], places, download=False, say=lambda line: None)


@pytest.fixture(scope="session")
def census(dataset: Callable[[str], Dataset]) -> Dataset:
    return dataset("census")


S1 = Scenario(
    "S1",
    "census",
    ("AFNLWGT", "EMCONTRB", "FEDTAX", "STATETAX", "TAXINC", "INTVAL", "FICA", "WSALVAL", "ERNVAL"),
    ("AGI", "POTHVAL", "PEARNVAL"),
)
S2 = Scenario(
    "S2",
    "census",
    ("FEDTAX", "TAXINC", "WSALVAL", "ERNVAL"),
    ("AFNLWGT", "AGI", "EMCONTRB", "PTOTVAL", "STATETAX", "POTHVAL", "INTVAL", "PEARNVAL", "FICA"),
)


def expanded(scenarios, grid, replicates, limits=UNLIMITED):
    """The cells of a grid as a config has it, of a study `s`."""
    return expand("s", [GridEntry.parse(entry, scenarios, replicates, "study s: grid") for entry in grid], limits)


@pytest.fixture(params=[S1, S2], ids=["S1", "S2"])
def split(request: pytest.FixtureRequest, census: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Dependents and independents of a Census scenario; in S2 the independents are singular."""
    return request.param.split(census)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20090820)


@pytest.fixture
def here(monkeypatch, tmp_path):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(here, capsys):
    """Run a command in an empty folder: exit code, standard output, standard error."""

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        return (code, *capsys.readouterr())

    return run


@pytest.fixture
def people(run, tmp_path):
    """Records in people.csv, in the folder in which commands run."""
    frame = records(150)
    frame.to_csv(tmp_path / "people.csv", index=False)
    return frame


TIMED = ("logs", "benchmarks", "checksums", METADATA)
"""What differs between runs that agree in all else: their clocks did."""


class Tree:
    """A copy of the project in which a test may change anything and run the workflow."""

    def __init__(self, root: Path, of: Path = PROJECT, parts: Iterable[str] = PARTS) -> None:
        self.root, self.said = root, ""
        for part in parts:
            source = of / part
            copy = shutil.copytree if source.is_dir() else shutil.copy2
            copy(source, root / part)

    def copied(self, root: Path) -> "Tree":
        """Another one with all that was put into this one and made in it, for a test that goes on from there."""
        return Tree(root, self.root, [path.name for path in self.root.iterdir()])

    def command(self, *arguments: str, cores: int = 2) -> list[str]:
        profile = ("--workflow-profile", "workflow/profiles/local")
        return [sys.executable, "-m", "snakemake", "--cores", str(cores), *profile, *arguments]

    def environment(self, **extra: str) -> dict[str, str]:
        clean = {key: value for key, value in os.environ.items() if key != "SDCLAB_DATA"}
        return {**clean, "PYTHONPATH": str(self.root / "src"), **extra}

    def run(self, *arguments: str, cores: int = 2, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments, cores=cores),
            cwd=self.root,
            env=self.environment(**environment),
            capture_output=True,
            text=True,
            timeout=HANGING,
        )

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.root / file
        text = path.read_text()
        assert old in text, f"{file} does not hold {old!r}"
        path.write_text(text.replace(old, new, 1))

    def results(self, folder: str = "results/smoke") -> dict[str, bytes]:
        """What a run delivers, without logs, records and timings: those of the report, which are one section of it, and
        the crate, which also has the report's checksum.
        """
        root = self.root / folder
        return {
            str(path.relative_to(root)): re.sub(rb'<section id="run-time">.*?</section>', b"", path.read_bytes())
            for path in sorted(root.rglob("*"))
            if path.is_file() and path.relative_to(root).parts[0] not in TIMED
        }


SMOKE = ("--configfile", "config/smoke.yaml")
SMALL = (*SMOKE, "--config", "studies=[cano_torra_2009]", "mix_methods=false")
"""One study says enough about how the workflow behaves; all of them run once, in a test of their own."""


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


@pytest.fixture(scope="session")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A finished smoke run of one study, for tests that only look at it."""
    tree = Tree(tmp_path_factory.mktemp("smoke"))
    done = tree.run(*SMALL)
    assert done.returncode == 0, done.stderr
    tree.said = done.stdout + done.stderr
    return tree


@pytest.fixture(scope="session")
def tree_of_tiny(tmp_path_factory, entries, places) -> Tree:
    """A finished run of a small study on a replica in which one record has a value that is easy to find."""
    tree = Tree(tmp_path_factory.mktemp("tiny"))
    finished.run_study(tree, entries, places)
    return tree


@pytest.fixture(scope="session")
def tiny(tree_of_tiny: Tree) -> Path:
    return tree_of_tiny.root / "results/smoke"


@pytest.fixture(scope="session")
def own_run(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A finished run of the template for one's own file, with columns called like markup, and Snakemake's report."""
    tree = Tree(tmp_path_factory.mktemp("own"))
    finished.run_hostile(tree)
    return tree


@pytest.fixture(scope="session")
def hostile_map(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a map of a file with such columns."""
    return finished.map_hostile(tmp_path_factory.mktemp("map"))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built in the way of `make docs`, where any warning, as of a link that leads nowhere, is an error."""
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(build, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")


@pytest.fixture(scope="session")
def browser():
    if not (CHROMIUM and DRIVER):
        pytest.skip("NO BROWSER, SO THE PAGES ARE NOT TRIED OUT: install chromium and chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="NO SELENIUM, SO THE PAGES ARE NOT TRIED OUT")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


def width(browser, pixels):
    metrics = {"width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def asked(browser):
    """The addresses that were asked for since this was called the last time."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
