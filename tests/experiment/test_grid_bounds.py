"""Grids are counted before they are made."""

import pytest
from conftest import expanded

from sdclab.base.errors import SdclabError
from sdclab.experiment.grid import MAX_CELLS, values_of
from sdclab.experiment.limits import Limits


class TestGrids:
    @pytest.mark.parametrize(
        ("choice", "message"),
        [
            ({"from": 1, "to": 10**9}, "a range from 1 to 1000000000 by 1 has more than 100000 values"),
            ({"from": 0, "to": 1, "step": 1e-9}, "has more than 100000 values"),
            ({"from": 0, "to": 1e308, "step": 5e-324}, "has more than 100000 values"),
            ({"from": -(10**400), "to": 10**400}, "has more than 100000 values"),
            ({"from": 0, "to": 1e-13, "step": 1e-14}, "has too small a step"),
        ],
    )
    def test_a_range_is_counted_before_it_is_made(self, choice, message):
        with pytest.raises(SdclabError, match=message):
            values_of(choice)
        with pytest.raises(SdclabError, match=f"study s: grid: method a: c: .*{message}"):
            expanded(["S1"], [{"method": "a", "parameters": {"c": choice}}], 1)

    def test_cells_are_counted_before_they_are_made(self):
        thousand = {"from": 1, "to": 1000}
        grid = [{"method": "a", "parameters": {"c": thousand, "m": thousand, "n": thousand}}]
        with pytest.raises(SdclabError, match=f"study s: grid: method a: .* more than {MAX_CELLS} cells"):
            expanded(["S1"], grid, 1)
        assert len(expanded(["S1"], grid, 1, Limits(values=2))) == 8
        assert len(values_of({"from": 1, "to": MAX_CELLS})) == MAX_CELLS

    def test_a_cells_parameters_fit_into_a_files_name(self):
        with pytest.raises(SdclabError, match=r"cell S1/a/c=x+\.\.\.: its parameters have more than 100 letters"):
            expanded(["S1"], [{"method": "a", "parameters": {"c": "x" * 300}}], 1)
