"""Hybrid: local synthesis inside the clusters of a Gaussian mixture.

Oganian & Domingo-Ferrer (2017): sections 3 to 5 for continuous attributes, section 6 for dichotomous ones beside them.
"""

from typing import Annotated, Literal

import numpy as np

from sdclab.base.describe import Doc
from sdclab.base.errors import SdclabError
from sdclab.clustering import latent_class, mixture
from sdclab.clustering.covariances import COVARIANCES
from sdclab.clustering.starts import Start
from sdclab.methods import Release
from sdclab.methods.hybrid_micro import synthesise
from sdclab.numerics.arrays import Indices, Matrix, dichotomous
from sdclab.numerics.memo import remembered
from sdclab.numerics.seeds import stream
from sdclab.numerics.ties import largest_of

SIZES = range(2, 11)
"""The numbers of clusters that the paper lets BIC choose from."""

GRID = {"k": [20, 60, 200]}


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
) -> Release:
    """Cluster by a mixture whose weights are at least k/n, then synthesise each cluster as a normal sample.

    Equations 3 and 4 bound the weights, not the clusters that records are assigned to: `smallest_cluster` tells the k
    that a release really has. Attributes of zeros and ones are drawn from latent classes given the released others.
    """
    binary = dichotomous(dependent)
    if binary.all():
        raise SdclabError("method hybrid: every dependent is dichotomous, but at least one must be continuous.")
    continuous = dependent[:, ~binary]
    fitted, labels = clustered(continuous, k, clusters, model, start, enforce)
    members = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    released = np.empty_like(dependent)
    released[:, ~binary] = synthesise(continuous, members, rng)
    if binary.any():
        released[:, binary] = _latent_classes(dependent[:, binary], continuous, labels, k).draw(
            released[:, ~binary], rng
        )
    return Release(released, _facts(fitted, members))


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
def _latent_classes(binary: Matrix, continuous: Matrix, labels: Indices, k: int) -> latent_class.LatentClasses:
    """Section 6: as many latent classes as clusters; the random starts are the same for every replicate."""
    numbered = np.unique(labels, return_inverse=True)[1]
    return latent_class.fit(binary, continuous, numbered, stream(0), k=k)


def _facts(fitted: mixture.Mixture, members: list[Indices]) -> dict[str, float]:
    """What a report on the release should tell; the sizes of clusters that BIC did not ask for are missing."""
    sizes = [len(cluster) for cluster in members]
    missing = [np.nan] * (SIZES[-1] - len(sizes))
    return {
        "clusters": len(sizes),
        "smallest_cluster": min(sizes),
        "largest_cluster": max(sizes),
        **{f"cluster_size_{i}": size for i, size in enumerate([*sizes, *missing], start=1)},
        "bic": fitted.bic,
        "log_likelihood": fitted.log_likelihood,
    }
