"""The numbers this project answers for: on the originals to the stated precision, on replicas within a few points."""

import numpy as np
import pytest
from conftest import S1, S2

from sdclab.experiment.cell import Cell, run
from sdclab.measures import measure
from sdclab.methods import protect

MEASURED = {"score": {}, "xy": {}, "copy": {}}
POINTS_ON_A_REPLICA = 3


def pil(method, scenario, dataset, parameters={}, replicates=1):
    rows = run(Cell("test", scenario.name, method, parameters, replicates), scenario, dataset, MEASURED)
    return float(np.mean([row["pil"] for row in rows]))


@pytest.mark.parametrize(("scenario", "value"), [(S1, 61.96), (S2, 53.33)], ids=["S1", "S2"])
class TestIpso:
    def test_a(self, census, scenario, value):
        tolerance = 0.01 if census.kind == "original" else POINTS_ON_A_REPLICA
        assert pil("ipso_a", scenario, census) == pytest.approx(value, abs=tolerance)

    def test_b_of_the_thesis_is_a(self, census, scenario, value):
        thesis = pil("ipso_b", scenario, census, {"reading": "thesis"}, 10)
        assert thesis == pytest.approx(pil("ipso_a", scenario, census), abs=0.01)

    def test_b_of_burridge_is_not(self, census, scenario, value):
        assert pil("ipso_b", scenario, census, {"reading": "burridge"}, 10) < value / 2


@pytest.mark.parametrize(("scenario", "value", "tolerance"), [(S1, 13.7, 1), (S2, 10.8, 1)], ids=["S1", "S2"])
def test_ipso_c_loses_quantiles_only(census, scenario, value, tolerance, rng):
    y, x = scenario.split(census)
    parts = measure("pil", y, protect("ipso_c", y, x, rng, {}), x)
    for name in ("mean", "variance", "covariance", "correlation"):
        assert parts[f"pil_{name}"] == pytest.approx(0, abs=1e-8)
    allowed = tolerance if census.kind == "original" else POINTS_ON_A_REPLICA
    assert pil("ipso_c", scenario, census, replicates=10) == pytest.approx(value, abs=allowed)


def test_the_control_beats_every_method_on_the_papers_map_and_is_caught(census):
    """PIL 0 and the least DR, while every record is released verbatim."""
    rows = {
        name: run(Cell("test", "S1", name, {}, 1), S1, census, MEASURED)[0]
        for name in ("ipso_a", "ipso_b", "ipso_c", "permute")
    }
    assert min(rows, key=lambda name: rows[name]["score"]) == "permute"
    assert max(rows, key=lambda name: rows[name]["copy"]) == "permute"
    assert max(rows, key=lambda name: rows[name]["xy"]) == "permute"
