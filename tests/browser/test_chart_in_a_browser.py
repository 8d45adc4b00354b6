"""The map to explore in a browser: axes, methods and scenarios are chosen, and points tell their numbers."""

import numpy as np
import pytest
from conftest import wait_until, width

from sdclab import measures
from sdclab.output.pages.chart import chart
from sdclab.output.pages.markup import asset, document, tag

METHODS = ("mdav", "noise", "hybrid", "permute")
NUMBERS = ("pil", "xy", "dr", "k_anonymity", "crowding")
HOSTILE = "</script><script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>"


def points():
    """Whole numbers, so that ties are common; one scenario lacks some numbers and a method."""
    rng = np.random.default_rng(5)
    made = []
    for i in range(120):
        group = "S2" if i % 3 == 2 else "S1"
        method = METHODS[i % 4] if group == "S1" else METHODS[i % 2]
        values = dict(zip(NUMBERS, map(float, rng.integers(0, 30, len(NUMBERS))), strict=True))
        values |= {"pil_sd": 1.5, "dr_sd": 0.5}
        if group == "S2":
            del values["xy"]
        marks = "a control" if method == "permute" else ""
        made.append(
            {"method": method, "parameters": f"k={i}", "marks": marks, "values": values, "group": group}
        )  # fmt: skip
    made[1]["parameters"] += HOSTILE
    return made


POINTS = points()


def page_of(made):
    drawn = chart(made, NUMBERS, "pil", "dr")
    return document("Map", tag("main", tag("section", tag("h2", "Map"), drawn)), script=asset("chart.js"))


@pytest.fixture
def page(browser, tmp_path):
    (tmp_path / "index.html").write_text(page_of(POINTS))
    width(browser, 1280)
    browser.get_log("browser")
    browser.get((tmp_path / "index.html").as_uri())
    yield browser
    assert browser.get_log("browser") == []
    assert browser.execute_script("return window.pwned") is None


def choose(browser, name, value):
    from selenium.webdriver.support.select import Select

    Select(browser.find_element("css selector", f"select.{name}")).select_by_value(value)


def tick(browser, method):
    browser.find_element("css selector", f".legend input[value={method}]").click()


def labels(browser):
    """What the points on the map say to a screen reader."""
    return browser.execute_script(
        "return [...document.querySelectorAll('.dot')].map((dot) => dot.getAttribute('aria-label'))"
    )


def named(browser, front=False):
    """The numbers of the points that are on the map, or on its front."""
    shown = [label for label in labels(browser) if not front or label.endswith("; on the front")]
    return sorted(int(label.split("k=")[1].split(";")[0].split("<")[0]) for label in shown)


def told(browser):
    return browser.find_element("css selector", ".numbers").text


def chosen(group="S1", without=(), needs=("pil", "dr")):
    return [
        i
        for i, point in enumerate(POINTS)
        if point["group"] == group and point["method"] not in without and all(name in point["values"] for name in needs)
    ]


def unbeaten(places, x, y):
    """By brute force: the points that are not marked, and than which no other such point is better."""
    signs = [-1 if measures.number(name).better == "more" else 1 for name in (x, y)]
    at = {
        i: tuple(sign * POINTS[i]["values"][name] for sign, name in zip(signs, (x, y), strict=True))
        for i in places
        if not POINTS[i]["marks"]
    }
    return [i for i in at if not any(at[j] != at[i] and at[j][0] <= at[i][0] and at[j][1] <= at[i][1] for j in at)]


def test_the_first_view_is_what_python_drew(browser, tmp_path, page):
    """The same points, hollow and filled, in the same places but for the size of the drawing, and the same front."""
    state = """return [...document.querySelectorAll('.dot')].map((dot) => [dot.transform.baseVal[0].matrix.e,
        dot.transform.baseVal[0].matrix.f, dot.querySelector('.mark').getAttribute('class')])"""
    corners = "return document.querySelector('polyline.front').getAttribute('points')"
    frame = "const b = document.querySelector('.map').viewBox.baseVal; return [b.width - 58, b.height - 56]"
    ours, line, size = (browser.execute_script(code) for code in (state, corners, frame))
    (tmp_path / "static.html").write_text(page_of(POINTS).replace(asset("chart.js"), ""))
    browser.get((tmp_path / "static.html").as_uri())
    before, printed, first = (browser.execute_script(code) for code in (state, corners, frame))
    browser.get_log("browser")  # the policy names the script that was taken out
    assert [look for *_, look in ours] == [look for *_, look in before]
    for (x, y, _), (left, top, _) in zip(ours, before, strict=True):
        assert (x - 46) / size[0] == pytest.approx((left - 46) / first[0], abs=1e-3)
        assert (y - 12) / size[1] == pytest.approx((top - 12) / first[1], abs=1e-3)
    assert len(line.split()) == len(printed.split()) > 1
    controls = browser.find_elements("css selector", ".choices, .legend input, .legend button, .numbers")
    assert controls
    assert not any(control.is_displayed() for control in controls)  # nothing that would do nothing


