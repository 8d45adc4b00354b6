"""Propensity: how well a logistic model tells the protected records from the original ones.

Woo, Reiter, Oganian & Karr (2009), Global measures of data utility for microdata masked for disclosure limitation;
Oganian & Domingo-Ferrer (2017), equation 11 and section 7. Both files are stacked, and p is the fitted probability
that a record is a protected one: 1/2 for all of them where the files cannot be told apart.
"""

from collections.abc import Callable, Sequence
from itertools import chain, combinations, combinations_with_replacement
from typing import Annotated

import numpy as np

from sdclab.base.describe import Doc, Number
from sdclab.base.errors import SdclabError, unknown
from sdclab.numerics.arrays import Mask, Matrix, dichotomous
from sdclab.numerics.linalg import centred, orthonormal_basis, standardised, with_intercept
from sdclab.numerics.logistic import fit

JOINTLY = 0.01
"""The least share of originals in which two dichotomous attributes are both 1 for `mixed` to hold their product."""

MAX_NUMBERS = 50_000_000
"""The largest matrix of terms (records × terms) that is fitted: 400 MB, and some copies of it."""

Term = tuple[int, ...]
"""The attributes whose product is a term, one of them as often as its power."""

NUMBERS = {
    "propensity_*": Number("sum of (p - 1/2)²", "loss", 0, better="less"),
    "terms_*": Number("terms of the model", low=0),
    "floor_*": Number("sum of (p - 1/2)² of two independent samples", low=0),
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    models: Annotated[list[str], Doc("any of main, literal, cubic, powers, mixed")] = ["cubic"],
) -> dict[str, float]:
    """For every model m, `propensity_m`, `terms_m` and `floor_m`; all attributes, also the independents, are in it.

    `propensity_m` is the sum of (p - 1/2)² over both files, from 0 to a quarter of their records: 2N Up of equation 11
    if N counts the records of one file (as printed, N counts those of both, which would be twice as much).
    `terms_m` counts the terms beside the intercept. `floor_m` is what two independent samples of one distribution give:
    the likelihood ratio is then chi-square with as many degrees of freedom as the terms have rank, and the sum of
    (p - 1/2)² is about a quarter of it, so rank/4. Terms of independents alone cannot
    differ; with them it is an upper bound.
    """
    if not models:
        raise SdclabError(f"measure propensity: models is empty but must name some of {', '.join(MODELS)}.")
    before, after = (np.column_stack([part, independent]) for part in (original, protected))
    result: dict[str, float] = {}
    for model in models:
        if model not in MODELS:
            raise unknown("model", model, MODELS, "measure propensity: models")
        numbers = _propensity(before, after, model)
        result |= {f"{name}_{model}": value for name, value in numbers.items()}
    return result


def _propensity(original: Matrix, protected: Matrix, model: str) -> dict[str, float]:
    stacked = np.vstack([original, protected])
    terms = MODELS[model](original, dichotomous(stacked))
    if len(terms) * len(stacked) > MAX_NUMBERS:
        raise SdclabError(
            f"measure propensity: model {model} has {len(terms)} terms for {len(stacked)} records of both files, "
            f"but records times terms may be at most {MAX_NUMBERS}."
        )
    # on one scale the terms are well conditioned; what they span does not depend on it
    points = standardised(stacked, original.mean(axis=0), original.std(axis=0))
    basis = orthonormal_basis(centred(_products(points, terms)))
    is_protected = np.arange(len(stacked)) >= len(original)
    shares = np.column_stack([~is_protected, is_protected]).astype(float)
    p = fit(with_intercept(basis * np.sqrt(len(stacked))), shares).probabilities[:, 1]
    return {"propensity": float(np.sum((p - 0.5) ** 2)), "terms": float(len(terms)), "floor": basis.shape[1] / 4}


def _products(x: Matrix, terms: Sequence[Term]) -> Matrix:
    return np.column_stack([x[:, term].prod(axis=1) for term in terms])


Model = Callable[[Matrix, Mask], list[Term]]
"""The terms, given the originals and which attributes are dichotomous; such an attribute has no powers."""


def _main(original: Matrix, flags: Mask) -> list[Term]:
    """Main effects alone."""
    return [(j,) for j in range(len(flags))]


def _literal(original: Matrix, flags: Mask) -> list[Term]:
    """The paper's words: main effects and the products of two and of three different attributes."""
    return list(chain.from_iterable(combinations(range(len(flags)), order) for order in (1, 2, 3)))


def _cubic(original: Matrix, flags: Mask) -> list[Term]:
    """The full polynomial of degree three."""
    every = chain.from_iterable(combinations_with_replacement(range(len(flags)), order) for order in (1, 2, 3))
    return [term for term in every if not any(flags[j] and term.count(j) > 1 for j in term)]


def _powers(original: Matrix, flags: Mask) -> list[Term]:
    """The powers 1 to 3 of every attribute and the products of two powers of different attributes."""
    powers = [(j,) * order for j, flag in enumerate(flags) for order in ((1,) if flag else (1, 2, 3))]
    return powers + [a + b for a, b in combinations(powers, 2) if a[0] != b[0]]


def _mixed(original: Matrix, flags: Mask) -> list[Term]:
    """Section 7: main effects, products with a continuous attribute, and *some* of two dichotomous ones.

    Which, the paper does not say; ours are those where both are 1 in at least JOINTLY of the originals. A square is
    no interaction.
    """
    both = original.T @ original / len(original)
    pairs = combinations(range(len(flags)), 2)
    return _main(original, flags) + [(i, j) for i, j in pairs if not (flags[i] and flags[j]) or both[i, j] >= JOINTLY]


MODELS: dict[str, Model] = {"main": _main, "literal": _literal, "cubic": _cubic, "powers": _powers, "mixed": _mixed}
