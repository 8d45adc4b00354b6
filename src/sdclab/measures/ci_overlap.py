"""ci_overlap: how far the confidence intervals of regression slopes agree.

Karr, Kohnen, Oganian, Reiter & Sanil (2006), A framework for evaluating the utility of data altered to protect
confidentiality, section 3.2: the mean of the shares that the common part has of either interval.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from scipy.special import stdtrit

from sdclab.base.describe import Given, Number
from sdclab.measures.regression import factor_of, least_squares, unrelated
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics.arrays import Matrix, Vector, most_frequent_first
from sdclab.numerics.linalg import standardised
from sdclab.numerics.ties import NOISE

LEVEL = 0.95

NUMBERS = {
    "ci_overlap": Number("overlap of the slopes' confidence intervals", low=0, high=100, unit="%"),
    "ci_loss": Number("confidence intervals that do not overlap", "loss", 0, 100, "%", "less"),
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """The mean overlap, over all slopes of the regressions of every dependent that is a number on all else.

    `ci_loss` is 100 less that. Intervals apart overlap by 0. Categories enter as indicators of all but the most
    frequent one, and an attribute that is in the original an exact linear function of those before it is left out
    (see `regression`). NaN where no dependent is a number, or there is nothing to explain it by.
    """
    columns = columns or Attributes.of_numbers(original, independent)
    before, after, responses = _regressors(columns, *_beside(original, protected, independent))
    mean, spread = before.mean(axis=0), before.std(axis=0)
    factor, released = (factor_of(standardised(each, mean, spread)) for each in (before, after))
    kept = unrelated(factor)
    places = [place for place, j in enumerate(kept) if responses[j]]
    if len(kept) < 2 or not places:
        return {"ci_overlap": np.nan, "ci_loss": np.nan}
    freedom = len(original) - len(kept)  # the mean and the other attributes took one each; there is always one left
    reach = float(stdtrit(freedom, (1 + LEVEL) / 2))
    first, second = (
        [least_squares(np.delete(x, j, axis=1), x[:, j], len(original)) for j in places]
        for x in (factor[:, kept], released[:, kept])
    )
    overlap = 100 * float(np.mean([overlaps(*a, *b, reach) for a, b in zip(first, second, strict=True)]))
    return {"ci_overlap": overlap, "ci_loss": 100 - overlap}


def _beside(original: Matrix, protected: Matrix, independent: Matrix) -> tuple[Matrix, Matrix]:
    before, after = (np.column_stack([part, independent]) for part in (original, protected))
    return before, after


def _regressors(columns: Attributes, before: Matrix, after: Matrix) -> tuple[Matrix, Matrix, Sequence[bool]]:
    """Both files with categories as indicators, and which columns are dependents that are numbers."""
    attributes = (*columns.dependent, *columns.independent)
    parts = [_indicators(*each) for each in zip(attributes, before.T, after.T, strict=True)]
    first, second = (np.hstack(each) for each in zip(*parts, strict=True))
    places = zip(attributes, parts, strict=True)
    responses = [
        each.is_number and j < len(columns.dependent)
        for j, (each, (part, _)) in enumerate(places)
        for _ in range(part.shape[1])
    ]
    return first, second, responses


def _indicators(attribute: Attribute, before: Vector, after: Vector) -> tuple[Matrix, Matrix]:
    """A number by itself; of categories all but the most frequent."""
    if attribute.is_number:
        return before[:, None], after[:, None]
    others = most_frequent_first(before)[1:]
    return (before[:, None] == others).astype(float), (after[:, None] == others).astype(float)


def overlaps(slopes: Vector, errors: Vector, new_slopes: Vector, new_errors: Vector, reach: float) -> Vector:
    """Of intervals slope ± reach × error, half the sum of the common part's shares in both; 0 if there is none.

    An interval without width lies in the other one or not. Slopes are in SDs, so that less than NOISE is rounding.
    """
    low = np.maximum(slopes - reach * errors, new_slopes - reach * new_errors)
    high = np.minimum(slopes + reach * errors, new_slopes + reach * new_errors)
    shares = (_share(high - low, errors, reach) + _share(high - low, new_errors, reach)) / 2
    return np.where(high - low < -NOISE * (1 + np.abs(slopes)), 0.0, shares)


def _share(common: Vector, errors: Vector, reach: float) -> Vector:
    has_width = errors > NOISE
    return np.where(has_width, np.maximum(common, 0.0) / np.where(has_width, 2 * reach * errors, 1.0), 1.0)
