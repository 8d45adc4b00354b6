"""A study is parsed once: what its file says, what it leaves unsaid, and how a slip in it is answered."""

import copy
import re

import pytest
import yaml
from conftest import PROJECT, S1, SCHEMAS

from sdclab.base import documents
from sdclab.base.errors import SdclabError
from sdclab.experiment.cell import Cell
from sdclab.experiment.judgement import Spread, Tolerance, parse_judgement
from sdclab.experiment.limits import Limits
from sdclab.experiment.selection import Selection
from sdclab.experiment.study import load
from sdclab.experiment.table import parse_tables
from sdclab.output.plots import PLOTS

STUDY = PROJECT / "config" / "studies" / "cano_torra_2009.yaml"


class TestSlips:
    def load(self, entries, tmp_path, edit):
        text = yaml.safe_load(STUDY.read_text())
        edit(text)
        path = tmp_path / STUDY.name
        path.write_text(yaml.safe_dump(text))
        return load(path, SCHEMAS / "study.schema.yaml", entries, PLOTS)

    def test_the_shipped_study_is_sound(self, entries, tmp_path):
        study = self.load(entries, tmp_path, lambda text: None)
        assert study.scenarios["S1"] == S1
        assert {cell.scenario for cell in study.cells_of(study.tables["table2"])} == {"S1"}

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
            (lambda t: t["tables"]["table1"].pop("scenario"), "table1: the key 'scenario' is missing"),
            (lambda t: t.update(replicate=3), "unknown key 'replicate': did you mean replicates"),
            (lambda t: t.update(replicates=0), "replicates is 0 but must be at least 1"),
            (lambda t: t.pop("measures"), "the key 'measures' is missing"),
            (lambda t: t.update(study="other"), "study is 'other' but must be the file's name"),
            (lambda t: t["judgements"][0].pop("tolerance"), "judgements.0: the key 'tolerance' is missing"),
            (lambda t: t["judgements"][0].update(tables=["x"]), "judgements: unknown table 'x'"),
            (lambda t: t["tables"]["table1"].update(scenario="S9"), "unknown scenario 'S9'"),
            (
                lambda t: t["tables"]["table1"].update(cells={"c": 99}),
                "tables.table1: no cell of the grid belongs to it; it must have some",
            ),
            (
                lambda t: t["figures"]["example"].update(plot="pie"),
                "figures.example: unkn",
            ),
            (lambda t: t["scenarios"]["S1"].pop("dependent"), "scenarios.S1: the key 'dependent' is missing"),
            (
                lambda t: t["scenarios"]["S1"].update(dependent=[]),
                r"scenarios.S1.dependent is \[\] but must be a list of",
            ),
            (
                lambda t: t["tables"]["table1"].update(panels=[{"fixd": {}}]),
                "tables.table1.panels.0: unknown key 'fixd': did you mean fixed",
            ),
            (
                lambda t: t["tables"]["table1"].update(panels=[{"fixed": {}, "keys": ["c"]}]),
                "tables.table1.panels.0: unknown key 'keys'",
            ),
            (
                lambda t: t["tables"]["table1"].update(panels=[{"scenario": "S9"}]),
                "tables.table1: unknown scenario 'S9'",
            ),
            (
                lambda t: t["tables"]["table2_v5"].update(variant_of="tabel2"),
                "tables.table2_v5: variant_of: unknown table 'tabel2': did you mean table2",
            ),
            (
                lambda t: t["tables"]["table2_v5"].update(variant_of="table3_inverse"),
                "variant_of: unknown table 'table3_inverse'",
            ),
            (lambda t: t.pop("table_defaults"), "tables.table1: the key 'keys' is missing"),
            (
                lambda t: t["table_defaults"].update(quantites=[]),
                "table_defaults: unknown key 'quantites': did you mean",
            ),
            (
                lambda t: t["figures"]["table2_ru"].update(options={"buy": "c"}),
                "figures.table2_ru: plot ru_map: unknown parameter 'buy': did you mean by",
            ),
            (
                lambda t: t["figures"]["example"].update(options={"c": "two"}),
                "figures.example: plot regression_lines: c is 'two' but must be a list, each entry a whole number",
            ),
            (
                lambda t: t["figures"]["table2_ru"].update(tables=["table9"]),
                "figures.table2_ru: unknown table 'table9'",
            ),
            (lambda t: t["figures"]["example"].update(scenario="S9"), "figures.example: unknown scenario 'S9'"),
            (lambda t: t["sensitivities"]["dr"].update(table="x"), "sensitivities.dr: unknown table 'x'"),
            (
                lambda t: t["sensitivities"]["dr"]["options"].update(intervall={"window": ["rank"]}),
                "sensitivities.dr: measure dr: unknown parameter 'intervall': did you mean interval",
            ),
            (lambda t: t["sensitivities"]["dr"]["cells"].append({"method": "fcmr"}), "unknown method 'fcmr': did you"),
            (
                lambda t: t["measures"].update(score={"dr": {"prl": {"probabilites": "em"}}}),
                "measure score: measure dr: measure prl: unknown parameter 'probabilites': did you mean probabilities",
            ),
            (
                lambda t: t["sensitivities"]["dr"]["options"]["prl"].update(bins=["few"]),
                "sensitivities.dr: measure dr: measure prl: bins is 'few' but must be a whole number",
            ),
            (lambda t: t["notes"][0].update(tables=["x"]), "notes: unknown table 'x'"),
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


