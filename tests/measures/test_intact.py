"""intact: what came through a release as it was."""

import numpy as np
import pytest
from samples import attributes, with_outlier

from sdclab.measures import intact, measure
from sdclab.methods import protect


class TestIntact:
    def test_by_hand(self):
        """One attribute is untouched, one hardly moved, one moved by a third of its SD; one has a far value."""
        n = 40
        x = np.column_stack([np.arange(n), np.arange(n), np.arange(n), np.append(np.arange(n - 1), 1e6)]).astype(float)
        released = x + np.array([0, 1e-4, 4.0, 4.0])
        released[3] = x[3]
        found = intact.compare(x, released)
        assert found.unchanged == (0, 1)
        assert found.records == 1
        assert [each.number for each in found.extremes] == [0, 0, 0, 1]
        assert found.extremes[3] == intact.Extremes(number=1, near=1, dominant=0)
        assert measure("intact", x, released, x[:, :0]) == {
            "intact": 50, "intact_records": 100 / n, "intact_extremes": 100
        }  # fmt: skip

    def test_the_mean_of_a_group_that_one_record_dominates(self):
        """Three times the mean of three gives the far value; twenty times the mean of twenty does, too."""
        x = with_outlier()["income"].to_numpy()[:, None]
        for k in (3, 20):
            released = protect("mdav", x, x[:, :0], np.random.default_rng(0), {"k": k})
            assert abs(k * released[7, 0] / x[7, 0] - 1) < 0.1  # the attack
            assert intact.compare(x, released).extremes == (intact.Extremes(1, 0, 1),)

    def test_a_group_of_far_values_hides_each_of_them(self):
        x = np.append(np.random.default_rng(3).normal(size=500), [50.0, 70.0, 95.0])[:, None]
        released = protect("mdav", x, x[:, :0], np.random.default_rng(0), {"k": 3})
        assert intact.compare(x, released).extremes == (intact.Extremes(3, 0, 0),)

    def test_a_value_that_many_share_does_not_stand_out(self):
        x = np.append(np.random.default_rng(3).normal(size=2000), [99.0] * 5)[:, None]
        assert intact.compare(x, x).extremes == (intact.Extremes(0, 0, 0),)

    def test_a_far_value_cannot_hide_that_nothing_changed(self):
        """Nor make a change of all others look like none: the spread is that of the bulk."""
        x = with_outlier(1e9)[["income"]].to_numpy()
        noise = np.random.default_rng(0).normal(size=x.shape)
        assert intact.compare(x, x + 5 * noise).unchanged == ()
        assert intact.compare(x, x + 1e-4 * noise).unchanged == (0,)

    @pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
    @pytest.mark.parametrize("shift", [0.0, 1e3])
    def test_units_do_not_matter(self, scale, shift):
        x = with_outlier().to_numpy()
        released = protect("mdav", x, x[:, :0], np.random.default_rng(0), {"k": 3})
        released[:, 1] = x[:, 1]
        plain = measure("intact", x, released, x[:, :0])
        other = measure("intact", scale * (x + shift), scale * (released + shift), x[:, :0])
        assert other == pytest.approx(plain)
        assert plain["intact"] == 25

    def test_fcrm_gives_the_far_value_a_model_of_its_own(self):
        frame = with_outlier()
        y, x = frame[["income", "tax"]].to_numpy(), frame[["age"]].to_numpy()
        released = protect("fcrm", y, x, np.random.default_rng(0), {"c": 5, "start": "y"})
        assert abs(released[7, 0] / y[7, 0] - 1) < 0.01
        assert intact.compare(y, released).extremes[0] == intact.Extremes(1, 1, 0)

    def test_what_is_drawn_afresh_shows_nothing(self):
        x = attributes(400).to_numpy()
        released = protect("synthetic", x, x[:, :0], np.random.default_rng(0), {})
        found = intact.compare(x, released)
        assert (found.unchanged, found.records) == ((), 0)
        assert intact.warnings(found, "abcd") == []
