"""detection: simulation of releases that can and cannot be told apart, and AUC against scikit-learn."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from sdclab.base.errors import SdclabError
from sdclab.measures import detection, measure
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.numerics.draws import some

BOTH = pytest.mark.parametrize("classifier", ["forest", "logistic"])


def detected(original, protected, independent=None, columns=None, **options):
    beside = np.empty((len(original), 0)) if independent is None else independent
    found = measure("detection", original, protected, beside, {"trees": 30} | options, columns)
    assert found["detection"] == pytest.approx(max(0, 2 * (found["detection_auc"] - 50)))
    return found["detection_auc"]


def mean_auc(draw, **options):
    """Over ten releases of 400 records: with 41/sqrt(n) for one, its standard error is about 0.65."""
    rng = np.random.default_rng(3)
    return np.mean([detected(*draw(rng), **options) for _ in range(10)])


NULL = pytest.approx(50, abs=3.5)


class TestWhatCannotBeToldApart:
    @BOTH
    def test_a_copy_has_50(self, rng, classifier):
        x = rng.lognormal(0, 1, (300, 3))
        assert detected(x, x, classifier=classifier) == pytest.approx(50, abs=1e-6)

    @BOTH
    def test_a_copy_in_another_order_has_50_on_average(self, classifier):
        def draw(rng):
            x = rng.lognormal(0, 1, (400, 3))
            return x, rng.permutation(x)

        assert mean_auc(draw, classifier=classifier) == NULL

    @BOTH
    def test_an_independent_sample_has_50_on_average(self, classifier):
        assert mean_auc(lambda rng: rng.lognormal(0, 1, (2, 400, 3)), classifier=classifier) == NULL

    @BOTH
    def test_so_has_what_hardly_differs_from_its_own_record(self, classifier):
        """Were a record learnt from while its release is told, this would lie far below."""

        def draw(rng):
            x = rng.standard_normal((400, 3))
            return x, x + 0.01 * rng.standard_normal(x.shape)

        assert mean_auc(draw, classifier=classifier) == NULL

    @BOTH
    def test_and_dependents_in_another_order_that_had_nothing_to_do_with_the_independents(self, classifier):
        def draw(rng):
            y, x = rng.standard_normal((2, 400, 2))
            return y, rng.permutation(y), x

        assert mean_auc(draw, classifier=classifier) == NULL


class TestWhatCan:
    @BOTH
    def test_a_shift_has_nearly_the_area_of_the_best_test(self, classifier):
        """Of two normal samples a shift by d SDs tells with AUC Φ(d / √2), and no classifier tells more."""
        best = 100 * norm.cdf(1.5 / np.sqrt(2))

        def draw(rng):
            x, y = rng.standard_normal((2, 400, 1))
            return x, y + 1.5

        assert best - 8 < mean_auc(draw, classifier=classifier) < best + 2

    @BOTH
    def test_files_apart_have_100(self, rng, classifier):
        x = rng.random((300, 2))
        assert detected(x, x + 2, classifier=classifier) == pytest.approx(100, abs=0.5)

    @BOTH
    def test_dependents_in_another_order_are_told_by_their_relation_to_the_independents(self, classifier):
        def draw(rng):
            x = rng.standard_normal((400, 1))
            y = x + 0.5 * rng.standard_normal((400, 1))
            return y, rng.permutation(y), x

        assert mean_auc(draw, classifier=classifier) > 65

    def test_a_forest_sees_what_has_the_same_moments(self, rng):
        """Two points at ±1 and a normal sample: first moments alike, and hardly another value in common."""
        x = rng.choice([-1.0, 1.0], (400, 1))
        assert detected(x, rng.standard_normal((400, 1)), classifier="forest") > 95

    @BOTH
    def test_categories_of_other_shares(self, rng, classifier):
        """Shares 0.8 and 0.2 become 0.2 and 0.8: AUC 0.8² + (0.8 × 0.2 × 2) / 2 = 0.8."""
        region = Attributes((Attribute("region", "nominal", categories=("east", "west")),))
        x = np.repeat([0.0, 1], [400, 100])[rng.permutation(500), None]
        assert detected(x, 1 - x, columns=region, classifier=classifier) == pytest.approx(80, abs=1)


class TestForest:
    def test_is_the_same_in_any_unit_and_does_not_hang_on_the_last_bit(self, rng):
        x = rng.lognormal(0, 1, (200, 2))
        y = x + 0.3 * rng.standard_normal(x.shape)
        plain = detected(x, y)
        assert detected(1e9 * x, 1e9 * y) == plain
        assert detected(np.nextafter(x, np.inf), np.nextafter(y, -np.inf)) == plain
        assert detected(x, y) == plain

    def test_does_not_hang_on_what_categories_are_called(self, rng):
        x, y = rng.integers(0, 5, (2, 200, 1)).astype(float)
        region = Attributes((Attribute("region", "nominal", categories=tuple("abcde")),))
        codes = np.array([3.0, 0, 4, 1, 2])
        assert detected(x, y, columns=region) == detected(codes[x.astype(int)], codes[y.astype(int)], columns=region)

    def test_that_is_not_installed_is_replaced_or_missed(self, rng, monkeypatch):
        monkeypatch.setattr(detection, "find_spec", lambda name: None)
        x, y = rng.standard_normal((2, 100, 2))
        found = measure("detection", x, y, x[:, :0])
        assert found["detection_trees"] == 0
        assert found == measure("detection", x, y, x[:, :0], {"classifier": "logistic"})
        with pytest.raises(SdclabError, match="measure detection: classifier is forest, which needs scikit-learn"):
            measure("detection", x, y, x[:, :0], {"classifier": "forest"})

    def test_says_how_many_trees_it_has(self, rng):
        x, y = rng.standard_normal((2, 50, 2))
        assert measure("detection", x, y, x[:, :0], {"trees": 3})["detection_trees"] == 3


class TestParts:
    def test_the_area_is_that_of_scikit_learn_also_with_ties(self, rng):
        scores, is_protected = np.round(rng.standard_normal(200), 1), rng.random(200) < 0.4
        expected = roc_auc_score(is_protected, scores)
        assert detection._area(scores[~is_protected], scores[is_protected]) == pytest.approx(expected)

    def test_a_record_is_never_told_by_what_was_learnt_from_its_likes(self, rng):
        """Every fold: what is told shares neither its row nor its dependents with what was learnt from."""
        n = 60
        sources = np.arange(n)
        moved = rng.permutation(n)[:20]
        sources[moved] = np.roll(moved, 1)
        learnt = []

        def classifier(seen, told, fold):
            learnt.append(seen)
            return np.zeros(told.sum())

        detection._validated(classifier, sources)
        fold_of = detection.stream(detection.seed_of("detection", n)).permutation(n) % detection.FOLDS
        for fold, seen in enumerate(learnt):
            rows = np.flatnonzero(fold_of == fold)
            originals, releases = np.flatnonzero(seen[:n]), np.flatnonzero(seen[n:])
            assert not set(originals) & (set(rows) | set(sources[rows]))
            assert not set(releases) & set(rows)
            assert not set(sources[releases]) & set(rows)
            assert len(originals) > n / 2

    def test_a_sample_is_drawn_at_random(self, rng):
        """Of a file in which every second record was left alone, evenly spaced ones would tell nothing."""
        x, y = rng.standard_normal((2, 400, 2))
        y[::2] = x[::2]
        y[1::2] += 9
        assert 10 < detected(x, y, sample=100) < 90
        rows = some(400, 100)
        assert detected(x, y, sample=100) == detected(x[rows], y[rows])

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            ({"trees": 0}, "trees is 0 but must be at least"),
            ({"sample": 1}, "sample is 1 but must lie between 2 and the number of records, 30"),
        ],
    )
    def test_too_little_is_refused(self, rng, options, told):
        with pytest.raises(SdclabError, match=f"measure detection: {told}"):
            detected(*rng.standard_normal((2, 30, 2)), **options)
