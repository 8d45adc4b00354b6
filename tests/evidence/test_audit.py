"""The audit and the published tables refuse what they cannot read."""

import pytest
from conftest import SCHEMAS

from sdclab.base.errors import SdclabError
from sdclab.evidence import audit, published


def test_a_published_table_that_is_no_csv_is_named(tmp_path):
    for content in (b"a,b\n\xff,1\n", b'a,b\n"1,2\n', b"a,b\n1," + b"2" * 200_000):
        path = tmp_path / "x_2009_table1.csv"
        path.write_bytes(content)
        with pytest.raises(SdclabError, match=r"x_2009_table1\.csv: (is not a CSV file|has \d+ bytes)"):
            published.load(path, SCHEMAS / "published.schema.yaml")


def test_an_option_that_a_check_of_the_audit_does_not_take_is_named():
    table = published.Published("x", ("a",), ({"a": "1"},))
    claim = {"table": "x", "claim": "it is small", "check": "exceeds", "quantity": "a"}
    with pytest.raises(SdclabError, match=r"audit: it is small: check exceeds: .*bond"):
        audit.audit({"x": table}, [{**claim, "bound": 1, "bond": 1}])
    with pytest.raises(SdclabError, match="audit: it is small: check mean_of: names a table, column, row or value"):
        audit.audit({"x": table}, [{**claim, "check": "mean_of", "parts": ["b"]}])
