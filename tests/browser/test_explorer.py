"""The explorer in a browser: it computes what the package computes."""

import time

import numpy as np
import pytest
from conftest import wait_until, width

from sdclab.clustering.fcm import fcm
from sdclab.measures import measure
from sdclab.methods import fcrm
from sdclab.output.pages.explorer import explorer


@pytest.fixture
def plane(browser, tmp_path):
    """The explorer, afresh."""
    (tmp_path / "explorer.html").write_text(explorer())
    width(browser, 1280)
    browser.get((tmp_path / "explorer.html").as_uri())
    return browser


def press(browser, *names):
    for name in names:
        browser.execute_script("document.getElementById(arguments[0]).click()", name)


def text(browser, name):
    return browser.execute_script("return document.getElementById(arguments[0]).textContent", name)


def wait_for(browser, word):
    wait_until(lambda: word in text(browser, "said"), lambda: text(browser, "said"))


FIT = """
const [x, y, centres] = arguments;
let u = fcm(x, centres, seeded(1)), result, iterations = 0;
const start = u;
do {
  result = iterate(x, y, u);
  u = result.u;
  iterations++;
} while (result.change > EPSILON && iterations < MAX_ITERATIONS);
const released = release(x, result.lines, u);
const measured = Object.fromEntries([pil, dr, dbrl, prl, interval].map((f) => [f.name, f(y, released)]));
return {start, iterations, released, measured, lines: result.lines, objective: result.objective};
"""


def planted(seed):
    """Points around three lines, some in whole numbers, and records as first centres."""
    rng = np.random.default_rng(seed)
    n, c = int(rng.integers(12, 200)), 1 + seed % 5
    x, group = rng.uniform(0, 100, n), rng.integers(0, 3, n)
    y = np.array([5, 80, 20])[group] + np.array([0.6, -0.5, 0.1])[group] * x + rng.normal(0, 3, n)
    if c > 1 and seed % 3 == 0:  # a single line through whole numbers has values on the edges of bins: rounding decides
        x, y = x.round(), y.round()
    return x, y, rng.choice(np.unique(x), c, replace=False)


