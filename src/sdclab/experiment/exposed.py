"""What the columns that are released as they are give away, whatever the method: told to the owner, by column."""

from collections.abc import Iterator

import numpy as np

from sdclab.base.errors import listed
from sdclab.experiment.file import Prepared
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics.arrays import Matrix, Vector
from sdclab.numerics.linalg import centred_basis, fitted

MANY_UNIQUE = 5.0
"""Per cent of the records: from there on it is told that they are unique."""

TOLD = 0.999
"""From this share of its variance on (R²), a dependent is told by others."""


def warnings(prepared: Prepared) -> list[str]:
    """What an intruder needs no release of the dependents for; a sentence each, without any value."""
    return [f"whatever the method, {line}" for line in (*_unique(prepared), *_computable(prepared))]


def _unique(prepared: Prepared) -> Iterator[str]:
    """Who is alone with what is released as it is, or with the keys, if some are named."""
    roles, table = prepared.roles, prepared.table
    columns = roles.keys or roles.independent + roles.pass_through
    if not columns:
        return
    codes = np.column_stack([table.levels(name).places for name in columns])
    counts = np.unique(codes, axis=0, return_counts=True)[1]
    share = 100 * np.count_nonzero(counts == 1) / len(codes)
    if share >= MANY_UNIQUE:
        what = "keys" if roles.keys else "columns that are released as they are"
        yield f"{share:.0f} % of the records are unique on the {what}: {listed(columns)}"


def _computable(prepared: Prepared) -> Iterator[str]:
    """Dependents that what is released as it is tells: by regression, or category by category."""
    roles, attributes = prepared.roles, dict(zip(prepared.roles.used, prepared.attributes, strict=True))
    dependent = [(attributes[name], prepared.values[:, j]) for j, name in enumerate(roles.dependent)]
    released = [(attributes[name], prepared.values[:, len(dependent) + j]) for j, name in enumerate(roles.independent)]
    released += [(Attribute(name), values) for name, values in _numbers_passed_through(prepared)]
    if not released:
        return
    regressors = Attributes((), tuple(each for each, _ in released)).with_indicators(
        np.column_stack([values for _, values in released])
    )
    for each, values in dependent:
        if each.is_number and (share := _explained(values, regressors)) > TOLD:
            names = listed([other.name for other, _ in released])
            yield f"{each.name} can be computed from what is released as it is ({names}): R² {min(share, 1):.5f}"
        yield from (
            f"{each.name} can be read off {other.name}, which is released as it is"
            for other, codes in released
            if not each.is_number and not other.is_number and _tells(codes, values)
        )


def _numbers_passed_through(prepared: Prepared) -> Iterator[tuple[str, Vector]]:
    table = prepared.table
    for name in prepared.roles.pass_through:
        if not (table.is_text(name) or table.is_categorical(name) or table.gaps([name]).any()):
            yield name, table.numbers(name)


def _explained(values: Vector, regressors: Matrix) -> float:
    """R²; of as many regressors as half of the records it would be chance."""
    if 2 * regressors.shape[1] > len(values) or np.ptp(values) == 0:
        return 0.0
    left = values - fitted(centred_basis(regressors), values[:, None])[:, 0]
    return 1 - float(left @ left) / float(((values - values.mean()) ** 2).sum())


def _tells(codes: Vector, values: Vector) -> bool:
    """Whether every category goes with one value alone, and is no name of a record."""
    pairs = np.unique(np.column_stack([codes, values]), axis=0)
    return len(pairs) == len(np.unique(codes)) <= len(codes) / 2
