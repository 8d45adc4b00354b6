"""A control: records of the same population that a release was not made from."""

from math import sqrt

import numpy as np

from sdclab.base.errors import SdclabError, listed
from sdclab.microdata.dataset import Dataset, Missing
from sdclab.microdata.microdata import Microdata, Say, without_gaps
from sdclab.microdata.pairing import Pair
from sdclab.numerics.arrays import Indices, Matrix
from sdclab.numerics.ties import equated

LEAST = 50
"""With fewer records an interval is so wide that no attack could be told from none."""

SURE = 4
"""Standard deviations beyond what chance explains from which on records are taken to be the same people."""


def holdout(both: Pair, table: Microdata, missing: Missing = "refuse", say: Say = lambda line: None) -> Dataset:
    """The columns that are compared, of a table of other people, once it is known to be one."""
    columns, known = both.roles.used, both.attributes.all
    absent = [name for name in columns if name not in table]
    if absent:
        raise SdclabError(
            f"{table.file}: a control must have the columns that are compared, but lacks {listed(absent)}."
        )
    table = without_gaps(table, columns, missing, say)
    for each in known:
        if each.is_number and table.is_text(each.name):
            place = f"row {table.first_text(each.name)}"
            raise SdclabError(f"{table.file}: column {each.name} holds text in {place}, but numbers in the original.")
    found = table.dataset(columns, known)
    if len(found.values) < LEAST:
        raise SdclabError(f"{table.file}: a control must have at least {LEAST} records, but has {len(found.values)}.")
    _check_strangers(both.original.select(columns, both.original.name), found.values, table.file, both.original.name)
    return found


def _check_strangers(original: Matrix, control: Matrix, file: str, name: str) -> None:
    """Refuse a control that shares more records with the original than the originals share among themselves."""
    places = _numbered(np.vstack([original, control]))
    ours, theirs = places[: len(original)], places[len(original) :]
    times = np.bincount(ours, minlength=int(places.max()) + 1)
    shared = int((times[theirs] > 0).sum())
    chance = float((times[ours] > 1).mean())
    expected = chance * len(theirs)
    if shared > expected + SURE * sqrt(expected * (1 - chance)):
        raise SdclabError(
            f"{file}: {shared} of its {len(theirs)} records are those of {name}, where chance explains "
            f"{expected:.0f}; a control must be people whom the release was not made from."
        )


def _numbered(records: Matrix) -> Indices:
    """Equal records by equal numbers, values that differ by rounding alone being equal."""
    same = np.column_stack([equated(column) for column in records.T])
    return np.unique(same, axis=0, return_inverse=True)[1].ravel()
