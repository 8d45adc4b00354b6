"""What leaves the house: unchanged columns and records, values that stand out, and recommended commands."""

import re
import shlex
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import PROJECT

from sdclab.experiment import choice
from sdclab.measures import MEASURES, intact, measure, prl
from sdclab.measures.copy import copies, crowding
from sdclab.methods import METHODS, protect

NONE = np.empty((0, 0))


def records(n=150, columns=("income", "tax", "savings", "age")):
    rng = np.random.default_rng(5)
    common = rng.normal(size=(n, 1))
    return pd.DataFrame(100 + 10 * (common + rng.normal(size=(n, len(columns)))), columns=list(columns)).round(2)


def with_outlier(value=1e5, n=150):
    """A file with one person who earns a thousand times what all others do."""
    frame = records(n)
    frame.loc[7, "income"] = value
    return frame


class TestRotation:
    @pytest.mark.parametrize("p", [2, 3, 4, 5, 8])
    @pytest.mark.parametrize("rotation", ["planes", "haar"])
    def test_turns_every_attribute_by_default(self, p, rotation):
        x = np.random.default_rng(1).normal(size=(80, p))
        made = protect("rotation", x, x[:, :0], np.random.default_rng(2), {"rotation": rotation})
        assert np.all(np.abs(made - x).max(axis=0) > 0.1 * x.std(axis=0))

    def test_the_papers_first_plane_leaves_the_others(self):
        x = np.random.default_rng(1).normal(size=(80, 4))
        made = protect("rotation", x, x[:, :0], np.random.default_rng(2), {"planes": "1-2"})
        np.testing.assert_allclose(made[:, 2:], x[:, 2:], rtol=0, atol=1e-12)

    def test_the_study_names_the_papers_plane(self):
        """Its default, once the paper's plane, is none any more."""
        study = yaml.safe_load((PROJECT / "config/studies/ahmed_rauf_2016.yaml").read_text())
        named = [entry["parameters"] for entry in study["grid"] if entry["method"] == "rotation"]
        assert named == [{"planes": "1-2"}]


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
        x = records(400).to_numpy()
        released = protect("synthetic", x, x[:, :0], np.random.default_rng(0), {})
        found = intact.compare(x, released)
        assert (found.unchanged, found.records) == ((), 0)
        assert intact.warnings(found, "abcd") == []


class TestProtect:
    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            (("--method", "noise", "--p", "0"), "income, tax, savings, age"),
            (("--method", "noise", "--p", "1e-6"), "income, tax, savings, age"),
            (("--method", "rotation", "--planes", "1-2"), "savings, age"),
            (("--method", "mdav", "--k", "1"), "income, tax, savings, age"),
        ],
    )
    def test_an_unchanged_dependent_is_refused_unless_asked_for(self, run, arguments, named):
        records().to_csv("in.csv", index=False)
        code, _, err = run("protect", "in.csv", *arguments, "-o", "out.csv")
        assert code == 2
        assert err.count("\n") == 1
        assert f"{named} would be released unchanged" in err
        assert "--independent or --pass-through" in err
        assert not Path("out.csv").exists()
        code, _, err = run("protect", "in.csv", *arguments, "--allow-unchanged", "-o", "out.csv")
        assert code == 0
        left = [name for name in records().columns if name not in named]
        assert f"; protected {', '.join(left) or 'nothing'}\n" in err
        assert all(f"WARNING: {name} is released unchanged\n" in err for name in named.split(", "))

    def test_named_as_independent_it_passes(self, run):
        records().to_csv("in.csv", index=False)
        roles = ("--independent", "savings,age")
        code, _, err = run("protect", "in.csv", "--method", "rotation", "--planes", "1-2", *roles, "-o", "out.csv")
        assert code == 0
        assert "unchanged" not in err

    @pytest.mark.parametrize(
        ("arguments", "how"),
        [
            (("--method", "mdav", "--k", "3"), "(0 within 1% from their own released value, 1 within 10% as the mean"),
            (("--method", "noise", "--p", "0.001"), "(1 within 1% from their own released value, 0 within"),
        ],
    )
    def test_what_came_through_is_told_loudly_and_without_a_value(self, run, arguments, how):
        with_outlier(47110815).to_csv("in.csv", index=False)
        code, out, err = run("protect", "in.csv", *arguments, "--seed", 2**40, "-o", "out.csv")
        assert code == 0
        (line,) = [line for line in err.splitlines() if line.startswith("WARNING")]
        assert line.startswith("WARNING: income: 1 of 1 values that stand out can be read off the release " + how)
        assert "4711" not in out + err

    def test_records_that_came_through(self, run):
        """Each of ten far apart pairs of twins is a cluster of its own, and comes out as it went in."""
        places = np.repeat(100.0 * np.arange(10), 2)
        frame = pd.DataFrame({"a": np.append(places, [5000, 5001]), "b": np.append(places, [7000, 7002])})
        frame.to_csv("in.csv", index=False)
        code, _, err = run("protect", "in.csv", "--method", "mdav", "--k", 2, "-o", "out.csv")
        assert code == 0
        assert "WARNING: records that are released as they were, in all dependents: 20\n" in err

    def test_a_control_protects_nobody(self, run):
        records().to_csv("in.csv", index=False)
        assert (
            "WARNING: permute is a control, no protection"
            in run("protect", "in.csv", "--method", "permute", "-o", "out.csv")[2]
        )


