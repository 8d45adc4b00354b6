"""Roles: what becomes of every column of a table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sdclab.base.errors import SdclabError, listed, shortened
from sdclab.microdata.inference import free_text, numbers_records
from sdclab.microdata.microdata import Microdata


@dataclass(frozen=True)
class Roles:
    """Every column of a table by its role."""

    dependent: tuple[str, ...]
    """protected"""
    independent: tuple[str, ...]
    """released as they are; they may inform the model"""
    pass_through: tuple[str, ...] = ()
    """released as they are, whatever they hold"""
    dropped: tuple[str, ...] = ()
    """not released"""
    keys: tuple[str, ...] = ()
    """among those in use, what an intruder may know, if somebody said so"""
    targets: tuple[str, ...] = ()
    """likewise what an intruder wants to know"""

    @property
    def used(self) -> tuple[str, ...]:
        return self.dependent + self.independent

    @classmethod
    def of(
        cls,
        table: Microdata,
        dependent: Sequence[str] = (),
        independent: Sequence[str] = (),
        pass_through: Sequence[str] = (),
        dropped: Sequence[str] = (),
        keys: Sequence[str] = (),
        targets: Sequence[str] = (),
    ) -> "Roles":
        """The roles asked for. Without dependents, these are all other columns, if they can be.

        No column is released unless it was protected or named: one without a role is refused, and so is by default one
        that names or numbers the records, holds free text or never changes. Row names are left out unless they are
        given a role.
        """
        named = [*dependent, *independent, *pass_through, *dropped]
        table.check(named)
        for column, times in Counter(named).items():
            if times > 1:
                raise SdclabError(f"{table.file}: column {column} is named more than once.")
        for column in pass_through:
            if table.is_nested(column):
                raise SdclabError(f"{table.file}: column {column} holds lists or structures; leave it out.")
        if table.row_names is not None and table.row_names not in named:
            dropped = [*dropped, table.row_names]
        taken = {*named, *dropped}
        others = [column for column in table.columns if column not in taken]
        problems = {column: "has no role" if dependent else unfit(table, column) for column in others}
        refused = [f"{shortened(column)} {problem}" for column, problem in problems.items() if problem]
        if refused:
            raise SdclabError(
                f"{table.file}: {listed(refused)}; name such columns in --pass-through to release them as they are, "
                "in --drop-columns to leave them out, or give them a role with --dependent or --independent."
            )
        if not (dependent or others):
            raise SdclabError(f"{table.file}: no column is left to protect.")
        found = cls(tuple(dependent or others), tuple(independent), tuple(pass_through), tuple(dropped))
        found._check_risk(table, keys, targets)
        return replace(found, keys=tuple(keys), targets=tuple(targets))

    def _check_risk(self, table: Microdata, keys: Sequence[str], targets: Sequence[str]) -> None:
        """Refuse a key or a target that is not among the columns in use, or named twice."""
        table.check([*keys, *targets])
        for name, times in Counter([*keys, *targets]).items():
            if times > 1:
                raise SdclabError(f"{table.file}: column {name} is named twice among keys and targets.")
            if name not in self.used:
                becomes = "left out" if name in self.dropped else "passed through"
                what = "a key" if name in keys else "a target"
                raise SdclabError(
                    f"{table.file}: column {name} is {what}, but it is {becomes}; name it in --dependent or "
                    "--independent."
                )


def unfit(table: Microdata, column: str) -> str:
    """Why a column should not be protected unless it was asked for; nothing if it may be."""
    problem = table.untyped(column)
    if problem:
        return problem
    gaps = table.gaps([column])
    if gaps.all():
        return "is empty"
    of_words = table.is_categorical(column) or table.is_text(column)
    values = table.levels(column).places if of_words else table.numbers(column)
    present = values[~gaps]
    if len(present) > 1 and present.min() == present.max():
        return "is constant"
    if of_words:
        return free_text(table, column)
    return "numbers the records" if numbers_records(table, column) else ""
