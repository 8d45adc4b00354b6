"""sdclab measure: two files in, numbers out."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from samples import named_people, records

from sdclab import measures
from sdclab.measures import MEASURES


class TestMeasure:
    def test_tells_what_the_measures_tell(self, run, people):
        arguments = ("--independent", "age", "--seed", 3, "-o", "out.csv")
        run("protect", "people.csv", "--method", "noise", "--p", "0.3", *arguments)
        code, out, _ = run("measure", "people.csv", "out.csv", "--json")
        assert code == 0
        told = json.loads(out)
        assert told["dependent"] == ["income", "tax"]  # those that were changed
        assert told["independent"] == ["age"]
        assert told["records"] == 150
        assert all("give them by --control" in why for why in told["not_measured"].values())
        numbers = {name: value for each in told["measures"].values() for name, value in each.items()}
        before, after = (frame[["income", "tax"]].to_numpy() for frame in (people, pd.read_csv("out.csv")))
        for name in set(MEASURES) - set(told["not_measured"]):
            for key, value in measures.measure(name, before, after, people[["age"]].to_numpy()).items():
                assert numbers[key] == (pytest.approx(value) if np.isfinite(value) else None)
        shown = run("measure", "people.csv", "out.csv", "--measures", "pil,copy")[1]
        assert re.search(rf"^  pil +{numbers['pil']:.3f}$", shown, re.MULTILINE)
        assert "dbrl" not in shown

    def test_roles_order_and_gaps(self, run, people):
        """Named roles; columns in another order; rows that protect dropped are dropped here, too."""
        people.loc[3, "income"] = np.nan
        people.assign(name="x").to_csv("gaps.csv", index=False)
        arguments = ("--missing", "drop", "--drop-columns", "name", "--seed", 1, "-o", "out.csv")
        run("protect", "gaps.csv", "--method", "noise", "--p", "0.3", *arguments)
        pd.read_csv("out.csv")[["tax", "age", "income"]].to_csv("out.csv", index=False)
        asked = (
            "--missing",
            "drop",
            "--dependent",
            "tax,income",
            "--independent",
            "age",
            "--measures",
            "interval",
            "--json",
        )
        told = json.loads(run("measure", "gaps.csv", "out.csv", *asked)[1])
        assert told["records"] == 149
        before, after = (frame[["tax", "income"]].dropna().to_numpy() for frame in (people, pd.read_csv("out.csv")))
        distance = np.abs(before - after) / before.std(axis=0)
        assert told["measures"]["interval"]["interval"] == pytest.approx(
            100 * np.mean([distance <= percent / 100 for percent in range(1, 11)])
        )

    def test_an_unchanged_file(self, run, people):
        told = json.loads(run("measure", "people.csv", "people.csv", "--measures", "pil,dbrl,copy", "--json")[1])
        assert told["dependent"] == ["age", "income", "tax"]
        numbers = told["measures"]
        assert (numbers["pil"]["pil"], numbers["dbrl"]["dbrl"], numbers["copy"]["copy"]) == (0, 100, 100)

    def test_what_cannot_be_measured_is_said(self, run):
        """PIL is about numbers; tables are compared all the same."""
        towns = np.array(["Bonn", "Jena"])[np.random.default_rng(1).integers(0, 2, (60, 2))]
        pd.DataFrame(towns, columns=["home", "work"]).to_csv("towns.csv", index=False)
        arguments = ("measure", "towns.csv", "towns.csv", "--header", "--measures")
        told = json.loads(run(*arguments, "pil,tables", "--json")[1])
        assert told["not_measured"] == {"pil": "measure pil: compares numbers, but no dependent is one."}
        assert "tables" in told["measures"]
        assert "no dependent is one" in run(*arguments, "pil")[2]

    def test_wide_files_are_linked_by_what_tells_most(self, run):
        frame = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 21))).rename(columns="v{}".format)
        frame.to_csv("wide.csv", index=False)
        told = json.loads(run("measure", "wide.csv", "wide.csv", "--measures", "score", "--json")[1])
        assert told["not_measured"] == {}
        assert told["measures"]["score"]["prl"] == 100


class TestPairs:
    def test_gaps_are_dropped_in_both_files_together(self, run):
        """A gap in one row of the original and in another of the release: rows are compared with their own."""
        before = named_people(200).drop(columns="name")
        after = before + np.random.default_rng(2).normal(0, 0.5, before.shape)
        both = [5, 150]
        for name, frame in (("before", before), ("after", after)):
            frame.drop(index=both).to_csv(f"{name}_complete.csv", index=False)
        before.loc[both[0], "income"] = after.loc[both[1], "tax"] = np.nan
        before.to_csv("before.csv", index=False)
        after.to_csv("after.csv", index=False)
        asked = ("--measures", "dr,interval,pil", "--json")
        _, expected, _ = run("measure", "before_complete.csv", "after_complete.csv", *asked)
        code, out, err = run("measure", "before.csv", "after.csv", "--missing", "drop", *asked)
        assert code == 0
        assert json.loads(out) == json.loads(expected)
        assert json.loads(out)["records"] == 198
        assert "2 of 200 rows dropped, a value is missing in before.csv or after.csv" in err
        assert run("measure", "before.csv", "after.csv", "--missing", "refuse", *asked)[0] == 2

    def test_gaps_are_compared_as_gaps(self, run):
        """Without a flag; all other measures see the complete records."""
        before, after = (named_people(40).drop(columns="name") for _ in range(2))
        after["income"] += 1
        before.loc[[3, 5], "income"] = after.loc[[3, 8], "income"] = np.nan
        before.to_csv("before.csv", index=False)
        after.to_csv("after.csv", index=False)
        code, out, err = run("measure", "before.csv", "after.csv", "--measures", "gaps,interval", "--json")
        assert code == 0
        assert "3 of 40 rows compared by their gaps alone, a value is missing in before.csv or after.csv" in err
        found = json.loads(out)
        assert found["records"] == 37
        assert found["measures"]["gaps"] == {"gaps": 0, "gaps_original": 5, "gaps_protected": 5}

    def test_rules_are_counted_in_both_files(self, run):
        frame = pd.DataFrame({"wage": np.arange(50) ** 2 % 37 + 5.0, "tax": np.arange(50) % 5})
        frame.to_csv("before.csv", index=False)
        frame.assign(tax=frame["tax"] + 8).to_csv("after.csv", index=False)
        Path("before.sdclab.yaml").write_text("rules: [tax >= 1]\n")
        arguments = ("measure", "before.csv", "after.csv", "--rule", "tax <= wage", "--measures", "interval")
        broken = int((frame["tax"] > frame["wage"]).sum()), int((frame["tax"] + 8 > frame["wage"]).sum())
        assert broken[1] > broken[0] == 0
        found = json.loads(run(*arguments, "--json")[1])["rules_broken"]
        assert found["tax <= wage"] == {"original": broken[0], "release": broken[1]}
        assert found["tax >= 1"] == {"original": 10, "release": 0}
        assert re.search(rf"tax <= wage +{broken[0]} +{broken[1]}\n", run(*arguments)[1])
        arguments = ("--rule", "tax <= wages", "--measures", "interval")
        assert "unknown column 'wages': did you mean wage" in run("measure", "before.csv", "after.csv", *arguments)[2]

    def test_files_of_different_length(self, run):
        """Paired only if the release is the original without its incomplete records, and else two sets of records."""
        before = named_people(20).drop(columns="name")
        before.loc[[3, 7], "income"] = np.nan
        before.to_csv("before.csv", index=False)
        before.dropna().to_csv("after.csv", index=False)
        asked = ("--missing", "drop", "--measures", "interval", "--json")
        code, out, _ = run("measure", "before.csv", "after.csv", *asked)
        assert (code, json.loads(out)["records"]) == (0, 18)
        before.drop(index=[3, 8]).to_csv("after.csv", index=False)  # the gap at 7 is still there
        code, out, err = run("measure", "before.csv", "after.csv", *asked)
        assert (code, out) == (2, "")
        assert "the original has 18 records of 2 attributes, the protected file 17 of 2; they must agree" in err
        code, out, _ = run("measure", "before.csv", "after.csv", "--missing", "drop", "--key", "tax", "--json")
        assert code == 0
        assert list(json.loads(out)["measures"]) == ["copy", "disclosure"]
        assert "they must agree" in json.loads(out)["not_measured"]["score"]

    def test_what_is_not_compared_is_named(self, run):
        before = named_people(30).astype(object)
        before["constant"] = 1
        after = before.assign(extra=2)
        after.loc[11, "tax"] = "Secret"
        before.to_csv("before.csv", index=False)
        after.drop(columns="constant").to_csv("after.csv", index=False)
        code, out, err = run("measure", "before.csv", "after.csv", "--measures", "interval", "--json")
        assert code == 0
        assert json.loads(out)["dependent"] == ["income"]
        assert json.loads(out)["not_compared"] == {
            "name": "holds text in before.csv, first in row 1",
            "tax": "holds text in after.csv, first in row 12",
            "constant": "is not in after.csv",
            "extra": "is not in before.csv",
        }
        assert "not compared: name holds text in before.csv, first in row 1, tax holds text in after.csv" in err
        assert "Secret" not in out + err
        code, out, err = run("measure", "before.csv", "before.csv", "--measures", "interval")
        assert "constant is constant" in err


def test_a_long_file_is_measured_by_samples(run):
    """Their sizes and standard errors are told; all records give another number, without an error."""
    before = records(21_000)
    before.to_csv("before.csv", index=False)
    before.assign(tax=before["tax"] + np.random.default_rng(2).normal(0, 50, 21_000)).to_csv("after.csv", index=False)
    asked = ("measure", "before.csv", "after.csv", "--measures", "dbrl,s_pmse,interval")
    _, shown, err = run(*asked)
    assert err == ""  # no terminal, no bar
    assert "s_pmse (mean of 5 samples of 4,000 records; ± standard error)\n" in shown
    assert re.search(r"^  s_pmse +[\d.]+  ± [\d.]+, in 4,000 records$", shown, re.MULTILINE)
    assert "dbrl (linkage of a sample of 5,000 records; ± standard error)\n" in shown
    assert re.search(r"^  dbrl +[\d.]+  ± [\d.]+$", shown, re.MULTILINE)
    assert re.search(r"\n\ninterval\n  interval +[\d.]+\n", shown)
    quick, whole = (json.loads(run(*asked, "--json", *more)[1]) for more in ((), ("--all",)))
    assert quick["samples"]["dbrl"].keys() == {"number", "records", "standard_errors"}
    assert (quick["samples"]["s_pmse"]["number"], quick["samples"]["s_pmse"]["records"]) == (5, 4_000)
    assert "samples" not in whole
    assert quick["measures"]["interval"] == whole["measures"]["interval"]
    off = quick["measures"]["dbrl"]["dbrl"] - whole["measures"]["dbrl"]["dbrl"]
    assert 0 < abs(off) < 4 * quick["samples"]["dbrl"]["standard_errors"]["dbrl"]


def test_text_is_compared_as_categories(run, people):
    """It used to be left out; unchanged, it is independent."""
    rng = np.random.default_rng(1)
    people["town"] = rng.choice(["Bonn", "Jena", "Kiel"], len(people))
    people.to_csv("before.csv", index=False)
    people.assign(income=people["income"] + 1, tax=people["tax"] - 1).to_csv("after.csv", index=False)
    code, out, _ = run("measure", "before.csv", "after.csv", "--measures", "pil", "--json")
    assert code == 0
    assert json.loads(out)["independent"] == ["age", "town"]
    assert json.loads(out)["not_compared"] == {}


def test_independents_alone_may_be_named(run, people):
    """All other columns are dependent then; it used to be none of them."""
    arguments = ("--independent", "age", "-o", "out.csv")
    run("protect", "people.csv", "--method", "mdav", "--k", 3, *arguments)
    code, out, _ = run("measure", "people.csv", "out.csv", "--independent", "age", "--json")
    assert code == 0
    assert json.loads(out) == json.loads(run("measure", "people.csv", "out.csv", "--json")[1])
    assert json.loads(out)["dependent"] == ["income", "tax"]


class TestRisk:
    @pytest.fixture
    def files(self, here):
        whole = records(400)
        whole[:200].to_csv("data.csv", index=False)
        whole[200:].to_csv("holdout.csv", index=False)
        whole[:200].sample(frac=1, random_state=1).to_csv("shuffled.csv", index=False)
        records(300, seed=9).to_csv("fresh.csv", index=False)

    def test_a_control_lets_attacks_be_measured(self, run, files):
        asked = ("--control", "holdout.csv", "--json")
        shuffled, fresh = (
            json.loads(run("measure", "data.csv", each, *asked)[1]) for each in ("shuffled.csv", "fresh.csv")
        )
        for name in ("singling_out", "linkability", "inference", "membership"):
            assert shuffled["measures"][name][name] > 95
        for name in ("linkability", "inference"):
            found = fresh["measures"][name]
            assert found[f"{name}_low"] <= 0 <= found[f"{name}_high"]
        assert abs(fresh["measures"]["membership"]["membership"] - 50) < 10
        assert "they must agree" in fresh["not_measured"]["score"]  # 200 records and 300

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("--control", "data.csv"), "data.csv: 200 of its 200 records are those of data.csv, where chance"),
            (("--key", "age", "--target", "age"), "column age is named twice among keys and targets"),
            (("--records", "data.csv"), "data.csv: this file is read, and would be overwritten"),
            (("--records", "."), ".: is a folder, which a file cannot replace"),
            (("--key", "sex"), "data.csv: unknown column 'sex'"),
            (("--measures", "membership"), "measure membership: needs records that the release was not made from"),
        ],
    )
    def test_bad_input(self, run, files, arguments, message):
        code, out, err = run("measure", "data.csv", "shuffled.csv", *arguments)
        assert (code, out) == (2, "")
        assert message in err

    def test_the_risk_of_every_record_is_for_the_owner(self, run, files):
        asked = ("--measures", "copy", "--records", "owner/risk.csv", "--control", "holdout.csv")
        code, _, err = run("measure", "data.csv", "shuffled.csv", *asked)
        assert code == 0
        assert "WARNING: owner/risk.csv says of every record how well it is hidden: it is for the owner alone" in err
        found = pd.read_csv("owner/risk.csv")
        assert found["row"].tolist() == list(range(1, 201))
        assert (found["nearest"] == 0).all()
        assert (found["membership"] == 100).all()
        values = {f"{value:.6g}" for value in pd.read_csv("data.csv").to_numpy().ravel()}
        assert not values & {f"{value:.6g}" for value in found.to_numpy().ravel()}
