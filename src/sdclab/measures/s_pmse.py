"""s_pmse: the propensity score mean squared error, in units of what chance gives.

Snoke, Raab, Nowok, Dibben & Slavkovic (2018), General and specific utility measures for synthetic data, section 2.2;
Raab, Nowok & Dibben (2021), Assessing, visualizing and improving the utility of synthetic data. Both files are stacked,
and p is the probability, by a logistic model, that a record is a released one; pMSE is the mean of (p - 1/2)².
"""

from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc, Given, Number
from sdclab.measures.propensity import Stacked, basis_of, sparing, terms_of, told_apart
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Matrix

SAMPLE = 4_000
"""Records in each sample of a user's long file, unless all are asked for."""

NUMBERS = {
    "s_pmse": Number("pMSE over that of two independent samples", "loss", 0, better="less", sized=True),
    "s_pmse_plugin": Number("pMSE over that of plug-in synthesis", "loss", 0, better="less", sized=True),
    "pmse": Number("pMSE, of the most that it can be", "loss", 0, 100, "%", "less", sized=True),
    "s_pmse_terms": Number("terms of the model that may differ", low=0),
}


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    model: Annotated[
        Literal["auto", "main", "literal", "cubic", "powers", "mixed", "pairs"],
        Doc("as in propensity; auto is pairs, or main where pairs has more than a term for ten records of both files"),
    ] = "auto",
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """pMSE over its expected value under two nulls; 1 is what a release from the true model gives on average.

    With k terms and two independent samples of n records each, N = 2n, it is k/4 / N in expectation; if the release
    was drawn from a model whose parameters were estimated from the original, only the release adds to the variance,
    and it is half as much, k/8 / N: with c = 1/2 the (k - 1)(1 - c)² c / N of Snoke et al., whose k counts the
    intercept. The independents are the same in both files, so terms of them alone cannot differ and do not count.
    NaN where no term may differ. `pmse` is 100 where every record is told for sure.
    """
    stacked = Stacked.of(original, protected, independent, columns)
    chosen = sparing(stacked) if model == "auto" else model
    found = told_apart(stacked, chosen)
    free = found.rank - _fixed(stacked, chosen, original.shape[1])
    by_chance = free / 4 if free else np.nan
    return {
        "s_pmse": found.total / by_chance,
        "s_pmse_plugin": 2 * found.total / by_chance,
        "pmse": 100 * found.total / (len(stacked.records) / 4),
        "s_pmse_terms": float(free),
    }


def _fixed(stacked: Stacked, model: str, dependents: int) -> int:
    """The rank of the terms of independents alone."""
    first = sum(stacked.widths[:dependents])
    alone = [term for term in terms_of(stacked, model) if min(term) >= first]
    return basis_of(stacked, alone).shape[1] - 1
