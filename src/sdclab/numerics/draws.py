"""Some records of a file, drawn at random without replacement, and the same ones in every run.

At random and not evenly spaced: files come sorted, by households or by months, and of one that repeats itself evenly
spaced records may all be of one kind.
"""

import numpy as np

from sdclab.numerics.arrays import Indices
from sdclab.numerics.seeds import seed_of, stream


def some(n: int, size: int) -> Indices:
    """So many of n places, in order, or all if there are no more. The two numbers alone decide which."""
    return parts(n, size, 1)[0] if size < n else np.arange(n)


def parts(n: int, size: int, count: int) -> Indices:
    """So many sets of places, a row each and in order; no place is in two of them."""
    drawn = stream(seed_of("sample", n, size)).choice(n, count * size, replace=False)
    return np.sort(drawn.reshape(count, size), axis=1)