class TestCopies:
    @pytest.mark.parametrize("seed", range(5))
    def test_crowding_explains_what_is_drawn_afresh(self, seed):
        """In one dimension nearly all lie near another; which side of that a fresh sample falls on is chance."""
        rng = np.random.default_rng(seed)
        x, fresh = rng.normal(size=(2, 400, 1))
        assert crowding(x) > 90
        assert not copies(measure("copy", x, fresh, x[:, :0])["copy"], crowding(x))

    def test_a_permutation_is_marked_where_records_lie_apart(self):
        x = np.random.default_rng(0).normal(size=(300, 4))
        found = measure("copy", x, x[::-1], x[:, :0])
        assert found["crowding"] == crowding(x) < 5
        assert copies(found["copy"], found["crowding"])

    @pytest.mark.parametrize(
        ("copied", "crowded", "marked"),
        [(50, 0, False), (51, 0, True), (59, 20, False), (61, 20, True), (98.1, 97.9, False), (100, 97.9, False)],
    )
    def test_by_hand(self, copied, crowded, marked):
        assert copies(copied, crowded) is marked

    def test_both_figures_take_the_rule(self):
        """The map's figure is the own study's: the table brings the crowding along."""
        from sdclab.output.plots.choices import draw

        table = pd.DataFrame(
            {"method": "mdav", "parameters": ["k=3", "k=5"], "pil": [1.0, 2.0], "dr": [2.0, 1.0], "copy": [60.0, 60.0],
             "crowding": [0.0, 40.0], "dataset_kind": "own"}
        )  # fmt: skip
        (points,) = (part for part in draw({"t": table}, None, title="").axes[0].collections if len(part.get_offsets()))
        assert [tuple(colour[:3]) == (1, 1, 1) for colour in points.get_facecolors()] == [True, False]
        study = yaml.safe_load((PROJECT / "config/studies/own.yaml").read_text())
        assert study["measures"] == choice.MEASURED
        assert {"copy", "crowding", "intact"} <= set(study["tables"]["releases"]["beside"])


