"""membership: whether a release tells that a record was among those it was made from.

Two attacks that give a record a score. Distance: how near the nearest released record is (Chen et al. 2020,
GAN-Leaks). Density: how much denser the release is there than records of the same population are, which
excuses who lies where everybody does (van Breugel et al. 2023, Membership inference attacks against synthetic data
through overfitting detection, DOMIAS), by Gaussian kernels with Scott's bandwidth.

The scores of those inside, whom the release was made from, are compared with those of others: by the area under the ROC
curve (50: a coin) and by the share of those inside that is found while 1 % of the others are taken for such (Carlini et
al. 2022, Membership inference attacks from first principles).
"""

from typing import Annotated

import numpy as np

from sdclab.base.describe import Doc, Given, Number
from sdclab.base.errors import SdclabError
from sdclab.clustering.space import Space
from sdclab.measures import Control, Rerun, Reruns
from sdclab.measures._attacks import attacked, generator
from sdclab.measures._scene import needed
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics.arrays import Indices, Matrix, Vector
from sdclab.numerics.logistic import log_sum_exp
from sdclab.numerics.roc import area, found_at, split_scores

BY_RECORD = False
ALARMS = 0.01
ATTACKS = ("distance", "density")

NUMBERS = {
    "membership": Number("membership told (AUC of the better attack)", "risk", 0, 100, "%", "less"),
    "membership_se": Number("standard error of the membership AUC", low=0, high=100, unit="%"),
    "membership_tpr": Number("members found at 1 % false alarms", "risk", 0, 100, "%", "less"),
    "membership_tpr_se": Number("standard error of the members found", low=0, high=100, unit="%"),
    "membership_distance": Number("membership told by distance (AUC)", "risk", 0, 100, "%", "less"),
    "membership_density": Number("membership told by density (AUC)", "risk", 0, 100, "%", "less"),
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    splits: Annotated[int, Doc("half-splits of the original, where the method can be run again, at least 2")] = 20,
    attacks: Annotated[int, Doc("records attacked inside and outside, at most")] = 1000,
    seed: Annotated[int, Doc("of the records attacked")] = 0,
    columns: Annotated[Attributes | None, Given()] = None,
    control: Annotated[Control | None, Given()] = None,
    reruns: Annotated[Reruns | None, Given()] = None,
) -> dict[str, float]:
    """How well the better of two attacks tells who was inside by the dependents alone.

    Independents are released as they are, and tell it in any case. Where the method can be run again it is, on halves
    of the original, and the numbers are means over the splits, with their standard errors. Else this release is
    attacked with the originals inside and the control outside; standard errors are then DeLong's, and of a share.
    """
    if splits < 2:
        raise SdclabError(f"splits is {splits} but must be at least 2.")
    attributes = (columns or Attributes.of_numbers(original, independent)).dependent
    rng = generator("membership", seed, attacks)
    if reruns is not None:
        told = np.array([_told(each, attributes, attacks, rng) for each in reruns(splits)])
        areas, rates = told[:, :, 0], told[:, :, 2]
        errors, rate_errors = (each.std(axis=0, ddof=1) / np.sqrt(len(told)) for each in (areas, rates))
        areas, rates = areas.mean(axis=0), rates.mean(axis=0)
    else:
        needed(control)
        assert control is not None
        rerun = Rerun(original, control.dependent, protected)
        areas, errors, rates = np.array(_told(rerun, attributes, attacks, rng)).T
        rate_errors = np.sqrt(rates * (1 - rates) / min(attacks, len(original)))
    better = int(np.argmax(np.round(areas, 9)))
    return {
        "membership": 100 * float(areas[better]),
        "membership_se": 100 * float(errors[better]),
        "membership_tpr": 100 * float(rates[better]),
        "membership_tpr_se": 100 * float(rate_errors[better]),
        **{f"membership_{name}": 100 * float(value) for name, value in zip(ATTACKS, areas, strict=True)},
    }


def _told(
    rerun: Rerun, attributes: tuple[Attribute, ...], attacks: int, rng: np.random.Generator
) -> list[tuple[float, float, float]]:
    """For each attack the area under its ROC curve, the standard error of that, and the share found."""
    space = Space.of(np.vstack([rerun.inside, rerun.outside]), attributes)
    inside, outside, released = rerun.inside, rerun.outside, rerun.released
    width = len(released) ** (-1 / (len(attributes) + 4))
    some, others = (attacked(len(each), attacks, rng) for each in (inside, outside))
    scores = (
        scored(space, inside[some], released, outside, np.full(len(some), -1), width),
        scored(space, outside[others], released, outside, others, width),
    )
    pairs = (split_scores(*both) for both in zip(*scores, strict=True))
    return [(*area(*both), found_at(*both, ALARMS)) for both in pairs]


def scored(
    space: Space, records: Matrix, released: Matrix, others: Matrix, own: Indices, width: float
) -> tuple[Vector, Vector]:
    """The scores of records by both attacks. `own` tells which of the others each of them is itself, or -1: who is
    compared with the others must not find itself among them.
    """
    near, dense = np.empty((2, len(records)))
    for rows, apart in space.squares(records, released):
        near[rows] = -np.sqrt(apart.min(axis=1))
        dense[rows] = _log_density(apart, width)
    for rows, apart in space.squares(records, others):
        itself = np.flatnonzero(own[rows] >= 0)
        apart[itself, own[rows][itself]] = np.inf
        dense[rows] -= _log_density(apart, width)
    return near, dense


def _log_density(apart: Matrix, width: float) -> Vector:
    """The log of the mean kernel, but for a constant; `apart` are squares of distances, infinite where nobody is."""
    there = np.isfinite(apart).sum(axis=1)
    return log_sum_exp(apart / (-2 * width**2))[:, 0] - np.log(there)
