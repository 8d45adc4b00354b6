"""The information loss of classes, by hand and against the clusters that made them."""

import numpy as np
import pytest

from sdclab.base.errors import SdclabError
from sdclab.clustering.classes import classes
from sdclab.clustering.k_member import Normalised, k_member, loss
from sdclab.measures import measure
from sdclab.methods import release
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.tree import tree_of

NONE = np.empty((0, 0))


@pytest.fixture
def records(rng):
    """Three attributes in different units, with copies among the records."""
    return np.column_stack([rng.integers(17, 90, 300), rng.lognormal(11, 1, 300).round(-3), rng.integers(1, 17, 300)])


def made(method, records, rng, **parameters):
    return release(method, records, NONE, rng, parameters)


class TestInformationLoss:
    def evaluate(self, original, protected, **options):
        return measure("information_loss", original, protected, original[:, :0], options)

    def test_of_a_k_member_release_is_the_loss_of_its_clusters(self, records, rng):
        one = made("k_member", records, rng, k=5)
        values = self.evaluate(records, one.values)
        assert values["information_loss"] == pytest.approx(one.facts["cluster_loss"])
        shrunk = np.ptp(records, axis=0) / np.ptp(one.values, axis=0)
        by_attribute = [
            sum(len(members) * np.ptp(column[members]) / np.ptp(column) for members in classes(one.values))
            for column in records.T
        ]
        assert values["information_loss_remeasured"] == pytest.approx(np.dot(by_attribute, shrunk))

    def test_by_hand(self):
        original = np.array([[0.0, 10.0], [1.0, 10.0], [4.0, 30.0], [4.0, 20.0]])
        protected = np.array([[0.5, 10.0], [0.5, 10.0], [4.0, 25.0], [4.0, 25.0]])
        # ranges 4 and 20: 2 (1/4 + 0) + 2 (0 + 10/20); re-measured 3.5 and 15
        assert self.evaluate(original, protected) == {
            "information_loss": pytest.approx(1.5),
            "information_loss_remeasured": pytest.approx(2 / 3.5 + 20 / 15),
            "information_loss_numbers": pytest.approx(1.5),
            "information_loss_categories": 0,
        }

    def test_with_a_taxonomy_by_hand(self):
        original = np.array([[0.0, 4], [2.0, 5], [4.0, 1], [4.0, 3], [4.0, 1]])
        protected = np.array([[1.0, 4], [1.0, 4], [4.0, 1], [4.0, 1], [4.0, 1]])
        tree = {"2": [[1, 2], [3, [4, 5]]]}
        # 2 (2/4 + 1/3) + 3 (0 + 3/3)
        values = self.evaluate(original, protected, taxonomies=tree)
        assert values["information_loss"] == pytest.approx(5 / 3 + 3)
        assert values["information_loss_numbers"] == pytest.approx(2 * 2 / 4)
        assert values["information_loss_categories"] == pytest.approx(2 * 1 / 3 + 3)

    def test_of_generalised_categories_by_hand(self):
        """Equation 5: a class that meets at `cold` (height 1 of 2), one that meets at the root, one of equals."""
        names = ("blue", "green", "red", "cold", "*")
        tree = tree_of([{"cold": ["blue", "green"]}, "red"], "colour")
        columns = Attributes((Attribute("income"), Attribute("colour", "nominal", categories=names, taxonomy=tree)))
        original = np.array([[0.0, 0], [1.0, 1], [4.0, 1], [4.0, 2], [2.0, 2], [2.0, 2]])
        protected = np.array([[0.5, 3], [0.5, 3], [4.0, 4], [4.0, 4], [2.0, 2], [2.0, 2]])
        values = measure("information_loss", original, protected, original[:, :0], {}, columns)
        assert values["information_loss_numbers"] == pytest.approx(2 * 1 / 4)
        assert values["information_loss_categories"] == pytest.approx(2 * 1 / 2 + 2 * 1)
        assert values["information_loss"] == pytest.approx(0.5 + 1 + 2)
        further = np.array([[0.5, 4], [0.5, 4], [4.0, 4], [4.0, 4], [2.0, 4], [2.0, 4]])  # all is suppressed
        values = measure("information_loss", original, further, original[:, :0], {}, columns)
        assert values["information_loss_categories"] == pytest.approx(6)
        assert values["information_loss"] == pytest.approx(0.5 + 6)

    def test_a_tree_of_one_level_tells_only_same_from_different(self, rng):
        codes = rng.integers(0, 3, (40, 1)).astype(float)
        released = rng.integers(0, 9, (40, 1)).astype(float)
        mixed, classed = np.column_stack([rng.random(40), codes]), np.column_stack([released, np.zeros(40)])
        columns = Attributes((Attribute("a"), Attribute("b", "nominal", categories=tuple("xyz"))))
        flat = Attribute("b", "nominal", categories=("x", "y", "z", "*"), taxonomy=tree_of(["x", "y", "z"], "b"))
        by_hand = sum(len(each) * (len(set(codes[each, 0])) > 1) for each in classes(released))
        for types in (columns, Attributes((columns.dependent[0], flat))):
            values = measure("information_loss", mixed, classed, mixed[:, :0], {}, types)
            assert values["information_loss_categories"] == pytest.approx(by_hand)

    def test_of_one_class_is_everything_and_of_no_class_nothing(self, records):
        constant = np.tile(records.mean(axis=0), (len(records), 1))
        assert self.evaluate(records, constant) == {
            "information_loss": pytest.approx(3 * len(records)),
            "information_loss_remeasured": np.inf,
            "information_loss_numbers": pytest.approx(3 * len(records)),
            "information_loss_categories": 0,
        }
        distinct = records + np.arange(len(records))[:, None]
        assert self.evaluate(records, distinct)["information_loss"] == 0

    def test_a_released_category_that_the_taxonomy_lacks_is_refused(self):
        original = np.array([[0.0, 1], [1.0, 2], [2.0, 2]])
        with pytest.raises(SdclabError, match="attribute 2: 2 records have a category that is missing"):
            self.evaluate(original, original + [0, 0.5] * np.array([[1], [1], [0]]), taxonomies={"2": [1, 2]})

    def test_crisp_clusters_lose_less_than_random_ones(self, records, rng):
        normalised = Normalised.of(records)
        shuffled = list(np.split(rng.permutation(300), 60))
        assert loss(normalised, k_member(normalised, 5)) < 0.5 * loss(normalised, shuffled)
