"""How far a measure depends on its options: every variant differs in one of them from what the tables have."""

import numpy as np
import pytest
from conftest import S2

from sdclab import measures
from sdclab.evidence.sensitivity import IN_THE_TABLES, sensitivity, variants
from sdclab.experiment.cell import releases
from sdclab.experiment.grid import Cell
from sdclab.numerics.seeds import seed_of

OPTIONS = {"interval": {"window": ["rank"]}, "prl": {"bins": [5, 20], "probabilities": ["counted"]}}


def test_variants_change_one_option_each():
    assert list(variants(OPTIONS)) == [
        ("interval.window = rank", {"interval": {"window": "rank"}}),
        ("prl.bins = 5", {"prl": {"bins": 5}}),
        ("prl.bins = 20", {"prl": {"bins": 20}}),
        ("prl.probabilities = counted", {"prl": {"probabilities": "counted"}}),
    ]


def test_all_else_is_as_in_the_tables(census):
    cell = Cell("study", "S2", "noise", {"p": 0.1}, 1)
    spec = {"measure": "dr", "quantity": "dr", "base": {"prl": {"probabilities": "em"}}, "options": OPTIONS}
    rows = {row["variant"]: row for row in sensitivity([cell], S2, census, {cell.name: 10.0}, spec)}
    ((split, made),) = releases(cell, S2, list(S2.splits(census, {})), seed_of("S2", "noise", dict(cell.parameters), 0))
    expected = {
        IN_THE_TABLES: {"prl": {"probabilities": "em"}},
        "interval.window = rank": {"prl": {"probabilities": "em"}, "interval": {"window": "rank"}},
        "prl.bins = 5": {"prl": {"probabilities": "em", "bins": 5}},
        "prl.probabilities = counted": {"prl": {"probabilities": "counted"}},
    }
    for label, options in expected.items():
        ours = measures.measure("dr", split[0], made.values, split[1], options)["dr"]
        assert rows[label][cell.name] == pytest.approx(ours)
    values = [row[cell.name] for row in rows.values()]
    assert len(np.unique(values)) == len(values)
