"""Where an error came from, told without its words."""

import pytest

from sdclab.base.errors import SdclabError, place, trail
from sdclab.base.names import names_of
from sdclab.microdata.microdata import Microdata


def failed(call, *arguments):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call(*arguments)
    return caught.value


def test_the_place_is_the_last_line_of_this_package():
    """Whatever other packages, here pandas, the error went on into."""
    error = failed(Microdata, "in.csv", 4711)
    assert place(error).startswith("microdata/microdata.py, line ")
    assert trail(error)[-1] == type(error).__name__
    assert "4711" not in place(error) + "".join(trail(error))


def test_the_trail_of_a_cause_ends_where_that_began():
    def cause():
        raise KeyError("4711")

    def fail():
        try:
            cause()
        except KeyError as error:
            raise ValueError("4712") from error

    told = trail(failed(fail))
    assert told[-1] == "KeyError"
    assert told[-2].endswith("in cause")
    assert "471" not in "".join(told)


def test_a_foreseen_error_has_none():
    error = failed(names_of, '"a')
    assert isinstance(error, SdclabError)
    assert trail(error) == []
