"""The cardinality constraint of local synthesis: no cluster may be expected to hold fewer than k of the n records.

Oganian & Domingo-Ferrer (2017), equations 3 to 5.
"""

from sdclab.base.errors import SdclabError
from sdclab.numerics.arrays import Vector
from sdclab.numerics.ties import at_most


def constrained(weights: Vector, least: float) -> Vector:
    """Cluster weights smoothed towards 1/G so that the smallest is `least` = k/n; unchanged if none is smaller."""
    clusters = len(weights)
    if at_most(1.0, least * clusters):
        raise SdclabError(f"the number of clusters G is {clusters} but must be below n/k, which is {1 / least:g}.")
    smallest = weights.min()
    if smallest >= least:
        return weights
    delta = (least - smallest) / (1 - least * clusters)
    raised: Vector = (weights + delta) / (weights + delta).sum()
    return raised
