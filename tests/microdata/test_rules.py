"""Rules: read as they are written, counted, kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdclab.base.errors import SdclabError
from sdclab.microdata.rules import Derived, Rules, check, parse, projected

COLUMNS = ("total", "wages", "interest", "tax", "income, EUR")


class TestReading:
    @pytest.mark.parametrize(
        ("text", "weights", "relation", "constant"),
        [
            ("total = wages + interest", {"total": 1, "wages": -1, "interest": -1}, "=", 0),
            ("tax <= 0.5 * wages - 3", {"tax": 1, "wages": -0.5}, "<=", -3),
            ("wages >= 0", {"wages": -1}, "<=", 0),
            ("-tax + 2wages = 7 + interest", {"tax": -1, "wages": 2, "interest": -1}, "=", 7),
            ('"income, EUR" >= tax', {"income, EUR": -1, "tax": 1}, "<=", 0),
            ("tax + tax <= wages", {"tax": 2, "wages": -1}, "<=", 0),
            ("10 >= tax", {"tax": 1}, "<=", 10),
        ],
    )
    def test_what_is_written_is_meant(self, text, weights, relation, constant):
        rule = parse(text, COLUMNS)
        assert (dict(rule.weights), rule.relation, rule.constant) == (weights, relation, constant)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("total = wage", "unknown column 'wage': did you mean wages"),
            ("total", "must have one of =, <= and >= between two sums"),
            ("0 <= tax <= 9", "must have one of =, <= and >= between two sums"),
            ("total = ", "is not understood"),
            ("total = wages interest", "is not understood"),
            ("total = wages *", "is not understood"),
            ("tax = tax", "names no column"),
            ("1 = 2", "names no column"),
            ("tax < wages", "must have one of"),
            ("tax = wages^2", "is not understood"),
        ],
    )
    def test_a_slip_is_one_sentence(self, text, message):
        with pytest.raises(SdclabError, match=message):
            parse(text, COLUMNS)


def records(rng, n=200):
    wages, interest = rng.lognormal(3, 1, (2, n))
    return np.column_stack([wages + interest, wages, interest, 0.3 * wages, rng.random(n)])


class TestHolding:
    def test_the_original_must_keep_them(self, rng):
        values = records(rng)
        rules = [parse("total = wages + interest", COLUMNS), parse("tax <= wages", COLUMNS)]
        check(rules, values, COLUMNS)
        values[:3, 3] = values[:3, 1] + 1
        with pytest.raises(SdclabError, match="rule 'tax <= wages': the original breaks it in 3 of 200 records"):
            check(rules, values, COLUMNS)

    @pytest.mark.parametrize(
        ("texts", "named"),
        [
            (["tax <= 3", "wages >= 0", "tax >= 5"], ["'tax <= 3'", "'tax >= 5'"]),
            (["total = wages + interest", "total = wages + interest + 1"], None),
            (["tax <= wages", "wages <= total", "total <= tax - 1"], None),
        ],
    )
    def test_rules_that_contradict_each_other_are_named(self, rng, texts, named):
        """Those alone of which none can be spared; whatever the original is like."""
        rules = [parse(text, COLUMNS) for text in texts]
        with pytest.raises(SdclabError, match="contradict each other") as error:
            check(rules, records(rng), COLUMNS)
        assert all((f"'{text}'" in str(error.value)) == (named is None or f"'{text}'" in named) for text in texts)

    def test_what_is_rounding_breaks_nothing(self):
        values = np.array([[0.1 + 0.2, 0.1, 0.2, 0, 0]])
        assert 0.1 + 0.2 != 0.3
        rule = parse("total = wages + interest", COLUMNS)
        assert not rule.broken(np.array([[0.3, 0.1, 0.2, 0, 0]]), COLUMNS).any()
        assert not rule.broken(values, COLUMNS).any()
        assert rule.broken(np.array([[0.31, 0.1, 0.2, 0, 0]]), COLUMNS).all()
        assert not rule.broken(np.array([[0.31, 0.1, 0.2, 0, 0]]), COLUMNS, rounding=0.015).any()

    def test_identities_are_kept_by_a_derived_column(self, rng):
        values = records(rng)
        rule = parse("total = wages + interest", COLUMNS)
        derived = Derived.of([rule], ("total", "wages"))
        assert list(derived.rules) == ["total"]
        released = derived.recomputed(values + rng.random(values.shape), COLUMNS)
        assert not rule.broken(released, COLUMNS).any()

    def test_chained_identities_are_kept_together(self, rng):
        values = rng.random((50, 5))
        rules = [parse("total = wages + interest", COLUMNS), parse("wages = 2 * tax + 1", COLUMNS)]
        derived = Derived.of(rules, COLUMNS)
        released = derived.recomputed(values, COLUMNS)
        assert not any(rule.broken(released, COLUMNS).any() for rule in rules)

    def test_an_identity_may_name_a_column_that_another_gives(self, rng):
        rules = [parse("total = wages + interest", COLUMNS), parse("tax = 2 * total + 1", COLUMNS)]
        derived = Derived.of(rules, COLUMNS)
        assert list(derived.rules) == ["total", "tax"]
        released = derived.recomputed(rng.random((50, 5)), COLUMNS)
        assert not any(rule.broken(released, COLUMNS).any() for rule in rules)

    @pytest.mark.parametrize("second", ["total = wages + interest", "2 * total = 2 * wages + 2 * interest"])
    def test_an_identity_too_many_is_refused(self, second):
        rules = [parse("total = wages + interest", COLUMNS), parse(second, COLUMNS)]
        with pytest.raises(SdclabError, match="no dependent is left by which it could be kept"):
            Derived.of(rules, ("total",))

    @given(st.integers(0, 2**32 - 1))
    def test_inequalities_hold_after_projection(self, seed):
        rng = np.random.default_rng(seed)
        values = rng.normal(0, 5, (40, 5))
        rules = [parse(text, COLUMNS) for text in ("tax <= wages", "wages >= 0", "total >= wages + interest")]
        found = projected(rules, values, COLUMNS, ("tax", "wages", "total"))
        assert not any(rule.broken(found, COLUMNS, 1e-6).any() for rule in rules)
        np.testing.assert_array_equal(found[:, [2, 4]], values[:, [2, 4]])

    def test_who_keeps_them_is_not_moved_and_one_bound_is_met_by_the_shortest_way(self, rng):
        """Onto tax = wages in units of their spread: the foot of the perpendicular."""
        values = records(rng)
        rule = parse("tax <= wages", COLUMNS)
        np.testing.assert_array_equal(projected([rule], values, COLUMNS, COLUMNS), values)
        values[0, [1, 3]] = 1.0, 5.0
        scale = values.std(axis=0)
        found = projected([rule], values, COLUMNS, COLUMNS)[0]
        share = scale[3] ** 2 / (scale[1] ** 2 + scale[3] ** 2)
        assert found[3] == pytest.approx(5 - 4 * share)
        assert found[1] == pytest.approx(1 + 4 * (1 - share))

    def test_a_corner_between_two_bounds_is_reached(self):
        """All are below both bounds, which meet at 0 at a sharp angle: projections in turn only come nearer."""
        rules = [parse("wages >= 0", COLUMNS), parse("wages <= 0.3 * total", COLUMNS)]
        values = -np.random.default_rng(1).random((60, 5))
        found = projected(rules, values, COLUMNS, ("wages", "total"))
        assert not any(rule.broken(found, COLUMNS).any() for rule in rules)
        np.testing.assert_allclose(found[:, :2], 0, atol=1e-6)


def as_it_is(moved):
    return moved


class TestKeeping:
    DEPENDENT, INDEPENDENT = COLUMNS[:3], COLUMNS[3:]

    @given(st.integers(0, 2**32 - 1))
    def test_identities_and_inequalities_hold_together(self, seed):
        """Also an inequality about the column that no method was shown: it is meant for those that give it."""
        rng = np.random.default_rng(seed)
        texts = ("total = wages + interest", "wages >= 0", "interest >= 0", "tax <= total", "total <= 20 + tax")
        rules = Rules(tuple(parse(text, COLUMNS) for text in texts), self.DEPENDENT, self.INDEPENDENT)
        assert rules.modelled == ("wages", "interest")
        beside = np.abs(rng.normal(0, 3, (40, 2)))
        found = rules.keeping(rng.normal(0, 5, (40, 2)), beside, as_it_is)
        assert rules.broken(np.column_stack([found, beside])) == dict.fromkeys(texts, 0)

    def test_who_keeps_them_is_left_alone(self, rng):
        texts = ("total = wages + interest", "wages >= 0")
        rules = Rules(tuple(parse(text, COLUMNS) for text in texts), self.DEPENDENT, self.INDEPENDENT)
        values = records(rng)
        found = rules.keeping(rules.given(values[:, :3]), values[:, 3:], lambda moved: moved / 0)
        np.testing.assert_allclose(found, values[:, :3], rtol=1e-12)

    def test_what_is_broken_is_told_by_rule_and_by_value(self):
        rules = Rules(
            (parse("tax <= wages", COLUMNS), parse("interest >= 0", COLUMNS)), self.DEPENDENT, self.INDEPENDENT
        )
        values = np.array([[0, 1, 1, 2, 0], [0, 2, -1, 1, 0], [0, 3, 3, 3, 0.0]])
        assert rules.broken(values) == {"tax <= wages": 1, "interest >= 0": 1}
        np.testing.assert_array_equal(
            rules.breaking(values), np.array([[0, 1, 0, 1, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]], dtype=bool)
        )

    def test_substitution_means_the_same_where_the_identities_hold(self, rng):
        rules = [parse("total = wages + 2 * interest + 3", COLUMNS), parse("tax = total - wages", COLUMNS)]
        derived = Derived.of(rules, COLUMNS)
        values = derived.recomputed(rng.random((30, 5)), COLUMNS)
        rule = parse("tax + total <= wages + 7", COLUMNS)
        free = derived.substituted(rule)
        assert set(free.columns).isdisjoint(derived.rules)
        np.testing.assert_allclose(free.excess(values, COLUMNS), rule.excess(values, COLUMNS), atol=1e-12)
