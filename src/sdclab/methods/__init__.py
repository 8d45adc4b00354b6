"""Methods turn original records into protected ones.

Every method is a function `protect(dependent, independent, rng, *, parameters...)` in a file of its own: the
dependent attributes are replaced, the independent ones are released as they are and may inform the model. It
returns an array of finite numbers shaped like `dependent`, or a `Release`. Every parameter says what it means beside
its type. To add a method: write the file, which is found by its presence, and name it in a study's config.

A method that takes more than numbers declares in `TAKES` the types of dependents that it takes, and has a keyword
argument `columns`, marked `Given`, that tells them (`sdclab.microdata.attribute`): categories come as codes 0, 1,
2... and must be released as such. Categories of independents reach every method as indicators.

A method's module may also declare `GRID`, the parameters that `sdclab map` tries on a file it knows nothing about, in
the form of a study's config, `CONTROL`: shown there for comparison, never recommended, and in words `RELEASES`, what
takes the place of the dependents, and `KEEPS`, what of the file is the same in every single release.

A method whose release is an affine map of each record and of normal draws, by means and cross-products alone, may have
a function `affine(joint, *, parameters...)` that returns the map: so it works on a file that is nowhere in one piece.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.base.progress import doing
from sdclab.base.registry import Registry, check_numbers
from sdclab.clustering.classes import anonymity
from sdclab.microdata.attribute import NUMBERS, Attributes, Bounds, Type
from sdclab.numerics.arrays import Matrix, Vector
from sdclab.numerics.scatter import Affine, Joint

METHODS = Registry("method", __name__, "protect")


@dataclass(frozen=True)
class Release:
    """Protected dependents with facts about how they came about (an objective, a number of iterations)."""

    values: Matrix
    facts: Mapping[str, float] = field(default_factory=dict)
    k: int | None = None
    """how many records a class is to have, if that was asked for"""


def grid(method: str) -> Mapping[str, Any]:
    """The parameters to try on an unknown file; the defaults alone if the method declares none."""
    return METHODS.declared(method, "GRID", {})


def takes(method: str) -> tuple[Type, ...]:
    """The types of dependents that a method takes; numbers, if it does not say."""
    return tuple(METHODS.declared(method, "TAKES", NUMBERS))


def is_control(method: str) -> bool:
    return METHODS.declared(method, "CONTROL", False)


def promised(method: str) -> tuple[str, str]:
    """What a method releases and what that keeps, in words; nothing if it does not say."""
    return METHODS.declared(method, "RELEASES", ""), METHODS.declared(method, "KEEPS", "")


def adds_up(method: str) -> bool:
    """Whether statistics of parts of a file are all that a method needs to know of the whole."""
    return METHODS.declared(method, "affine", None) is not None


def affine(method: str, joint: Joint, parameters: Mapping[str, object]) -> Affine:
    """How a method maps the records of a file, by the statistics of all of them."""
    found: Affine = METHODS.declared(method, "affine", None)(joint, **METHODS.checked(method, parameters))
    return found


def release(
    method: str,
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    parameters: Mapping[str, object],
    attributes: Attributes | None = None,
) -> Release:
    """The protected dependents, with facts if the method tells any, by a method's name and parameters.

    What a method returns is looked at before anybody uses it. `attributes` tells what the columns hold; without it they
    are numbers. Numbers come as the method makes them (`fitted` brings them into their domains).
    """
    if attributes is not None:
        attributes.check_taken(f"method {method}", takes(method))
    checked = METHODS.checked(method, parameters)
    names = [each.name for each in attributes.dependent] if attributes else ()
    if attributes is not None:
        independent = attributes.with_indicators(independent)
        if METHODS.asks_for(method, "columns"):
            checked["columns"] = attributes
    # copies, laid out alike: a method that writes into them must not change the originals
    with doing(method):
        made = METHODS.called(method, dependent.copy("K"), independent.copy("K"), rng, **checked)
    made = made if isinstance(made, Release) else Release(made)
    where = f"method {method}"
    _check_values(made.values, dependent, names, where)
    check_numbers(made.facts, f"{where}: what it tells as facts")
    return replace(made, values=np.asarray(made.values, dtype=float))


def fitted(made: Release, independent: Matrix, attributes: Attributes, bounds: Bounds = "balance") -> Release:
    """The release with every value inside its attribute's domain, and what that took: how many numbers were beyond
    their bounds, how many were rounded, and by how much of their SD it moved a mean and an SD at most. Classes are
    counted again.
    """
    values = attributes.fitted(made.values, independent, bounds)
    counted = anonymity(values, made.k) if made.k else {}
    made = replace(made, facts={**made.facts, **{f"{name}_released": count for name, count in counted.items()}})
    chosen = attributes.numbers()
    if not chosen.any():
        return replace(made, values=values)
    raw, fit = made.values[:, chosen], values[:, chosen]
    whole = attributes.fitted(made.values, independent, "none")
    facts = {
        "beyond_bounds": int(attributes.beyond(made.values).sum()),
        "rounded": int((whole[:, chosen] != raw).sum()),
        "mean_moved": _largest(fit.mean(axis=0) - raw.mean(axis=0), raw),
        "sd_moved": _largest(fit.std(axis=0) - raw.std(axis=0), raw),
    }
    return replace(made, values=values, facts={**made.facts, **facts})


def _largest(changes: Vector, values: Matrix) -> float:
    """The largest of some changes, in SDs of their columns."""
    spread = values.std(axis=0)
    return float(np.max(np.abs(changes) / np.where(spread > 0, spread, 1.0)))


def _check_values(values: object, dependent: Matrix, columns: Sequence[str], where: str) -> None:
    must = f"but must return an array of numbers of shape {dependent.shape}."
    if type(values) is not np.ndarray:  # a masked array may hold the originals under its mask
        raise SdclabError(f"{where}: returned a {type(values).__name__}, {must}")
    if values.dtype.kind not in "fiu":
        raise SdclabError(f"{where}: returned an array of type {values.dtype}, {must}")
    if values.shape != dependent.shape:
        raise SdclabError(f"{where}: returned an array of shape {values.shape}, {must}")
    if not np.isfinite(values).all():
        at = int(np.argwhere(~np.isfinite(values))[0][1])
        name = f"column {columns[at]}" if columns else f"dependent attribute {at + 1}"
        raise SdclabError(f"{where}: {name} of the protected file is not finite.")


def protect(
    method: str,
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    parameters: Mapping[str, object],
) -> Matrix:
    """The protected dependents alone."""
    return release(method, dependent, independent, rng, parameters).values
