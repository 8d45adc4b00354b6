"""Radial basis functions: how near every record is to each of some centres.

Moody & Darken (1989), Fast learning in networks of locally-tuned processing units: Gaussians around the centres of
clusters, as wide as these are apart, normalised so that they share every record among them.
"""

import numpy as np
from scipy.spatial.distance import cdist

from sdclab.clustering.fcm import fcm, random_records
from sdclab.numerics.arrays import Matrix
from sdclab.numerics.linalg import standardised
from sdclab.numerics.memo import remembered
from sdclab.numerics.seeds import stream

APART = 0.01
"""In SDs: centres nearer than this have fallen together and count once."""


@remembered
def nearness(records: Matrix, centres: int, width: float = 1.0) -> Matrix:
    """Record × centre: normalised Gaussians of the standardised records, every row adding up to 1.

    There are at most as many centres as distinct records. One width serves all, or a wide function would come back
    behind a narrow one: the mean distance of a centre to the nearest other, times `width`. Deterministic.
    """
    if not records.shape[1]:
        return np.ones((len(records), 1))
    points = standardised(records)
    found = _centres(points, centres)
    if len(found) == 1:
        return np.ones((len(records), 1))
    between = cdist(found, found)
    np.fill_diagonal(between, np.inf)
    spread = width * between.min(axis=1).mean()
    exponents = cdist(points, found, "sqeuclidean") / (-2 * spread**2)
    heights = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    return np.asarray(heights / heights.sum(axis=1, keepdims=True))


def _centres(points: Matrix, count: int) -> Matrix:
    """Centres of fuzzy c-means, which hang on no last bit, from distinct records that a fixed seed draws."""
    rng, distinct = stream(0), np.unique(points, axis=0)
    start = random_records(distinct, min(count, len(distinct)), rng)
    found = fcm(points, start[None], rng)[0].centres
    alone = cdist(found, found) > APART
    return found[[i for i in range(len(found)) if alone[i, :i].all()]]
