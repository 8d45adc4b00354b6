"""gaps: shares of missing values and their patterns, by hand and by counting."""

from collections import Counter

import numpy as np
import pytest

from sdclab.measures import measure
from sdclab.microdata.attribute import Attribute, Attributes

GAP = np.nan
REGION = Attribute("region", "nominal", categories=("east", "north"), gaps=True)


def gaps(original, protected, independent=None, columns=None):
    beside = np.empty((len(original), 0)) if independent is None else independent
    return measure("gaps", original, protected, beside, {}, columns)


def test_by_hand():
    """As many gaps, but together: of four records one that has both, and one that has none, are new."""
    original = np.array([[GAP, 1], [2, GAP], [3, 3], [4, 4.0]])
    protected = np.array([[GAP, GAP], [2, 2], [3, 3], [4, 4.0]])
    assert gaps(original, protected) == {"gaps": 50, "gaps_original": 25, "gaps_protected": 25}
    assert gaps(original, original[::-1])["gaps"] == 0
    assert gaps(original, np.nan_to_num(original)) == {"gaps": 50, "gaps_original": 25, "gaps_protected": 0}
    assert gaps(original, GAP * original)["gaps"] == 100


def test_which_gaps_of_independents_they_go_with():
    x, y = np.array([[GAP], [1.0]]), np.array([[GAP], [2.0]])
    assert gaps(y, y[::-1])["gaps"] == 0
    assert gaps(y, y[::-1], x)["gaps"] == 100


@pytest.mark.parametrize("columns", [None, Attributes((Attribute("a"), REGION, REGION), (Attribute("b"),))])
def test_equals_counting_of_all_types(rng, columns):
    values = rng.integers(0, 2, (2, 200, 4)).astype(float)
    values[rng.random(values.shape) < [0.1, 0.3, 0.5, 0.2]] = GAP
    values[1, :, 3] = values[0, :, 3]
    first, second = (Counter(map(tuple, np.isnan(each).tolist())) for each in values)
    expected = 100 * sum(abs(first[each] - second[each]) for each in first | second) / 2 / 200
    original, protected = values[:, :, :3]
    found = gaps(original, protected, values[0, :, 3:], columns)
    assert expected > 5
    assert found["gaps"] == pytest.approx(expected)
    assert found["gaps_original"] == pytest.approx(100 * np.isnan(original).sum() / 600)