@pytest.mark.parametrize(("x", "y"), [("pil", "dr"), ("xy", "dr"), ("pil", "k_anonymity"), ("k_anonymity", "xy")])
def test_axes_are_chosen_and_the_front_follows(page, x, y):
    choose(page, "x", x)
    choose(page, "y", y)
    shown = chosen(needs=(x, y))
    assert named(page) == shown
    assert named(page, front=True) == unbeaten(shown, x, y)
    for axis, name in (("x", x), ("y", y)):
        said = page.find_element("css selector", f".about.{axis}").text
        assert said == f"{axis}: {measures.number(name).sentence}."
        assert measures.number(name).label in page.find_element("css selector", ".axes").text
    marked = sum(POINTS[i]["marks"] != "" for i in shown)
    said = page.find_element("css selector", ".shown").text
    assert said.startswith(f"scenario S1: {len(shown)} of 80 points are shown, {marked} of them marked.")
    hollow = page.execute_script("return document.querySelectorAll('.dot .hollow').length")
    assert hollow == marked > 0


def test_a_fact_has_no_front(page):
    choose(page, "x", "crowding")
    assert named(page, front=True) == []
    assert "No front is drawn" in page.find_element("css selector", ".shown").text


def test_methods_are_filtered_and_the_front_follows(page):
    tick(page, "mdav")
    shown = chosen(without=("mdav",))
    assert named(page) == shown
    assert named(page, front=True) == unbeaten(shown, "pil", "dr") != unbeaten(chosen(), "pil", "dr")
    button = page.find_element("css selector", ".legend button")
    button.click()
    assert named(page) == []
    assert button.text == "show all"
    button.click()
    assert named(page) == chosen()


def test_another_scenario_offers_what_it_has(page):
    choose(page, "x", "xy")
    choose(page, "group", "S2")
    assert page.find_element("css selector", "select.x").get_property("value") == "pil"
    assert not page.find_element("css selector", "select.x option[value=xy]").is_enabled()
    assert named(page) == chosen("S2")
    assert named(page, front=True) == unbeaten(chosen("S2"), "pil", "dr")
    assert not page.find_element("css selector", ".legend input[value=permute]").is_displayed()


def test_bars_are_drawn_where_a_spread_is_given(page):
    bars = "return document.querySelectorAll('.bar').length"
    assert page.execute_script(bars) == 2 * len(chosen())
    choose(page, "x", "xy")
    assert page.execute_script(bars) == len(chosen())


def test_a_point_tells_all_its_numbers_under_the_mouse(page):
    from selenium.webdriver import ActionChains

    assert "Point at a mark" in told(page)
    dot = page.find_element("css selector", ".dot[aria-label^='noise k=1<']")  # the one with the hostile name

    def shown() -> bool:
        ActionChains(page).move_to_element(dot).perform()
        return "Point at a mark" not in told(page)

    wait_until(shown, "the numbers of a point")
    here = page.find_element("css selector", ".dot.told").get_attribute("aria-label")
    point = POINTS[int(here.split("k=")[1].split(";")[0].split("<")[0])]  # another may lie upon it
    assert told(page).splitlines()[0] == f"{point['method']} {point['parameters']}"
    assert "scenario S1" in told(page)
    assert f"{point['values']['pil']:g} ± 1.5" in told(page)
    for name in NUMBERS:
        assert f"{measures.number(name).sentence}." in told(page)


def test_keys_reach_every_point(page):
    from selenium.webdriver import ActionChains, Keys

    stops = "return [...document.querySelectorAll('.dot')].filter((dot) => dot.tabIndex === 0).length"
    assert page.execute_script(stops) == 1
    page.execute_script("document.querySelector('.dot[tabindex=\"0\"]').focus()")
    for back, forth in ((Keys.ARROW_LEFT, Keys.ARROW_RIGHT), (Keys.ARROW_UP, Keys.ARROW_DOWN)):
        seen = set()
        for key in [back] * len(chosen()) + [forth] * len(chosen()):
            ActionChains(page).send_keys(key).perform()
            seen.add(page.switch_to.active_element.get_attribute("aria-label"))
            assert told(page).splitlines()[0] in page.switch_to.active_element.get_attribute("aria-label")
        assert seen == set(labels(page))
        assert page.execute_script(stops) == 1


@pytest.mark.parametrize("pixels", [390, 1280])
def test_nothing_sticks_out_and_text_stays_legible(page, pixels):
    width(page, pixels)
    page.execute_script("document.querySelector('.dot').focus()")
    wide, room = page.execute_script("const e = document.documentElement; return [e.scrollWidth, e.clientWidth]")
    assert wide <= room <= pixels
    size = """const box = document.querySelector('.map');
        return 12 * box.getBoundingClientRect().width / box.viewBox.baseVal.width"""
    wait_until(lambda: page.execute_script(size) > 11, "a drawing of the page's own width")


def test_the_report_shows_all_methods_on_census(browser, tiny):
    width(browser, 1280)
    browser.get_log("browser")
    browser.get((tiny / "report/index.html").as_uri())
    assert browser.get_log("browser") == []
    section = browser.find_element("id", "all-census")
    assert section.find_element("css selector", "h2").text == "All methods on Census"
    dots = [dot.get_attribute("aria-label") for dot in section.find_elements("css selector", ".dot")]
    assert len(dots) == 6  # of the study's cells
    (control,) = [label for label in dots if label.startswith("permute")]
    assert "a control" in control
    choose(browser, "y", "copy")
    assert "records that stand in the release (0–100 %)" in section.find_element("css selector", ".about.y").text
