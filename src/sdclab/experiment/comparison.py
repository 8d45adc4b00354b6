"""Two files side by side: every measure that applies."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from sdclab.base.errors import SdclabError, reason
from sdclab.base.progress import doing, each_of
from sdclab.experiment.scenario import Scenario
from sdclab.measures import MEASURES, Control, Files, sample_of, with_gaps
from sdclab.measures import measure as measured
from sdclab.measures import number as number_of
from sdclab.microdata.dataset import Dataset, Missing
from sdclab.microdata.declaration import types_of
from sdclab.microdata.holdout import holdout
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.pairing import Pair, pair
from sdclab.microdata.rules import Rules, parse
from sdclab.numerics.draws import parts

LINKED: Mapping[str, object] = {"attributes": "informative"}
OPTIONS: Mapping[str, Mapping[str, object]] = {"score": {"dr": {"prl": LINKED}}, "dr": {"prl": LINKED}, "prl": LINKED}
"""Where a user's file needs others than a measure's own: of many attributes probabilistic linkage takes the best."""

LONG = 20_000
"""Up to so many records every measure sees all of them."""

PARTS = 5
"""Samples of a longer file that a slow measure looks at; it says how many records each has (`SAMPLE`)."""

LINKS = 5_000
"""Records of a longer file that are linked, each to all that are released."""

LINKAGE: Mapping[str, tuple[float, float]] = {
    "dbrl": (1, 0),
    "prl": (0, 1),
    "dr": (0.25, 0.25),
    "dr_excess": (0.25, 0.25),
    "score": (0.125, 0.125),
}
"""How much DBRL and PRL count in every number that is made of them."""

_LINKS: Mapping[str, object] = {"sample": LINKS}
_RISK: Mapping[str, object] = {"dbrl": _LINKS, "prl": {**LINKED, **_LINKS}}
OF_LONG: Mapping[str, Mapping[str, object]] = {**_RISK, "dr": _RISK, "score": {"dr": _RISK}}  # type: ignore[dict-item]
"""The options of what links records, where a file is long."""

Told = Callable[[str, Mapping[str, object], Files], dict[str, float]]
"""The numbers of a measure, by its name, options and files."""

FIRST = "score"
"""It tells PIL, DR and their parts as well, which are then not measured again."""


@dataclass
class Comparison:
    """What was measured, measure by measure, and why some were not."""

    numbers: dict[str, dict[str, float]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    broken: dict[str, tuple[int, int]] = field(default_factory=dict)
    """in how many records of the original and of the release each rule does not hold"""
    samples: dict[str, "Sample"] = field(default_factory=dict)
    """what was looked at, where that is not all records"""


@dataclass(frozen=True)
class Sample:
    """How many samples of how many records a measure looked at, and the standard errors of what hangs on the draw."""

    records: int
    number: int
    errors: dict[str, float]


def compare(
    both: Pair,
    names: Sequence[str] = (),
    others: Dataset | None = None,
    rules: Sequence[str] = (),
    partly: bool = False,
    quick: bool = False,
) -> Comparison:
    """The measures asked for, or all of them, each with the options for a user's file.

    `others` are records of the same population that the release was not made from, for the measures that need them.
    Of rules it is counted in how many records they do not hold. If nothing can be measured that is an error, unless the
    reasons will do (`partly`). Slow measures come last; if it is to be `quick`, they look at samples of a long file.
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
    waiting = list(names) or sorted(MEASURES, key=lambda name: (sample_of(name) > 0, name != FIRST, name))

    def told(name: str, options: Mapping[str, object], files: Files) -> dict[str, float]:
        return measured(name, *files, options, both.attributes, control, rules=known)

    for name in each_of(waiting, "measures"):
        if not names and any(name in numbers for numbers in found.numbers.values()):
            continue
        try:
            files = original, released, independent
            if both.with_gaps and with_gaps(name):
                files = _incomplete(both)
            with doing(name):
                _measure(found, name, files, told, quick)
        except Exception as error:
            found.reasons[name] = reason(error)
    if not (found.numbers or partly):
        raise SdclabError(" ".join(found.reasons.values()))
    return found


