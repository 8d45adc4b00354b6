"""Half-splits: who is inside, who is outside, and what attacks on a cell's method find."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import S1, needs_originals

from sdclab.base.errors import SdclabError
from sdclab.experiment.cell import Cell, run
from sdclab.experiment.halves import Halves
from sdclab.experiment.scenario import Scenario
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.dataset import Dataset


def numbered(n=41):
    """Records that are told by their number."""
    return np.arange(n, dtype=float)[:, None] * [1.0, 2.0], np.arange(n, dtype=float)[:, None] * 3.0


class TestHalves:
    def test_every_record_is_inside_or_outside(self):
        halves = Halves("permute", {}, numbered(), None, 1)
        for number in range(3):
            half = halves.half(number)
            inside, outside = half.inside[0][:, 0], half.outside[0][:, 0]
            assert (len(inside), len(outside)) == (21, 20)
            assert sorted([*inside, *outside]) == list(range(41))
            assert sorted(half.released[:, 0]) == sorted(inside)
            np.testing.assert_array_equal(half.inside[1][:, 0], 3 * inside)
            np.testing.assert_array_equal(half.outside[1][:, 0], 3 * outside)

    def test_each_is_another_one_and_the_same_again(self):
        made = [
            Halves("permute", {}, numbered(), None, seed).half(k).released
            for seed, k in ((1, 0), (1, 0), (1, 1), (2, 0))
        ]
        np.testing.assert_array_equal(made[0], made[1])
        assert not np.array_equal(made[0], made[2])
        assert not np.array_equal(made[0], made[3])

    def test_releases_fit_their_domain(self):
        whole = Attributes((Attribute("a", "count", low=0), Attribute("b", "count", low=0)), (Attribute("c"),))
        released = Halves("noise", {"p": 1.0}, numbered(), whole, 1).half(0).released
        assert (released == np.round(released)).all()
        assert (released >= 0).all()


def records(rng, n=400):
    x = rng.standard_normal((n, 2))
    y = x @ rng.standard_normal((2, 4)) + rng.standard_normal((n, 4))
    return Dataset("made", "own", "made", tuple("abcdxy"), np.column_stack([y, x]))


OWN = Scenario.of_file(tuple("abcd"), tuple("xy"))
ATTACKS = {"singling_out": {}, "linkability": {}, "inference": {}}


def measured(cell, scenario, dataset, measures):
    """What some measures say of a cell, on average over its replicates."""
    rows = run(cell, scenario, dataset, measures)
    return {name: np.mean([row[name] for row in rows]) for name in rows[0] if name.startswith(tuple(measures))}


def attacked(cell, scenario, dataset, splits=20):
    return measured(cell, scenario, dataset, {"membership": {"splits": splits}})


class TestCells:
    def test_a_method_that_gives_away_its_records_and_one_that_does_not(self, rng):
        dataset = records(rng, 1200)  # moments kept exactly tell a little of few records
        found = {method: attacked(Cell("s", "own", method), OWN, dataset, 6) for method in ("permute", "ipso_c")}
        assert found["permute"]["membership"] == found["permute"]["membership_tpr"] == 100
        assert found["ipso_c"]["membership"] == pytest.approx(50, abs=3)
        assert found["ipso_c"]["membership_tpr"] < 5
        assert 0 < found["ipso_c"]["membership_se"] < 2

    def test_attacks_with_the_other_half_as_control(self, rng):
        dataset = records(rng)
        found = {method: measured(Cell("s", "own", method), OWN, dataset, ATTACKS) for method in ("permute", "ipso_c")}
        for name in ATTACKS:
            assert found["permute"][name] > 95
            assert found["ipso_c"][f"{name}_low"] <= 0 <= found["ipso_c"][f"{name}_high"] + 5
            assert abs(found["ipso_c"][name]) < 15

    def test_an_intruder_of_a_typed_file_knows_its_keys(self, rng):
        """Who knows x and y, released as they are, learns everything from a release with little noise."""
        whole = records(rng)
        typed = replace(whole, attributes=tuple(Attribute(name) for name in whole.columns))
        scenario = Scenario.of_file(tuple("abcd"), tuple("xy"), keys=("x", "y"), targets=("a",))
        cell = Cell("s", "own", "noise", {"p": 0.001})
        assert run(cell, scenario, typed, {"inference": {}})[0]["inference"] > 95
        assert run(cell, scenario, typed, {"disclosure": {}})[0]["uio"] > 0

    def test_a_study_may_name_them_among_its_measures(self, rng):
        """Beside others, which still see the release of all records; the same seed gives the same row."""
        cell, dataset = Cell("s", "own", "noise", {"p": 0.2}, replicates=2), records(rng, 200)
        measured = {"pil": {}, "membership": {"splits": 3}, "linkability": {}}
        rows = run(cell, OWN, dataset, measured)
        assert rows == run(cell, OWN, dataset, measured)
        assert rows[0]["pil"] == run(cell, OWN, dataset, {"pil": {}})[0]["pil"]
        assert rows[0]["membership"] != rows[1]["membership"]
        assert {"linkability", "linkability_low", "membership_tpr_se"} <= set(rows[0])

    def test_what_cannot_run_on_half_of_the_records_says_so(self, rng):
        with pytest.raises(SdclabError, match="method mdav"):
            attacked(Cell("s", "own", "mdav", {"k": 30}), OWN, records(rng, 40))


@pytest.mark.slow
@needs_originals
def test_census(census):
    """Twenty half-splits a replicate: FCRM gives its records away as a permutation does, IPSO does not."""
    found = {
        method: attacked(Cell("s", "S1", method, parameters, replicates=replicates), S1, census)["membership"]
        for method, parameters, replicates in (("permute", {}, 2), ("fcrm", {"c": 8}, 2), ("ipso_c", {}, 5))
    }
    assert found["permute"] > 99
    assert found["fcrm"] > 85
    assert found["ipso_c"] == pytest.approx(50, abs=3)