def test_a_table_of_which_thinning_leaves_nothing_is_named(entries):
    with pytest.raises(
        SdclabError, match=r"tables\.\w+: no cell of the grid that limits\.values has thinned belongs to"
    ):
        load(STUDY, SCHEMAS / "study.schema.yaml", entries, PLOTS, Limits(values=1))


def test_malformed_yaml_is_named_with_its_line(tmp_path):
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


BASE = {"title": "T", "scenario": "S", "keys": ["method", "c"], "quantities": ["pil"], "ours": {"pil": "loss"}}


class TestTables:
    def parsed(self, tables, defaults={}):
        before = copy.deepcopy((tables, defaults))
        made = parse_tables("s_2009", tables, defaults, "s.yaml")
        assert (tables, defaults) == before
        return made

    def test_are_named_inside_their_study(self):
        table = self.parsed({"table1": BASE})["table1"]
        assert (table.study, table.name, table.published) == ("s_2009", "table1", "s_2009_table1")
        assert self.parsed({"table1": {**BASE, "published": "x"}})["table1"].published == "x"
        ours = self.parsed({"table1": {**BASE, "published": None}})["table1"]
        assert ours.published is None
        assert not ours.in_judgement

    def test_a_plain_table_is_one_panel(self):
        (panel,) = self.parsed({"t": BASE})["t"].panels
        assert (panel.scenario, panel.ours_of("pil")) == ("S", "loss")

    def test_a_panel_adds_to_what_the_table_fixes_and_says_all_else_anew(self):
        spec = {**BASE, "fixed": {"a": 1}, "cells": {"c": [2, 3]}}
        spec["panels"] = [
            {"fixed": {"b": 2}, "cells": {"k": 5}, "suffix": "_x"},
            {"scenario": "R", "ours": {"dr": "r"}},
        ]
        one, other = self.parsed({"t": spec})["t"].panels
        assert (one.fixed, one.cells.values, one.ours_of("pil")) == ({"a": 1, "b": 2}, {"k": [5]}, "loss_x")
        assert (other.scenario, other.fixed, other.ours) == ("R", {"a": 1}, {"pil": "loss", "dr": "r"})

    def test_a_variant_has_all_of_its_table_and_is_not_judged(self):
        variant = {"title": "V", "variant_of": "t", "scenario": "R", "ours": {"dr": "r"}}
        table = self.parsed({"t": {**BASE, "readings": []}, "v": variant}, {"beside": ["xy"]})["v"]
        assert (table.title, table.published, table.judged, table.beside) == ("V", "s_2009_t", False, ("xy",))
        assert (table.panels[0].scenario, table.panels[0].ours) == ("R", {"pil": "loss", "dr": "r"})

    def test_of_what_is_fixed_the_rows_that_say_otherwise_are_not_meant(self):
        (panel,) = self.parsed({"t": {**BASE, "fixed": {"run": "a", "c": 2.0}, "rows": {"d": [1, 2]}}})["t"].panels
        assert panel.shows({"run": "a", "c": "2", "d": "1.0"})
        assert not panel.shows({"run": "b", "c": "2", "d": "1"})
        assert not panel.shows({"run": "a", "c": "3", "d": "1"})
        assert not panel.shows({"run": "a", "c": "2", "d": "3"})
        assert panel.shows({"d": "2"})  # what is not printed is as it is fixed

    def test_a_table_without_methods_in_print_is_answered_by_its_keys(self):
        spec = {**BASE, "keys": ["label"], "scaled": {"label": {"parameter": "p", "times": 10}}}
        (panel,) = self.parsed({"t": spec})["t"].panels
        cell = Cell("s", "S", "noise", {"p": 0.06})
        assert panel.answers(cell, {"label": "0.6"})
        assert not panel.answers(cell, {"label": "0.06"})
        assert not panel.answers(cell, {"label": "0.6", "method": "mdav"})


