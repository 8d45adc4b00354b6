"""subgroups against PIL of files that hold one group alone."""

import numpy as np
import pytest

from sdclab.measures import measure
from sdclab.microdata.attribute import Attribute, Attributes

NUMBER = Attribute("number")
REGION = Attribute("region", "nominal", categories=("east", "north", "west"))


def subgroups(original, protected, independent, columns=None):
    return measure("subgroups", original, protected, independent, {}, columns)


def pil(original, protected, rows):
    return measure("pil", original[rows], protected[rows], original[rows][:, :0])["pil"]


@pytest.fixture
def pair(rng):
    original = rng.lognormal(0, 0.6, (200, 2)) @ np.array([[1.0, 0.5], [0.0, 1.0]])
    return original, original + 0.2 * rng.standard_normal(original.shape)


def test_quartiles_are_files_of_their_own(pair, rng):
    x = rng.permutation(200).astype(float)[:, None]
    losses = [pil(*pair, x[:, 0] // 50 == quarter) for quarter in range(4)]
    found = subgroups(*pair, x)
    assert found["subgroups"] == pytest.approx(np.mean(losses))
    assert found["subgroups_worst"] == pytest.approx(max(losses))
    assert found["subgroups_number"] == 4
    assert max(losses) > min(losses) + 1


def test_categories_of_twenty_records_are_groups_and_every_independent_counts_alike(pair, rng):
    codes = rng.permutation(np.repeat([0.0, 1, 2], [19, 20, 161]))
    x = np.column_stack([codes, rng.permutation(200)])
    by_category = [pil(*pair, codes == code) for code in (1, 2)]
    by_quartile = [pil(*pair, x[:, 1] // 50 == quarter) for quarter in range(4)]
    found = subgroups(*pair, x, Attributes((NUMBER, NUMBER), (REGION, NUMBER)))
    assert found["subgroups"] == pytest.approx((np.mean(by_category) + np.mean(by_quartile)) / 2)
    assert found["subgroups_worst"] == pytest.approx(max(by_category + by_quartile))
    assert found["subgroups_number"] == 6


def test_a_spike_is_a_group_of_its_own(pair):
    x = np.append(np.zeros(120), np.arange(1.0, 81))[:, None]
    # the quartiles 0, 0 and 30.25: the spike, what is below the third, and what is not
    groups = [x[:, 0] == 0, (x[:, 0] > 0) & (x[:, 0] < 30.25), x[:, 0] > 30.25]
    losses = [pil(*pair, rows) for rows in groups]
    found = subgroups(*pair, x)
    assert found["subgroups_number"] == 3
    assert found["subgroups"] == pytest.approx(np.mean(losses))


def test_sees_what_the_file_as_a_whole_does_not(rng):
    """Two halves change places: all is kept but where it belongs."""
    x = np.repeat([0.0, 1], 500)[:, None]
    y = rng.normal(3 * x, 1, (1000, 1))
    released = np.roll(y, 500, axis=0)
    assert measure("pil", y, released, x)["pil"] == pytest.approx(0, abs=1e-9)
    assert subgroups(y, released, x, Attributes((NUMBER,), (REGION,)))["subgroups_worst"] > 30


def test_what_is_constant_inside_a_group_does_not_count_there(pair):
    half = np.arange(200) < 100
    constant = np.where(half, 5.0, pair[0][:, 0])
    original, protected = (np.column_stack([each[:, 0], constant]) for each in pair)
    found = subgroups(original, protected, half[:, None].astype(float), Attributes((NUMBER, NUMBER), (REGION,)))
    losses = [pil(original[:, :1], protected[:, :1], half), pil(original, protected, ~half)]
    assert found["subgroups"] == pytest.approx(np.mean(losses))


def test_the_same_distortion_gives_less_in_a_smaller_group(rng):
    """A shift by 0.05 SD is 0.05 sqrt(n) standard errors of the mean: 2.2 of 2,000 records, and half of that of 500."""
    y = rng.standard_normal((2000, 1))
    x = rng.permutation(2000).astype(float)[:, None]
    assert subgroups(y, y + 0.05, x)["subgroups"] < measure("pil", y, y + 0.05, x)["pil"] - 10


@pytest.mark.parametrize(
    ("independent", "columns"),
    [
        (np.empty((200, 0)), None),
        (np.zeros((200, 1)), Attributes((NUMBER, NUMBER), (REGION,))),
        (np.arange(200.0)[:, None] % 3, Attributes((REGION, REGION), (REGION,))),
    ],
    ids=["no independents", "one group", "no numbers"],
)
def test_is_not_defined_without_groups_or_numbers(pair, independent, columns):
    original, protected = pair if columns is None or columns.numbers().any() else np.zeros((2, 200, 2))
    found = subgroups(original, protected, independent, columns)
    assert np.isnan(found["subgroups"])
    assert np.isnan(found["subgroups_worst"])
    assert found["subgroups_number"] == 0
