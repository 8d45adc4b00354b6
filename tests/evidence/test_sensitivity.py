"""How far a measure depends on its options: every variant differs in one of them from what the tables have."""

import numpy as np
import pytest
from conftest import S2

from sdclab import measures
from sdclab.evidence.answers import printed
from sdclab.evidence.published import Published
from sdclab.evidence.sensitivity import sensitivity
from sdclab.experiment.cell import Cell, releases
from sdclab.experiment.study import IN_THE_TABLES, Sensitivity
from sdclab.experiment.table import parse_tables
from sdclab.numerics.seeds import seed_of

OPTIONS = {"interval": {"window": ["rank"]}, "prl": {"bins": [5, 20], "probabilities": ["counted"]}}


CELL = Cell("study", "S2", "noise", {"p": 0.1}, 1)


def of(base) -> Sensitivity:
    return Sensitivity("study", "dr", "DR", "S2", "table1", (CELL,), "dr", "dr", base, OPTIONS)


def test_variants_change_one_option_each():
    assert list(of({}).variants.items()) == [
        (IN_THE_TABLES, {}),
        ("interval.window = rank", {"interval": {"window": "rank"}}),
        ("prl.bins = 5", {"prl": {"bins": 5}}),
        ("prl.bins = 20", {"prl": {"bins": 20}}),
        ("prl.probabilities = counted", {"prl": {"probabilities": "counted"}}),
    ]


def test_takes_what_is_printed_for_its_cells():
    table = {"title": "x", "scenario": "S2", "keys": ["method", "p"], "quantities": ["dr"]}
    rows = tuple({"method": "noise", "p": p, "dr": dr} for p, dr in (("0.2", "9"), ("0.1", "8.5"), ("0.3", "")))
    panels = parse_tables("study", {"table1": table}, {}, "")["table1"].panels
    cells = [Cell("study", "S2", "noise", {"p": p}) for p in (0.1, 0.2, 0.3, 0.4)]
    found = printed(Published("x", ("method", "p", "dr"), rows), cells, panels, "dr")
    assert list(found.items()) == [("S2/noise/p=0.1", 8.5), ("S2/noise/p=0.2", 9.0)]


def test_all_else_is_as_in_the_tables(census):
    cell, variants = CELL, of({"prl": {"probabilities": "em"}}).variants
    rows = {row["variant"]: row for row in sensitivity([cell], S2, census, {cell.name: 10.0}, "dr", "dr", variants)}
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
