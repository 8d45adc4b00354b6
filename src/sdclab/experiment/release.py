"""A release of a table: a method applied to its dependents, and what its owner must know before it leaves the house."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sdclab import methods
from sdclab.base.errors import SdclabError, listed
from sdclab.experiment.scenario import Scenario
from sdclab.measures import intact
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.roles import Roles
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


def check_seed(seed: int | None) -> None:
    if seed is not None and seed < 0:
        raise SdclabError(f"--seed is {seed} but must not be negative.")


def release(
    table: Microdata,
    roles: Roles,
    method: str,
    parameters: Mapping[str, object],
    seed: int | None = None,
    allow_unchanged: bool = False,
) -> Released:
    """Protect the dependents of a table by a method; without a seed by a fresh one, which nobody can guess.

    A dependent that comes out as it went in is refused, unless that was asked for.
    """
    check_seed(seed)
    seed = secrets.randbits(63) if seed is None else seed
    dependent, independent = Scenario.of_file(roles.dependent, roles.independent).split(table.dataset(roles.used))
    rng = stream(seed)
    attributes = Attributes(*(tuple(map(Attribute, names)) for names in (roles.dependent, roles.independent)))
    made = methods.release(method, dependent, independent, rng, parameters, attributes)
    found = intact.compare(dependent, made.values)
    unchanged = [roles.dependent[i] for i in found.unchanged]
    if unchanged and not allow_unchanged:
        raise SdclabError(
            f"method {method}: {listed(unchanged)} would be released unchanged, so nothing was written; "
            "name such columns in --independent or --pass-through, choose other parameters, or say --allow-unchanged."
        )
    return Released(
        table.released(roles.dependent, made.values, roles.dropped),
        tuple(column for column in roles.dependent if column not in unchanged),
        made.facts,
        (*_of_control(method), *intact.warnings(found, roles.dependent), *_of_short(seed, rng)),
        seed,
    )


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
