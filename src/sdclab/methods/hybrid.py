"""Hybrid: local synthesis inside the clusters of a mixture.

Oganian & Domingo-Ferrer (2017): sections 3 to 5 for continuous attributes, section 6 for those with categories. Their
clusters are normal; t components are what section 4 names for clusters that are not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc, Given
from sdclab.base.errors import SdclabError
from sdclab.clustering import latent_class, mixture
from sdclab.clustering.covariances import COVARIANCES
from sdclab.clustering.pairs import Pairs, indicators
from sdclab.clustering.starts import Start
from sdclab.methods import Release
from sdclab.methods.hybrid_micro import synthesise
from sdclab.methods.synthetic import masses_of, part_of, terms_of
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics import logistic
from sdclab.numerics.arrays import Indices, Mask, Matrix, Vector, dichotomous
from sdclab.numerics.linalg import centred, fitted, orthonormal_basis, residuals
from sdclab.numerics.memo import remembered
from sdclab.numerics.seeds import stream
from sdclab.numerics.ties import largest_of

RELEASES = "normal (or t) records with each cluster's mean and covariances, the clusters being those of a mixture"
KEEPS = "means and covariances, in every cluster and of the file"

SIZES = range(2, 11)
"""The numbers of clusters that the paper lets BIC choose from."""

ENOUGH = 1e-3
"""Log-likelihood that latent classes of a typed file may leave: the last of it takes four times as long as the rest."""

GRID = {"k": [20, 60, 200]}

TAKES = ("continuous", "count", "nominal", "ordinal")

Weight = Annotated[int, Doc("the weights of the mixture are at least k/n, equations 3 and 4")]
Clusters = Annotated[int | None, Doc("how many, below n/k; if nothing is said BIC chooses from 2 to 10")]
Model = Annotated[
    Literal["EII", "VII", "EEE", "VVI", "EVV", "VEV", "VVV", "any"],
    Doc(
        "the covariances, volume, shape and orientation being Equal, Variable or those of the Identity, or "
        "whichever has the largest BIC"
    ),
]
MixtureStart = Annotated[Start, Doc("where EM starts: merges as R's mclust makes them, merges by the book, or k-means")]
Enforce = Annotated[
    bool, Doc("dissolve the smallest cluster until none has fewer than k records, its own going to the next likely")
]
"""Parameters of every method that works inside the clusters of a mixture."""


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    k: Weight = 60,
    clusters: Clusters = None,
    model: Model = "any",
    start: MixtureStart = "mclust",
    enforce: Enforce = False,
    components: Annotated[
        mixture.Components,
        Doc("of the mixture, and what its clusters are drawn as: normal, or t with estimated degrees of freedom"),
    ] = "normal",
    dependence: Annotated[
        Literal["independent", "pairs", "by_type"],
        Doc(
            "of categories on each other inside a cluster: none, the paper's latent classes, or pair by pair, each "
            "attribute given numbers, cluster and those before it, or pairs where columns have types and else none"
        ),
    ] = "by_type",
    columns: Annotated[Attributes | None, Given()] = None,
) -> Release:
    """Cluster by a mixture whose weights are at least k/n, then synthesise each cluster as a normal or t sample.

    Equations 3 and 4 bound the weights, not the clusters that records are assigned to: `smallest_cluster` tells the k
    that a release really has. Attributes with categories are drawn given the released others, from latent classes or
    pair by pair; without `columns` those of zeros and ones are such. Of t components `fewest_degrees` tells the
    heaviest tails.
    """
    known = independent[:, :0] if columns is None else independent
    parts = _Parts.of(dependent, known, columns)
    by_pairs = dependence == "pairs" or (dependence == "by_type" and columns is not None)
    if not parts.numbers.shape[1]:
        if columns is None:
            raise SdclabError("method hybrid: every dependent is dichotomous, but at least one must be continuous.")
        return _of_categories_alone(parts, known, columns, rng, k, clusters, by_pairs)
    chosen, labels = clustered(parts.numbers, k, clusters, model, start, enforce, components)
    members = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    degrees = None if chosen.degrees is None else chosen.degrees[np.unique(labels)]
    facts = _facts([len(each) for each in members], chosen.bic, chosen.log_likelihood)
    facts |= {} if degrees is None else {"fewest_degrees": float(degrees.min())}
    numbers, codes = synthesise_given(parts.numbers, known, members, rng, degrees), parts.codes
    groups = _groups(known, columns, k)
    if by_pairs:
        made = _by_pairs(parts, numbers, (labels, labels), _common(known, columns, k), groups, k, rng)
        return Release(_constants_kept(dependent, made, parts.coded, groups[1:], k), facts)
    if len(parts.sizes):
        before, after = (np.column_stack([each, known]) for each in (parts.numbers, numbers))
        classes = _latent_classes(parts.codes, before, labels, k, parts.sizes, 1e-6 if columns is None else ENOUGH)
        if columns is None:
            codes = classes.draw(after, rng)
        else:
            # released numbers lie elsewhere than the original ones, but no class is to be the larger for it
            like = latent_class.Like(parts.codes, groups)
            codes = classes.draw(after, rng, classes.priors(before).mean(axis=0), like)
    return Release(parts.together(numbers, codes), facts)


@dataclass(frozen=True)
class _Parts:
    """The dependents as numbers and codes. A number with point masses is both: its code says which mass, 0 for none."""

    coded: Mask
    """which dependents are categories, or numbers that are 0 or 1"""
    masses: Mapping[int, Vector]
    """by the place among the numbers"""
    numbers: Matrix
    codes: Matrix
    """of the categories, then of the point masses"""
    sizes: Indices
    """how many codes there are in each column"""

    @classmethod
    def of(cls, dependent: Matrix, known: Matrix, columns: Attributes | None) -> "_Parts":
        told = np.zeros(dependent.shape[1], dtype=np.intp) if columns is None else columns.sizes()
        sizes = np.where(told > 0, np.maximum(told, 2), np.where(dichotomous(dependent), 2, 0))
        coded = sizes > 0
        numbers = dependent[:, ~coded]
        masses = {} if columns is None else _masses(numbers, [columns.dependent[j] for j in np.flatnonzero(~coded)])
        codes = np.column_stack([dependent[:, coded], *(part_of(numbers[:, j], masses[j]) for j in masses)])
        sizes = np.concatenate([sizes[coded], [len(each) + 1 for each in masses.values()]]).astype(np.intp)
        return cls(coded, masses, _filled(numbers, known, masses), codes, sizes)

    def together(self, numbers: Matrix, codes: Matrix) -> Matrix:
        """The dependents again, of new numbers and codes."""
        categories = int(self.coded.sum())
        made = np.empty((len(numbers), len(self.coded)))
        made[:, ~self.coded] = self.spiked(numbers, codes[:, categories:])
        made[:, self.coded] = codes[:, :categories]
        return made

    def spiked(self, numbers: Matrix, of_masses: Matrix) -> Matrix:
        """Numbers with their point masses in them."""
        made = numbers.copy()
        for (j, masses), part in zip(self.masses.items(), of_masses.T, strict=True):
            made[part > 0, j] = masses[part[part > 0].astype(np.intp) - 1]
        return made


def _masses(numbers: Matrix, attributes: Sequence[Attribute]) -> dict[int, Vector]:
    found = {j: masses_of(attribute, numbers[:, j]) for j, attribute in enumerate(attributes)}
    return {j: masses for j, masses in found.items() if len(masses)}


def _filled(numbers: Matrix, known: Matrix, masses: Mapping[int, Vector]) -> Matrix:
    """Numbers as they might be where they are point masses, onto which clusters would collapse.

    A regression on the numbers without masses, among the records that have none, predicts them; residuals are theirs.
    """
    filled, rng = numbers.copy("K"), stream(0)
    others = np.column_stack([np.delete(numbers, list(masses), axis=1), known])
    for j, values in masses.items():
        spiked = np.isin(numbers[:, j], values)
        y = numbers[~spiked, j]
        if len(y):
            fitted, wanted = terms_of(others[~spiked], others[spiked])
            beta = fitted.T @ y / len(y)
            left = y - fitted @ beta
            filled[spiked, j] = wanted @ beta + left[rng.integers(len(left), size=len(wanted))]
    return filled


def synthesise_given(
    records: Matrix, known: Matrix, clusters: list[Indices], rng: np.random.Generator, degrees: Vector | None = None
) -> Matrix:
    """What clusters and independents predict, and residuals synthesised inside each cluster.

    One regression serves all clusters, and draws need not be orthogonal to what it predicts: else a record that is
    alone with its category, which the regression fits, would be released as it was. Means are kept in every cluster;
    covariances, and means by the independents' categories, on average.
    """
    if not known.shape[1]:
        return synthesise(records, clusters, rng, degrees)
    labels = np.zeros((len(records), len(clusters)))
    for label, members in enumerate(clusters):
        labels[members, label] = 1
    basis = orthonormal_basis(np.column_stack([labels, centred(known)]))
    return fitted(basis, records) + synthesise(residuals(basis, records), clusters, rng, degrees)


def _by_pairs(
    parts: _Parts,
    numbers: Matrix,
    labels: tuple[Indices, Indices],
    common: Matrix,
    groups: Sequence[Mask],
    k: int,
    rng: np.random.Generator,
) -> Matrix:
    """The dependents of new numbers, their codes drawn pair by pair; `labels` are the originals' and the new ones'.

    Point masses come first, so that categories are drawn given numbers as they are released.
    """
    count = int(parts.coded.sum())
    of_categories, of_masses = parts.codes[:, :count], parts.codes[:, count:]
    clusters = [indicators(each[:, None], labels[0][:, None], k) for each in labels]
    before, after = (
        np.column_stack([each, common, own]) for each, own in zip((parts.numbers, numbers), clusters, strict=True)
    )
    masses = _pairs(of_masses, before, k).draw(after, latent_class.Like(of_masses, groups), rng)
    before, after = (
        np.column_stack([parts.spiked(each, part), common, own, indicators(part, of_masses, k)])
        for each, part, own in zip((parts.numbers, numbers), (of_masses, masses), clusters, strict=True)
    )
    categories = _pairs(of_categories, before, k).draw(after, latent_class.Like(of_categories, groups), rng)
    return parts.together(numbers, np.column_stack([categories, masses]))


@remembered
def _pairs(codes: Matrix, x: Matrix, k: int) -> Pairs:
    return Pairs.fit(codes, x, k)


def _constants_kept(dependent: Matrix, made: Matrix, coded: Mask, groups: Sequence[Mask], k: int) -> Matrix:
    """Numbers that all records with a category share are shared in the release, too, if at least k records do."""
    made = made.copy()
    both = [
        (dependent[:, j] == code, made[:, j] == code)
        for j in np.flatnonzero(coded)
        for code in np.unique(dependent[:, j])
    ]
    for before, after in [*both, *((group, group) for group in groups)]:
        if before.sum() >= k:
            first = dependent[before][0]
            shared = ~coded & (dependent[before] == first).all(axis=0)
            made[np.ix_(after, shared)] = first[shared]
    return made


def _of_categories_alone(
    parts: _Parts,
    known: Matrix,
    columns: Attributes,
    rng: np.random.Generator,
    k: int,
    clusters: int | None,
    by_pairs: bool,
) -> Release:
    """A class's size is the number of records that it is expected to hold."""
    n = len(known)
    found = _plain_latent_classes(parts.codes, known, k, parts.sizes, _sizes(clusters, k, n))
    expected = (n * found.priors(known).mean(axis=0)).tolist()
    groups = _groups(known, columns, k)
    if by_pairs:
        own = logistic.drawn(found.posteriors(parts.codes, known), stream(0))  # the same for every replicate
        labels = own, logistic.drawn(found.priors(known), rng)
        codes = _by_pairs(parts, parts.numbers, labels, _common(known, columns, k), groups, k, rng)
    else:
        codes = found.draw(known, rng, like=latent_class.Like(parts.codes, groups))
    return Release(codes, _facts(expected, found.bic(n), found.log_likelihood))


