"""The risk of every record, for the owner of the file: whom a release endangers, by row number, without any value."""

from typing import Any

import numpy as np

from sdclab.clustering.space import Space, nearest, within
from sdclab.measures import Control
from sdclab.measures._scene import Scene
from sdclab.measures.disclosure import cells
from sdclab.microdata.pairing import Pair
from sdclab.numerics.arrays import Matrix, Vector
from sdclab.numerics.ties import equated, slack

COLUMNS = {
    "row": "of the original, counted from 1 after the header",
    "distance": "to its own released record, in SDs over all dependents",
    "rank": "how many released records are as near to it as its own; 1: only its own is",
    "linked": "the chance that who takes the nearest released record takes its own",
    "key_cell": "originals with its keys, numbers by deciles; 1: it is unique",
    "key_cell_released": "released records with its keys",
    "nearest": "the distance to the nearest released record, anywhere in the file",
    "membership": "per cent of strangers that are farther from the release; near 100: it was surely inside",
}
"""What is told, and what it means. Strangers are the control; without one, every original as the others see it."""


def risks(both: Pair, control: Control | None = None) -> list[dict[str, Any]]:
    """A line for every original. What needs its own released record, or keys, is left out where there are none."""
    dependent, independent = both.roles.dependent, both.roles.independent
    original, released = (each.select(dependent, each.name) for each in (both.original, both.released))
    beside = both.original.select(independent, both.original.name)
    space = Space.of(original, both.attributes.dependent)
    ours, theirs = space(original), space(released)
    found: dict[str, Any] = {"row": both.rows}
    near = nearest(ours, theirs)
    if both.by_record:
        found |= _own(ours, theirs, near)
    scene = Scene.of(original, released, beside, both.attributes)
    keys = scene.keys or scene.independents
    if keys:
        before, after = cells(scene, keys)
        size = 1 + max(int(before.max()), int(after.max()))
        found["key_cell"], found["key_cell_released"] = (
            np.bincount(each, minlength=size)[before] for each in (before, after)
        )
    strangers = nearest(ours, ours, 2) if control is None else nearest(space(control.dependent), theirs)
    found |= {"nearest": near, "membership": _farther(near, strangers)}
    return [
        dict(zip(found, line, strict=True)) for line in zip(*(each.tolist() for each in found.values()), strict=True)
    ]


def _own(ours: Matrix, theirs: Matrix, near: Vector) -> dict[str, Any]:
    """How far and how well hidden a record's own release is."""
    distance = np.linalg.norm(ours - theirs, axis=1)
    rank = within(ours, theirs, distance + slack(distance))
    linked = np.where(distance <= near + slack(near), 1 / np.maximum(rank, 1), 0.0)
    return {"distance": distance, "rank": rank, "linked": linked}


def _farther(near: Vector, strangers: Vector) -> Vector:
    """For every distance the share of strangers with a larger one, in per cent; of equal ones half."""
    both = equated(np.concatenate([near, strangers]))
    near, strangers = both[: len(near)], np.sort(both[len(near) :])
    upto, below = (np.searchsorted(strangers, near, side) for side in ("right", "left"))
    return np.asarray(100 * (1 - (upto + below) / (2 * len(strangers))))
