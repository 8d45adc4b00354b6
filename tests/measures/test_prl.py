"""prl: which attributes it looks at in wide files."""

import numpy as np

from sdclab.measures import measure, prl


def test_prl_takes_the_attributes_that_agree_least_by_chance():
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.uniform(size=(200, 14)), rng.uniform(size=(200, 12)) < 0.05]).astype(float)
    x = x[:, rng.permutation(26)]
    chosen = prl.informative(x)
    assert [len(np.unique(x[:, j])) > 2 for j in range(26)] == [j in chosen for j in range(26)]
    y = x + 0.05 * rng.normal(size=x.shape)
    narrow = measure("prl", x[:, chosen], y[:, chosen], x[:, :0])
    assert measure("prl", x, y, x[:, :0], {"attributes": "informative"}) == narrow


def test_up_to_twenty_are_all_taken():
    x = np.random.default_rng(0).normal(size=(60, 9))
    y = x + 0.2 * np.random.default_rng(1).normal(size=x.shape)
    assert measure("prl", x, y, x[:, :0], {"attributes": "informative"}) == measure("prl", x, y, x[:, :0])
    assert prl.informative(np.zeros((5, 20))).tolist() == list(range(20))
