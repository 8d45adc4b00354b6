"""Where a dataset comes from: the user's folder, the cache, the public address, the replica, in this order."""

import http.client
import io
import os
import queue
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sdclab.base import files
from sdclab.base.errors import SdclabError, listed
from sdclab.microdata import packed, prepare
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.generators import GENERATORS
from sdclab.microdata.manifest import Download, Entry
from sdclab.numerics.digits import number_text
from sdclab.numerics.seeds import seed_of, stream

CONNECT_SECONDS = 5
DOWNLOAD_SECONDS = 60
"""From the first step to the last byte, redirections included."""
DOWNLOAD_BYTES = 50_000_000
"""The largest of the files has four million."""


@dataclass(frozen=True)
class Places:
    """The folders to look in; `user` may be absent."""

    user: Path | None
    cache: Path
    replicas: Path

    def __post_init__(self) -> None:
        if self.user is not None and not self.user.is_dir():
            raise SdclabError(f"{self.user}: the data folder (data_dir or SDCLAB_DATA) does not exist.")
        for folder in (self.user, self.cache):
            if folder is not None and set("{}") & set(str(folder)):  # to Snakemake a wildcard
                raise SdclabError(f"{folder}: the path of a data folder or cache must not have braces in it.")


def default_cache() -> Path:
    """The user's cache folder for downloaded originals."""
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "sdclab"
    except RuntimeError:  # a user without a home, as in a container
        raise SdclabError("there is no home folder for a cache; name one by cache_dir or XDG_CACHE_HOME.") from None


def find(entry: Entry, places: Places) -> Path | None:
    """The original as a local file, if there is one: the user's folder before the cache."""
    if entry.user_file is not None:
        return entry.user_file.file
    names = (*entry.files, *(download.file for download in entry.downloads))
    for folder in filter(None, (places.user, places.cache)):
        for name in names:
            if (folder / name).is_file():
                return folder / name
    return None


def retrieve(entry: Entry, places: Places, download: bool, say: Callable[[str], None]) -> Dataset:
    """The best dataset to be had. `say` hears, in one line, when it is not the original."""
    path = find(entry, places)
    if path is not None:
        return prepared(entry, files.read(path), path.name)
    dataset = _downloaded(entry, places.cache, say) if download else None
    if dataset is None:
        dataset = substitute(entry, places)
        say(f"{entry.name}: THE ORIGINAL IS NOT AT HAND; using the {dataset.kind}: {dataset.source}. {entry.obtain}")
    return dataset


def prepared(entry: Entry, content: bytes, file: str) -> Dataset:
    """The original from a file's bytes, verified."""
    labels = {each.name: each.categories for each in entry.coded}
    sample = {} if entry.sample is None else {"sample": entry.sample}
    values = prepare.PREPARATIONS[entry.preparation](content, file, entry.columns, labels, **sample)
    if len(values) != entry.rows:
        raise SdclabError(f"{file}: gives {len(values)} records of {entry.name}, but {entry.rows} are expected.")
    dataset = Dataset(entry.name, "original", file, entry.columns, values, entry.coded)
    _check_categories(dataset, entry)
    verify(dataset, entry.sha256)
    return dataset


def _check_categories(dataset: Dataset, entry: Entry) -> None:
    coded = {each.name for each in dataset.attributes}
    for column in (column for column in entry.categories if column not in coded):
        allowed = entry.types[column].categories
        values = dataset.values[:, dataset.columns.index(column)]
        if allowed and not set(map(number_text, values.tolist())) <= set(allowed):
            among = listed(allowed)
            raise SdclabError(
                f"{dataset.source}: column {column} has values that are not among its categories {among}."
            )


def substitute(entry: Entry, places: Places) -> Dataset:
    """The replica or, where there can be none, the stand-in."""
    if entry.replica is not None:
        path = places.replicas / entry.replica.file
        values = prepare.table(_gunzipped(path), path.name, entry.columns)
        dataset = Dataset(entry.name, "replica", path.name, entry.columns, values, entry.coded)
        verify(dataset, entry.replica.sha256)
        return dataset
    if entry.generator is not None:
        values = GENERATORS[entry.generator](stream(seed_of("dataset", entry.name)))
        return Dataset(entry.name, "stand-in", f"generator {entry.generator}", entry.columns, values)
    raise SdclabError(f"{entry.name}: no original at hand and no replica exists. {entry.obtain}")


def _gunzipped(path: Path) -> bytes:
    content = files.read(path)
    try:
        if content.startswith(b"\x1f\x8b"):
            return packed.unpacked(content)
    except ValueError as error:
        raise SdclabError(f"{path}: is not a gzip file that can be read ({error}).") from None
    raise SdclabError(f"{path}: is not a gzip file.")


def verify(dataset: Dataset, expected: str | None) -> None:
    """Refuse a table that is not the one with this fingerprint, if one is known."""
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
        content = downloaded(source.url)
    except (OSError, http.client.HTTPException, ValueError) as error:  # URLError and time-outs are OSErrors
        raise SdclabError(f"{source.url}: could not be downloaded ({getattr(error, 'reason', error)}).") from None
    if source.member is not None:
        try:
            content = packed.member(content, source.member)
        except ValueError as error:
            raise SdclabError(f"{source.url}: is not a zip archive with {source.member} ({error}).") from None
    if source.sha256 is not None and files.sha256(content) != source.sha256:
        raise SdclabError(f"{source.url}: {source.file} has SHA-256 {files.sha256(content)}, expected {source.sha256}.")
    return content


def downloaded(url: str, seconds: float = DOWNLOAD_SECONDS, limit: int = DOWNLOAD_BYTES) -> bytes:
    """What an address holds, if all of it comes in time.

    It is fetched by a thread that is given up after so many seconds: looking up a name cannot be interrupted, and
    urllib's own time-out starts anew at every packet, of a header, too.
    """
    until = time.monotonic() + seconds
    outcomes: queue.SimpleQueue[bytes | Exception] = queue.SimpleQueue()

    def fetch() -> None:
        try:
            outcomes.put(_read(url, limit, until))
        except Exception as error:
            if isinstance(error, urllib.error.HTTPError):
                error.close()
            outcomes.put(error)

    threading.Thread(target=fetch, daemon=True).start()
    try:
        outcome = outcomes.get(timeout=seconds)
    except queue.Empty:
        outcome = TimeoutError("not finished in time")
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _read(url: str, limit: int, until: float) -> bytes:
    content = io.BytesIO()
    _check_scheme(url)
    with urllib.request.build_opener(_Redirection).open(url, timeout=CONNECT_SECONDS) as response:
        while block := response.read1(1 << 16):  # whatever has come; `read` would wait for all of it
            content.write(block)
            if content.tell() > limit:
                raise OSError(f"larger than {limit} bytes")
            if time.monotonic() > until:
                raise TimeoutError("not finished in time")
    return content.getvalue()


class _Redirection(urllib.request.HTTPRedirectHandler):
    """Follows no redirection away from the web or out of encryption."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: str) -> Any:
        try:
            _check_scheme(newurl, req.full_url)
        except OSError:
            fp.close()
            raise
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _check_scheme(url: str, after: str = "") -> None:
    allowed = ("https",) if urlsplit(after).scheme == "https" else ("http", "https")
    if urlsplit(url).scheme not in allowed:
        raise OSError(f"{'redirected to' if after else 'it is'} an address that is not {' or '.join(allowed)}")