class TestExplorer:
    @pytest.mark.parametrize("seed", range(15))
    def test_computes_what_the_package_computes(self, plane, seed):
        x, y, centres = planted(seed)
        found = plane.execute_script(FIT, x.tolist(), y.tolist(), centres.tolist())
        rng = np.random.default_rng(0)
        first = fcm(x[:, None], centres[None, :, None], rng, m=1.5, epsilon=1e-5, max_iterations=30)[0].memberships
        basis = fcrm.design(x[:, None], True, "lstsq")
        fit = fcrm.fit(basis, y[None, :, None], first[None])
        released = fcrm.generate(basis, fit)[0]
        np.testing.assert_allclose(found["start"], first, rtol=1e-9, atol=1e-12)
        assert found["iterations"] == fit.iterations[0]
        assert found["objective"] == pytest.approx(fit.objective[0], rel=1e-8)
        for line, coefficients in zip(found["lines"], fit.coefficients[0, :, :, 0], strict=True):
            slope, intercept = np.polyfit(x, basis @ coefficients, 1)
            assert line == pytest.approx({"slope": slope, "intercept": intercept}, rel=1e-9)
        np.testing.assert_allclose(found["released"], released[:, 0], rtol=1e-9)
        ours = measure("score", y[:, None], released, x[:, None])
        for name, value in found["measured"].items():
            assert value == pytest.approx(ours[name], abs=1e-6), name

    def test_finds_two_planted_lines(self, plane):
        press(plane, "two", "run")
        assert plane.execute_script("return document.getElementById('run').disabled")
        wait_for(plane, "Converged")
        lines = plane.execute_script("return fit.lines")
        (down, up) = sorted(lines, key=lambda line: line["slope"])
        assert down == pytest.approx({"slope": -0.6, "intercept": 90}, rel=0.05)
        assert up == pytest.approx({"slope": 0.8, "intercept": 10}, rel=0.1)
        drawn = plane.execute_script("return document.querySelectorAll('#plane .fitted').length")
        shapes = plane.execute_script(
            "return new Set([...document.querySelectorAll('#plane .mark')].map(m => m.getAttribute('d'))).size"
        )
        assert (drawn, shapes) == (2, 2)
        score = (float(text(plane, "pil")) + float(text(plane, "dr"))) / 2
        assert float(text(plane, "score")) == pytest.approx(score, abs=1e-3)

    def test_step_stop_and_reset(self, plane):
        press(plane, "five", "step", "step")
        assert text(plane, "iteration") == "2"
        press(plane, "run", "stop")
        stopped = text(plane, "iteration")
        time.sleep(0.4)
        assert text(plane, "iteration") == stopped
        assert int(stopped) >= 3
        press(plane, "reset")
        assert (text(plane, "iteration"), text(plane, "pil"), text(plane, "count")) == ("0", "–", "100")

    def test_the_same_start_gives_the_same_fit(self, plane):
        fits = []
        for seed in (1, 1, 2):
            plane.execute_script("document.getElementById('seed').value = arguments[0]", seed)
            press(plane, "five", "step")
            fits.append(plane.execute_script("return fit.lines"))
        assert fits[0] == fits[1] != fits[2]

    def test_a_click_adds_a_point_where_it_was(self, plane):
        from selenium.webdriver import ActionChains

        ActionChains(plane).move_to_element(plane.find_element("id", "plane")).click().perform()
        (x,), (y,) = plane.execute_script("return [x, y]")
        assert (x, y) == pytest.approx((100 * (300 - 44) / 546, 100 * (422 - 225) / 412), abs=0.5)
        press(plane, "step")
        assert text(plane, "said") == "At least 3 points are needed."
        press(plane, "undo")
        assert text(plane, "count") == "0"

    @pytest.mark.parametrize(
        ("pasted", "said"),
        [
            ("x;y\n1;10\n2;30\n4;-5", "3 points."),
            ('\ufeff"1", "2"\r\n3\t4\r\n\r\n5 6', "3 points."),
            ("1,2\n31415,abc", "Line 2 is not a pair of numbers."),
            ("1,2,3", "Line 1 is not a pair of numbers."),
            ("", "There are no pairs of numbers."),
            ("1,1\n" * 2001, "At most 2000 points are allowed here; there are 2001."),
        ],
    )
    def test_pairs_can_be_pasted(self, plane, pasted, said):
        plane.execute_script("document.getElementById('pairs').value = arguments[0]", pasted)
        press(plane, "use")
        assert text(plane, "said") == said

    def test_pairs_can_be_loaded(self, plane, tmp_path):
        (tmp_path / "pairs.csv").write_text("x,y\n" + "".join(f"{i},{7 * i}\n" for i in range(30)))
        plane.execute_script("document.querySelector('details').open = true")
        plane.find_element("id", "file").send_keys(str(tmp_path / "pairs.csv"))
        wait_for(plane, "30 points.")
        press(plane, "step")
        assert plane.execute_script("return fit.lines[0].slope") == pytest.approx(7, rel=1e-9)
        dbrl, prl, interval = 100, 100 / 3, 100  # every value is released as it is; three share a bin
        assert float(text(plane, "dr")) == pytest.approx((dbrl + prl) / 4 + interval / 2, abs=1e-3)

    @pytest.mark.parametrize(
        ("c", "said"), [("0", "c must be"), ("11", "c must be"), ("2.5", "c must be"), ("", "c must be")]
    )
    def test_a_bad_c_is_refused(self, plane, c, said):
        plane.execute_script("document.getElementById('c').value = arguments[0]", c)
        press(plane, "step")
        assert text(plane, "said").startswith(said)