def _groups(known: Matrix, columns: Attributes | None, k: int) -> list[Mask]:
    """All records, and those of every category of an independent that at least k have: fewer would be shown."""
    categories = () if columns is None else columns.by_category(known)
    return [np.ones(len(known), dtype=bool), *(who for who in categories if who.sum() >= k)]


def _common(known: Matrix, columns: Attributes | None, k: int) -> Matrix:
    """The independents, of categories those that at least k have."""
    if columns is None:
        return known
    sizes = [len(each.categories) for each in columns.independent if not each.is_number]
    who = np.column_stack([np.empty((len(known), 0)), *columns.by_category(known)])
    places = np.split(who, np.cumsum(sizes), axis=1)[:-1]
    codes = np.column_stack([np.empty((len(known), 0)), *(each.argmax(axis=1) for each in places)])
    return np.column_stack([known[:, : len(columns.independent) - len(sizes)], indicators(codes, codes, k)])


@remembered
def _plain_latent_classes(
    codes: Matrix, x: Matrix, k: int, sizes: Indices, classes: tuple[int, ...]
) -> latent_class.LatentClasses:
    """Equation 13: with no clusters to start from BIC chooses the number of classes, more as long as that helps."""
    best = None
    for number in classes:
        found = latent_class.fit(codes, x, number, stream(0), k=k, sizes=sizes, tolerance=ENOUGH)
        if best is not None and found.bic(len(codes)) <= best.bic(len(codes)):
            break
        best = found
    assert best is not None  # there is always a number to try
    return best


