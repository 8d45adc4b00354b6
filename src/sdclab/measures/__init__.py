"""Measures compare original and protected records.

Every measure is a function `measure(original, protected, independent, *, options...)` in a file of its own:
`original` and `protected` hold the dependents before and after, `independent` the attributes released unchanged. It
returns a small mapping of named numbers, and its module declares in `NUMBERS` what each of them is. Every option says
what it means beside its type. To add a measure: write the file, which is found by its presence, and name it in a
study's config.

A measure that compares categories as well has a keyword argument `columns`, marked `Given`, that tells what the columns
hold (`sdclab.microdata.attribute`): categories come as codes. None tells that all columns are numbers. One that
declares `WITH_GAPS = True` is given incomplete records as well, NaN where a value is missing.

A measure that needs more than the two files asks for it in the same way: `control`, records of the same population that
the method did not see, `reruns`, releases made anew from half of the records, and `rules`, what must hold in every
record, if something was said. One that looks at the release as a set of records declares `BY_RECORD = False`: it takes
files of different lengths, which have no independents.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from sdclab.base.describe import Number, described
from sdclab.base.errors import SdclabError
from sdclab.base.registry import Registry, check_numbers
from sdclab.microdata.attribute import Attributes
from sdclab.microdata.rules import Rules
from sdclab.numerics.arrays import Matrix

MEASURES = Registry("measure", __name__, "measure")

VARIANT = "@"
"""Between the name of a measure, or of a number, and the options that it was told, where it is told several."""


def variant(name: str, label: str) -> str:
    """The name of a measure, or of a number, under the options of that label; alone if there is none."""
    return f"{name}{VARIANT}{label}" if label else name


def name_of(key: str) -> str:
    """The measure behind such a name."""
    return key.partition(VARIANT)[0]


def numbers(name: str) -> Mapping[str, Number]:
    """The numbers that a measure declares; a measure of another package need not declare any."""
    declared = getattr(MEASURES.load(name), "NUMBERS", {})
    if not (isinstance(declared, Mapping) and all(isinstance(each, Number) for each in declared.values())):
        raise SdclabError(f"measure {name}: its NUMBERS must map names of numbers to Number.")
    return declared


def declarations() -> Iterator[tuple[str, Mapping[str, Number]]]:
    """Every measure with the numbers that it declares, one after the other: who stops early loads no more of them."""
    for name in MEASURES:
        try:
            declared = numbers(name)
        except SdclabError:  # somebody's measure that is broken: whoever uses it is told
            continue
        yield name, declared


@cache
def number(name: str) -> Number:
    """What a number is, by its name alone, as it stands over a column; what nobody declares is labelled by its name."""
    found = (described(name, declared) for _, declared in declarations())
    return next(filter(None, found), Number(name))


def with_gaps(name: str) -> bool:
    """Whether a measure compares incomplete records, too."""
    return bool(MEASURES.declared(name, "WITH_GAPS", False))


def sample_of(name: str) -> int:
    """How many records there are in each sample of a long file that a slow measure looks at; 0: it looks at all."""
    try:
        return int(MEASURES.declared(name, "SAMPLE", 0))
    except SdclabError:  # somebody's measure that is broken: whoever uses it is told
        return 0


Files = tuple[Matrix, Matrix, Matrix]
"""Original, protected, independent."""


@dataclass(frozen=True)
class Control:
    """Records of the same population that a release was not made from."""

    dependent: Matrix
    independent: Matrix


@dataclass(frozen=True)
class Rerun:
    """The dependents of a half-split: what a release was made from, what it was not made from, and the release."""

    inside: Matrix
    outside: Matrix
    released: Matrix


Reruns = Callable[[int], Iterable[Rerun]]
"""Makes so many of them."""


def by_record(name: str) -> bool:
    """Whether a measure compares every record with its own release."""
    return bool(MEASURES.declared(name, "BY_RECORD", True))


def numbers_of(files: Files, columns: Attributes | None) -> Files:
    """The dependents that are numbers, and the independents with categories as indicators."""
    if columns is None:
        return files
    original, protected, independent = files
    chosen = columns.numbers()
    if not chosen.all():  # a copy is laid out otherwise, and sums over it are rounded otherwise
        original, protected = original[:, chosen], protected[:, chosen]
    return original, protected, columns.with_indicators(independent)


def measure(
    name: str,
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    options: Mapping[str, object] = {},
    attributes: Attributes | None = None,
    control: Control | None = None,
    reruns: Reruns | None = None,
    rules: Rules | None = None,
) -> dict[str, float]:
    """The numbers of one measure by its name and options.

    `attributes` tells what the columns hold; without it they are numbers. A measure that asks for it (a keyword
    argument `columns` marked `Given`) sees all columns, categories as codes; any other sees the dependents that are
    numbers, and the independents with categories as indicators. What else is given reaches those that ask for it.
    """
    paired = by_record(name) or independent.shape[1] > 0
    if original.shape[1] != protected.shape[1] or (paired and len(original) != len(protected)):
        raise SdclabError(
            f"measure {name}: the original has {original.shape[0]} records of {original.shape[1]} attributes, "
            f"the protected file {protected.shape[0]} of {protected.shape[1]}; they must agree."
        )
    checked = MEASURES.checked(name, options)
    if attributes is not None and MEASURES.asks_for(name, "columns"):
        checked["columns"] = attributes
    elif attributes is not None:
        if not attributes.numbers().any():
            raise SdclabError(f"measure {name}: compares numbers, but no dependent is one.")
        original, protected, independent = numbers_of((original, protected, independent), attributes)
    for key, given in (("control", control), ("reruns", reruns), ("rules", rules)):
        if given is not None and MEASURES.asks_for(name, key):
            checked[key] = given
    files = (each.copy("K") for each in (original, protected, independent))  # it may write into them
    result = MEASURES.called(name, *files, **checked)
    check_numbers(result, f"measure {name}: what it returned")
    return dict(result)
