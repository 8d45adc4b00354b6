"""Taxonomies of categorical attributes, whose heights say how far categories lie apart.

Byun, Kamra, Bertino & Li (2007), Efficient k-anonymization using clustering techniques; Ahmed & Rauf (2016), equation
5.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from sdclab.base.describe import Doc
from sdclab.base.errors import SdclabError, shortened
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics.arrays import Indices, Matrix, Vector

Flags = NDArray[np.bool_]
Taxonomies = Annotated[
    Mapping[str, Any],
    Doc(
        "trees over the categories of dependents: position, from 1, and tree, as in {2: [[1, 2], 3]}; where columns "
        "have types, names will do for both, and where they have none, a tree makes a dependent categorical"
    ),
]


class Taxonomy:
    """A tree over categories: a category is a leaf, a list of nodes is a node above them.

    `[[1, 2], [3, [4, 5]]]` has height 3; 4 and 5 meet at height 1, 3 and 4 at height 2, 2 and 3 at the root. A leaf is
    a code, or one of the `names` that stand in the order of the codes.
    """

    def __init__(self, tree: Any, where: str = "taxonomy", names: Sequence[str] = ()) -> None:
        self.where, self.names = where, names
        nodes: list[tuple[int, list[float]]] = []
        self.height, codes = self._read(tree, nodes)
        if self.height == 0:
            raise SdclabError(f"{where}: a taxonomy must be a list of categories, not a single one.")
        if len(set(codes)) < len(codes):
            raise SdclabError(f"{where}: a category stands in the taxonomy twice; each must have one place.")
        self.codes: Vector = np.sort(codes)
        self._heights = np.array([height for height, _ in nodes])
        self._below: Flags = np.array([np.isin(self.codes, leaves) for _, leaves in nodes])

    @classmethod
    def flat(cls, size: int) -> "Taxonomy":
        """Of codes from 0 on, any two of which meet at the root."""
        return cls(list(range(size)))

    def _read(self, node: Any, nodes: list[tuple[int, list[float]]]) -> tuple[int, list[float]]:
        """The height of a node and the codes below it; it and all nodes below it are added to `nodes`."""
        if isinstance(node, int | float | str) and not isinstance(node, bool):
            found = (0, [self._code(node)])
        elif isinstance(node, list) and node:
            parts = [self._read(part, nodes) for part in node]
            found = 1 + max(height for height, _ in parts), [code for _, codes in parts for code in codes]
        else:
            raise SdclabError(f"{self.where}: a node must be a code or a list that is not empty.")
        nodes.append(found)
        return found

    def _code(self, leaf: float | str) -> float:
        if not self.names and not isinstance(leaf, str):
            return float(leaf)
        if str(leaf) in self.names:
            return float(self.names.index(str(leaf)))
        if self.names:
            raise SdclabError(f"{self.where}: {shortened(str(leaf))} is none of its {len(self.names)} categories.")
        raise SdclabError(f"{self.where}: a node must be a code or a list that is not empty.")

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
        """The height at which one set of leaves, given by flags, meets together with each leaf of the tree."""
        holding = ~(present & ~self._below).any(axis=1)
        below, heights = self._below[holding], self._heights[holding]
        return np.asarray(np.where(below, heights[:, None], np.inf).min(axis=0) / self.height)

    def coordinates(self) -> Matrix:
        """A point for each leaf; squared Euclidean distances are the heights at which leaves meet, as above.

        A node counts for the leaves below it by how much higher the node above it is: on the way from a leaf to where
        it meets another these steps add up to the height.
        """
        holds_it = self._below[:, self._below.argmax(axis=1)].T
        above = np.where(holds_it & (self._heights > self._heights[:, None]), self._heights, np.inf).min(axis=1)
        inner = np.isfinite(above)  # all nodes but the root
        steps = (above - self._heights)[inner] / self.height
        return np.asarray(self._below[inner].T * np.sqrt(steps / 2))


def placed(p: int, taxonomies: Mapping[Any, Any], columns: Attributes | None = None) -> dict[int, Taxonomy]:
    """The taxonomies of p attributes, by their places from 0 on; of a nominal one without a tree it is flat.

    `taxonomies`: position of the attribute, from 1, or its name if `columns` tells it -> tree.
    """
    about = columns.dependent if columns else [Attribute(str(j + 1)) for j in range(p)]
    found = {j: Taxonomy.flat(len(each.categories)) for j, each in enumerate(about) if each.type == "nominal"}
    names = [each.name for each in about]
    for key, tree in taxonomies.items():
        place = names.index(str(key)) if str(key) in names else int(key) - 1 if str(key).isdecimal() else -1
        if not 0 <= place < p:
            allowed = f"1 to {p}{', or ' + ', '.join(names) if columns else ''}"
            raise SdclabError(f"taxonomies: attribute {key} is unknown; allowed are {allowed}.")
        found[place] = Taxonomy(tree, f"taxonomies: attribute {key}", about[place].categories)
    return dict(sorted(found.items()))


def split(
    records: Matrix, taxonomies: Mapping[Any, Any], columns: Attributes | None = None
) -> tuple[Matrix, list[tuple[Taxonomy, Indices]]]:
    """The numeric attributes, and for each categorical one its taxonomy with every record's leaf."""
    places = placed(records.shape[1], taxonomies, columns)
    numeric = [j for j in range(records.shape[1]) if j not in places]
    return records[:, numeric], [(each, each.leaves(records[:, j])) for j, each in places.items()]
