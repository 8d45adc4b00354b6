"""Choosing a method: the ranking, the best of a method, samples."""

import numpy as np

from sdclab.experiment import choice
from sdclab.measures import MEASURES
from sdclab.microdata.dataset import Dataset


def test_the_best_of_a_method_and_its_trade_off():
    """By hand: among three points the copy has the best score and is passed over."""
    numbers = {3: (1.0, 9.0, 90.0), 5: (8.0, 6.0, 5.0), 10: (30.0, 2.0, 1.0)}
    rows = [
        {"method": "mdav", "parameters": f"k={k}", "score": (pil + dr) / 2, "pil": pil, "dr": dr, "copy": copied,
         "xy": 60.0, "dataset_kind": "own", "crowding": 20.0, "intact": 0, "intact_records": 0,
         "intact_extremes": np.nan}
        for k, (pil, dr, copied) in numbers.items()
    ]  # fmt: skip
    ranked = choice.ranking(choice.points(rows))
    assert [row["parameters"] for row in ranked] == ["k=3", "k=5", "k=10"]
    (row,) = choice.best(ranked)
    assert row["parameters"] == "k=5"
    assert choice.trade_off(row, ranked) == (
        "balanced: loses 8.0 (PIL) and gives away 6.0 (DR); breaks the relations with the independents (xy 60); "
        "k=3 would change PIL -7.0, DR +3.0; k=10 would change PIL +22.0, DR -4.0"
    )
    crowded = [{**row, "crowding": 95.0} for row in rows]
    assert choice.best(choice.ranking(choice.points(crowded)))[0]["parameters"] == "k=3"
    intact = [{**row, "intact": 50.0 * (row["parameters"] == "k=3")} for row in crowded]
    (row,) = choice.best(choice.ranking(choice.points(intact)))
    assert row["parameters"] == "k=5"


def test_a_sample_is_a_sample():
    whole = Dataset("d", "own", "d", ("a",), np.arange(1000.0)[:, None])
    part = choice.sampled(whole, 100).values[:, 0]
    assert len(set(part)) == 100
    assert np.all(np.diff(part) > 0)
    assert abs(part.mean() - 499.5) < 90  # three standard errors
    assert choice.sampled(whole, 1000) is whole


def test_every_measure_of_the_map_exists():
    for name, options in choice.MEASURED.items():
        MEASURES.checked(name, options)
