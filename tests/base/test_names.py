"""Lists of names on the command line."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdclab.base.errors import SdclabError
from sdclab.base.names import names_of, written


class TestNames:
    """A list of columns on the command line."""

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("", ()),
            ("a", ("a",)),
            ("a,b", ("a", "b")),
            (" a , b ,", ("a", "b")),
            ('"income, EUR",tax', ("income, EUR", "tax")),
            ('tax , "income, EUR" ', ("tax", "income, EUR")),
            ('"5"" pipe"', ('5" pipe',)),
            ('" a "', (" a ",)),
            ("a b,c", ("a b", "c")),
        ],
    )
    def test_are_read(self, text, names):
        assert names_of(text) == names

    @pytest.mark.parametrize("text", ['"a', 'a"', 'a,"b', '"a"b', 'a"b,c', '"a" "b"', '"'])
    def test_bad_quotes(self, text):
        with pytest.raises(SdclabError, match=re.escape(f"the list of names {text} cannot be read; ")):
            names_of(text)

    @given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), max_size=5))
    def test_are_read_as_they_were_written(self, names):
        listed = written(names)
        assert names_of(listed) == tuple(names)
        assert not listed.startswith("-")  # or it were taken for an option
