"""singling_out: whether what describes one released record alone describes one person alone.

Giomi et al. (2023), after Cohen & Nissim (2020), Towards formalizing the GDPR's notion of singling out.
The intruder takes a released record and some attributes, and asks for those who have its categories, and numbers at
least as extreme as its own. If one released record fits, and one original, that person was singled out.
"""

from dataclasses import dataclass
from math import comb
from typing import Annotated

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln

from sdclab.base.describe import Doc, Given, Number
from sdclab.base.errors import SdclabError
from sdclab.clustering.classes import Distinct
from sdclab.measures import Control
from sdclab.measures._attacks import ATTACKS, Rate, beyond, generator, numbers
from sdclab.measures._scene import Scene, needed
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector
from sdclab.numerics.ties import slack

BY_RECORD = False
NUMBERS: dict[str, Number] = numbers("singling_out", "people singled out")

TRIES = 20
"""Descriptions tried for every one that is needed."""


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    attributes: Annotated[int, Doc("in a description, at least 1, or all if there are fewer")] = 3,
    attacks: Annotated[int, Doc("descriptions of one released record each, at most")] = ATTACKS,
    seed: Annotated[int, Doc("of the descriptions")] = 0,
    columns: Annotated[Attributes | None, Given()] = None,
    control: Annotated[Control | None, Given()] = None,
) -> dict[str, float]:
    """The share of descriptions that fit one original, beyond those that fit one of as many control records.

    They are made of the keys; without keys, of the dependents. Where none fits one released record alone, since all are
    there several times, equal records count as one. Where that does not help either, nothing is defined.
    """
    scene, others = Scene.of(original, protected, independent, columns), needed(control)
    if attributes < 1:
        raise SdclabError(f"attributes is {attributes} but must be at least 1.")
    rng = generator("singling_out", seed, attacks)
    places = np.array(scene.keys or scene.dependents)
    told = _descriptions(scene, scene.released, places, attributes, attacks, rng)
    if not told:
        distinct = np.unique(Distinct.of(scene.released[:, places]).which, return_index=True)[1]
        told = _descriptions(scene, scene.released[distinct], places, attributes, attacks, rng)
    if not told:
        return beyond("singling_out", None, None)
    fit, fit_others = (np.array([each.fits(records) for each in told]) for records in (scene.original, others))
    alone = alone_among(fit_others, len(others), len(scene.original))
    return beyond("singling_out", Rate(int((fit == 1).sum()), len(told)), Rate(alone, len(told)))


@dataclass(frozen=True)
class Description:
    """Bounds of some attributes, both included."""

    places: Indices
    low: Vector
    high: Vector

    def fits(self, records: Matrix) -> int:
        """How many records it describes."""
        fit: Mask = np.ones(len(records), dtype=bool)
        for j, low, high in zip(self.places, self.low, self.high, strict=True):
            fit &= (records[:, j] >= low) & (records[:, j] <= high)
        return int(fit.sum())


def _descriptions(
    scene: Scene, released: Matrix, places: Indices, attributes: int, attacks: int, rng: np.random.Generator
) -> list[Description]:
    """Different descriptions of one released record each, found at random, until no other is left to try."""
    low, high = _bounds(scene, released)
    every = len(released) * comb(len(places), min(attributes, len(places)))
    seen: set[tuple[int, ...]] = set()
    found: list[Description] = []
    for _ in range(TRIES * attacks):
        if len(seen) == every:
            break
        row = int(rng.integers(len(released)))
        chosen = np.sort(rng.permutation(places)[:attributes])
        if (row, *chosen.tolist()) in seen:
            continue
        seen.add((row, *chosen.tolist()))
        told = Description(chosen, low[row, chosen], high[row, chosen])
        if told.fits(released) == 1:
            found.append(told)
            if len(found) == attacks:
                break
    return found


def _bounds(scene: Scene, released: Matrix) -> tuple[Matrix, Matrix]:
    """For every released value what is at least as far from the median on its side; for a category the category."""
    room = slack(released, np.abs(released).max(axis=0))
    upper = released > np.median(released, axis=0)
    number = np.array([each.is_number for each in scene.attributes])
    low = np.where(number & ~upper, -np.inf, released - room)
    high = np.where(number & upper, np.inf, released + room)
    return low, high


def alone_among(fits: Indices, m: int, n: int) -> float:
    """How many descriptions would fit one of n control records, given how many of m records each of them fits.

    Of n ≤ m this is the mean over all samples of n of them. Beyond m the counts must be carried on: as Giomi et al. do,
    the shares of the population that descriptions fit are taken as spread evenly between 0 and some w, which is the one
    that explains how many fit one of m and of m / 2.
    """
    if n <= m:
        return float(_chance(fits, m, n).sum())
    now, half = float(_chance(fits, m, m).sum()), float(_chance(fits, m, m // 2).sum())
    if now == 0:
        return 0.0
    return min(now * _growth(now / half if half else np.inf, m, n), float(len(fits)))


def _chance(fits: Indices, m: int, n: int) -> Vector:
    """The probability that of n records drawn from m exactly one is among the `fits` ones: hypergeometric."""
    known, which = np.unique(fits, return_inverse=True)
    possible = (known > 0) & (m - known >= n - 1)
    k = known[possible].astype(float)
    log = np.log(k) + _log_choose(m - k, n - 1) - _log_choose(np.array(float(m)), n)
    chance = np.zeros(len(known))
    chance[possible] = np.exp(log)
    return np.asarray(chance[which])


def _log_choose(n: Vector, k: int) -> Vector:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _growth(ratio: float, m: int, n: int) -> float:
    """By what factor the descriptions that fit one of m records grow with n, from that factor between m / 2 and m."""

    def alone(size: int, w: float) -> float:
        """The integral of size × v (1 - v)^(size - 1) over shares v from 0 to w, but for what does not hang on size."""
        x = size * np.log1p(-w)
        return float(-(np.expm1(x) + size * w * np.exp(x)) / (size + 1))

    def off(log_w: float) -> float:
        return alone(m, np.exp(log_w)) / alone(m // 2, np.exp(log_w)) - ratio

    ends = (np.log(1e-3 / m), np.log(1 - 1e-9))
    if off(ends[0]) <= 0:  # all but too light to be seen
        w = np.exp(ends[0])
    elif off(ends[1]) >= 0:
        w = np.exp(ends[1])
    else:
        w = np.exp(brentq(off, *ends))
    return alone(n, float(w)) / alone(m, float(w))
