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
from sdclab.experiment.ranking import aim_of, may_be_made, trade_off
from sdclab.measures import MEASURES
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.roles import Roles


def test_a_file_without_numbers_is_mapped(rng):
    regions = np.array(["east", "north", "west"])[rng.integers(0, 3, (80, 2))]
    table = Microdata("in.csv", pd.DataFrame(regions, columns=["home", "work"]))
    made = choice.choose(prepare(table, Roles.of(table)))
    assert {"pram", "hybrid", "mdav"} <= {row["method"] for row in made.ranked}
    assert all(np.isnan(row["pil"]) and row["tables"] >= 0 for row in made.ranked)


def test_a_method_that_cannot_run_on_half_of_the_records_is_mapped_without_its_membership():
    table = Microdata("in.csv", attributes(60))
    made = choice.choose(prepare(table, Roles.of(table)), ["mdav"])
    found = {row["parameters"]: row["membership"] for row in made.ranked}
    assert np.isnan(found["k=50"])
    assert found["k=5"] > 50
    assert made.ranked[-1]["parameters"] == "k=50"  # what is not known keeps no limit


def test_what_is_asked_for_is_measured():
    table = Microdata("in.csv", attributes(60))
    roles = Roles.of(table, independent=["tax"], keys=["tax"])
    aim = aim_of("ci_loss", "rep_u", ["detection_auc <= 99", "membership_tpr <= 100"])
    made = choice.choose(prepare(table, roles), ["noise"], aim=aim)
    assert all(np.isfinite(row[name]) for row in made.ranked for name in aim.quantities)
    assert [row["ci_loss"] for row in made.ranked] == sorted(row["ci_loss"] for row in made.ranked)


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
        told = [int(each) for each in re.findall(r"k=(\d+) would", trade_off(row, made.ranked))]
        assert told == [tried[j] for j in (i - 1, i + 1) if 0 <= j < len(tried)]


@pytest.mark.parametrize("replicates", [0, 1001])
def test_replicates_have_bounds(replicates):
    table = Microdata("in.csv", attributes(60))
    with pytest.raises(SdclabError, match=f"replicates is {replicates} but must lie between 1 and 1000"):
        choice.choose(prepare(table, Roles.of(table)), ["mdav"], replicates)


def test_whose_command_is_shown():
    assert may_be_made({"method": "mdav", "intact": 0.0})
    assert not may_be_made({"method": "mdav", "intact": 25.0})  # protect would refuse
    assert not may_be_made({"method": "permute", "intact": 0.0})  # a control
