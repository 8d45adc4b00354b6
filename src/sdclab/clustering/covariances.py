"""The covariance models of a Gaussian mixture.

Celeux & Govaert (1995), Gaussian parsimonious clustering models. A model's letters say whether volume, shape and
orientation of the clusters' covariances are Equal, Variable or those of the Identity.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sdclab.base.errors import SdclabError
from sdclab.numerics.arrays import Matrix, Vector


class CollapsedError(SdclabError):
    """A cluster lies on fewer dimensions than there are attributes, so its density has no bound."""


def collapsed(clusters: int) -> CollapsedError:
    return CollapsedError(
        f"one of {clusters} clusters collapses onto fewer dimensions than there are attributes; "
        "fewer clusters or a simpler covariance model are needed."
    )


@dataclass(frozen=True)
class Covariances:
    """How a model estimates the clusters' covariances from their scatters and sizes."""

    estimate: Callable[[Matrix, Vector], Matrix]
    free: Callable[[int, int], int]
    """The number of free parameters, by the numbers of clusters and of attributes."""
    any_units: bool
    """Whether the estimate follows when attributes change their units."""


def _eii(scatter: Matrix, size: Vector) -> Matrix:
    return _spheres(np.full(len(size), np.trace(scatter.sum(axis=0)) / size.sum()), scatter.shape[1])


def _vii(scatter: Matrix, size: Vector) -> Matrix:
    return _spheres(np.trace(scatter, axis1=1, axis2=2) / size, scatter.shape[1])


def _spheres(total_variance: Vector, attributes: int) -> Matrix:
    return total_variance[:, None, None] / attributes * np.eye(attributes)


def _eee(scatter: Matrix, size: Vector) -> Matrix:
    return np.repeat(scatter.sum(axis=0, keepdims=True) / size.sum(), len(size), axis=0)


def _vvi(scatter: Matrix, size: Vector) -> Matrix:
    return _vvv(scatter * np.eye(scatter.shape[1]), size)


def _vvv(scatter: Matrix, size: Vector) -> Matrix:
    return scatter / size[:, None, None]


def _evv(scatter: Matrix, size: Vector) -> Matrix:
    """One volume: every scatter is scaled to the determinant of their weighted mean volume."""
    volume = _volumes(np.asarray(np.linalg.eigvalsh(scatter), dtype=float))
    return scatter / volume[:, None, None] * volume.sum() / size.sum()


def _vev(scatter: Matrix, size: Vector) -> Matrix:
    """One shape: volumes and shape are found in turn, orientations are the scatters' own axes.

    The shape is shared, so a cluster on fewer dimensions takes it from the others: volumes start from the traces.
    """
    lengths, axes = np.linalg.eigh(scatter)
    lengths = np.maximum(lengths, 0.0)
    volume = lengths.mean(axis=1) / size
    for _ in range(100):
        if (volume <= np.finfo(float).eps * volume.max()).any():
            raise collapsed(len(size))
        shape = (lengths / volume[:, None]).sum(axis=0)
        if shape.min() <= 0:
            raise collapsed(len(size))
        shape /= _volumes(shape[None])
        before, volume = volume, (lengths / shape).sum(axis=1) / (size * len(shape))
        if np.abs(volume - before).max() <= 1e-8 * volume.max():
            break
    return volume[:, None, None] * (axes * shape) @ np.swapaxes(axes, 1, 2)


def _volumes(lengths: Matrix) -> Vector:
    """The geometric means of eigenvalues, the determinant to the power 1/p."""
    if (lengths <= 0).any():
        raise collapsed(len(lengths))
    return np.exp(np.log(lengths).mean(axis=1))


COVARIANCES = {
    "EII": Covariances(_eii, lambda clusters, p: 1, False),
    "VII": Covariances(_vii, lambda clusters, p: clusters, False),
    "EEE": Covariances(_eee, lambda clusters, p: p * (p + 1) // 2, True),
    "VVI": Covariances(_vvi, lambda clusters, p: clusters * p, True),
    "EVV": Covariances(_evv, lambda clusters, p: clusters * p * (p + 1) // 2 - (clusters - 1), True),
    "VEV": Covariances(_vev, lambda clusters, p: clusters * p * (p + 1) // 2 - (clusters - 1) * (p - 1), False),
    "VVV": Covariances(_vvv, lambda clusters, p: clusters * p * (p + 1) // 2, True),
}
"""The covariance models by name."""
