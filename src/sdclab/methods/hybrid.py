"""Hybrid: local synthesis inside the clusters of a Gaussian mixture.

Oganian & Domingo-Ferrer (2017): sections 3 to 5 for continuous attributes, section 6 for those with categories.
"""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc, Given
from sdclab.base.errors import SdclabError
from sdclab.clustering import latent_class, mixture
from sdclab.clustering.covariances import COVARIANCES
from sdclab.clustering.starts import Start
from sdclab.methods import Release
from sdclab.methods.hybrid_micro import synthesise
from sdclab.microdata.attribute import Attributes
from sdclab.numerics.arrays import Indices, Matrix, dichotomous
from sdclab.numerics.linalg import centred_basis, fitted, orthonormal_basis, residuals, same_gram
from sdclab.numerics.memo import remembered
from sdclab.numerics.seeds import stream
from sdclab.numerics.ties import largest_of

SIZES = range(2, 11)
"""The numbers of clusters that the paper lets BIC choose from."""

GRID = {"k": [20, 60, 200]}

TAKES = ("continuous", "count", "nominal", "ordinal")


def protect(
    dependent: Matrix,
    independent: Matrix,
    rng: np.random.Generator,
    *,
    k: Annotated[int, Doc("the weights of the mixture are at least k/n, equations 3 and 4")] = 60,
    clusters: Annotated[int | None, Doc("how many, below n/k; if nothing is said BIC chooses from 2 to 10")] = None,
    model: Annotated[
        Literal["EII", "VII", "EEE", "VVI", "EVV", "VEV", "VVV", "any"],
        Doc(
            "the covariances, volume, shape and orientation being Equal, Variable or those of the Identity, or "
            "whichever has the largest BIC"
        ),
    ] = "any",
    start: Annotated[
        Start, Doc("where EM starts: merges as R's mclust makes them, merges by the book, or k-means")
    ] = "mclust",
    enforce: Annotated[
        bool, Doc("dissolve the smallest cluster until none has fewer than k records, its own going to the next likely")
    ] = False,
    columns: Annotated[Attributes | None, Given()] = None,
) -> Release:
    """Cluster by a mixture whose weights are at least k/n, then synthesise each cluster as a normal sample.

    Equations 3 and 4 bound the weights, not the clusters that records are assigned to: `smallest_cluster` tells the k
    that a release really has. Attributes with categories are drawn from latent classes given the released others;
    without `columns` those of zeros and ones.
    """
    sizes = _categories(dependent, columns)
    coded = sizes > 0
    if coded.all() and columns is None:
        raise SdclabError("method hybrid: every dependent is dichotomous, but at least one must be continuous.")
    known = independent[:, :0] if columns is None else independent
    if coded.all():
        return _plain_latent_classes(dependent, known, sizes, k, clusters, rng)
    continuous = dependent[:, ~coded]
    chosen, labels = clustered(continuous, k, clusters, model, start, enforce)
    members = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    released = np.empty_like(dependent)
    if known.shape[1]:
        released[:, ~coded] = synthesise_given(continuous, known, members, rng)
    else:
        released[:, ~coded] = synthesise(continuous, members, rng)
    if coded.any():
        before, after = (np.column_stack([made[:, ~coded], known]) for made in (dependent, released))
        found = _latent_classes(dependent[:, coded], before, labels, k, sizes[coded])
        released[:, coded] = found.draw(after, rng)
    return Release(released, _facts([len(each) for each in members], chosen.bic, chosen.log_likelihood))


def _categories(dependent: Matrix, columns: Attributes | None) -> Indices:
    """How many categories each dependent has; 0 for a number, but for one of zeros and ones."""
    told = np.zeros(dependent.shape[1], dtype=np.intp) if columns is None else columns.sizes()
    return np.where(told > 0, np.maximum(told, 2), np.where(dichotomous(dependent), 2, 0))


def synthesise_given(records: Matrix, known: Matrix, clusters: list[Indices], rng: np.random.Generator) -> Matrix:
    """Normal records around what clusters and independents predict, with the residuals' exact covariances.

    One regression, on the clusters and the independents, serves all clusters: one in each would release a record that
    is alone there with its category as it was. Means and covariances of the file are kept, and so are its means by the
    independents' categories, the latter on average.
    """
    labels = np.zeros((len(records), len(clusters)))
    for label, members in enumerate(clusters):
        labels[members, label] = 1
    basis = orthonormal_basis(np.column_stack([labels, known - known.mean(axis=0)]))
    predicted, left = fitted(basis, records), residuals(basis, records)
    protected = np.empty_like(records)
    for members in clusters:
        # away from the predictions, so that covariances add up, if there is room
        around = predicted[members] if len(members) > 2 * records.shape[1] + 1 else np.empty((len(members), 0))
        drawn = same_gram(left[members], centred_basis(around), rng, within=not around.size)
        protected[members] = predicted[members] + drawn
    return protected


def _plain_latent_classes(
    dependent: Matrix, known: Matrix, sizes: Indices, k: int, clusters: int | None, rng: np.random.Generator
) -> Release:
    """Equation 13: without continuous attributes there are no clusters to start from, and BIC chooses the classes.

    More of them are tried as long as that helps. A class's size is the number of records that it is expected to hold.
    """
    n = len(dependent)
    best, *others = (partial(_latent_classes, dependent, known, size, k, sizes) for size in _sizes(clusters, k, n))
    found = best()
    for other in others:
        more = other()
        if more.bic(n) <= found.bic(n):
            break
        found = more
    expected = (n * found.priors(known).mean(axis=0)).tolist()
    return Release(found.draw(known, rng), _facts(expected, found.bic(n), found.log_likelihood))


def clustered(
    records: Matrix,
    k: int,
    clusters: int | None = None,
    model: str = "any",
    start: Start = "mclust",
    enforce: bool = False,
) -> tuple[mixture.Mixture, Indices]:
    """The mixture, and the cluster of every record."""
    models = tuple(COVARIANCES) if model == "any" else (model,)
    fitted = mixture.choose(records, models, _sizes(clusters, k, len(records)), start, k)
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
        raise SdclabError(f"method hybrid: k is {k} but must lie between 1 and the number of records, {n}.")
    if clusters is not None and not 1 <= clusters < n / k:
        raise SdclabError(f"method hybrid: clusters is {clusters} but must be at least 1 and below n/k = {n / k:g}.")
    sizes = tuple(size for size in SIZES if size * k < n) if clusters is None else (clusters,)
    if not sizes:
        raise SdclabError(
            f"method hybrid: k is {k} but must be below {n / SIZES[0]:g}, or there is room for one cluster only."
        )
    return sizes


@remembered
def _latent_classes(
    codes: Matrix, x: Matrix, clusters: Indices | int, k: int, sizes: Indices
) -> latent_class.LatentClasses:
    """Section 6: as many latent classes as clusters; the random starts are the same for every replicate."""
    start = clusters if isinstance(clusters, int) else np.unique(clusters, return_inverse=True)[1]
    return latent_class.fit(codes, x, start, stream(0), k=k, sizes=sizes)


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
