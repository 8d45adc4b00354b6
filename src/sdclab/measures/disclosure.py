"""disclosure: what the keys, attributes that an intruder may know, tell of who somebody is and of the targets.

Raab, Nowok & Dibben (2024), Practical privacy metrics for synthetic data (a vignette of R's synthpop 1.9), appendix 1:
UiO, repU, Dorig and DiSCO. k-anonymity: Samarati & Sweeney (1998); l-diversity: Machanavajjhala et al. (2007).
"""

from typing import Annotated

import numpy as np

from sdclab.base.describe import Doc, Given, Number
from sdclab.base.errors import SdclabError
from sdclab.clustering.classes import Distinct
from sdclab.measures._scene import Scene
from sdclab.measures.tables import cut
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Mask, Matrix
from sdclab.numerics.ties import equated

BY_RECORD = False
BINS = 10

NUMBERS = {
    "k_anonymity": Number("records in the smallest key cell of the release", "risk", low=1, better="more"),
    "l_diversity": Number("fewest values of a target in a key cell of the release", "risk", low=1, better="more"),
    "uio": Number("originals unique on the keys (UiO)", low=0, high=100, unit="%"),
    "rep_u": Number("replicated uniques (repU)", "risk", 0, 100, "%", "less"),
    "disco": Number("targets told rightly by the keys (DiSCO)", "risk", 0, 100, "%", "less"),
    "disco_worst": Number("the same, of the target told most often", "risk", 0, 100, "%", "less"),
    "disco_original": Number("targets told by the keys in the original (Dorig)", low=0, high=100, unit="%"),
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    bins: Annotated[
        int, Doc("quantile bins of the original that numbers are cut into; 0: every value is a bin")
    ] = BINS,
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """The keys are the independents, and the targets the dependents, if none were named.

    A key cell is a combination of the keys' values. `uio` is the share of originals alone in their cell, `rep_u` that
    of cells with one record in both files, `disco` that of originals whose cell in the release has a single value of
    the target, the right one, and `disco_original` that of those whose cell in the original has: the mean over the
    targets. Shares are of the originals. Records of the two files need not correspond.
    """
    if bins < 0 or bins == 1:
        raise SdclabError(f"bins is {bins} but must be 0, or 2 or more.")
    scene = Scene.of(original, protected, independent, columns)
    keys = scene.keys or scene.independents
    if not keys:
        raise SdclabError("needs columns that an intruder may know; name them by --key.")
    if not scene.targets:
        raise SdclabError("needs columns that an intruder wants to know; name them by --target.")
    before, after = cells(scene, keys, bins)
    size = 1 + max(int(before.max()), int(after.max()))
    in_original, in_release = (np.bincount(each, minlength=size) for each in (before, after))
    told = [_told(before, after, *cells(scene, [target], bins)) for target in scene.targets]
    disco, disco_original, values = np.array(told).T
    return {
        "k_anonymity": float(in_release[in_release > 0].min()),
        "l_diversity": float(values.min()),
        "uio": _share(in_original == 1, len(before)),
        "rep_u": _share((in_original == 1) & (in_release == 1), len(before)),
        "disco": float(disco.mean()),
        "disco_worst": float(disco.max()),
        "disco_original": float(disco_original.mean()),
    }


def cells(scene: Scene, places: list[int], bins: int = BINS) -> tuple[Indices, Indices]:
    """The cell of every original and of every released record, counted from 0; the same number, the same cell."""
    parts = []
    for j in places:
        first, second = scene.original[:, j], scene.released[:, j]
        if scene.attributes[j].is_number and bins:
            levels = np.arange(bins + 1) / bins
            parts.append(np.concatenate([cut(first, first, levels), cut(second, first, levels)]))
        else:
            parts.append(equated(np.concatenate([first, second])))
    which = Distinct.of(np.column_stack(parts)).which
    return which[: len(scene.original)], which[len(scene.original) :]


def _told(before: Indices, after: Indices, own: Indices, released: Indices) -> tuple[float, float, float]:
    """DiSCO and Dorig of a target, given key cells and values, and the fewest values in a cell of the release."""
    size = 1 + max(int(before.max()), int(after.max()))
    in_original, in_release = _values(before, own, size), _values(after, released, size)
    single = np.full(size, -1)
    single[after] = released
    right = (in_release[before] == 1) & (single[before] == own)
    return _share(right, len(own)), _share(in_original[before] == 1, len(own)), float(in_release[in_release > 0].min())


def _values(cells: Indices, values: Indices, size: int) -> Indices:
    """How many values occur in each cell."""
    pairs = Distinct.of(np.column_stack([cells, values])).records
    return np.bincount(pairs[:, 0], minlength=size)


def _share(chosen: Mask, n: int) -> float:
    return 100 * float(np.count_nonzero(chosen)) / n
