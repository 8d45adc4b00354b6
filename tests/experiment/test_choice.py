"""Choosing a method: the ranking, the best of a method, samples."""

import re

import numpy as np
import pandas as pd
import pytest
from samples import attributes

from sdclab import methods
from sdclab.base.errors import SdclabError
from sdclab.experiment import choice
from sdclab.experiment.file import prepare
from sdclab.measures import MEASURES
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.roles import Roles


def test_the_best_of_a_method_and_its_trade_off():
    """By hand: among three points the copy has the best score and is passed over."""
    numbers = {3: (1.0, 9.0, 90.0), 5: (8.0, 6.0, 5.0), 10: (30.0, 2.0, 1.0)}
    rows = [
        {"method": "mdav", "parameters": f"k={k}", "score": (pil + dr) / 2, "pil": pil, "dr": dr, "copy": copied,
         "xy": 60.0, "dataset_kind": "own", "crowding": 20.0, "intact": 0, "intact_records": 0,
         "intact_extremes": np.nan, "tables": 5.0}
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


def test_a_file_without_numbers_is_ranked_by_its_tables(rng):
    regions = np.array(["east", "north", "west"])[rng.integers(0, 3, (80, 2))]
    table = Microdata("in.csv", pd.DataFrame(regions, columns=["home", "work"]))
    made = choice.choose(prepare(table, Roles.of(table)))
    assert made.loss == "tables"
    assert {"pram", "hybrid", "mdav"} <= {row["method"] for row in made.ranked}
    for row in made.ranked:
        assert row["score"] == pytest.approx((row["tables"] + row["dr"]) / 2)
        assert f"loses {row['tables']:.1f} (tables)" in choice.trade_off(row, made.ranked)


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


def test_lines_carry_their_cells_and_the_order_of_the_grid():
    """Of a slug nothing is looked up again: the parameters are those that ran, and so are the neighbours."""
    table = Microdata("in.csv", attributes(60))
    made = choice.choose(prepare(table, Roles.of(table)), ["mdav", "hybrid"])
    tried = [row["cell"].parameters["k"] for row in made.lines if row["method"] == "mdav"]
    assert tried == [k for k in methods.grid("mdav")["k"] if k <= 60]
    assert [row["parameters"] for row in made.lines] == [row["cell"].slug for row in made.lines]
    assert (made.records, made.seen) == (60, 60)
    assert made.explored.refusals()[0] == "mdav (k=100): k is 100 but must lie between 1 and the number of records, 60."
    for i, k in enumerate(tried):
        row = next(row for row in made.ranked if row["method"] == "mdav" and row["cell"].parameters["k"] == k)
        told = [int(each) for each in re.findall(r"k=(\d+) would", choice.trade_off(row, made.ranked))]
        assert told == [tried[j] for j in (i - 1, i + 1) if 0 <= j < len(tried)]


@pytest.mark.parametrize("replicates", [0, 1001])
def test_replicates_have_bounds(replicates):
    table = Microdata("in.csv", attributes(60))
    with pytest.raises(SdclabError, match=f"replicates is {replicates} but must lie between 1 and 1000"):
        choice.choose(prepare(table, Roles.of(table)), ["mdav"], replicates)


def test_whose_command_is_shown():
    assert choice.may_be_made({"method": "mdav", "intact": 0.0})
    assert not choice.may_be_made({"method": "mdav", "intact": 25.0})  # protect would refuse
    assert not choice.may_be_made({"method": "permute", "intact": 0.0})  # a control
