"""From original records to released ones: a method, the domains of typed columns, and rules."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sdclab import methods
from sdclab.experiment.scenario import Split
from sdclab.methods import Release
from sdclab.microdata.attribute import Attributes
from sdclab.microdata.rules import Rules
from sdclab.numerics.arrays import Matrix
from sdclab.numerics.digits import decimals

MOVED = "moved_by_rules"


def protected(
    method: str,
    split: Split,
    rng: np.random.Generator,
    parameters: Mapping[str, object],
    attributes: Attributes | None,
    rules: Rules | None,
) -> Release:
    """What a method makes of the dependents, inside their domains if they are typed, and with the rules that are kept.

    Without attributes and rules it is the method's raw output. Where there are rules, the fact `moved_by_rules` counts
    the records in which an inequality had to be seen to; none, if rules are only counted.
    """
    if rules is None:
        return _fitted(method, split, rng, parameters, attributes)
    if not rules.kept:
        made = _fitted(method, split, rng, parameters, attributes)
        return Release(made.values, {**made.facts, MOVED: 0})
    independent = split[1]
    told = attributes and replace(
        attributes, dependent=tuple(each for each in attributes.dependent if each.name in rules.modelled)
    )

    def fit(moved: Matrix) -> Matrix:
        return told.fitted(moved, independent, "clip") if told else moved

    made = _fitted(method, (rules.given(split[0]), independent), rng, parameters, told)
    values = rules.keeping(made.values, independent, fit)
    moved = (rules.given(values) != made.values).any(axis=1)
    return Release(values, {**made.facts, MOVED: int(moved.sum())})


def _fitted(
    method: str,
    split: Split,
    rng: np.random.Generator,
    parameters: Mapping[str, object],
    attributes: Attributes | None,
) -> Release:
    made = methods.release(method, *split, rng, parameters, attributes)
    return methods.fitted(made, split[1], attributes) if attributes else made


def rounded(made: Release, dependent: Matrix) -> Release:
    """A release with as many decimals in each column as the original has there."""
    places = [decimals(column) for column in dependent.T]
    columns = [y if d is None else np.round(y, d) for y, d in zip(made.values.T, places, strict=True)]
    return replace(made, values=np.column_stack(columns))
