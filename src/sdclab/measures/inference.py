"""inference: whether an unknown attribute can be read off the nearest released record.

Giomi et al. (2023): who knows some attributes of a person looks for the released record that is nearest in
them, and takes the unknown one from there.
"""

from typing import Annotated

import numpy as np

from sdclab.base.describe import Doc, Given, Number
from sdclab.base.errors import SdclabError
from sdclab.clustering.space import Space
from sdclab.measures import Control
from sdclab.measures._attacks import ATTACKS, Rate, attacked, beyond, generator, numbers
from sdclab.measures._scene import Scene, needed
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Mask, Matrix
from sdclab.numerics.ties import at_most, smallest_of

BY_RECORD = False
NUMBERS: dict[str, Number] = numbers("inference", "targets guessed")


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    tolerance: Annotated[float, Doc("how near a guess of a number must be, in SDs of the original")] = 0.05,
    attacks: Annotated[int, Doc("records attacked in each file, at most")] = ATTACKS,
    seed: Annotated[int, Doc("of the records attacked, and of who comes first among equally near ones")] = 0,
    columns: Annotated[Attributes | None, Given()] = None,
    control: Annotated[Control | None, Given()] = None,
) -> dict[str, float]:
    """The share of targets guessed rightly beyond that of control records, the mean over the targets.

    The intruder knows the keys; without keys all other dependents, and the independents if there is no other.
    """
    scene, others = Scene.of(original, protected, independent, columns), needed(control)
    if tolerance < 0:
        raise SdclabError(f"tolerance is {tolerance} but must be at least 0.")
    rng = generator("inference", seed, attacks)
    order = rng.permutation(len(scene.released))  # equals are found in random order
    rates = []
    for records in (scene.original, others):
        chosen = records[attacked(len(records), attacks, rng)]
        right = [_right(scene, target, chosen, order, tolerance) for target in scene.targets]
        rates.append(Rate(float(np.mean(right, axis=0).sum()), len(chosen)))
    return beyond("inference", *rates)


def _right(scene: Scene, target: int, records: Matrix, order: Indices, tolerance: float) -> Mask:
    """Which records' target is guessed."""
    known = [j for j in scene.keys or scene.dependents if j != target] or scene.independents
    if not known:
        raise SdclabError("needs columns that an intruder may know; name them by --key.")
    space = Space.of(scene.original[:, known], [scene.attributes[j] for j in known])
    there = scene.released[order][:, known]
    nearest = [smallest_of(np.sqrt(rows)) for _, rows in space.squares(records[:, known], there)]
    guess, truth = scene.released[order[np.concatenate(nearest)], target], records[:, target]
    if not scene.attributes[target].is_number:
        return np.asarray(guess == truth)
    values = scene.original[:, target]
    return np.asarray(at_most(np.abs(guess - truth), tolerance * values.std(), np.abs(values).max()))
