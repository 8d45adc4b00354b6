"""The report and pages of one's own file in a browser: they work, on a phone too, and run no script but their own."""

import pytest
from conftest import asked, wait_until, width
from finished import HOSTILE, rows

from sdclab.output.pages.explorer import explorer


@pytest.fixture(params=["index", "explorer"])
def either(request, browser, tiny):
    """Each of the two pages, opened as by a double click."""
    browser.get_log("performance")
    width(browser, 1280)
    browser.get((tiny / f"report/{request.param}.html").as_uri())
    return browser


@pytest.fixture
def report(browser, tiny):
    width(browser, 1280)
    browser.get((tiny / "report/index.html").as_uri())
    return browser


class TestInABrowser:
    def test_no_complaint_and_no_request(self, either):
        assert either.get_log("browser") == []
        urls = asked(either)
        assert [url for url in urls if not url.startswith("file:")] == []
        assert urls

    def test_nothing_sticks_out_on_a_phone(self, either):
        for pixels in (390, 1280):
            width(either, pixels)
            wide, room = either.execute_script(
                "const e = document.documentElement; return [e.scrollWidth, e.clientWidth]"
            )
            assert wide <= room <= pixels

    def test_sections_and_figures_are_visible(self, report):
        for name in ("tiny", "audit", "data", "figure-tiny-map", "figure-tiny-curve", "figure-tiny-plane"):
            shown = report.execute_script("return document.getElementById(arguments[0]).getBoundingClientRect()", name)
            assert shown["height"] > 100, name
            assert shown["width"] > 300, name

    def test_a_point_tells_what_it_is(self, report, tiny):
        """By mouse, and by Tab and arrow keys."""
        from selenium.webdriver import ActionChains, Keys

        row = next(row for row in rows(tiny / "tables/tiny/table.csv") if row["method"] == "fcrm" and row["c"] == "4")
        told = [
            "fcrm c=4",
            "ours",
            f"information loss PIL {float(row['pil']):.5g} ",
            f"disclosure risk DR {float(row['dr']):.5g} ",
            "data: replica",
        ]
        point = report.find_element("css selector", "#figure-tiny-map .point[aria-label^='fcrm c=4; ours']")
        card = report.find_element("id", "card")
        assert not card.is_displayed()
        report.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", point)

        def shown_at(element) -> bool:
            ActionChains(report).move_to_element(element).perform()
            return card.is_displayed()

        wait_until(lambda: shown_at(point), "the card")
        assert all(word in card.text for word in told)
        caption = report.find_element("css selector", "#figure-tiny-map figcaption")
        wait_until(lambda: not shown_at(caption), "the card to go")
        points = report.find_elements("css selector", "#figure-tiny-map .point")
        assert [p.get_attribute("tabindex") for p in points] == ["0"] + ["-1"] * (len(points) - 1)
        report.execute_script("arguments[0].focus()", points[0])
        assert points[0].get_attribute("aria-label").split("; ")[0] in card.text
        seen = {report.switch_to.active_element.get_attribute("aria-label")}
        for key in [Keys.ARROW_LEFT] * len(points) + [Keys.ARROW_RIGHT] * len(points):
            ActionChains(report).send_keys(key).perform()
            seen.add(report.switch_to.active_element.get_attribute("aria-label"))
        assert seen == {p.get_attribute("aria-label") for p in points}

    @pytest.mark.parametrize("pixels", [390, 1280])
    @pytest.mark.parametrize("name", ["headline", "tiny", "audit"])
    def test_the_contents_stay_and_tell_where_the_reader_is(self, report, pixels, name):
        width(report, pixels)
        report.execute_script(f"document.getElementById('{name}').scrollIntoView({{behavior: 'instant'}})")
        current = "document.querySelector('nav a[aria-current]')"
        wait_until(lambda: report.execute_script(f"return {current}?.hash") == f"#{name}", f"{name} to be told")
        shown = report.execute_script(f"return {current}.getBoundingClientRect()")
        assert 0 <= shown["top"] < shown["bottom"] <= report.execute_script("return innerHeight")
        assert 0 <= shown["left"] < shown["right"] <= pixels

    def test_the_scorecard_is_narrowed_by_study_verdict_and_words(self, report, tiny):
        scorecard = rows(tiny / "scorecard.csv")
        box = report.find_element("css selector", ".narrowed")
        report.execute_script("document.querySelector('.narrowed details').open = true")
        visible = "return [...document.querySelectorAll('.narrowed tbody tr')].filter((row) => !row.hidden).length"
        assert report.execute_script(visible) == len(scorecard)
        study, verdict = box.find_elements("css selector", "select")
        words = box.find_element("css selector", "input")
        verdict.send_keys("not reproducible")
        expected = [row for row in scorecard if row["verdict"] == "not reproducible"]
        assert 0 < len(expected) < len(scorecard)
        wait_until(lambda: report.execute_script(visible) == len(expected), "the verdict to narrow")
        words.send_keys("FCRM c=4")
        expected = [row for row in expected if "fcrm" in row["cell"] and "c=4" in row["cell"]]
        wait_until(lambda: report.execute_script(visible) == len(expected) > 0, "words to narrow")
        assert box.find_element("css selector", "output").text == f"{len(expected)} of {len(scorecard)}"
        words.send_keys(" nothing like it")
        wait_until(lambda: box.find_element("css selector", ".none").is_displayed(), "the sentence")
        assert study.get_attribute("value") == ""

    def test_a_link_opens_the_table_it_leads_to(self, report):
        report.execute_script("document.getElementById('table-tiny-table').open = false; location.hash = ''")
        report.find_element("css selector", ".glance a[href='#table-tiny-table']").click()
        wait_until(lambda: report.find_element("id", "table-tiny-table").get_attribute("open"), "the table to open")

    def test_folded_tables_unfold_for_the_printer(self, report):
        closed = "return document.querySelectorAll('details:not([open])').length"
        before = report.execute_script(closed)
        assert before > 0
        assert report.execute_script(f"dispatchEvent(new Event('beforeprint')); {closed}") == 0
        assert report.execute_script(f"dispatchEvent(new Event('afterprint')); {closed}") == before


