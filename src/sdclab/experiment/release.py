"""A release of a table: a method applied to its dependents, and what its owner must know before it leaves the house."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from sdclab import methods
from sdclab.base.errors import SdclabError, listed
from sdclab.base.progress import doing
from sdclab.experiment.file import Prepared, prepare
from sdclab.experiment.scenario import Split
from sdclab.measures import intact
from sdclab.methods import METHODS, Release
from sdclab.microdata.attribute import Bounds
from sdclab.microdata.dataset import Missing
from sdclab.microdata.declaration import Declaration, types_of
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.roles import Roles
from sdclab.numerics.arrays import Matrix
from sdclab.numerics.seeds import stream

SHORT = 2**32
"""Below, all seeds can be tried: 10,000 take about a second."""


@dataclass(frozen=True)
class Released:
    """The protected table, which of its columns the method changed, facts that the method told, and warnings."""

    table: Microdata
    protected: tuple[str, ...]
    facts: Mapping[str, float]
    warnings: tuple[str, ...]
    seed: int = field(repr=False)

    @property
    def data(self) -> pd.DataFrame:
        """The protected table as a DataFrame, with the original's index and types."""
        return self.table.as_frame()


def check_seed(seed: int | None) -> None:
    if seed is not None and seed < 0:
        raise SdclabError(f"--seed is {seed} but must not be negative.")


def protect(
    data: pd.DataFrame,
    method: str,
    *,
    dependent: Sequence[str] = (),
    independent: Sequence[str] = (),
    pass_through: Sequence[str] = (),
    drop: Sequence[str] = (),
    types: Mapping[str, Any] | None = None,
    rules: Sequence[str] = (),
    bounds: Bounds = "balance",
    missing: Missing = "keep",
    seed: int | None = None,
    allow_unchanged: bool = False,
    **parameters: object,
) -> Released:
    """Protect a DataFrame by a method; its parameters are further keyword arguments.

    The dependents are replaced, all columns that have no other role if none is named; independents are released as they
    are and inform the model. `types` overrides what columns are taken for: a type, or a mapping with type, categories,
    low, high, decimals. `rules` must hold in every record: `"total = wages + interest"`, `"tax <= income"`.
    """
    table = Microdata.of_frame(data)
    roles = Roles.of(table, dependent, independent, pass_through, drop)
    METHODS.checked(METHODS.spelled(method), parameters)
    prepared = prepare(table, roles, Declaration(types_of(types or {}, "types"), tuple(rules)), missing)
    return release(prepared, METHODS.spelled(method), parameters, seed, allow_unchanged, bounds)


def release(
    prepared: Prepared,
    method: str,
    parameters: Mapping[str, object],
    seed: int | None = None,
    allow_unchanged: bool = False,
    bounds: Bounds = "balance",
) -> Released:
    """Protect the dependents of a table by a method; without a seed by a fresh one, which nobody can guess.

    A dependent that comes out as it went in is refused, unless that was asked for.
    """
    check_seed(seed)
    seed = secrets.randbits(63) if seed is None else seed
    split = prepared.scenario.split(prepared.dataset)
    rng = stream(seed)
    made = methods.release(method, *split, rng, parameters, prepared.split_attributes)
    found = finished(prepared, method, split, made, seed, allow_unchanged, bounds)
    return replace(found, warnings=(*found.warnings, *_of_short(seed, rng)))


def finished(
    prepared: Prepared,
    method: str,
    split: Split,
    made: Release,
    seed: int,
    allow_unchanged: bool = False,
    bounds: Bounds = "balance",
) -> Released:
    """What a method made of the dependents, in their domains and beside all other columns, if it is fit to go."""
    dependent, independent = split
    attributes = prepared.split_attributes
    made = methods.fitted(made, independent, attributes, bounds)
    with doing("comparing with the original"):
        found = intact.compare(dependent, made.values, attributes)
    unchanged = [prepared.modelled[i] for i in found.unchanged]
    if unchanged and not allow_unchanged:
        raise SdclabError(
            f"method {method}: {listed(unchanged)} would be released unchanged, so nothing was written; "
            "name such columns in --independent or --pass-through, choose other parameters, or say --allow-unchanged."
        )
    whole = prepared.whole(made.values)
    warnings = (*intact.warnings(found, prepared.modelled), *_of_rules(prepared, whole))
    return Released(
        prepared.released(whole),
        tuple(column for column in prepared.roles.dependent if column not in unchanged),
        made.facts,
        (*_of_control(method), *warnings),
        seed,
    )


def _of_rules(prepared: Prepared, values: Matrix) -> list[str]:
    broken = prepared.rules.broken(values)
    return [f"the rule '{text}' could not be kept in {count} records" for text, count in broken.items() if count]


def _of_control(method: str) -> Sequence[str]:
    if not methods.is_control(method):
        return []
    return [f"{method} is a control, no protection: every record stands in the file"]


def _of_short(seed: int, rng: np.random.Generator) -> Sequence[str]:
    """A short seed is warned of only if the method drew random numbers at all."""
    if seed >= SHORT or rng.bit_generator.state == stream(seed).bit_generator.state:
        return []
    return [
        "the seed is below 2^32, and so few can all be tried; who finds it draws the same random numbers and may undo "
        "the protection. Leave --seed out, or give a longer one."
    ]
