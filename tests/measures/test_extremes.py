"""extremes: closed forms of copies, simulation of strangers, and methods."""

import numpy as np
import pytest

from sdclab.measures import extremes, measure
from sdclab.methods import protect
from sdclab.microdata.attribute import Attribute, Attributes

DRAWS = {
    "normal": lambda rng, n: rng.standard_normal((n, 5)),
    "lognormal": lambda rng, n: rng.lognormal(0, 1, (n, 5)),
    "uniform": lambda rng, n: rng.random((n, 5)),
    "pareto": lambda rng, n: rng.pareto(2, (n, 5)),
}
EVERY = pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)


def found(original, protected, columns=None, number="extremes"):
    return measure("extremes", original, protected, original[:, :0], {}, columns)[number]


class TestCopies:
    @EVERY
    def test_are_found_in_any_order_and_unit(self, rng, draw):
        x = draw(rng, 200)
        for released in (x, rng.permutation(x), x[::-1] * (1 + 1e-15)):
            assert found(x, released) == pytest.approx(100)
            assert found(1e9 * x - 7, 1e9 * released - 7) == pytest.approx(100, abs=0.1)

    def test_of_the_extremes_alone_are_found_as_well(self, rng):
        """All else is replaced: who stands out is still there."""
        x = np.sort(rng.lognormal(0, 1, (300, 1)), axis=0)
        released = x.copy()
        released[30:-30] = np.median(x)
        assert found(x, released) == pytest.approx(100)

    def test_noise_of_one_per_cent_hides_nobody_who_is_far_from_all_others(self, rng):
        x = DRAWS["lognormal"](rng, 1000)
        assert found(x, protect("noise", x, x[:, :0], rng, {"p": 0.01})) > 90


class TestStrangers:
    @EVERY
    def test_are_no_nearer_than_strangers_on_average(self, draw):
        """Before what is negative is cut off, the mean over 300 attributes, of SD 0.2 each, is 0: error 0.012."""
        rng = np.random.default_rng(7)
        scores = []
        for _ in range(60):
            original, other = (np.sort(draw(rng, 200), axis=0) for _ in range(2))
            halves = list(extremes._halves(200))
            scores += [extremes._found_above(*each, 0.0, halves)[0] for each in zip(original.T, other.T, strict=True)]
        assert np.mean(scores) == pytest.approx(0, abs=0.08)

    @EVERY
    def test_have_little(self, draw):
        rng = np.random.default_rng(8)
        assert np.mean([found(draw(rng, 300), draw(rng, 300)) for _ in range(20)]) < 15

    def test_synthetic_records_have_little(self, rng):
        y, x = DRAWS["lognormal"](rng, 500), rng.standard_normal((500, 2))
        assert found(y, protect("ipso_c", y, x, rng, {})) < 15

    def test_the_mean_has_nothing(self, rng):
        x = DRAWS["lognormal"](rng, 200)
        assert found(x, np.tile(x.mean(axis=0), (200, 1))) == 0


class TestAttributes:
    def test_the_worst_is_the_one_that_is_found_best(self, rng):
        x = DRAWS["lognormal"](rng, 200)
        released = np.tile(x.mean(axis=0), (200, 1))
        released[:, 2] = x[:, 2]
        assert found(x, released) == pytest.approx(20)
        assert found(x, released, number="extremes_worst") == pytest.approx(100)

    def test_an_end_that_many_share_does_not_count(self, rng):
        """Zeros are in every file; that the largest are not released is what counts."""
        x = np.where(rng.random((300, 1)) < 0.5, 0.0, rng.lognormal(0, 1, (300, 1)))
        assert found(x, np.minimum(x, np.quantile(x, 0.8))) == 0
        assert np.isnan(found(np.round(x > 1), np.round(x > 1)))

    def test_no_category_is_looked_for(self, rng):
        codes = rng.integers(0, 3, (100, 1)).astype(float)
        region = Attribute("region", "nominal", categories=tuple("abc"))
        number = rng.lognormal(0, 1, (100, 1))
        both = np.hstack([codes, number])
        released = np.hstack([codes, np.full_like(number, 1.0)])
        assert np.isnan(found(codes, codes, Attributes((region,))))
        assert found(both, released, Attributes((region, Attribute("number")))) == 0


def test_the_nearest_is_that_of_all_pairs(rng):
    values, others = rng.standard_normal(50), np.sort(rng.standard_normal(40))
    places = np.flatnonzero(rng.random(40) < 0.5)
    expected = np.abs(values[:, None] - others[places]).min(axis=1)
    np.testing.assert_allclose(extremes._to_nearest(values, others, places), expected)
