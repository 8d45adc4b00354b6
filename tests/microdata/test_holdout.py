"""A control: what it must have, and people who must not be in it."""

import numpy as np
import pandas as pd
import pytest

from sdclab.base.errors import SdclabError
from sdclab.microdata.holdout import holdout
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.pairing import pair


def people(n, seed, towns=("Bonn", "Jena", "Kiel")):
    rng = np.random.default_rng(seed)
    frame = {"income": rng.lognormal(7, 1, n), "age": rng.integers(18, 90, n), "town": rng.choice(towns, n)}
    return pd.DataFrame(frame)


ORIGINAL = people(200, 1)
RELEASED = ORIGINAL.assign(income=ORIGINAL["income"] + 1)


def held(control, original=ORIGINAL, released=RELEASED, missing="refuse"):
    both = pair(Microdata("data.csv", original), Microdata("out.csv", released))
    return holdout(both, Microdata("holdout.csv", control), missing)


def test_has_the_columns_that_are_compared_in_their_order():
    control = people(60, 2)
    found = held(control[["town", "age", "income"]].assign(more=1))
    assert found.columns == ("income", "age", "town")
    np.testing.assert_array_equal(found.values[:, :2], control[["income", "age"]])
    assert [("Bonn", "Jena", "Kiel")[int(code)] for code in found.values[:, 2]] == control["town"].tolist()


@pytest.mark.parametrize(
    ("control", "message"),
    [
        (people(49, 2), r"holdout\.csv: a control must have at least 50 records, but has 49"),
        (people(60, 2).drop(columns="age"), r"holdout\.csv: a control must have the columns .*, but lacks age"),
        (people(60, 2).assign(age="young"), r"column age holds text in row 1, but numbers in the original"),
        (people(60, 2).assign(town=1), r"holdout\.csv: 60 values of column town are not among its categories"),
        (people(60, 2, ("Bonn", "Ulm")), r"holdout\.csv: \d+ values of column town are not among its categories"),
        (people(60, 2).assign(age=np.nan), r"holdout\.csv: row 1, column age is missing"),
        (
            pd.concat([people(80, 2), ORIGINAL[:7]], ignore_index=True),
            r"holdout\.csv: 7 of its 87 records are those of data\.csv, where chance explains 0; a control must be",
        ),
    ],
)
def test_bad_ones(control, message):
    with pytest.raises(SdclabError, match=message):
        held(control)


def test_gaps_are_dropped_if_asked_for():
    control = people(60, 2)
    control.loc[3, "age"] = np.nan
    assert len(held(control, missing="drop").values) == 59


class TestRecordsThatComeBackByChance:
    """Codes of few categories: strangers have the same records."""

    @staticmethod
    def coded(n, seed):
        rng = np.random.default_rng(seed)
        return pd.DataFrame({name: rng.choice(["x", "y", "z", "w", "v"], n) for name in "abcd"})

    def test_strangers_are_taken(self):
        original = self.coded(300, 1)
        assert len(held(self.coded(200, 2), original, self.coded(300, 3)).values) == 200

    def test_the_same_people_are_not(self):
        original = self.coded(300, 1)
        with pytest.raises(SdclabError, match=r"200 of its 200 records are those of data\.csv, where chance explains"):
            held(original[:200], original, self.coded(300, 3))
