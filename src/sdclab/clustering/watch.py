"""When memberships no longer change, without looking at all of them again and again.

The largest change of a membership is at least that of any one: while the one that changed most when all were last
looked at goes on changing, so do the memberships. Only where it is quiet are all of them compared.
"""

from collections.abc import Iterable

import numpy as np

from sdclab.numerics.arrays import Indices, Mask, Stack, Vector


class Watch:
    """One membership of each of several runs."""

    def __init__(self, runs: int) -> None:
        self.cluster, self.record = np.zeros((2, runs), dtype=np.intp)
        self.value: Vector = np.full(runs, np.nan)

    def only(self, runs: Mask) -> "Watch":
        """The same for some of the runs."""
        chosen = Watch(0)
        chosen.cluster, chosen.record, chosen.value = self.cluster[runs], self.record[runs], self.value[runs]
        return chosen

    def see(self, shares: Stack, total: Stack, part: slice) -> None:
        """Note what the memberships `shares / total` of a part of the records are; those watched may be elsewhere."""
        here = ((self.record >= part.start) & (self.record < part.start + shares.shape[2])).nonzero()[0]
        place = self.record[here] - part.start
        self.value[here] = shares[here, self.cluster[here], place] / total[here, 0, place]

    def quiet(self, before: Vector, epsilon: float) -> Indices:
        """The runs that may have stopped: what is watched is new, or has changed by less than epsilon."""
        return (~(np.abs(self.value - before) >= epsilon)).nonzero()[0]

    def largest_change(self, runs: Indices, pairs: Iterable[tuple[slice, Stack, Stack]]) -> Vector:
        """The largest change of any membership in these runs, which from now on is watched.

        `pairs`: part by part of the records the memberships before and now.
        """
        most = np.zeros(len(runs))
        for part, before, now in pairs:
            change = np.subtract(now, before, out=before).reshape(len(runs), -1)
            np.abs(change, out=change)
            place = change.argmax(axis=1)
            found = change[np.arange(len(runs)), place]
            more = found >= most
            self.cluster[runs[more]], self.record[runs[more]] = np.divmod(place[more], now.shape[2])
            self.record[runs[more]] += part.start
            self.value[runs[more]] = now.reshape(len(runs), -1)[more, place[more]]
            most = np.maximum(most, found)
        return most