def _measure(found: Comparison, name: str, files: Files, told: Told, quick: bool) -> None:
    """The numbers of one measure: of all records or, of a long file, of some, with their standard errors."""
    original, released, independent = files
    quick = quick and len(original) == len(released) > LONG
    if quick and (size := min(sample_of(name), len(original) // PARTS)):
        rows = parts(len(original), size, PARTS)
        every = [
            told(name, OPTIONS.get(name, {}), (original[some], released[some], independent[some]))
            for some in each_of(list(rows))
        ]
        found.numbers[name], errors = _averaged(every)
        found.samples[name] = Sample(size, PARTS, errors)
    elif quick and name in OF_LONG:
        found.numbers[name] = told(name, OF_LONG[name], files)
        found.samples[name] = Sample(LINKS, 1, _errors_of_links(found.numbers[name]))
    else:
        found.numbers[name] = told(name, OPTIONS.get(name, {}), files)


def _averaged(every: Sequence[Mapping[str, float]]) -> tuple[dict[str, float], dict[str, float]]:
    """The means over samples that share no record, and the standard errors of these, by how the samples differ.

    No two samples need have the same numbers: a model may be named after what it found. What one lacks is NaN.
    """
    names = dict.fromkeys(name for each in every for name in each)
    values = np.array([[each.get(name, np.nan) for name in names] for each in every])
    with np.errstate(invalid="ignore"):  # of infinite numbers
        means, errors = values.mean(axis=0), values.std(axis=0, ddof=1) / math.sqrt(len(every))
    return dict(zip(names, means.tolist(), strict=True)), dict(zip(names, errors.tolist(), strict=True))


def _errors_of_links(numbers: Mapping[str, float]) -> dict[str, float]:
    """At most: of what lies between 0 and 1 a yes or no varies most, and of sums the errors might go together.

    A share is taken as if there were one record more that is linked, and one that is not, so that no error is 0.
    """
    of = {}
    for part in ("dbrl", "prl"):
        share = (numbers.get(part, 0.0) / 100 * LINKS + 1) / (LINKS + 2)
        of[part] = 100 * math.sqrt(share * (1 - share) / LINKS)
    return {name: a * of["dbrl"] + b * of["prl"] for name, (a, b) in LINKAGE.items() if name in numbers}


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
    all_records: bool = False,
) -> pd.DataFrame:
    """Compare a release with its original, record by record: measure, quantity, value, range and which way is better.

    Without dependents these are all columns that differ; the others are then independent. Of `rules` it is told in how
    many records of either file they do not hold. `key` names what an intruder may know, `target` what an intruder wants
    to know, and `control` holds records of the same population that the release was not made from: attacks need them.
    Of files of different lengths, only measures apply that look at them as sets of records. Of more than 20,000 records
    slow measures look at a sample, and `sample` and `error` tell its size and the standard errors, unless
    `all_records` are asked for.
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
    found = compare(both, tuple(map(MEASURES.spelled, measures)), others=others, rules=rules, quick=not all_records)
    rows = [
        {"measure": name, "quantity": quantity, "value": value, **_about(quantity), **_drawn(found, name, quantity)}
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


def _drawn(found: Comparison, name: str, quantity: str) -> dict[str, object]:
    """Of how many records, and how far off that may be; nothing if there is no sample at all."""
    if not found.samples:
        return {}
    sample = found.samples.get(name)
    if sample is None or quantity not in sample.errors:
        return {"sample": None, "samples": None, "error": 0.0}
    return {"sample": sample.records, "samples": sample.number, "error": sample.errors[quantity]}


def sized(quantity: str) -> bool:
    """Whether a number hangs on how many records it was found in."""
    return number_of(quantity).sized


def _about(quantity: str) -> dict[str, object]:
    number = number_of(quantity)
    return {"measures": number.measures, "low": number.low, "high": number.high, "better": number.better or ""}
