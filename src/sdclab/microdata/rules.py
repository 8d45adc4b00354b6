"""Rules: what must hold in every record, written as it is thought: `total = wages + interest`, `tax <= income`.

A rule is linear: numbers, columns, and columns times a number, on both sides of =, <= or >=. A column whose name is
more than a word stands in double quotes.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from sdclab.base.errors import SdclabError, listed, shortened, unknown
from sdclab.numerics.arrays import Mask, Matrix, Vector

Relation = Literal["=", "<="]

RELATION = re.compile(r'"[^"]*"|(<=|>=|=)')
"""Outside of quotes."""

TERM = re.compile(r'\s*([-+]?)\s*(?:(\d+\.?\d*|\.\d+)\s*\*?)?\s*(?:"([^"]+)"|([^\W\d][\w.]*))?\s*')
"""A sign, a number, a column; not all of them need to be there."""

SLACK = 1e-9
"""Of the size of what is added up: a smaller difference is rounding."""

INFEASIBLE = 2
"""What scipy says of a linear programme without a solution."""

PASSES = 1000
"""Times that every inequality is seen to; those that hold at once need one."""

PATIENT = 10
"""Passes after which a hair's breadth inside is aimed at: a corner between two bounds is else approached for ever."""


@dataclass(frozen=True)
class Rule:
    """The sum of columns times weights equals a constant, or is at most that."""

    text: str
    weights: Mapping[str, float]
    relation: Relation
    constant: float

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.weights)

    def excess(self, values: Matrix, columns: Sequence[str]) -> Vector:
        """By how much the left side exceeds the right one in every record."""
        return values @ self._weights(columns) - self.constant

    def broken(self, values: Matrix, columns: Sequence[str], rounding: float = 0.0) -> Mask:
        """In which records the rule does not hold; `rounding`: what its columns may be off by together."""
        weights = self._weights(columns)
        size = np.abs(values) @ np.abs(weights) + abs(self.constant)
        excess = self.excess(values, columns)
        off = np.abs(excess) if self.relation == "=" else excess
        return np.asarray(off > SLACK * size + rounding)

    def _weights(self, columns: Sequence[str]) -> Vector:
        return np.array([self.weights.get(column, 0.0) for column in columns])


def parse(text: str, columns: Sequence[str], place: str = "") -> Rule:
    """A rule as it is written, about some of these columns; `place` says where it stands."""
    where = f"{place}: rule '{shortened(text)}'" if place else f"rule '{shortened(text)}'"
    relations = [found for found in RELATION.finditer(text) if found[1]]
    if len(relations) != 1:
        raise SdclabError(f"{where}: must have one of =, <= and >= between two sums.")
    (found,) = relations
    weights: dict[str, float] = {}
    constant = 0.0
    for side, sum_ in ((1.0, text[: found.start()]), (-1.0, text[found.end() :])):
        for number, column in _terms(sum_, where):
            if column is None:
                constant -= side * number
            elif column not in columns:
                raise unknown("column", column, columns, where)
            else:
                weights[column] = weights.get(column, 0.0) + side * number
    weights = {column: weight for column, weight in weights.items() if weight}
    if not weights:
        raise SdclabError(f"{where}: names no column.")
    turn = -1.0 if found[1] == ">=" else 1.0
    turned = {column: turn * weight for column, weight in weights.items()}
    return Rule(text.strip(), turned, "=" if found[1] == "=" else "<=", turn * constant + 0.0)


def _terms(sum_: str, where: str) -> Iterator[tuple[float, str | None]]:
    """The terms of one side: a number, and the column that it is times of, if any."""
    place = 0
    while place < len(sum_) or place == 0:
        term = TERM.match(sum_, place)
        column = (term[3] or term[4]) if term else None
        if term is None or not (term[2] or column) or (place > 0 and not term[1]):
            raise SdclabError(f"{where}: is not understood; write a = b + 2 * c, or a <= b, and other names in quotes.")
        yield (-1.0 if term[1] == "-" else 1.0) * float(term[2] or 1), column
        place = term.end()


def check(rules: Sequence[Rule], values: Matrix, columns: Sequence[str]) -> None:
    """Refuse rules that cannot hold together, and rules that the original breaks."""
    check_together(rules, columns)
    for rule in rules:
        count = int(rule.broken(values, columns).sum())
        if count:
            raise SdclabError(f"rule '{rule.text}': the original breaks it in {count} of {len(values)} records.")


def check_together(rules: Sequence[Rule], columns: Sequence[str]) -> None:
    """Refuse rules that cannot hold together, naming those that contradict each other."""
    if not rules or _possible(rules, columns):
        return
    needed = list(rules)
    for rule in rules:  # without any of what is left the others can hold
        fewer = [other for other in needed if other is not rule]
        needed = needed if _possible(fewer, columns) else fewer
    raise SdclabError(f"rules {listed([repr(rule.text) for rule in needed])}: contradict each other.")


def _possible(rules: Sequence[Rule], columns: Sequence[str]) -> bool:
    """Whether some record could keep all rules: a linear programme without an aim."""
    from scipy.optimize import linprog  # here, since every job of a run would wait for it

    identities, others = ([rule for rule in rules if rule.relation == relation] for relation in ("=", "<="))
    found = linprog(
        np.zeros(len(columns)),
        *_system(others, columns),
        *_system(identities, columns),
        bounds=(None, None),
    )
    return bool(found.status != INFEASIBLE)


