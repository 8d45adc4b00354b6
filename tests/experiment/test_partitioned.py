"""A release in partitions, step by step as its jobs take them: the same moments as in one piece."""

import json

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import SCHEMAS

from sdclab.base.errors import SdclabError
from sdclab.experiment import partitioned
from sdclab.microdata.partitions import find

parquet = pytest.importorskip("pyarrow.parquet")

SEED = 2**40 + 7
CUTS = ([], [1], [150, 151, 290], [7, 8, 9, 120])
"""Where 300 records are cut: in one piece, a record alone at the start or amidst, uneven."""


def people(n=300, seed=5):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    region = rng.choice(["north", "south", "west"], n)
    income = 50.0 * age + 800 * (region == "west") + rng.normal(0, 300, n)
    tax = 0.3 * income + rng.normal(0, 60, n)
    return pd.DataFrame({"income": income - 3000, "tax": tax - 900, "age": age, "region": region, "id": np.arange(n)})


ASKED = {
    "release": "mine",
    "source": "data",
    "dependent": ["income", "tax"],
    "independent": ["age", "region"],
    "drop": ["id"],
    "method": "ipso_c",
    "seed": SEED,
}


def cut(frame, cuts, folder):
    folder.mkdir()
    for i, part in enumerate(np.split(np.arange(len(frame)), cuts)):
        frame.iloc[part].to_parquet(folder / f"{i:02}.parquet", index=False)


def load(**asked):
    with open("mine.yaml", "w") as file:
        yaml.safe_dump({**ASKED, **asked}, file)
    return partitioned.load(partitioned.find("mine", partitioned.Path()), SCHEMAS / "release.schema.yaml")


def passed_on(told):
    """As a file takes it from one job to the next."""
    return json.loads(json.dumps(told))


def made(**asked):
    """The released parts, and the summary."""
    order, parts = load(**asked)
    known = passed_on(partitioned.merged(order, [passed_on(partitioned.statistics(order, each)) for each in parts]))
    done = [partitioned.released(order, each, known) for each in parts]
    return [table.frame for table, _ in done], partitioned.summary(order, [passed_on(told) for _, told in done])


def joined(frames):
    return pd.concat(frames, ignore_index=True)


def covariances(frame):
    """Of the dependents with themselves, the numbers and the categories beside them."""
    beside = pd.get_dummies(frame["region"].astype(str)).to_numpy(dtype=float)
    values = np.column_stack([frame[["income", "tax", "age"]].to_numpy(dtype=float), beside])
    return np.cov(values, rowvar=False)[:2], np.sqrt(values.var(axis=0, ddof=1))


@pytest.fixture(autouse=True)
def _here(here):
    """Every test in a folder of its own."""


