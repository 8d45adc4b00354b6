"""From a config to cells: expansion, scenarios, seeds, and what a slip in a config says."""

import numpy as np
import pytest
import yaml
from conftest import PROJECT, S1, SCHEMAS
from hypothesis import given
from hypothesis import strategies as st

from sdclab.base import documents
from sdclab.base.errors import SdclabError
from sdclab.experiment import study as studies
from sdclab.experiment.cell import code_of, run
from sdclab.experiment.grid import Batch, Cell, batches, expand, thinned, values_of
from sdclab.experiment.provenance import code_fingerprint
from sdclab.experiment.scenario import Scenario
from sdclab.microdata.dataset import Dataset
from sdclab.numerics.seeds import seed_of

STUDY = PROJECT / "config" / "studies" / "cano_torra_2009.yaml"


class TestExpansion:
    def test_is_the_product_of_scenarios_and_parameter_values(self):
        grid = [{"method": "a", "parameters": {"c": {"from": 2, "to": 4}, "m": [1.5, 2]}}, {"method": "b"}]
        cells = expand("s", ["S1", "S2"], grid, 10)
        assert len(cells) == 2 * 3 * 2 + 2
        assert cells[0].name == "S1/a/c=2,m=1.5"
        assert cells[-1].name == "S2/b/default"
        assert {cell.replicates for cell in cells} == {10}

    def test_an_entry_may_name_its_scenarios_and_replicates(self):
        (cell,) = expand("s", ["S1", "S2"], [{"method": "a", "scenarios": ["S2"], "replicates": 1}], 10)
        assert (cell.scenario, cell.replicates) == ("S2", 1)

    def test_a_cell_named_twice_is_refused(self):
        with pytest.raises(SdclabError, match="names the cell S1/a/c=2 twice"):
            expand("s", ["S1"], [{"method": "a", "parameters": {"c": [2, 2]}}], 1)

    def test_an_entry_may_ask_for_more_replicates_and_a_bound_holds_for_all(self):
        grid = [{"method": "a", "replicates": 30}, {"method": "b"}]
        assert [cell.replicates for cell in expand("s", ["S1"], grid, 10)] == [30, 10]
        assert [cell.replicates for cell in expand("s", ["S1"], grid, 10, most_replicates=2)] == [2, 2]

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
        kept = thinned(values, most)
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


class TestStudyConfig:
    def load(self, entries, tmp_path, edit):
        text = yaml.safe_load(STUDY.read_text())
        edit(text)
        path = tmp_path / STUDY.name
        path.write_text(yaml.safe_dump(text))
        return studies.load(path, SCHEMAS / "study.schema.yaml", entries)

    def test_the_shipped_study_is_sound(self, entries, tmp_path):
        study = self.load(entries, tmp_path, lambda text: None)
        assert study.scenarios["S1"] == S1
        assert {cell.scenario for cell in study.cells_of("cano_torra_2009_table2")} == {"S1"}

    @pytest.mark.parametrize(
        ("edit", "message"),
        [
            (lambda t: t["grid"].append({"method": "ipso_d"}), "grid: unknown method 'ipso_d': did you mean ipso_"),
            (lambda t: t["grid"][0].update(parameters={"k": 2}), "method ipso_a takes no parameters, but k was given"),
            (lambda t: t["grid"][1].update(parameters={"reading": "x"}), "reading is 'x' but must be one of"),
            (lambda t: t["grid"][0].pop("scenarios"), "method ipso_a: scenario S3 needs the parameter n_independent"),
            (lambda t: t["grid"][0].update(scenarios=["S9"]), "grid: unknown scenario 'S9'"),
            (lambda t: t["measures"].update(pill={}), "unknown measure 'pill': did you mean pil"),
            (lambda t: t["measures"].update(interval={"window": 3}), "window is 3 but must be one of sd, rank"),
            (lambda t: t["scenarios"]["S1"].update(dataset="sensus"), "unknown dataset 'sensus': did you mean census"),
            (lambda t: t["scenarios"]["S1"]["dependent"].append("AGE"), "scenarios.S1: unknown column 'AGE': did you"),
            (lambda t: t["scenarios"]["S1"]["dependent"].append("AGI"), "column AGI is both dependent and independent"),
            (lambda t: t["scenarios"]["S1"]["dependent"].append("FICA"), "scenarios.S1: column FICA is named twice"),
            (lambda t: t["tables"]["cano_torra_2009_table1"].pop("scenario"), "table1: the key 'scenario' is missing"),
            (lambda t: t.update(replicate=3), "unknown key 'replicate': did you mean replicates"),
            (lambda t: t.update(replicates=0), "replicates is 0 but must be at least 1"),
            (lambda t: t.pop("measures"), "the key 'measures' is missing"),
            (lambda t: t.update(study="other"), "study is 'other' but must be the file's name"),
            (lambda t: t["judgements"][0].pop("tolerance"), "judgements.0: the key 'tolerance' is missing"),
            (lambda t: t["judgements"][0].update(tables=["x"]), "judgements: unknown table 'x'"),
            (lambda t: t["tables"]["cano_torra_2009_table1"].update(scenario="S9"), "unknown scenario 'S9'"),
            (
                lambda t: t["figures"]["cano_torra_2009_example"].update(plot="pie"),
                "figures.cano_torra_2009_example: unkn",
            ),
            (lambda t: t["scenarios"]["S1"].pop("dependent"), "scenarios.S1: the key 'dependent' is missing"),
            (
                lambda t: t["scenarios"]["S1"].update(dependent=[]),
                r"scenarios.S1.dependent is \[\] but must be a list of",
            ),
            (
                lambda t: t["judgements"][0].update(rule="fit"),
                "rule is 'fit' but must be one of tolerance, spread, trend",
            ),
        ],
    )
    def test_a_slip_is_named_with_its_key(self, entries, tmp_path, edit, message):
        with pytest.raises(SdclabError, match=message) as refused:
            self.load(entries, tmp_path, edit)
        assert STUDY.name in str(refused.value)

    def test_malformed_yaml_is_named_with_its_line(self, tmp_path):
        path = tmp_path / "study.yaml"
        path.write_text("study: x\ngrid: [a,\nb: {")
        with pytest.raises(SdclabError, match=r"study\.yaml, line 3, column 5: is not valid YAML"):
            documents.parse(path)
        path.write_text("- a list")
        with pytest.raises(SdclabError, match="must hold a mapping"):
            documents.parse(path)
        path.write_bytes(b"a: \xff")
        with pytest.raises(SdclabError, match="is not UTF-8"):
            documents.parse(path)


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

    def test_are_named_by_their_ends(self):
        assert batches(self.cells(3), 5)[0].path == "study/S1/mdav/k=2..k=4"
        assert batches(self.cells(1), 5)[0].path == "study/S1/mdav/k=2"
        two = Cell("study", "S1", "fcrm", {"c": 2, "m": 1.5})
        assert batches([two], 5)[0].path == "study/S1/fcrm/c=2+m=1.5"  # a job with a comma cannot be submitted
