"""What measures and methods say of themselves is complete and true."""

import math
import sys
from types import ModuleType

import numpy as np
import pytest

from sdclab import measures
from sdclab.base.describe import Number, described
from sdclab.base.errors import SdclabError
from sdclab.base.registry import Registry
from sdclab.measures import MEASURES
from sdclab.methods import METHODS, protect
from sdclab.output.plots import PLOTS

OPTIONS = {
    "clusters": {"c": 3, "runs": 2, "against": {"": {}, "same": {}, "moved": {"kappa": 0.2}}},
    "propensity": {"models": ["main", "literal", "cubic", "powers", "mixed"]},
}
RELEASES = ("noise", "mdav", "ipso_a", "permute", "k_member")


def releases() -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Original, protected, independent: usual releases, the original itself, a constant, something far away."""
    rng = np.random.default_rng(7)
    x = rng.normal(50, 10, (60, 2))
    y = np.column_stack([x[:, 0] + rng.normal(0, 5, 60), rng.lognormal(3, 1, 60), rng.integers(0, 2, 60)])
    y[0, 1] = 100 * y[:, 1].max()  # a value that stands out
    made = {name: protect(name, y, x, rng, {"p": 0.3} if name == "noise" else {}) for name in RELEASES}
    made |= {"itself": y.copy(), "constant": np.tile(y.mean(axis=0), (60, 1)), "far": 1000 - 5 * y}
    every = {name: (y, protected, x) for name, protected in made.items()}
    return every | {"alone": (y[:, :1], made["noise"][:, :1], x[:, :0])}


def measured(name: str, files: tuple[np.ndarray, np.ndarray, np.ndarray]) -> dict[str, float]:
    """With a control for those that ask for one."""
    original, _, independent = files
    control = measures.Control(original + original.std(axis=0), independent + independent.std(axis=0))
    return measures.measure(name, *files, OPTIONS.get(name, {}), control=control)


@pytest.mark.parametrize("name", MEASURES.present)
def test_every_number_is_declared_and_within_its_range(name):
    seen = set()
    for release, files in releases().items():
        if release == "alone" and name in ("disclosure", "linkability", "inference"):  # nobody knows anything
            with pytest.raises(SdclabError, match=f"measure {name}: needs"):
                measured(name, files)
            continue
        found = measured(name, files)
        for key, value in found.items():
            number = described(key, measures.numbers(name))
            assert number is not None, key
            within = number.low - 1e-9 <= value <= number.high + 1e-9
            assert within or math.isnan(value), (release, key, value)
        seen |= found.keys()
    for key in measures.numbers(name):
        assert any(described(each, {key: Number("")}) for each in seen), f"{key} is declared, but never returned"


@pytest.mark.parametrize("name", MEASURES.present)
def test_a_loss_or_a_risk_says_which_way_is_better_and_is_none_where_nothing_is_changed(name):
    for number in measures.numbers(name).values():
        assert (number.better is None) == (number.measures == "fact")
        assert number.label.strip(".") == number.label != ""
    original, _, independent = releases()["noise"]
    found = measured(name, (original, original, independent))
    for key, value in found.items():
        number = described(key, measures.numbers(name))
        if number.measures == "loss" and not key.startswith("information_loss") and not key.endswith("_moved"):
            assert value == pytest.approx(0, abs=1e-6), key  # less is better, and least is nothing lost


@pytest.mark.parametrize(
    ("registry", "name"), [(registry, name) for registry in (METHODS, MEASURES, PLOTS) for name in registry.present]
)
def test_every_parameter_says_what_it_means(registry, name):
    for parameter in registry.parameters(name).values():
        assert parameter.meaning, parameter.name
        assert not parameter.meaning.endswith("."), parameter.name


class TestByTheNameOfAColumn:
    def test_a_number_is_found_whichever_measure_returns_it(self):
        assert measures.number("pil") == measures.numbers("score")["pil"] == measures.numbers("pil")["pil"]
        assert measures.number("dr").sentence == "disclosure risk DR (0–100); less is safer"
        assert measures.number("d1_best").label == "distance of centres d1, against best"

    def test_what_nobody_declares_is_labelled_by_its_name(self):
        assert measures.number("smallest_cluster") == Number("smallest_cluster")

    def test_a_measure_of_another_package_need_not_declare_its_numbers(self, monkeypatch):
        add(monkeypatch, MEASURES, measure=lambda original, protected, independent: {"beauty": 1.0})
        assert measures.measure("fake", *releases()["noise"]) == {"beauty": 1.0}
        assert (measures.numbers("fake"), measures.number("beauty").axis) == ({}, "beauty")

    def test_and_what_it_declares_wrongly_labels_nothing(self, monkeypatch):
        add(monkeypatch, MEASURES, measure=lambda *files: {"beauty": 1.0}, NUMBERS={"beauty": "how nice"})
        with pytest.raises(SdclabError, match="measure fake: its NUMBERS must map names of numbers to Number"):
            measures.numbers("fake")
        assert measures.number("beauty") == Number("beauty")


@pytest.fixture(autouse=True)
def forget():
    """Numbers are looked up once a process; what a test registers must not stay."""
    measures.number.cache_clear()
    yield
    measures.number.cache_clear()


def add(monkeypatch, registry: Registry, **content: object) -> None:
    """Register a module of another package as `fake`."""
    module = ModuleType("fake")
    vars(module).update(content)
    monkeypatch.setitem(sys.modules, "fake", module)
    points = {registry.package: {"fake": "fake"}}
    monkeypatch.setattr("sdclab.base.registry._entry_points", lambda group: points.get(group, {}))
