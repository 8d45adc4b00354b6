"""linkability: whether the release joins two files that know different attributes of the same people.

Giomi et al. (2023): one intruder knows one set of attributes of a person, another a second one. They are
linked if both find the same released record among the nearest to what they know.
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
from sdclab.numerics.arrays import Indices, Matrix
from sdclab.numerics.ties import smallest

BY_RECORD = False
NUMBERS: dict[str, Number] = numbers("linkability", "records linked by two halves")


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    neighbours: Annotated[int, Doc("nearest released records that each side looks at, at least 1")] = 1,
    attacks: Annotated[int, Doc("records attacked in each file, at most")] = ATTACKS,
    seed: Annotated[int, Doc("of the records attacked, and of who comes first among equally near ones")] = 0,
    columns: Annotated[Attributes | None, Given()] = None,
    control: Annotated[Control | None, Given()] = None,
) -> dict[str, float]:
    """The share of originals linked beyond that of control records.

    One side knows the keys, the other all other attributes. Without keys each knows every second dependent.
    """
    scene, others = Scene.of(original, protected, independent, columns), needed(control)
    if neighbours < 1:
        raise SdclabError(f"neighbours is {neighbours} but must be at least 1.")
    sides = _sides(scene)
    rng = generator("linkability", seed, attacks)
    orders = [rng.permutation(len(scene.released)) for _ in sides]  # equals are found in random order
    rates = []
    for records in (scene.original, others):
        chosen = records[attacked(len(records), attacks, rng)]
        found = [_nearest(scene, side, chosen, order, neighbours) for side, order in zip(sides, orders, strict=True)]
        linked = [bool(set(first) & set(second)) for first, second in zip(*found, strict=True)]
        rates.append(Rate(sum(linked), len(linked)))
    return beyond("linkability", *rates)


def _sides(scene: Scene) -> tuple[list[int], list[int]]:
    known = scene.keys or scene.dependents[::2]
    others = [*scene.dependents, *scene.independents] if scene.keys else scene.dependents
    rest = [j for j in others if j not in known]
    if not rest:
        raise SdclabError("needs two sets of attributes that intruders know; there is but one.")
    return known, rest


def _nearest(scene: Scene, side: list[int], records: Matrix, order: Indices, count: int) -> list[list[int]]:
    """For every record the nearest released ones by what one side knows."""
    space = Space.of(scene.original[:, side], [scene.attributes[j] for j in side])
    there = scene.released[order][:, side]
    count = min(count, len(there))
    return [
        order[smallest(row, count)].tolist()
        for _, rows in space.squares(records[:, side], there)
        for row in np.sqrt(rows)
    ]
