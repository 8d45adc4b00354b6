"""Tables from the rows of cells: what is not applicable is left out."""

import pandas as pd
import pytest

from sdclab.base.errors import SdclabError
from sdclab.evidence.side_by_side import by_cell
from sdclab.experiment.cell import REFUSED, Cell

NOISE, MDAV = Cell("s", "S", "noise", {"p": 0.1}), Cell("s", "S", "mdav", {"k": 3})


def rows(*reasons):
    about = {"pil": 1.0, REFUSED: None}
    return pd.DataFrame(
        [{"cell": cell.name, **about, REFUSED: why} for cell, why in zip((NOISE, MDAV), reasons, strict=True)]
    )


def test_a_cell_that_is_not_applicable_is_left_out():
    ((cell, frame),) = by_cell(rows("takes numbers.", None), [NOISE, MDAV])
    assert cell is MDAV
    assert frame.to_dict("records") == [{"cell": MDAV.name, "pil": 1.0}]


def test_a_table_of_such_cells_alone_says_why():
    with pytest.raises(SdclabError, match=r"no method of the table is applicable: takes numbers\."):
        by_cell(rows("takes numbers.", "takes numbers."), [NOISE, MDAV])


def test_a_cell_without_rows_is_not_taken_for_one():
    with pytest.raises(KeyError):
        by_cell(rows("takes numbers.", None), [MDAV, Cell("s", "S", "fcrm", {"c": 2})])
