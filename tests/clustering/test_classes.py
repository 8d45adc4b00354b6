"""Clusters as classes of a release."""

import numpy as np
import pandas as pd
import pytest

from sdclab.clustering.classes import at_means, classes
from sdclab.clustering.k_member import Normalised, k_member
from sdclab.methods import mdav, protect


def test_at_means_by_hand():
    x = np.array([[1.0, 10.0], [11.0, 30.0], [3.0, 20.0], [13.0, 40.0]])
    made = at_means(x, [np.array([0, 2]), np.array([1, 3])])
    assert made.tolist() == [[2, 15], [12, 35], [2, 15], [12, 35]]


@pytest.mark.parametrize("method", ["mdav", "k_member"])
def test_microaggregation_releases_the_means_of_its_clusters(method, rng):
    """Against the means by pandas."""
    x = rng.normal(size=(60, 3))
    clusters = mdav.clusters(x, 4) if method == "mdav" else k_member(Normalised.of(x, {}), 4, None)
    label = np.empty(60, dtype=int)
    for i, members in enumerate(clusters):
        label[members] = i
    expected = pd.DataFrame(x).groupby(label).transform("mean").to_numpy()
    made = protect(method, x, x[:, :0], rng, {"k": 4})
    np.testing.assert_allclose(made, expected, rtol=0, atol=1e-12)
    assert len(classes(made)) == len(clusters)
