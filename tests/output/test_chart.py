"""The map to explore: what is on it before a script runs, and what it is made of."""

import json
import re
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdclab import measures
from sdclab.base.errors import SdclabError
from sdclab.experiment.ranking import unbeaten
from sdclab.output.pages.chart import chart
from sdclab.output.pages.marks import SHAPES, mark
from sdclab.output.pages.overview import overview, points_of
from sdclab.output.pages.plane import extent, ticks

HOSTILE = "</script><script>window.pwned = 1</script><!--"
few = st.integers(0, 6).map(float)  # so that ties are common


def point(method="mdav", pil=1.0, dr=2.0, marks="", parameters="k=3", group="S1", **more):
    values = {"pil": pil, "dr": dr, **more}
    return {"method": method, "parameters": parameters, "marks": marks, "values": values, "group": group}


def embedded(page):
    (text,) = re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def values_of(page):
    return [values for *_, values, _ in embedded(page)["points"]]


def line(page):
    """The corners of the front as it is drawn."""
    (corners,) = re.findall(r'<polyline points="([^"]*)" class="front"/?>', page)
    return corners.split()


def dots(page):
    """Where the points are drawn, each with what it tells."""
    found = re.findall(r'<g class="dot" transform="translate\(([\d.]+ [\d.]+)\)"><title>([^<]*)', page)
    assert len(found) == page.count("<title>")
    return {title: place.replace(" ", ",") for place, title in found}


@given(st.lists(st.tuples(few, few)))
def test_the_front_is_what_nothing_beats(places):
    def beaten(place):
        return any(other != place and other[0] <= place[0] and other[1] <= place[1] for other in places)

    found = unbeaten(places)
    assert sorted(found) == [i for i, place in enumerate(places) if not beaten(place)]
    assert [places[i] for i in found] == sorted(places[i] for i in found)


@pytest.mark.parametrize(("y", "expected"), [("dr", {"a", "b"}), ("k_anonymity", {"a", "c"})])
def test_the_front_follows_what_is_better(y, expected):
    """Of DR less is better, of k more."""
    assert measures.number("k_anonymity").better == "more"
    points = [
        point("a", pil=1.0, dr=9.0, k_anonymity=5.0),
        point("b", pil=5.0, dr=1.0, k_anonymity=2.0),
        point("c", pil=6.0, dr=8.0, k_anonymity=7.0),
        point("marked", pil=0.0, dr=0.0, k_anonymity=9.0, marks="copies"),
    ]
    page = chart(points, ["pil", "dr", "k_anonymity"], "pil", y)
    at = {title.split(" ")[0]: place for title, place in dots(page).items()}
    assert set(at) == {"a", "b", "c", "marked"}
    assert {name for name, place in at.items() if place in line(page)} == expected


def test_without_a_better_end_there_is_no_front():
    assert measures.number("crowding").better is None
    assert line(chart([point(crowding=3.0)], ["crowding", "dr"], "crowding", "dr")) == []


def test_rounding_puts_nothing_on_the_front_nor_off_it():
    """On paper the second is as useful as the first and less safe; the last bit says otherwise."""
    points = [point("a", pil=0.3, dr=1.0), point("b", pil=0.1 + 0.2 - 1e-16, dr=2.0), point("c", pil=1e-15, dr=60.0)]
    page = chart(points, ["pil", "dr"], "pil", "dr")
    assert len(line(page)) == 2
    assert values_of(page) == [[0.3, 1.0], [0.3, 2.0], [0.0, 60.0]]


def test_numbers_explain_themselves():
    page = chart([point(xy=3.0)], ["pil", "dr", "xy"], "pil", "dr")
    for name, number in zip(("pil", "dr", "xy"), embedded(page)["numbers"], strict=True):
        assert number["sentence"] == f"{measures.number(name).sentence}."
        assert f'<option value="{name}"' in page
    assert "x: information loss PIL (0–100); less is more useful.</p>" in page
    assert "y: disclosure risk DR (0–100); less is safer.</p>" in page
    assert page.index('<optgroup label="Losses">') < page.index('<optgroup label="Risks">')
    assert page.count('selected=""') == 2


def test_every_method_has_a_look_of_its_own():
    looks = {mark(i) for i in range(3 * len(SHAPES))}
    assert len(looks) == 3 * len(SHAPES)
    names = [f"method_{i}" for i in range(17)]
    page = chart([point(name) for name in names], ["pil", "dr"], "pil", "dr")
    legend = page.partition('<ul class="legend"')[2].partition("</ul>")[0]
    assert len(set(re.findall("<path[^>]*>", legend))) == 17


def test_marked_points_are_hollow_and_say_why():
    page = chart([point("a"), point("b", marks="copies")], ["pil", "dr"], "pil", "dr")
    hollow = {
        title: "hollow" in look for title, look in re.findall(r"<title>([^<]*)</title><path[^>]*(class=[^>]*)", page)
    }
    assert list(hollow.values()) == [False, True]
    assert [title.endswith("; copies") for title in hollow] == [False, True]


