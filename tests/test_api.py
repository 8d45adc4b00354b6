"""The package from Python: DataFrames in, DataFrames out, one kind of error."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from conftest import PROJECT

import sdclab
from sdclab import SdclabError

LONG = 2**40


@pytest.fixture
def frame(rng):
    """A statistical office's file in small: groups, codes, an income with a spike at zero, whole numbers."""
    n = 300
    region = rng.integers(0, 3, n)
    income = np.where(rng.random(n) < 0.3, 0, rng.lognormal(7 + 0.3 * region, 0.6, n)).round(2)
    return pd.DataFrame(
        {
            "region": pd.Categorical(np.array(["east", "north", "west"])[region]),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), categories=["S", "M", "L"], ordered=True),
            "income": income,
            "visits": rng.poisson(3, n),
            "member": rng.random(n) < 0.4,
            "sex": rng.choice(["f", "m"], n),
        },
        index=pd.Index(np.arange(n) * 7 + 1, name="person"),
    )


def in_domain(original, released):
    """Not one value that the column could not have."""
    for column in original:
        before, after = original[column], released[column]
        assert after.dtype == before.dtype, column
        if pd.api.types.is_bool_dtype(before) or not pd.api.types.is_numeric_dtype(before):
            assert set(after.dropna()) <= set(before.dropna()), column
        else:
            assert after.min() >= 0, column
            np.testing.assert_allclose(after, after.round(2), atol=1e-9)


@pytest.mark.parametrize(
    ("method", "parameters"),
    [("mdav", {"k": 5}), ("hybrid_micro", {"k": 10}), ("hybrid", {"k": 20}), ("synthetic", {}), ("k_member", {"k": 5})],
)
def test_what_comes_back_fits_the_domain(frame, method, parameters):
    release = sdclab.protect(frame, method, seed=LONG, allow_unchanged=True, **parameters)
    in_domain(frame, release.data)
    pd.testing.assert_index_equal(release.data.index, frame.index)
    assert list(release.data.columns) == list(frame.columns)
    again = sdclab.protect(frame, method, seed=LONG, allow_unchanged=True, **parameters)
    pd.testing.assert_frame_equal(release.data, again.data)


def test_the_original_is_left_alone(frame):
    before = frame.copy(deep=True)
    sdclab.protect(frame, "synthetic", seed=LONG)
    pd.testing.assert_frame_equal(frame, before)


def test_independents_of_text_inform_the_model(frame):
    """IPSO-C keeps means inside categories, but for rounding and bounds."""
    numbers = ["income", "visits"]
    release = sdclab.protect(
        frame,
        "ipso-c",
        dependent=numbers,
        independent=["region"],
        drop=["size", "member", "sex"],
        bounds="none",
        seed=LONG,
    )
    means = [data.groupby("region", observed=True)[numbers].mean() for data in (frame, release.data)]
    np.testing.assert_allclose(means[1], means[0], atol=0.05)  # whole visits are rounded
    assert list(release.data.columns) == ["region", "income", "visits"]


def test_measure_says_what_its_numbers_are(frame):
    found = sdclab.measure(frame, sdclab.protect(frame, "hybrid_micro", k=10, seed=LONG, allow_unchanged=True).data)
    assert list(found.columns) == ["measure", "quantity", "value", "measures", "low", "high", "better"]
    quantities = found.set_index("quantity")
    assert quantities.loc["pil", "better"] == "less"
    assert quantities.loc["dr", "measures"] == "risk"
    known = quantities[quantities["value"].notna()]
    assert ((known["value"] >= known["low"] - 1e-9) & (known["value"] <= known["high"] + 1e-9)).all()


def test_map_tries_what_can_run_and_says_why_others_cannot(frame):
    choice = sdclab.map(frame, methods=["mdav", "noise-cov", "synthetic"])
    assert set(choice.ranking["method"]) == {"mdav", "synthetic"}
    assert any(
        line.startswith("noise_cov: takes continuous and count attributes, but region") for line in choice.refusals
    )
    assert set(choice.best("mdav")) == {"k"}
    assert choice.figure.axes
    assert "Risk-utility map" in choice.page
    with pytest.raises(SdclabError, match="this map: unknown method 'mdva': did you mean mdav"):
        choice.best("mdva")


class TestGaps:
    @pytest.fixture
    def holes(self, frame, rng):
        for column in ("income", "size", "sex"):
            frame.loc[rng.random(len(frame)) < 0.15, column] = None
        return frame

    @pytest.mark.parametrize(
        ("method", "parameters"), [("mdav", {"k": 5}), ("synthetic", {}), ("hybrid_micro", {"k": 20})]
    )
    def test_are_kept_where_they_were_and_no_row_is_lost(self, holes, method, parameters):
        release = sdclab.protect(holes, method, seed=LONG, allow_unchanged=True, **parameters)
        pd.testing.assert_frame_equal(release.data.isna(), holes.isna())
        in_domain(holes, release.data)

    def test_are_refused_or_dropped_otherwise(self, holes):
        with pytest.raises(
            SdclabError, match="is missing; gaps are kept, or incomplete rows dropped, by --missing keep"
        ):
            sdclab.protect(holes, "mdav", missing="refuse", seed=LONG)
        release = sdclab.protect(holes, "mdav", missing="drop", seed=LONG, allow_unchanged=True)
        assert len(release.data) == holes.notna().all(axis=1).sum()
        assert release.data.index.isin(holes.index).all()


