"""The farthest and the nearest of the records that remain while others are taken, without looking at all of them.

Records lie in blocks of neighbours, each inside a box. A box bounds how near and how far its records can be, so a
search looks only into blocks that may hold the answer, which is the same as if it had looked everywhere.
"""

import numpy as np

from sdclab.arrays import Indices, Matrix, Vector

FEW = 2000
"""So few records are one block: looking at all of them costs less than choosing where to look."""

BLOCK = 128
"""The most records in one of several blocks."""

LOOK = 4
"""Blocks that are looked into at first, for a bound on the answer."""

ROUNDING = 1e-9
"""Bounds are loosened by this share of the largest squared distance, so that rounding hides no record."""


class Remaining:
    """Records by their squared Euclidean distances; of equals the first in the file counts.

    `gone` is infinite where a record was taken: added to a distance, it puts the record out of reach.
    """

    def __init__(self, points: Matrix) -> None:
        self.points = points
        self._arrange(np.arange(len(points)))

    def __len__(self) -> int:
        return self.size

    def _arrange(self, rest: Indices) -> None:
        self.who, self.gone = _blocks(self.points, rest)
        self.place = np.empty(len(self.points), dtype=np.intp)
        self.place[self.who[self.gone == 0]] = np.flatnonzero(self.gone == 0)
        self.origin, self.size = self.points[rest].mean(axis=0), len(rest)
        self.total = self.origin * self.size
        # attribute × block × record: distances then run over contiguous memory
        self.blocks = np.ascontiguousarray(self.points[self.who].transpose(2, 0, 1))
        self.lengths = self._distances(slice(None), self.origin)
        self.slack = ROUNDING * self.lengths.max()
        # finite also where a block is empty from the start: infinite `empty` puts it out of reach
        self.low, self.high = np.zeros((2, *self.blocks.shape[:2]))
        self.longest, self.empty = np.zeros((2, len(self.who)))
        self._shrink(np.arange(len(self.who)))

    def _shrink(self, those: Indices) -> None:
        """Fit the boxes to what is left in them; `empty` is infinite where nothing is."""
        self.empty[those] = self.gone[those].min(axis=1)
        those = those[self.empty[those] == 0]
        blocks, gone = self.blocks[:, those], self.gone[those]
        self.low[:, those] = (blocks + gone).min(axis=2)
        self.high[:, those] = (blocks - gone).max(axis=2)
        self.longest[those] = (self.lengths[those] - gone).max(axis=1)

    def all(self) -> Indices:
        return np.sort(self.who[self.gone == 0])

    def mean(self) -> Vector:
        return self.total / self.size

    def take(self, chosen: Indices) -> None:
        """Take records away; when enough are gone, the others move together."""
        places = self.place[chosen]
        self.gone.flat[places] = np.inf
        self.total -= self.points[chosen].sum(axis=0)
        self.size -= len(chosen)
        single = len(self.who) == 1  # quick to arrange, and with nothing to choose by its box
        if self.size < (0.9 if single else 0.5) * self.who.size:
            self._arrange(self.all())
        elif not single:
            self._shrink(places // self.who.shape[1])

    def farthest(self, centre: Vector) -> int:
        # of |x|² - 2 c'x + |c|² each term has its largest value; zero is near the middle, where that bounds best
        c, zero = (centre - self.origin)[:, None], self.origin[:, None]
        towards = (c * (np.where(c > 0, self.low, self.high) - zero)).sum(axis=0)
        return int(self._least(-1.0, centre, 1, 2 * towards - self.longest - (c * c).sum())[0])

    def nearest(self, centre: Vector, count: int) -> Indices:
        """In the order of the file, but those at the largest distance behind the others."""
        c = centre[:, None]
        outside = np.maximum(np.maximum(self.low - c, c - self.high), 0.0)
        return self._least(1.0, centre, count, (outside * outside).sum(axis=0))

    def _least(self, sign: float, centre: Vector, count: int, bounds: Vector) -> Indices:
        """The records with the least signed distances from a centre; every block has a lower bound of them."""
        bounds = bounds + self.empty
        order = bounds.argsort()
        looked = max(LOOK, -(-count // self.who.shape[1]))
        who, values = self._look(order, looked, sign, centre)
        reached = _smallest(values, count)
        promising = np.searchsorted(bounds[order], reached + self.slack, side="right")
        if promising > looked:
            who, values = self._look(order, promising, sign, centre)
            reached = _smallest(values, count)
        found = np.flatnonzero(values <= reached)
        if len(found) > 1:
            found = found[np.lexsort((who[found], values[found] == reached))]
        return who[found[:count]]

    def _look(self, order: Indices, count: int, sign: float, centre: Vector) -> tuple[Indices, Vector]:
        """Who is in the first blocks of an order, and their signed distances."""
        among = order[:count] if count < len(order) else slice(None)
        values = sign * self._distances(among, centre) + self.gone[among]
        return self.who[among].ravel(), values.ravel()

    def _distances(self, among: Indices | slice, centre: Vector) -> Matrix:
        difference = self.blocks[:, among] - centre[:, None, None]
        distances: Matrix = np.einsum("jbi,jbi->bi", difference, difference)
        return distances


def _smallest(values: Vector, count: int) -> float:
    """The value that so many do not exceed."""
    return float(values.min() if count == 1 else np.partition(values, count - 1)[count - 1])


def _blocks(points: Matrix, rest: Indices) -> tuple[Indices, Matrix]:
    """Records in blocks, each halved by its widest attribute until they are small; and infinity where there is none."""
    halvings = int(np.ceil(np.log2(len(rest) / BLOCK))) if len(rest) > FEW else 0
    # a box that was not halved along every attribute is as wide as the file and bounds little
    count = 1 << halvings if halvings >= points.shape[1] else 1
    size = -(-len(rest) // count) * count
    # the first records fill up the blocks: there a second time, they are gone from the start
    blocks, gone = np.resize(rest, size)[None], np.where(np.arange(size) < len(rest), 0.0, np.inf)[None]
    while len(blocks) < count:
        widest = np.ptp(points[blocks], axis=1).argmax(axis=1)
        order = points[blocks, widest[:, None]].argsort(axis=1, kind="stable")
        blocks, gone = (np.take_along_axis(each, order, axis=1).reshape(2 * len(each), -1) for each in (blocks, gone))
    return blocks, gone
