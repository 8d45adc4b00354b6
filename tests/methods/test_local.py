"""Local masking: every cluster is masked as a file by itself would be, and what that keeps."""

from collections.abc import Callable
from typing import get_args

import numpy as np
import pytest
from conftest import needs_originals

from sdclab.base.errors import SdclabError
from sdclab.clustering.classes import classes
from sdclab.measures import measure
from sdclab.methods import METHODS, Release, release
from sdclab.methods.hybrid import clustered
from sdclab.methods.local import AMOUNT
from sdclab.microdata.attribute import Attribute, Attributes
from sdclab.microdata.dataset import Dataset

MASKS = get_args(METHODS.parameters("local")["mask"].kind)


def local(records: np.ndarray, seed: int = 0, columns: Attributes | None = None, **parameters: object) -> Release:
    return release("local", records, records[:, :0], np.random.default_rng(seed), parameters, columns)


def groups(rng: np.random.Generator, sizes: tuple[int, ...] = (60, 90, 120)) -> np.ndarray:
    """Far apart, in random order."""
    parts = [rng.standard_normal((size, 2)) @ [[1.0, 0.7], [0, 1 + i]] + 30 * i for i, size in enumerate(sizes)]
    return rng.permutation(np.vstack(parts))


def members(records: np.ndarray) -> list[np.ndarray]:
    """The groups by how they were made."""
    which = np.round(records.mean(axis=1) / 30)
    return [np.flatnonzero(which == i) for i in np.unique(which)]


class TestEveryMask:
    def test_each_has_an_amount(self):
        assert set(MASKS) == set(AMOUNT)
        for mask, amount in AMOUNT.items():
            assert amount in METHODS.parameters(mask)

    @pytest.mark.parametrize("mask", MASKS)
    def test_a_cluster_is_masked_as_a_file(self, mask, rng):
        records = groups(rng)
        made = local(records, mask=mask, k=20, clusters=3, seed=4).values
        again, found = np.random.default_rng(4), clustered(records, 20, 3)[1]
        assert sorted(np.bincount(found)) == [60, 90, 120]
        for label in range(3):
            part = records[found == label]
            assert (made[found == label] == release(mask, part, part[:, :0], again, {}).values).all()

    @pytest.mark.parametrize("mask", MASKS)
    def test_one_cluster_is_the_method_itself(self, mask, rng):
        records = groups(rng)
        plain = release(mask, records, records[:, :0], np.random.default_rng(2), {}).values
        assert (local(records, seed=2, mask=mask, clusters=1).values == plain).all()

    @pytest.mark.parametrize(
        ("mask", "amount"), [("noise_cov", 1), ("noise_cov", 0.3), ("mdav", 7), ("swap", 12.5), ("calibrated", 0.5)]
    )
    def test_the_amount_is_the_masks_own(self, mask, amount, rng):
        records = groups(rng)
        told = local(records, seed=2, mask=mask, clusters=1, amount=amount).values
        plain = release(mask, records, records[:, :0], np.random.default_rng(2), {AMOUNT[mask]: amount}).values
        assert (told == plain).all()

    @pytest.mark.parametrize("mask", MASKS)
    def test_facts_tell_the_clusters(self, mask, rng):
        facts = local(groups(rng), mask=mask, k=20, clusters=3).facts
        assert (facts["clusters"], facts["smallest_cluster"], facts["largest_cluster"]) == (3, 60, 120)

    @pytest.mark.parametrize("mask", MASKS)
    def test_independents_and_types_reach_the_mask(self, mask, rng):
        """Those with categories come to a method as numbers, and must not be taken for categories again."""
        records = groups(rng)
        region = rng.integers(0, 3, (len(records), 1)).astype(float)
        about = Attributes(
            (Attribute("age"), Attribute("visits", "count", decimals=0)),
            (Attribute("region", "nominal", categories=("a", "b", "c")),),
        )
        records[:, 1] = np.round(records[:, 1])
        made = release("local", records, region, rng, {"mask": mask, "k": 20, "clusters": 3}, about)
        assert made.facts["clusters"] == 3
        assert made.values.shape == records.shape


