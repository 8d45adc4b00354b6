"""Where a dataset comes from: the user's folder, the cache, the public address, the replica, in this order."""

import gzip
import http.client
import io
import os
import time
import urllib.request
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sdclab import files
from sdclab.data import prepare
from sdclab.data.dataset import Dataset
from sdclab.data.generators import GENERATORS
from sdclab.data.manifest import Download, Entry, Own
from sdclab.errors import SdclabError
from sdclab.seeds import seed_of, stream

CONNECT_SECONDS = 5
DOWNLOAD_SECONDS = 60


@dataclass(frozen=True)
class Places:
    """The folders to look in; `user` may be absent."""

    user: Path | None
    cache: Path
    replicas: Path

    def __post_init__(self) -> None:
        if self.user is not None and not self.user.is_dir():
            raise SdclabError(f"{self.user}: the data folder (data_dir or SDCLAB_DATA) does not exist.")


def default_cache() -> Path:
    """The user's cache folder for downloaded originals."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "sdclab"


def find(entry: Entry, places: Places) -> Path | None:
    """The original as a local file, if there is one: the user's folder before the cache."""
    if entry.own is not None:
        return entry.own.file
    names = (*entry.files, *(download.file for download in entry.downloads))
    for folder in filter(None, (places.user, places.cache)):
        for name in names:
            if (folder / name).is_file():
                return folder / name
    return None


def retrieve(entry: Entry, places: Places, download: bool, say: Callable[[str], None]) -> Dataset:
    """The best dataset to be had. `say` hears, in one line, when it is not the original."""
    if entry.own is not None:
        return _own(entry, entry.own, say)
    path = find(entry, places)
    if path is not None:
        return prepared(entry, files.read(path), path.name)
    dataset = _downloaded(entry, places.cache, say) if download else None
    if dataset is None:
        dataset = substitute(entry, places)
        say(f"{entry.name}: THE ORIGINAL IS NOT AT HAND; using the {dataset.kind}: {dataset.source}. {entry.obtain}")
    return dataset


def _own(entry: Entry, file: Own, say: Callable[[str], None]) -> Dataset:
    """The columns that a study asks for of its own file."""
    from sdclab.data import own  # needs pandas, which no other dataset does

    whole = own.read(file.file, file.line_breaks, file.header, say)
    dropped: list[str] = []
    table = own.kept(whole, entry.columns, file.missing, dropped.append)
    for line in dropped:
        say(line)
    source = "; ".join(dropped) or table.file  # pages say where a dataset comes from, so they tell what was dropped
    dataset = Dataset(entry.name, "own", source, entry.columns, table.matrix(entry.columns))
    _verify(dataset, entry.sha256)
    return dataset


def prepared(entry: Entry, content: bytes, file: str) -> Dataset:
    """The original from a file's bytes, verified."""
    values = prepare.PREPARATIONS[entry.preparation](content, file, entry.columns)
    if len(values) != entry.rows:
        raise SdclabError(f"{file}: gives {len(values)} records of {entry.name}, but {entry.rows} are expected.")
    dataset = Dataset(entry.name, "original", file, entry.columns, values)
    _check_dichotomies(dataset, entry)
    _verify(dataset, entry.sha256)
    return dataset


def _check_dichotomies(dataset: Dataset, entry: Entry) -> None:
    for column in entry.with_role("dichotomous"):
        values = dataset.values[:, dataset.columns.index(column)]
        if not np.isin(values, (0, 1)).all():
            raise SdclabError(f"{dataset.source}: column {column} is dichotomous, but not all its values are 0 or 1.")


def substitute(entry: Entry, places: Places) -> Dataset:
    """The replica or, where there can be none, the stand-in."""
    if entry.replica is not None:
        path = places.replicas / entry.replica.file
        values = prepare.table(_gunzipped(path), path.name, entry.columns)
        dataset = Dataset(entry.name, "replica", path.name, entry.columns, values)
        _verify(dataset, entry.replica.sha256)
        return dataset
    if entry.generator is not None:
        values = GENERATORS[entry.generator](stream(seed_of("dataset", entry.name)))
        return Dataset(entry.name, "stand-in", f"generator {entry.generator}", entry.columns, values)
    raise SdclabError(f"{entry.name}: no original at hand and no replica exists. {entry.obtain}")


def _gunzipped(path: Path) -> bytes:
    try:
        return gzip.decompress(files.read(path))
    except (OSError, EOFError, zlib.error):
        raise SdclabError(f"{path}: is not a gzip file.") from None


def _verify(dataset: Dataset, expected: str | None) -> None:
    if expected is not None and dataset.fingerprint != expected:
        raise SdclabError(
            f"{dataset.source}: this is not the known {dataset.name} data: the prepared table's SHA-256 is "
            f"{dataset.fingerprint}, expected {expected}."
        )


def _downloaded(entry: Entry, cache: Path, say: Callable[[str], None]) -> Dataset | None:
    """Try each public address; keep in the cache only what turned out to be the very dataset."""
    for source in entry.downloads:
        try:
            content = _fetch(source)
            dataset = prepared(entry, content, source.file)
        except SdclabError as error:
            say(f"{entry.name}: {error}")
            continue
        try:
            files.write(cache / source.file, content)
        except SdclabError as error:  # a read-only cache is a pity, not a failure
            say(f"{entry.name}: not kept for the next run: {error}")
        return dataset
    return None


def _fetch(source: Download) -> bytes:
    try:
        content = _read_within(source.url, DOWNLOAD_SECONDS)
        if source.member is not None:
            content = zipfile.ZipFile(io.BytesIO(content)).read(source.member)
    except (zipfile.BadZipFile, KeyError):
        raise SdclabError(f"{source.url}: is not a zip archive with {source.member}.") from None
    except (OSError, http.client.HTTPException) as error:  # URLError and time-outs are OSErrors
        raise SdclabError(f"{source.url}: could not be downloaded ({getattr(error, 'reason', error)}).") from None
    if source.sha256 is not None and files.sha256(content) != source.sha256:
        raise SdclabError(f"{source.url}: {source.file} has SHA-256 {files.sha256(content)}, expected {source.sha256}.")
    return content


def _read_within(url: str, seconds: float) -> bytes:
    """A download with a deadline; urllib's own time-out starts anew at every packet."""
    until = time.monotonic() + seconds
    content = io.BytesIO()
    with urllib.request.urlopen(url, timeout=CONNECT_SECONDS) as response:
        while block := response.read(1 << 16):
            content.write(block)
            if time.monotonic() > until:
                raise TimeoutError(f"not finished within {seconds:g} s")
    return content.getvalue()
