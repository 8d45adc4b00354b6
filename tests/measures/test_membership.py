"""membership: both attacks against brute force, and what they must find and must not."""

import numpy as np
import pytest

from sdclab.clustering.space import Space
from sdclab.measures import Control, Rerun, measure
from sdclab.measures.membership import scored
from sdclab.microdata.attribute import Attribute


def brute_scores(record, released, others, width):
    """Minus the distance to the nearest, and the log ratio of two mean kernels."""
    kernels = [
        np.mean([np.exp(-np.sum((record - each) ** 2) / (2 * width**2)) for each in part])
        for part in (released, others)
    ]
    return -min(np.linalg.norm(record - each) for each in released), np.log(kernels[0] / kernels[1])


def test_scores_against_brute_force(rng):
    inside, released, others = rng.standard_normal((3, 40, 3))
    plain = Space([Attribute(name) for name in "abc"], np.zeros(3), np.ones(3))
    near, dense = scored(plain, inside, released, others, np.full(40, -1), 0.6)
    for i in range(40):
        assert (near[i], dense[i]) == pytest.approx(brute_scores(inside[i], released, others, 0.6))
    _, dense = scored(plain, others, released, others, np.arange(40), 0.6)
    for i in range(40):
        left = np.delete(others, i, axis=0)  # nobody is compared with itself
        assert dense[i] == pytest.approx(brute_scores(others[i], released, left, 0.6)[1])


def told(y, released, others, **options):
    nothing = np.empty((len(others), 0))
    return measure("membership", y, released, y[:, :0], options, control=Control(others, nothing))


def test_a_copy_tells_everything(rng):
    y, others = rng.standard_normal((2, 300, 4))
    found = told(y, y[::-1], others)
    assert (found["membership"], found["membership_tpr"], found["membership_se"]) == (100, 100, 0)


def test_an_independent_sample_tells_nothing():
    """The mean of 30 fresh files; each attack by itself, since the better of two is above 50 by chance."""
    found = []
    for seed in range(30):
        y, released, others = np.random.default_rng(seed).standard_normal((3, 300, 3))
        found.append(told(y, released, others))
    for name in ("membership_distance", "membership_density"):
        assert np.mean([each[name] for each in found]) == pytest.approx(50, abs=1.5)
    within = [abs(each["membership"] - 50) < 3 * each["membership_se"] for each in found]
    assert np.mean(within) > 0.9


def test_density_sees_what_distance_does_not(rng):
    """People live at the corners of a cube of six dimensions, and the release puts them there: how near somebody is to
    the nearest is nobody's secret, but where more live than should, the release had more of them.
    """
    inside, outside = rng.integers(0, 2, (2, 320, 6)) + rng.normal(0, 0.02, (2, 320, 6))
    released = np.round(inside)
    found = told(inside, released, outside)
    assert found["membership_density"] > found["membership_distance"] + 5
    assert found["membership"] == found["membership_density"]


def test_reruns_are_averaged_with_their_spread(rng):
    """Two splits that copy and two that do not: the mean and its standard error by hand."""
    y, others, fresh = rng.standard_normal((3, 200, 3))
    splits = [Rerun(y, others, y), Rerun(y, others, fresh), Rerun(y, others, y), Rerun(y, others, fresh)]
    alone = told(y, fresh, others)["membership_distance"]
    found = measure("membership", y, fresh, y[:, :0], {"splits": 4}, reruns=lambda count: splits[:count])
    assert found["membership"] == found["membership_distance"] == pytest.approx((100 + alone) / 2)
    assert found["membership_se"] == pytest.approx(np.std([100, alone, 100, alone], ddof=1) / 2)