def _system(rules: Sequence[Rule], columns: Sequence[str]) -> tuple[Matrix | None, Vector | None]:
    """Weights and constants, a row a rule."""
    if not rules:
        return None, None
    return np.array([rule._weights(columns) for rule in rules]), np.array([rule.constant for rule in rules])


@dataclass(frozen=True)
class Derived:
    """Dependents that identities give, each by its rule: the model does without them."""

    rules: Mapping[str, Rule]

    @classmethod
    def of(cls, rules: Sequence[Rule], dependent: Sequence[str]) -> "Derived":
        """For every identity one of its dependents that no other has yet; an identity without one is refused."""
        found: dict[str, Rule] = {}
        for rule in (rule for rule in rules if rule.relation == "="):
            free = [column for column in rule.columns if column in dependent and column not in found]
            free = [column for column in free if not any(column in other.columns for other in found.values())]
            if not free:
                raise SdclabError(
                    f"rule '{rule.text}': no dependent is left by which it could be kept: it is about columns that are "
                    "released as they are, or contradicts or repeats another rule."
                )
            found[free[0]] = rule
        return cls(found)

    def recomputed(self, values: Matrix, columns: Sequence[str]) -> Matrix:
        """The values with every derived column as its rule has it; a rule may name columns derived before its own."""
        values = values.copy()
        for column, rule in self.rules.items():
            at = list(columns).index(column)
            values[:, at] -= rule.excess(values, columns) / rule.weights[column]
        return values

    def substituted(self, rule: Rule) -> Rule:
        """The same rule, where the identities hold, without derived columns."""
        weights, constant = dict(rule.weights), rule.constant
        for column, identity in reversed(list(self.rules.items())):
            times = weights.get(column, 0.0) / identity.weights[column]
            for other, weight in identity.weights.items():
                weights[other] = weights.get(other, 0.0) - times * weight
            constant -= times * identity.constant
        left = {column: weight for column, weight in weights.items() if weight and column not in self.rules}
        return Rule(rule.text, left, rule.relation, constant)


def projected(rules: Sequence[Rule], values: Matrix, columns: Sequence[str], free: Sequence[str]) -> Matrix:
    """Values in which inequalities hold, each record moved as little as it takes, in some columns only.

    Cyclic projections on the half-spaces, in units of each column's spread; where they have no common point, what is
    left over is told by `broken`.
    """
    scale = np.where([column in free for column in columns], values.std(axis=0), 0.0)
    bounds = [(rule, rule._weights(columns) * scale**2) for rule in rules if rule.relation == "<="]
    values, rows = values.copy(), np.arange(len(values))
    for turn in range(PASSES):
        part, moved = values[rows], np.zeros(len(rows), dtype=bool)
        inside = SLACK if turn >= PATIENT else 0.0
        for rule, step in bounds:
            norm = float(rule._weights(columns) @ step)
            broken = rule.broken(part, columns) & (norm > 0)
            if broken.any():
                part[broken] -= np.outer(rule.excess(part[broken], columns) / norm + inside / np.sqrt(norm), step)
                moved |= broken
        values[rows], rows = part, rows[moved]
        if not len(rows):
            break
    return values


@dataclass(frozen=True)
class Rules:
    """Rules about the columns of dependents and independents, in the order of the arrays, and how a release keeps them:
    identities by dependents that no method is shown, inequalities by projection.
    """

    rules: tuple[Rule, ...]
    dependent: tuple[str, ...]
    independent: tuple[str, ...] = ()
    kept: bool = True
    """whether a release keeps them; else they are only counted"""

    @property
    def columns(self) -> tuple[str, ...]:
        return self.dependent + self.independent

    @cached_property
    def derived(self) -> Derived:
        """Dependents that follow from others: no method sees them."""
        return Derived.of(self.rules, self.dependent)

    @cached_property
    def modelled(self) -> tuple[str, ...]:
        """The dependents that a method is given."""
        return tuple(column for column in self.dependent if column not in self.derived.rules)

    def given(self, dependent: Matrix) -> Matrix:
        """What a method is given of the dependents."""
        return dependent[:, self._places]

    @property
    def _places(self) -> list[int]:
        return [self.dependent.index(column) for column in self.modelled]

    def keeping(self, released: Matrix, independent: Matrix, fit: Callable[[Matrix], Matrix]) -> Matrix:
        """All dependents, made of what a method released of those it was given, rules kept as far as they can be.

        `fit` brings what was moved back into its domain.
        """
        bounds = [self.derived.substituted(rule) for rule in self.rules if rule.relation == "<="]
        values = np.zeros((len(released), len(self.columns)))
        values[:, self._places], values[:, len(self.dependent) :] = released, independent
        moved = projected(bounds, values, self.columns, self.modelled)
        if not np.array_equal(moved, values):
            moved[:, self._places] = fit(moved[:, self._places])
        return self.derived.recomputed(moved, self.columns)[:, : len(self.dependent)]

    def broken(self, values: Matrix) -> dict[str, int]:
        """In how many records each rule does not hold."""
        return {rule.text: int(rule.broken(values, self.columns).sum()) for rule in self.rules}

    def breaking(self, values: Matrix) -> Mask:
        """Record × column: whether a rule about it does not hold there."""
        found = np.zeros(values.shape, dtype=bool)
        for rule in self.rules:
            found |= np.outer(rule.broken(values, self.columns), np.isin(self.columns, rule.columns))
        return found
