"""What a replica keeps of the studies: a handful of their key numbers, on the original and on the replica."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sdclab.experiment.cell import Cell, Measures, run
from sdclab.experiment.scenario import AnyScenario
from sdclab.microdata.dataset import Dataset
from sdclab.numerics.seeds import seed_of, stream

RESAMPLES = 10
SIZES = tuple(f"cluster_size_{i}" for i in range(1, 11))

Compared = tuple[str, str, str, str, str]
"""The study, what the number is, and its values on the original, the replica and resampled originals, as text."""


@dataclass(frozen=True)
class KeyNumber:
    """A number of a study: means over the replicates of a cell; several quantities are shown largest first."""

    about: str
    cell: Cell
    measured: Measures
    quantities: tuple[str, ...]
    resampled: bool = False
    """Whether to say how it moves among resampled originals: not where records that stand twice would spoil it."""

    def of(self, dataset: Dataset, scenario: AnyScenario) -> list[float]:
        rows = run(self.cell, scenario, dataset, self.measured)
        means = np.array([[row[name] for name in self.quantities] for row in rows]).mean(axis=0)
        return sorted(means[np.isfinite(means)].tolist(), reverse=True)


def _pil(about: str, scenario: str, method: str, replicates: int = 1, **parameters: int) -> KeyNumber:
    cell = Cell("cano_torra_2009", scenario, method, parameters, replicates)
    return KeyNumber(about, cell, {"pil": {}}, ("pil",), resampled=True)


def _objective(about: str, scenario: str, c: int) -> KeyNumber:
    cell = Cell("torra_endo_miyamoto_2009", scenario, "noise", {"p": 0.0})
    return KeyNumber(about, cell, {"clusters": {"c": c, "protocol": "best"}}, ("objective_original",))


def _mixture(about: str, *quantities: str) -> KeyNumber:
    cell = Cell("oganian_domingo_2017", "thyroid", "hybrid", {"k": 60})
    return KeyNumber(about, cell, {"pil": {}}, quantities)


def _loss(about: str, k: int) -> KeyNumber:
    cell = Cell("ahmed_rauf_2016", "adult", "k_member", {"k": k})
    return KeyNumber(about, cell, {"pil": {}}, ("cluster_loss",))


KEY_NUMBERS = (
    _pil("S1, FCRM with c = 2: PIL", "S1", "fcrm", 10, c=2),
    _pil("S1, FCRM with c = 10: PIL", "S1", "fcrm", 10, c=10),
    _pil("S2, FCRM with c = 2: PIL", "S2", "fcrm", 10, c=2),
    _pil("S2, FCRM with c = 9: PIL", "S2", "fcrm", 10, c=9),
    _pil("S1, IPSO-A: PIL", "S1", "ipso_a"),
    _pil("S2, IPSO-A: PIL", "S2", "ipso_a"),
    _pil("S1, IPSO-C: PIL", "S1", "ipso_c", 10),
    _pil("S2, IPSO-C: PIL", "S2", "ipso_c", 10),
    _objective("13 variables, fuzzy c-means with c = 10: objective", "v13", 10),
    _objective("2 variables, fuzzy c-means with c = 10: objective", "v2c10", 10),
    _objective("2 variables, fuzzy c-means with c = 20: objective", "v2c20", 20),
    _mixture("Hybrid: number of clusters", "clusters"),
    _mixture("Hybrid: their sizes", *SIZES),
    _mixture("Hybrid: BIC", "bic"),
    _loss("k-member with k = 2: information loss", 2),
    _loss("k-member with k = 10: information loss", 10),
)


def resampled(number: KeyNumber, dataset: Dataset, scenario: AnyScenario) -> tuple[float, float]:
    """Mean and SD of a number among bootstrap samples of a file: how far it moves when only the sample does."""
    rng = stream(seed_of("resampled", dataset.name))
    n = len(dataset.values)
    samples = [dataset.values[np.sort(rng.integers(n, size=n))] for _ in range(RESAMPLES)]
    values = [number.of(dataset.with_values(dataset.kind, dataset.source, one), scenario)[0] for one in samples]
    return float(np.mean(values)), float(np.std(values))


def compared(original: Dataset, replica: Dataset, scenarios: Mapping[str, Mapping[str, AnyScenario]]) -> list[Compared]:
    """Every key number of this dataset; scenarios by study."""
    rows: list[Compared] = []
    for number in KEY_NUMBERS:
        scenario = scenarios[number.cell.study][number.cell.scenario]
        if scenario.dataset == original.name:
            before, after = (shown(number.of(dataset, scenario)) for dataset in (original, replica))
            spread = "{:.1f} ± {:.1f}".format(*resampled(number, original, scenario)) if number.resampled else ""
            rows.append((number.cell.study, number.about, before, after, spread))
    return rows


def shown(values: Sequence[float]) -> str:
    """Whole numbers as such, others with one decimal."""
    return " ".join(f"{value:.0f}" if value.is_integer() else f"{value:.1f}" for value in values)