def test_bars_end_where_the_number_does():
    """A standard deviation below 0 % is none; a point without a spread has no bar."""
    page = chart([point(pil=2.0, pil_sd=5.0), point(pil=50.0)], ["pil", "dr"], "pil", "dr")
    (bar,) = re.findall(r'<line ([^>]*)class="bar"/>', page)
    ends = {key: float(value) for key, value in re.findall(r'(\w+)="([\d.]+)"', bar)}
    zero = re.search(r'<text x="([\d.]+)"[^>]*>0</text>', page)
    assert zero
    assert ends["x1"] == float(zero[1])
    (place,) = [place for title, place in dots(page).items() if "PIL 2;" in title]
    assert ends["x2"] > float(place.split(",")[0])
    assert ends["y1"] == ends["y2"]


def test_what_is_not_known_is_left_out():
    points = [point(), point(parameters="k=5", dr=float("nan")), point(parameters="k=7")]
    del points[2]["values"]["pil"]
    page = chart(points, ["pil", "dr"], "pil", "dr")
    assert len(dots(page)) == 1
    assert values_of(page) == [[1.0, 2.0], [1.0, None], [None, 2.0]]


def test_groups_are_chosen_one_at_a_time():
    page = chart([point(), point(group="S2", pil=3.0)], ["pil", "dr"], "pil", "dr")
    assert re.findall(r'<select class="group">(.*?)</select>', page) == [
        '<option value="S1">S1</option><option value="S2">S2</option>'
    ]
    assert len(dots(page)) == 1  # of the first
    alone = point()
    del alone["group"]
    assert 'class="group"' not in chart([alone], ["pil", "dr"], "pil", "dr")


@pytest.mark.parametrize("place", ["method", "parameters", "marks", "group"])
def test_no_text_becomes_markup(place):
    page = chart([point(**{place: HOSTILE}), point()], ["pil", "dr"], "pil", "dr")
    assert page.count("<script") == page.count("</script") == 1
    assert "<!--" not in page
    assert HOSTILE in json.dumps(embedded(page))


def test_an_axis_must_be_among_the_numbers():
    with pytest.raises(SdclabError, match=r"chart: unknown number 'pill': did you mean pil"):
        chart([point()], ["pil", "dr"], "pill", "dr")


def test_no_points_are_told():
    assert chart([], ["pil", "dr"], "pil", "dr") == "<p>There is no point to show.</p>"


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_an_axis_has_room_for_all_and_a_few_ticks(values):
    low, high = extent(values)
    assert low <= min(values) <= max(values) < high
    found = ticks((low, high))
    assert 2 <= len(found) <= 9
    assert all(low - 1e-9 * abs(low) <= tick <= high + 1e-9 * abs(high) for tick in found)


def cell(method="mdav", replicate=0, **more):
    row = {"study": "a", "cell": f"S1/{method}/k=3,b=1", "scenario": "S1", "method": method, "parameters": "k=3,b=1"}
    numbers = {"pil": "10", "dr": "20", "copy": "0", "crowding": "0", "xy": "", "smallest_cluster": "3"}
    return {**row, "replicate": str(replicate), **numbers, "dataset": "census", **more}


def test_a_cell_is_a_point_with_means_and_spreads():
    (made,) = points_of([cell(pil="10"), cell(replicate=1, pil="14")])
    assert made["parameters"] == "k=3 b=1"
    assert made["group"] == "S1 (a)"
    assert made["values"]["pil"] == 12
    assert made["values"]["pil_sd"] == pytest.approx(8**0.5)
    assert "xy" not in made["values"]
    assert "smallest_cluster" not in made["values"]
    (single,) = points_of([cell()])
    assert "pil_sd" not in single["values"]


def test_one_cell_in_two_studies_is_two_points():
    assert [made["group"] for made in points_of([cell(), cell(study="b")])] == ["S1 (a)", "S1 (b)"]


@pytest.mark.parametrize(
    ("given", "marks"),
    [
        ({}, ""),
        ({"method": "permute"}, "a control, no protection"),
        ({"copy": "80"}, "copies 80 % of the records"),
        ({"copy": "80", "crowding": "70"}, ""),
        ({"xy_lost": "50"}, "breaks the relations with the independents (50 % are gone)"),
        ({"method": "permute", "copy": "100", "xy_lost": "90"},
         "a control, no protection: copies 100 % of the records"),
    ],
)  # fmt: skip
def test_points_are_marked(given, marks):
    assert [made["marks"] for made in points_of([cell(**given)])] == [marks]


def run_of(*rows):
    """A run of these cells, which its files may hold in any order."""
    planned = [SimpleNamespace(study=row["study"], name=row["cell"]) for row in rows]
    return SimpleNamespace(studies=[SimpleNamespace(cells=planned)], cells=rows[::-1])


def test_the_overview_is_of_the_shared_dataset_alone():
    assert overview(run_of(cell(dataset="adult"))) == ""
    assert overview(run_of(cell(dr=""))) == ""
    page = overview(run_of(cell(), cell("noise", dataset="adult"), cell("fcrm", dr=""), cell("hybrid")))
    assert {each["name"] for each in embedded(page)["numbers"]} == {"pil", "dr", "copy"}  # crowding is a mere fact
    assert embedded(page)["methods"] == ["mdav", "hybrid"]  # in the order of the study
    assert '<td>mdav</td><td>k=3 b=1</td><td class="number">10</td><td class="number">20</td>' in page
