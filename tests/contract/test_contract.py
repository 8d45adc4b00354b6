"""What every method and every measure keeps to, whoever wrote it, on every nasty table.

Either it does its work, or it says in one sentence why it cannot. There is no third way: no other error, no warning, no
NaN in a release, no value of a record in a message.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import product
from numbers import Real
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import nasty
import numpy as np
import pytest

from sdclab import measures, methods
from sdclab.base.errors import SdclabError
from sdclab.base.registry import Registry
from sdclab.experiment.grid import values_of
from sdclab.experiment.limits import Limits
from sdclab.measures import MEASURES
from sdclab.methods import METHODS, Release
from sdclab.microdata.attribute import NUMBERS

TABLES = nasty.tables()
TYPED = nasty.typed_tables()
LONGEST = 3
"""Digits in a row that a message may have: it counts records and attributes."""
ROUNDING = 1e-9


def choices(kind: Any) -> list[Any]:
    """All values of a parameter that can be listed."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [False, True] if kind is bool else []


def settings(registry: Registry) -> Iterator[Any]:
    """Each name with its defaults and at the ends of its grid, then with every option that can be listed, by itself."""
    for name in registry:
        parameters = registry.parameters(name)
        grid = methods.grid(name) if registry is METHODS else {}
        ends = [Limits(values=2).fewer(values_of(choice)) for choice in grid.values()]
        points = [dict(zip(grid, values, strict=True)) for values in product(*ends)]
        plain = [] if any(parameter.required for parameter in parameters.values()) else [{}]
        options = [
            points[0] | {key: value}
            for key, parameter in parameters.items()
            for value in choices(parameter.kind)
            if value != parameter.default
        ]
        few = {"runs": 1, "c": 3} if {"runs", "c"} <= set(parameters) else {}  # clusters from random starts take long
        less = {"trees": 2} if "trees" in parameters else {}  # so do forests
        for number, given in enumerate({repr(each): each for each in [*plain, *points, *options]}.values()):
            told = ",".join(f"{key}={value}" for key, value in given.items())
            slow = [pytest.mark.slow] if number or few else []
            yield pytest.param(name, few | less | given, id=f"{name}-{told or 'default'}", marks=slow)


def declared(name: str, number: str) -> Any:
    """What a measure says of one of its numbers; a key that ends in * stands for many. None if it says nothing."""
    numbers = getattr(MEASURES.load(name), "NUMBERS", {})
    return numbers.get(max((key for key in numbers if fnmatchcase(number, key)), key=len, default=""))


def refusal(error: SdclabError, what: str, split: tuple[np.ndarray, ...]) -> str:
    """The sentence of an error, once it is known to be one that was meant, and to be discreet."""
    text = str(error)
    assert isinstance(error.__cause__, SdclabError | NoneType), f"{text} {error.__cause__!r}"
    assert "not finite" not in text
    assert text.startswith(f"{what} ")
    assert text.endswith(".")
    assert "\n" not in text
    values = " ".join(f"{value!r} {value:.3f}" for part in split for value in part.ravel().tolist())
    told = [number for number in re.findall(r"[\d.]*\d", text) if len(re.sub(r"\D", "", number)) > LONGEST]
    assert not [number for number in told if number in values]
    return text


ARGUMENTS = (
    (METHODS, ["dependent", "independent", "rng"]),
    (MEASURES, ["original", "protected", "independent"]),
)


@pytest.mark.parametrize(
    ("registry", "arguments", "name"),
    [pytest.param(*each, name, id=f"{each[0].what} {name}") for each in ARGUMENTS for name in each[0]],
)
def test_every_function_has_the_one_signature(registry, arguments, name):
    function = registry.get(name)
    positional, named = [], []
    for parameter in inspect.signature(function).parameters.values():
        (named if parameter.kind is inspect.Parameter.KEYWORD_ONLY else positional).append(parameter.name)
    assert positional == arguments
    assert [each for each in named if not registry.asks_for(name, each)] == list(registry.parameters(name))
    assert function.__doc__


@pytest.mark.parametrize("table", list(TABLES))
def test_a_nasty_table_is_one_that_scenarios_let_through(table):
    nasty.check(TABLES[table])


@pytest.mark.parametrize("table", list(TYPED))
def test_so_is_one_of_types(table):
    dependent, independent, attributes = TYPED[table]
    nasty.check((dependent, independent))
    for part, about in ((dependent, attributes.dependent), (independent, attributes.independent)):
        assert not any(each.outside(column).any() for each, column in zip(about, part.T, strict=True))


def answers(
    answer: Callable[[str], object], tables: Mapping[str, Any] = TABLES, *, backwards: bool = True
) -> dict[str, Any]:
    """What is answered to every table. Gone through backwards they give the same: none hangs on what ran before."""
    found = {table: answer(table) for table in tables}
    again = {table: answer(table) for table in reversed(tables)} if backwards else found
    assert {table: repr(found[table]) for table in tables} == {table: repr(again[table]) for table in tables}
    return found


def released(method: str, parameters: Mapping[str, Any], table: str) -> bytes | str:
    split = TABLES[table]
    before = [part.tobytes() for part in split]
    try:
        made = methods.release(method, *split, np.random.default_rng(1), parameters)
    except SdclabError as error:
        return refusal(error, "method", split)
    finally:
        assert [part.tobytes() for part in split] == before
    check_release(made, split[0])
    return made.values.tobytes() + repr(sorted(made.facts.items())).encode()


