"""Limits on what measures tell, and whether a release keeps them."""

from math import inf, nan, nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import records

import sdclab
from sdclab import SdclabError
from sdclab.experiment.gate import Limit, judged, measures_of, read_gate
from sdclab.measures import MEASURES, declarations


def limits(*texts):
    return [Limit.parse(text) for text in texts]


class TestLimit:
    @pytest.mark.parametrize(
        ("text", "parts"),
        [
            ("membership <= 55", ("membership", "<=", 55)),
            ("  rep_u<=1e0 ", ("rep_u", "<=", 1)),
            ("k-anonymity >= +5.", ("k_anonymity", ">=", 5)),
            ("inference <= -.5", ("inference", "<=", -0.5)),
            ("propensity_logistic <= 0.1", ("propensity_logistic", "<=", 0.1)),
        ],
    )
    def test_is_read(self, text, parts):
        limit = Limit.parse(text)
        assert (limit.quantity, limit.relation, limit.bound) == parts
        assert limit.text == text.strip()

    @pytest.mark.parametrize(
        "text", ["", "dr", "dr < 5", "dr = 5", "5 >= dr", "dr <= x", "dr <= nan", "dr <= 1e999", "dr <= 5 %", "dr <= ٥"]
    )
    def test_one_that_is_not_understood(self, text):
        with pytest.raises(SdclabError, match=r"must be a quantity, <= or >=, and a number, as in membership <= 55.$"):
            Limit.parse(text)

    def test_one_on_what_no_measure_tells(self):
        with pytest.raises(
            SdclabError, match=r"^f: limit 'membershp <= 5': unknown quantity 'membershp': did you mean mem"
        ):
            Limit.parse("membershp <= 5", "f")
        for name in ("propensity", "d1x", "mdav"):  # a star stands for the rest of a name after its beginning
            with pytest.raises(SdclabError, match="unknown quantity"):
                Limit.parse(f"{name} <= 5")

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("dr <= -1", "dr lies between 0 and 100"),
            ("pil >= 101", "pil lies between 0 and 100"),
            ("inference <= -100.5", "inference lies between -100 and 100"),
            ("k_anonymity <= 0", "k_anonymity is at least 1"),
            ("d1_x <= -0.1", "d1_x is at least 0"),
        ],
    )
    def test_one_that_no_release_could_keep(self, text, why):
        with pytest.raises(SdclabError, match=f"^limit '{text}': cannot be met, since {why}.$"):
            Limit.parse(text)

    @pytest.mark.parametrize(
        "text", ["dr <= 0", "pil >= 100", "dr <= 1000", "dr >= -1", "dr >= 5", "k_anonymity >= 1e9"]
    )
    def test_one_that_some_release_keeps_is_taken_whichever_way_is_better(self, text):
        assert Limit.parse(text).text == text

    def test_every_number_that_is_declared_can_be_limited(self):
        for _, told in declarations():
            for name, number in told.items():
                for relation, end in (("<=", number.low), (">=", number.high)):
                    if np.isfinite(end):
                        assert Limit.parse(f"{name.replace('*', 'x')} {relation} {end!r}").holds(end)


class TestHolds:
    def test_the_bound_itself_does_and_the_last_bit_decides_nothing(self):
        at_most, at_least = limits("dr <= 0.3", "dr >= 0.3")
        for value in (0.3, 0.1 + 0.2, nextafter(0.3, 0), nextafter(0.3, 1)):
            assert at_most.holds(value)
            assert at_least.holds(value)
        assert (at_most.holds(0.3001), at_least.holds(0.2999)) == (False, False)
        assert limits("d1 <= 0")[0].holds(1e-14)

    @pytest.mark.parametrize("text", ["dr <= 100", "dr >= 0", "d1 <= 1e300", "k_anonymity >= 1"])
    def test_what_is_not_defined_does_not(self, text):
        (limit,) = limits(text)
        assert not limit.holds(nan)
        assert limit.excess(nan) == inf

    def test_what_is_infinite(self):
        more, less = limits("k_anonymity >= 5", "d1 <= 5")
        assert (more.holds(inf), more.excess(inf)) == (True, 0)
        assert (less.holds(inf), less.excess(inf)) == (False, inf)


class TestExcess:
    @pytest.mark.parametrize(
        ("text", "value", "excess"),
        [
            ("dr <= 20", 45, 0.25),  # of a range of 100
            ("inference <= 0", 50, 0.25),  # of a range of 200
            ("pil >= 30", 10, 0.2),
            ("k_anonymity >= 5", 2, 0.6),  # without an end: 3 of 5
            ("d1 <= 5", 20, 0.75),  # 15 of 20
            ("d1 <= 0", 7, 1),
            ("dr <= 20", 20, 0),
            ("dr <= 20", 3, 0),
        ],
    )
    def test_is_a_share(self, text, value, excess):
        assert Limit.parse(text).excess(value) == pytest.approx(excess)

    @given(
        st.sampled_from(["dr <= 20", "pil >= 30", "k_anonymity >= 5", "d1 <= 5", "inference <= 0"]),
        st.floats(0, 1e6),
        st.floats(0, 1e6),
    )
    def test_is_none_exactly_where_the_limit_holds_and_grows_with_the_distance(self, text, one, other):
        limit = Limit.parse(text)
        assert (limit.excess(one) == 0) == limit.holds(one)
        near, far = sorted((one, other), reverse=limit.relation == ">=")
        assert limit.excess(near) <= limit.excess(far) * (1 + 1e-9)


