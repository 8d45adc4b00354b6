"""The documentation site in a browser, from a folder and from a server: it can be searched, and needs no other host."""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from conftest import asked, wait_until, width

PAGES = ("index", "tutorial", "api", "methods", "methods/mdav", "measures/pil")


@pytest.fixture(scope="module")
def server(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=site)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(params=["folder", "server"])
def root(request, site, browser):
    """Where the site is; what was there before is not this test's."""
    width(browser, 1280)
    browser.get("about:blank")
    browser.get_log("browser")
    asked(browser)
    return site.as_uri() if request.param == "folder" else request.getfixturevalue("server")


def unharmed(browser, root):
    """No complaint, and no request that leaves the site."""
    urls = asked(browser)
    return urls and browser.get_log("browser") == [] and all(url.startswith((root, "data:")) for url in urls)


def found(browser):
    """Where the results of the search lead, without the place on the page."""
    links = "return [...document.querySelectorAll('.md-search-result__link')].map((a) => a.href.split(/[?#]/)[0])"
    return browser.execute_script(links)


@pytest.mark.parametrize("start", ["index", "measures/pil"])
def test_search_finds_pages(browser, site, root, start):
    browser.get(f"{root}/{start}.html")
    box = browser.find_element("css selector", "input.md-search__input")
    box.click()
    box.send_keys("microaggregation")
    wait_until(lambda: f"{root}/methods/mdav.html" in found(browser), lambda: f"mdav in {found(browser)}")
    assert all((site / url.removeprefix(f"{root}/")).is_file() for url in found(browser))
    browser.find_element("css selector", ".md-search-result__link[href*='methods/mdav.html']").click()
    wait_until(lambda: browser.find_element("css selector", "h1").text.startswith("mdav"), "the page")
    assert unharmed(browser, root)


@pytest.mark.parametrize("page", PAGES)
def test_pages_work_on_a_phone_too(browser, root, page):
    browser.get(f"{root}/{page}.html")
    for pixels in (390, 1280):
        width(browser, pixels)
        wide, room = browser.execute_script("const e = document.documentElement; return [e.scrollWidth, e.clientWidth]")
        assert wide <= room <= pixels
    assert unharmed(browser, root)
