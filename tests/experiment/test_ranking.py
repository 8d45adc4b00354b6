"""Ranking by hand: limits, remarks, controls, the front and the verdict."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdclab.base.errors import SdclabError
from sdclab.experiment.ranking import PLAIN, Aim, aim_of, best, front, points, ranking, trade_off, verdict

NOTHING = {"intact": 0.0, "intact_records": 0.0, "intact_extremes": np.nan, "crowding": 20.0, "dataset_kind": "own"}


def row(method, parameters="default", tables=10.0, membership=50.0, copied=5.0, **more):
    about = {"method": method, "parameters": parameters, "tables": tables, "membership": membership, "copy": copied}
    return {**NOTHING, "score": 20.0, "pil": 20.0, "dr": 20.0, "xy_lost": 0.0, "pmse": 5.0, **about, **more}


ROWS = [
    row("mdav", "k=3", 2, 90),
    row("mdav", "k=5", 8, 61),
    row("mdav", "k=10", 12, 55),
    row("hybrid", "k=20", 9, 52, score=25.0),
    row("synthetic", tables=6, membership=50, xy_lost=70.0),
    row("fcrm", "c=8", 1, 55, copied=90),
    row("noise", "p=1", 7, 50, pmse=97.0),
    row("permute", tables=0.5, membership=100, copied=100, score=5.0),
]


class TestRanking:
    ranked = ranking(points(ROWS))

    def test_the_least_loss_within_the_limits_is_first_and_what_is_marked_last(self):
        names = [(each["rank"], each["method"], each["parameters"]) for each in self.ranked]
        assert names == [
            (1, "hybrid", "k=20"),
            (2, "mdav", "k=10"),
            (3, "mdav", "k=5"),  # violates the limit by 1
            (4, "mdav", "k=3"),  # by 30
            (5, "fcrm", "c=8"),
            (6, "synthetic", "default"),
            (7, "noise", "p=1"),
            ("", "permute", "default"),
        ]

    def test_remarks_say_why(self):
        remarks = {each["method"]: each["remark"] for each in self.ranked}
        assert remarks["fcrm"] == "copies 90 % of the records"
        assert remarks["synthetic"] == "breaks the relations with the independents (70 % are gone)"
        assert remarks["noise"] == "told from the original at a glance (pmse 97 % of its maximum)"
        assert remarks["permute"].startswith("a control, no protection")
        assert remarks["hybrid"] == remarks["mdav"] == ""

    def test_where_everybody_is_near_somebody_nearness_proves_nothing(self):
        crowded = [{**each, "crowding": 95.0} for each in ROWS]
        assert next(each for each in ranking(points(crowded)) if each["method"] == "fcrm")["rank"] == 1

    def test_what_leaves_a_dependent_as_it_is_is_no_choice(self):
        ranked = ranking(points([{**each, "intact": 50.0 * (each["method"] == "hybrid")} for each in ROWS]))
        assert ranked[0]["parameters"] == "k=10"

    def test_the_best_of_every_method_in_their_order(self):
        assert [(each["method"], each["rank"]) for each in best(self.ranked)][:2] == [("hybrid", 1), ("mdav", 2)]

    def test_other_aims(self):
        aim = aim_of("pil", "dr", ["membership <= 95", "tables <= 8"])
        assert ranking(points(ROWS), aim)[0]["parameters"] == "k=3"  # equals in the order of the grids
        assert aim.quantities == ("pil", "dr", "membership", "tables")
        assert aim_of() == PLAIN

    def test_a_number_that_is_not_defined_keeps_no_limit(self):
        ranked = ranking(points([row("mdav", "k=3", membership=np.nan), row("mdav", "k=5", 50, 70)]))
        assert [each["parameters"] for each in ranked] == ["k=5", "k=3"]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("tabls",), "the loss of a map: unknown quantity 'tabls': did you mean tables"),
            (("dr",), "the loss of a map cannot be dr"),
            (("", "pil"), "the risk of a map cannot be pil"),
            (("", "", ["membership <= -1"]), "cannot be met"),
        ],
    )
    def test_aims_that_are_none(self, arguments, message):
        with pytest.raises(SdclabError, match=message):
            aim_of(*arguments)


def test_means_and_spreads_over_replicates():
    (line,) = points([row("noise", "p=1", 4), row("noise", "p=1", 8)])
    assert (line["tables"], line["tables_sd"], line["replicates"]) == (6, pytest.approx(np.sqrt(8)), 2)


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=12))
def test_the_front_is_what_nothing_beats(places):
    """Brute force: nobody in it is beaten, and who is not in it is, or stands where another one does."""
    rows = [row("mdav", f"k={i}", float(x), float(y)) for i, (x, y) in enumerate(places)]
    lines = points(rows)
    found = front(lines)

    def beaten(one):
        return any(
            other["tables"] <= one["tables"]
            and other["membership"] <= one["membership"]
            and (other["tables"], other["membership"]) != (one["tables"], one["membership"])
            for other in lines
        )

    assert not any(map(beaten, found))
    kept = {(each["tables"], each["membership"]) for each in found}
    assert all(beaten(each) or (each["tables"], each["membership"]) in kept for each in lines)


def test_the_front_passes_over_what_is_marked():
    assert {each["method"] for each in front(points(ROWS))} == {"mdav", "hybrid"}


class TestVerdict:
    def test_release_this_and_not_that(self):
        first, other = verdict(ranking(points(ROWS)))
        assert first == (
            "Release hybrid k=20: of 2 points within membership <= 60 it loses least, distance of one- and two-way "
            "tables 9.0, with membership told (AUC of the better attack) 52.0."
        )
        assert other == "Not permute, which loses least of all: a control, no protection: copies 100 % of the records."

    def test_nothing_fits(self):
        aim = aim_of(limits=["membership <= 51"])
        first, *_ = verdict(ranking(points(ROWS[:4]), aim), aim)
        assert first == (
            "No point is within membership <= 51; nearest to it is hybrid k=20: membership told (AUC of the better "
            "attack) 52.0, not membership <= 51."
        )

    def test_everything_is_marked(self):
        (only,) = verdict(ranking(points(ROWS[4:])))
        assert only.startswith("Release none of these: there is something against every point, as fcrm c=8 copies 90 %")

    def test_a_better_score_is_answered(self):
        rows = [row("hybrid", "k=20", 9, 52), row("ipso_c", tables=30, membership=50, score=5.0)]
        _, second = verdict(ranking(points(rows)))
        assert second == (
            "Not ipso_c, which has the best score of PIL and DR: distance of one- and two-way tables 30.0 is more."
        )


def test_the_trade_off_tells_neighbours_and_violations():
    ranked = ranking(points(ROWS))
    assert trade_off(ranked[2], ranked) == (
        "loses 8.0 (tables) and gives away 61.0 (membership); membership 61.0 violates membership <= 60; k=3 would "
        "change tables -6.0, membership +29.0; k=10 would change tables +4.0, membership -6.0"
    )
    assert Aim("pil", "dr", ()).words() == "no limit"


def test_the_trade_off_tells_what_is_not_known():
    unknown, known = ranking(points([row("hybrid", "k=60", 9, np.nan), row("hybrid", "k=20", 4, 50)]))[::-1]
    assert trade_off(known, [known, unknown]).endswith("k=60 would change tables +5.0, membership by what is not known")
    assert trade_off(unknown, [unknown]).startswith("loses 9.0 (tables) and gives away what is not known (membership)")
