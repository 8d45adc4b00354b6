"""Propensity: how well a logistic model tells the protected records from the original ones.

Woo, Reiter, Oganian & Karr (2009), Global measures of data utility for microdata masked for disclosure limitation;
Oganian & Domingo-Ferrer (2017), equation 11 and section 7. Both files are stacked, and p is the fitted probability
that a record is a protected one: 1/2 for all of them where the files cannot be told apart.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, combinations_with_replacement, islice, product
from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc, Given, Number
from sdclab.base.errors import SdclabError, unknown
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics import logistic
from sdclab.numerics.arrays import Mask, Matrix, Vector, dichotomous
from sdclab.numerics.linalg import centred, orthonormal_basis, standardised, with_intercept

JOINTLY = 0.01
"""The least share of originals in which two dichotomous attributes are both 1 for `mixed` to hold their product."""

MAX_NUMBERS = 50_000_000
"""The largest matrix of terms (records × terms) that is fitted: 400 MB, and some copies of it."""

BY_DEFAULT = ("cubic", "mixed", "main")

FitName = Literal["likelihood", "newton", "irls"]

PER_TERM = 10
"""Records of both files for a term, at least, where the model is not named: Peduzzi et al. (1996)."""

Term = tuple[int, ...]
"""The attributes, or their columns, whose product is a term, one of them as often as its power."""

SAMPLE = 4_000
"""Records in each sample of a user's long file, unless all are asked for."""