class TestSelection:
    def test_one_value_need_not_stand_in_a_list(self):
        assert Selection.parse({"run": "b", "c": [2, 4]}) == Selection({"run": ["b"], "c": [2, 4]})

    def test_numbers_are_the_same_however_they_are_written(self):
        chosen = Selection({"p": [0.1], "k": [""]})
        assert chosen.includes({"p": "0.10"})
        assert not chosen.includes({"p": "0.1", "k": 3})
        assert Selection().includes({"p": 1})


class TestJudgements:
    def test_have_the_bounds_of_their_rule_alone(self):
        given = {"rule": "tolerance", "tolerance": 0.05, "relative": True, "because": "x"}
        assert parse_judgement(given).rule == Tolerance(0.05, relative=True)
        assert parse_judgement({"rule": "spread", "sds": 3, "because": "x"}).rule == Spread(3)

    def test_without_names_they_cover_every_number(self):
        scope = parse_judgement({"rule": "not_reproducible", "because": "x", "rows": {"c": 2}}).scope
        assert scope.covers("any", "pil", {"c": "2.0"})
        assert not scope.covers("any", "pil", {"c": "3"})


class TestLimits:
    def test_bound_every_runs_however_deep(self):
        options = {"runs": 20, "c": 5, "search": {"runs": 3, "against": {"a": {"runs": 1}}}, "words": {"runs": "many"}}
        assert Limits(runs=2).options(options) == {
            "runs": 2,
            "c": 5,
            "search": {"runs": 2, "against": {"a": {"runs": 1}}},
            "words": {"runs": "many"},
        }
        assert Limits().options(options) == options

    def test_leave_two_half_splits(self):
        """Of one there is no spread, and the measure would refuse it."""
        assert Limits(runs=1).options({"membership": {"splits": 20}}) == {"membership": {"splits": 2}}
        assert Limits(runs=5).options({"membership": {"splits": 20}}) == {"membership": {"splits": 5}}


def test_the_study_of_the_readme_is_sound(entries, tmp_path):
    text = re.search(r"```yaml\n(.*?)```", (PROJECT / "config" / "README.md").read_text(), re.DOTALL)[1]
    (tmp_path / "smith_2031.yaml").write_text(text)
    study = load(tmp_path / "smith_2031.yaml", SCHEMAS / "study.schema.yaml", entries, PLOTS)
    assert len(study.cells) == 10
    assert [cell.slug for cell in study.cells_of(study.tables["table1"])] == ["p=0.1", "p=0.2"]