def check_release(made: Release, dependent: np.ndarray) -> None:
    assert type(made.values) is np.ndarray
    assert made.values.dtype == np.float64
    assert made.values.shape == dependent.shape
    assert np.isfinite(made.values).all()
    for name, fact in made.facts.items():
        assert name.isidentifier()
        assert isinstance(fact, Real)


def generalises(parameters: Mapping[str, Any]) -> bool:
    return parameters.get("categories") == "generalised"


def asks_for_more(parameters: Mapping[str, Any]) -> bool:
    """Whether these parameters need more records than a table has, or categories with a taxonomy."""
    return parameters.get("k", 0) > 100 or generalises(parameters)


@pytest.mark.parametrize(("method", "parameters"), list(settings(METHODS)))
def test_every_method_releases_or_refuses_every_table(method, parameters):
    found = answers(lambda table: released(method, parameters, table))
    if not set(NUMBERS) <= set(methods.takes(method)):
        assert {type(answer) for answer in found.values()} == {str}
    else:
        assert isinstance(found["a hundred and thirty records"], bytes) or asks_for_more(parameters)


def released_of_types(method: str, parameters: Mapping[str, Any], table: str) -> bytes | str:
    *split, attributes = TYPED[table]
    before = [part.tobytes() for part in split]
    try:
        made = methods.release(method, *split, np.random.default_rng(1), parameters, attributes)
    except SdclabError as error:
        text = refusal(error, "method", tuple(split))
        assert text.startswith((f"method {method}: ",))
        return text
    finally:
        assert [part.tobytes() for part in split] == before
    check_release(made, split[0])
    for attribute, column in zip(attributes.dependent, made.values.T, strict=True):
        assert attribute.is_number or not attribute.outside(column).any(), attribute.name
    return made.values.tobytes() + repr(sorted(made.facts.items())).encode()


EASY = ("every type", "numbers by categories")
"""Longer tables, which a method must not refuse if it takes their types."""

TREE = "categories with a taxonomy"
"""The table that may be generalised."""


@pytest.mark.parametrize(("method", "parameters"), list(settings(METHODS)))
def test_every_method_releases_categories_of_the_domain_or_refuses(method, parameters):
    found = answers(lambda table: released_of_types(method, parameters, table), TYPED)
    for table, answer in found.items():
        types = {each.type for each in TYPED[table][2].dependent}
        if types <= set(methods.takes(method)):
            must = table == TREE if generalises(parameters) else table in EASY and not asks_for_more(parameters)
            assert isinstance(answer, bytes) or not must, f"{table}: {answer}"
        else:
            assert f"method {method}: takes " in answer


RELEASES = {
    "itself": lambda y, rng: y,
    "permuted": lambda y, rng: y[rng.permutation(len(y))],
    "with noise": lambda y, rng: y + 0.3 * y.std(axis=0) * rng.standard_normal(y.shape),
    "all at the mean": lambda y, rng: np.broadcast_to(y.mean(axis=0), y.shape),
    "far away": lambda y, rng: y + 1e3 * np.abs(y).max(axis=0),
}
"""What a measure may be shown beside the original."""


def measured(name: str, options: Mapping[str, Any], release: str, table: str) -> dict[str, float] | str:
    y, x = TABLES[table]
    files = y, RELEASES[release](y, np.random.default_rng(2)), x
    before = [part.tobytes() for part in files]
    control = measures.Control(y[::-1], x[::-1])
    try:
        found = measures.measure(name, *files, options, control=control)
    except SdclabError as error:
        return refusal(error, "measure", files)
    finally:
        assert [part.tobytes() for part in files] == before
    assert found
    for number, value in found.items():
        about = declared(name, number)
        if about and not np.isnan(value):  # what is not defined for a table is NaN
            assert about.low - ROUNDING <= value <= about.high + ROUNDING, number
            assert release != "itself" or about.measures != "loss" or abs(value) <= ROUNDING, number
    return found


def comparisons() -> Iterator[Any]:
    """Every measure and release; the options of one that starts at random, and takes long, with one release each."""
    for case in settings(MEASURES):
        costly = "runs" in case.values[1] and not case.id.endswith("-default")
        for release in ["with noise"] if costly else RELEASES:
            yield pytest.param(*case.values, release, id=f"{case.id}-{release}", marks=case.marks)


@pytest.mark.parametrize(("name", "options", "release"), list(comparisons()))
def test_every_measure_compares_or_refuses_every_table(name, options, release):
    found = answers(lambda table: measured(name, options, release, table), backwards=release == "with noise")
    assert isinstance(found["by rows"], dict)


@pytest.mark.parametrize(
    "error",
    [
        SdclabError("k is 3 but must be 2."),
        SdclabError("method mdav: k is 3 but must be 2"),
        SdclabError("method mdav: k is 3\nbut must be 2."),
        SdclabError("method mdav: 4711.0815 is too much."),
        SdclabError("method mdav: a record with 4711 is too much."),
        SdclabError("method mdav: column y of the protected file is not finite."),
    ],
    ids=["no name", "no sentence", "two lines", "a value", "a part of one", "not finite"],
)
def test_a_bad_refusal_is_none(error):
    with pytest.raises(AssertionError):
        refusal(error, "method", (np.array([[4711.0815]]),))


def test_a_crash_is_no_refusal():
    crash = SdclabError("method mdav: stopped with ValueError.")
    crash.__cause__ = ValueError()
    with pytest.raises(AssertionError):
        refusal(crash, "method", ())
