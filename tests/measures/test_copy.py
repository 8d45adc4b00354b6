"""copy: crowding, and the one rule for when a release copies."""

import numpy as np
import pytest

from sdclab.measures import measure
from sdclab.measures.copy import copies, crowding


def test_crowding():
    """Half the records have a twin within 1 % of an SD, and half none within 10 %."""
    x = np.array([0.0, 0.001, 5.0, 9.0])[:, None]
    assert crowding(x) == 50
    assert crowding(np.arange(10.0)[:, None]) == 0


class TestCopies:
    @pytest.mark.parametrize("seed", range(5))
    def test_crowding_explains_what_is_drawn_afresh(self, seed):
        """In one dimension nearly all lie near another; which side of that a fresh sample falls on is chance."""
        rng = np.random.default_rng(seed)
        x, fresh = rng.normal(size=(2, 400, 1))
        assert crowding(x) > 90
        assert not copies(measure("copy", x, fresh, x[:, :0]))

    def test_a_permutation_is_marked_where_records_lie_apart(self):
        x = np.random.default_rng(0).normal(size=(300, 4))
        found = measure("copy", x, x[::-1], x[:, :0])
        assert found["crowding"] == crowding(x) < 5
        assert copies(found)

    @pytest.mark.parametrize(
        ("copied", "crowded", "marked"),
        [(50, 0, False), (51, 0, True), (59, 20, False), (61, 20, True), (98.1, 97.9, False), (100, 97.9, False)],
    )
    def test_by_hand(self, copied, crowded, marked):
        assert copies({"copy": copied, "crowding": crowded}) is marked