class TestWideFiles:
    def test_prl_takes_the_attributes_that_agree_least_by_chance(self):
        rng = np.random.default_rng(0)
        x = np.column_stack([rng.uniform(size=(200, 14)), rng.uniform(size=(200, 12)) < 0.05]).astype(float)
        x = x[:, rng.permutation(26)]
        chosen = prl.informative(x)
        assert [len(np.unique(x[:, j])) > 2 for j in range(26)] == [j in chosen for j in range(26)]
        y = x + 0.05 * rng.normal(size=x.shape)
        narrow = measure("prl", x[:, chosen], y[:, chosen], x[:, :0])
        assert measure("prl", x, y, x[:, :0], {"attributes": "informative"}) == narrow

    def test_up_to_twenty_are_all_taken(self):
        x = np.random.default_rng(0).normal(size=(60, 9))
        y = x + 0.2 * np.random.default_rng(1).normal(size=x.shape)
        assert measure("prl", x, y, x[:, :0], {"attributes": "informative"}) == measure("prl", x, y, x[:, :0])
        assert prl.informative(np.zeros((5, 20))).tolist() == list(range(20))

    def test_a_map_of_more_than_twenty_columns(self, run):
        records(80, [f"v{i}" for i in range(31)]).to_csv("wide.csv", index=False)
        code, _, err = run("map", "wide.csv", "--methods", "mdav,noise")
        assert code == 0
        said = "probabilistic linkage (PRL, a part of DR) looks at 14 of 31 dependents"
        assert said in err
        assert said in Path("wide_map/owner/index.html").read_text()


ODD = ("income, EUR", 'the "tax"', "$HOME", "-x", "`id`", "größe", "a'b", "<b>&amp;")


class TestMap:
    def test_every_command_of_the_page_works(self, run):
        """Whatever the columns and the file are called; each command is split as a shell splits it."""
        records(60, ODD).to_csv("my $file.csv", index=False)
        roles = ("--independent", '"income, EUR"', "--pass-through", "$HOME", "--drop-columns", "größe")
        code, _, _ = run("map", "my $file.csv", *roles, "--methods", "mdav,noise,ipso_a", "-o", "the map")
        assert code == 0
        page = Path("the map/owner/index.html").read_text()
        commands = [shlex.split(unescape(text)) for text in re.findall(r"<pre>(.*?)</pre>", page)]
        assert [command[:2] for command in commands] == [["sdclab", "protect"]] * 3
        for command in commands:
            code, _, err = run(*command[1:])
            assert code == 0, err
            made = pd.read_csv(command[-1])
            assert list(made.columns) == [name for name in ODD if name != "größe"]
            kept = ["income, EUR", "$HOME"]
            pd.testing.assert_frame_equal(made[kept], pd.read_csv("my $file.csv")[kept])

    def test_dropped_rows_stand_on_the_page(self, run):
        frame = records(60)
        frame.loc[:9, "tax"] = np.nan
        frame.to_csv("gaps.csv", index=False)
        code, _, err = run("map", "gaps.csv", "--missing", "drop", "--methods", "noise")
        assert code == 0
        said = "gaps.csv: 10 of 60 rows dropped, a value is missing in them"
        assert said in err
        assert said in Path("gaps_map/owner/index.html").read_text()

    def test_what_leaves_a_dependent_as_it_is_is_not_recommended(self, run, monkeypatch):
        monkeypatch.setattr(METHODS.load("rotation"), "GRID", {"planes": ["1-2", "all"]})
        records(80).to_csv("in.csv", index=False)
        code, out, _ = run("map", "in.csv", "--methods", "rotation")
        assert code == 0
        assert "rotation planes=all" in out
        page = Path("in_map/owner/index.html").read_text()
        assert "no protection: leaves 50 % of the dependents as they are" in page
        assert "--planes all" in page
        monkeypatch.setattr(METHODS.load("rotation"), "GRID", {"planes": ["1-2"]})
        assert run("map", "in.csv", "--methods", "rotation")[0] == 0
        assert "<pre>" not in Path("in_map/owner/index.html").read_text()  # protect would refuse

    def test_values_that_stand_out_are_told(self, run):
        with_outlier().to_csv("in.csv", index=False)
        code, out, _ = run("map", "in.csv", "--methods", "mdav")
        assert code == 0
        assert "shows 100 % of the values that stand out" in out
        assert "shows 100 % of the values that stand out" in Path("in_map/owner/index.html").read_text()


def test_every_measure_of_the_map_exists():
    for name, options in choice.MEASURED.items():
        MEASURES.checked(name, options)
