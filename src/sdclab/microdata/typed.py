"""A dataset whose columns have types: what a typed scenario makes of a prepared table of numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from sdclab.microdata.attribute import Attribute
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.declaration import Declared
from sdclab.microdata.inference import attributes
from sdclab.microdata.microdata import Microdata


def typed(dataset: Dataset, columns: Sequence[str], declared: Mapping[str, Declared]) -> Dataset:
    """The dataset with an attribute for each of some columns: as declared, as it is known, or by what it holds.

    Numbers that are categories become codes; the fingerprint stays that of the prepared table.
    """
    known = {each.name: each for each in dataset.attributes}
    asked = [column for column in columns if column in declared or column not in known]
    if not asked:
        return dataset
    values = dataset.select(asked, dataset.name)
    cells = {name: _cells(column, known.get(name)) for name, column in zip(asked, values.T, strict=True)}
    table = Microdata(dataset.name, pd.DataFrame(cells))
    found = attributes(table, asked, {name: declared[name] for name in asked if name in declared})
    whole = dataset.values.copy("K")
    whole[:, [dataset.columns.index(name) for name in asked]] = table.encoded(asked, found)
    known |= {each.name: each for each in found}
    return replace(dataset, values=whole, attributes=tuple(known.values()), recoded_from=dataset.fingerprint)


def _cells(column: Any, attribute: Attribute | None) -> Any:
    """A column as its file has it: categories by their labels."""
    if attribute is None or attribute.is_number:
        return column
    return np.array(attribute.categories, dtype=object)[column.astype(np.intp)]
