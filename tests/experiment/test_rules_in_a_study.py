"""Rules of a scenario: releases keep them, or they are counted; a slip is named before anything runs."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from conftest import SCHEMAS, needs_originals

from sdclab.base.errors import SdclabError
from sdclab.experiment.cell import Cell, releases, run
from sdclab.experiment.data import read
from sdclab.experiment.halves import Halves
from sdclab.experiment.provenance import fingerprint
from sdclab.experiment.study import load
from sdclab.microdata.dataset import Dataset
from sdclab.output.plots import PLOTS

IDENTITY = "PTOTVAL = POTHVAL + PEARNVAL"
RULES = [
    IDENTITY,
    "FEDTAX <= TAXINC",
    "TAXINC <= AGI",
    "FEDTAX >= 0",
    "POTHVAL >= 0",
    "PEARNVAL >= 0",
    "FEDTAX <= PTOTVAL + AGI",
]
CENSUS = {
    "dataset": "census",
    "dependent": ["FEDTAX", "TAXINC", "PTOTVAL", "POTHVAL", "PEARNVAL"],
    "independent": ["AGI", "FICA"],
}
METHODS = [("fcrm", {"c": 4}), ("fcrm", {"c": 3, "basis": "rbf", "label": "x_drawn"}), ("ipso_a", {}), ("ipso_c", {})]


@pytest.fixture
def scenario(here, entries):
    """A scenario of Census with rules, or with more said, as a study has it."""

    def scenario(**more):
        given = {
            "study": "s",
            "title": "S",
            "scenarios": {"S": {**CENSUS, "rules": RULES, **more}},
            "measures": {"impossible": {}},
            "replicates": 1,
            "grid": [{"method": "ipso_c"}]
            if "rotate" not in more
            else [{"method": "ipso_c", "parameters": {"n_independent": 1}}],
        }
        Path("s.yaml").write_text(yaml.safe_dump(given))
        return load(Path("s.yaml"), SCHEMAS / "study.schema.yaml", entries, PLOTS).scenarios["S"]

    return scenario


def released(scenario, dataset, method, parameters, seed=5):
    attributes, rules = scenario.attributes(dataset), scenario.ruled(dataset)
    (((y, x), made),) = releases(
        Cell("s", "S", method, parameters), scenario, list(scenario.splits(dataset, {})), seed, attributes, rules
    )
    return y, x, made, rules.broken(np.column_stack([made.values, x]))


@pytest.mark.parametrize(("method", "parameters"), METHODS)
def test_releases_keep_them_and_without_keeping_they_break(scenario, census, method, parameters):
    kept, counted = scenario(), scenario(keep_rules=False)
    *_, made, broken = released(kept, census, method, parameters)
    assert broken == dict.fromkeys(RULES, 0)
    assert made.facts["moved_by_rules"] > 0
    *_, raw, broken = released(counted, census, method, parameters)
    assert sum(broken.values()) > 0
    assert raw.facts["moved_by_rules"] == 0


def test_counted_rules_change_nothing_but_what_is_counted(scenario, census):
    """Identities alone break where every dependent has models of its own; IPSO is linear in Y and keeps them."""
    counted = scenario(keep_rules=False)
    plain = replace(counted, rules=())
    for method, parameters, breaks in (("fcrm", {"c": 4}, True), ("ipso_c", {}, False)):
        y, x, made, broken = released(counted, census, method, parameters)
        ((_, raw),) = releases(Cell("s", "S", method, parameters), plain, [(y, x)], 5)
        np.testing.assert_array_equal(made.values, raw.values)
        assert (broken[IDENTITY] > 0) == breaks


def test_an_identity_leaves_its_column_out_of_the_model(scenario, census):
    """The other dependents are released as if it were not there."""
    kept = scenario(rules=[IDENTITY])
    fewer = replace(kept, rules=(), dependent=tuple(name for name in kept.dependent if name != "PTOTVAL"))
    *_, made, _ = released(kept, census, "ipso_c", {})
    ((_, without),) = releases(Cell("s", "S", "ipso_c", {}), fewer, list(fewer.splits(census, {})), 5)
    np.testing.assert_allclose(np.delete(made.values, 2, axis=1), without.values, rtol=1e-9)
    np.testing.assert_allclose(made.values[:, 2], without.values[:, 2] + without.values[:, 3], rtol=1e-12)
    assert made.facts["moved_by_rules"] == 0


def test_the_measure_counts_records_as_by_hand(scenario, census):
    measured = {"impossible": {}}
    for keep in (True, False):
        given = scenario(keep_rules=keep)
        (row,) = run(Cell("s", "S", "fcrm", {"c": 4}), given, census, measured)
        _, x, made, _ = released(given, census, "fcrm", {"c": 4}, row["seed"])
        fedtax, taxinc, ptotval, pothval, pearnval = made.values.T
        off = np.abs(ptotval - pothval - pearnval) > 1e-6
        off |= (fedtax > taxinc + 1e-4) | (taxinc > x[:, 0] + 1e-4) | (fedtax > ptotval + x[:, 0] + 1e-4)
        off |= (fedtax < 0) | (pothval < 0) | (pearnval < 0)
        assert row["rules_broken"] == pytest.approx(100 * off.mean())
        assert (row["rules_broken"] == 0) == keep


def test_half_splits_keep_them_too(scenario, census):
    given = scenario()
    (split,) = given.splits(census, {})
    rules = given.ruled(census)
    half = Halves("ipso_c", {}, split, None, 3, rules).first
    assert sum(rules.broken(np.column_stack([half.released, half.inside[1]])).values()) == 0


def test_typed_releases_keep_them_inside_their_domains(scenario, here, dataset):
    part = dataset("thyroid")
    known = part.with_values("stand-in", "test", np.maximum(part.values, 0))  # a replica has negative ones
    given = scenario(
        dataset="thyroid", dependent=["TSH", "T3", "FTI"], independent=["T4U", "sex"], rules=["T3 <= FTI"], typed=True
    )
    known.write(Path("d.csv"), Path("d.json"))
    data = read(given, Path("d.csv"), Path("d.json"))
    _, _, made, broken = released(given, data, "ipso_c", {})
    assert broken == {"T3 <= FTI": 0}
    np.testing.assert_array_equal(made.values, made.values.round(3))
    assert made.values.min() >= 0


@needs_originals  # of a replica nothing of the kind is promised
def test_a_rule_that_the_original_breaks_is_refused_with_the_count(scenario, census):
    given = scenario(rules=["FEDTAX <= PTOTVAL"])
    message = "rule 'FEDTAX <= PTOTVAL': the original breaks it in 2 of 1080 records."
    with pytest.raises(SdclabError, match=re.escape(message)):
        run(Cell("s", "S", "ipso_a"), given, census, {"impossible": {}})


@pytest.mark.parametrize(
    ("kind", "refused"), [("original", True), ("own", True), ("replica", False), ("stand-in", False)]
)
def test_of_what_is_only_like_the_original_nothing_is_asked(scenario, census, kind, refused):
    values = census.values.copy()
    values[:5, census.columns.index("FEDTAX")] = -1
    data = Dataset("census", kind, "test", census.columns, values)
    if not refused:
        assert scenario().ruled(data).kept
        return
    with pytest.raises(SdclabError, match=r"rule '.*': the original breaks it in \d+ of 1080 records"):
        scenario().ruled(data)


def test_rules_are_part_of_what_a_cell_is_told(scenario):
    told = [fingerprint(each) for each in (scenario(), scenario(keep_rules=False), scenario(rules=RULES[:2]))]
    assert len(set(told)) == 3


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"rules": ["FEDTAX <= TAXINK"]}, "scenarios.S.rules: rule 'FEDTAX <= TAXINK': unknown column 'TAXINK': did"),
        ({"rules": ["FEDTAX <= WSALVAL"]}, "unknown column 'WSALVAL'"),
        ({"rules": ["FEDTAX"]}, "scenarios.S.rules: rule 'FEDTAX': must have one of =, <= and >="),
        ({"rules": "FEDTAX >= 0"}, "scenarios.S.rules is 'FEDTAX >= 0' but must be of type array"),
        ({"keep_rules": "no"}, "scenarios.S.keep_rules is 'no' but must be of type boolean"),
        ({"rules": ["FEDTAX >= 2", "FEDTAX <= 1"]}, "rules 'FEDTAX >= 2', 'FEDTAX <= 1': contradict each other"),
        ({"rules": ["AGI = 2 * FICA"]}, "rule 'AGI = 2 * FICA': no dependent is left by which it could be kept"),
        ({"dependent": ["FEDTAX"], "rules": ["FEDTAX = AGI"]}, "scenarios.S.rules: give every dependent, so that none"),
        ({"rotate": ["AGI", "FICA"]}, "scenarios.S: rotates the dependent, so it cannot have rules"),
        (
            {"dataset": "thyroid", "dependent": ["T3"], "independent": ["sex"], "typed": True, "rules": ["sex <= T3"]},
            "rule 'sex <= T3': unknown column 'sex'",
        ),
    ],
)  # fmt: skip
def test_a_slip_is_named_before_anything_runs(scenario, more, message):
    with pytest.raises(SdclabError, match=re.escape(message)):
        scenario(**more)


def test_counted_identities_need_no_dependent(scenario):
    """Nothing must be computed from them."""
    assert len(scenario(rules=["AGI = 2 * FICA"], keep_rules=False).rules) == 1
