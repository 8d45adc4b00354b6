"""From a file as its publisher ships it to the prepared table, one function a dataset.

Each takes the file's bytes, its name for messages, the columns to deliver and the labels of those that hold text, and
returns the matrix of those columns. `SAMPLED` names those that also take the seed of a random sample.
"""

import csv
import io
from collections.abc import Callable, Sequence
from hashlib import sha256

import numpy as np

from sdclab.base.errors import SdclabError, unknown
from sdclab.microdata.dataset import Labels, numbers
from sdclab.microdata.rda import data_frames
from sdclab.numerics.arrays import Matrix

ADULT_FIELDS = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex "
    "capital-gain capital-loss hours-per-week native-country income"
).split()
ADULT_RECORDS = 10_000
UNKNOWN = "unknown"
"""What Adult leaves open is a category of its own, since no record is left out."""

THYROID_FIELDS = (
    "age sex on_thyroxine query_on_thyroxine on_antithyroid_medication sick pregnant thyroid_surgery I131_treatment "
    "query_hypothyroid query_hyperthyroid lithium goitre tumor hypopituitary psych TSH_measured TSH T3_measured T3 "
    "TT4_measured TT4 T4U_measured T4U FTI_measured FTI TBG_measured TBG referral_source class"
).split()
THYROID_COMPLETE = ("age", "sex", "TSH", "T3", "TT4", "T4U", "FTI")
"""Oganian & Domingo-Ferrer's 1947 records are those complete in these seven, although TT4 is then left out."""

DICHOTOMIES = {"f": "0", "t": "1", "F": "0", "M": "1"}


def table(content: bytes, file: str, columns: Sequence[str], labels: Labels = {}) -> Matrix:
    """A CSV file whose header names the columns, in any order and with others among them."""
    header, *rows = _rows(content, file)
    for column in columns:
        if column not in header:
            raise unknown("column", column, header, f"{file}: asked for by the manifest")
    return numbers(rows, columns, header, file, labels=labels)


def census(content: bytes, file: str, columns: Sequence[str], labels: Labels = {}) -> Matrix:
    """The CASC reference file, as CSV or as the R data file of sdcMicro."""
    if not file.endswith(".rda"):
        return table(content, file, columns, labels)
    for frame in data_frames(content, file).values():
        if all(column in frame for column in columns):
            for column in columns:
                if not isinstance(frame[column], np.ndarray):
                    raise SdclabError(f"{file}: column {column} does not hold numbers.")
            values = np.column_stack([frame[column] for column in columns])
            if not np.isfinite(values).all():
                row, place = np.argwhere(~np.isfinite(values))[0]
                raise SdclabError(f"{file}: row {row + 1}, column {columns[place]} is missing.")
            return values
    raise SdclabError(f"{file}: holds no data frame with the columns {', '.join(columns)}.")


def thyroid(content: bytes, file: str, columns: Sequence[str], labels: Labels = {}) -> Matrix:
    """UCI thyroid disease, `allbp`: complete cases, dichotomies as 0 and 1; `.|id` behind the class does no harm."""
    rows = _with_fields(_rows(content, file), THYROID_FIELDS, file)
    needed = [THYROID_FIELDS.index(name) for name in THYROID_COMPLETE]
    complete = [i for i, row in enumerate(rows) if all(row[j] != "?" for j in needed)]
    coded = [[DICHOTOMIES.get(cell, cell) for cell in rows[i]] for i in complete]
    return numbers(coded, columns, THYROID_FIELDS, file, [i + 1 for i in complete], labels)


def adult(content: bytes, file: str, columns: Sequence[str], labels: Labels = {}, sample: int | None = None) -> Matrix:
    """UCI Adult, training file, with or without a header line: the first 10,000 records, or a sample of as many."""
    rows = _rows(content, file)
    if rows[0][0].lower() == "age":
        rows = rows[1:]
    chosen = list(range(len(rows)))[:ADULT_RECORDS] if sample is None else sampled(len(rows), ADULT_RECORDS, sample)
    rows = _with_fields(rows[:ADULT_RECORDS] if sample is None else rows, ADULT_FIELDS, file)
    records = [rows[i] for i in chosen]
    for row in records:
        for name in labels:
            place = ADULT_FIELDS.index(name)
            row[place] = UNKNOWN if row[place] == "?" else row[place]
    return numbers(records, columns, ADULT_FIELDS, file, [i + 1 for i in chosen], labels)


def sampled(size: int, count: int, seed: int) -> list[int]:
    """Random places without replacement, in their order: those whose hashes with the seed are the smallest.

    No generator is in it, so that neither numpy's version nor the processor can make it another sample.
    """
    return sorted(sorted(range(size), key=lambda row: sha256(f"{seed}:{row}".encode()).digest())[:count])


def _rows(content: bytes, file: str) -> list[list[str]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SdclabError(f"{file}: is not UTF-8 text.") from None
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text)) if row]
    except csv.Error as error:
        raise SdclabError(f"{file}: is not a CSV file that can be read ({error}).") from None
    if len(rows) < 2:
        raise SdclabError(f"{file}: holds no records.")
    return rows


def _with_fields(rows: list[list[str]], fields: Sequence[str], file: str) -> list[list[str]]:
    for i, row in enumerate(rows):
        if len(row) != len(fields):
            raise SdclabError(f"{file}: row {i + 1} has {len(row)} fields, but {len(fields)} are expected.")
    return rows


PREPARATIONS: dict[str, Callable[..., Matrix]] = {
    "adult": adult,
    "census": census,
    "table": table,
    "thyroid": thyroid,
}

SAMPLED = ("adult",)
