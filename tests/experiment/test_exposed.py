"""What is released as it is gives away, whatever the method."""

import numpy as np
import pandas as pd
import pytest

from sdclab.experiment.exposed import warnings
from sdclab.experiment.file import prepare
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.roles import Roles


@pytest.fixture
def frame(rng):
    n = 200
    wages, interest = rng.gamma(2, 1000, n).round(2), rng.gamma(1, 50, n).round(2)
    towns = np.array(["Bonn", "Jena", "Kiel", "Ulm"])[rng.integers(0, 4, n)]
    land = np.where(np.isin(towns, ["Bonn"]), "west", np.where(towns == "Jena", "east", "rest"))
    return pd.DataFrame({"wages": wages, "interest": interest, "total": wages + interest, "town": towns, "land": land})


def warned(frame, **roles):
    table = Microdata("in.csv", frame)
    found = warnings(prepare(table, Roles.of(table, **roles)))
    assert all(line.startswith("whatever the method, ") for line in found)
    return [line.removeprefix("whatever the method, ") for line in found]


def test_a_total_whose_parts_are_released_as_they_are(frame):
    (unique, told) = warned(frame, dependent=["total"], independent=["wages", "interest"], dropped=["town", "land"])
    assert unique == "100 % of the records are unique on the columns that are released as they are: wages, interest"
    assert told == "total can be computed from what is released as it is (wages, interest): R² 1.00000"
    parts = {"dependent": ["total"], "pass_through": ["wages", "interest", "town"], "dropped": ["land"]}
    assert any("total can be computed" in line for line in warned(frame, **parts))


def test_a_category_that_another_tells(frame):
    roles = {"dependent": ["land", "wages"], "independent": ["town"], "dropped": ["interest", "total"]}
    assert warned(frame, **roles) == ["land can be read off town, which is released as it is"]
    assert warned(frame, **{**roles, "dependent": ["town", "wages"], "independent": ["land"]}) == []


def test_nothing_to_tell(frame):
    assert warned(frame) == []
    assert warned(frame, dependent=["wages"], independent=["town"], dropped=["interest", "total", "land"]) == []


def test_keys_are_looked_at_if_they_are_named(frame):
    (line,) = warned(frame.drop(columns=["total"]), keys=["wages"])
    assert line == "100 % of the records are unique on the keys: wages"


def test_chance_computes_nothing(rng):
    """As many regressors as records fit anything."""
    wide = pd.DataFrame(rng.normal(size=(30, 20))).rename(columns="v{}".format)
    roles = {"dependent": ["v0"], "independent": [f"v{i}" for i in range(1, 20)]}
    assert not any("computed" in line for line in warned(wide, **roles))
