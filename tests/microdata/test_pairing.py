"""Two tables to be compared: which columns, which records, in which roles."""

import numpy as np
import pandas as pd
import pytest

from sdclab.base.errors import SdclabError
from sdclab.microdata.declaration import Declared
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.pairing import pair
from sdclab.microdata.roles import Roles

BEFORE = pd.DataFrame({"age": [30, 41, 57, 63], "income": [1.5, 2.5, 3.5, 9.5], "tax": [1, 2, 5, 3]}).astype(float)
AFTER = BEFORE.assign(income=[2.0, 2.0, 6.5, 6.5], tax=[1.5, 1.5, 4.0, 4.0])


def table(name, frame):
    return Microdata(name, frame.reset_index(drop=True))


def paired(before=BEFORE, after=AFTER, *asked, **options):
    return pair(table("before.csv", before), table("after.csv", after), *asked, **options)


@pytest.mark.parametrize(
    ("asked", "roles"),
    [
        (((), ()), Roles(("income", "tax"), ("age",))),  # what the release did not change is independent
        ((("tax",), ()), Roles(("tax",), ())),
        ((("tax", "income"), ("age",)), Roles(("tax", "income"), ("age",))),
        (((), ("age",)), Roles(("income", "tax"), ("age",))),
        (((), ("tax",)), Roles(("age", "income"), ("tax",))),
    ],
)
def test_roles(asked, roles):
    """The third used to compare nothing at all: the independents were taken for all that was to be compared."""
    found = paired(BEFORE, AFTER, *asked)
    assert found.roles == roles
    np.testing.assert_array_equal(found.original.select(roles.used, ""), BEFORE[list(roles.used)])
    np.testing.assert_array_equal(found.released.select(roles.used, ""), AFTER[list(roles.used)])


def test_a_file_that_was_not_changed_is_all_dependent():
    assert paired(BEFORE, BEFORE).roles == Roles(("age", "income", "tax"), ())


def test_columns_in_another_order_and_of_one_file_alone():
    found = paired(BEFORE.assign(name="x"), AFTER[["tax", "age", "income"]].assign(extra=1))
    assert found.original.columns == found.released.columns == ("age", "income", "tax")
    assert found.left_out == {"name": "holds text in before.csv, first in row 1", "extra": "is not in before.csv"}


class TestCategories:
    before = BEFORE.assign(town=["Jena", "Bonn", "Jena", "Bonn"], flag=[0, 1, 1, 0])

    def test_are_compared_by_the_codes_of_the_original(self):
        after = AFTER.assign(town=["Bonn", "Bonn", "Jena", "Jena"], flag=[0, 1, 1, 0])
        found = paired(self.before, after)
        assert found.roles == Roles(("income", "tax", "town"), ("age", "flag"))
        assert found.original.select(["town"], "")[:, 0].tolist() == [1, 0, 1, 0]
        assert found.released.select(["town"], "")[:, 0].tolist() == [0, 0, 1, 1]
        assert [each.type for each in found.attributes.dependent] == ["continuous", "count", "nominal"]
        assert [each.categories for each in found.attributes.independent] == [(), ("0", "1")]

    def test_that_a_release_invented(self):
        """Text cannot be compared then; flags that came back as other numbers are compared as numbers."""
        found = paired(self.before, AFTER.assign(town=["Secret", "Bonn", "Jena", "Jena"], flag=[0.3, 1, 1, 0]))
        assert found.left_out == {"town": "has categories in after.csv that it has not in before.csv"}
        assert found.attributes.dependent[2].type == "continuous"
        assert found.released.select(["flag"], "")[:, 0].tolist() == [0.3, 1, 1, 0]
        with pytest.raises(SdclabError, match=r"after\.csv: 1 values of column town are not among its categories"):
            paired(self.before, AFTER.assign(town=["Secret", "Bonn", "Jena", "Jena"]), ("town",))

    def test_that_are_declared(self):
        said = {"tax": Declared("ordinal", ("1", "2", "3", "4", "5"))}
        found = paired(self.before, self.before, ("tax",), declared=said)
        assert found.original.values[:, 0].tolist() == [0, 1, 4, 2]

    def test_that_are_missing(self):
        gaps = self.before.assign(town=["Jena", None, "Jena", "Bonn"])
        with pytest.raises(SdclabError, match=r"before\.csv: row 2, column town is missing"):
            paired(gaps, self.before, ("age", "town"), missing="refuse")
        assert paired(gaps, self.before, ("age", "town"), missing="drop").original.values.T.tolist() == [
            [30, 57, 63],
            [1, 1, 0],
        ]