class TestTheWhole:
    @pytest.mark.parametrize("cuts", CUTS, ids=str)
    def test_ipso_c_keeps_the_moments_of_all_partitions_together(self, cuts, tmp_path):
        frame = people()
        cut(frame, cuts, tmp_path / "data")
        parts, told = made()
        found = joined(parts)
        assert list(map(len, parts)) == list(map(len, np.split(np.arange(300), cuts)))
        assert list(found.columns) == ["income", "tax", "age", "region"]
        assert found[["age", "region"]].astype(str).equals(frame[["age", "region"]].astype(str))
        (was, sd), (now, _) = covariances(frame), covariances(found)
        assert (np.abs(was - now) / np.outer(sd[:2], sd)).max() < 1e-9
        means = (found[["income", "tax"]].mean() - frame[["income", "tax"]].mean()) / sd[:2]
        assert np.abs(means).max() < 1e-9
        assert max(value for key, value in told["moments"].items() if key.endswith("moved")) < 1e-9
        assert np.abs(found["income"] - frame["income"]).min() > 0

    @pytest.mark.parametrize("cuts", CUTS, ids=str)
    @pytest.mark.parametrize(
        ("method", "parameters"), [("noise_cov", {"c": 0.3}), ("ipso_b", {}), ("noise", {"p": 0.1})]
    )
    def test_the_other_methods(self, method, parameters, cuts, tmp_path):
        """noise_cov keeps all moments of the dependents, ipso_b the regression; noise has the SD of the whole."""
        frame = people()
        cut(frame, cuts, tmp_path / "data")
        parts, _ = made(method=method, parameters=parameters)
        found, dependent = joined(parts), ["income", "tax"]
        was, now = (each[dependent].to_numpy(dtype=float) for each in (frame, found))
        x = np.column_stack([pd.get_dummies(frame["region"]), frame["age"]]).astype(float)
        if method == "noise_cov":
            assert np.allclose(np.cov(now, rowvar=False), np.cov(was, rowvar=False), rtol=1e-9)
            assert np.allclose(now.mean(axis=0), was.mean(axis=0), rtol=1e-9)
        elif method == "ipso_b":
            slopes = [np.linalg.lstsq(x, each, rcond=None)[0] for each in (was, now)]
            assert np.allclose(*slopes, rtol=1e-9)
        else:
            order, each = load(method=method, parameters=parameters)
            draws = np.concatenate([order.draws(part, part.rows) for part in each])
            assert np.allclose(now, was + 0.1 * was.std(axis=0) * draws, rtol=1e-9)

    def test_row_groups_are_partitions_like_files(self, tmp_path):
        frame = people()
        frame.to_parquet(tmp_path / "data.parquet", index=False, row_group_size=110)
        parts, told = made(source="data.parquet")
        assert list(map(len, parts)) == [110, 110, 80]
        assert told["moments"]["covariance_moved"] < 1e-9

    def test_a_folders_column_as_an_independent(self, tmp_path):
        """Constant in every partition, and yet its means are kept: the model is that of the whole."""
        frame = people().sort_values("region", kind="stable", ignore_index=True)
        frame.to_parquet(tmp_path / "data", partition_cols=["region"], index=False)
        parts, _ = made()
        found = joined(parts)
        assert found["region"].tolist() == frame["region"].tolist()
        means = [each.groupby("region")["income"].mean().to_numpy(dtype=float) for each in (frame, found)]
        assert np.allclose(*means, rtol=1e-9)

    def test_a_partition_has_its_own_stream_whatever_others_there_are(self, tmp_path):
        frame = people()
        cut(frame, [100, 200], tmp_path / "data")
        order, parts = load()
        draws = {each.name: order.draws(each, 5) for each in parts}
        assert not np.allclose(draws["00.parquet"], draws["01.parquet"])
        (tmp_path / "data/01.parquet").unlink()
        order, parts = load()
        assert all(np.array_equal(order.draws(each, 5), draws[each.name]) for each in parts)
        assert not np.allclose(load(seed=SEED + 1)[0].draws(parts[0], 5), draws["00.parquet"])

    def test_domains_and_types_are_those_of_all(self, tmp_path):
        """Whole numbers in one partition, two decimals in another; no negative ones: a bound that no part decides."""
        frame = people()
        frame["income"] = (frame["income"] - frame["income"].min()).round(2)
        frame.loc[:149, "income"] = frame.loc[:149, "income"].round()
        cut(frame, [150], tmp_path / "data")
        parts, told = made()
        for part in parts:
            values = part["income"].to_numpy(dtype=float)
            assert str(part["income"].dtype) == "double[pyarrow]"
            assert values.min() >= 0
            assert np.array_equal(values, values.round(2))
            assert not np.array_equal(values, values.round())
        assert 1e-9 < told["moments"]["covariance_moved"] < 0.05  # what rounding and bounds do is told

    def test_rules_are_kept(self, tmp_path):
        frame = people().assign(total=lambda each: each["income"] + each["tax"])
        cut(frame, [1, 90], tmp_path / "data")
        parts, _ = made(dependent=["income", "tax", "total"], rules=["total = income + tax"])
        found = joined(parts)
        assert np.allclose(found["total"].to_numpy(float), (found["income"] + found["tax"]).to_numpy(float), rtol=1e-12)

    def test_incomplete_rows_are_dropped_only_if_asked_for(self, tmp_path):
        frame = people()
        frame.loc[4, "tax"] = np.nan
        cut(frame, [100], tmp_path / "data")
        with pytest.raises(SdclabError, match=r"data, 00.parquet: 1 rows lack a value .* say missing: drop, or scope"):
            made()
        parts, told = made(missing="drop")
        assert (told["records"], len(joined(parts))) == (299, 299)
        assert told["moments"]["covariance_moved"] < 1e-9


