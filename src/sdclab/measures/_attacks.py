"""Attacks with a control: what an attack gains on the records behind a release beyond what it gains on others.

Giomi, Boenisch, Wehmeyer & Tasnádi (2023), A unified framework for quantifying privacy risk in synthetic data
(anonymeter). An attack also succeeds on people whom the release knows nothing of, by what it tells of the population;
that is its use and no disclosure. Of the rest, (r_attack - r_control) / (1 - r_control) is the share it gets at.
"""

from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np
from scipy.special import ndtri

from sdclab.base.describe import Number
from sdclab.base.errors import SdclabError
from sdclab.numerics.arrays import Indices
from sdclab.numerics.seeds import seed_of, stream

ATTACKS = 500
"""Attacks on each file, unless told otherwise."""

Z = float(ndtri(0.975))
"""Intervals are of 95 %."""


@dataclass(frozen=True)
class Rate:
    """Successes among trials; ones of several targets count in parts."""

    successes: float
    trials: int

    @property
    def value(self) -> float:
        return self.successes / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of Wilson (1927), Probable inference, the law of succession, and statistical inference."""
        p, n = self.value, self.trials
        middle = (p + Z**2 / (2 * n)) / (1 + Z**2 / n)
        half = Z / (1 + Z**2 / n) * sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
        return max(0.0, middle - half), min(1.0, middle + half)


def numbers(name: str, label: str) -> dict[str, Number]:
    """What an attack declares."""
    return {
        name: Number(f"{label}, beyond the control", "risk", -100, 100, "%", "less"),
        f"{name}_low": Number(f"{label}: low end of its interval", low=-100, high=100, unit="%"),
        f"{name}_high": Number(f"{label}: high end of its interval", low=-100, high=100, unit="%"),
        f"{name}_attack": Number(f"{label} among the originals", low=0, high=100, unit="%"),
        f"{name}_control": Number(f"{label} among the control", low=0, high=100, unit="%"),
    }


def beyond(name: str, attack: Rate | None, control: Rate | None) -> dict[str, float]:
    """The residual risk with its interval, and both rates, in per cent; not defined without an attack.

    The interval joins those of the two rates as Newcombe (1998) does for a difference: the distance of each end is the
    root of the sum of squares of how far each rate's own end moves the risk, to first order. Below -100 it is cut off.
    """
    if attack is None or control is None or control.value == 1:
        rates = {"attack": attack, "control": control}
        told = {f"{name}_{key}": 100 * rate.value if rate else np.nan for key, rate in rates.items()}
        return {**dict.fromkeys((name, f"{name}_low", f"{name}_high"), np.nan), **told}
    a, c = attack.value, control.value
    risk, of_attack, of_control = (a - c) / (1 - c), 1 / (1 - c), (1 - a) / (1 - c) ** 2
    (a_low, a_high), (c_low, c_high) = attack.interval, control.interval
    low = risk - hypot(of_attack * (a - a_low), of_control * (c_high - c))
    high = risk + hypot(of_attack * (a_high - a), of_control * (c - c_low))
    ends = {name: risk, f"{name}_low": low, f"{name}_high": min(high, 1.0)}
    told = {key: 100 * max(value, -1.0) for key, value in ends.items()}
    return {**told, f"{name}_attack": 100 * a, f"{name}_control": 100 * c}


def generator(name: str, seed: int, attacks: int) -> np.random.Generator:
    """The random numbers of an attack."""
    if attacks < 1:
        raise SdclabError(f"attacks is {attacks} but must be at least 1.")
    return stream(seed_of(name, seed))


def attacked(n: int, attacks: int, rng: np.random.Generator) -> Indices:
    """Whom to attack: all, or so many drawn at random."""
    return np.sort(rng.permutation(n)[:attacks])
