"""Taxonomies of categorical attributes, whose heights say how far categories lie apart.

Byun, Kamra, Bertino & Li (2007), Efficient k-anonymization using clustering techniques; Ahmed & Rauf (2016), equation
5.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from sdclab.base.describe import Doc
from sdclab.base.errors import SdclabError
from sdclab.numerics.arrays import Indices, Matrix, Vector

Flags = NDArray[np.bool_]
Taxonomies = Annotated[
    Mapping[str, Any],
    Doc("the dependents that are categorical: position, from 1, and a tree over the codes, as in {2: [[1, 2], 3]}"),
]


class Taxonomy:
    """A tree over coded categories: a code is a leaf, a list of nodes is a node above them.

    `[[1, 2], [3, [4, 5]]]` has height 3; 4 and 5 meet at height 1, 3 and 4 at height 2, 2 and 3 at the root.
    """

    def __init__(self, tree: Any, where: str = "taxonomy") -> None:
        self.where = where
        nodes: list[tuple[int, list[float]]] = []
        self.height, codes = self._read(tree, nodes)
        if self.height == 0:
            raise SdclabError(f"{where}: a taxonomy must be a list of categories, not a single one.")
        if len(set(codes)) < len(codes):
            raise SdclabError(f"{where}: a category stands in the taxonomy twice; each must have one place.")
        self.codes: Vector = np.sort(codes)
        self._heights = np.array([height for height, _ in nodes])
        self._below: Flags = np.array([np.isin(self.codes, leaves) for _, leaves in nodes])

    def _read(self, node: Any, nodes: list[tuple[int, list[float]]]) -> tuple[int, list[float]]:
        """The height of a node and the codes below it; it and all nodes below it are added to `nodes`."""
        if isinstance(node, int | float) and not isinstance(node, bool):
            found = (0, [float(node)])
        elif isinstance(node, list) and node:
            parts = [self._read(part, nodes) for part in node]
            found = 1 + max(height for height, _ in parts), [code for _, codes in parts for code in codes]
        else:
            raise SdclabError(f"{self.where}: a node must be a code or a list that is not empty.")
        nodes.append(found)
        return found

    def leaves(self, column: Vector) -> Indices:
        """Which leaf every value of an attribute is."""
        found = np.minimum(np.searchsorted(self.codes, column), len(self.codes) - 1)
        missing = int(np.sum(self.codes[found] != column))
        if missing:
            raise SdclabError(f"{self.where}: {missing} records have a category that is missing from the taxonomy.")
        return found

    def heights(self, present: Flags) -> Vector:
        """For each set of leaves (a row of flags) the height at which all meet, as a share of the tree's height.

        The nodes that hold a set form a chain from the root; the lowest of them is where its leaves meet.
        """
        outside = present.astype(float) @ (~self._below).T.astype(float)
        return np.asarray(np.where(outside == 0, self._heights, np.inf).min(axis=1) / self.height)

    def heights_with_each(self, present: Flags) -> Vector:
        """The height at which one set of leaves meets together with each leaf of the tree."""
        return self.heights(present | np.eye(len(self.codes), dtype=bool))


def split(records: Matrix, taxonomies: Mapping[Any, Any]) -> tuple[Matrix, list[tuple[Taxonomy, Indices]]]:
    """The numeric attributes, and for each categorical one its taxonomy with every record's leaf.

    `taxonomies`: position of the attribute, from 1 -> tree.
    """
    places = {}
    for key, tree in taxonomies.items():
        if not str(key).isdecimal() or not 1 <= int(key) <= records.shape[1]:
            raise SdclabError(f"taxonomies: attribute {key} is unknown; allowed are 1 to {records.shape[1]}.")
        places[int(key) - 1] = Taxonomy(tree, f"taxonomies: attribute {key}")
    numeric = [j for j in range(records.shape[1]) if j not in places]
    return records[:, numeric], [(places[j], places[j].leaves(records[:, j])) for j in sorted(places)]