class TestEachByItself:
    def test_a_folders_column_makes_strata(self, tmp_path):
        """IPSO-C inside every region keeps its covariances there, and so does protect on the region alone."""
        frame = people().sort_values("region", kind="stable", ignore_index=True)
        frame.to_parquet(tmp_path / "data", partition_cols=["region"], index=False)
        parts, _ = made(scope="partition", independent=["age"], pass_through=["region"])
        for (_, was), now in zip(frame.groupby("region"), parts, strict=True):
            columns = ["income", "tax", "age"]
            covs = [np.cov(each[columns].to_numpy(float), rowvar=False)[:2] for each in (was, now)]
            assert np.allclose(*covs, rtol=1e-8)

    def test_mdav_makes_clusters_inside_a_partition(self, tmp_path):
        frame = people()
        cut(frame, [100, 103], tmp_path / "data")
        with pytest.raises(SdclabError, match=r"more records than attributes|k is 5"):
            made(method="mdav", parameters={"k": 5})
        (tmp_path / "data/01.parquet").unlink()
        parts, _ = made(method="mdav", parameters={"k": 5})
        for part in parts:
            assert part.groupby(["income", "tax"]).size().min() >= 5

    def test_categories_that_a_partition_lacks_are_categories(self, tmp_path):
        frame = people().sort_values("region", kind="stable", ignore_index=True)
        cut(frame, [150], tmp_path / "data")
        parts, _ = made(method="pram", dependent=["region"], independent=["age"], drop=["id", "income", "tax"])
        assert {len(set(part.columns) ^ {"region", "age"}) for part in parts} == {0}
        assert set(joined(parts)["region"]) <= {"north", "south", "west"}

    def test_gaps_stay_where_they_were(self, tmp_path):
        frame = people()
        frame.loc[::17, "tax"] = np.nan
        cut(frame, [120], tmp_path / "data")
        parts, _ = made(method="mdav", parameters={"k": 3})
        assert joined(parts)["tax"].isna().tolist() == frame["tax"].isna().tolist()


class TestRefused:
    @pytest.mark.parametrize(
        ("asked", "message"),
        [
            ({"seed": 7}, "mine.yaml: seed is 7 but must be at least 4294967296"),
            ({"drop": []}, "id has no role"),
            ({"dependent": ["incom"]}, "unknown column 'incom': did you mean income"),
            (
                {"method": "mdav", "scope": "whole"},
                "mdav must know of the whole does not add up .* ipso_a, ipso_b, ipso_c",
            ),
            ({"method": "noise"}, "method noise needs the parameter p"),
            ({"method": "nois"}, "unknown method 'nois'"),
            ({"types": {"nothing": "count"}}, "types: unknown column 'nothing'"),
            (
                {"dependent": ["region"], "independent": ["age", "income", "tax"]},
                "takes continuous and count .* nominal",
            ),
            ({"source": "elsewhere"}, "elsewhere: there is no such Parquet file"),
            ({"release": "yours"}, "release is 'yours' but must be the file's name, 'mine'"),
            ({"scope": "all"}, "scope is 'all' but must be one of whole, partition"),
        ],
    )
    def test_before_any_job(self, asked, message, tmp_path):
        cut(people(), [100], tmp_path / "data")
        with pytest.raises(SdclabError, match=message):
            load(**asked)

    def test_a_type_that_only_all_partitions_tell(self, tmp_path):
        frame = people().assign(tax=lambda each: (each["age"] > 50) + 0)
        cut(frame, [100], tmp_path / "data")
        with pytest.raises(SdclabError, match=r"data: method ipso_c: takes continuous and count .* but tax is nominal"):
            made()

    def test_an_unchanged_dependent(self, tmp_path):
        cut(people(), [100], tmp_path / "data")
        with pytest.raises(SdclabError, match="income, tax would be released unchanged"):
            made(method="noise", parameters={"p": 0.0})

    def test_the_template_needs_a_seed(self):
        template = SCHEMAS.parents[1] / "config/releases/own.yaml"
        with pytest.raises(SdclabError, match="seed is 0 but must be at least 4294967296"):
            partitioned.load(template, SCHEMAS / "release.schema.yaml")


def test_the_seed_is_in_no_message_of_an_order(tmp_path):
    cut(people(), [100], tmp_path / "data")
    assert str(SEED) not in repr(load()[0])
    assert find(tmp_path / "data")[0].name == "data"