@pytest.mark.parametrize("page", ["map", "own", "snakemake"])
def test_no_name_becomes_a_script(page, browser, own_run, hostile_map):
    pages = {
        "map": hostile_map,
        "own": own_run.root / "results/own/report/index.html",
        "snakemake": own_run.root / "snakemake.html",
    }
    width(browser, 1280)
    browser.get_log("browser")
    browser.get(pages[page].as_uri())
    if page == "snakemake":  # which shows text of a study only once a reader opens its results
        browser.execute_script(
            "[...document.querySelectorAll('span')].find((e) => e.textContent.trim() === 'Figures').click()"
        )
        assert "own/map" in browser.execute_script("return document.body.textContent")
    assert browser.execute_script("return window.pwned") is None
    assert browser.execute_script("return document.querySelectorAll('img[src=x], a[href^=javascript]').length") == 0
    assert [entry for entry in browser.get_log("browser") if "tailwind" not in entry["message"]] == []
    if page == "snakemake":
        assert "a$b" not in pages[page].read_text()  # nor any other column: Snakemake puts parameters into a script
    else:
        text = browser.execute_script("return document.body.textContent")
        assert all(name in text for name in HOSTILE)


def test_the_policy_stops_what_slips_in(browser, tmp_path):
    """A script, a handler, a style and a picture from elsewhere in the middle of a page do nothing."""
    evil = (
        '<script>window.pwned = 1</script><svg onload="window.pwned = 2"></svg>'
        '<style>h1 { color: rgb(1, 2, 3); }</style><p id="styled" style="color: rgb(1, 2, 3)">x</p>'
    )
    (tmp_path / "page.html").write_text(explorer().replace("</main>", f"{evil}</main>"))
    browser.get((tmp_path / "page.html").as_uri())
    assert browser.execute_script("return window.pwned") is None
    colours = "return ['h1', '#styled'].map((e) => getComputedStyle(document.querySelector(e)).color)"
    assert "rgb(1, 2, 3)" not in browser.execute_script(colours)
    assert browser.execute_script("return typeof SHAPES") == "object"  # the page's own script ran
    assert len([entry for entry in browser.get_log("browser") if "Content Security Policy" in entry["message"]]) == 4