def seen(dependent: Matrix, independent: Matrix, columns: Attributes | None) -> Matrix:
    """The numbers among the dependents in which clusters are looked for, none of them at a point mass."""
    return _Parts.of(dependent, independent, columns).numbers


def clustered(
    records: Matrix,
    k: int,
    clusters: int | None = None,
    model: str = "any",
    start: Start = "mclust",
    enforce: bool = False,
    components: mixture.Components = "normal",
) -> tuple[mixture.Mixture, Indices]:
    """The mixture, and the cluster of every record."""
    models = tuple(COVARIANCES) if model == "any" else (model,)
    fitted = mixture.choose(records, models, _sizes(clusters, k, len(records)), start, k, components)
    return fitted, with_least_records(fitted.shares, k) if enforce else fitted.labels


def with_least_records(shares: Matrix, k: int) -> Indices:
    """The most probable cluster of every record, the smallest cluster being dissolved until all have k records.

    Beside a dissolved cluster the others may have had next to nothing: how small their shares are makes no tie.
    """
    kept = np.arange(shares.shape[1])
    while True:
        labels = kept[largest_of(shares[:, kept], scale=0.0)]
        sizes = np.bincount(labels, minlength=shares.shape[1])[kept]
        if sizes.min() >= k or len(kept) == 1:
            return labels
        kept = np.delete(kept, sizes.argmin())


