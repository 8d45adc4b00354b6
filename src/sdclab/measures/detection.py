"""detection: how well a classifier tells released records from original ones that it has not seen.

AUC, the area under the ROC curve, is the chance that of a released and an original record the released one looks more
like a release: 50 % if they cannot be told apart, 100 % if they always can. Friedman (2003), On multivariate
goodness-of-fit and two-sample testing; Lopez-Paz & Oquab (2017), Revisiting classifier two-sample tests.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc, Given, Number
from sdclab.base.errors import SdclabError
from sdclab.clustering.classes import Distinct
from sdclab.measures._samples import rows_of
from sdclab.measures.propensity import Stacked, basis_of, memberships, sparing, terms_of
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector, most_frequent_first
from sdclab.numerics.linalg import standardised
from sdclab.numerics.logistic import fit
from sdclab.numerics.seeds import seed_of, stream
from sdclab.numerics.ties import equated, mean_ranks

FOLDS = 5
ROWS, LEAF = 2000, 5
"""Of a tree: the records that it is grown on, at most, and the fewest in a leaf."""

SAMPLE = 4_000
"""Records in each sample of a user's long file, unless all are asked for."""

NUMBERS = {
    "detection": Number("records told apart, 2 (AUC - 50)", "loss", 0, 100, "%", "less"),
    "detection_auc": Number("AUC of released against original records", low=0, high=100, unit="%"),
    "detection_trees": Number("trees of the forest; without one, a logistic model", low=0),
}

Classifier = Callable[[Mask, Mask, int], Vector]
"""From records that are learnt from the scores of others, larger for released ones; the number seeds it."""


def measure(
    original: Matrix,
    protected: Matrix,
    independent: Matrix,
    *,
    classifier: Annotated[
        Literal["auto", "forest", "logistic"],
        Doc("a random forest, if scikit-learn is installed, or else a logistic model; or the one that is named"),
    ] = "auto",
    trees: Annotated[int, Doc("trees of the forest, at least 1")] = 50,
    sample: Annotated[int | None, Doc("only so many records, drawn at random, with their releases")] = None,
    columns: Annotated[Attributes | None, Given()] = None,
) -> dict[str, float]:
    """AUC by five-fold cross-validation, and how far it is above 50 (0 if it is below), from 0 to 100.

    A record and its release are in one fold. Were they not, the classifier would have learnt that what is near a
    released record is original, and AUC would fall below 50. So it would where a release has a record's dependents at
    another place: such records are not learnt from while the other is told. All attributes enter, the independents too.
    """
    if trees < 1:
        raise SdclabError(f"measure detection: trees is {trees} but must be at least 1.")
    rows = rows_of(len(original), sample, "detection", least=2)
    stacked = Stacked.of(original[rows], protected[rows], independent[rows], columns)
    features = _features(stacked)
    is_forest = _is_forest(classifier)
    scores = _forest(features, stacked.is_protected, trees) if is_forest else _logistic(stacked)
    auc = 100 * _validated(scores, _sources(features[:, : original.shape[1]]))
    return {
        "detection": max(0.0, 2 * (auc - 50)),
        "detection_auc": auc,
        "detection_trees": float(trees if is_forest else 0),
    }


def _is_forest(classifier: str) -> bool:
    found = find_spec("sklearn") is not None
    if classifier == "forest" and not found:
        raise SdclabError("measure detection: classifier is forest, which needs scikit-learn, and it is not installed.")
    return found and classifier != "logistic"


def _features(stacked: Stacked) -> Matrix:
    """Every attribute by its ranks in both files: to trees they say as much, and no last bit decides a split.

    Categories without an order are ordered by how often they occur.
    """
    half = stacked.records[~stacked.is_protected]
    scaled = standardised(stacked.records, half.mean(axis=0), half.std(axis=0))
    columns = zip(stacked.attributes, stacked.records.T, scaled.T, strict=True)
    return np.column_stack([_ranks(*each) for each in columns]).astype(float)


def _ranks(attribute: Attribute, values: Vector, scaled: Vector) -> Indices:
    if attribute.type == "nominal":
        order = most_frequent_first(values)
        return order.argsort()[np.searchsorted(np.sort(order), values)]
    return np.unique(equated(scaled) if attribute.is_number else values, return_inverse=True)[1]


def _sources(features: Matrix) -> Indices:
    """The original that a released record has its dependents from: what stands once in either file, or else its own."""
    n = len(features) // 2
    distinct = Distinct.of(features)
    before, after = np.split(distinct.which, 2)
    place = np.empty(len(distinct.copies), dtype=np.intp)
    place[before] = np.arange(n)
    once = np.ones(len(distinct.copies), dtype=bool)
    for each in (before, after):
        once &= np.bincount(each, minlength=len(once)) == 1
    return np.where(once[after], place[after], np.arange(n))


def _validated(classifier: Classifier, sources: Indices) -> float:
    """The mean AUC over the folds. Nothing is learnt from a record that shares something with one of the fold."""
    n = len(sources)
    fold_of = stream(seed_of("detection", n)).permutation(n) % min(FOLDS, n)
    areas, sizes = [], []
    for fold in range(int(fold_of.max()) + 1):
        held = fold_of == fold
        lent = np.bincount(sources[held], minlength=n) > 0
        seen = np.concatenate([~held & ~lent, ~held & ~held[sources]])
        told = np.tile(held, 2)
        scores = classifier(seen, told, fold) if seen[:n].any() and seen[n:].any() else np.zeros(told.sum())
        areas.append(_area(*np.split(scores, 2)))
        sizes.append(int(held.sum()))
    return float(np.average(areas, weights=np.square(sizes)))


def _area(original: Vector, released: Vector) -> float:
    """The share of pairs in which the released record has the larger score; equal ones count half (Mann-Whitney)."""
    ranks = mean_ranks(equated(np.concatenate([original, released])))
    n, m = len(released), len(original)
    return float((ranks[m:].sum() - n * (n + 1) / 2) / (n * m))


def _forest(features: Matrix, is_protected: Mask, trees: int) -> Classifier:
    forests = import_module("sklearn.ensemble")

    def scores(seen: Mask, told: Mask, seed: int) -> Vector:
        forest = forests.RandomForestClassifier(
            trees,
            min_samples_leaf=LEAF,
            max_samples=min(ROWS, int(seen.sum())),
            random_state=seed_of("detection", seed) % 2**32,
            n_jobs=1,
        )
        forest.fit(features[seen], is_protected[seen])
        return np.asarray(forest.predict_proba(features[told])[:, -1])

    return scores


def _logistic(stacked: Stacked) -> Classifier:
    """With powers and products, as far as there are records for them."""
    x, shares = basis_of(stacked, terms_of(stacked, sparing(stacked))), memberships(stacked.is_protected)
    return lambda seen, told, seed: np.asarray(x[told] @ fit(x[seen], shares[seen]).coefficients[:, 0])
