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
from sdclab.microdata.dataset import number
from sdclab.microdata.tree import Node, tree_of
from sdclab.numerics.arrays import Indices, Matrix, Vector

Flags = NDArray[np.bool_]
Taxonomies = Annotated[
    Mapping[str, Any],
    Doc(
        "trees over the categories of dependents: position, from 1, and tree, as in {2: [[1, 2], 3]}; where columns "
        "have types, names will do for both, and where they have none, a tree makes a dependent categorical; it goes "
        "before the taxonomy of a type"
    ),
]


class Taxonomy:
    """A tree over categories: a category is a leaf, a list of nodes is a node above them.

    `[[1, 2], [3, [4, 5]]]` has height 3; 4 and 5 meet at height 1, 3 and 4 at height 2, 2 and 3 at the root. A leaf is
    a code, or one of the `names` that stand in the order of the codes; so is a node, if it has a code.
    """

    def __init__(self, tree: Any, where: str = "taxonomy", names: Sequence[str] = ()) -> None:
        self.where, self.names = where, names
        root = tree if isinstance(tree, Node) else tree_of(tree, where)
        nodes = list(root.walk())
        codes = {leaf: self._code(leaf) for leaf in root.leaves}
        self.height = root.height
        self.codes: Vector = np.sort(list(codes.values()))
        self._heights = np.array([node.height for node in nodes])
        self._below: Flags = np.array([np.isin(self.codes, [codes[leaf] for leaf in node.leaves]) for node in nodes])
        inner = {label: names.index(label) for label in root.inner if label in names}
        self._codes: Vector = np.array([(inner if node.below else codes).get(node.label, np.nan) for node in nodes])
        self.can_generalise = bool(np.isfinite(self._codes).all())

    @classmethod
    def flat(cls, size: int) -> "Taxonomy":
        """Of codes from 0 on, any two of which meet at the root."""
        return cls(list(range(size)))

    def _code(self, leaf: str) -> float:
        if leaf in self.names:
            return float(self.names.index(leaf))
        if leaf.isdecimal() and int(leaf) < len(self.names):
            return float(leaf)
        if self.names:
            raise SdclabError(f"{self.where}: {shortened(leaf)} is none of its {len(self.names)} categories.")
        try:
            return number(leaf)
        except ValueError:
            raise SdclabError(f"{self.where}: a node must be a code or a list that is not empty.") from None

    def leaves(self, column: Vector) -> Indices:
        """Which leaf every value of an attribute is."""
        self._check(column, self.codes)
        return np.searchsorted(self.codes, column)

    def check(self, released: Vector) -> None:
        """Refuse what is neither a category nor a node above some."""
        self._check(released, self._codes)

    def _check(self, column: Vector, known: Vector) -> None:
        missing = int(np.sum(~np.isin(column, known)))
        if missing:
            raise SdclabError(f"{self.where}: {missing} records have a category that is missing from the taxonomy.")

    def heights(self, present: Flags) -> Vector:
        """For each set of leaves (a row of flags) the height at which all meet, as a share of the tree's height."""
        return np.asarray(self._heights[self._meeting(present, self._below)] / self.height)

    def generalised(self, codes: Vector, groups: Indices) -> Vector:
        """For every group the code of the lowest node above all of its codes, which may be those of nodes, too."""
        present = np.zeros((int(groups.max()) + 1, len(self._codes)), dtype=bool)
        present[groups, self._places(codes)] = True
        at_or_above = self._above() | np.eye(len(self._codes), dtype=bool)
        return np.asarray(self._codes[self._meeting(present, at_or_above.T)])

    def height_of(self, codes: Vector) -> Vector:
        """How high leaves and nodes stand, as a share of the tree's height."""
        return np.asarray(self._heights[self._places(codes)] / self.height)

    def _places(self, codes: Vector) -> Indices:
        order = np.argsort(self._codes)
        return order[np.searchsorted(self._codes[order], codes)]

    def _meeting(self, present: Flags, held: Flags) -> Indices:
        """For each set of leaves or nodes the node where all meet; `held` says what every node holds.

        The nodes that hold a set form a chain from the root; the lowest of them is where it meets.
        """
        outside = present.astype(float) @ (~held).T.astype(float)
        return np.asarray(np.where(outside == 0, self._heights, np.inf).argmin(axis=1))

    def _above(self) -> Flags:
        """For each node those above it."""
        holds_it = self._below[:, self._below.argmax(axis=1)].T
        return np.asarray(holds_it & (self._heights > self._heights[:, None]))

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
        above = np.where(self._above(), self._heights, np.inf).min(axis=1)
        inner = np.isfinite(above)  # all nodes but the root
        steps = (above - self._heights)[inner] / self.height
        return np.asarray(self._below[inner].T * np.sqrt(steps / 2))


def placed(p: int, taxonomies: Mapping[Any, Any], columns: Attributes | None = None) -> dict[int, Taxonomy]:
    """The taxonomies of p attributes, by their places from 0 on: as given, by their types, or flat if they are nominal.

    `taxonomies`: position of the attribute, from 1, or its name if `columns` tells it -> tree.
    """
    about = columns.dependent if columns else [Attribute(str(j + 1)) for j in range(p)]
    found = {j: _of_type(each) for j, each in enumerate(about) if each.type == "nominal"}
    names = [each.name for each in about]
    for key, tree in taxonomies.items():
        place = names.index(str(key)) if str(key) in names else int(key) - 1 if str(key).isdecimal() else -1
        if not 0 <= place < p:
            allowed = f"1 to {p}{', or ' + ', '.join(names) if columns else ''}"
            raise SdclabError(f"taxonomies: attribute {key} is unknown; allowed are {allowed}.")
        found[place] = Taxonomy(tree, f"taxonomies: attribute {key}", about[place].categories)
    return dict(sorted(found.items()))


def _of_type(attribute: Attribute) -> Taxonomy:
    if attribute.taxonomy is None:
        return Taxonomy.flat(len(attribute.categories))
    return Taxonomy(attribute.taxonomy, f"taxonomy of {attribute.name}", attribute.categories)


def split(
    records: Matrix, taxonomies: Mapping[Any, Any], columns: Attributes | None = None
) -> tuple[Matrix, list[tuple[Taxonomy, Indices]]]:
    """The numeric attributes, and for each categorical one its taxonomy with every record's leaf."""
    places = placed(records.shape[1], taxonomies, columns)
    numeric = [j for j in range(records.shape[1]) if j not in places]
    return records[:, numeric], [(each, each.leaves(records[:, j])) for j, each in places.items()]