class TestMeasuresOf:
    @pytest.mark.parametrize(
        ("texts", "names"),
        [
            (("pil <= 40",), ("pil",)),  # and not score
            (("interval <= 5", "dbrl <= 1"), ("interval", "dbrl")),
            (("dbrl <= 1", "dr_excess <= 9", "interval_chance <= 90"), ("dr",)),  # which tells the others as well
            (("pil <= 40", "score <= 40", "dr <= 5"), ("score",)),
            (("rep_u <= 1", "disco <= 5", "copy_1 <= 9", "propensity_x <= 1"), ("disclosure", "copy", "propensity")),
            ((), ()),
        ],
    )
    def test_the_cheapest_that_tell_all(self, texts, names):
        assert measures_of(limit.quantity for limit in limits(*texts)) == names

    def test_tell_every_number_that_is_declared(self):
        told = dict(declarations())
        assert set(told) == set(MEASURES)
        for quantities in told.values():
            for quantity in quantities:
                (name,) = measures_of([quantity.replace("*", "x")])
                assert quantity in told[name]


def test_judged():
    some = limits("dr <= 5", "pil <= 40", "copy <= 1")
    found = judged(some, {"dr": 4, "pil": 41, "xy": 3})
    assert [(limit, passed) for limit, _, passed in found] == list(zip(some, [True, False, False], strict=True))
    assert [value for _, value, _ in found[:2]] == [4, 41]
    assert np.isnan(found[2].value)


class TestReadGate:
    def test_limits_keys_and_targets(self, tmp_path):
        path = tmp_path / "limits.yaml"
        path.write_text("limits:\n  - membership <= 55\n  - rep_u >= 0\nkey: [age, 'a, b']\n")
        gate = read_gate(path)
        assert gate.limits == tuple(limits("membership <= 55", "rep_u >= 0"))
        assert (gate.key, gate.target) == (("age", "a, b"), ())

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("limit: [dr <= 5]", "limits.yaml: unknown key 'limit': did you mean limits?"),
            ("limits: dr <= 5", "limits.yaml: limits must be a list of texts."),
            ("limits:", "limits.yaml: limits must be a list of texts."),
            ("limits: [5]", "limits.yaml: limits must be a list of texts."),
            ("limits: [dr <= 5]\nkey: age", "limits.yaml: key must be a list of texts."),
            ("limits: [dr < 5]", "limits.yaml: limit 'dr < 5': must be a quantity, <= or >=, and a number"),
            ("- dr <= 5", "limits.yaml: must hold a mapping of keys to values."),
            ("limits: [", "limits.yaml, line 1, column"),
        ],
    )
    def test_bad_input(self, tmp_path, monkeypatch, text, message):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "limits.yaml").write_text(text)
        with pytest.raises(SdclabError) as refused:
            read_gate("limits.yaml")
        assert str(refused.value).startswith(message)


class TestCheckRelease:
    LIMITS = ("membership <= 60", "copy_1 <= 20", "intact_records <= 0")

    def passed(self, original, released, *texts, **roles):
        found = sdclab.check_release(original, released, texts, **roles)
        assert list(found.columns) == ["limit", "value", "passed"]
        return dict(zip(found["limit"], found["passed"], strict=True))

    def test_a_copy_fails_and_an_independent_sample_passes(self):
        data, control, fresh = (records(300, seed=seed) for seed in (1, 2, 3))
        assert self.passed(data, data, *self.LIMITS, control=control) == dict.fromkeys(self.LIMITS, False)
        assert self.passed(data, fresh, *self.LIMITS, control=control) == dict.fromkeys(self.LIMITS, True)

    def test_the_values_are_those_of_measure(self):
        data, fresh = records(120), records(120, seed=2)
        found = sdclab.check_release(data, fresh, ["dbrl <= 5", "pil <= 1", "dr <= 9"]).set_index("limit")["value"]
        told = sdclab.measure(data, fresh, measures=["score"]).set_index("quantity")["value"]
        assert found["pil <= 1"] == pytest.approx(told["pil"])
        assert found["dr <= 9"] == pytest.approx(told["dr"])
        assert found["dbrl <= 5"] == pytest.approx(told["dbrl"])

    def test_what_cannot_be_measured_fails_also_where_nothing_can(self):
        data = records(120)
        found = sdclab.check_release(data, records(120, seed=2), ["membership >= 0"])
        assert found["passed"].tolist() == [False]
        assert found["value"].isna().all()

    def test_rules_are_compared_by_shares(self):
        """2 of 40 originals break it; 3 of 60 released records do not break it more often, 4 do."""
        before, longer = records(40), records(60, seed=2)
        before.loc[:1, "tax"] += 1e5
        for broken, passed in ((3, True), (4, False)):
            after = longer.copy()
            after.loc[: broken - 1, "tax"] += 1e5
            found = sdclab.check_release(before, after, ["copy >= 0"], rules=["tax <= income"]).set_index("limit")
            assert found.loc["tax <= income", "value"] == broken
            assert found.loc["tax <= income", "passed"] == passed

    def test_without_limits_it_says_so(self):
        with pytest.raises(SdclabError, match="there is no limit to check"):
            sdclab.check_release(records(60), records(60, seed=2), [])