class TestGaps:
    gap = BEFORE.assign(tax=[1.0, np.nan, 5.0, 3.0])

    def test_are_dropped_from_both(self):
        said = []
        found = paired(self.gap, AFTER.assign(income=[2.0, 2.0, np.nan, 6.5]), missing="drop", say=said.append)
        assert found.original.values[:, 0].tolist() == found.released.values[:, 0].tolist() == [30, 63]
        assert said == ["2 of 4 rows dropped, a value is missing in before.csv or after.csv"]

    def test_are_kept_beside_the_complete_records(self):
        said = []
        after = AFTER.assign(income=[2.0, 2.0, np.nan, 6.5])
        found = paired(self.gap, after, ("income", "tax"), say=said.append)
        assert len(found.original.values) == len(found.released.values) == 2
        assert said == ["2 of 4 rows compared by their gaps alone, a value is missing in before.csv or after.csv"]
        np.testing.assert_array_equal(found.with_gaps[0], self.gap[["income", "tax"]])
        np.testing.assert_array_equal(found.with_gaps[1], after[["income", "tax"]])
        assert paired(BEFORE, AFTER).with_gaps is None

    def test_that_a_release_left_out(self):
        found = paired(self.gap, AFTER.drop(index=1), missing="drop")
        assert found.original.values[:, 0].tolist() == found.released.values[:, 0].tolist() == [30, 57, 63]

    @pytest.mark.parametrize(
        ("before", "after", "missing", "message"),
        [
            (gap, AFTER, "refuse", "before.csv: row 2, column tax is missing"),
            (gap.iloc[1:3], AFTER.iloc[1:3].assign(tax=[1.0, np.nan]), "drop", "no record is complete in both"),
        ],
    )
    def test_bad_pairs(self, before, after, missing, message):
        with pytest.raises(SdclabError, match=message):
            paired(before, after, missing=missing)


def test_nothing_to_compare():
    with pytest.raises(SdclabError, match=r"before\.csv and after\.csv share no column that could"):
        paired(BEFORE[["age"]], AFTER[["tax"]])
    with pytest.raises(SdclabError, match=r"after\.csv: there is no column age; both files must have it"):
        paired(BEFORE, AFTER[["tax"]], (), ("age",))


class TestOfDifferentLengths:
    def test_two_sets_of_records_are_all_dependent(self):
        found = paired(BEFORE, AFTER.drop(index=1))
        assert not found.by_record
        assert found.roles == Roles(("age", "income", "tax"), ())
        assert (len(found.original.values), len(found.released.values)) == (4, 3)

    def test_each_loses_its_own_gaps(self):
        before, after = BEFORE.copy(), pd.concat([AFTER, AFTER], ignore_index=True)
        before.loc[0, "tax"] = after.loc[[1, 2], "age"] = np.nan
        found = paired(before, after, missing="drop")
        assert (len(found.original.values), len(found.released.values)) == (3, 6)
        assert found.rows.tolist() == [2, 3, 4]

    def test_nothing_is_released_as_it_was(self):
        message = r"before\.csv has 4 records and after\.csv 3; they must agree where --independent names"
        with pytest.raises(SdclabError, match=message):
            paired(BEFORE, AFTER.drop(index=1), (), ("age",))


class TestRiskRoles:
    def test_are_told_with_the_attributes(self):
        held = paired(key=["age"], target=["tax", "income"]).attributes
        assert (held.keys, held.targets) == (("age",), ("tax", "income"))
        assert held.places(held.keys + held.targets) == [2, 1, 0]

    @pytest.mark.parametrize(
        ("after", "asked", "message"),
        [
            (AFTER, {"key": ["agee"]}, r"before\.csv: unknown column 'agee': did you mean age"),
            (AFTER.drop(columns="age"), {"key": ["age"]}, r"after\.csv: column age is a key, but it was not released"),
            (AFTER.drop(columns="tax"), {"target": ["tax"]}, r"after\.csv: column tax is a target, but it was not rel"),
            (AFTER, {"key": ["age"], "target": ["age"]}, "column age is named twice among keys and targets"),
            (AFTER, {"key": ["age", "age"]}, "column age is named twice among keys and targets"),
            (AFTER, {"key": ["age"], "dependent": ["tax"]}, "column age is a key, but it has no role; name it in"),
            (AFTER, {"key": ["one"]}, r"before\.csv: column one is a key, but it is constant"),
        ],
    )
    def test_bad_ones(self, after, asked, message):
        with pytest.raises(SdclabError, match=message):
            paired(BEFORE.assign(one=1.0), after.assign(one=1.0), **asked)
