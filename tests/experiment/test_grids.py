"""From a grid to cells: expansion, limits, scenarios, seeds, batches."""

import numpy as np
import pytest
from conftest import S1, expanded
from hypothesis import given
from hypothesis import strategies as st

from sdclab.base.errors import SdclabError
from sdclab.experiment.cell import Cell, code_of, run
from sdclab.experiment.grid import Batch, batches, values_of
from sdclab.experiment.limits import Limits
from sdclab.experiment.provenance import code_fingerprint
from sdclab.experiment.scenario import Scenario
from sdclab.microdata.dataset import Dataset
from sdclab.numerics.seeds import seed_of


class TestExpansion:
    def test_is_the_product_of_scenarios_and_parameter_values(self):
        grid = [{"method": "a", "parameters": {"c": {"from": 2, "to": 4}, "m": [1.5, 2]}}, {"method": "b"}]
        cells = expanded(["S1", "S2"], grid, 10)
        assert len(cells) == 2 * 3 * 2 + 2
        assert cells[0].name == "S1/a/c=2,m=1.5"
        assert cells[-1].name == "S2/b/default"
        assert {cell.replicates for cell in cells} == {10}

    def test_an_entry_may_name_its_scenarios_and_replicates(self):
        (cell,) = expanded(["S1", "S2"], [{"method": "a", "scenarios": ["S2"], "replicates": 1}], 10)
        assert (cell.scenario, cell.replicates) == ("S2", 1)

    def test_a_cell_named_twice_is_refused(self):
        with pytest.raises(SdclabError, match="names the cell S1/a/c=2 twice"):
            expanded(["S1"], [{"method": "a", "parameters": {"c": [2, 2]}}], 1)

    def test_an_entry_may_ask_for_more_replicates_and_a_bound_holds_for_all(self):
        grid = [{"method": "a", "replicates": 30}, {"method": "b"}]
        assert [cell.replicates for cell in expanded(["S1"], grid, 10)] == [30, 10]
        assert [cell.replicates for cell in expanded(["S1"], grid, 10, Limits(replicates=2))] == [2, 2]

    def test_an_empty_range_is_refused(self):
        with pytest.raises(SdclabError, match="a range from 5 to 2 is empty"):
            values_of({"from": 5, "to": 2})
        assert values_of({"from": 0.1, "to": 0.5, "step": 0.1}) == [0.1, 0.2, 0.3, 0.4, 0.5]

    def test_ranges_have_both_ends(self):
        assert values_of({"from": 2, "to": 81}) == list(range(2, 82))
        assert values_of({"from": 0.0, "to": 0.2, "step": 0.02})[-1] == pytest.approx(0.2)
        assert values_of("x") == ["x"]

    @given(st.lists(st.integers(), min_size=1, max_size=90, unique=True), st.integers(1, 12))
    def test_thinning_keeps_order_and_ends(self, values, most):
        kept = Limits(values=most).fewer(values)
        assert len(kept) == min(most, len(values))
        assert kept == [value for value in values if value in kept]
        assert kept[0] == values[0]
        assert most == 1 or kept[-1] == values[-1]


class TestSeeds:
    def test_a_cells_rows_do_not_depend_on_how_many_there_are(self, census):
        few, many = (run(Cell("s", "S1", "ipso_c", {}, count), S1, census, {"pil": {}}) for count in (1, 3))
        assert few[0] == many[0]
        assert len({row["pil"] for row in many}) == 3


class TestCells:
    def test_a_row_carries_its_provenance(self, census):
        (row,) = run(Cell("s", "S1", "noise", {"p": 0.1}, 1), S1, census, {"pil": {}})
        assert row["fingerprint"] == census.fingerprint
        assert row["dataset_kind"] == census.kind
        assert row["parameters"] == "p=0.1"
        assert row["seed"] == seed_of("S1", "noise", {"p": 0.1}, 0)
        assert "numpy" in row["versions"]

    def test_the_code_fingerprint_sees_what_a_cell_uses_and_nothing_else(self, tmp_path, monkeypatch):
        before = {name: code_of(name, {"score": {}}) for name in ("mdav", "hybrid_micro", "noise")}
        from sdclab.experiment import provenance

        real = provenance._source

        def changed(module):
            return real(module) + (b"# changed" if module == "sdclab.methods.mdav" else b"")

        monkeypatch.setattr(provenance, "_source", changed)
        after = {name: code_of(name, {"score": {}}) for name in before}
        assert [before[name] == after[name] for name in before] == [False, False, True]

    def test_the_fingerprint_follows_measures_into_their_parts(self, monkeypatch):
        from sdclab.experiment import provenance

        before = code_fingerprint(["sdclab.measures.score"])
        real = provenance._source
        monkeypatch.setattr(provenance, "_source", lambda m: b"" if m == "sdclab.measures.prl" else real(m))
        assert code_fingerprint(["sdclab.measures.score"]) != before


