"""Curves on maps: of every setting its own, of every parameter that is changed alone its own."""

import pandas as pd
import pytest

from sdclab.output.pages import maps
from sdclab.output.plots import knobs, relation, ru_map

SPREADS = {"pil_sd": 0.1, "dr_sd": 0.1, "pil_published": float("nan"), "dr_published": float("nan")}


def table(rows, keys):
    frame = pd.DataFrame(rows, columns=["method", *keys, "pil", "dr"])
    front = pd.DataFrame({"cell": [f"c{i}" for i in range(len(frame))]})
    made = pd.concat([front, frame[["method", *keys]]], axis=1).assign(parameters="")
    return made.assign(pil=frame["pil"], dr=frame["dr"], dataset_kind="original", **SPREADS)


def curves(figure):
    """The places of every drawn line of at least two points that is no diagonal."""
    lines = [line for line in figure.axes[0].get_lines() if line.get_linestyle() == "-" and len(line.get_xdata()) > 1]
    return sorted(sorted(zip(line.get_xdata().tolist(), line.get_ydata().tolist(), strict=True)) for line in lines)


class TestRiskUtilityMap:
    def test_rows_that_a_key_tells_apart_are_not_joined(self):
        by_y = [("fcrm", "argmax", c, 50.0 - c, 10.0 + c) for c in (2, 8, 15)]
        by_x = [("fcrm", "x", c, 80.0 + c, 5.0 + c) for c in (2, 8, 15)]
        alone = [("ipso_c", None, None, 14.0, 5.0)]
        drawn = curves(ru_map.draw({"t": table([*by_y, *by_x, *alone], ["label", "c"])}, None, title="x"))
        assert [places for places in drawn if len(places) == 3] == [
            sorted((pil, dr) for *_, pil, dr in by_y),
            sorted((pil, dr) for *_, pil, dr in by_x),
        ]

    def test_rows_may_be_chosen_by_a_key_that_some_lack(self):
        rows = [("fcrm", centres, c, 10.0 * c, 5.0 * centres) for centres in (5, 10) for c in (1, 2, 3)]
        made = table([*rows, ("ipso_c", None, None, 14.0, 5.0)], ["centres", "c"])
        figure = ru_map.draw({"t": made}, None, title="x", rows={"centres": ["", 10]})
        assert [len(places) for places in curves(figure)].count(3) == 1
        shown = {text.get_text() for text in figure.axes[0].texts}
        assert "ipso_c" in shown


DEFAULTS = {"delta": 0.8, "strength": 1.0}


class TestMapOfTheReport:
    def test_joins_what_the_figure_joins_and_says_the_keys(self):
        rows = [("fcrm", label, c, 50.0 - c, 10.0 + c) for label in ("argmax", "x") for c in (2, 8, 15)]
        texts = table(rows, ["label", "c"]).astype(object).fillna("").astype(str).to_dict("records")
        assert [[row["label"] for row in series] for series in maps._series(texts, "c")] == [["argmax"] * 3, ["x"] * 3]
        assert maps._name(texts[0], "c") == "fcrm c=2 label=argmax"


class TestKnobs:
    ROWS = (
        ("calibrated", 0.2, None, 1.0, 9.0),
        ("calibrated", 0.8, None, 1.0, 11.0),
        ("calibrated", None, 0.0, 5.0, 10.5),
        ("calibrated", None, 0.5, 2.0, 10.7),
        ("ipso_c", None, None, 14.0, 5.0),
    )

    def test_a_curve_goes_through_the_default_said_or_unsaid(self):
        own = table(self.ROWS, ["delta", "strength"]).query("method == 'calibrated'")
        of_delta = knobs._alone(own, "delta", DEFAULTS)
        of_strength = knobs._alone(own, "strength", DEFAULTS)
        assert of_delta.sort_values("delta")["dr"].tolist() == [9.0, 11.0]
        assert of_strength.sort_values("strength")["dr"].tolist() == [10.5, 10.7, 11.0]

    def test_ends_are_named_and_other_methods_are_points(self):
        made = table(self.ROWS, ["delta", "strength"])
        figure = knobs.draw({"t": made}, None, title="x", method="calibrated", defaults=DEFAULTS)
        shown = {text.get_text() for text in figure.axes[0].texts}
        assert {"delta=0.2", "strength=0", "ipso_c"} <= shown
        assert not any("delta=0.8" in text or "strength=1" in text for text in shown)


def test_a_relation_has_a_panel_for_each_pair_and_says_their_correlation():
    frame = table([("noise", p, 10.0 * p, 5.0) for p in (1, 2, 3, 4)], ["p"])
    frame = frame.assign(d1=[1.0, 2.0, 3.0, 4.0], d2=[4.0, 3.0, 2.0, 1.0], d1_sd=0.0, d2_sd=0.0)
    figure = relation.draw({"t": frame}, None, title="x", generic=["pil"])
    assert [axes.get_title() for axes in figure.axes] == [
        "Spearman +1.00 over 4 cells",
        "Spearman -1.00 over 4 cells",
    ]
    some = relation.draw({"t": frame}, None, title="x", generic=["pil"], rows={"p": [1, 2, 3]})
    assert some.axes[0].get_title() == "Spearman +1.00 over 3 cells"


@pytest.mark.parametrize("plot", [ru_map, knobs, relation])
def test_titles_say_what_kind_of_data_it_is(plot):
    more = {"method": "calibrated", "defaults": DEFAULTS} if plot is knobs else {}
    frame = table(TestKnobs.ROWS, ["delta", "strength"]).assign(d1=1.0, d2=1.0, d1_sd=0.0, d2_sd=0.0)
    figure = plot.draw({"t": frame}, None, title="x", **more)
    heads = [figure.get_suptitle(), figure.axes[0].get_title(loc="left")]
    assert any("data: original" in head for head in heads)
