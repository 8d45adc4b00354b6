"""An original and its release, column by column and record by record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sdclab.base.errors import SdclabError, shortened
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.dataset import Dataset, Missing
from sdclab.microdata.declaration import Declared
from sdclab.microdata.inference import attributes
from sdclab.microdata.microdata import Microdata, Say, without_gaps
from sdclab.microdata.roles import Roles, unfit
from sdclab.numerics.arrays import Indices, Matrix


@dataclass(frozen=True)
class Pair:
    """The columns that two tables share, categories by their codes, what they hold, their roles, and why other columns
    are left out.
    """

    original: Dataset
    released: Dataset
    roles: Roles
    attributes: Attributes
    left_out: Mapping[str, str] = field(default_factory=dict)
    with_gaps: tuple[Matrix, Matrix] | None = field(repr=False, default=None)
    """all records of both, dependents first, NaN where a value is missing, if one is and gaps are kept"""
    rows: Indices = field(repr=False, default_factory=lambda: np.empty(0, dtype=np.intp))
    """of the original, as the file counts them, from 1"""

    @property
    def by_record(self) -> bool:
        """Whether the records of the two tables correspond."""
        return len(self.original.values) == len(self.released.values)


def pair(
    original: Microdata,
    released: Microdata,
    dependent: Sequence[str] = (),
    independent: Sequence[str] = (),
    missing: Missing = "keep",
    say: Say = lambda line: None,
    declared: Mapping[str, Declared] = {},
    key: Sequence[str] = (),
    target: Sequence[str] = (),
) -> Pair:
    """Two tables to be compared; `say` hears of rows that are dropped. Types are the original's, or declared.

    If dependents are named, nothing is compared but them and the independents. If they are not, they are all other
    columns that can be compared; and if no independents are named either, those are what the release did not change.
    Tables of different lengths are two sets of records: every column is dependent then.

    An intruder may know the keys and wants to know the targets.
    """
    columns, left_out = _shared(original, released, dependent, independent, declared)
    _check_risk(original, released, key, target, columns, left_out)
    known = {name: _attribute(name, original, released, declared) for name in columns}
    paired = _paired(original, released, columns, independent, missing, say)
    before, after = (table.dataset(columns, list(known.values())) for table in paired)
    roles = _roles(before, after, dependent, independent)
    held = Attributes(
        *(tuple(known[name] for name in names) for names in (roles.dependent, roles.independent)),
        keys=tuple(key),
        targets=tuple(target),
    )
    whole = (original, released) if missing == "keep" and len(before.values) < len(original.frame) else ()
    gaps = [table.encoded(roles.used, held.all) for table in whole]
    rows = np.asarray(paired[0].frame.index, dtype=np.intp) + 1
    return Pair(before, after, roles, held, left_out, (gaps[0], gaps[1]) if gaps else None, rows)


def _check_risk(
    original: Microdata,
    released: Microdata,
    key: Sequence[str],
    target: Sequence[str],
    columns: Sequence[str],
    left_out: Mapping[str, str],
) -> None:
    """Refuse keys and targets that are not in both files, or are not compared."""
    original.check([*key, *target])
    for names, what in ((key, "a key"), (target, "a target")):
        for name in names:
            if names.count(name) > 1 or (name in key and name in target):
                raise SdclabError(f"{original.file}: column {name} is named twice among keys and targets.")
            if name not in released:
                raise SdclabError(f"{released.file}: column {name} is {what}, but it was not released.")
            if name not in columns:
                why = left_out.get(name, "has no role; name it in --dependent or --independent")
                raise SdclabError(f"{original.file}: column {name} is {what}, but it {why}.")


def _attribute(name: str, original: Microdata, released: Microdata, declared: Mapping[str, Declared]) -> Attribute:
    """What a column holds. Numbers that are categories in the original, as 0 and 1, are numbers if the release has
    others: not every release keeps to them, and that is what is measured.
    """
    (found,) = attributes(original, [name], {name: declared[name]} if name in declared else {})
    texts = any(table.is_text(name) or table.is_categorical(name) for table in (original, released))
    if found.is_number or texts or name in declared:
        return found
    others = set(released.levels(name).labels) - set(found.categories)
    return attributes(original, [name], {name: Declared("continuous")})[0] if others else found


def _shared(
    original: Microdata,
    released: Microdata,
    dependent: Sequence[str],
    independent: Sequence[str],
    declared: Mapping[str, Declared],
) -> tuple[list[str], dict[str, str]]:
    """The columns to compare, in the original's order, and why others are left out."""
    named = {*dependent, *independent}
    for name in (*dependent, *independent):
        for table in (original, released):
            if name not in table:
                raise SdclabError(f"{table.file}: there is no column {shortened(name)}; both files must have it.")
    if dependent:
        return [name for name in original.columns if name in named], {}
    others = [name for name in dict.fromkeys(original.columns + released.columns) if name not in named]
    left_out = {name: why for name in others if (why := _unfit(name, original, released, declared))}
    if len(left_out) == len(others):
        raise SdclabError(f"{original.file} and {released.file} share no column that could be compared.")
    return [name for name in original.columns if name not in left_out], left_out