class TestScenario:
    def toy(self, values):
        return Dataset("toy", "original", "toy.csv", ("a", "b", "c"), np.asarray(values, dtype=float))

    def test_splits_by_name(self):
        data = self.toy(np.arange(15).reshape(5, 3) ** 2)
        y, x = Scenario("T", "toy", ("c", "a"), ("b",)).split(data)
        np.testing.assert_array_equal(y[1], [25, 9])
        np.testing.assert_array_equal(x[1], [16])

    @pytest.mark.parametrize(
        ("values", "dependent", "independent", "message"),
        [
            (np.eye(5, 3), ("a", "d"), (), "scenario T: unknown column 'd'"),
            (np.eye(5, 3), ("a",), ("a",), "column a is both dependent and independent"),
            (np.eye(3), ("a",), ("b", "c"), "toy has 3 records for 3 attributes; more records than attributes"),
            ([[1, 2, 7]] * 4 + [[2, 3, 7]], ("a",), ("b", "c"), "column c of toy is constant"),
        ],
    )
    def test_says_what_is_unfit(self, values, dependent, independent, message):
        with pytest.raises(SdclabError, match=message):
            Scenario("T", "toy", dependent, independent).split(self.toy(values))


class TestBatches:
    def cells(self, count: int, method: str = "mdav") -> list[Cell]:
        return [Cell("study", "S1", method, {"k": k}) for k in range(2, 2 + count)]

    @given(count=st.integers(1, 40), most=st.integers(1, 10))
    def test_hold_every_cell_once_in_order_and_nearly_equally_many(self, count, most):
        made = batches(self.cells(count), most)
        assert [cell for batch in made for cell in batch.cells] == self.cells(count)
        sizes = [len(batch.cells) for batch in made]
        assert max(sizes) <= most
        assert max(sizes) - min(sizes) <= 1
        assert len({batch.path for batch in made}) == len(made)

    def test_do_not_mix_methods_even_if_the_grid_does(self):
        one, other = self.cells(2), self.cells(1, "noise")
        assert batches([one[0], *other, one[1]], 5) == [Batch(tuple(one)), Batch(tuple(other))]

    def test_mix_methods_where_that_is_asked_for(self):
        one, other = self.cells(2), self.cells(1, "noise")
        (made,) = batches([one[0], *other, one[1]], 5, mixed=True)
        assert made.methods == ["mdav", "noise"]
        found = batches([*one, *other], 2, mixed=True)
        assert [each.path for each in found] == ["study/S1/mdav/k=2", "study/S1/mdav..noise/k=3..k=2"]

    @given(count=st.integers(1, 12), most=st.integers(1, 10))
    def test_that_are_mixed_have_names_of_their_own(self, count, most):
        cells = [cell for pair in zip(self.cells(count), self.cells(count, "noise"), strict=True) for cell in pair]
        made = batches(cells, most, mixed=True)
        assert [cell for batch in made for cell in batch.cells] == cells
        assert len({batch.path for batch in made}) == len(made)

    def test_are_named_by_their_ends(self):
        assert batches(self.cells(3), 5)[0].path == "study/S1/mdav/k=2..k=4"
        assert batches(self.cells(1), 5)[0].path == "study/S1/mdav/k=2"
        two = Cell("study", "S1", "fcrm", {"c": 2, "m": 1.5})
        assert batches([two], 5)[0].path == "study/S1/fcrm/c=2+m=1.5"  # a job with a comma cannot be submitted
