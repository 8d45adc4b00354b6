"""Remembering what depends on the data alone: thirty replicates of a cell share one clustering."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

KEPT = 4
"""Results kept of each function, the latest ones, unless it says how many."""


def remembered(function: Callable[P, R], kept: int = KEPT) -> Callable[P, R]:
    """The same function, computed once for the same arguments: arrays by content, all others by their text.

    An array by columns is not the one by rows, though equal: sums over it are rounded otherwise, and a result must not
    hang on which of them came first. The result is shared and must not be written to.
    """
    results: OrderedDict[bytes, R] = OrderedDict()

    @wraps(function)
    def recalled(*args: P.args, **kwargs: P.kwargs) -> R:
        key = _key([*args, *sorted(kwargs.items())])
        if key not in results:
            results[key] = function(*args, **kwargs)
        results.move_to_end(key)
        while len(results) > kept:
            results.popitem(last=False)
        return results[key]

    return recalled


def _key(values: list[object]) -> bytes:
    digest = hashlib.sha256()
    for value in values:
        if isinstance(value, np.ndarray):
            digest.update(f"array {value.shape} {value.strides} {value.dtype}".encode())
            digest.update(np.ascontiguousarray(value).tobytes())
        else:
            digest.update(repr(value).encode())
        digest.update(b"\0")
    return digest.digest()