class TestRules:
    @pytest.fixture
    def accounts(self, rng):
        wages, interest = rng.lognormal(5, 1, (2, 200)).round(2)
        return pd.DataFrame(
            {"total": (wages + interest).round(2), "wages": wages, "interest": interest, "tax": (wages * 0.3).round(2)}
        )

    RULES = ("total = wages + interest", "tax <= wages")

    @pytest.mark.parametrize(
        ("method", "parameters"), [("noise", {"p": 0.5}), ("mdav", {"k": 5}), ("synthetic", {}), ("ipso_c", {})]
    )
    def test_hold_in_every_released_record(self, accounts, method, parameters):
        made = sdclab.protect(accounts, method, rules=self.RULES, seed=LONG, **parameters)
        assert not any("could not be kept" in warning for warning in made.warnings)
        np.testing.assert_allclose(made.data["total"], made.data["wages"] + made.data["interest"], atol=1e-6)
        assert (made.data["tax"] <= made.data["wages"] + 1e-6).all()
        free = sdclab.protect(accounts, "noise", p=0.5, seed=LONG).data
        assert (free["tax"] > free["wages"]).any()  # without them they do not

    def test_what_the_original_breaks_is_refused(self, accounts):
        with pytest.raises(SdclabError, match="rule 'tax >= wages': the original breaks it in 200 of 200 records"):
            sdclab.protect(accounts, "noise", p=0.5, rules=["tax >= wages"], seed=LONG)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "columns 1 and 2 have the same name"),
        (pd.DataFrame({("a", "b"): [1.0, 2]}), "MultiIndex"),
        (pd.DataFrame({"a": [1, "x", 2.5] * 5, "b": range(15)}), "a holds"),
        (pd.DataFrame({"a": pd.date_range("2020", periods=20), "b": [1.5, 2] * 10}), "a holds"),
        (pd.DataFrame({"a": np.arange(20) * 1j, "b": [1.5, 2] * 10}), "a holds"),
        (pd.DataFrame(), "holds no records|no column"),
    ],
    ids=["duplicate columns", "MultiIndex", "mixed", "time stamps", "complex", "empty"],
)
def test_what_is_no_table_of_microdata_is_one_sentence(data, message):
    with pytest.raises(SdclabError, match=message) as refused:
        sdclab.protect(data, "mdav")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "mdva"}, "unknown method 'mdva': did you mean mdav"),
        ({"method": "mdav", "kk": 3}, "unknown parameter 'kk': did you mean k"),
        ({"method": "mdav", "types": {"income": "number"}}, "unknown type 'number'"),
        ({"method": "mdav", "types": {"incme": "count"}}, "unknown column 'incme': did you mean income"),
        ({"method": "noise", "p": 0.1}, "method noise: takes continuous and count attributes, but region is nominal"),
        ({"method": "mdav", "seed": -1}, "seed is -1 but must not be negative"),
    ],
)
def test_slips(frame, arguments, message):
    with pytest.raises(SdclabError, match=message):
        sdclab.protect(frame, **arguments)


def test_importing_it_loads_nothing():
    code = "import sys, sdclab; print(sorted({'numpy', 'pandas', 'scipy', 'matplotlib'} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert shown.stdout.strip() == "[]"
    assert {"protect", "measure", "map", "describe", "SdclabError"} <= set(dir(sdclab))
    with pytest.raises(AttributeError, match="no attribute 'protec'"):
        sdclab.protec  # noqa: B018


@pytest.mark.slow
def test_the_lines_of_the_docs_run(frame):
    text = (PROJECT / "docs" / "own_data.md").read_text()
    code = re.search(r"## From Python\n.*?```python\n(.*?)```", text, re.DOTALL)[1]
    exec(code, {"frame": frame})


def test_measure_takes_an_intruder_and_a_control(rng):
    people = pd.DataFrame(rng.standard_normal((300, 4)), columns=list("abcd"))
    control = pd.DataFrame(rng.standard_normal((120, 4)), columns=list("abcd"))
    shuffled = people.sample(frac=1, random_state=1)
    asked = {"key": ["a", "b"], "target": ["d"], "measures": ["inference", "disclosure"]}
    found = sdclab.measure(people, shuffled, control=control, **asked).set_index("quantity")["value"]
    assert found["inference"] == 100
    assert found["rep_u"] == found["uio"] > 0
    with pytest.raises(SdclabError, match="the control: a control must have at least 50 records, but has 40"):
        sdclab.measure(people, shuffled, control=control[:40], **asked)
