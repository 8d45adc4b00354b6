"""Two files side by side: every measure that applies."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pandas as pd

from sdclab.base.errors import SdclabError, reason
from sdclab.experiment.scenario import Scenario
from sdclab.measures import MEASURES, Control
from sdclab.measures import measure as measured
from sdclab.measures import number as number_of
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.declaration import types_of
from sdclab.microdata.holdout import holdout
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.pairing import Pair, pair

FIRST = "score"
"""It tells PIL, DR and their parts as well, which are then not measured again."""


@dataclass
class Comparison:
    """What was measured, measure by measure, and why some were not."""

    numbers: dict[str, dict[str, float]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)


def compare(
    both: Pair,
    names: Sequence[str] = (),
    say: Callable[[str], None] = lambda name: None,
    others: Dataset | None = None,
) -> Comparison:
    """The measures asked for, or all of them, each with its default options; `say` hears the name of each.

    `others` are records of the same population that the release was not made from, for the measures that need them.
    """
    for name in names:
        MEASURES.module(name)
    scenario = Scenario.of_file(both.roles.dependent, both.roles.independent)
    original, independent = scenario.split(both.original)
    released = both.released.select(both.roles.dependent, both.released.name)
    control = control_of(both, others)
    found = Comparison()
    for name in names or sorted(MEASURES, key=lambda name: (name != FIRST, name)):
        if not names and any(name in numbers for numbers in found.numbers.values()):
            continue
        say(name)
        try:
            found.numbers[name] = measured(name, original, released, independent, {}, both.attributes, control)
        except Exception as error:
            found.reasons[name] = reason(error)
    if not found.numbers:
        raise SdclabError(" ".join(found.reasons.values()))
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
    missing: Literal["refuse", "drop"] = "refuse",
    key: Sequence[str] = (),
    target: Sequence[str] = (),
    control: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Compare a release with its original, record by record: measure, quantity, value, range and which way is better.

    Without dependents these are all columns that differ; the others are then independent. `key` names what an intruder
    may know, `target` what an intruder wants to know, and `control` holds records of the same population that the
    release was not made from: attacks need them. Of files of different lengths, only measures apply that look at
    them as sets of records.
    """
    tables = (Microdata.of_frame(original, "the original"), Microdata.of_frame(released, "the release"))
    said = types_of(types or {}, "types")
    both = pair(*tables, dependent, independent, missing, declared=said, key=key, target=target)
    others = None if control is None else holdout(both, Microdata.of_frame(control, "the control"), missing)
    found = compare(both, tuple(map(MEASURES.spelled, measures)), others=others)
    rows = [
        {"measure": name, "quantity": quantity, "value": value, **_about(quantity)}
        for name, numbers in found.numbers.items()
        for quantity, value in numbers.items()
    ]
    return pd.DataFrame(rows)


def _about(quantity: str) -> dict[str, object]:
    number = number_of(quantity)
    return {"measures": number.measures, "low": number.low, "high": number.high, "better": number.better or ""}
