"""Slow, endless or hostile servers and damaged archives: a sentence each, within bounds of time and size."""

import http.server
import io
import random
import threading
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from sdclab.base.errors import SdclabError
from sdclab.microdata import manifest, packed, retrieve


@contextmanager
def serving(answer):
    """The address of a server on this machine that answers every request by `answer(handler, stop)`."""
    stop = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            try:
                answer(self, stop)
            except OSError:  # the client has gone
                self.close_connection = True

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        stop.set()
        server.shutdown()


def trickled(write, stop: threading.Event) -> None:
    """A byte now and then, until somebody loses patience; it never ends by itself."""
    while not stop.wait(0.02):
        write(b"x")


def trickling_body(handler, stop):
    handler.send_response(200)
    handler.end_headers()
    trickled(handler.wfile.write, stop)


def trickling_header(handler, stop):
    handler.wfile.write(b"HTTP/1.0 200 OK\r\nX: ")
    trickled(handler.wfile.write, stop)


def circling(handler, stop):
    """Redirected again and again, each time after a while."""
    stop.wait(0.1)
    handler.send_response(302)
    handler.send_header("Location", f"{handler.path}x")
    handler.end_headers()


@pytest.mark.parametrize("answer", [trickling_body, trickling_header, circling])
def test_the_deadline_holds_whatever_the_server_does(answer):
    with serving(answer) as address, pytest.raises(TimeoutError, match="not finished in time"):
        retrieve.downloaded(f"{address}/c", seconds=0.3)


def test_a_download_given_up_ends_by_itself():
    """The thread that nobody waits for reads on at most to its next packet, even if the server never ends."""
    before = set(threading.enumerate())
    with serving(trickling_body) as address:
        with pytest.raises(TimeoutError):
            retrieve.downloaded(address, seconds=0.1)
        for thread in set(threading.enumerate()) - before:
            if "fetch" in thread.name:
                thread.join(60)
                assert not thread.is_alive()


def endless(handler, stop):
    handler.send_response(200)
    handler.end_headers()
    while not stop.is_set():
        handler.wfile.write(bytes(10_000))


def test_the_size_is_bounded():
    with serving(endless) as address, pytest.raises(OSError, match="larger than 100000 bytes"):
        retrieve.downloaded(address, limit=100_000)


def redirecting(to):
    def answer(handler, stop):
        handler.send_response(302)
        handler.send_header("Location", to)
        handler.end_headers()

    return answer


@pytest.mark.parametrize("to", ["ftp://127.0.0.1/x", "file:///etc/passwd", "data:,x"])
def test_no_redirection_leads_away_from_the_web(to):
    with serving(redirecting(to)) as address, pytest.raises(SdclabError, match=r"not allowed|is not http or https"):
        retrieve._fetch(manifest.Download(f"{address}/c", "c"))


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", "c", "", "http://[", "https://a b/"]
)
def test_what_is_no_address_of_the_web_is_refused(url):
    with pytest.raises(SdclabError, match="could not be downloaded"):
        retrieve._fetch(manifest.Download(url, "c"))


def test_no_redirection_leads_out_of_encryption():
    """By the handler itself: a server with a certificate that is trusted cannot be had in a test."""
    follow = retrieve._Redirection().redirect_request
    request = retrieve.urllib.request.Request("https://a.example/c")
    with pytest.raises(OSError, match="redirected to an address that is not https"):
        follow(request, io.BytesIO(), 302, "Found", {}, "http://a.example/c")
    assert follow(request, None, 302, "Found", {}, "https://b.example/c").full_url == "https://b.example/c"


def zipped(content: bytes, name: str = "c.csv", how: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", how) as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


class TestArchives:
    def test_a_member_is_read_up_to_a_bound(self):
        assert packed.member(zipped(bytes(5000)), "c.csv", 5000) == bytes(5000)
        with pytest.raises(ValueError, match=r"c\.csv in it unpacks to more than 4999 bytes"):
            packed.member(zipped(bytes(5000)), "c.csv", 4999)

    def test_a_size_that_the_archive_states_is_not_believed(self):
        bomb = bytearray(zipped(bytes(1_000_000)))
        for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):  # the uncompressed size in both headers
            at = bomb.index(mark) + offset
            bomb[at : at + 4] = (10).to_bytes(4, "little")
        with pytest.raises(ValueError, match="damaged"):
            packed.member(bytes(bomb), "c.csv", 5000)

    def test_what_cannot_be_read_within_bounds_is_refused(self):
        encrypted = bytearray(zipped(b"a"))
        for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            encrypted[encrypted.index(mark) + offset] |= 1
        with pytest.raises(ValueError, match=r"c\.csv in it is encrypted"):
            packed.member(bytes(encrypted), "c.csv")
        for how in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
            with pytest.raises(ValueError, match="neither stored nor deflated"):
                packed.member(zipped(b"a", how=how), "c.csv")
        with pytest.raises(ValueError, match=r"there is no c\.csv in it"):
            packed.member(zipped(b"a", "../c.csv"), "c.csv")

    def test_every_mutated_archive_is_read_or_refused(self):
        from test_rda import MUTANTS, mutated

        rng = random.Random(13)
        whole = zipped(b"AGI,FICA\n" + b"1,2\n" * 20)
        read = 0
        for _ in range(MUTANTS):
            try:
                read += bool(packed.member(mutated(whole, rng), "c.csv", 100_000))
            except ValueError:
                continue
        assert 0 < read < MUTANTS


def test_a_user_without_a_home_is_told_what_to_do(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(SdclabError, match="no home folder for a cache; name one by cache_dir or XDG_CACHE_HOME"):
        retrieve.default_cache()


def test_a_data_folder_with_braces_is_refused(tmp_path):
    folder = tmp_path / "a{b}"
    folder.mkdir()
    with pytest.raises(SdclabError, match=r"a\{b\}: the path of a data folder or cache must not have braces"):
        retrieve.Places(folder, tmp_path, tmp_path)