NUMBERS = {
    "propensity_*": Number("sum of (p - 1/2)²", "loss", 0, better="less", sized=True),
    "terms_*": Number("terms of the model", low=0),
    "floor_*": Number("sum of (p - 1/2)² of two independent samples", low=0),
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    models: Annotated[
        list[str] | None,
        Doc(
            "any of main, literal, cubic, powers, mixed, pairs; if nothing is said cubic, or, if that has too many "
            "terms, mixed or main"
        ),
    ] = None,
    fit: Annotated[
        FitName,
        Doc(
            "the maximum of the likelihood; at most 25 of the damped Newton steps to it; or at most 25 rounds of "
            "iteratively reweighted least squares, undamped as in R's glm, which may diverge"
        ),
    ] = "likelihood",
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """For every model m, `propensity_m`, `terms_m` and `floor_m`; all attributes, also the independents, are in it.

    `propensity_m` is the sum of (p - 1/2)² over both files, from 0 to a quarter of their records: 2N Up of equation 11
    if N counts the records of one file (as printed, N counts those of both, which would be twice as much).
    `terms_m` counts the terms beside the intercept. `floor_m` is what two independent samples of one distribution give:
    the likelihood ratio is then chi-square with as many degrees of freedom as the terms have rank, and the sum of
    (p - 1/2)² is about a quarter of it, so rank/4. Terms of independents alone cannot
    differ; with them it is an upper bound.

    Categories enter as indicators of each of them but the first, which is dichotomous in every model; two categories of
    one attribute have no product, since no record has both.

    With `fit="irls"` a fit that diverged counts as it ended, and may tell apart nearly all records, at a quarter of
    them. Of a release on the edge, whether it diverges can hang on rounding, and so on the processor.
    """
    if models is not None and not models:
        raise SdclabError(f"measure propensity: models is empty but must name some of {', '.join(MODELS)}.")
    stacked = Stacked.of(original, protected, independent, columns)
    result: dict[str, float] = {}
    for model in [stacked.largest_model()] if models is None else models:
        if model not in MODELS:
            raise unknown("model", model, MODELS, "measure propensity: models")
        found = told_apart(stacked, model, fit)
        numbers = {"propensity": found.total, "terms": float(found.terms), "floor": found.rank / 4}
        result |= {f"{name}_{model}": value for name, value in numbers.items()}
    return result


@dataclass(frozen=True)
class Stacked:
    """Both files, the original above the release, as columns of numbers: several, or none, of one with categories."""

    records: Matrix
    attributes: Sequence[Attribute]

    @classmethod
    def of(cls, original: Matrix, protected: Matrix, independent: Matrix, columns: Attributes | None) -> "Stacked":
        """Of two files that share their independents."""
        columns = columns or Attributes.of_numbers(original, independent)
        parts = [np.column_stack([part, independent]) for part in (original, protected)]
        return cls(np.vstack(parts), (*columns.dependent, *columns.independent))

    @property
    def is_protected(self) -> Mask:
        return np.arange(len(self.records)) >= len(self.records) // 2

    @cached_property
    def flags(self) -> Mask:
        """Which attributes are dichotomous, by themselves or as indicators: they have no powers."""
        return np.asarray(dichotomous(self.records) | [not each.is_number for each in self.attributes])

    @cached_property
    def widths(self) -> list[int]:
        """How many columns each attribute has."""
        return [1 if each.is_number else max(len(each.categories) - 1, 0) for each in self.attributes]

    @cached_property
    def columns(self) -> Matrix:
        if all(each.is_number for each in self.attributes):
            return self.records
        return np.column_stack([_columns(*each) for each in zip(self.attributes, self.records.T, strict=True)])

    @property
    def originals(self) -> Matrix:
        return self.columns[: len(self.records) // 2]

    def terms(self, model: str) -> Iterator[Term]:
        """The columns of each term of a model, term by term: of many categories there may be too many to hold."""
        ends = np.cumsum(self.widths).tolist()
        places = [range(end - width, end) for end, width in zip(ends, self.widths, strict=True)]
        by_columns = (columns for term in MODELS[model](self.flags) for columns in product(*(places[j] for j in term)))
        return filter(self._often, by_columns) if model == "mixed" else by_columns

    def largest_model(self) -> str:
        """The first of `BY_DEFAULT` that has not too many terms; the last, if all have."""
        most = MAX_NUMBERS // len(self.records)
        fit = (model for model in BY_DEFAULT if len(list(islice(self.terms(model), most + 1))) <= most)
        return next(fit, BY_DEFAULT[-1])

    def _often(self, term: Term) -> bool:
        """Whether a term is no product of two dichotomous columns, or both are 1 in JOINTLY of the originals."""
        return len(term) == 1 or not self._flagged[list(term)].all() or bool(self._both[term] >= JOINTLY)

    @cached_property
    def _flagged(self) -> Mask:
        return np.repeat(self.flags, self.widths)

    @cached_property
    def _both(self) -> Matrix:
        return np.asarray(self.originals.T @ self.originals / len(self.originals))

    def points(self) -> Matrix:
        """On one scale the terms are well conditioned; what they span does not depend on it.

        A category may be missing from the original, whose SD is then no scale: indicators stay as they are.
        """
        made = np.repeat([not each.is_number for each in self.attributes], self.widths)
        mean, spread = self.originals.mean(axis=0), self.originals.std(axis=0)
        return standardised(self.columns, np.where(made, 0.0, mean), np.where(made, 1.0, spread))


def _columns(attribute: Attribute, values: Vector) -> Matrix:
    if attribute.is_number:
        return values[:, None]
    return (values[:, None] == np.arange(1, len(attribute.categories))).astype(float)


@dataclass(frozen=True)
class Told:
    """How well a model tells the files apart."""

    total: float
    """the sum of (p - 1/2)² over both files"""
    terms: int
    rank: int
    """of the terms, without the intercept"""


def told_apart(stacked: Stacked, model: str, fit: FitName = "likelihood") -> Told:
    """What a fit of a model gives, by default the one of maximum likelihood."""
    terms = terms_of(stacked, model)
    x = basis_of(stacked, terms)
    p = FITS[fit](x, memberships(stacked.is_protected))
    return Told(float(np.sum((p - 0.5) ** 2)), len(terms), x.shape[1] - 1)


def _likeliest(x: Matrix, shares: Matrix) -> Vector:
    return logistic.fit(x, shares).probabilities[:, 1]


def _after_steps(x: Matrix, shares: Matrix) -> Vector:
    return logistic.fit(x, shares, iterations=logistic.STEPS).probabilities[:, 1]


def _reweighted(x: Matrix, shares: Matrix) -> Vector:
    return logistic.reweighted(x, shares[:, 1])


FITS: dict[FitName, Callable[[Matrix, Matrix], Vector]] = {
    "likelihood": _likeliest,
    "newton": _after_steps,
    "irls": _reweighted,
}
"""The probability of being a protected record, given terms and which file each record is of."""


def terms_of(stacked: Stacked, model: str) -> list[Term]:
    """The terms of a model, if the file is not too long for so many."""
    count = len(stacked.records)
    most = MAX_NUMBERS // count
    terms = list(islice(stacked.terms(model), most + 1))
    if len(terms) > most:
        raise SdclabError(
            f"measure propensity: model {model} has more than {most} terms, the most that are fitted to {count} "
            "records of both files; models may name one that has fewer."
        )
    return terms


def sparing(stacked: Stacked) -> str:
    """`pairs`, or `main` where it has more than a term for PER_TERM records: of more, chance tells the files apart."""
    most = len(stacked.records) // PER_TERM
    return "pairs" if sum(1 for _ in islice(stacked.terms("pairs"), most + 1)) <= most else "main"


def basis_of(stacked: Stacked, terms: Sequence[Term]) -> Matrix:
    """An intercept and uncorrelated columns of mean 0 and SD 1 that span the terms."""
    basis = orthonormal_basis(centred(products(stacked.points(), terms)))
    return with_intercept(basis * np.sqrt(len(basis)))


def memberships(is_protected: Mask) -> Matrix:
    """Which file each record is of, as a logistic model takes it."""
    return np.column_stack([~is_protected, is_protected]).astype(float)


def products(x: Matrix, terms: Sequence[Term]) -> Matrix:
    """The terms of some records, a column a term."""
    return np.column_stack([np.empty((len(x), 0)), *(x[:, term].prod(axis=1) for term in terms)])


Model = Callable[[Mask], Iterator[Term]]
"""The terms, as products of attributes, given which of them are dichotomous; such an attribute has no powers."""


def _main(flags: Mask) -> Iterator[Term]:
    """Main effects alone."""
    return combinations(range(len(flags)), 1)


def _literal(flags: Mask) -> Iterator[Term]:
    """The paper's words: main effects and the products of two and of three different attributes."""
    return chain.from_iterable(combinations(range(len(flags)), order) for order in (1, 2, 3))


def _cubic(flags: Mask) -> Iterator[Term]:
    """The full polynomial of degree three."""
    every = chain.from_iterable(combinations_with_replacement(range(len(flags)), order) for order in (1, 2, 3))
    return (term for term in every if not any(flags[j] and term.count(j) > 1 for j in term))


def _up_to_three(flags: Mask) -> Iterator[Term]:
    """The powers 1 to 3 of every attribute."""
    return ((j,) * order for j, flag in enumerate(flags) for order in ((1,) if flag else (1, 2, 3)))


def _powers(flags: Mask) -> Iterator[Term]:
    """The powers 1 to 3 of every attribute and the products of two powers of different attributes."""
    powers = list(_up_to_three(flags))
    return chain(powers, (a + b for a, b in combinations(powers, 2) if a[0] != b[0]))


def _mixed(flags: Mask) -> Iterator[Term]:
    """Section 7: main effects, products with a continuous attribute, and *some* of two dichotomous ones.

    Which, the paper does not say; ours are those where both are 1 in at least JOINTLY of the originals. A square is
    no interaction.
    """
    return chain.from_iterable(combinations(range(len(flags)), order) for order in (1, 2))


def _pairs(flags: Mask) -> Iterator[Term]:
    """The powers 1 to 3 of every attribute and the products of two: few terms, and yet they see skewness."""
    return chain(_up_to_three(flags), combinations(range(len(flags)), 2))


MODELS: dict[str, Model] = {
    "main": _main,
    "literal": _literal,
    "cubic": _cubic,
    "powers": _powers,
    "mixed": _mixed,
    "pairs": _pairs,
}
