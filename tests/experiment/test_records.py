"""The risk of every record: against brute force, and what is not told."""

import numpy as np
import pandas as pd
import pytest

from sdclab.experiment.records import COLUMNS, risks
from sdclab.measures import Control
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.pairing import pair


def people(n=300, seed=1):
    rng = np.random.default_rng(seed)
    age, town = rng.integers(18, 90, n), rng.choice(["Bonn", "Jena", "Kiel"], n)
    return pd.DataFrame({"age": age, "income": rng.lognormal(7, 1, n), "tax": rng.lognormal(5, 1, n), "town": town})


def released(frame, seed=2):
    rng = np.random.default_rng(seed)
    noise = rng.lognormal(0, 0.3, (2, len(frame)))
    town = frame["town"].where(rng.random(len(frame)) < 0.8, "Jena")
    return frame.assign(income=frame["income"] * noise[0], tax=frame["tax"] * noise[1], town=town)


def told(before, after, others=None, **asked):
    both = pair(Microdata("data.csv", before), Microdata("out.csv", after), **asked)
    control = None if others is None else Control(np.column_stack([numbers(others)]), np.empty((len(others), 0)))
    return pd.DataFrame(risks(both, control))


def numbers(frame):
    return frame[["income", "tax"]].to_numpy()


def apart(one, other, original):
    """Distances by the definition: numbers in SDs, and √(2 / (1 - Σp²)) between two towns."""
    p = original["town"].value_counts(normalize=True)
    squares = np.zeros((len(one), len(other)))
    for name in ("income", "tax"):
        spread = original[name].std(ddof=0)
        squares += ((one[name].to_numpy()[:, None] - other[name].to_numpy()[None]) / spread) ** 2
    differ = one["town"].to_numpy()[:, None] != other["town"].to_numpy()[None]
    return np.sqrt(squares + differ * 2 / (1 - (p**2).sum()))


def test_against_brute_force():
    before = people()
    after = released(before)
    found = told(before, after)
    distances = apart(before, after, before)
    own = distances.diagonal()
    assert list(found) == list(COLUMNS)
    assert found["row"].tolist() == list(range(1, 301))
    np.testing.assert_allclose(found["distance"], own, atol=1e-9)
    np.testing.assert_array_equal(found["rank"], (distances <= own[:, None] + 1e-9).sum(axis=1))
    np.testing.assert_array_equal(found["linked"] > 0, own <= distances.min(axis=1) + 1e-9)
    np.testing.assert_allclose(found["nearest"], distances.min(axis=1), atol=1e-9)
    among = apart(before, before, before)
    np.fill_diagonal(among, np.inf)
    strangers = among.min(axis=1)
    np.testing.assert_allclose(
        found["membership"], [100 * np.mean(strangers > each) for each in distances.min(axis=1)], atol=1e-6
    )
    cells = np.searchsorted(np.quantile(before["age"], np.arange(1, 10) / 10), before["age"], side="right")
    np.testing.assert_array_equal(found["key_cell"], [(cells == cell).sum() for cell in cells])


def test_a_control_takes_the_strangers_place():
    before, others = people()[["income", "tax"]], people(80, seed=5)[["income", "tax"]]
    after = before * 1.01
    found = told(before, after, others)
    scale = numbers(before).std(axis=0)

    def near(frame):
        return [np.linalg.norm((record - numbers(after)) / scale, axis=1).min() for record in numbers(frame)]

    expected = [100 * np.mean(np.array(near(others)) > each) for each in near(before)]
    np.testing.assert_allclose(found["membership"], expected, atol=1e-6)
    assert found["membership"].median() > 80


def test_of_files_of_different_lengths_there_is_no_own_record():
    found = told(people(), released(people())[:250], key=["town"])
    assert list(found) == ["row", "key_cell", "key_cell_released", "nearest", "membership"]
    assert found["key_cell"].tolist() == people()["town"].map(people()["town"].value_counts()).tolist()


def test_rows_are_those_of_the_file():
    before = people(60)
    before.loc[[0, 7], "income"] = np.nan
    found = told(before, released(before), missing="drop")
    assert found["row"].tolist() == [row for row in range(1, 61) if row not in (1, 8)]


def test_many_categories_give_the_same(monkeypatch):
    """Where a tree would be slow all pairs are looked at."""
    before = people(120)
    plain = told(before, released(before))
    monkeypatch.setattr("sdclab.clustering.space.MAX_COLUMNS", 0)
    again = told(before, released(before))
    pd.testing.assert_frame_equal(plain, again, check_exact=False, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_equal_releases_share_a_link(seed):
    """Microaggregated in threes: a link is right once in three times, or not at all."""
    before = people(90, seed)[["income", "tax"]].sort_values("income", ignore_index=True)
    after = before.groupby(np.arange(90) // 3).transform("mean")
    assert set(told(before, after)["linked"].round(9)) <= {0.0, round(1 / 3, 9)}
