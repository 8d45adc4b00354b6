"""Two files side by side: every measure that applies."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from sdclab.base.errors import SdclabError, reason
from sdclab.experiment.scenario import Scenario
from sdclab.measures import MEASURES, Control, Files, with_gaps
from sdclab.measures import measure as measured
from sdclab.measures import number as number_of
from sdclab.microdata.dataset import Dataset, Missing
from sdclab.microdata.declaration import types_of
from sdclab.microdata.holdout import holdout
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.pairing import Pair, pair
from sdclab.microdata.rules import Rules, parse

LINKED: Mapping[str, object] = {"attributes": "informative"}
OPTIONS: Mapping[str, Mapping[str, object]] = {"score": {"dr": {"prl": LINKED}}, "dr": {"prl": LINKED}, "prl": LINKED}
"""Where a user's file needs others than a measure's own: of many attributes probabilistic linkage takes the best."""

FIRST = "score"
"""It tells PIL, DR and their parts as well, which are then not measured again."""


@dataclass
class Comparison:
    """What was measured, measure by measure, and why some were not."""

    numbers: dict[str, dict[str, float]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    broken: dict[str, tuple[int, int]] = field(default_factory=dict)
    """in how many records of the original and of the release each rule does not hold"""


def compare(
    both: Pair,
    names: Sequence[str] = (),
    say: Callable[[str], None] = lambda name: None,
    others: Dataset | None = None,
    rules: Sequence[str] = (),
    partly: bool = False,
) -> Comparison:
    """The measures asked for, or all of them, each with the options for a user's file; `say` hears the name of each.

    `others` are records of the same population that the release was not made from, for the measures that need them.
    Of rules it is counted in how many records they do not hold. If nothing can be measured that is an error, unless the
    reasons will do (`partly`).
    """
    for name in names:
        MEASURES.module(name)
    scenario = Scenario.of_file(both.roles.dependent, both.roles.independent)
    original, independent = scenario.split(both.original)
    released = both.released.select(both.roles.dependent, both.released.name)
    control = control_of(both, others)
    numbers = [each.name for each in both.attributes.all if each.is_number]
    known = Rules(tuple(parse(text, numbers) for text in rules), both.roles.dependent, both.roles.independent)
    found = Comparison(broken=_broken(both, known))
    for name in names or sorted(MEASURES, key=lambda name: (name != FIRST, name)):
        if not names and any(name in numbers for numbers in found.numbers.values()):
            continue
        say(name)
        try:
            files = original, released, independent
            if both.with_gaps and with_gaps(name):
                files = _incomplete(both)
            found.numbers[name] = measured(name, *files, OPTIONS.get(name, {}), both.attributes, control, rules=known)
        except Exception as error:
            found.reasons[name] = reason(error)
    if not (found.numbers or partly):
        raise SdclabError(" ".join(found.reasons.values()))
    return found


def _incomplete(both: Pair) -> Files:
    """All records, also those with gaps."""
    assert both.with_gaps is not None
    before, after = both.with_gaps
    count = len(both.roles.dependent)
    return before[:, :count], after[:, :count], before[:, count:]


def _broken(both: Pair, known: Rules) -> dict[str, tuple[int, int]]:
    """In how many records of both files each rule does not hold."""
    found = {}
    for rule in known.rules:
        before, after = (int(rule.broken(data.values, data.columns).sum()) for data in (both.original, both.released))
        found[rule.text] = before, after
    return found


def control_of(both: Pair, others: Dataset | None) -> Control | None:
    """A control in the roles of what is compared."""
    if others is None:
        return None
    return Control(*(others.select(names, others.name) for names in (both.roles.dependent, both.roles.independent)))


def measure(
    original: pd.DataFrame,
    released: pd.DataFrame,
    *,
    dependent: Sequence[str] = (),
    independent: Sequence[str] = (),
    measures: Sequence[str] = (),
    types: Mapping[str, Any] | None = None,
    rules: Sequence[str] = (),
    missing: Missing = "keep",
    key: Sequence[str] = (),
    target: Sequence[str] = (),
    control: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Compare a release with its original, record by record: measure, quantity, value, range and which way is better.

    Without dependents these are all columns that differ; the others are then independent. Of `rules` it is told in how
    many records of either file they do not hold. `key` names what an intruder may know, `target` what an intruder wants
    to know, and `control` holds records of the same population that the release was not made from: attacks need them.
    Of files of different lengths, only measures apply that look at them as sets of records.
    """
    both, others = paired(
        original,
        released,
        dependent=dependent,
        independent=independent,
        types=types,
        missing=missing,
        key=key,
        target=target,
        control=control,
    )
    found = compare(both, tuple(map(MEASURES.spelled, measures)), others=others, rules=rules)
    rows = [
        {"measure": name, "quantity": quantity, "value": value, **_about(quantity)}
        for name, numbers in found.numbers.items()
        for quantity, value in numbers.items()
    ]
    return pd.DataFrame([*rows, *_rules(found)])


def paired(
    original: pd.DataFrame,
    released: pd.DataFrame,
    *,
    dependent: Sequence[str] = (),
    independent: Sequence[str] = (),
    types: Mapping[str, Any] | None = None,
    missing: Missing = "keep",
    key: Sequence[str] = (),
    target: Sequence[str] = (),
    control: pd.DataFrame | None = None,
) -> tuple[Pair, Dataset | None]:
    """An original beside its release, and the control if there is one."""
    tables = (Microdata.of_frame(original, "the original"), Microdata.of_frame(released, "the release"))
    said = types_of(types or {}, "types")
    both = pair(*tables, dependent, independent, missing, declared=said, key=key, target=target)
    others = None if control is None else holdout(both, Microdata.of_frame(control, "the control"), missing)
    return both, others


def _rules(found: Comparison) -> Iterator[dict[str, object]]:
    for text, counts in found.broken.items():
        for file, count in zip(("original", "release"), counts, strict=True):
            about = {"measures": "fact", "low": 0, "high": np.inf, "better": "less"}
            yield {"measure": "rules", "quantity": f"records of the {file} that break {text}", "value": count, **about}


def _about(quantity: str) -> dict[str, object]:
    number = number_of(quantity)
    return {"measures": number.measures, "low": number.low, "high": number.high, "better": number.better or ""}
