"""The records that remain while clusters take theirs: who is farthest, who is nearest, without looking at all of them.

Records lie in blocks of neighbours, each inside a box. A box bounds how far its records can be, so a search for the
farthest looks only into blocks that may hold it; the nearest come from a tree. Both find what looking everywhere would.
"""

from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from sdclab.clustering.blocks import blocks
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector
from sdclab.numerics.ties import RELATIVE, largest_of, slack, smallest

FEW = 20_000
"""So few records are one block: looking at all of them costs less than choosing where to look."""

BLOCK = 100
"""The most records in one of several blocks."""

MAY_TIE = 16 * RELATIVE
"""Squared distances that differ by less, relative to the largest square, may be equal: they are then computed anew."""


class Remaining:
    """Records by their Euclidean distances; of equals the first in the file counts.

    The squared distance |x|² - 2 c'x + |c|² is linear in (x, |x|²): one product of matrices gives it for a block, or
    a bound of it for all boxes. A record that was taken has |x|² = -inf, which puts it out of reach.
    """

    def __init__(self, points: Matrix) -> None:
        self.points = points
        self.here = np.ones(len(points), dtype=bool)
        self._arrange()

    def __len__(self) -> int:
        return self.size

    def all(self) -> Indices:
        return self.here.nonzero()[0]

    def mean(self) -> Vector:
        return self.total / self.size

    def _arrange(self) -> None:
        self.rest = self.all()
        self.size, self.origin = len(self.rest), self.points[self.rest].mean(axis=0)
        self.total = self.origin * self.size
        self.tree = cKDTree(self.points[self.rest])
        self.who, extra = self._blocks()
        self.place = np.empty(len(self.points), dtype=np.intp)
        self.place[self.who[~extra]] = np.flatnonzero(~extra)
        x = self.points[self.who] - self.origin
        squares = np.einsum("bij,bij->bi", x, x)
        self.slack = MAY_TIE * float(squares.max())
        squares[extra] = -np.inf
        # (attributes, then the square) × block × record
        self.lifted = np.ascontiguousarray(np.dstack([x, squares]).transpose(2, 0, 1))
        # (least values, greatest values, greatest square) × block; only the last is kept up to date, which is enough
        self.boxes = np.vstack([x.min(axis=1).T, x.max(axis=1).T, squares.max(axis=1)])

    def _blocks(self) -> tuple[Indices, Mask]:
        """Who is in which block (block × record), and where somebody stands a second time to fill it."""
        # a box that was not halved along every attribute is as wide as the file and bounds little
        one = self.size <= max(FEW, BLOCK << self.points.shape[1] - 1)
        parts = blocks(self.points[self.rest], self.size if one else BLOCK)
        width = max(map(len, parts))
        who = self.rest[np.stack([np.resize(part, width) for part in parts])]
        return who, np.arange(width) >= np.array([len(part) for part in parts])[:, None]

    def farthest(self, centre: Vector) -> int:
        c = -2 * (centre - self.origin)
        weights = np.concatenate([c, [1.0]])
        who, lifted = self.who, self.lifted
        if len(who) > 1:
            bounds = np.concatenate([np.minimum(c, 0), np.maximum(c, 0), [1.0]]) @ self.boxes
            reached = (weights @ lifted[:, bounds.argmax()]).max()
            among = (bounds >= reached - self.slack).nonzero()[0]
            who, lifted = who[among], lifted.take(among, axis=1)
        values = weights @ lifted.reshape(len(weights), -1)
        found = who.ravel()[(values >= values.max() - self.slack).nonzero()[0]]
        if len(found) == 1:
            return int(found[0])
        found.sort()
        return int(found[largest_of(self._distances(found, centre))])

    def _distances(self, who: Indices, centre: Vector) -> Vector:
        # attribute by attribute: in whatever company a record is, its distance is rounded the same way
        difference = np.ascontiguousarray(self.points[who].T) - centre[:, None]
        distances: Vector = np.sqrt(np.einsum("ji,ji->i", difference, difference))
        return distances

    def take(self, centres: Sequence[int], count: int) -> list[Indices]:
        """Let each centre, a record, in turn take its nearest away, itself the first of them.

        They come in the order of the file, but those at the largest distance behind the others.
        """
        taken = []
        for centre, far, who in zip(centres, *self._listed(centres, 2 * count + 8), strict=True):
            taken.append(self._nearest(centre, far, who, count))
            self.here[taken[-1]] = False
        self._leave(np.concatenate(taken))
        return taken

    def _listed(self, centres: Sequence[int], count: int) -> tuple[Matrix, Indices]:
        """Distances to the nearest that were here when the tree was built, and who they are (centre × record)."""
        distances, places = self.tree.query(self.points[centres], k=min(count, len(self.rest)))
        return np.asarray(distances), self.rest[places]

    def _nearest(self, centre: int, far: Vector, who: Indices, count: int) -> Indices:
        """The nearest that are here, from a list of the nearest that were."""
        here = self.here[who].nonzero()[0][: count + 1]
        if len(here) > count:
            *before, last, beyond = far[here[-3:]]
            if min([beyond - last, *(last - each for each in before)]) > slack(beyond):  # no tie at the end
                chosen = who[here[:count]]
                chosen[:-1].sort()
                return chosen
        return self._nearest_of_equals(centre, far, who, count)

    def _nearest_of_equals(self, centre: int, far: Vector, who: Indices, count: int) -> Indices:
        """The same where others may be as near as the last of them, or the list is too short."""
        point = self.points[centre]
        here = self.here[who].nonzero()[0]
        while len(here) < count:
            (far,), (who,) = self._listed([centre], 4 * len(who))
            here = self.here[who].nonzero()[0]
        last = far[here[count - 1]]
        near = self.rest[self.tree.query_ball_point(point, last + 2 * slack(last))]
        near = np.sort(near[self.here[near]])
        return near[smallest(self._distances(near, point), count)]

    def _leave(self, taken: Indices) -> None:
        """When enough are gone, the others move together."""
        self.total -= self.points[taken].sum(axis=0)
        self.size -= len(taken)
        if 0 < self.size < 0.6 * len(self.rest):
            self._arrange()
        elif self.size:
            blocks, slots = np.divmod(self.place[taken], self.who.shape[1])
            self.lifted[-1, blocks, slots] = -np.inf
            if len(self.who) > 1:
                self.boxes[-1, blocks] = self.lifted[-1, blocks].max(axis=1)