class TestWhatIsKept:
    def test_noise_keeps_means_and_covariances_of_every_cluster_and_the_file(self, rng):
        records = groups(rng)
        made = local(records, mask="noise_cov", k=20, clusters=3).values
        for part in [np.arange(len(records)), *members(records)]:
            np.testing.assert_allclose(made[part].mean(axis=0), records[part].mean(axis=0), rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(np.cov(made[part].T), np.cov(records[part].T), rtol=1e-8)

    def test_microaggregation_keeps_means_and_k(self, rng):
        records = groups(rng)
        made = local(records, mask="mdav", amount=5, k=20, clusters=3).values
        assert min(map(len, classes(made))) >= 5
        for part in members(records):
            np.testing.assert_allclose(made[part].mean(axis=0), records[part].mean(axis=0), rtol=1e-9, atol=1e-9)

    def test_swapping_keeps_margins_and_crosses_no_border(self, rng):
        records = groups(rng)
        made = local(records, mask="swap", amount=100, k=20, clusters=3).values
        for part in members(records):
            assert (np.sort(made[part], axis=0) == np.sort(records[part], axis=0)).all()
        plain = release("swap", records, records[:, :0], rng, {"p": 100}).values
        assert any((np.sort(plain[part], axis=0) != np.sort(records[part], axis=0)).any() for part in members(records))

    def test_values_near_each_other_stay_related(self, rng):
        """Swapped in the whole file, groups fall apart; inside clusters they cannot."""
        records = groups(rng)
        whole = release("swap", records, records[:, :0], rng, {"p": 100}).values
        inside = local(records, mask="swap", amount=100, k=20, clusters=3).values
        before, after, ours = (np.corrcoef(each.T)[0, 1] for each in (records, whole, inside))
        assert before - ours < 0.01 < 0.5 < before - after


class TestSmallClusters:
    def test_a_cluster_too_small_for_the_mask_goes_to_the_next_likely(self, rng):
        """A mask of 40 records at least cannot be had in the group of 25, which lies beside the one of 90."""
        records = groups(rng, (25, 90, 120))
        assert local(records, mask="mdav", amount=25, k=10, clusters=3).facts["clusters"] == 3
        made = local(records, mask="mdav", amount=40, k=10, clusters=3)
        assert (made.facts["clusters"], made.facts["smallest_cluster"], made.facts["largest_cluster"]) == (2, 115, 120)
        assert min(map(len, classes(made.values))) >= 40

    def test_what_the_mask_refuses_of_the_file_is_refused(self, rng):
        with pytest.raises(SdclabError, match=r"^method local: mdav: k is 300 but must lie between 1 and the number"):
            local(groups(rng), mask="mdav", amount=300, k=20)
        with pytest.raises(SdclabError, match=r"^method local: mdav: k is 2.5 but must be a whole number"):
            local(groups(rng), mask="mdav", amount=2.5, k=20)
        with pytest.raises(SdclabError, match=r"^method local: swap: p is -1 but must be above 0"):
            local(groups(rng), mask="swap", amount=-1, k=20)

    def test_enforced_clusters_have_k_records(self, rng):
        records = groups(rng, (25, 90, 120))
        assert local(records, k=40, clusters=3, enforce=True).facts["smallest_cluster"] >= 40

    def test_a_cluster_number_that_cannot_be_is_said_to_be_this_methods(self, rng):
        with pytest.raises(SdclabError, match=r"^method local: clusters is 9 but must be at least 1 and below n/k"):
            local(groups(rng), k=60, clusters=9)

    def test_zeros_and_ones_alone_have_no_clusters(self, rng):
        with pytest.raises(SdclabError, match=r"^method local: every dependent is dichotomous"):
            local((rng.random((100, 2)) < 0.5).astype(float))


@pytest.mark.slow
@needs_originals
class TestThyroid:
    def test_masked_locally_it_is_told_less_easily_from_the_original(self, dataset: Callable[[str], Dataset]):
        """An answer to section 8, for two masks of three: microaggregation follows the file anyway."""
        thyroid = dataset("thyroid").select(("age", "TSH", "T3", "T4U", "FTI"), "test")

        def told(method: str, parameters: dict[str, object]) -> float:
            made = [release(method, thyroid, thyroid[:, :0], np.random.default_rng(i), parameters) for i in range(3)]
            options = {"models": ["powers"]}
            return np.mean(
                [measure("propensity", thyroid, m.values, thyroid[:, :0], options)["propensity_powers"] for m in made]
            )

        for mask in ("noise_cov", "swap"):
            assert told("local", {"mask": mask, "k": 60}) < told(mask, {}) / 2
