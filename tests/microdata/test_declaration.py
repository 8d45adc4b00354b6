"""What owners say about types: in a file beside theirs, on the command line, in a mapping."""

from pathlib import Path

import pytest

from sdclab.base.errors import SdclabError
from sdclab.microdata.declaration import Declaration, Declared, parse_types, read_beside, types_of


def test_a_file_beside(here):
    assert read_beside(Path("data.csv")) == Declaration()
    Path("data.sdclab.yaml").write_text(
        "types:\n  region: nominal\n  size: {type: ordinal, categories: [1, 2.0, big, 10]}\n"
        "  income: {low: 0, masses: [0]}\nrules:\n  - tax <= income\n"
    )
    types = {
        "region": Declared("nominal"),
        "size": Declared("ordinal", ("1", "2", "big", "10")),
        "income": Declared(low=0, masses=(0,)),
    }
    found = read_beside(Path("data.csv"))
    assert found == Declaration(types, ("tax <= income",))
    assert read_beside(Path("other.csv")) == Declaration()
    more = found.with_more({"region": Declared("ordinal")}, ["tax <= income", "tax >= 0"])
    assert more == Declaration({**types, "region": Declared("ordinal")}, ("tax <= income", "tax >= 0"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("region: nominal\n", "data.sdclab.yaml: unknown key 'region': allowed are rules, types"),
        ("- region\n", "data.sdclab.yaml"),
        ("types: nominal\n", "data.sdclab.yaml: types must be a mapping of columns to types"),
        ("rules: tax <= income\n", "data.sdclab.yaml: rules must be a list of texts"),
        ("rules: [7]\n", "data.sdclab.yaml: rules must be a list of texts"),
        ("types: {town: txt}\n", "data.sdclab.yaml: types: town: unknown type 'txt'"),
    ],
)
def test_a_file_beside_that_is_not_understood(here, content, message):
    Path("data.sdclab.yaml").write_text(content)
    with pytest.raises(SdclabError, match=message):
        read_beside(Path("data.csv"))


def test_the_command_line():
    assert parse_types(["region=nominal", "n=count"]) == {"region": Declared("nominal"), "n": Declared("count")}
    assert parse_types(["size=ordinal:small<medium<large"]) == {
        "size": Declared("ordinal", ("small", "medium", "large"))
    }


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("nominl", "here: x: unknown type 'nominl': did you mean nominal"),
        ({"type": "text"}, "unknown type 'text'"),
        ({"typ": "nominal"}, "here: x: unknown key 'typ': did you mean type"),
        (7, "here: x must be a type, or a mapping"),
        ({}, "here: x must be a type, or a mapping"),
        ({"categories": "abc"}, "here: x: categories must be a list"),
        ({"categories": ["a"]}, "here: x: categories must be at least two"),
        ({"categories": ["a", "b", "a"]}, "none of them empty or named twice"),
        ({"type": "count", "categories": ["a", "b"]}, "has categories, but is declared as one of numbers"),
        ({"type": "nominal", "low": 0}, "here: x is nominal, so it has no low"),
        ({"low": 3, "high": 3}, "here: x: low must be less than high"),
        ({"low": "a"}, "here: x: low must be a number"),
        ({"high": True}, "here: x: high must be a number"),
        ({"decimals": -1}, "here: x: decimals must be a whole number from 0 to 15"),
        ({"masses": 0}, "here: x: masses must be a list of numbers"),
    ],
)
def test_what_cannot_be(said, message):
    with pytest.raises(SdclabError, match=message):
        types_of({"x": said}, "here")


@pytest.mark.parametrize("text", ["region", "=nominal", "region=", "region=nominl", "size=ordinal:a"])
def test_what_the_command_line_cannot_have(text):
    with pytest.raises(SdclabError, match="--type"):
        parse_types([text])
    with pytest.raises(SdclabError, match="column a is named more than once"):
        parse_types(["a=count", "a=nominal"])
