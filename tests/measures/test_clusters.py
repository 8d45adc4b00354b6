"""The distances d1 and d2 between the clusters of two files."""

import numpy as np
import pytest
from conftest import needs_originals

from sdclab.base.errors import SdclabError
from sdclab.clustering.fcm import Partition
from sdclab.clustering.search import Search
from sdclab.measures import measure
from sdclab.measures.clusters import compare
from sdclab.numerics.linalg import standardised


@pytest.fixture
def records(rng):
    centres = rng.normal(0, 3, (5, 3))
    return standardised(np.vstack([rng.normal(centre, 0.7, (40, 3)) for centre in centres]))


class TestDistances:
    def partition(self, rng, c=4, n=30):
        return Partition(rng.dirichlet(np.ones(c), n).T, rng.standard_normal((c, 2)), 0.0, 1, 0.0)

    def test_of_a_partition_to_itself_are_zero(self, rng):
        a = self.partition(rng)
        assert compare(a, a) == {"d1": 0.0, "d2": 0.0}

    def test_do_not_depend_on_the_order_of_the_clusters(self, rng):
        a, b = self.partition(rng), self.partition(rng)
        expected = compare(a, b)
        for _ in range(5):
            p, q = rng.permutation(4), rng.permutation(4)
            shuffled = compare(
                Partition(a.memberships[p], a.centres[p], 0.0, 1, 0.0),
                Partition(b.memberships[q], b.centres[q], 0.0, 1, 0.0),
            )
            assert shuffled == pytest.approx(expected)

    @pytest.mark.slow
    def test_of_a_file_with_fewer_distinct_records_than_clusters_to_itself_are_zero(self):
        records = np.repeat(np.eye(4), 5, axis=0)
        values = measure("clusters", records, records.copy(), records[:, :0], {"c": 6})
        assert (values["d1"], values["d2"]) == (0, 0)

    def test_by_hand(self):
        a = Partition(np.array([[1.0, 0.2], [0.0, 0.8]]), np.array([[0.0, 0.0], [3.0, 4.0]]), 0.0, 1, 0.0)
        b = Partition(np.array([[0.9, 0.5], [0.1, 0.5]]), np.array([[0.0, 1.0], [100.0, 0.0]]), 0.0, 1, 0.0)
        # both centres of A are nearest to the first of B, at 1 and sqrt(18)
        assert compare(a, b)["d1"] == pytest.approx(1 + np.sqrt(18))
        assert compare(a, b, squared=True)["d1"] == pytest.approx(1 + 18)
        assert compare(a, b)["d2"] == pytest.approx(0.1**2 + 0.3**2 + 0.9**2 + 0.3**2)

    def test_units_do_not_matter(self, records, rng):
        noisy = records + 0.2 * rng.standard_normal(records.shape)
        nothing = np.empty((len(records), 0))
        options = {"c": 3, "runs": 10}
        plain = measure("clusters", records, noisy, nothing, options)
        scaled = measure("clusters", records * [1, 64, 0.5], noisy * [1, 64, 0.5], nothing, options)
        for name in ("d1", "objective_original", "objective_protected"):
            assert scaled[name] == pytest.approx(plain[name], rel=1e-3)

    def test_an_unchanged_file_has_the_same_clusters(self, records):
        nothing = np.empty((len(records), 0))
        values = measure("clusters", records, records.copy(), nothing, {"c": 5})
        assert (values["d1"], values["d2"]) == (0, 0)

    def test_a_slip_in_against_is_named(self, records):
        with pytest.raises(SdclabError, match="against a: unknown key 'optimun': did you mean optimum"):
            measure("clusters", records, records, records[:, :0], {"against": {"a": {"optimun": "1"}}})


@pytest.mark.slow
@needs_originals
class TestPublished:
    """Torra, Endo & Miyamoto (2009): objectives to every printed digit, distances of the deterministic pairs."""

    def search(self, census, columns, c, **options):
        return Search(standardised(census.values[:, :columns]), c, np.random.default_rng(45), **options)

    @pytest.mark.parametrize(
        ("columns", "c", "a", "b", "d1", "d2"),
        [
            (13, 10, "2851", "2826", 3.21, 40.73),
            (13, 10, "2829", "2826", 3.93, 91.3),
            (2, 20, "107.06", "107.19", 2.86, 208.90),
        ],
    )
    def test_distances_between_named_optima(self, census, columns, c, a, b, d1, d2):
        search = self.search(census, columns, c)
        values = compare(search.printed(a), search.printed(b))
        assert values["d1"] == pytest.approx(d1, rel=0.05)
        assert values["d2"] == pytest.approx(d2, rel=0.07)

    @pytest.mark.parametrize(("kappa", "objective"), [(0.1, "2969"), (0.1, "2972"), (0.1, "2997"), (0.2, "3117")])
    def test_the_objectives_of_table_1_need_its_own_reading(self, census, kappa, objective):
        found = self.search(census, 13, 10, kappa=kappa, reading="as_published").printed(objective)
        assert found.objective == pytest.approx(float(objective) + 0.5, abs=0.5)

    def test_the_best_known_optimum_of_two_variables_and_20_clusters(self, census):
        assert self.search(census, 2, 20).best("best").objective <= 106.823