def _sizes(clusters: int | None, k: int, n: int) -> tuple[int, ...]:
    """The numbers of clusters to try: the one asked for, or those for which a weight of k/n each is possible."""
    if not 1 <= k <= n:
        raise SdclabError(f"k is {k} but must lie between 1 and the number of records, {n}.")
    if clusters is not None and not 1 <= clusters < n / k:
        raise SdclabError(f"clusters is {clusters} but must be at least 1 and below n/k = {n / k:g}.")
    sizes = tuple(size for size in SIZES if size * k < n) if clusters is None else (clusters,)
    if not sizes:
        raise SdclabError(f"k is {k} but must be below {n / SIZES[0]:g}, or there is room for one cluster only.")
    return sizes


@remembered
def _latent_classes(
    codes: Matrix, x: Matrix, labels: Indices, k: int, sizes: Indices, tolerance: float
) -> latent_class.LatentClasses:
    """Section 6: as many latent classes as clusters; the random starts are the same for every replicate."""
    numbered = np.unique(labels, return_inverse=True)[1]
    return latent_class.fit(codes, x, numbered, stream(0), k=k, sizes=sizes, tolerance=tolerance)


def _facts(sizes: Sequence[float], bic: float, log_likelihood: float) -> dict[str, float]:
    """What a report on the release should tell; the sizes of clusters that BIC did not ask for are missing."""
    missing = [np.nan] * (SIZES[-1] - len(sizes))
    return {
        "clusters": len(sizes),
        "smallest_cluster": min(sizes),
        "largest_cluster": max(sizes),
        **{f"cluster_size_{i}": size for i, size in enumerate([*sizes, *missing], start=1)},
        "bic": bic,
        "log_likelihood": log_likelihood,
    }
