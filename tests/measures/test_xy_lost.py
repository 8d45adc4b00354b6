"""xy_lost: the share of the relations with independents that is gone, whatever the number of records."""

import numpy as np
import pytest

from sdclab.measures import measure
from sdclab.microdata.attribute import Attribute, Attributes


def related(rng, n, slope=1.0):
    x = rng.standard_normal((n, 2))
    return slope * x + rng.standard_normal((n, 2)), x


def lost(original, released, x, columns=None):
    return measure("xy", original, released, x, {}, columns)["xy_lost"]


@pytest.mark.parametrize("n", [300, 20_000])
def test_a_shuffle_loses_all_and_a_copy_nothing(rng, n):
    y, x = related(rng, n)
    assert lost(y, rng.permutation(y), x) == pytest.approx(100, abs=8)
    assert lost(y, y, x) == 0


def test_noise_loses_what_it_takes_from_the_correlations(rng):
    """Closed form: noise of variance v beside y of variance 2 shrinks correlations by sqrt(2 / (2 + v))."""
    y, x = related(rng, 50_000)
    for v in (0.5, 2.0, 8.0):
        expected = 100 * (1 - np.sqrt(2 / (2 + v))) ** 2
        assert lost(y, y + np.sqrt(v) * rng.standard_normal(y.shape), x) == pytest.approx(expected, abs=1)


def test_it_does_not_grow_with_the_number_of_records(rng):
    """The loss in standard errors does: a change that is hardly one is all at last."""
    found = []
    for n in (500, 50_000):
        y, x = related(rng, n)
        released = 0.97 * y + 0.25 * rng.standard_normal(y.shape)
        found.append(measure("xy", y, released, x))
    assert found[1]["xy"] > found[0]["xy"] + 20
    assert max(each["xy_lost"] for each in found) < 3


def test_where_there_is_no_relation_none_is_lost(rng):
    y, x = related(rng, 400, slope=0.0)
    assert lost(y, rng.permutation(y), x) == 0


def test_categories_count(rng):
    region = rng.integers(0, 3, 1000).astype(float)
    y = rng.normal(region, 1)[:, None]
    columns = Attributes((Attribute("wage"),), (Attribute("region", "nominal", categories=("a", "b", "c")),))
    assert lost(y, rng.permutation(y), region[:, None], columns) == pytest.approx(100, abs=5)
    assert np.isnan(lost(y, y, y[:, :0]))