def _unfit(name: str, original: Microdata, released: Microdata, declared: Mapping[str, Declared]) -> str:
    """Why a column is not compared; nothing if it is. What a taxonomy generalises categories to is known."""
    tree = declared[name].taxonomy if name in declared else None
    if tree and name in released and set(released.levels(name).labels) <= {*tree.leaves, *tree.inner}:
        return ""
    for table in (original, released):
        if name not in table:
            return f"is not in {table.file}"
        if name == table.row_names:
            return "names the rows"
        if table.is_text(name) and (not original.is_text(name) or unfit(original, name)):
            return f"holds text in {table.file}, first in row {table.first_text(name)}"
    if original.is_text(name) and set(released.levels(name).labels) - set(original.levels(name).labels):
        return f"has categories in {released.file} that it has not in {original.file}"
    return unfit(original, name)


def _paired(
    original: Microdata,
    released: Microdata,
    columns: Sequence[str],
    independent: Sequence[str],
    missing: Missing,
    say: Say,
) -> tuple[Microdata, Microdata]:
    """The two tables record by record, without those that are incomplete in either, unless they are to be refused.

    A release made by `protect --missing drop` lacks the incomplete records already: it is as long as the original
    without them, and has no gap. Tables of other lengths are not paired.
    """
    n, m = len(original.frame), len(released.frame)
    if missing != "refuse" and n != m and not released.gaps(columns).any():
        original = without_gaps(original, columns, "drop", say)
    if len(original.frame) != m:
        if independent:
            raise SdclabError(
                f"{original.file} has {n} records and {released.file} {m}; they must agree where --independent names "
                "what was released as it is, record by record."
            )
        say(f"{original.file} has {n} records and {released.file} {m}: they are compared as sets, not record by record")
        how: Missing = missing if missing == "refuse" else "drop"
        return without_gaps(original, columns, how, say), without_gaps(released, columns, how, say)
    if missing == "refuse" or n != m:
        return original, released
    gaps = original.gaps(columns) | released.gaps(columns)
    if gaps.all():
        raise SdclabError(f"{original.file} and {released.file}: no record is complete in both.")
    if gaps.any():
        left = "dropped" if missing == "drop" else "compared by their gaps alone"
        say(f"{gaps.sum()} of {n} rows {left}, a value is missing in {original.file} or {released.file}")
    return original.rows(~gaps), released.rows(~gaps)


def _roles(before: Dataset, after: Dataset, dependent: Sequence[str], independent: Sequence[str]) -> Roles:
    """The roles asked for; if none were, what is the same in both files is independent, unless everything is."""
    if not (dependent or independent) and len(before.values) == len(after.values):
        same = (before.values == after.values).all(axis=0)
        independent = [] if same.all() else [before.columns[i] for i in same.nonzero()[0]]
    asked = set(independent)
    rest = (name for name in before.columns if name not in asked)
    return Roles(tuple(dependent or rest), tuple(name for name in before.columns if name in asked))
